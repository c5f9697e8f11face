//! Fields that change nothing as the scene stands: warnings, with the line, and only where they
//! are written.

use crate::{check, fine, lines, problems};
use hooke_scene::{Scene, Severity};

const ROPE: &str = "format = 1\n[[deformables]]\nrope = { from = [0,0,0], to = [1,0,0], links = 3 }\n\
                    mass = 1\nstructural = { stiffness = 1 }\n";

#[test]
fn bodies() {
    fine(ROPE);
    check(
        &[
            (
                "volume = 0.1",
                "warning: scene.toml:6: deformables[0].volume: has no effect: there is no world.water",
            ),
            (
                "[world]\ncontact_stiffness = 100",
                "warning: scene.toml:7: world.contact_stiffness: has no effect: there are no obstacles",
            ),
            (
                "start = { seed = 3 }",
                "warning: scene.toml:6: deformables[0].start.seed: has no effect without noise",
            ),
            (
                "start = { velocity = [1,0,0], velocities = [[0,0,0],[0,0,0],[0,0,0],[0,0,0]] }",
                "warning: scene.toml:6: deformables[0].start.velocity: has no effect beside velocities",
            ),
            (
                "groups = { end = { vertices = [2, 3] } }\nmaterials = [{ group = \"end\", \
                 bend = { stiffness = 2 } }]",
                "warning: scene.toml:7: deformables[0].materials[0].bend: has no effect: the deformable has no \
                 bend springs",
            ),
            (
                "groups = { end = { vertices = [1, 3] } }\nmaterials = [{ group = \"end\", \
                 structural = { stiffness = 2 } }]",
                "warning: scene.toml:7: deformables[0].materials[0].structural: has no effect: no \
                 structural spring has both its vertices in the group",
            ),
            (
                "groups = { end = { vertices = [2, 3] } }\nmaterials = [{ group = \"end\", \
                 structural = { stiffness = 2 } },\n{ group = \"end\", structural = { stiffness = 3 } }]",
                "warning: scene.toml:8: deformables[0].materials[1].structural: has no effect: materials \
                 before it have the structural springs of the group",
            ),
            (
                "groups = { end = { vertices = [2, 3] } }\nmaterials = [{ group = \"end\" }]",
                "warning: scene.toml:7: deformables[0].materials[0]: has no effect: it says nothing about \
                 any springs",
            ),
        ],
        |text| format!("{ROPE}{text}\n"),
    );
    for more in [
        "start = { seed = 3, noise = 0.1 }",
        "volume = 0.1\n[world]\nwater = { level = 0 }",
        "groups = { end = { vertices = [2, 3] } }\nmaterials = [{ group = \"end\", \
         structural = { stiffness = 2 } }]",
    ] {
        fine(&format!("{ROPE}{more}\n"));
    }
}

#[test]
fn grids() {
    let grid = |columns: u32, rows: u32, more: &str| {
        format!(
            "format = 1\n[[deformables]]\nmass = 1\nstructural = {{ stiffness = 1 }}\n\
             grid = {{ columns = {columns}, rows = {rows}{more}\n"
        )
    };
    check(
        &[
            (
                grid(3, 3, ", diagonals = \"one\" }"),
                "warning: scene.toml:5: deformables[0].grid.diagonals: has no effect without shear",
            ),
            (
                grid(1, 3, " }\nshear = { stiffness = 1 }"),
                "warning: scene.toml:6: deformables[0].shear: makes no spring in this body",
            ),
            (
                grid(2, 2, " }\nbend = { stiffness = 1 }"),
                "warning: scene.toml:6: deformables[0].bend: makes no spring in this body",
            ),
        ],
        str::to_owned,
    );
    fine(&grid(3, 3, ", diagonals = \"alternating\" }"));
    fine(&grid(3, 3, ", diagonals = \"one\" }\nshear = { stiffness = 1 }"));
    // A strip of one column may run any way.
    fine(&grid(1, 3, ", across = [0, 1, 0] }"));
}

#[test]
fn names() {
    let body = |name: &str| {
        format!("[[deformables]]\npositions = [[0, 0, 0]]\nmass = 1\nname = \"{name}\"\n")
    };
    let text = format!("format = 1\n{}{}{}", body("a"), body("b"), body("a"));
    assert_eq!(
        lines(&problems(&text)),
        ["warning: scene.toml:13: deformables[2].name: is the name of deformables[0] too"]
    );
}

#[test]
fn around() {
    let push = "\n[[obstacles]]\nfloor = {}\nresponse = \"push-out\"";
    check(
        &[
            (
                format!("{push}\nrestitution = 0.5"),
                "warning: scene.toml:10: obstacles[0].restitution: has no effect beside response = \
                 \"push-out\"",
            ),
            (
                format!("{push}\nfriction = 0.3"),
                "warning: scene.toml:10: obstacles[0].friction: has no effect beside response = \
                 \"push-out\"",
            ),
            (
                "[world]\npins = \"force-cancellation\"".into(),
                "warning: scene.toml:7: world.pins: has no effect: no body has hard pins",
            ),
            (
                "[method]\ncg_tolerance = 1e-8".into(),
                "warning: scene.toml:7: method.cg_tolerance: has no effect: the solver is \"cholesky\"",
            ),
            (
                "[method]\nsolver = \"cholesky\"\ncg_iterations = 9".into(),
                "warning: scene.toml:8: method.cg_iterations: has no effect: the solver is \
                 \"cholesky\"",
            ),
        ],
        |text| format!("{ROPE}{text}\n"),
    );
    fine(&format!("{ROPE}{push}\n"));
    fine(&format!("{ROPE}[method]\nsolver = \"cg\"\ncg_tolerance = 1e-8\n"));
    fine(&format!("{ROPE}pins = [{{ at = 0 }}]\n[world]\npins = \"force-cancellation\"\n"));
}

#[test]
fn views() {
    check(
        &[
            (
                "[view]\nmoment = 5",
                "warning: scene.toml:7: view.moment: is after the end of the run at 3 s: pictures \
                 show the end",
            ),
            (
                "[view]\nstyle = \"cloth\"",
                "warning: scene.toml:7: view.style: has no effect: no body has triangles, so springs \
                 are drawn",
            ),
            (
                "[[obstacles]]\nfloor = {}\n[view]\nground = false",
                "warning: scene.toml:9: view.ground: has no effect: the floor of obstacles[0] is \
                 drawn",
            ),
        ],
        |text| format!("{ROPE}{text}\n"),
    );
    fine(&format!("{ROPE}[view]\nmoment = 3\n"));
    // Whoever cuts a run short on the command line knows.
    let mut scene =
        Scene::parse(format!("{ROPE}[view]\nmoment = 2\n"), "scene.toml").expect("a rope");
    scene.set_frames(1).expect("one frame");
    assert!(scene.compile().expect("a rope").warnings.is_empty());
}

/// A warning never stops a scene, however many there are.
#[test]
fn warnings_stop_nothing() {
    let one = "[[obstacles]]\nfloor = {}\nresponse = \"push-out\"\nfriction = 1\nrestitution = 1\n";
    let text = format!("{ROPE}{}", one.repeat(15));
    let scene = Scene::parse(text, "scene.toml").expect("a scene");
    let compiled = scene.compile().expect("a model");
    let warnings = &compiled.warnings;
    assert_eq!((warnings.list.len(), warnings.more, warnings.stop()), (20, 10, false));
    assert!(warnings.list.iter().all(|problem| problem.severity == Severity::Warning));
    assert!(warnings.to_string().ends_with("\n… and 10 more problems"));
}
