//! Files that claim more than they hold, or lead where nothing is: each has its own sentence.

use crate::common::*;

/// The sentence told of bad bytes.
fn told(parse: Parse, bytes: impl AsRef<[u8]>) -> String {
    parse(bytes.as_ref()).expect_err("these bytes are bad").to_string()
}

/// A text with its first `from` made `to`.
fn change(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

/// Bytes with those at `at` made others.
fn with(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

/// Where some bytes end.
fn end_of(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).position(|window| window == wanted).unwrap() + wanted.len()
}

/// The greatest count of 64 bits that is no negative number.
const MANY: [u8; 8] = i64::MAX.to_le_bytes();

#[test]
fn obj_numbers() {
    for (index, sentence) in [
        ("9223372036854775808", "`9223372036854775808` is not a whole number"),
        (
            "-9223372036854775808",
            "face refers to vertex -9223372036854775808, but the file has 2 vertices",
        ),
        (
            "2/-9223372036854775808",
            "face refers to texture coordinate -9223372036854775808, but the file has 0",
        ),
    ] {
        let text = format!("v 0 0 0\nv 1 0 0\nf 1 2 {index}\n");
        assert_eq!(told(parse_obj, text), format!("line 3: {sentence}"));
    }
}

#[test]
fn ply_counts() {
    let kinds: String = (0..300).map(|i| format!("element e{i} 0\n")).collect();
    for (from, to, sentence) in [
        ("vertex 4", "vertex -1", "line 4: -1 is not a number of rows"),
        (
            "vertex 4",
            "vertex 9223372036854775808",
            "line 4: `9223372036854775808` is not a whole number",
        ),
        (
            "4 0 1 2 3",
            "9223372036854775807 0 1 2 3",
            "line 20: the file ends in row 1 of the 1 declared rows of `face`",
        ),
        (
            "element vertex",
            &format!("{kinds}element vertex"),
            "line 260: more than 256 kinds of elements",
        ),
    ] {
        assert_eq!(told(parse_ply, change(PLY, from, to)), sentence);
    }
    // A list of 255 corners, and one of 2³² − 1.
    let binary = binary_ply(false);
    let rows = end_of(&binary, b"end_header\n");
    let faces = rows + 4 * 13;
    let ends = "the file ends in row 1 of the 1 declared rows of `face`";
    assert_eq!(told(parse_ply, with(&binary, faces, &[255])), format!("byte 343: {ends}"));
    let header = std::str::from_utf8(&binary[..rows]).unwrap();
    let mut wide = change(header, "uchar int", "uint int").into_bytes();
    wide.extend(&binary[rows..faces]);
    wide.extend([255; 4]);
    assert_eq!(told(parse_ply, wide), format!("byte 321: {ends}"));
}

#[test]
fn msh_counts() {
    let (two, four) = (std::str::from_utf8(MSH_2).unwrap(), std::str::from_utf8(MSH_4).unwrap());
    assert_eq!(
        told(parse_msh, change(four, "$Nodes\n", "$Nodes\n9")),
        "line 86: `$EndNodes` is not a whole number"
    );
    assert_eq!(
        told(parse_msh, format!("{two}$Nodes\n0\n$EndNodes\n")),
        "line 60: a second section `$Nodes`; a file has one"
    );
    let [nodes, elements, entities] = ["$Nodes\n", "$Elements\n", "$Entities\n"]
        .map(|section| end_of(MSH_4_BINARY, section.as_bytes()));
    for (at, count, sentence) in [
        (nodes, [255; 8], "byte 1989: 18446744073709551615 is too large a number"),
        (nodes, MANY, "byte 4057: the file ends: 8 more bytes are needed, 7 are left"),
        (
            elements,
            MANY,
            "byte 4058: elements of type 1953391981 cannot be used; \
             mesh with triangles and tetrahedra of order 1",
        ),
        (entities, MANY, "byte 476: an entity is in more than 32 groups"),
    ] {
        assert_eq!(told(parse_msh, with(MSH_4_BINARY, at, &count)), sentence);
    }
}

#[test]
fn msh_tags_have_no_range() {
    let text = std::str::from_utf8(MSH_4).unwrap();
    let mesh = parse_msh(change(text, "1 9 \n", "1 -9223372036854775808 \n").as_bytes()).unwrap();
    let names: Vec<_> = mesh.groups.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"physical-0-9223372036854775807"), "{names:?}");
}

#[test]
fn tetgen_counts() {
    let many = i64::MAX;
    assert_eq!(
        told(parse_node, change(NODE, "5 3 0 1", &format!("{many} 3 0 1"))),
        format!("line 7: the file ends after 5 rows, but declares {many} (point)")
    );
    assert_eq!(
        told(parse_node, change(NODE, "5 3 0 1", &format!("5 3 {many} 1"))),
        "line 3: the row is too short"
    );
    assert_eq!(
        told(parse_ele, change(ELE, "2 4 1\n", &format!("2 {many} 1\n"))),
        format!("line 1: elements have {many} corners, but tetrahedra have 4 or 10")
    );
    assert_eq!(
        told(parse_ele, change(ELE, "1 1 2 3 4 1", &format!("1 {} 2 3 4 1", i64::MIN))),
        format!("line 2: tetrahedron refers to vertex {}, but the file has 5 vertices", i64::MIN)
    );
}

#[test]
fn gltf_reaches() {
    let json = gltf_with_uri("triangle.bin");
    let most = u64::MAX;
    let view = "\"byteLength\":72";
    let outside = "mesh 0: buffer view 0 reaches outside its buffer";
    let beyond = "mesh 0: accessor 0 reaches outside buffer view 0";
    for (from, to, sentence) in [
        (view, format!("\"byteOffset\":{most},{view}"), outside),
        (view, format!("\"byteLength\":{most}"), outside),
        ("\"buffer\":0", "\"buffer\":7".into(), outside),
        (view, format!("\"byteStride\":{most},{view}"), beyond),
        ("\"bufferView\":0", format!("\"bufferView\":0,\"byteOffset\":{most}"), beyond),
        (
            view,
            format!("\"byteStride\":0,{view}"),
            "mesh 0: accessor 0 has items of 12 bytes in strides of 0",
        ),
        (
            "\"bufferView\":0",
            "\"bufferView\":7".into(),
            "mesh 0: accessor 0 refers to buffer view 7, which does not exist",
        ),
        (
            "\"POSITION\":0",
            "\"POSITION\":7".into(),
            "mesh 0: accessor 7 is used, but does not exist",
        ),
        ("\"mesh\":0", "\"mesh\":7".into(), "a node refers to mesh 7, but there are 1"),
        (
            "\"count\":6",
            "\"count\":5".into(),
            "mesh 0: an index refers to vertex 5, but the primitive has 5",
        ),
        ("5126", "5130".into(), "mesh 0: accessor 0 has the unknown component type 5130"),
        (
            "\"indices\":1",
            "\"indices\":1,\"mode\":7".into(),
            "mesh 0: a primitive has the mode 7, but modes are 0 to 6",
        ),
        ("\"scene\":0", "\"scene\":7".into(), "the default scene is 7, but there are 1"),
        (
            "\"byteLength\":84",
            "\"byteLength\":18446744073709551616".into(),
            "line 8: the JSON is not a glTF document: invalid type: floating point \
             `1.8446744073709552e+19`, expected usize",
        ),
    ] {
        assert_eq!(told(parse_gltf, change(&json, from, &to)), sentence);
    }
    // Nodes in a circle, and no scene that names one of them: nowhere to start.
    let circle = change(&json, "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],", "");
    let circle = change(&circle, "\"mesh\":0", "\"mesh\":0,\"children\":[0]");
    assert_eq!(told(parse_gltf, circle), "the file has no vertices");
}

#[test]
fn glb_lengths() {
    let file = glb(&gltf_json(""), &triangle_buffer());
    for (at, bytes, sentence) in [
        (4, [1, 0, 0, 0], "byte 4: only GLB version 2 can be read, this is 1"),
        (8, [255; 4], "byte 8: the header declares 4294967295 bytes, the file has 688"),
        (12, [255; 4], "byte 20: the file ends: 4294967295 more bytes are needed, 668 are left"),
        (16, *b"nosj", "byte 604: the file has no JSON chunk"),
    ] {
        assert_eq!(told(parse_gltf, with(&file, at, &bytes)), sentence);
    }
}

#[test]
fn deep_json() {
    let json = gltf_with_uri("triangle.bin");
    let not = "the JSON is not a glTF document: invalid type";
    for (open, inside, close, kind) in [("[", "", "]", "sequence"), ("{\"a\":", "1", "}", "map")] {
        let deep = format!("{}{inside}{}", open.repeat(10_000), close.repeat(10_000));
        // What plays no part is passed over, however deep it is.
        let extras = change(&json, "\"scene\":0", &format!("\"extras\":{deep},\"scene\":0"));
        assert_eq!(parse_gltf(extras.as_bytes()), parse_gltf(json.as_bytes()));
        let mesh = change(&json, "\"mesh\":0", &format!("\"mesh\":{deep}"));
        assert_eq!(told(parse_gltf, mesh), format!("line 3: {not}: {kind}, expected usize"));
    }
    assert_eq!(
        told(parse_gltf, "[".repeat(10_000)),
        format!("line 1: {not}: sequence, expected a string")
    );
}

#[test]
fn long_lines() {
    let word = "x".repeat(1 << 20);
    let shown = format!("`{}…`", "x".repeat(40));
    assert_eq!(
        told(parse_obj, format!("v 0 0 {word}\n")),
        format!("line 1: {shown} is not a number")
    );
    assert_eq!(
        told(parse_ply, format!("ply\n{word}\n")),
        format!("line 2: {shown} is not a line of a PLY header")
    );
    assert_eq!(
        told(parse_stl, format!("solid a\n{word}\n")),
        format!("line 2: {shown} is not an STL keyword")
    );
    assert_eq!(told(parse_msh, &word), format!("line 1: {shown} is not a section"));
    assert_eq!(told(parse_node, &word), format!("line 1: {shown} is not a whole number"));
    assert_eq!(
        told(parse_gltf, gltf_with_uri(&format!("../{word}"))),
        format!(
            "the buffer `../{}…` is outside the file's folder; \
             put the buffer beside the file and name it without a path",
            "x".repeat(37)
        )
    );
    let json = change(&gltf_with_uri("a"), "\"mesh\":0", &format!("\"mesh\":\"{word}\""));
    let told_json = told(parse_gltf, json);
    let start = "line 3: the JSON is not a glTF document: invalid type: string \"xxx";
    assert!(told_json.starts_with(start) && told_json.len() < 300, "{}", told_json.len());
    let mesh = parse_obj(format!("o {word}\n{}", change(OBJ, "o sheet\n", "")).as_bytes()).unwrap();
    assert!(mesh.groups.iter().any(|(name, _)| *name == word[..1024]));
}

#[test]
fn bad_utf_8() {
    let bad = |text: &str| text.bytes().map(|b| if b == b'?' { 0xff } else { b }).collect();
    let bad: &dyn Fn(&str) -> Vec<u8> = &bad;
    let mesh = parse_obj(&bad("o sh?et\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")).unwrap();
    assert_eq!(mesh.groups[0].0, "sh\u{fffd}et");
    assert_eq!(told(parse_obj, bad("v 0 ? 0\n")), "line 1: `\u{fffd}` is not a number");
    assert_eq!(
        told(parse_ply, bad("ply\nf?rmat ascii 1.0\n")),
        "line 2: `f\u{fffd}rmat ascii 1.0` is not a line of a PLY header"
    );
    assert_eq!(
        told(parse_stl, bad("solid a\nf?cet\n")),
        "line 2: `f\u{fffd}cet` is not an STL keyword"
    );
    assert_eq!(
        told(parse_gltf, bad("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"?\"}]}")),
        "line 1: the JSON is not a glTF document: invalid unicode code point"
    );
}
