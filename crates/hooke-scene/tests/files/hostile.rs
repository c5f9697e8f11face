//! What the importers make of bad files: an error or a mesh, never a panic, a hang or a flood.

use crate::common::*;
use hooke_scene::import::{ErrorKind, ImportError, Limits, Mesh, gltf, obj, ply, read, stl};

fn check(name: &str, result: Result<Mesh, ImportError>) {
    let Ok(mesh) = result else { return };
    let vertices = mesh.positions.len() as u32;
    assert!(mesh.positions.as_flattened().iter().all(|value| value.is_finite()), "{name}");
    let corners = (mesh.triangles.as_flattened().iter())
        .chain(mesh.tets.as_flattened())
        .chain(mesh.edges.as_flattened())
        .chain(mesh.groups.iter().flat_map(|(_, list)| list));
    assert!(corners.into_iter().all(|&corner| corner < vertices), "{name}");
    assert!(mesh.uvs.is_none_or(|uvs| uvs.len() == mesh.positions.len()), "{name}");
}

#[test]
fn every_prefix() {
    for (name, parse, bytes) in all() {
        for length in 0..bytes.len() {
            check(name, parse(&bytes[..length]));
        }
    }
}

#[test]
fn every_single_bit_flip() {
    for (name, parse, bytes) in all() {
        let mut flipped = bytes.clone();
        for i in 0..bytes.len() {
            for bit in 0..8 {
                flipped[i] ^= 1 << bit;
                check(name, parse(&flipped));
                flipped[i] = bytes[i];
            }
        }
    }
}

#[test]
fn every_byte_replaced_by_a_telling_one() {
    for (name, parse, bytes) in all() {
        let mut changed = bytes.clone();
        for i in 0..bytes.len() {
            for byte in *b"\0\xff\n -9/\\\"{[" {
                changed[i] = byte;
                check(name, parse(&changed));
            }
            changed[i] = bytes[i];
        }
    }
}

#[test]
fn files_of_the_wrong_format() {
    for (_, parse, _) in all() {
        for (name, _, bytes) in all() {
            check(name, parse(&bytes));
        }
        check("nothing", parse(b""));
        check("zeros", parse(&[0; 1000]));
        check("bad UTF-8", parse(&[0xC3; 1000]));
        check("one long line", parse(&[b'7'; 2_000_000]));
        check("deep nesting", parse(&[b'['; 2_000_000]));
    }
}

/// Parses and returns the message, as a user would see it for a file of that name.
fn message(parse: Parse, name: &str, bytes: &[u8]) -> String {
    let mut error = parse(bytes).expect_err("this file is bad");
    error.file = name.into();
    error.to_string()
}

#[test]
fn obj_messages() {
    let message = |text: &str| message(parse_obj, "curtain.obj", text.as_bytes());
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let with = |line: &str| message(&format!("{vertices}{line}\n"));
    assert_eq!(
        with("f 1 2 99"),
        "curtain.obj:4: face refers to vertex 99, but the file has 3 vertices"
    );
    assert_eq!(
        with("f 1 2 0"),
        "curtain.obj:4: face refers to vertex 0, but the file has 3 vertices"
    );
    assert_eq!(
        with("f -1 -2 -4"),
        "curtain.obj:4: face refers to vertex -4, but the file has 3 vertices"
    );
    assert_eq!(
        with("f 1 2 4294967296"),
        "curtain.obj:4: face refers to vertex 4294967296, but the file has 3 vertices"
    );
    assert_eq!(with("f 1 2 1.5"), "curtain.obj:4: `1.5` is not a whole number");
    assert_eq!(with("f 1 2"), "curtain.obj:4: a face needs 3 vertices, this has 2 vertices");
    assert_eq!(
        with("f 1/1 2/1 3/1"),
        "curtain.obj:4: face refers to texture coordinate 1, but the file has 0"
    );
    assert_eq!(
        with("v 1 nan 0"),
        "curtain.obj:4: the y coordinate of vertex 4 is not finite (NaN)"
    );
    assert_eq!(
        with("v 1e999 0 0"),
        "curtain.obj:4: the x coordinate of vertex 4 is not finite (inf)"
    );
    assert_eq!(with("v 1 2"), "curtain.obj:4: a vertex needs 3 coordinates");
    assert_eq!(with("v 1 2 three"), "curtain.obj:4: `three` is not a number");
    assert_eq!(message("# empty\n"), "curtain.obj: the file has no vertices");
}

#[test]
fn stl_messages() {
    let mut bytes = binary_stl();
    bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(
        message(parse_stl, "part.stl", &bytes),
        "part.stl: byte 80: the header declares 4294967295 triangles, but the file has room for 2"
    );
    let mut bytes = binary_stl();
    bytes[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(
        message(parse_stl, "part.stl", &bytes),
        "part.stl: byte 104: the x coordinate of vertex 1 is not finite (NaN)"
    );
    assert_eq!(
        message(parse_stl, "part.stl", &STL.as_bytes()[..STL.len() - 14]),
        "part.stl:15: the file ends before `endsolid`; it seems to be cut off"
    );
    assert_eq!(
        message(parse_stl, "part.stl", STL.replace("vertex 1 1 0\n", "").as_bytes()),
        "part.stl:14: a facet needs 3 vertices, this has 2 vertices"
    );
    assert_eq!(
        message(parse_stl, "part.stl", b"hello"),
        "part.stl: byte 0: neither text (it does not start with `solid`) nor binary STL (too short)"
    );
}

#[test]
fn ply_messages() {
    let message = |text: &str| message(parse_ply, "scan.ply", text.as_bytes());
    assert_eq!(
        message(&PLY.replace("element vertex 4", "element vertex 99999999999999")),
        "scan.ply:20: the file ends in row 6 of the 99999999999999 declared rows of `vertex`"
    );
    assert_eq!(
        message(&PLY.replace("4 0 1 2 3", "4 0 1 2 7")),
        "scan.ply:19: face refers to vertex 7, but the file has 4 vertices"
    );
    assert_eq!(
        message(&PLY.replace("4 0 1 2 3", "-4 0 1 2 7")),
        "scan.ply:19: a list has the length -4"
    );
    assert_eq!(
        message(&PLY.replace("property float x", "property quad x")),
        "scan.ply:5: `quad` is not a type of PLY"
    );
    assert_eq!(
        message(&PLY.replace("end_header", "header_end")),
        "scan.ply:14: `header_end` is not a line of a PLY header"
    );
    assert_eq!(
        message(&PLY.replace("float x", "float a")),
        "scan.ply:14: the vertices have no properties `x`, `y` and `z`"
    );
}

#[test]
fn ply_elements_without_properties_do_not_hang() {
    let text = PLY.replace("element face", "element ghost 9000000000000000000\nelement face");
    assert!(parse_ply(text.as_bytes()).is_ok());
}

#[test]
fn msh_messages() {
    let text = std::str::from_utf8(MSH_2).unwrap();
    let message = |text: &str| message(parse_msh, "box.msh", text.as_bytes());
    assert_eq!(
        message(&text.replace("7 4 2 7 1 12 9 11 14", "7 4 2 7 1 12 9 11 99")),
        "box.msh:35: an element refers to node 99, which the file lacks"
    );
    assert_eq!(
        message(&text.replace("2.2 0 8", "2.2 1 8")),
        "box.msh:2: binary files of version `2.2` cannot be read; \
         save it from Gmsh as version 4.1, or 2.2 text"
    );
    assert_eq!(
        message(&text.replace("7 4 2 7 1 12", "7 5 2 7 1 12")),
        "box.msh:35: elements of type 5 cannot be used; \
         mesh with triangles and tetrahedra of order 1"
    );
    assert_eq!(
        message(&text.replace("\n2 0 0 0\n", "\n1 0 0 0\n")),
        "box.msh:25: two nodes have the tag 1"
    );
    assert_eq!(
        message(&text.replace("\n14\n", "\n14000000000000\n")),
        "box.msh:26: `$EndNodes` is not a whole number"
    );
}

#[test]
fn tetgen_messages() {
    let node = |text: &str| message(parse_node, "a.node", text.as_bytes());
    let ele = |text: &str| message(parse_ele, "a.ele", text.as_bytes());
    assert_eq!(
        ele(&ELE.replace("2 2 3 4 5 2", "2 2 3 4 6 2")),
        "a.ele:3: tetrahedron refers to vertex 6, but the file has 5 vertices"
    );
    assert_eq!(
        ele(&ELE.replace("2 4 1", "9999999999 4 1")),
        "a.ele:3: the file ends after 2 rows, but declares 9999999999 (tetrahedron)"
    );
    assert_eq!(
        node(&NODE.replace("3 0 1 0 7", "8 0 1 0 7")),
        "a.node:5: this point has the number 8; points must be numbered in sequence from 0 or 1"
    );
    assert_eq!(
        node(&NODE.replace("3 0 1 0 7", "3 0 inf 0 7")),
        "a.node:5: the y coordinate of vertex 3 is not finite (inf)"
    );
}

#[test]
fn gltf_messages() {
    let json = gltf_with_uri("triangle.bin");
    let message = |from: &str, to: &str| {
        assert!(json.contains(from), "{from}");
        message(parse_gltf, "flag.gltf", json.replace(from, to).as_bytes())
    };
    let cycle = "node 0 is its own ancestor or has two parents; nodes must form a tree";
    assert_eq!(
        message("\"mesh\":0,\"rot", "\"children\":[0],\"rot"),
        format!("flag.gltf: {cycle}")
    );
    assert_eq!(
        message("\"children\":[1]", "\"children\":[8]"),
        "flag.gltf: refers to node 8, but has 2 nodes"
    );
    assert_eq!(
        message(
            "\"count\":6,\"type\":\"VEC3\"",
            "\"count\":18446744073709551615,\"type\":\"VEC3\""
        ),
        "flag.gltf: mesh 0: accessor 0 reaches outside buffer view 0"
    );
    assert_eq!(
        message("\"byteOffset\":72", "\"byteOffset\":73"),
        "flag.gltf: mesh 0: buffer view 1 reaches outside its buffer"
    );
    assert_eq!(
        message("\"byteLength\":84", "\"byteLength\":840"),
        "flag.gltf: buffer 0 declares 840 bytes, but has 84"
    );
    assert_eq!(
        message("\"POSITION\":0", "\"POSITION\":1"),
        "flag.gltf: mesh 0: accessor 1 should be of type VEC3"
    );
    assert_eq!(
        message("\"2.0\"}", "\"2.0\"},\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]"),
        "flag.gltf: needs the extension `KHR_draco_mesh_compression`; save it without"
    );
    assert_eq!(
        message("\"scene\":0", "\"scene\":-1"),
        "flag.gltf:1: the JSON is not a glTF document: invalid value: integer `-1`, expected usize"
    );
    assert_eq!(
        message("[0,10,0]", "[0,1e308,0],\"scale\":[1e308,1e308,1]"),
        "flag.gltf: mesh 0: the y coordinate of vertex 1 is not finite (NaN)"
    );
}

#[test]
fn gltf_buffers_stay_in_the_folder() {
    let outside = [
        "../secret.bin",
        "..",
        "/etc/passwd",
        "sub/mesh.bin",
        "%2e%2e%2fsecret.bin",
        "..%5Csecret.bin",
        "http://host/mesh.bin",
        "file:mesh.bin",
        "C:mesh.bin",
        "mesh.bin%00",
        "%zz",
        "",
    ];
    for uri in outside {
        let json = gltf_with_uri(uri);
        let asked = gltf::parse(json.as_bytes(), &Limits::default(), &mut |name, _| {
            panic!("{uri} led to {name}")
        });
        let text = asked.unwrap_err().to_string();
        assert!(text.contains("outside the file's folder"), "{text}");
    }
}

#[test]
fn gltf_work_is_bounded_by_the_limits() {
    let nodes = vec![r#"{"mesh":0}"#; 1000].join(",");
    let roots = (0..1000).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    let json = gltf_json("");
    let start = json.find("\"nodes\":[{\"name\"").unwrap();
    let end = json.find("\"meshes\"").unwrap();
    let json = format!("{}\"nodes\":[{nodes}],{}", &json[..start], &json[end..])
        .replace("\"nodes\":[0]", &format!("\"nodes\":[{roots}]"));
    let limits = Limits { vertices: 5000, ..Limits::default() };
    let parse =
        |limits| gltf::parse(&glb(&json, &triangle_buffer()), &limits, &mut |_, _| Ok(Vec::new()));
    assert_eq!(parse(limits).unwrap_err().kind, ErrorKind::Limit);
    assert_eq!(parse(Limits::default()).unwrap().positions.len(), 4000);

    // A thousand nodes that each show a thousand primitives of nothing.
    let nothing = r#"{"attributes":{"POSITION":1}}"#;
    let json = json
        .replace(r#"{"attributes":{"POSITION":0},"indices":1}"#, &vec![nothing; 1000].join(","))
        .replace(r#""count":6,"type":"SCALAR""#, r#""count":0,"type":"VEC3""#);
    let limits = Limits { elements: 100_000, ..Limits::default() };
    let parsed = gltf::parse(&glb(&json, &triangle_buffer()), &limits, &mut |_, _| Ok(Vec::new()));
    assert_eq!(parsed.unwrap_err().kind, ErrorKind::Limit);
}

#[test]
fn limits_hold() {
    let limits = Limits { vertices: 3, elements: 1, bytes: 1000 };
    for error in [
        obj::parse(OBJ.as_bytes(), &limits).unwrap_err(),
        ply::parse(PLY.as_bytes(), &limits).unwrap_err(),
        stl::parse(STL.as_bytes(), &limits).unwrap_err(),
    ] {
        assert_eq!(error.kind, ErrorKind::Limit, "{error}");
    }
    let fan = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf {}\n", "1 2 3 ".repeat(100));
    let error = obj::parse(fan.as_bytes(), &limits).unwrap_err().to_string();
    assert_eq!(error, "line 4: more than 1 element; simplify the mesh or raise the limit");
    let many = format!("v 0 0 0\ng {}\n", (0..100).map(|i| format!("g{i} ")).collect::<String>());
    let error = obj::parse(many.as_bytes(), &limits).unwrap_err().to_string();
    assert_eq!(error, "line 2: an element is in more than 32 groups at once");
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new("unreadable");
    let text = |name: &str, limits: &Limits| {
        let error = read(&folder.0.join(name), limits).unwrap_err().to_string();
        error.replace(&*folder.0.to_string_lossy(), "…")
    };
    std::fs::write(folder.0.join("big.obj"), OBJ).unwrap();
    std::fs::create_dir(folder.0.join("folder.obj")).unwrap();
    let limits = Limits::default();
    assert!(text("missing.obj", &limits).starts_with("…/missing.obj: cannot be read: "));
    assert_eq!(text("folder.obj", &limits), "…/folder.obj: cannot be read: not a regular file");
    assert_eq!(
        text("a.fbx", &limits),
        "…/a.fbx: meshes of type `fbx` cannot be read; \
         convert it to one of .obj .ply .stl .gltf .glb .msh .node .ele"
    );
    assert_eq!(
        text("big.obj", &Limits { bytes: 20, ..limits.clone() }),
        "…/big.obj: more than 20 bytes; simplify the mesh or raise the limit"
    );
    std::fs::write(folder.0.join("lone.ele"), ELE).unwrap();
    assert!(text("lone.ele", &limits).starts_with("…/lone.node: cannot be read: "));
    std::fs::write(folder.0.join("flag.gltf"), gltf_with_uri("gone.bin")).unwrap();
    assert!(text("flag.gltf", &limits).starts_with("…/gone.bin: cannot be read: "));
}
