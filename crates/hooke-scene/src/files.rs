//! The files that a scene names: which there are, and where each is read from.
//!
//! Fields that name a file are of the type [`FileName`], which only [`Files`] opens. [`fields`] finds them in the
//! declarations of the format, [`named`] in the text of a scene: a new one is listed, confined and copied like
//! all others.

use crate::edit::Segment;
use crate::field::{Bounds, Fields, Kind, Value, mismatch};
use crate::format::Document;
use crate::gallery::MESHES;
use crate::import::skeleton::{self, Skeleton};
use crate::import::{self, ImportError, Limits, Mesh};
use crate::problem::{Sink, SourceOffset};
use crate::source::{Node, location};
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use toml::de::{DeTable, DeValue};

/// A file as a scene names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName(String);

impl Deref for FileName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Value for FileName {
    fn kind(_: Bounds) -> Kind {
        Kind::File
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref().as_str() {
            Some(name) => Some(Self(name.to_owned())),
            None => mismatch::<Self>(node, bounds, sink),
        }
    }
}

/// Which files a scene may name that its author is not trusted with all files of the machine.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Folders, canonical. Files in them are named without a way out of them; the first that has one counts.
    pub folders: Vec<PathBuf>,
    /// Names, exactly as they are written, and where their files are: these come before what folders have.
    pub others: Vec<(String, PathBuf)>,
    /// What is told of every other file.
    pub refusal: &'static str,
}

impl Allowed {
    /// Where a file is, if it may be named.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        let other = self.others.iter().find(|(known, _)| known == name);
        let folder = || self.folders.iter().find(|folder| is_inside(folder, name));
        other.map(|(_, path)| path.clone()).or_else(|| Some(folder()?.join(name)))
    }

    /// An error that names files as the scene does, and no folder of the machine.
    fn bare(&self, error: ImportError, name: &str) -> ImportError {
        let own = self.folders.iter().find_map(|folder| error.file.strip_prefix(folder).ok());
        let file = own.map_or_else(|| PathBuf::from(name), Path::to_owned);
        ImportError { file, ..error }
    }
}

/// Whether a name is that of a file in a folder, and nowhere else. The folder is canonical.
fn is_inside(folder: &Path, name: &str) -> bool {
    let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let real = folder.join(name).canonicalize();
    plain && real.is_ok_and(|path| path.starts_with(folder) && path.is_file())
}

/// Where the files a scene names are.
#[derive(Clone, Debug)]
pub(crate) enum Files {
    /// In a folder, or wherever a path leads from there.
    Folder(PathBuf),
    /// In the program, with the gallery.
    Gallery,
    /// Where they are allowed to be.
    Allowed(Arc<Allowed>),
}

/// What a name stands for.
enum Found {
    Path(PathBuf),
    Bytes(&'static [u8]),
}

impl Files {
    /// Where a file is on the disk; `None` where it is in the program, or may not be named.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        match self {
            Self::Folder(folder) => Some(folder.join(name)),
            Self::Gallery => match MESHES.iter().any(|(known, _)| *known == name) {
                true => None,
                false => Some(name.into()),
            },
            Self::Allowed(allowed) => allowed.find(name),
        }
    }

    /// Tells files that may not be named, with their locations.
    pub(crate) fn check(&self, named: &[Named], sink: &mut Sink) {
        let Self::Allowed(allowed) = self else { return };
        for file in named.iter().filter(|file| allowed.find(&file.name).is_none()) {
            sink.error_of(crate::Cause::File, file.location, "", allowed.refusal);
        }
    }

    fn find(&self, name: &str) -> Result<Found, ImportError> {
        let embedded = MESHES.iter().find(|(known, _)| *known == name);
        if let (Self::Gallery, Some((_, bytes))) = (self, embedded) {
            return Ok(Found::Bytes(bytes));
        }
        match (self.path(name), self) {
            (Some(path), _) => Ok(Found::Path(path)),
            (None, Self::Allowed(allowed)) => Err(ImportError::io(allowed.refusal)),
            (None, _) => Err(ImportError::io("cannot be read")),
        }
    }

    fn read<T>(
        &self,
        name: &FileName,
        from: impl FnOnce(&Path) -> Result<T, ImportError>,
        within: impl FnOnce(&[u8]) -> Result<T, ImportError>,
    ) -> Result<T, ImportError> {
        let read = self.find(name).and_then(|found| match found {
            Found::Path(path) => from(&path),
            Found::Bytes(bytes) => within(bytes),
        });
        match self {
            Self::Allowed(allowed) => read.map_err(|error| allowed.bare(error, name)),
            _ => read,
        }
    }

    /// Reads a mesh.
    pub(crate) fn mesh(&self, name: &FileName, limits: &Limits) -> Result<Mesh, ImportError> {
        let within = |bytes: &[u8]| import::obj::parse(bytes, limits);
        self.read(name, |path| import::read(path, limits), within)
    }

    /// Reads a skeleton.
    pub(crate) fn skeleton(&self, name: &FileName) -> Result<Skeleton, ImportError> {
        self.read(name, skeleton::read, |bytes| skeleton::parse(bytes, Path::new(&**name)))
    }

    /// Reads the bytes of a file, at most so many.
    pub(crate) fn bytes(&self, name: &FileName, most: u64) -> Result<Vec<u8>, ImportError> {
        self.read(name, |path| import::load(path, most), |bytes| Ok(bytes.to_vec()))
    }
}

/// A file that a scene names, and where it does.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) path: Vec<Segment>,
    pub(crate) location: SourceOffset,
    pub(crate) name: String,
}

/// A step from the root of a scene to a field that names a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Into a field.
    Field(&'static str),
    /// Into every item of a list, or of a table of names.
    Each,
}

/// How deep tables are looked into: a table may hold its own kind.
const DEEPEST: usize = 12;

/// The paths of all fields that name a file.
pub(crate) fn fields() -> &'static [Vec<Step>] {
    static FIELDS: OnceLock<Vec<Vec<Step>>> = OnceLock::new();
    FIELDS.get_or_init(|| {
        let mut paths = Vec::new();
        find(&Kind::Table(Document::info), &mut Vec::new(), &mut paths);
        paths
    })
}

fn find(kind: &Kind, path: &mut Vec<Step>, paths: &mut Vec<Vec<Step>>) {
    if path.len() > DEEPEST {
        return;
    }
    match kind {
        Kind::File => paths.push(path.clone()),
        Kind::Table(info) => {
            for field in info().fields {
                path.push(Step::Field(field.name));
                find(&field.kind, path, paths);
                path.pop();
            }
        }
        Kind::List(kind) | Kind::Tuple(_, kind) | Kind::Named(kind) => {
            path.push(Step::Each);
            find(kind, path, paths);
            path.pop();
        }
        Kind::Either(kinds) => kinds.iter().for_each(|kind| find(kind, path, paths)),
        Kind::Number(_)
        | Kind::Count(_)
        | Kind::Flag
        | Kind::Text
        | Kind::Choice(_)
        | Kind::Form(_)
        | Kind::Method => {}
    }
}

/// The files that a text names.
pub(crate) fn named(text: &DeTable<'_>) -> Vec<Named> {
    let mut all = Vec::new();
    for steps in fields() {
        if let Some((Step::Field(name), rest)) = steps.split_first()
            && let Some(node) = text.get(*name)
        {
            resolve(node, rest, &mut vec![Segment::Key((*name).to_owned())], &mut all);
        }
    }
    all
}

fn resolve(node: &Node<'_>, steps: &[Step], path: &mut Vec<Segment>, all: &mut Vec<Named>) {
    let Some((step, rest)) = steps.split_first() else {
        if let Some(name) = node.get_ref().as_str() {
            all.push(Named { path: path.clone(), location: location(node), name: name.to_owned() });
        }
        return;
    };
    let mut enter = |segment: Segment, node: &Node<'_>| {
        path.push(segment);
        resolve(node, rest, path, all);
        path.pop();
    };
    match (step, node.get_ref()) {
        (Step::Field(name), DeValue::Table(table)) => {
            if let Some(node) = table.get(*name) {
                enter(Segment::Key((*name).to_owned()), node);
            }
        }
        (Step::Each, DeValue::Array(list)) => {
            list.iter().enumerate().for_each(|(k, node)| enter(Segment::Index(k), node));
        }
        (Step::Each, DeValue::Table(table)) => {
            for (key, node) in table.iter() {
                enter(Segment::Key(key.get_ref().to_string()), node);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::TableInfo;
    use crate::source::write_path;

    /// Calls `each` for every field of the format, with a path to it.
    fn walk(info: &TableInfo, path: &str, each: &mut dyn FnMut(&str, &str, &Kind)) {
        for field in &info.fields {
            let path = format!("{path}.{}", field.name);
            each(&path, &field.doc, &field.kind);
            walk_kind(&field.kind, &path, each);
        }
    }

    fn walk_kind(kind: &Kind, path: &str, each: &mut dyn FnMut(&str, &str, &Kind)) {
        match kind {
            Kind::Table(info) => walk(&info(), path, each),
            Kind::List(kind) | Kind::Tuple(_, kind) | Kind::Named(kind) => {
                walk_kind(kind, path, each);
            }
            Kind::Either(kinds) => kinds.iter().for_each(|kind| walk_kind(kind, path, each)),
            _ => {}
        }
    }

    /// What speaks of a file names one: by its type, so that it is found.
    #[test]
    fn every_field_that_speaks_of_a_file_is_one() {
        let mut files = 0;
        walk(&Document::info(), "", &mut |path, doc, kind| {
            let last = path.rsplit('.').next().unwrap_or_default();
            let speaks = ["file", "path", "folder"].iter().any(|word| last.contains(word))
                || doc.split(|c: char| !c.is_alphanumeric()).any(|word| word == "file");
            let is_file = matches!(kind, Kind::File);
            if matches!(kind, Kind::Text | Kind::Form(_)) || is_file {
                assert_eq!(speaks, is_file, "{path}: {doc}");
            }
            files += usize::from(is_file);
        });
        assert_eq!(files, fields().len());
        assert!(files >= 5, "{files}");
    }

    /// A text with one file at the end of a path.
    fn text(path: &[Step]) -> String {
        let mut value = "\"a.obj\"".to_owned();
        for step in path[1..].iter().rev() {
            value = match step {
                Step::Field(name) => format!("{{ {name} = {value} }}"),
                Step::Each => format!("[{value}]"),
            };
        }
        let Step::Field(name) = path[0] else { panic!("a field comes first") };
        format!("format = 1\n{name} = {value}\n")
    }

    #[test]
    fn every_file_of_a_text_is_found() {
        for steps in fields() {
            let text = text(steps);
            let tree = DeTable::parse_recoverable(&text).0;
            let found = named(tree.get_ref());
            let names: Vec<_> =
                found.iter().map(|file| (write_path(&file.path), &*file.name)).collect();
            let [(path, "a.obj")] = &names[..] else { panic!("{text}: {names:?}") };
            let fields = steps.iter().filter(|step| **step != Step::Each).count();
            assert_eq!(path.split('.').count(), fields, "{path}");
        }
    }

    #[test]
    fn only_plain_names_of_files_inside() {
        let folder = std::env::temp_dir().join(format!("hooke-files-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("sub")).expect("a folder");
        let folder = folder.canonicalize().expect("a folder");
        std::fs::write(folder.join("in.obj"), "").expect("a file");
        std::fs::write(folder.join("sub/in.obj"), "").expect("a file");
        assert!(is_inside(&folder, "in.obj") && is_inside(&folder, "sub/in.obj"));
        let absolute = folder.join("in.obj").display().to_string();
        for name in
            ["../etc/passwd", "/etc/passwd", "no.obj", "", ".", "sub", "sub/../in.obj", &absolute]
        {
            assert!(!is_inside(&folder, name), "{name}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", folder.join("link.obj")).expect("a link");
            assert!(!is_inside(&folder, "link.obj"));
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
}
