//! Meshes: what is put right and told, what is only told, what stops a scene.

use crate::{check, fine, folder, lines, problems};
use hooke_scene::{Compiled, Scene};

/// Two triangles over a unit square.
const SQUARE: &str = "[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]";

fn cloth(positions: &str, triangles: &str) -> String {
    format!(
        "format = 1\n[[deformables]]\npositions = {positions}\nmass = 1\nstructural = {{ stiffness = 1 }}\n\
         triangles = {triangles}\n"
    )
}

fn solid(positions: &str, tetrahedra: &str) -> String {
    cloth(positions, tetrahedra).replace("triangles", "tetrahedra")
}

#[test]
fn triangles_of_a_scene() {
    fine(&cloth(SQUARE, "[[0,1,2],[1,3,2]]"));
    let wing = "[[0,0,0],[1,0,0],[0,1,0],[0,-1,0],[0,0,1]]";
    check(
        &[
            (
                cloth(SQUARE, "[[0,1,1]]"),
                "error: scene.toml:6: deformables[0].triangles[0][2]: names vertex 1 twice",
            ),
            (
                cloth(SQUARE, "[[0,1,2],[1,9,2]]"),
                "error: scene.toml:6: deformables[0].triangles[1][1]: there is no vertex 9: the deformable has 4 \
                 vertices",
            ),
            (
                cloth("[[0,0,0],[1,0,0],[2,0,0]]", "[[0,1,2]]"),
                "error: scene.toml:6: deformables[0].triangles: triangle 0 [0, 1, 2] has no area",
            ),
            (
                cloth("[[0,0,0],[0.1,0.1,0],[0.3,0.3,0]]", "[[0,1,2]]"),
                "error: scene.toml:6: deformables[0].triangles: triangle 0 [0, 1, 2] has no area",
            ),
            (
                cloth(SQUARE, "[[0,1,2],[1,3,2],[2,0,1]]"),
                "error: scene.toml:6: deformables[0].triangles: triangle 2 [2, 0, 1] is there twice",
            ),
            (
                cloth(wing, "[[0,1,2],[1,0,3],[0,1,4]]"),
                "error: scene.toml:6: deformables[0].triangles: the edge between vertices 0 and 1 belongs \
                 to three triangles; a cloth's edges have at most two",
            ),
            (
                cloth(SQUARE, "[[0,1,2],[1,2,3]]"),
                "warning: scene.toml:6: deformables[0].triangles: triangle 1 [1, 2, 3] faces the other way \
                 than its neighbors and is flipped",
            ),
            (
                cloth(SQUARE, "[[0,1,2]]"),
                "warning: scene.toml:6: deformables[0].triangles: vertex 3 belongs to no triangle",
            ),
            (
                cloth("[[0,0,0],[1,0,0],[0,1,0],[5,0,0],[6,0,0]]", "[[0,1,2]]"),
                "warning: scene.toml:6: deformables[0].triangles: 2 vertices belong to no triangle; the \
                 first is vertex 3",
            ),
            (
                // A corner of two triangles on the right lies on the middle of the left one's edge.
                cloth(
                    "[[0,0,0],[1,-1,0],[1,1,0],[1,0,0],[2,-1,0],[2,1,0]]",
                    "[[0,1,2],[1,4,3],[3,5,2]]",
                ),
                "warning: scene.toml:6: deformables[0].triangles: vertex 3 on the edge between vertices 1 \
                 and 2 is not joined to it: the surface is open there",
            ),
        ],
        str::to_owned,
    );
}

/// A strip of triangles, turned by half before it is closed.
#[test]
fn a_strip_with_one_side() {
    let points: Vec<String> = (0..5)
        .flat_map(|k| {
            let rotation = std::f64::consts::TAU * f64::from(k) / 5.0;
            let (sin, cos) = rotation.sin_cos();
            let (lift, reach) = (rotation / 2.0).sin_cos();
            [1.0, -1.0].map(|side| {
                let radius = 3.0 + side * reach;
                format!("[{}, {}, {}]", radius * cos, side * lift, radius * sin)
            })
        })
        .collect();
    let mut triangles = Vec::new();
    for k in 0..5 {
        let [a, b, mut c, mut d] = [2 * k, 2 * k + 1, (2 * k + 2) % 10, (2 * k + 3) % 10];
        if k == 4 {
            (c, d) = (d, c);
        }
        triangles.push(format!("[{a}, {b}, {c}]"));
        triangles.push(format!("[{b}, {d}, {c}]"));
    }
    let text = cloth(&format!("[{}]", points.join(", ")), &format!("[{}]", triangles.join(", ")));
    assert_eq!(
        lines(&problems(&text))[0],
        "warning: scene.toml:6: deformables[0].triangles: the surface has one side only, like a Möbius \
         strip: its triangles cannot all face alike across the edge between vertices 5 and 6"
    );
}

#[test]
fn tetrahedra_of_a_scene() {
    let corner = "[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]";
    fine(&solid(corner, "[[0,1,2,3]]"));
    fine(&solid(&corner.replace('1', "1e-6"), "[[0,1,2,3]]"));
    fine(&solid(&corner.replace('1', "1e11"), "[[0,1,2,3]]"));
    check(
        &[
            (
                solid(corner, "[[0,1,2,2]]"),
                "error: scene.toml:6: deformables[0].tetrahedra[0][3]: names vertex 2 twice",
            ),
            (
                solid(corner, "[[0,1,2,4]]"),
                "error: scene.toml:6: deformables[0].tetrahedra[0][3]: there is no vertex 4: the deformable has \
                 4 vertices",
            ),
            (
                solid("[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]", "[[0,1,2,3]]"),
                "error: scene.toml:6: deformables[0].tetrahedra: tetrahedron 0 [0, 1, 2, 3] has no volume",
            ),
            (
                solid(corner, "[[0,1,2,3],[3,2,1,0]]"),
                "error: scene.toml:6: deformables[0].tetrahedra: tetrahedron 1 [3, 2, 1, 0] is there twice",
            ),
            (
                solid(
                    "[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0,0,-1],[0,0,2]]",
                    "[[0,1,2,3],[0,2,1,4],[0,1,2,5]]",
                ),
                "error: scene.toml:6: deformables[0].tetrahedra: the face of vertices 0, 1 and 2 belongs \
                 to three tetrahedra; a body's faces have at most two",
            ),
            (
                solid(corner, "[[0,2,1,3]]"),
                "warning: scene.toml:6: deformables[0].tetrahedra: tetrahedron 0 [0, 2, 1, 3] is inside \
                 out and is flipped",
            ),
            (
                solid("[[0,0,0],[1,0,0],[0,1,0],[0.3,0.3,1e-8]]", "[[0,1,2,3]]"),
                "warning: scene.toml:6: deformables[0].tetrahedra: tetrahedron 0 [0, 1, 2, 3] is nearly \
                 flat: it has 5.0e-9 of the volume of a regular one with its longest edge",
            ),
            (
                solid(&corner.replace('1', "1e200"), "[[0,1,2,3]]"),
                "error: scene.toml:3: deformables[0].positions[1]: is farther than 1e12 m from the origin",
            ),
        ],
        str::to_owned,
    );
}

/// A body whose mesh is in a file of this text.
fn from_file(name: &str, mesh: &str, more: &str) -> (Vec<String>, Option<Compiled>) {
    let folder = folder(&format!("mesh-{name}"));
    std::fs::write(folder.join(name), mesh).expect("a mesh");
    let text = format!(
        "format = 1\n[[deformables]]\nmesh = \"{name}\"\nstructural = {{ stiffness = 1 }}\n{more}\n"
    );
    let scene = Scene::parse_in(text, "scene.toml", &folder).expect("a scene");
    match scene.compile() {
        Ok(compiled) => (lines(&compiled.warnings), Some(compiled)),
        Err(problems) => (lines(&problems), None),
    }
}

#[test]
fn meshes_of_files_are_mended() {
    let square = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";
    for (name, faces, message, triangles) in [
        (
            "flat.obj",
            "f 1 2 3\nf 2 4 3\nv 0.5 0 0\nf 1 5 2\n",
            "triangle 2 [0, 4, 1] has no area and is ignored",
            vec![[0, 1, 2], [1, 3, 2]],
        ),
        (
            "twice.obj",
            "f 1 2 3\nf 2 4 3\nf 2 3 1\nf 3 1 2\n",
            "2 triangles are duplicates and are ignored; the first is triangle 2 [1, 2, 0]",
            vec![[0, 1, 2], [1, 3, 2]],
        ),
        (
            "rotated.obj",
            "f 1 2 3\nf 2 3 4\n",
            "triangle 1 [1, 2, 3] faces the other way than its neighbors and is flipped",
            vec![[0, 1, 2], [1, 3, 2]],
        ),
        (
            "collapsed.obj",
            "f 1 2 3\nf 2 4 3\nf 2 2 3\n",
            "1 element was dropped: a corner occurs twice (line 7)",
            vec![[0, 1, 2], [1, 3, 2]],
        ),
    ] {
        let (told, compiled) = from_file(name, &format!("{square}{faces}"), "masses = 1");
        let message = format!("warning: scene.toml:3: deformables[0].mesh: {message}");
        assert_eq!(told.first(), Some(&message), "{name}");
        assert_eq!(compiled.expect("a model").model.triangles(), triangles, "{name}");
    }
}

/// Most of a surface decides which way is right.
#[test]
fn the_minority_is_turned() {
    let strip = "v 0 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 2 0 0\nv 2 1 0\n\
                 f 1 2 3\nf 2 3 4\nf 4 3 5\nf 5 6 4\n";
    let (told, compiled) = from_file("minority.obj", strip, "mass = 1");
    assert_eq!(
        told,
        [
            "warning: scene.toml:3: deformables[0].mesh: triangle 0 [0, 1, 2] faces the other way than its \
          neighbors and is flipped"
        ]
    );
    let compiled = compiled.expect("a model");
    let up = |&[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|i| compiled.model.rest()[i as usize]);
        (b - a).cross(c - a).z > 0.0
    };
    assert!(compiled.model.triangles().iter().all(up));
}

#[test]
fn vertices_of_no_element() {
    let mesh = "v 0 0 0\nv 1 0 0\nv 7 7 7\nv 0 1 0\nf 1 2 4\n";
    let (told, _) = from_file("loose.obj", mesh, "mass = 1");
    assert_eq!(
        told,
        [
            "error: scene.toml:5: deformables[0].mass: vertex 2 belongs to no element and would have no \
             mass; remove it, or give masses",
            "warning: scene.toml:3: deformables[0].mesh: vertex 2 is used by no element and kept",
        ]
    );
    let (told, compiled) = from_file("loose.obj", mesh, "masses = 1");
    assert_eq!(
        told,
        ["warning: scene.toml:3: deformables[0].mesh: vertex 2 is used by no element and kept"]
    );
    let model = compiled.expect("a model").model;
    assert_eq!(model.triangles(), [[0, 1, 3]]);
    assert_eq!((model.particles(), model.masses()[2]), (4, 1.0));
    let springs: Vec<_> = (0..3).map(|n| model.elements()[0].view(n).corners).collect();
    assert_eq!(springs, [[0, 1], [0, 3], [1, 3]]);
}

#[test]
fn tetrahedra_of_files_are_mended() {
    let nodes = "6 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 0\n6 0 0 -1\n";
    let folder = folder("mesh-tets");
    std::fs::write(folder.join("box.node"), nodes).expect("nodes");
    let elements = "4 4\n1 1 2 3 4\n2 1 2 3 5\n3 4 3 2 1\n4 1 2 3 6\n";
    std::fs::write(folder.join("box.ele"), elements).expect("elements");
    let text = "format = 1\n[[deformables]]\nmesh = \"box.ele\"\nmasses = 1\nstructural = { stiffness = 1 }\n";
    let scene = Scene::parse_in(text, "scene.toml", &folder).expect("a scene");
    let compiled = scene.compile().unwrap_or_else(|problems| panic!("{problems}"));
    let place = "warning: scene.toml:3: deformables[0].mesh: ";
    assert_eq!(
        lines(&compiled.warnings),
        [
            "tetrahedron 1 [0, 1, 2, 4] has no volume and is ignored",
            "tetrahedron 2 [3, 2, 1, 0] is a duplicate and is ignored",
            "tetrahedron 3 [0, 1, 2, 5] is inside out and is flipped",
        ]
        .map(|sentence| format!("{place}{sentence}"))
    );
    assert_eq!(compiled.model.tetrahedra(), [[0, 1, 2, 3], [0, 1, 5, 2]]);
}

#[test]
fn meshes_that_stop_a_scene() {
    for (name, mesh, message) in [
        ("empty.obj", "", "FOLDER/empty.obj: the file has no vertices"),
        (
            "points.obj",
            "v 0 0 0\nv 1 0 0\nl 1 2\n",
            "the file has neither triangles nor tetrahedra",
        ),
        (
            "index.obj",
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
            "FOLDER/index.obj:4: face refers to vertex 4, but the file has 3 vertices",
        ),
        (
            "nan.obj",
            "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
            "FOLDER/nan.obj:1: the z coordinate of vertex 1 is not finite (NaN)",
        ),
        (
            "far.obj",
            "v 0 0 0\nv 1e200 0 0\nv 0 1 0\nf 1 2 3\n",
            "vertex 1 is farther than 1e12 m from the origin",
        ),
        (
            "mesh.xyz",
            "",
            "FOLDER/mesh.xyz: meshes of type `xyz` cannot be read; convert it to one of .obj .ply .stl \
             .gltf .glb .msh .node .ele",
        ),
    ] {
        let (told, _) = from_file(name, mesh, "mass = 1");
        let folder = folder(&format!("mesh-{name}")).display().to_string();
        let message = message.replace("FOLDER", &folder);
        assert_eq!(told, [format!("error: scene.toml:3: deformables[0].mesh: {message}")]);
    }
    let text = "format = 1\n[[deformables]]\nmesh = \"nowhere.obj\"\nmass = 1\n";
    assert_eq!(
        lines(&problems(text)),
        [
            "error: scene.toml:3: deformables[0].mesh: nowhere.obj: cannot be read: there is no such file or \
          folder"
        ]
    );
}

#[test]
fn obstacles_of_files_are_closed() {
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let told = |mesh: &str, more: &str| {
        let folder = folder("obstacle");
        std::fs::write(folder.join("rock.obj"), mesh).expect("a mesh");
        let text = format!(
            "format = 1\n[[deformables]]\npositions = [[9, 9, 9], [0.1, 0.1, 0.15]]\nmasses = 1\n\
             [[obstacles]]\nmesh = {{ file = \"rock.obj\"{more} }}\n"
        );
        match Scene::parse_in(text, "scene.toml", &folder).and_then(|scene| scene.compile()) {
            Ok(compiled) => lines(&compiled.warnings),
            Err(problems) => lines(&problems),
        }
    };
    let place = "error: scene.toml:6: obstacles[0].mesh.file: ";
    assert_eq!(
        told(&format!("{corners}{faces}"), ", center = [3, 0, 0], scale = 2"),
        [] as [&str; 0]
    );
    assert_eq!(
        told(&format!("{corners}{faces}"), ""),
        [
            "error: scene.toml:2: deformables[0]: vertex 1 starts 0.1 m inside obstacles[0]; move one of \
          them apart"
        ]
    );
    assert_eq!(
        told(&format!("{corners}f 1 3 2\nf 1 2 4\nf 1 4 3\n"), ""),
        [format!(
            "{place}an obstacle needs a closed surface, all triangles oriented alike; along the edge \
             between vertices 1 and 2 they do not close"
        )]
    );
    assert_eq!(
        told(&format!("{corners}f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"), ""),
        [format!(
            "{place}an obstacle needs a surface that is not inside out: its triangles must run \
             counter-clockwise seen from outside"
        )]
    );
    let lines = told("v 0 0 0\nv 1 0 0\nl 1 2\n", "");
    assert_eq!(lines, [format!("{place}the file has no triangles")]);
    assert_eq!(
        told(&format!("{corners}{faces}"), ", scale = 1e-10"),
        ["error: scene.toml:6: obstacles[0].mesh.scale: must be from 1e-9 to 1e9 (got 1e-10)"]
    );
}
