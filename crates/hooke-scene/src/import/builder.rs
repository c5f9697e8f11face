//! What all importers share: a mesh under construction that enforces the limits.
//!
//! Every vertex and element of every format passes through here, so that finiteness, limits,
//! index ranges, polygon splitting, vertex groups and the notes on what was changed are decided
//! in one place.

use std::collections::HashMap;

use super::error::{FileLocation, ImportError, Result, count};
use super::{Limits, Mesh};

/// Groups beyond this number are an error: names would outweigh the mesh.
const MAX_GROUPS: usize = 65_536;
/// Groups that one element may belong to at once.
const MAX_GROUPS_PER_ELEMENT: usize = 32;
/// Group lists up to this length are not worth compacting.
const SHORT_LIST: usize = 1024;

pub(super) struct Builder<'l> {
    limits: &'l Limits,
    mesh: Mesh,
    elements: usize,
    groups: Groups,
    uvs: Uvs,
    quads: u64,
    polygons: u64,
    /// Elements with a corner that occurs twice, and where the first is.
    collapsed: u64,
    first_collapsed: FileLocation,
}

impl<'l> Builder<'l> {
    pub(super) fn new(limits: &'l Limits) -> Self {
        Self {
            limits,
            mesh: Mesh::default(),
            elements: 0,
            groups: Groups::default(),
            uvs: Uvs::default(),
            quads: 0,
            polygons: 0,
            collapsed: 0,
            first_collapsed: FileLocation::File,
        }
    }

    pub(super) fn vertices(&self) -> usize {
        self.mesh.positions.len()
    }

    /// Says once what was changed.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.mesh.notes.contains(&note) {
            self.mesh.notes.push(note);
        }
    }

    pub(super) fn vertex(&mut self, location: FileLocation, position: [f64; 3]) -> Result<u32> {
        for (axis, coordinate) in ["x", "y", "z"].into_iter().zip(position) {
            if !coordinate.is_finite() {
                return Err(ImportError::content(
                    location,
                    format!(
                        "the {axis} coordinate of vertex {} is not finite ({coordinate})",
                        self.vertices() + 1
                    ),
                ));
            }
        }
        let index = u32::try_from(self.vertices())
            .ok()
            .filter(|&index| (index as usize) < self.limits.vertices)
            .ok_or_else(|| too_many_vertices(location, self.limits))?;
        self.mesh.positions.push(position);
        Ok(index)
    }

    /// A vertex index written in a file, checked against the vertices read so far. `named` is
    /// the number as the file has it, `index` the same counted from 0.
    pub(super) fn corner(
        &self,
        location: FileLocation,
        element: &str,
        named: i64,
        index: Option<i64>,
    ) -> Result<u32> {
        index
            .and_then(|index| u32::try_from(index).ok())
            .filter(|&index| (index as usize) < self.vertices())
            .ok_or_else(|| {
                let have = count(self.vertices() as u64, "vertex", "vertices");
                ImportError::content(
                    location,
                    format!("{element} refers to vertex {named}, but the file has {have}"),
                )
            })
    }

    pub(super) fn edge(&mut self, location: FileLocation, corners: [u32; 2]) -> Result<()> {
        if self.element(location, &corners)? {
            self.mesh.edges.push(corners);
        }
        Ok(())
    }

    pub(super) fn triangle(&mut self, location: FileLocation, corners: [u32; 3]) -> Result<()> {
        if self.element(location, &corners)? {
            self.mesh.triangles.push(corners);
        }
        Ok(())
    }

    pub(super) fn tet(&mut self, location: FileLocation, corners: [u32; 4]) -> Result<()> {
        if self.element(location, &corners)? {
            self.mesh.tets.push(corners);
        }
        Ok(())
    }

    /// A face of any number of corners: quads are split along the shorter diagonal, larger
    /// polygons as a fan around their first corner.
    pub(super) fn polygon(&mut self, location: FileLocation, corners: &[u32]) -> Result<()> {
        match *corners {
            [a, b, c] => self.triangle(location, [a, b, c]),
            [a, b, c, d] => {
                self.quads += 1;
                if self.distance(b, d) < self.distance(a, c) {
                    self.triangle(location, [a, b, d])?;
                    self.triangle(location, [b, c, d])
                } else {
                    self.triangle(location, [a, b, c])?;
                    self.triangle(location, [a, c, d])
                }
            }
            [first, ref others @ ..] if others.len() > 3 => {
                self.polygons += 1;
                others.windows(2).try_for_each(|pair| match *pair {
                    [b, c] => self.triangle(location, [first, b, c]),
                    _ => Ok(()),
                })
            }
            _ => {
                let have = count(corners.len() as u64, "vertex", "vertices");
                Err(ImportError::content(
                    location,
                    format!("a face needs 3 vertices, this has {have}"),
                ))
            }
        }
    }

    /// The group of that name, made on first use.
    pub(super) fn group(&mut self, location: FileLocation, name: String) -> Result<usize> {
        self.groups.index(location, name)
    }

    /// The groups that all elements from here on belong to.
    pub(super) fn enter_groups(
        &mut self,
        location: FileLocation,
        mut groups: Vec<usize>,
    ) -> Result<()> {
        groups.sort_unstable();
        groups.dedup();
        if groups.len() > MAX_GROUPS_PER_ELEMENT {
            return Err(ImportError::limit(
                location,
                format!("an element is in more than {MAX_GROUPS_PER_ELEMENT} groups at once"),
            ));
        }
        self.groups.current = groups;
        Ok(())
    }

    /// Puts vertices into the current groups without making an element.
    pub(super) fn add_to_groups(&mut self, location: FileLocation, vertices: &[u32]) -> Result<()> {
        self.groups.add(location, vertices, self.limits)
    }

    /// The texture coordinate of a vertex, origin at the lower left. The first one is kept.
    pub(super) fn uv(&mut self, location: FileLocation, vertex: u32, uv: [f64; 2]) -> Result<()> {
        if !uv.iter().all(|value| value.is_finite()) {
            return Err(ImportError::content(location, "a texture coordinate is not finite"));
        }
        self.uvs.set(vertex, uv);
        Ok(())
    }

    /// Completes the mesh: drops empty groups and writes the notes.
    pub(super) fn finish(mut self) -> Result<Mesh> {
        if self.mesh.positions.is_empty() {
            return Err(ImportError::content(FileLocation::File, "the file has no vertices"));
        }
        let split = [
            (self.quads, "quad was", "quads were", "split along the shorter diagonal"),
            (self.polygons, "polygon was", "polygons were", "split into a fan of triangles"),
            (
                self.uvs.seams(),
                "vertex lies",
                "vertices lie",
                "on a texture seam: the first texture coordinate was kept",
            ),
        ];
        for (number, one, many, what) in split {
            if number > 0 {
                self.note(format!("{} {what}", count(number, one, many)));
            }
        }
        if self.collapsed > 0 {
            let dropped = count(self.collapsed, "element was", "elements were");
            let first = if self.collapsed > 1 { "the first on " } else { "" };
            let at = match self.first_collapsed {
                FileLocation::File => String::new(),
                FileLocation::Line(line) => format!(" ({first}line {line})"),
                FileLocation::Byte(byte) => format!(" ({first}byte {byte})"),
            };
            self.note(format!("{dropped} dropped: a corner occurs twice{at}"));
        }
        let unused = self.unused();
        match unused[..] {
            [] => {}
            [vertex] => self.note(format!("vertex {vertex} is used by no element and kept")),
            [first, ..] => self.note(format!(
                "{} vertices are used by no element and kept; the first is vertex {first}",
                unused.len()
            )),
        }
        self.mesh.uvs = self.uvs.finish(self.mesh.positions.len());
        self.mesh.groups = self.groups.finish();
        Ok(self.mesh)
    }

    /// Counts an element; false when two of its corners are the same vertex.
    fn element(&mut self, location: FileLocation, corners: &[u32]) -> Result<bool> {
        if self.elements >= self.limits.elements {
            return Err(too_many_elements(location, self.limits));
        }
        self.elements += 1;
        let repeated = (1..corners.len())
            .any(|i| corners.iter().zip(corners.iter().skip(i)).any(|(a, b)| a == b));
        if repeated {
            if self.collapsed == 0 {
                self.first_collapsed = location;
            }
            self.collapsed += 1;
            return Ok(false);
        }
        self.groups.add(location, corners, self.limits)?;
        Ok(true)
    }

    /// The vertices that no element uses.
    fn unused(&self) -> Vec<usize> {
        let mut used = vec![false; self.mesh.positions.len()];
        let corners = (self.mesh.triangles.as_flattened().iter())
            .chain(self.mesh.tets.as_flattened())
            .chain(self.mesh.edges.as_flattened());
        for &corner in corners {
            if let Some(used) = used.get_mut(corner as usize) {
                *used = true;
            }
        }
        (0..used.len()).filter(|&vertex| !used[vertex]).collect()
    }

    fn distance(&self, a: u32, b: u32) -> f64 {
        match (self.mesh.positions.get(a as usize), self.mesh.positions.get(b as usize)) {
            (Some(a), Some(b)) => a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum(),
            _ => 0.0,
        }
    }
}

pub(super) fn too_many_vertices(location: FileLocation, limits: &Limits) -> ImportError {
    let limit = count(limits.vertices as u64, "vertex", "vertices");
    ImportError::limit(location, format!("more than {limit}; simplify the mesh or raise the limit"))
}

pub(super) fn too_many_elements(location: FileLocation, limits: &Limits) -> ImportError {
    let limit = count(limits.elements as u64, "element", "elements");
    ImportError::limit(location, format!("more than {limit}; simplify the mesh or raise the limit"))
}

/// Vertices with exactly equal coordinates become one.
#[derive(Default)]
pub(super) struct Welder {
    known: HashMap<[u64; 3], u32>,
    pub(super) welded: u64,
}

impl Welder {
    pub(super) fn find(&mut self, position: [f64; 3]) -> Option<u32> {
        let found = self.known.get(&Self::key(position)).copied();
        self.welded += u64::from(found.is_some());
        found
    }

    pub(super) fn remember(&mut self, position: [f64; 3], vertex: u32) {
        self.known.insert(Self::key(position), vertex);
    }

    pub(super) fn note(welded: u64, builder: &mut Builder) {
        if welded > 0 {
            let merged = count(welded, "duplicate vertex was", "duplicate vertices were");
            builder.note(format!("{merged} welded (exactly equal positions)"));
        }
    }

    /// Adding zero makes −0 and 0 the same bits.
    fn key(position: [f64; 3]) -> [u64; 3] {
        position.map(|coordinate| (coordinate + 0.0).to_bits())
    }
}

#[derive(Default)]
struct Groups {
    indices: HashMap<String, usize>,
    lists: Vec<(String, Vec<u32>)>,
    /// Length at which a list is next sorted and freed of duplicates.
    compact_at: Vec<usize>,
    current: Vec<usize>,
    /// Entries of all lists together.
    entries: usize,
}

impl Groups {
    fn index(&mut self, location: FileLocation, name: String) -> Result<usize> {
        if let Some(&index) = self.indices.get(&name) {
            return Ok(index);
        }
        let index = self.lists.len();
        if index >= MAX_GROUPS {
            return Err(ImportError::limit(location, format!("more than {MAX_GROUPS} groups")));
        }
        self.indices.insert(name.clone(), index);
        self.lists.push((name, Vec::new()));
        self.compact_at.push(SHORT_LIST);
        Ok(index)
    }

    fn add(&mut self, location: FileLocation, vertices: &[u32], limits: &Limits) -> Result<()> {
        for &group in &self.current {
            let (Some((_, list)), Some(compact_at)) =
                (self.lists.get_mut(group), self.compact_at.get_mut(group))
            else {
                continue;
            };
            list.extend_from_slice(vertices);
            self.entries += vertices.len();
            if list.len() >= *compact_at {
                self.entries -= compact(list);
                *compact_at = (2 * list.len()).max(SHORT_LIST);
            }
            // Uncompacted lists are at most twice as long as compacted ones, or short.
            let bound = limits.elements.saturating_add(SHORT_LIST * MAX_GROUPS).saturating_mul(2);
            if self.entries > bound {
                let message = "the groups hold too many vertices; use fewer groups";
                return Err(ImportError::limit(location, message));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Vec<(String, Vec<u32>)> {
        for (_, list) in &mut self.lists {
            compact(list);
            list.shrink_to_fit();
        }
        self.lists.retain(|(_, list)| !list.is_empty());
        self.lists
    }
}

/// Sorts and removes duplicates; returns how many were removed.
fn compact(list: &mut Vec<u32>) -> usize {
    let before = list.len();
    list.sort_unstable();
    list.dedup();
    before - list.len()
}

#[derive(Clone, Copy, PartialEq)]
enum Uv {
    Unset,
    Set([f64; 2]),
    /// Different faces gave different coordinates.
    Seam([f64; 2]),
}

#[derive(Default)]
struct Uvs(Vec<Uv>);

impl Uvs {
    fn set(&mut self, vertex: u32, uv: [f64; 2]) {
        let vertex = vertex as usize;
        if vertex >= self.0.len() {
            self.0.resize(vertex + 1, Uv::Unset);
        }
        if let Some(slot) = self.0.get_mut(vertex) {
            match *slot {
                Uv::Unset => *slot = Uv::Set(uv),
                Uv::Set(first) if first != uv => *slot = Uv::Seam(first),
                Uv::Set(_) | Uv::Seam(_) => {}
            }
        }
    }

    fn seams(&self) -> u64 {
        self.0.iter().filter(|uv| matches!(uv, Uv::Seam(_))).count() as u64
    }

    fn finish(mut self, vertices: usize) -> Option<Vec<[f64; 2]>> {
        if self.0.is_empty() {
            return None;
        }
        self.0.resize(vertices, Uv::Unset);
        let value = |uv| match uv {
            Uv::Unset => [0.0; 2],
            Uv::Set(uv) | Uv::Seam(uv) => uv,
        };
        Some(self.0.into_iter().map(value).collect())
    }
}
