//! Small valid files of every import format, made in code.

#![allow(dead_code)]

use std::path::PathBuf;

use hooke_scene::import::{ImportError, Limits, Mesh, gltf, msh, obj, ply, stl, tetgen};

pub type Parse = fn(&[u8]) -> Result<Mesh, ImportError>;

pub const OBJ: &str = "# a quad and a line\no sheet\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\n\
                       vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\ng top rim\nusemtl silk\nf 1/1 2/2 3/3 4/4\n\
                       g\nl -4 -1\n";

pub const STL: &str = "solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                       vertex 0 1 0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\n\
                       vertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid two\n";

pub const PLY: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\n\
                       property float x\nproperty float y\nproperty float z\nproperty uchar red\n\
                       element face 1\nproperty list uchar int vertex_indices\nelement edge 1\n\
                       property int vertex1\nproperty int vertex2\nend_header\n0 0 0 255\n\
                       1 0 0 255\n1 1 0 255\n0 1 0.5 255\n4 0 1 2 3\n0 3\n";

pub const NODE: &str =
    "# corners\n5 3 0 1\n1 0 0 0 0\n2 1 0 0 0\n3 0 1 0 7\n4 0 0 1 7\n5 1 1 1 0\n";
pub const ELE: &str = "2 4 1\n1 1 2 3 4 1\n2 2 3 4 5 2 # the other\n";

pub const MSH_2: &[u8] = include_bytes!("../data/box-2.2-text.msh");
pub const MSH_4: &[u8] = include_bytes!("../data/box-4.1-text.msh");
pub const MSH_4_BINARY: &[u8] = include_bytes!("../data/box-4.1-binary.msh");

pub fn parse_obj(bytes: &[u8]) -> Result<Mesh, ImportError> {
    obj::parse(bytes, &Limits::default())
}

pub fn parse_stl(bytes: &[u8]) -> Result<Mesh, ImportError> {
    stl::parse(bytes, &Limits::default())
}

pub fn parse_ply(bytes: &[u8]) -> Result<Mesh, ImportError> {
    ply::parse(bytes, &Limits::default())
}

pub fn parse_msh(bytes: &[u8]) -> Result<Mesh, ImportError> {
    msh::parse(bytes, &Limits::default())
}

pub fn parse_gltf(bytes: &[u8]) -> Result<Mesh, ImportError> {
    gltf::parse(bytes, &Limits::default(), &mut |_, _| Ok(triangle_buffer()))
}

pub fn parse_node(bytes: &[u8]) -> Result<Mesh, ImportError> {
    tetgen::parse(bytes, Some(ELE.as_bytes()), &Limits::default())
}

pub fn parse_ele(bytes: &[u8]) -> Result<Mesh, ImportError> {
    tetgen::parse(NODE.as_bytes(), Some(bytes), &Limits::default())
}

/// Every format with a valid file of it.
pub fn all() -> Vec<(&'static str, Parse, Vec<u8>)> {
    vec![
        ("obj", parse_obj, OBJ.into()),
        ("stl text", parse_stl, STL.into()),
        ("stl binary", parse_stl, binary_stl()),
        ("ply text", parse_ply, PLY.into()),
        ("ply little endian", parse_ply, binary_ply(false)),
        ("ply big endian", parse_ply, binary_ply(true)),
        ("gltf", parse_gltf, gltf_with_uri("triangle.bin").into_bytes()),
        ("gltf data uri", parse_gltf, gltf_with_uri(&data_uri()).into_bytes()),
        ("glb", parse_gltf, glb(&gltf_json(""), &triangle_buffer())),
        ("msh 2.2", parse_msh, MSH_2.into()),
        ("msh 4.1", parse_msh, MSH_4.into()),
        ("msh 4.1 binary", parse_msh, MSH_4_BINARY.into()),
        ("node", parse_node, NODE.into()),
        ("ele", parse_ele, ELE.into()),
    ]
}

pub fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(2_u32.to_le_bytes());
    let (a, b, c, d) = ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]);
    for triangle in [[a, b, c], [b, d, c]] {
        for vector in [[0.0_f32; 3]].iter().chain(&triangle) {
            bytes.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

pub fn binary_ply(big: bool) -> Vec<u8> {
    let order = if big { "binary_big_endian" } else { "binary_little_endian" };
    let (header, _) = PLY.split_once("0 0 0 255").unwrap();
    let mut bytes = header.replace("ascii", order).into_bytes();
    let put = |value: [u8; 4]| {
        let mut value = value;
        if big {
            value.reverse();
        }
        value
    };
    for position in [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]] {
        bytes.extend(position.iter().flat_map(|value| put(value.to_le_bytes())));
        bytes.push(255);
    }
    bytes.push(4);
    bytes.extend([0_i32, 1, 2, 3, 0, 3].iter().flat_map(|value| put(value.to_le_bytes())));
    bytes
}

/// Six vertices of which two pairs coincide, and six indices.
pub fn triangle_buffer() -> Vec<u8> {
    let positions: [f32; 18] =
        [0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.];
    let indices: [u16; 6] = [0, 1, 2, 3, 4, 5];
    let mut bytes: Vec<u8> = positions.iter().flat_map(|value| value.to_le_bytes()).collect();
    bytes.extend(indices.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

pub fn gltf_json(uri: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
"nodes":[{{"name":"room","translation":[0,10,0],"children":[1]}},
{{"name":"flag","mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,1,1]}}],
"meshes":[{{"name":"sheet","primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":6,"type":"VEC3"}},
{{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":72}},{{"buffer":0,"byteOffset":72,"byteLength":12}}],
"buffers":[{{{uri}"byteLength":84}}]}}"#
    )
}

pub fn gltf_with_uri(uri: &str) -> String {
    gltf_json(&format!(r#""uri":"{uri}","#))
}

pub fn data_uri() -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::from("data:application/octet-stream;base64,");
    for chunk in triangle_buffer().chunks(3) {
        let bits = chunk.iter().fold(0, |bits, &byte| bits << 8 | usize::from(byte));
        text.extend((0..4).rev().map(|i| char::from(DIGITS[bits >> (6 * i) & 63])));
    }
    text
}

pub fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

/// An empty folder of this test's own, removed when dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hooke-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
