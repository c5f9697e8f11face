//! Gmsh `.msh`, the usual source of tetrahedral meshes: versions 2.x (text) and 4.1 (text, binary).
//!
//! Sections between `$Name` and `$EndName`; nodes carry arbitrary tags, elements a type number.
//! Physical groups hang on the element (2.x) or on the geometric entity it belongs to (4.1)
//! (*Gmsh Reference Manual*, "MSH file format"). Points, lines, triangles, quads and tetrahedra
//! are read; second-order ones by their corners.

use std::collections::HashMap;

use super::builder::Builder;
use super::error::{FileLocation, ImportError, Result, quote};
use super::reader::{Encoding, Reader, Scalar, text, unmarked, words};
use super::{Limits, Mesh};

/// More physical groups than this on one entity are an error.
const MAX_PHYSICALS: i64 = 32;
/// More named groups, or entities in groups, than this are an error.
const MAX_TABLE: usize = 1_000_000;

/// Reads a `.msh` file, text or binary, from its bytes.
pub fn parse(bytes: &[u8], limits: &Limits) -> std::result::Result<Mesh, ImportError> {
    let mut parser = Parser {
        reader: Reader::new(unmarked(bytes)?, Encoding::Text),
        builder: Builder::new(limits),
        version: None,
        nodes: Nodes::default(),
        physicals: HashMap::new(),
        names: HashMap::new(),
        groups: HashMap::new(),
        second_order: false,
    };
    while let Some(line) = parser.reader.filled_line() {
        let section = line
            .strip_prefix(b"$")
            .ok_or_else(|| parser.reader.error(format!("{} is not a section", quote(line))))?;
        parser.section(section)?;
    }
    if parser.second_order {
        parser.builder.note("second-order elements were read by their corners");
    }
    parser.builder.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    Four,
}

struct Parser<'a, 'l> {
    reader: Reader<'a>,
    builder: Builder<'l>,
    version: Option<Version>,
    nodes: Nodes,
    /// Physical tags of each entity, by dimension and tag.
    physicals: HashMap<(i64, i64), Vec<i64>>,
    /// Names of physical groups, by dimension and tag.
    names: HashMap<(i64, i64), String>,
    /// The groups made so far, by dimension and tag.
    groups: HashMap<(i64, i64), usize>,
    second_order: bool,
}

/// The vertex of each node tag, sorted by tag.
#[derive(Default)]
struct Nodes(Vec<(i64, u32)>);

impl Nodes {
    fn vertex(&self, tag: i64) -> Option<u32> {
        let found = self.0.binary_search_by_key(&tag, |&(tag, _)| tag).ok()?;
        self.0.get(found).map(|&(_, vertex)| vertex)
    }

    /// Sorts; returns a tag that occurs twice, if there is one.
    fn sort(&mut self) -> Option<i64> {
        self.0.sort_unstable();
        self.0.windows(2).find_map(|pair| match *pair {
            [(a, _), (b, _)] if a == b => Some(a),
            _ => None,
        })
    }
}

/// What the first line of a section of version 4.1 declares.
struct Totals {
    blocks: i64,
    /// How many nodes or elements there are in all.
    count: i64,
    /// The least and the greatest tag.
    range: [i64; 2],
    location: FileLocation,
}

/// What a section holds.
struct Read {
    count: i64,
    range: Option<[i64; 2]>,
}

/// The least and the greatest of some numbers.
fn range(numbers: impl Iterator<Item = i64>) -> Option<[i64; 2]> {
    numbers.fold(None, |range, n| match range {
        None => Some([n; 2]),
        Some([low, high]) => Some([low.min(n), high.max(n)]),
    })
}

/// The elements Hooke can use.
#[derive(Clone, Copy)]
enum Shape {
    Vec3,
    Line,
    Triangle,
    Quad,
    Tet,
}

impl Shape {
    /// The shape, its number of nodes in the file, and whether it is of second order.
    fn of(number: i64) -> Option<(Self, usize, bool)> {
        Some(match number {
            15 => (Self::Vec3, 1, false),
            1 => (Self::Line, 2, false),
            2 => (Self::Triangle, 3, false),
            3 => (Self::Quad, 4, false),
            4 => (Self::Tet, 4, false),
            8 => (Self::Line, 3, true),
            9 => (Self::Triangle, 6, true),
            10 => (Self::Quad, 9, true),
            11 => (Self::Tet, 10, true),
            16 => (Self::Quad, 8, true),
            _ => return None,
        })
    }

    fn dimension(self) -> i64 {
        match self {
            Self::Vec3 => 0,
            Self::Line => 1,
            Self::Triangle | Self::Quad => 2,
            Self::Tet => 3,
        }
    }
}

impl Parser<'_, '_> {
    fn section(&mut self, name: &[u8]) -> Result<()> {
        match (name, self.version) {
            (b"MeshFormat", _) => self.format()?,
            (b"PhysicalNames", _) => self.physical_names()?,
            (b"Nodes" | b"Elements" | b"Entities", None) => {
                return Err(self.reader.error("the file does not start with `$MeshFormat`"));
            }
            // Each is sorted in when it ends, which many of them would make slow.
            (b"Nodes", _) if !self.nodes.0.is_empty() => {
                return Err(self.reader.error("a second section `$Nodes`; a file has one"));
            }
            (b"Entities", _) => self.entities()?,
            (b"Nodes", Some(Version::Two)) => self.nodes_2()?,
            (b"Nodes", Some(Version::Four)) => self.nodes_4()?,
            (b"Elements", Some(Version::Two)) => self.elements_2()?,
            (b"Elements", Some(Version::Four)) => self.elements_4()?,
            _ => return self.skip(name),
        }
        let end = self.reader.filled_line();
        let expected = [b"$End", name].concat();
        if end != Some(expected.as_slice()) {
            return Err(self.reader.error(format!("{} was expected here", quote(&expected))));
        }
        Ok(())
    }

    /// Passes over a section that plays no part, whatever it holds.
    fn skip(&mut self, name: &[u8]) -> Result<()> {
        let end = [b"$End", name].concat();
        while let Some(line) = self.reader.line() {
            if line == end {
                return Ok(());
            }
        }
        Err(self.reader.error(format!("the file ends before {}", quote(&end))))
    }

    fn format(&mut self) -> Result<()> {
        let line = self.reader.filled_line().unwrap_or_default();
        let words: Vec<&[u8]> = words(line).take(4).collect();
        let advice = "save it from Gmsh as version 4.1, or 2.2 text";
        let (version, kind, size) = match *words.as_slice() {
            [version, kind, size] => (version, kind, size),
            _ => {
                return Err(self
                    .reader
                    .error("a version, a file type and a data size belong here"));
            }
        };
        self.version = match (version, kind) {
            (b"2" | b"2.0" | b"2.1" | b"2.2", b"0") => Some(Version::Two),
            (b"4.1", b"0" | b"1") => Some(Version::Four),
            _ => {
                let kind = if kind == b"1" { "binary" } else { "text" };
                let version = quote(version);
                let message = format!("{kind} files of version {version} cannot be read; {advice}");
                return Err(self.reader.error(message));
            }
        };
        if kind == b"0" {
            return Ok(());
        }
        if size != b"8" {
            return Err(self.reader.error(format!("the data size is not 8; {advice}")));
        }
        self.reader.encoding = Encoding::Little;
        match self.reader.take(4)? {
            [1, 0, 0, 0] => Ok(()),
            [0, 0, 0, 1] => {
                self.reader.encoding = Encoding::Big;
                Ok(())
            }
            _ => Err(self.reader.error("the number 1 that tells the byte order is missing")),
        }
    }

    /// Names are text in binary files too.
    fn physical_names(&mut self) -> Result<()> {
        let encoding = std::mem::replace(&mut self.reader.encoding, Encoding::Text);
        let declared = self.count()?;
        self.reader.line();
        for _ in 0..declared {
            let line = self.reader.filled_line().unwrap_or_default();
            let mut numbers = Reader::new(line, Encoding::Text);
            let mut number = || numbers.integer(Scalar::I32);
            let key = (number(), number());
            let name = numbers.rest().trim_ascii();
            let name = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
            let ((Ok(dimension), Ok(tag)), Some(name)) = (key, name) else {
                return Err(self
                    .reader
                    .error("a dimension, a tag and a name in quotes belong here"));
            };
            self.names.insert((dimension, tag), text(name));
            self.check_table(self.names.len())?;
        }
        self.reader.encoding = encoding;
        Ok(())
    }

    fn entities(&mut self) -> Result<()> {
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = self.count()?;
        }
        for (dimension, count) in (0..).zip(counts) {
            for _ in 0..count {
                let tag = self.reader.integer(Scalar::I32)?;
                for _ in 0..if dimension == 0 { 3 } else { 6 } {
                    self.reader.float(Scalar::F64)?;
                }
                let number = self.count()?;
                if number > MAX_PHYSICALS {
                    let message = format!("an entity is in more than {MAX_PHYSICALS} groups");
                    return Err(ImportError::limit(self.reader.location(), message));
                }
                let mut physicals = Vec::new();
                for _ in 0..number {
                    physicals.push(self.reader.integer(Scalar::I32)?.saturating_abs());
                }
                if !physicals.is_empty() {
                    self.physicals.insert((dimension, tag), physicals);
                    self.check_table(self.physicals.len())?;
                }
                if dimension > 0 {
                    for _ in 0..self.count()? {
                        self.reader.integer(Scalar::I32)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A number of things, which come next.
    fn count(&mut self) -> Result<i64> {
        self.whole(Scalar::U64)
    }

    fn whole(&mut self, scalar: Scalar) -> Result<i64> {
        match self.reader.integer(scalar)? {
            count @ 0.. => Ok(count),
            count => Err(self.reader.error(format!("{count} is not a count"))),
        }
    }

    fn check_table(&self, entries: usize) -> Result<()> {
        if entries > MAX_TABLE {
            let message = format!("more than {MAX_TABLE} entities or names of groups");
            return Err(ImportError::limit(self.reader.location(), message));
        }
        Ok(())
    }

    fn nodes_2(&mut self) -> Result<()> {
        for _ in 0..self.count()? {
            let tag = self.reader.integer(Scalar::I32)?;
            self.node(tag)?;
        }
        self.sort_nodes()
    }

    fn nodes_4(&mut self) -> Result<()> {
        let totals = self.totals()?;
        let mut tags = Vec::new();
        for _ in 0..totals.blocks {
            let dimension = self.reader.integer(Scalar::I32)?;
            self.reader.integer(Scalar::I32)?;
            let parametric = self.reader.integer(Scalar::I32)? != 0;
            tags.clear();
            for _ in 0..self.count()? {
                tags.push(self.reader.integer(Scalar::U64)?);
            }
            for &tag in &tags {
                self.node(tag)?;
                for _ in 0..if parametric { dimension.clamp(0, 3) } else { 0 } {
                    self.reader.float(Scalar::F64)?;
                }
            }
        }
        let tags = self.nodes.0.iter().map(|&(tag, _)| tag);
        let read = Read { count: self.nodes.0.len() as i64, range: range(tags) };
        self.check_totals(&totals, &read, "nodes")?;
        self.sort_nodes()
    }

    /// The first line of the nodes or elements of version 4.1.
    fn totals(&mut self) -> Result<Totals> {
        let (blocks, count) = (self.count()?, self.count()?);
        let range = [self.count()?, self.count()?];
        Ok(Totals { blocks, count, range, location: self.reader.location() })
    }

    /// Compares what a section declares with what it holds. A wrong number of things is a file that
    /// was cut or glued; a wrong range of tags misleads nobody here.
    fn check_totals(&mut self, declared: &Totals, read: &Read, what: &str) -> Result<()> {
        let (count, found) = (declared.count, read.count);
        if count != found {
            let message = format!("{count} {what} are declared, but there are {found}");
            return Err(ImportError::content(declared.location, message));
        }
        if let Some([low, high]) = read.range.filter(|range| *range != declared.range) {
            let [from, to] = declared.range;
            self.builder.note(format!(
                "the tags of {what} go from {low} to {high}, not from {from} to {to} as is declared"
            ));
        }
        Ok(())
    }

    /// The coordinates of a node whose tag is known.
    fn node(&mut self, tag: i64) -> Result<()> {
        let mut position = [0.0; 3];
        for coordinate in &mut position {
            *coordinate = self.reader.float(Scalar::F64)?;
        }
        let vertex = self.builder.vertex(self.reader.location(), position)?;
        self.nodes.0.push((tag, vertex));
        Ok(())
    }

    fn sort_nodes(&mut self) -> Result<()> {
        match self.nodes.sort() {
            Some(tag) => Err(self.reader.error(format!("two nodes have the tag {tag}"))),
            None => Ok(()),
        }
    }

    fn elements_2(&mut self) -> Result<()> {
        let mut entered = None;
        for _ in 0..self.count()? {
            self.reader.integer(Scalar::I32)?;
            let number = self.reader.integer(Scalar::I32)?;
            let shape = self.shape(number)?;
            let mut physical = 0;
            for tag in 0..self.whole(Scalar::I32)? {
                let value = self.reader.integer(Scalar::I32)?;
                if tag == 0 {
                    physical = value;
                }
            }
            let key = (shape.0.dimension(), physical);
            if entered != Some(key) {
                let physicals = if physical == 0 { Vec::new() } else { vec![physical] };
                self.enter(key.0, &physicals)?;
                entered = Some(key);
            }
            self.element(shape)?;
        }
        Ok(())
    }

    fn elements_4(&mut self) -> Result<()> {
        let totals = self.totals()?;
        let mut read = Read { count: 0, range: None };
        for _ in 0..totals.blocks {
            let dimension = self.reader.integer(Scalar::I32)?;
            let entity = self.reader.integer(Scalar::I32)?;
            let number = self.reader.integer(Scalar::I32)?;
            let shape = self.shape(number)?;
            let physicals = self.physicals.get(&(dimension, entity)).cloned().unwrap_or_default();
            self.enter(dimension, &physicals)?;
            for _ in 0..self.count()? {
                let tag = self.reader.integer(Scalar::U64)?;
                read.count += 1;
                let [low, high] = read.range.unwrap_or([tag; 2]);
                read.range = Some([low.min(tag), high.max(tag)]);
                self.element(shape)?;
            }
        }
        self.check_totals(&totals, &read, "elements")
    }

    fn shape(&mut self, number: i64) -> Result<(Shape, usize)> {
        let (shape, nodes, second_order) = Shape::of(number).ok_or_else(|| {
            let advice = "mesh with triangles and tetrahedra of order 1";
            self.reader.error(format!("elements of type {number} cannot be used; {advice}"))
        })?;
        self.second_order |= second_order;
        Ok((shape, nodes))
    }

    fn enter(&mut self, dimension: i64, physicals: &[i64]) -> Result<()> {
        let location = self.reader.location();
        let mut groups = Vec::new();
        for &tag in physicals {
            let key = (dimension, tag);
            let group = match self.groups.get(&key) {
                Some(group) => *group,
                None => {
                    let name = self.names.get(&key).cloned();
                    let name = name.unwrap_or_else(|| format!("physical-{dimension}-{tag}"));
                    let group = self.builder.group(location, name)?;
                    self.groups.insert(key, group);
                    group
                }
            };
            groups.push(group);
        }
        self.builder.enter_groups(location, groups)
    }

    fn element(&mut self, (shape, nodes): (Shape, usize)) -> Result<()> {
        const LARGEST: usize = 10;
        let mut corners = [0; LARGEST];
        for corner in corners.iter_mut().take(nodes) {
            let tag = self.reader.integer(Scalar::U64)?;
            *corner = self.nodes.vertex(tag).ok_or_else(|| {
                self.reader.error(format!("an element refers to node {tag}, which the file lacks"))
            })?;
        }
        let location = self.reader.location();
        let [a, b, c, d, ..] = corners;
        match shape {
            Shape::Vec3 => self.builder.add_to_groups(location, &[a]),
            Shape::Line => self.builder.edge(location, [a, b]),
            Shape::Triangle => self.builder.triangle(location, [a, b, c]),
            Shape::Quad => self.builder.polygon(location, &[a, b, c, d]),
            Shape::Tet => self.builder.tet(location, [a, b, c, d]),
        }
    }
}
