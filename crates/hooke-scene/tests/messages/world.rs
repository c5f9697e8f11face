//! What is around all bodies: gravity, wind, water, attractors, obstacles.

use crate::{check, fine};

const CLOTH: &str = "format = 1\n[[deformables]]\nname = \"cloth\"\nrope = { from = [0,0,0], to = [1,0,0], \
                     links = 2 }\nmass = 1\nstructural = { stiffness = 1 }\n\
                     groups = { tip = { vertices = 2 } }\n";

#[test]
fn attractors() {
    check(
        &[
            (
                "position = [0, 1, 0]\nbody = \"clothe\"",
                "error: scene.toml:10: attractors[0].body: there is no body \"clothe\"; did you mean \
                 cloth?",
            ),
            (
                "position = [0, 1, 0]\nbody = \"sphere\"",
                "error: scene.toml:10: attractors[0].body: there is no body \"sphere\"; there are: \
                 cloth",
            ),
            (
                "position = [0, 1, 0]\ngroup = \"tipp\"",
                "error: scene.toml:10: attractors[0].group: there is no group \"tipp\"; did you mean \
                 tip?",
            ),
            (
                "position = [0, 1, 0]\nlaw = \"linear-attractor\"\nsoftening = 0.1",
                "error: scene.toml:11: attractors[0].softening: requires law = \"attractor\"",
            ),
            (
                "position = { times = [0, 1], points = [[0, 0, 0]] }",
                "error: scene.toml:9: attractors[0].position.points: must have 2 points, one for each \
                 time (got 1)",
            ),
            (
                "position = 3",
                "error: scene.toml:9: attractors[0].position: must be a list of 3 numbers, or a table \
                 (keyframes) (got 3)",
            ),
        ],
        |text| format!("{CLOTH}[[attractors]]\n{text}\n"),
    );
}

#[test]
fn limits() {
    check(
        &[
            (
                "max = 1.1\nmin = 1.2",
                "error: scene.toml:10: strain_limit.min: min of a strain limit must not be above max (got 1.2 \
                 and 1.1)",
            ),
            ("max = 1.1\nmin = -1", "error: scene.toml:10: strain_limit.min: must be ≥ 0 (got -1)"),
            ("max = 0", "error: scene.toml:9: strain_limit.max: must be > 0 (got 0)"),
            (
                "max = 1.1\niterations = 0",
                "error: scene.toml:10: strain_limit.iterations: must be from 1 to 1e6 (got 0)",
            ),
            (
                "max = 1.1\norder = \"random\"",
                "error: scene.toml:10: strain_limit.order: must be one of \"given\", \"alternating\" (got \
                 \"random\")",
            ),
            (
                "min = 0.5",
                "error: scene.toml:8: strain_limit.max: is missing; it takes a number > 0",
            ),
        ],
        |text| format!("{CLOTH}[strain_limit]\n{text}\n"),
    );
    let body = "[[deformables]]\npositions = [[0, 0, 0]]\nmasses = 1\n";
    check(
        &[(
            "strain_limit = { max = 1.1 }",
            "warning: scene.toml:1: strain_limit: limits nothing: there are no springs and no membranes",
        )],
        |text| format!("{text}\nformat = 1\n{body}"),
    );
}

#[test]
fn obstacles() {
    check(
        &[
            (
                "friction = 1",
                "error: scene.toml:8: obstacles[0]: one of these must be given: floor, half_space, box, \
                 sphere, capsule, mesh",
            ),
            (
                "half_space = { normal = [0, 0, 0] }",
                "error: scene.toml:9: obstacles[0].half_space.normal: must not be zero",
            ),
            (
                "sphere = { radius = 0 }",
                "error: scene.toml:9: obstacles[0].sphere.radius: must be > 0 (got 0)",
            ),
            (
                "sphere = { radius = 1 }\nkeyframes = { times = [1, 1], points = [[0,0,0],[0,0,0]] }",
                "error: scene.toml:10: obstacles[0].keyframes.times[1]: must be after 1 (got 1)",
            ),
            (
                "box = { size = [1, 0, 1] }",
                "error: scene.toml:9: obstacles[0].box.size[1]: must be > 0 (got 0)",
            ),
            (
                "box = { size = [9, 0.1, 9], inside_out = true }\nthickness = 0.05",
                "error: scene.toml:10: obstacles[0].thickness: must be less than half the room, 0.05 \
                 m (got 0.05)",
            ),
            (
                "capsule = { from = [0, 9, 0], to = [0, 9, 0], radius = 1 }",
                "error: scene.toml:9: obstacles[0].capsule.to: is the same point as from; a ball is a \
                 sphere",
            ),
            (
                "capsule = { from = [0, 9, 0], to = [0, 8, 0], radius = 0 }",
                "error: scene.toml:9: obstacles[0].capsule.radius: must be > 0 (got 0)",
            ),
            (
                "floor = { height = -1 }\nfriction = -0.5",
                "error: scene.toml:10: obstacles[0].friction: must be from 0 to 1e6 (got -0.5)",
            ),
            (
                "floor = { height = -1 }\nthickness = -0.5",
                "error: scene.toml:10: obstacles[0].thickness: must be ≥ 0 (got -0.5)",
            ),
            (
                "floor = { height = -1 }\nrotate = { axis = [0, 0, 0], degrees = 1 }",
                "error: scene.toml:10: obstacles[0].rotate.axis: must not be zero",
            ),
            (
                "floor = { height = -1 }\nspin = { axis = [0, 0, 0], rate = 1 }",
                "error: scene.toml:10: obstacles[0].spin.axis: must not be zero",
            ),
            (
                "floor = { height = -1 }\nspin = { rate = 1 }\nrotation_keyframes = { axis = [0, 1, 0], times = [0], \
                 degrees = [0] }",
                "error: scene.toml:10: obstacles[0].spin: stands beside rotation_keyframes; give one of rotation_keyframes, spin",
            ),
            (
                "sphere = { center = [0.4, 0, 0], radius = 0.3 }",
                "error: scene.toml:2: deformables[0]: vertex 1 starts 0.2 m inside obstacles[0]; move one of \
                 them apart",
            ),
            (
                "mesh = { file = \"nowhere.obj\" }",
                "error: scene.toml:9: obstacles[0].mesh.file: nowhere.obj: cannot be read: there \
                 is no such file or folder",
            ),
            (
                "floor = {}\nrestitution = 1.5",
                "error: scene.toml:10: obstacles[0].restitution: must be from 0 to 1 (got 1.5)",
            ),
        ],
        |text| format!("{CLOTH}[[obstacles]]\n{text}\n"),
    );
}

#[test]
fn world() {
    check(
        &[
            (
                "wind = { velocity = [1, 0, 0] }",
                "warning: scene.toml:9: world.wind: blows on nothing: no body has wind",
            ),
            (
                "wind = { velocity = { times = [0], points = [] } }",
                "error: scene.toml:9: world.wind.velocity.points: must have 1 point, one for each \
                 time (got 0)",
            ),
            (
                "water = {}",
                "warning: scene.toml:9: world.water: lifts nothing: no body has tetrahedra or a \
                 volume",
            ),
            (
                "gravity = [1, 0, 0]\nwater = {}",
                "error: scene.toml:10: world.water: needs gravity straight down, along −y",
            ),
            (
                "gravity = [0, 0, 0]\nwater = {}",
                "warning: scene.toml:10: world.water: lifts nothing: there is no gravity",
            ),
            (
                "global_damping = {}",
                "error: scene.toml:9: world.global_damping: one of these must be given: rate, factor",
            ),
        ],
        |text| format!("{CLOTH}[world]\n{text}\n"),
    );
}

/// What a broken body hides is not told again by what refers to it.
#[test]
fn one_mistake_is_told_once() {
    let text =
        CLOTH.replace("links = 2", "links = 2, from = [2,0,0]").replace("from = [0,0,0], ", "");
    let text = text.replace("vertices = 2", "vertices = 9")
        + "[[attractors]]\nposition = [0, 1, 0]\nbody = \"cloth\"\ngroup = \"tip\"\n";
    assert_eq!(
        crate::lines(&crate::problems(&text)),
        [
            "error: scene.toml:7: deformables[0].groups.tip.vertices: there is no vertex 9: the deformable has 3 \
          vertices"
        ]
    );
}

/// A deformable of one triangle, and what its second one is.
fn triangles(first: &str, second: &str) -> String {
    format!(
        "format = 1\n[[deformables]]\n{first}\npositions = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 2]]\n\
         mass = 1\nmembrane = {{ stiffness = 1 }}\n[[deformables]]\nmass = 1\n{second}\n{BETWEEN}"
    )
}

const BETWEEN: &str = "[world]\ncontact_between = true\n";

const THROUGH: &str = "positions = [[0.2, 0.2, -1], [0.2, 0.2, 1], [5, 5, 1]]\ntriangles = [[0, 1, 2]]\n\
                       membrane = { stiffness = 1 }";

#[test]
fn intersections_at_the_start() {
    let place = "goes through triangle 0-1-2 at (0.5, 0.5, 0)";
    let advice = "and 1 more; move them apart, or set world.contact_between = false";
    let rope = "name = \"thread\"\nrope = { from = [0.2, 0.2, -1], to = [0.2, 0.2, 1], links = 3 }\n\
                structural = { stiffness = 1 }";
    let one = "format = 1\n[[deformables]]\nname = \"fold\"\nmass = 1\nself_contact = true\nmembrane = { stiffness = 1 }\n\
               positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, -1], [0.2, 0.2, 1], [-5, -4, 1]]\n\
               triangles = [[0, 1, 2], [3, 4, 5]]\n";
    check(
        &[
            (
                triangles("name = \"a\"", &format!("name = \"b\"\n{THROUGH}")),
                &*format!(
                    "error: scene.toml:2: deformables[0]: deformables 'a' and 'b' intersect at the start: edge 1–2 {place}, \
                     {advice}"
                ),
            ),
            (
                triangles("", THROUGH),
                &*format!(
                    "error: scene.toml:2: deformables[0]: deformables[0] and deformables[1] intersect at the start: edge 1–2 \
                     {place}, {advice}"
                ),
            ),
            (
                triangles("name = \"a\"", rope),
                "error: scene.toml:8: deformables[1]: deformables 'thread' and 'a' intersect at the start: edge 1–2 goes \
                 through triangle 0-1-2 at (0.2, 0.2, 0); move them apart, or set world.contact_between = false",
            ),
            (
                one.to_owned(),
                "error: scene.toml:2: deformables[0]: deformable 'fold' intersects itself at the start: edge 0–2 goes through \
                 triangle 3-4-5 at (0, 0.0385, 0), and 1 more; change its start, or set its \
                 self_contact = false",
            ),
            (
                format!("{one}friction = -1\n"),
                "error: scene.toml:9: deformables[0].friction: must be from 0 to 1e6 (got -1)",
            ),
        ],
        str::to_owned,
    );
    fine(&triangles("", THROUGH).replace(BETWEEN, ""));
    fine(&one.replace("self_contact = true\n", ""));
    let held = "pins = [{ at = [0, 1, 2] }]";
    fine(&triangles(held, &format!("{THROUGH}\n{held}")));
}
