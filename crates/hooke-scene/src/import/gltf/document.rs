//! The parts of a glTF document that make up geometry, as serde structures.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::error::{FileLocation, ImportError, Result};

/// Characters of a reason that are shown.
const LONGEST_REASON: usize = 200;

/// Values a document may hold. Each costs up to some hundred bytes of memory.
const MAX_VALUES: usize = 2_000_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    pub(super) asset: Asset,
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) scenes: Vec<Scene>,
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    #[serde(default)]
    pub(super) skins: Vec<Skin>,
    #[serde(default)]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default, borrow)]
    pub(super) buffers: Vec<Buffer<'a>>,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub(super) version: String,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) children: Vec<usize>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    /// A unit quaternion, scalar last.
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
pub(super) struct Skin {
    pub(super) joints: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<usize>,
    pub(super) mode: Option<u32>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct Attributes {
    pub(super) position: Option<usize>,
    pub(super) texcoord_0: Option<usize>,
}

#[derive(Deserialize, Default)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) shape: String,
    pub(super) sparse: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Cow<'a, str>>,
    pub(super) byte_length: usize,
}

impl<'a> Document<'a> {
    pub(super) fn parse(json: &'a [u8]) -> Result<Self> {
        if count_values(json) > MAX_VALUES {
            let message = format!("the JSON holds more than {MAX_VALUES} values");
            return Err(ImportError::limit(FileLocation::File, message));
        }
        let document: Self = serde_json::from_slice(json).map_err(|error| {
            let location = FileLocation::Line(error.line() as u64);
            let text = error.to_string();
            // It may repeat a word of the file, of any length.
            let reason = text.split(" at line ").next().unwrap_or_default();
            let reason: String = reason.chars().take(LONGEST_REASON).collect();
            ImportError::content(location, format!("the JSON is not a glTF document: {reason}"))
        })?;
        if !document.asset.version.starts_with("2.") {
            let message = "only glTF 2 can be read; convert the file to it";
            return Err(ImportError::content(FileLocation::File, message));
        }
        Ok(document)
    }
}

/// An upper bound of the number of values: each is first in the document or follows one of `[,:{`.
fn count_values(json: &[u8]) -> usize {
    let mut in_string = false;
    let mut escaped = false;
    let mut values = 1;
    for &byte in json {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b',' | b':' | b'{') => values += 1,
            _ => {}
        }
    }
    values
}
