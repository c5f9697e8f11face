//! Wavefront OBJ, the lingua franca of modeling programs.
//!
//! Text with one statement a line: `v` positions, `vt` texture coordinates, `f` polygons and `l`
//! polylines by index (from 1, or negative and counted backwards from the statement), `g`, `o`
//! and `usemtl` to name what follows (Wavefront, *Advanced Visualizer Manual*, appendix B1).
//! Normals, smoothing and materials play no part in a simulation and are passed over.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::builder::Builder;
use super::error::{FileLocation, ImportError, Result, quote};
use super::reader::{Encoding, Reader, float, integer, name_after, text, unmarked, words};
use super::{Limits, Mesh};

/// Statements that hold neither geometry nor names.
const PASSED_OVER: [&str; 11] =
    ["vn", "p", "s", "mtllib", "usemap", "maplib", "lod", "bevel", "c_interp", "d_interp", "mg"];

/// Reads an OBJ file from its bytes.
pub fn parse(bytes: &[u8], limits: &Limits) -> std::result::Result<Mesh, ImportError> {
    let bytes = unmarked(bytes)?;
    let mut builder = Builder::new(limits);
    let uvs = read_vertices(bytes, limits, &mut builder)?;
    Faces { uvs: &uvs, vertices_so_far: 0, uvs_so_far: 0, names: Names::default() }
        .read(bytes, &mut builder)?;
    builder.finish()
}

/// All positions go into the builder first, since a face may name a vertex that comes later.
fn read_vertices(bytes: &[u8], limits: &Limits, builder: &mut Builder) -> Result<Vec<[f64; 2]>> {
    let mut uvs = Vec::new();
    let mut statements = Statements::new(bytes);
    while let Some((line, location)) = statements.next() {
        let mut words = words(&line);
        match words.next() {
            Some(b"v") => {
                let position = numbers(&mut words, location, "a vertex needs 3 coordinates")?;
                builder.vertex(location, position)?;
            }
            Some(b"vt") => {
                let [u] = numbers(&mut words, location, "a texture coordinate needs a number")?;
                let v = words.next().map_or(Ok(0.0), |word| float(word, location))?;
                if uvs.len() >= limits.elements {
                    return Err(ImportError::limit(location, "too many texture coordinates"));
                }
                uvs.push([u, v]);
            }
            _ => {}
        }
    }
    Ok(uvs)
}

struct Faces<'a> {
    uvs: &'a [[f64; 2]],
    vertices_so_far: i64,
    uvs_so_far: i64,
    names: Names,
}

/// The names in force, as group numbers.
#[derive(Default)]
struct Names {
    groups: Vec<usize>,
    object: Option<usize>,
    material: Option<usize>,
}

impl Faces<'_> {
    fn read(mut self, bytes: &[u8], builder: &mut Builder) -> Result<()> {
        let mut ignored = BTreeSet::new();
        let mut corners = Vec::new();
        let mut statements = Statements::new(bytes);
        while let Some((line, location)) = statements.next() {
            let mut words = words(&line);
            let Some(keyword) = words.next() else {
                continue;
            };
            match keyword {
                b"v" => self.vertices_so_far += 1,
                b"vt" => self.uvs_so_far += 1,
                b"f" | b"fo" => {
                    self.corners(words, location, "face", builder, &mut corners)?;
                    builder.polygon(location, &corners)?;
                }
                b"l" => {
                    self.corners(words, location, "line", builder, &mut corners)?;
                    for pair in corners.windows(2) {
                        if let [a, b] = *pair {
                            builder.edge(location, [a, b])?;
                        }
                    }
                }
                b"g" | b"o" | b"usemtl" => self.enter(keyword, &line, location, builder)?,
                other => {
                    let known = PASSED_OVER.iter().any(|known| known.as_bytes() == other);
                    if !known && !other.starts_with(b"#") && ignored.len() < 8 {
                        ignored.insert(quote(other));
                    }
                }
            }
        }
        if !ignored.is_empty() {
            let list = Vec::from_iter(ignored).join(", ");
            builder.note(format!("statements that Hooke does not know were passed over: {list}"));
        }
        Ok(())
    }

    /// The vertices of a face or line; gives them their texture coordinates on the way.
    fn corners<'w>(
        &self,
        words: impl Iterator<Item = &'w [u8]>,
        location: FileLocation,
        element: &str,
        builder: &mut Builder,
        corners: &mut Vec<u32>,
    ) -> Result<()> {
        corners.clear();
        for word in words.take_while(|word| !word.starts_with(b"#")) {
            let mut parts = word.split(|&byte| byte == b'/');
            let named = integer(parts.next().unwrap_or_default(), location)?;
            let vertex =
                builder.corner(location, element, named, from_zero(named, self.vertices_so_far))?;
            corners.push(vertex);
            let Some(part) = parts.next().filter(|part| !part.is_empty()) else {
                continue;
            };
            let named = integer(part, location)?;
            let uv = from_zero(named, self.uvs_so_far)
                .and_then(|index| self.uvs.get(usize::try_from(index).ok()?))
                .ok_or_else(|| {
                    let have = self.uvs.len();
                    let message = format!(
                        "{element} refers to texture coordinate {named}, but the file has {have}"
                    );
                    ImportError::content(location, message)
                })?;
            builder.uv(location, vertex, *uv)?;
        }
        Ok(())
    }

    fn enter(
        &mut self,
        keyword: &[u8],
        line: &[u8],
        location: FileLocation,
        builder: &mut Builder,
    ) -> Result<()> {
        if keyword == b"g" {
            self.names.groups.clear();
            for word in words(line).skip(1) {
                self.names.groups.push(builder.group(location, text(word))?);
            }
        } else {
            let name = name_after(keyword, line);
            let group = if name.is_empty() { None } else { Some(builder.group(location, name)?) };
            match keyword {
                b"o" => self.names.object = group,
                _ => self.names.material = group,
            }
        }
        let mut groups = self.names.groups.clone();
        groups.extend(self.names.object.iter().chain(&self.names.material));
        builder.enter_groups(location, groups)
    }
}

/// Turns an index counted from 1, or backwards from `so_far`, into one counted from 0.
fn from_zero(named: i64, so_far: i64) -> Option<i64> {
    match named {
        0 => None,
        1.. => Some(named - 1),
        _ => so_far.checked_add(named),
    }
}

fn numbers<'w, const N: usize>(
    words: &mut impl Iterator<Item = &'w [u8]>,
    location: FileLocation,
    missing: &str,
) -> Result<[f64; N]> {
    let mut values = [0.0; N];
    for value in &mut values {
        let word = words.next().ok_or_else(|| ImportError::content(location, missing))?;
        *value = float(word, location)?;
    }
    Ok(values)
}

/// Lines, with those that end in a backslash joined to the next.
struct Statements<'a>(Reader<'a>);

impl<'a> Statements<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self(Reader::new(bytes, Encoding::Text))
    }

    fn next(&mut self) -> Option<(Cow<'a, [u8]>, FileLocation)> {
        let line = self.0.line()?;
        let location = self.0.location();
        let Some(start) = line.strip_suffix(b"\\") else {
            return Some((Cow::Borrowed(line), location));
        };
        let mut joined = start.to_vec();
        while let Some(line) = self.0.line() {
            joined.push(b' ');
            match line.strip_suffix(b"\\") {
                Some(more) => joined.extend_from_slice(more),
                None => {
                    joined.extend_from_slice(line);
                    break;
                }
            }
        }
        Some((Cow::Owned(joined), location))
    }
}
