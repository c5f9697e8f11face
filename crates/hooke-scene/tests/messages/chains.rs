//! Chains: joints, limits, targets, what is drawn and carried.

use crate::{check, fine, folder, lines};
use hooke_scene::Scene;

const CHAIN: &str = "format = 1\n[[chains]]\n";

#[test]
fn joints_and_limits() {
    check(
        &[
            ("", "error: scene.toml:2: chains[0]: one of these must be given: bones, joints, file"),
            (
                "bones = [1]\nfile = \"a.bvh\"",
                "error: scene.toml:4: chains[0].file: stands beside bones; give one of bones, joints, \
                 file",
            ),
            ("bones = [1, -1]", "error: scene.toml:3: chains[0].bones[1]: must be ≥ 0 (got -1)"),
            (
                "bones = [1]\nalong = [0, 0, 0]",
                "error: scene.toml:4: chains[0].along: must not be zero",
            ),
            (
                "bones = [1]\nsolver = \"magic\"",
                "error: scene.toml:4: chains[0].solver: must be one of \"ccd\", \"fabrik\", \
                 \"damped-least-squares\" (got \"magic\")",
            ),
            (
                "bones = [1]\nhinge = { limits = [-200, 0] }",
                "error: scene.toml:4: chains[0].hinge.limits[0]: must be from -180 to 180 (got -200)",
            ),
            (
                "bones = [1]\nhinge = { axis = [0, 0, 0] }",
                "error: scene.toml:4: chains[0].hinge.axis: must not be zero",
            ),
            (
                "bones = [1]\nhinge = { limits = [20, 10] }",
                "error: scene.toml:4: chains[0].hinge.limits: must go from a lesser to a greater \
                 angle (got 20 to 10)",
            ),
            (
                "joints = [{}, { ball = { twist = [30, -30.5] } }]",
                "error: scene.toml:3: chains[0].joints[1].ball.twist: must go from a lesser to a \
                 greater angle (got 30 to -30.5)",
            ),
            ("joints = []", "error: scene.toml:2: chains[0]: a chain has 1 to 10000 joints"),
            (
                "joints = [{}]\nalong = [0, 1, 0]",
                "error: scene.toml:4: chains[0].along: requires bones",
            ),
            (
                "joints = [{ parent = 0 }]",
                "error: scene.toml:3: chains[0].joints[0].parent: the first joint is the root: it has \
                 none",
            ),
            (
                "joints = [{}, { parent = 1 }]",
                "error: scene.toml:3: chains[0].joints[1].parent: there is no joint 1: the chain has \
                 1 joint",
            ),
            (
                "joints = [{ name = \"elbow\" }, { parent = \"elbwo\" }]",
                "error: scene.toml:3: chains[0].joints[1].parent: there is no joint \"elbwo\"; did you \
                 mean elbow?",
            ),
            (
                "joints = [{ name = \"a\" }, { name = \"a\" }]",
                "error: scene.toml:3: chains[0].joints[1].name: there is a joint \"a\" already",
            ),
            (
                "joints = [{ rotate = { axis = [0, 0, 0], degrees = 3 } }]",
                "error: scene.toml:3: chains[0].joints[0].rotate.axis: must not be zero",
            ),
            (
                "file = \"a.bvh\"\nball = {}",
                "error: scene.toml:4: chains[0].ball: requires joints or bones: a file has its own \
                 limits",
            ),
            (
                "file = \"hand.fbx\"",
                "error: scene.toml:3: chains[0].file: hand.fbx: skeletons of type `fbx` cannot be \
                 read; convert it to one of .bvh .urdf .gltf .glb",
            ),
        ],
        |text| format!("{CHAIN}{text}\n"),
    );
}

#[test]
fn targets_and_poles() {
    check(
        &[
            (
                "targets = [{}]",
                "error: scene.toml:4: chains[0].targets[0]: one of these must be given: position, draw",
            ),
            (
                "targets = [{ joint = 7, position = [0, 0, 0] }]",
                "error: scene.toml:4: chains[0].targets[0].joint: there is no joint 7: the chain has \
                 3 joints",
            ),
            (
                "targets = [{ position = [0, 0, 0], weight = 0 }]",
                "error: scene.toml:4: chains[0].targets[0].weight: must be from 1e-9 to 1e9 (got 0)",
            ),
            (
                "targets = [{ position = [0, 1e150, 0] }]",
                "error: scene.toml:4: chains[0].targets[0].position: is farther than 1e12 m from the \
                 origin",
            ),
            (
                "targets = [{ position = { times = [0, 1], points = [[0, 0, 0], [2e12, 0, 0]] } }]",
                "error: scene.toml:4: chains[0].targets[0].position.points[1]: is farther than 1e12 m \
                 from the origin",
            ),
            (
                "targets = [{ position = [0, 1, 0] }]\npole = { joint = 1, position = [1e101, 0, 0] }",
                "error: scene.toml:5: chains[0].pole.position: is farther than 1e12 m from the origin",
            ),
            (
                "pole = { joint = 1, position = [0, 1, 0] }",
                "error: scene.toml:4: chains[0].pole: requires one target (there are 0 targets)",
            ),
        ],
        |text| format!("{CHAIN}bones = [1, 1]\n{text}\n"),
    );
}

#[test]
fn drawings() {
    check(
        &[
            (
                "text = \"Größe\"",
                "error: scene.toml:6: chains[0].targets[0].draw.text: the alphabet has no 'ö'; \
                 font = \"NAME.ttf\" draws what a font has",
            ),
            ("text = \"  \"", "error: scene.toml:6: chains[0].targets[0].draw.text: draws nothing"),
            ("curves = []", "error: scene.toml:6: chains[0].targets[0].draw.curves: draws nothing"),
            (
                "curves = [{ x = \"cos(t\", y = \"t\" }]",
                "error: scene.toml:6: chains[0].targets[0].draw.curves[0].x: a bracket is not closed at \
                 character 6",
            ),
            (
                "curves = [{ x = \"0 <= t < 1\", y = \"t\" }]",
                "error: scene.toml:6: chains[0].targets[0].draw.curves[0].x: a third side of a \
                 comparison at character 8; write (0 <= t)*(t < 1) for 0 <= t < 1",
            ),
            (
                "text = \"A\"\nat = [1e150, 0, 0]",
                "error: scene.toml:6: chains[0].targets[0].draw.text: is drawn farther than 1e12 m \
                 from the origin",
            ),
            (
                "curves = [{ x = \"t\", y = \"ln(t - 1)\" }]",
                "error: scene.toml:6: chains[0].targets[0].draw.curves[0].y: is not a number at t = 0",
            ),
            (
                // Each jump alone would do.
                "curves = [{ x = \"floor(1e6 t)\", y = \"t\" }]",
                "error: scene.toml:6: chains[0].targets[0].draw.curves: takes more than 200000 points: \
                 draw it larger or more coarsely",
            ),
            (
                "curves = [{ x = \"1e9 t\", y = \"t\" }]",
                "error: scene.toml:6: chains[0].targets[0].draw.curves: takes more than 200000 points: \
                 draw it larger or more coarsely",
            ),
            (
                "text = \"A\"\nup = [2, 0, 0]",
                "error: scene.toml:7: chains[0].targets[0].draw.up: must point away from right, and \
                 neither may be zero",
            ),
            (
                "curves = [{ x = \"t\", y = \"t\" }]\nsize = 2",
                "error: scene.toml:7: chains[0].targets[0].draw.size: requires text",
            ),
            (
                "text = \"A\"\nfont = \"no.ttf\"",
                "error: scene.toml:7: chains[0].targets[0].draw.font: no.ttf: cannot be read: there is no \
                 such file or folder",
            ),
        ],
        |text| {
            format!("{CHAIN}bones = [1, 1]\n[[chains.targets]]\n[chains.targets.draw]\n{text}\n")
        },
    );
}

#[test]
fn what_is_carried() {
    let rope = "[[deformables]]\nname = \"rope\"\nrope = { from = [0,0,0], to = [1,0,0], links = 2 }\nmass = 1\n\
                structural = { stiffness = 1 }\ngroups = { tip = { vertices = 2 } }\n";
    check(
        &[
            (
                "body = \"ropes\", at = 0",
                "error: scene.toml:4: chains[0].carry[0].body: there is no body \"ropes\"; did you mean \
                 rope?",
            ),
            (
                "group = \"tap\"",
                "error: scene.toml:4: chains[0].carry[0].group: there is no group \"tap\"; did you mean \
                 tip?",
            ),
            (
                "at = 3",
                "error: scene.toml:4: chains[0].carry[0].at: there is no vertex 3: the deformable has 3 \
                 vertices",
            ),
            (
                "at = 1",
                "error: scene.toml:4: chains[0].carry[0]: vertex 1 already has a pin or a chain",
            ),
        ],
        |text| format!("{CHAIN}bones = [1]\ncarry = [{{ {text} }}]\n{rope}pins = [{{ at = 1 }}]\n"),
    );
    fine(&format!("{CHAIN}bones = [1]\ncarry = [{{ group = \"tip\" }}]\n{rope}"));
}

#[test]
fn skeletons_are_read_beside_the_scene() {
    let folder = folder("skeletons");
    let bvh = "HIERARCHY ROOT a { OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation Yrotation\n\
               End Site { OFFSET 0 2 0 } }\nMOTION\n";
    std::fs::write(folder.join("arm.bvh"), bvh).expect("a file");
    let text = "format = 1\n[[chains]]\nfile = \"arm.bvh\"\nscale = 0.5\nroot = [1, 0, 0]\n\
                targets = [{ joint = \"a end\", position = [0, 1, 0] }]\n";
    let scene = Scene::parse_in(text, "scene.toml", &folder).expect("a scene");
    let compiled = scene.compile().expect("a model");
    let told = lines(&compiled.warnings);
    let wanted = "warning: scene.toml:3: chains[0].file: the recorded motion was passed over";
    assert_eq!(told, [wanted]);
    let rest = compiled.model.rest();
    assert_eq!(rest.len(), 2);
    assert!((rest[0] - hooke::Vec3::new(1.0, 0.5, 0.0)).norm() < 1e-12, "{rest:?}");
    assert!((rest[1] - hooke::Vec3::new(1.0, 1.5, 0.0)).norm() < 1e-12, "{rest:?}");
    assert_eq!(compiled.chains[0].bones, [[0, 1]]);
    std::fs::write(folder.join("arm.bvh"), "HIERARCHY\nROOT").expect("a file");
    let told = lines(&scene.compile().err().expect("an error"));
    assert!(told[0].ends_with("arm.bvh:2: the file ends where a name is expected"), "{told:?}");
    let _ = std::fs::remove_dir_all(folder);
}
