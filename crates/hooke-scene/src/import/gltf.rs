//! glTF 2.0 (`.gltf`, `.glb`), the exchange format of real-time graphics, in meters and y up.
//!
//! A JSON document describes a tree of nodes with meshes; the numbers lie in binary buffers that
//! accessors cut into typed arrays (Khronos, *glTF 2.0 Specification*, ISO/IEC 12113). The meshes
//! of the default scene are read with the transforms of their nodes. Vertices of one node with
//! exactly equal positions are welded: glTF doubles vertices along texture and normal seams, and
//! a cloth must not fall apart there. Animation and materials are passed over; [`skin`] reads skeletons.

mod accessor;
mod buffers;
mod document;
pub mod skin;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use accessor::Accessors;
use document::{Document, Node, Primitive};

use super::builder::{Builder, Welder, too_many_elements, too_many_vertices};
use super::error::{FileLocation, ImportError, Result, quote};
use super::reader::text;
use super::{Limits, Mesh, load};

/// Extensions that change nothing Hooke reads, by the start of their names.
const HARMLESS_EXTENSIONS: [&str; 6] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "KHR_lights_",
    "KHR_animation_",
];

/// Loads a file by its plain name, of at most the given number of bytes.
pub type Fetch<'f> = dyn FnMut(&str, u64) -> std::result::Result<Vec<u8>, ImportError> + 'f;

/// Reads a file with the buffers beside it.
pub(super) fn read(path: &Path, limits: &Limits) -> Result<Mesh> {
    let bytes = load(path, limits.bytes)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    parse(&bytes, limits, &mut |name, limit| load(&folder.join(name), limit))
        .map_err(|error| error.in_file(path))
}

/// The buffers that a file names beside it.
pub(super) fn companions(path: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = load(path, Limits::default().bytes) else { return Vec::new() };
    let Ok((json, _)) = buffers::split_container(&bytes) else { return Vec::new() };
    let Ok(document) = Document::parse(json) else { return Vec::new() };
    let folder = path.parent().unwrap_or(Path::new(""));
    let uris = document.buffers.iter().filter_map(|buffer| buffer.uri.as_deref());
    uris.filter(|uri| !uri.starts_with("data:"))
        .filter_map(buffers::plain_file_name)
        .map(|name| folder.join(name))
        .collect()
}

/// Reads a `.gltf` or `.glb` file from its bytes.
///
/// `fetch` is asked for external buffers; the names it is given cannot lead out of a folder.
pub fn parse(
    bytes: &[u8],
    limits: &Limits,
    fetch: &mut Fetch,
) -> std::result::Result<Mesh, ImportError> {
    let (json, chunk) = buffers::split_container(bytes)?;
    let document =
        Document::parse(json).map_err(|error| buffers::place_in_container(error, bytes, json))?;
    let needed = document.extensions_required.iter();
    for extension in needed {
        if !HARMLESS_EXTENSIONS.iter().any(|known| extension.starts_with(known)) {
            let extension = quote(extension.as_bytes());
            return Err(wrong(format!("needs the extension {extension}; save it without")));
        }
    }
    let budget = limits.bytes.saturating_sub(bytes.len() as u64);
    let buffers = buffers::load_all(&document.buffers, chunk, budget, fetch)?;
    let mut scene = Scene {
        document: &document,
        accessors: Accessors { document: &document, buffers: &buffers },
        limits,
        builder: Builder::new(limits),
        vertices_read: 0,
        uvs_read: 0,
        elements_read: 0,
        welded: 0,
        visited: vec![false; document.nodes.len()],
    };
    scene.walk()?;
    Welder::note(scene.welded, &mut scene.builder);
    scene.builder.finish()
}

fn wrong(message: impl Into<String>) -> ImportError {
    ImportError::content(FileLocation::File, message)
}

struct Scene<'a, 'l> {
    document: &'a Document<'a>,
    accessors: Accessors<'a>,
    limits: &'l Limits,
    builder: Builder<'l>,
    /// Vertices before welding, which bounds the work that coincident vertices can cause.
    vertices_read: usize,
    uvs_read: usize,
    elements_read: usize,
    welded: u64,
    visited: Vec<bool>,
}

/// A column-major 4×4 matrix without its last row.
type Transform = [[f64; 3]; 4];

const IDENTITY: Transform = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]];

impl<'a> Scene<'a, '_> {
    fn walk(&mut self) -> Result<()> {
        let mut stack: Vec<(usize, Transform)> =
            self.roots()?.into_iter().rev().map(|node| (node, IDENTITY)).collect();
        while let Some((index, parent)) = stack.pop() {
            let document = self.document;
            let node = document.nodes.get(index).ok_or_else(|| {
                wrong(format!("refers to node {index}, but has {} nodes", document.nodes.len()))
            })?;
            match self.visited.get_mut(index) {
                Some(visited) if !*visited => *visited = true,
                _ => {
                    return Err(wrong(format!(
                        "node {index} is its own ancestor or has two parents; nodes must form a tree"
                    )));
                }
            }
            let transform = compose(&parent, &local_transform(node));
            if let Some(mesh) = node.mesh {
                self.mesh(node, mesh, &transform)?;
            }
            stack.extend(node.children.iter().rev().map(|&child| (child, transform)));
        }
        Ok(())
    }

    /// The nodes of the default scene, else of the first, else those without parents.
    fn roots(&mut self) -> Result<Vec<usize>> {
        let scenes = &self.document.scenes;
        if let Some(scene) = scenes.get(self.document.scene.unwrap_or(0)) {
            return Ok(scene.nodes.clone());
        }
        if let Some(scene) = self.document.scene {
            return Err(wrong(format!(
                "the default scene is {scene}, but there are {}",
                scenes.len()
            )));
        }
        self.builder.note("the file has no scene: all nodes were read");
        let mut is_root = vec![true; self.document.nodes.len()];
        for &child in self.document.nodes.iter().flat_map(|node| &node.children) {
            if let Some(is_root) = is_root.get_mut(child) {
                *is_root = false;
            }
        }
        Ok((0..is_root.len()).filter(|&node| is_root.get(node) == Some(&true)).collect())
    }

    fn mesh(&mut self, node: &Node, index: usize, transform: &Transform) -> Result<()> {
        let meshes = &self.document.meshes;
        let mesh = meshes.get(index).ok_or_else(|| {
            wrong(format!("a node refers to mesh {index}, but there are {}", meshes.len()))
        })?;
        let mut groups = Vec::new();
        for name in [&node.name, &mesh.name].into_iter().flatten().filter(|name| !name.is_empty()) {
            groups.push(self.builder.group(FileLocation::File, text(name.as_bytes()))?);
        }
        self.builder.enter_groups(FileLocation::File, groups)?;
        if node.skin.is_some() {
            self.builder.note("a skin was passed over: its mesh is in its rest pose");
        }
        let mut instance = Instance {
            transform,
            welder: Welder::default(),
            vertices: HashMap::new(),
            textured: HashSet::new(),
        };
        for primitive in &mesh.primitives {
            self.primitive(primitive, &mut instance).map_err(|error| ImportError {
                message: format!("mesh {index}: {}", error.message),
                ..error
            })?;
        }
        self.welded += instance.welder.welded;
        Ok(())
    }

    fn primitive(&mut self, primitive: &Primitive, instance: &mut Instance) -> Result<()> {
        let Some(positions) = primitive.attributes.position else {
            return Err(wrong("a primitive has no positions"));
        };
        if primitive.extensions.draco.is_some() {
            return Err(wrong("the mesh is compressed; save it without compression"));
        }
        if !instance.vertices.contains_key(&positions) {
            let vertices = self.vertices(positions, instance)?;
            instance.vertices.insert(positions, vertices);
        }
        let vertices = instance.vertices.get(&positions).map(Vec::as_slice).unwrap_or_default();
        if let Some(uvs) = primitive.attributes.texcoord_0
            && instance.textured.insert((positions, uvs))
        {
            self.uvs(uvs, vertices)?;
        }
        let corners = match primitive.indices {
            Some(indices) => self.corners(indices, vertices)?,
            None => vertices.to_vec(),
        };
        // One for itself: many nodes may show a mesh of many primitives that hold nothing.
        self.elements_read = self.elements_read.saturating_add(1 + corners.len() / 2);
        if self.elements_read > self.limits.elements.saturating_mul(2) {
            return Err(too_many_elements(FileLocation::File, self.limits));
        }
        self.elements(primitive.mode.unwrap_or(4), &corners)
    }

    /// The vertices of one accessor of positions, transformed and welded.
    fn vertices(&mut self, accessor: usize, instance: &mut Instance) -> Result<Vec<u32>> {
        let array = self.accessors.open(accessor, "VEC3")?;
        self.vertices_read = self.vertices_read.saturating_add(array.len());
        if self.vertices_read > self.limits.vertices {
            return Err(too_many_vertices(FileLocation::File, self.limits));
        }
        let mut vertices = Vec::new();
        for item in 0..array.len() {
            let position = array.floats::<3>(item)?;
            vertices.push(match instance.welder.find(position) {
                Some(vertex) => vertex,
                None => {
                    let moved = apply(instance.transform, position);
                    let vertex = self.builder.vertex(FileLocation::File, moved)?;
                    instance.welder.remember(position, vertex);
                    vertex
                }
            });
        }
        Ok(vertices)
    }

    /// Texture coordinates, turned from glTF's upper-left origin to the lower left.
    fn uvs(&mut self, accessor: usize, vertices: &[u32]) -> Result<()> {
        let array = self.accessors.open(accessor, "VEC2")?;
        self.uvs_read = self.uvs_read.saturating_add(array.len().min(vertices.len()));
        if self.uvs_read > self.limits.elements {
            return Err(ImportError::limit(FileLocation::File, "has too many texture coordinates"));
        }
        for (item, &vertex) in vertices.iter().enumerate().take(array.len()) {
            let [u, v] = array.floats::<2>(item)?;
            self.builder.uv(FileLocation::File, vertex, [u, 1.0 - v])?;
        }
        Ok(())
    }

    fn corners(&self, accessor: usize, vertices: &[u32]) -> Result<Vec<u32>> {
        let array = self.accessors.open(accessor, "SCALAR")?;
        if array.len() / 3 > self.limits.elements {
            return Err(too_many_elements(FileLocation::File, self.limits));
        }
        (0..array.len())
            .map(|item| {
                let index = array.index(item)?;
                let have = vertices.len();
                vertices.get(index as usize).copied().ok_or_else(|| {
                    wrong(format!(
                        "an index refers to vertex {index}, but the primitive has {have}"
                    ))
                })
            })
            .collect()
    }

    fn elements(&mut self, mode: u32, corners: &[u32]) -> Result<()> {
        let builder = &mut self.builder;
        let file = FileLocation::File;
        let mut triangle = |corners| builder.triangle(file, corners);
        match mode {
            0 => builder.add_to_groups(file, corners),
            1 => corners.as_chunks().0.iter().try_for_each(|&pair| builder.edge(file, pair)),
            2 | 3 => {
                let closing = match (mode, corners) {
                    (2, [first, .., last]) => Some([*last, *first]),
                    _ => None,
                };
                let pairs = corners.iter().zip(corners.iter().skip(1)).map(|(&a, &b)| [a, b]);
                pairs.chain(closing).try_for_each(|pair| builder.edge(file, pair))
            }
            4 => corners.as_chunks().0.iter().try_for_each(|&corners| triangle(corners)),
            5 => corners.windows(3).enumerate().try_for_each(|(i, corners)| match *corners {
                [a, b, c] if i % 2 == 0 => triangle([a, b, c]),
                [a, b, c] => triangle([b, a, c]),
                _ => Ok(()),
            }),
            6 => {
                let Some((&first, others)) = corners.split_first() else {
                    return Ok(());
                };
                let mut pairs = others.iter().zip(others.iter().skip(1));
                pairs.try_for_each(|(&b, &c)| triangle([first, b, c]))
            }
            other => Err(wrong(format!("a primitive has the mode {other}, but modes are 0 to 6"))),
        }
    }
}

/// One node's use of a mesh.
struct Instance<'t> {
    transform: &'t Transform,
    welder: Welder,
    /// The vertices made from each accessor of positions.
    vertices: HashMap<usize, Vec<u32>>,
    /// The pairs of accessors, positions and texture coordinates, that were read already.
    textured: HashSet<(usize, usize)>,
}

fn local_transform(node: &Node) -> Transform {
    if let Some(m) = node.matrix {
        let [a, b, c, _, d, e, f, _, g, h, i, _, x, y, z, _] = m;
        return [[a, b, c], [d, e, f], [g, h, i], [x, y, z]];
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let [sx, sy, sz] = node.scale.unwrap_or([1.0; 3]);
    let rotation = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let [a, b, c] = rotation;
    let [a, b, c] =
        [a.map(|value| value * sx), b.map(|value| value * sy), c.map(|value| value * sz)];
    [a, b, c, node.translation.unwrap_or_default()]
}

/// The linear part of a transform applied to a vector.
fn rotate([a, b, c, _]: &Transform, [x, y, z]: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| match (a.get(i), b.get(i), c.get(i)) {
        (Some(a), Some(b), Some(c)) => a * x + b * y + c * z,
        _ => 0.0,
    })
}

fn apply(transform: &Transform, point: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = rotate(transform, point);
    let [.., [tx, ty, tz]] = *transform;
    [x + tx, y + ty, z + tz]
}

fn compose(outer: &Transform, inner: &Transform) -> Transform {
    let [a, b, c, origin] = *inner;
    [rotate(outer, a), rotate(outer, b), rotate(outer, c), apply(outer, origin)]
}
