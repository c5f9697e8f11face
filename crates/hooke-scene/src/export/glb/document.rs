//! The JSON of a GLB file: what lies where in the binary chunk, and what it means.

use serde_json::{Value, json};

use super::super::shape::Shape;
use super::super::source::Source;
use super::VECTOR;

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// What the JSON says about a frame.
pub(super) struct Summary {
    /// Time in seconds.
    pub(super) time: f64,
    /// Bounds of the positions, or of the differences to the first frame.
    pub(super) bounds: [[f32; 3]; 2],
}

/// The JSON, and the length of the chunk it describes: indices, first frame, texture coordinates,
/// later frames, times, weights.
pub(super) fn describe(
    source: &Source,
    shape: &Shape,
    frames: &[Summary],
    times: &[f32],
) -> (Value, usize) {
    let mut layout = Layout::default();
    let mut primitive = primitive(&mut layout, source, shape, frames);
    let mut mesh = json!({ "name": source.name });
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "Hooke" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": source.name, "mesh": 0 }],
        "materials": [{
            "name": "cloth",
            "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": [0.6, 0.65, 0.75, 1.0],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.9,
            },
        }],
    });
    if let [_, targets @ ..] = frames
        && !targets.is_empty()
    {
        let has_normals = matches!(shape, Shape::Triangles(_));
        let attributes = |target| layout.vertices(source.particles, has_normals, target);
        primitive["targets"] = targets.iter().map(attributes).collect();
        let names = targets.iter().map(|target| format!("{} s", target.time));
        mesh["extras"] = json!({ "targetNames": names.collect::<Vec<_>>() });
        mesh["weights"] = json!(vec![0.0; targets.len()]);
        document["animations"] = json!([animation(&mut layout, source, times)]);
    }
    mesh["primitives"] = json!([primitive]);
    document["meshes"] = json!([mesh]);
    document["accessors"] = Value::Array(layout.accessors);
    document["bufferViews"] = Value::Array(layout.views);
    document["buffers"] = json!([{ "byteLength": layout.length }]);
    (document, layout.length)
}

/// The mesh of the first frame.
fn primitive(layout: &mut Layout, source: &Source, shape: &Shape, frames: &[Summary]) -> Value {
    let (mode, indices) = match shape {
        Shape::Triangles(triangles) => (4, triangles.as_flattened()),
        Shape::Lines(lines) => (1, lines.as_flattened()),
        Shape::Points => (0, [].as_slice()),
    };
    let mut primitive = json!({ "material": 0, "mode": mode });
    if !indices.is_empty() {
        let view = layout.view(size_of_val(indices), Some(ELEMENT_ARRAY_BUFFER));
        let accessor = layout.accessor(view, UNSIGNED_INT, "SCALAR", indices.len());
        primitive["indices"] = json!(accessor);
    }
    if let Some(first) = frames.first() {
        let has_normals = matches!(shape, Shape::Triangles(_));
        primitive["attributes"] = layout.vertices(source.particles, has_normals, first);
    }
    if let Some(uvs) = &source.cells.uvs {
        let view = layout.view(uvs.len() * 2 * size_of::<f32>(), Some(ARRAY_BUFFER));
        let accessor = layout.accessor(view, FLOAT, "VEC2", uvs.len());
        primitive["attributes"]["TEXCOORD_0"] = json!(accessor);
    }
    primitive
}

/// At each time the weight of one target is 1 and of the others 0.
fn animation(layout: &mut Layout, source: &Source, times: &[f32]) -> Value {
    let view = layout.view(size_of_val(times), None);
    let input = layout.accessor(view, FLOAT, "SCALAR", times.len());
    if let (Some(first), Some(last)) = (times.first(), times.last()) {
        layout.bound(input, &[*first], &[*last]);
    }
    let weights = times.len() * (times.len() - 1);
    let view = layout.view(weights * size_of::<f32>(), None);
    let output = layout.accessor(view, FLOAT, "SCALAR", weights);
    json!({
        "name": source.name,
        "samplers": [{ "input": input, "output": output, "interpolation": "LINEAR" }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
        "extras": { "fps": source.fps },
    })
}

/// Buffer views and accessors, collected in the order of the chunk.
#[derive(Default)]
struct Layout {
    length: usize,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Layout {
    /// The next run of bytes; those that a graphics card reads state for what.
    fn view(&mut self, length: usize, target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": length });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.length += length;
        self.views.push(view);
        self.views.len() - 1
    }

    /// An array that starts where its view does.
    fn accessor(&mut self, view: usize, component: u32, kind: &str, count: usize) -> usize {
        self.accessors.push(json!({
            "bufferView": view,
            "byteOffset": 0,
            "componentType": component,
            "type": kind,
            "count": count,
        }));
        self.accessors.len() - 1
    }

    fn bound(&mut self, accessor: usize, low: &[f32], high: &[f32]) {
        if let Some(accessor) = self.accessors.get_mut(accessor) {
            // As doubles, the bounds print with all the digits of the floats they are.
            let exact = |values: &[f32]| values.iter().copied().map(f64::from).collect::<Value>();
            accessor["min"] = exact(low);
            accessor["max"] = exact(high);
        }
    }

    /// The attributes of a frame: positions and, after them, normals.
    fn vertices(&mut self, particles: usize, has_normals: bool, frame: &Summary) -> Value {
        let mut vectors = || {
            let view = self.view(particles * VECTOR, Some(ARRAY_BUFFER));
            self.accessor(view, FLOAT, "VEC3", particles)
        };
        let position = vectors();
        let mut attributes = json!({ "POSITION": position });
        if has_normals {
            attributes["NORMAL"] = json!(vectors());
        }
        let [low, high] = &frame.bounds;
        self.bound(position, low, high);
        attributes
    }
}
