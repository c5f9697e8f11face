//! What the importers make of good files.

use crate::common::*;
use hooke_scene::import::{Limits, Mesh, gltf, read};

fn group<'m>(mesh: &'m Mesh, name: &str) -> &'m [u32] {
    let found = mesh.groups.iter().find(|(known, _)| known == name);
    &found.unwrap_or_else(|| panic!("no group {name} in {:?}", mesh.groups)).1
}

#[test]
fn every_fixture_is_read() {
    for (name, parse, bytes) in all() {
        let mesh = parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(mesh.positions.len() >= 4, "{name}");
        assert!(mesh.triangles.len() + mesh.tets.len() >= 2, "{name}");
    }
}

#[test]
fn obj_quads_groups_and_negative_indices() {
    let mesh = parse_obj(OBJ.as_bytes()).unwrap();
    assert_eq!(mesh.positions[3], [0.0, 1.0, 0.5]);
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]], "0–2 is shorter than 1–3");
    assert_eq!(mesh.edges, [[0, 3]]);
    assert_eq!(mesh.uvs.as_deref().unwrap()[3], [0.0, 1.0]);
    for name in ["top", "rim", "silk", "sheet"] {
        assert_eq!(group(&mesh, name), [0, 1, 2, 3]);
    }
    assert_eq!(mesh.notes, ["1 quad was split along the shorter diagonal"]);
}

#[test]
fn obj_quads_are_split_along_the_shorter_diagonal() {
    let kite = "v 0 0 0\nv 2 -1 0\nv 4 0 0\nv 2 1 0\nf 1 2 3 4\n";
    assert_eq!(parse_obj(kite.as_bytes()).unwrap().triangles, [[0, 1, 3], [1, 2, 3]]);
}

#[test]
fn obj_oddities() {
    let text = "v 0 0 0 1.0\r\nv 1 0 0 0.5 0.5 0.5\r\nf 1 2 \\\r\n 3 4 5 # five\r\n\
                v 1 1 0\r\nv 0 1 0\r\nv -1 0 0\r\nv 9 9 9\r\nfoo bar\r\nf 1 1 2\r\n";
    let mesh = parse_obj(text.as_bytes()).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    assert_eq!(
        mesh.notes,
        [
            "statements that Hooke does not know were passed over: `foo`",
            "1 polygon was split into a fan of triangles",
            "1 element was dropped: a corner occurs twice (line 10)",
            "vertex 5 is used by no element and kept",
        ]
    );
}

#[test]
fn obj_texture_seams_keep_the_vertex_whole() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 1\nf 1/1 2/1 3/1\nf 2/2 4/2 3/1\n";
    let mesh = parse_obj(text.as_bytes()).unwrap();
    assert_eq!(mesh.positions.len(), 4);
    assert_eq!(mesh.uvs.unwrap(), [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]);
    assert_eq!(
        mesh.notes,
        ["1 vertex lies on a texture seam: the first texture coordinate was kept"]
    );
}

#[test]
fn stl_is_welded_alike_in_text_and_binary() {
    let (text, binary) = (parse_stl(STL.as_bytes()).unwrap(), parse_stl(&binary_stl()).unwrap());
    assert_eq!(text.triangles, [[0, 1, 2], [1, 3, 2]]);
    assert_eq!((&text.positions, &text.triangles), (&binary.positions, &binary.triangles));
    assert_eq!(text.notes, ["2 duplicate vertices were welded (exactly equal positions)"]);
    assert_eq!(group(&text, "two"), [0, 1, 2, 3]);
}

#[test]
fn a_binary_stl_may_begin_with_the_word_solid() {
    let mut bytes = binary_stl();
    bytes[..5].copy_from_slice(b"solid");
    assert_eq!(parse_stl(&bytes).unwrap().triangles.len(), 2);
}

#[test]
fn ply_is_the_same_in_all_encodings() {
    let text = parse_ply(PLY.as_bytes()).unwrap();
    assert_eq!(text.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(text.edges, [[0, 3]]);
    assert_eq!(parse_ply(&binary_ply(false)).unwrap(), text);
    assert_eq!(parse_ply(&binary_ply(true)).unwrap(), text);
}

#[test]
fn gltf_applies_transforms_and_welds_seams() {
    let mesh = parse_gltf(&glb(&gltf_json(""), &triangle_buffer())).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
    let wanted = [[0.0, 10.0, 0.0], [0.0, 12.0, 0.0], [-1.0, 10.0, 0.0], [-1.0, 12.0, 0.0]];
    for (found, wanted) in mesh.positions.iter().zip(wanted) {
        let error = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-12, "{found:?} instead of {wanted:?}");
    }
    assert_eq!(group(&mesh, "flag"), [0, 1, 2, 3]);
    assert_eq!(group(&mesh, "sheet"), [0, 1, 2, 3]);
    assert_eq!(mesh.notes, ["2 duplicate vertices were welded (exactly equal positions)"]);
    for uri in ["triangle.bin".to_owned(), data_uri()] {
        assert_eq!(parse_gltf(gltf_with_uri(&uri).as_bytes()).unwrap(), mesh);
    }
}

#[test]
fn gltf_strips_fans_and_lines() {
    let with_mode = |mode: u32| {
        let json =
            gltf_json("").replace("\"indices\":1", &format!("\"indices\":1,\"mode\":{mode}"));
        parse_gltf(&glb(&json, &triangle_buffer())).unwrap()
    };
    assert_eq!(with_mode(1).edges, [[0, 1], [2, 1], [3, 2]]);
    assert_eq!(with_mode(2).edges, [[0, 1], [1, 2], [2, 1], [1, 3], [3, 2], [2, 0]]);
    assert_eq!(with_mode(3).edges, [[0, 1], [1, 2], [2, 1], [1, 3], [3, 2]]);
    assert_eq!(with_mode(5).triangles, [[0, 1, 2], [2, 1, 3], [3, 1, 2]], "one collapses");
    assert_eq!(with_mode(6).triangles, [[0, 1, 2], [0, 2, 1], [0, 1, 3], [0, 3, 2]]);
}

#[test]
fn gltf_external_names_are_decoded_and_plain() {
    let mut asked = Vec::new();
    let json = gltf_with_uri("my%20mesh.bin");
    gltf::parse(json.as_bytes(), &Limits::default(), &mut |name, _| {
        asked.push(name.to_owned());
        Ok(triangle_buffer())
    })
    .unwrap();
    assert_eq!(asked, ["my mesh.bin"]);
}

#[test]
fn msh_versions_agree() {
    let two = parse_msh(MSH_2).unwrap();
    assert_eq!(two.positions.len(), 14);
    assert_eq!((two.tets.len(), two.triangles.len(), two.edges.len()), (24, 4, 1));
    assert_eq!(group(&two, "pin"), [0]);
    assert_eq!(group(&two, "bottom side"), [1, 3, 5, 7, 12]);
    assert_eq!(group(&two, "body").len(), 14);
    assert_eq!(group(&two, "physical-1-4"), [0, 1]);
    let volume: f64 = two.tets.iter().map(|tet| volume(&two, *tet)).sum();
    assert!((volume - 1.0).abs() < 1e-12, "a unit cube has the volume {volume}");
    assert_eq!(parse_msh(MSH_4).unwrap(), two);
    assert_eq!(parse_msh(MSH_4_BINARY).unwrap(), two);
}

fn volume(mesh: &Mesh, tet: [u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|corner| mesh.positions[corner as usize]);
    let from_a = |p: [f64; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
    let (u, v, w) = (from_a(b), from_a(c), from_a(d));
    (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
        + u[2] * (v[0] * w[1] - v[1] * w[0]))
        / 6.0
}

#[test]
fn tetgen_counts_from_zero_or_one() {
    let one = parse_ele(ELE.as_bytes()).unwrap();
    assert_eq!(one.tets, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(group(&one, "marker-7"), [2, 3]);
    assert_eq!(group(&one, "region-2"), [1, 2, 3, 4]);
    let nodes = "2 3\n0 0 0 0\n1 1 0 0\n";
    let mesh = hooke_scene::import::tetgen::parse(nodes.as_bytes(), None, &Limits::default());
    assert_eq!(mesh.unwrap().positions.len(), 2);
}

#[test]
fn files_are_chosen_by_extension() {
    let folder = Folder::new("extension");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.0.join(name), bytes).unwrap();
    write("a.OBJ", OBJ.as_bytes());
    write("b.stl", &binary_stl());
    write("c.ply", PLY.as_bytes());
    write("d.gltf", gltf_with_uri("triangle.bin").as_bytes());
    write("triangle.bin", &triangle_buffer());
    write("e.glb", &glb(&gltf_json(""), &triangle_buffer()));
    write("f.msh", MSH_4_BINARY);
    write("g.node", NODE.as_bytes());
    write("g.ele", ELE.as_bytes());
    for name in ["a.OBJ", "b.stl", "c.ply", "d.gltf", "e.glb", "f.msh", "g.node", "g.ele"] {
        let mesh = read(&folder.0.join(name), &Limits::default());
        let mesh = mesh.unwrap_or_else(|error| panic!("{error}"));
        assert!(mesh.triangles.len() + mesh.tets.len() >= 2, "{name}");
    }
}

/// Text with and without the mark of UTF-8 is the same mesh; UTF-16 is told.
#[test]
fn a_mark_before_a_text_changes_nothing() {
    let mut texts = 0;
    for (name, parse, bytes) in all() {
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        if text.contains('\0') {
            continue;
        }
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        assert_eq!(parse(&marked).unwrap(), parse(text.as_bytes()).unwrap(), "{name}");
        let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect()
        };
        for bytes in [wide(u16::to_le_bytes), wide(u16::to_be_bytes)] {
            let told = parse(&bytes).unwrap_err().to_string();
            assert_eq!(told, "is text in UTF-16; save it as UTF-8", "{name}");
        }
        texts += 1;
    }
    assert!(texts >= 9, "{texts}");
}

#[test]
fn skeletons_may_have_a_mark() {
    use hooke_scene::import::skeleton::parse;
    let bvh = "HIERARCHY ROOT a { OFFSET 0 1 0 CHANNELS 0 End Site { OFFSET 0 2 0 } }\nMOTION\n";
    let urdf = "<robot name=\"r\"><joint name=\"j\" type=\"fixed\"><parent link=\"a\"/>\
                <child link=\"b\"/></joint></robot>";
    for (file, text) in [("a.bvh", bvh), ("a.urdf", urdf)] {
        let marked = format!("\u{feff}{text}");
        let skeleton = parse(marked.as_bytes(), file.as_ref()).unwrap();
        assert_eq!(skeleton.names, parse(text.as_bytes(), file.as_ref()).unwrap().names);
        let told = parse(b"\xff\xfea\0", file.as_ref()).unwrap_err().to_string();
        assert_eq!(told, format!("{file}: is text in UTF-16; save it as UTF-8"));
    }
}

/// What a file declares of nodes and elements is what it holds.
#[test]
fn msh_totals_are_compared() {
    let text = std::str::from_utf8(MSH_4).unwrap();
    let elements = text.split_once("$Elements\n").unwrap().1.lines().next().unwrap();
    let numbers: Vec<i64> = elements.split_whitespace().map(|n| n.parse().unwrap()).collect();
    let [blocks, all, low, high] = numbers[..] else { panic!("{elements}") };
    for (from, to, told) in [
        ("$Nodes\n16 14 1 14", "$Nodes\n16 -4 1 14".to_owned(), "-4 is not a count".to_owned()),
        (
            "$Nodes\n16 14 1 14",
            "$Nodes\n16 15 1 14".into(),
            "15 nodes are declared, but there are 14".into(),
        ),
        ("$Nodes\n16 14 1 14", "$Nodes\n-16 14 1 14".into(), "-16 is not a count".into()),
        (
            elements,
            format!("{blocks} {} {low} {high}", all + 1),
            format!("{} elements are declared, but there are {all}", all + 1),
        ),
        (elements, format!("{blocks} -1 {low} {high}"), "-1 is not a count".into()),
        ("$PhysicalNames\n3", "$PhysicalNames\n-3".into(), "-3 is not a count".into()),
        ("$Entities\n8", "$Entities\n-8".into(), "-8 is not a count".into()),
    ] {
        let error = parse_msh(text.replacen(from, &to, 1).as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("line ") && error.ends_with(&told), "{to}: {error}");
    }
    let wider = text.replacen("$Nodes\n16 14 1 14", "$Nodes\n16 14 1 99", 1);
    assert_eq!(
        parse_msh(wider.as_bytes()).unwrap().notes[0],
        "the tags of nodes go from 1 to 14, not from 1 to 99 as is declared"
    );
    let old = std::str::from_utf8(MSH_2).unwrap().replacen("$Nodes\n", "$Nodes\n-", 1);
    assert!(parse_msh(old.as_bytes()).unwrap_err().to_string().ends_with("is not a count"));
}

#[test]
fn tetgen_counts_are_compared() {
    for (node, told) in [
        (NODE.replacen("5 3", "-5 3", 1), "line 2: -5 is not a count"),
        (
            NODE.replacen("5 3", "4 3", 1),
            "line 7: a point beyond the 4 rows that the file declares",
        ),
        (NODE.replacen("5 3", "6 3", 1), "the file ends after 5 rows, but declares 6 (point)"),
    ] {
        let error = parse_node(node.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    let error = parse_ele(ELE.replacen("2 4", "1 4", 1).as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "line 3: a tetrahedron beyond the 1 row that the file declares");
}

#[test]
fn files_that_are_read_with_another_are_known() {
    use hooke_scene::import::companions;
    let folder = std::env::temp_dir().join(format!("hooke-companions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("a.node", NODE);
    assert!(companions(&folder.join("a.node")).is_empty());
    write("a.ele", ELE);
    assert_eq!(companions(&folder.join("a.node")), [folder.join("a.ele")]);
    assert_eq!(companions(&folder.join("a.ele")), [folder.join("a.node")]);
    write("a.gltf", &gltf_with_uri("a%20b.bin"));
    assert_eq!(companions(&folder.join("a.gltf")), [folder.join("a b.bin")]);
    write("a.gltf", &gltf_with_uri("../out.bin"));
    assert!(companions(&folder.join("a.gltf")).is_empty());
    write("a.gltf", &gltf_with_uri(&data_uri()));
    assert!(companions(&folder.join("a.gltf")).is_empty());
    let _ = std::fs::remove_dir_all(folder);
}
