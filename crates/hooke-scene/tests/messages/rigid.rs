//! Rigid bodies: shapes, masses, those that are repeated, joints, and what is tied to them.

use super::{check, fine, folder, lines};
use hooke_scene::Scene;

const RIGID: &str = "format = 1\n[[rigid_bodies]]\n";
const BOX: &str = "format = 1\n[[rigid_bodies]]\nname = \"box\"\nbox = { size = [1, 1, 1] }\n";

#[test]
fn shapes_and_masses() {
    check(
        &[
            (
                "",
                "error: scene.toml:2: rigid_bodies[0]: one of these must be given: floor, half_space, box, \
                 sphere, capsule, mesh",
            ),
            (
                "floor = {}",
                "error: scene.toml:3: rigid_bodies[0].floor.height: a body needs a shape with an end: no \
                 half-space and no room",
            ),
            (
                "capsule = { from = [0, 0, 0], radius = 0.1 }",
                "error: scene.toml:3: rigid_bodies[0].capsule.to: is missing; it goes with from",
            ),
            (
                "capsule = { to = [0, 0, 0], length = 1, radius = 0.1 }",
                "error: scene.toml:3: rigid_bodies[0].capsule.to: goes with from",
            ),
            (
                "box = {}",
                "error: scene.toml:3: rigid_bodies[0].box.size: is missing; it takes a list of 3, each a \
                 number > 0",
            ),
            (
                "sphere = { radius = 0 }",
                "error: scene.toml:3: rigid_bodies[0].sphere.radius: must be > 0 (got 0)",
            ),
            (
                "sphere = { radius = 1 }\ndensity = -2",
                "error: scene.toml:4: rigid_bodies[0].density: must be from 1e-6 to 1e9 (got -2)",
            ),
            (
                "sphere = { radius = 1 }\ndensity = 2\nmass = 1",
                "error: scene.toml:5: rigid_bodies[0].mass: stands beside density; give one of density, \
                 mass",
            ),
            (
                "sphere = { radius = 1 }\nrotate = { axis = [0, 0, 0], degrees = 1 }",
                "error: scene.toml:4: rigid_bodies[0].rotate.axis: must not be zero",
            ),
            (
                "sphere = { radius = 1 }\nspin = { axis = [0, 0, 0], rate = 1 }",
                "error: scene.toml:4: rigid_bodies[0].spin.axis: must not be zero",
            ),
            (
                "sphere = { radius = 1 }\nrepeat = { count = [1000, 1000, 1] }",
                "error: scene.toml:2: rigid_bodies[0]: brings the scene to 1000000 rigid bodies, the limit \
                 is 100000",
            ),
            (
                "sphere = { radius = 1 }\nposition = [0, 1e13, 0]",
                "error: scene.toml:4: rigid_bodies[0].position: is farther than 1e12 m from the origin",
            ),
            (
                "mesh = { file = \"no.obj\" }",
                "error: scene.toml:3: rigid_bodies[0].mesh.file: no.obj: cannot be read: there is no such \
                 file or folder",
            ),
        ],
        |text| format!("{RIGID}{text}\n"),
    );
    fine(&format!("{BOX}restitution = 1\nrepeat = {{ count = [1, 3, 1], step = [0, 1, 0] }}\n"));
}

#[test]
fn meshes_are_closed_and_face_outwards() {
    let folder = folder("rigid-meshes");
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let told = |faces: &str| {
        std::fs::write(folder.join("tet.obj"), format!("{corners}{faces}")).expect("a file");
        let text = format!("{RIGID}mesh = {{ file = \"tet.obj\" }}\n");
        let scene = Scene::parse_in(text, "scene.toml", &folder).expect("a scene");
        match scene.compile() {
            Ok(compiled) => lines(&compiled.warnings),
            Err(problems) => lines(&problems),
        }
    };
    assert_eq!(told("f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"), [""; 0]);
    let open = told("f 1 3 2\nf 1 2 4\nf 1 4 3\n");
    assert!(open[0].starts_with("error: scene.toml:3: rigid_bodies[0].mesh.file: "), "{open:?}");
    assert!(open[0].contains("closed"), "{open:?}");
    let inverted = told("f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
    assert!(
        inverted[0].starts_with("error: scene.toml:3: rigid_bodies[0].mesh.file: "),
        "{inverted:?}"
    );
    assert!(inverted[0].contains("outside"), "{inverted:?}");
}

#[test]
fn names() {
    check(
        &[(
            "[[rigid_bodies]]\nname = \"box\"\nsphere = { radius = 1 }\nposition = [5, 0, 0]",
            "error: scene.toml:6: rigid_bodies[1].name: there is a rigid body \"box\" already",
        )],
        |text| format!("{BOX}{text}\n"),
    );
}

#[test]
fn joints() {
    let row = "[[rigid_bodies]]\nname = \"link\"\nsphere = { radius = 0.1 }\nposition = [2, 0, 0]\n\
               repeat = { count = [3, 1, 1], step = [1, 0, 0] }\n[[joints]]\n";
    check(
        &[
            (
                "ball = {}",
                "error: scene.toml:10: joints[0]: one of these must be given: between, row",
            ),
            (
                "between = [\"box\"]",
                "error: scene.toml:10: joints[0]: one of these must be given: ball, hinge, slider, \
                 distance",
            ),
            (
                "between = [\"bix\"]\nball = {}",
                "error: scene.toml:11: joints[0].between[0]: there is no rigid body \"bix\"; did you \
                 mean box?",
            ),
            (
                "between = [\"box\", \"link\"]\nball = {}",
                "error: scene.toml:11: joints[0].between[1]: there are 3 of \"link\"; name one, such \
                 as \"link[0]\"",
            ),
            (
                "between = [\"box\", \"link[3]\"]\nball = {}",
                "error: scene.toml:11: joints[0].between[1]: there is no \"link[3]\": \"link\" is 3 \
                 bodies, counted from 0",
            ),
            (
                "between = [\"box\", \"box\"]\nball = {}",
                "error: scene.toml:11: joints[0].between: names the same body twice",
            ),
            (
                "between = []\nball = {}",
                "error: scene.toml:11: joints[0].between: takes two names, or one for a joint with \
                 the world (got 0 names)",
            ),
            (
                "row = \"box\"\nball = {}",
                "error: scene.toml:11: joints[0].row: \"box\" is one body; a row has more",
            ),
            (
                "row = \"lonk\"\nball = {}",
                "error: scene.toml:11: joints[0].row: there is no rigid body \"lonk\"; did you mean \
                 link?",
            ),
            (
                "between = [\"box\"]\nhinge = { axis = [0, 0, 0] }",
                "error: scene.toml:12: joints[0].hinge.axis: must not be zero",
            ),
            (
                "between = [\"box\"]\nhinge = { limits = [20, 10] }",
                "error: scene.toml:12: joints[0].hinge.limits: must go from a lesser to a greater \
                 one",
            ),
            (
                "between = [\"box\"]\ndistance = {}",
                "error: scene.toml:12: joints[0].distance.to: is missing: where the joint holds the \
                 world",
            ),
            (
                "between = [\"box\"]\ndistance = { to = [0, 3, 0] }\nat = [0, 1, 0]",
                "error: scene.toml:13: joints[0].at: requires ball, hinge or slider; a distance has \
                 from and to",
            ),
        ],
        |text| format!("{BOX}{row}{text}\n"),
    );
    fine(&format!("{BOX}{row}row = \"link\"\nball = {{ swing = 40 }}\n"));
    fine(&format!(
        "{BOX}{row}between = [\"box\", \"link[2]\"]\ndistance = {{ limits = [0, 5] }}\n"
    ));
    check(
        &[(
            "name = \"shape-matching\"",
            "error: scene.toml:10: joints[0]: shape matching has no joints; use rigid_method.name = \
             \"impulse\"",
        )],
        |text| format!("{BOX}{row}row = \"link\"\nball = {{}}\n[rigid_method]\n{text}\n"),
    );
}

#[test]
fn the_method_of_rigid_bodies() {
    check(
        &[
            (
                "name = \"impulses\"",
                "error: scene.toml:6: rigid_method.name: must be one of \"impulse\", \
                 \"shape-matching\" (got \"impulses\")",
            ),
            (
                "substeps = 0",
                "error: scene.toml:6: rigid_method.substeps: must be from 1 to 1000 (got 0)",
            ),
            (
                "polar = \"map\"",
                "warning: scene.toml:6: rigid_method.polar: has no effect: it requires name = \
                 \"shape-matching\"",
            ),
        ],
        |text| format!("{BOX}[rigid_method]\n{text}\n"),
    );
}

#[test]
fn what_is_tied() {
    let rope = "[[deformables]]\nname = \"rope\"\nrope = { from = [0, 2, 0], to = [0, 0.5, 0], links = 3 }\nmass = 1\n\
                structural = { stiffness = 100 }\ngroups = { end = { vertices = 3 } }\n";
    check(
        &[
            (
                "body = \"rop\", at = 3",
                "error: scene.toml:5: rigid_bodies[0].attach[0].body: there is no body \"rop\"; did you mean \
                 rope?",
            ),
            (
                "group = \"and\"",
                "error: scene.toml:5: rigid_bodies[0].attach[0].group: there is no group \"and\"; did you \
                 mean end?",
            ),
            (
                "at = 9",
                "error: scene.toml:5: rigid_bodies[0].attach[0].at: there is no vertex 9: the deformable has 4 \
                 vertices",
            ),
            (
                "at = 3, stiffness = 1e99",
                "error: scene.toml:5: rigid_bodies[0].attach[0].stiffness: must be > 0 and ≤ 1e15 (got 1e99)",
            ),
        ],
        |text| format!("{BOX}attach = [{{ {text} }}]\n{rope}"),
    );
    fine(&format!("{BOX}attach = [{{ group = \"end\" }}]\n{rope}"));
    fine(&format!("{BOX}attach = [{{ group = \"end\", stiffness = 1e15 }}]\n{rope}"));
    check(
        &[(
            "at = 3",
            "error: scene.toml:5: rigid_bodies[0].attach[0]: vertex 3 starts elsewhere than it rests; leave \
             out start",
        )],
        |text| format!("{BOX}attach = [{{ {text} }}]\n{rope}start = {{ translate = [1, 0, 0] }}\n"),
    );
    check(
        &[(
            "at = 3",
            "error: scene.toml:5: rigid_bodies[0].attach[0]: requires a body that is not repeated",
        )],
        |text| {
            format!(
                "{BOX}attach = [{{ {text} }}]\nrepeat = {{ count = [1, 2, 1], step = [0, 2, 0] }}\n{rope}"
            )
        },
    );
}

/// What the engine itself says has the right article.
#[test]
fn an_attachment() {
    let mut model = hooke::Model::new();
    let particle = model.add_particle(hooke::Vec3::ZERO, 1.0).expect("a particle");
    let anchor =
        model.add_anchor(hooke::model::Motion::still(hooke::Vec3::ZERO)).expect("an anchor");
    let told = model.attach(particle, anchor, 1e99).expect_err("too stiff").to_string();
    assert!(told.starts_with("stiffness of an attachment must be from"), "{told}");
}

#[test]
fn rigid_bodies_alone_need_no_method() {
    let scene = Scene::parse(BOX, "scene.toml").expect("a scene");
    let mut simulation = scene.simulation(1).expect("it runs without a method");
    let report = simulation.step().expect("a step");
    assert_eq!((report.solve, report.chosen), (None, None));
    assert!(scene.compile().expect("it compiles").warnings.is_empty());
    let named = format!("{BOX}[method]\nname = \"newton\"\n");
    let scene = Scene::parse(named, "scene.toml").expect("a scene");
    let warnings = scene.compile().expect("it compiles").warnings.to_string();
    assert!(
        warnings.contains("method: has no effect: the scene has rigid bodies alone"),
        "{warnings}"
    );
}
