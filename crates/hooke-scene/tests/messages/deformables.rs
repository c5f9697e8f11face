//! Bodies: shapes, masses, springs, elements, groups, pins, starts, forces.

use crate::{BODY, check, fine, lines, problems};

fn body(more: &str) -> String {
    format!("{BODY}{more}\n")
}

#[test]
fn springs() {
    check(
        &[
            (
                "springs = [{ between = [0, 3], stiffness = 1 }]",
                "error: scene.toml:5: deformables[0].springs[0].between[1]: there is no vertex 3: the \
                 deformable has 3 vertices",
            ),
            (
                "springs = [{ between = [0, -1], stiffness = 1 }]",
                "error: scene.toml:5: deformables[0].springs[0].between[1]: must be ≥ 0 (got -1)",
            ),
            (
                "springs = [{ between = [0, 4294967296], stiffness = 1 }]",
                "error: scene.toml:5: deformables[0].springs[0].between[1]: must be from 0 to 4294967295 \
                 (got 4294967296)",
            ),
            (
                "springs = [{ between = [0, 1.5], stiffness = 1 }]",
                "error: scene.toml:5: deformables[0].springs[0].between[1]: must be a whole number ≥ 0 \
                 (got 1.5)",
            ),
            (
                "springs = [{ between = [1, 1], stiffness = 1 }]",
                "error: scene.toml:5: deformables[0].springs[0].between: joins vertex 1 to itself",
            ),
            (
                "springs = [{ between = [0, 1] }]",
                "error: scene.toml:5: deformables[0].springs[0]: one of these must be given: stiffness, \
                 tension, modulus, compliance",
            ),
            (
                "springs = [{ between = [0, 1], stiffness = 2e15 }]",
                "error: scene.toml:5: deformables[0].springs[0].stiffness: must be from 0 to 1e15 (got \
                 2e15)",
            ),
            (
                "springs = [{ between = [0, 1], modulus = 1e6 }]",
                "error: scene.toml:5: deformables[0].springs[0]: modulus needs area beside it",
            ),
            (
                "springs = [{ between = [0, 1], stiffness = 1, area = 1 }]",
                "error: scene.toml:5: deformables[0].springs[0]: area needs modulus beside it",
            ),
            (
                "springs = [{ between = [0, 1], modulus = 1e15, area = 1e9 }]",
                "error: scene.toml:5: deformables[0].springs[0]: modulus · area is 1e24 N; it must be \
                 from 0 to 1e15",
            ),
            (
                "springs = [{ between = [0, 1], stiffness = 1, damping = 1, strain_damping = 1 }]",
                "error: scene.toml:5: deformables[0].springs[0].strain_damping: stands beside damping; \
                 give one of damping, strain_damping",
            ),
            (
                "springs = [{ between = [1, 2], tension = 1 }]",
                "error: scene.toml:5: deformables[0].springs[0].between: vertices 1 and 2 rest at the same \
                 position; strain needs a rest_length > 0",
            ),
            (
                "structural = { stiffness = 1 }",
                "error: scene.toml:5: deformables[0].structural: a body of single particles has no such \
                 springs",
            ),
        ],
        body,
    );
}

/// Warnings: the scene runs.
#[test]
fn springs_that_may_not_be_meant() {
    check(
        &[
            (
                "springs = [{ between = [0, 1], stiffness = 1 }, { between = [1, 0], stiffness = 2 }]",
                "warning: scene.toml:5: deformables[0].springs[1].between: joins the same vertices as \
                 springs[0]; both are kept",
            ),
            (
                "springs = [{ between = [1, 2], stiffness = 1 }]",
                "warning: scene.toml:5: deformables[0].springs[0].between: vertices 1 and 2 rest at the \
                 same position",
            ),
            (
                "springs = [{ between = [1, 2], stiffness = 1, rest_length = 0 }]",
                "warning: scene.toml:5: deformables[0].springs[0].between: vertices 1 and 2 rest at the \
                 same position",
            ),
            (
                "elements = [{ law = \"spring\", corners = [0, 1], material = [1] },\n\
                 { law = \"spring\", corners = [1, 0], material = [2] }]",
                "warning: scene.toml:6: deformables[0].elements[1]: has the law and the corners of \
                 elements[0]; both are kept",
            ),
        ],
        body,
    );
    let rope = "format = 1\n[[deformables]]\nrope = { from = [0,0,0], to = [2,0,0], links = 2 }\nmass = 1\n\
                structural = { stiffness = 1 }\n";
    check(
        &[(
            "springs = [{ between = [2, 1], stiffness = 1 }]",
            "warning: scene.toml:6: deformables[0].springs[0].between: joins the same vertices as a \
                 spring of the deformable; both are kept",
        )],
        |more| format!("{rope}{more}\n"),
    );
    fine(rope);
}

#[test]
fn elements() {
    check(
        &[
            (
                "law = \"sprung\", corners = [0, 1], material = [1]",
                "error: scene.toml:5: deformables[0].elements[0].law: there is no law \"sprung\"; did you \
                 mean spring?",
            ),
            (
                "law = \"spring\", corners = [0], material = [1]",
                "error: scene.toml:5: deformables[0].elements[0].corners: must be 2 corners for the law \
                 spring (got 1)",
            ),
            (
                "law = \"spring\", corners = [0, 1], material = []",
                "error: scene.toml:5: deformables[0].elements[0].material: must be 1 value for the law \
                 spring (got 0)",
            ),
            (
                "law = \"spring\", corners = [0, 1], material = [1], rest = [1, 2]",
                "error: scene.toml:5: deformables[0].elements[0].rest: must be 1 value for the law spring \
                 (got 2)",
            ),
            (
                "law = \"spring\", corners = [0, 3], material = [1]",
                "error: scene.toml:5: deformables[0].elements[0].corners[1]: there is no vertex 3: the \
                 deformable has 3 vertices",
            ),
            (
                "law = \"spring\", corners = [1, 1], material = [1]",
                "error: scene.toml:5: deformables[0].elements[0].corners[1]: names vertex 1 twice",
            ),
            (
                "law = \"spring\", corners = [0, 1], material = [-3]",
                "error: scene.toml:5: deformables[0].elements[0].material[0]: the stiffness must be from 0 \
                 to 1e15 (got -3)",
            ),
            (
                "law = \"spring\", corners = [0, 1], material = [1], rest = [-1]",
                "error: scene.toml:5: deformables[0].elements[0]: spring: rest_length must be ≥ 0",
            ),
        ],
        |text| body(&format!("elements = [{{ {text} }}]")),
    );
}

#[test]
fn masses() {
    let points = |text: &str| {
        format!("format = 1\n[[deformables]]\npositions = [[0, 0, 0], [1, 0, 0]]\n{text}\n")
    };
    check(
        &[
            (
                "mass = 0",
                "error: scene.toml:4: deformables[0].mass: must be > 0 and ≤ 1e30 (got 0)",
            ),
            (
                "mass = -1",
                "error: scene.toml:4: deformables[0].mass: must be > 0 and ≤ 1e30 (got -1)",
            ),
            (
                "masses = [1, 0]",
                "error: scene.toml:4: deformables[0].masses[1]: must be > 0 and ≤ 1e30 (got 0)",
            ),
            (
                "masses = [1]",
                "error: scene.toml:4: deformables[0].masses: must have 2 masses, one for each vertex (got \
                 1)",
            ),
            (
                "mass = 5e-324",
                "error: scene.toml:4: deformables[0].mass: vertex 0 would have 0 kg; its mass must be \
                 finite and > 0",
            ),
            (
                "density = 1",
                "error: scene.toml:4: deformables[0].density: needs triangles, tetrahedra or the length of \
                 a rope; give mass or masses",
            ),
        ],
        points,
    );
    for mass in ["1e-300", "1e30", "[1e-6, 1e6]"] {
        fine(&points(&format!("masses = {mass}")));
    }
    check(
        &[(
            "grid = { columns = 2, rows = 2, size = [1e5, 1e5] }\ndensity = 1e300",
            "error: scene.toml:4: deformables[0].density: must be > 0 and ≤ 1e30 (got 1e300)",
        )],
        |text| format!("format = 1\n[[deformables]]\n{text}\n"),
    );
}

#[test]
fn shapes() {
    check(
        &[
            (
                "grid = { columns = 0, rows = 2 }",
                "error: scene.toml:3: deformables[0].grid.columns: must be ≥ 1 (got 0)",
            ),
            (
                "grid = { columns = 2, rows = 2, size = [1, 0] }",
                "error: scene.toml:3: deformables[0].grid.size[1]: must be > 0 (got 0)",
            ),
            (
                "grid = { columns = 2, rows = 2, across = [0, 0, 0] }",
                "error: scene.toml:3: deformables[0].grid.across: must not be zero",
            ),
            (
                "grid = { columns = 2, rows = 2, down = [0, 0, 0] }",
                "error: scene.toml:3: deformables[0].grid.down: must not be zero",
            ),
            (
                "grid = { columns = 2, rows = 2, across = [1, 2, 3], down = [-2, -4, -6] }",
                "error: scene.toml:3: deformables[0].grid.down: is parallel to across: the cloth would \
                 have no area",
            ),
            (
                "grid = { columns = 2, rows = 2, size = [1, 1e13] }",
                "error: scene.toml:3: deformables[0].grid: vertex 2 is farther than 1e12 m from the origin",
            ),
            (
                "positions = [[0, 0, 0], [0, 1e200, 0]]",
                "error: scene.toml:3: deformables[0].positions[1]: is farther than 1e12 m from the origin",
            ),
            (
                "positions = [[0, 0, 0]]\nstart = { translate = [0, 1e200, 0] }",
                "error: scene.toml:4: deformables[0].start: vertex 0 starts farther than 1e12 m from the \
                 origin",
            ),
            (
                "rope = { from = [0, 0, 0], to = [1, 0, 0], links = 0 }",
                "error: scene.toml:3: deformables[0].rope.links: must be ≥ 1 (got 0)",
            ),
            (
                "rope = { from = [1, 0, 0], to = [1, 0, 0], links = 2 }\nstructural = { stiffness = 1 }",
                "warning: scene.toml:3: deformables[0].rope.to: is the same point as from: the rope has no \
                 length",
            ),
            (
                "rope = { from = [0, 0, 0], to = [1, 0, 0], links = 2 }\nshear = { stiffness = 1 }",
                "error: scene.toml:4: deformables[0].shear: a rope has no such springs",
            ),
            (
                "rope = { from = [0, 0, 0], to = [1, 0, 0], links = 2 }\ntriangles = [[0, 1, 2]]",
                "error: scene.toml:4: deformables[0].triangles: requires positions, which the deformable does \
                 not have",
            ),
            (
                "positions = []",
                "warning: scene.toml:3: deformables[0].positions: contains no vertex",
            ),
            (
                "grid = { columns = 2, rows = 2 }",
                "warning: scene.toml:2: deformables[0]: has no springs: its vertices move each on its own",
            ),
        ],
        |text| format!("format = 1\n[[deformables]]\n{text}\nmass = 1\n"),
    );
}

#[test]
fn groups_pins_and_forces() {
    check(
        &[
            (
                "pins = [{ group = \"tpo\" }]\ngroups = { top = { vertices = 0 } }",
                "error: scene.toml:5: deformables[0].pins[0].group: there is no group \"tpo\"; did you \
                 mean top?",
            ),
            (
                "pins = [{ group = \"top\" }]",
                "error: scene.toml:5: deformables[0].pins[0].group: there is no group \"top\"; the deformable \
                 has no groups",
            ),
            (
                "groups = { a = { vertices = 3 } }",
                "error: scene.toml:5: deformables[0].groups.a.vertices: there is no vertex 3: the deformable has \
                 3 vertices",
            ),
            (
                "groups = { a = { vertices = [0, 1.5] } }",
                "error: scene.toml:5: deformables[0].groups.a.vertices[1]: must be a whole number ≥ 0 (got \
                 1.5)",
            ),
            (
                "groups = { a = { plane = { point = [0, 0, 0], normal = [0, 0, 0] } } }",
                "error: scene.toml:5: deformables[0].groups.a.plane.normal: must not be zero",
            ),
            (
                "groups = { far = { box = [[5, 5, 5], [6, 6, 6]] } }",
                "warning: scene.toml:5: deformables[0].groups.far: contains no vertex",
            ),
            (
                "groups = { a = { box = [[0, 1, 0], [1, 0, 1]] } }",
                "warning: scene.toml:5: deformables[0].groups.a: contains no vertex: the box goes down along \
                 y, from 1 to 0",
            ),
            (
                "groups = { a = { border = true } }",
                "warning: scene.toml:5: deformables[0].groups.a: contains no vertex: the deformable has no \
                 triangles",
            ),
            (
                "groups = { a = { border = false } }",
                "error: scene.toml:5: deformables[0].groups.a.border: must be true (got false)",
            ),
            (
                "pins = [{ at = 0 }, { at = [1, 0] }]",
                "error: scene.toml:5: deformables[0].pins[1]: vertex 0 is already pinned by pins[0]",
            ),
            (
                "pins = [{ at = [1, 0, 1] }]",
                "warning: scene.toml:5: deformables[0].pins[0].at[2]: names vertex 1 twice; it \
                 counts once",
            ),
            (
                "pins = [{ at = [] }]",
                "warning: scene.toml:5: deformables[0].pins[0].at: names no vertex",
            ),
            (
                "pins = [{ at = 9 }]",
                "error: scene.toml:5: deformables[0].pins[0].at: there is no vertex 9: the deformable has 3 \
                 vertices",
            ),
            (
                "pins = [{ at = 0, axes = \"xw\" }]",
                "error: scene.toml:5: deformables[0].pins[0].axes: must be some of x, y and z, like \"xz\" \
                 (got \"xw\")",
            ),
            (
                "pins = [{ at = 0, how = \"penalty\", axes = \"x\" }]",
                "error: scene.toml:5: deformables[0].pins[0].axes: a pin by penalty holds x, y and z; use \
                 how = \"hard\"",
            ),
            (
                "pins = [{ at = 0, stiffness = 5 }]",
                "error: scene.toml:5: deformables[0].pins[0].stiffness: requires how = \"penalty\"",
            ),
            (
                "forces = [{ at = [0, 7], force = [1, 0, 0] }]",
                "error: scene.toml:5: deformables[0].forces[0].at[1]: there is no vertex 7: the deformable has 3 \
                 vertices",
            ),
            (
                "forces = [{ at = [0, 0], force = [1, 0, 0] }]",
                "warning: scene.toml:5: deformables[0].forces[0].at[1]: names vertex 0 twice; it \
                 counts once",
            ),
            (
                "forces = [{ force = [1, 0, 0] }]",
                "error: scene.toml:5: deformables[0].forces[0]: one of these must be given: group, at",
            ),
            ("wind = {}", "error: scene.toml:5: deformables[0].wind: needs triangles to blow on"),
        ],
        body,
    );
}

#[test]
fn one_vertex_is_singular() {
    let text = "format = 1\n[[deformables]]\npositions = [[0, 0, 0]]\nmass = 1\npins = [{ at = 1 }]\n\
                start = { velocities = [] }\n";
    assert_eq!(
        lines(&problems(text)),
        [
            "error: scene.toml:6: deformables[0].start.velocities: must have 1 entry, one for each vertex \
             (got 0)",
            "error: scene.toml:5: deformables[0].pins[0].at: there is no vertex 1: the deformable has 1 vertex",
        ]
    );
}

#[test]
fn keyframes() {
    check(
        &[
            (
                "times = [0, 1, 2], points = [[0,0,0],[0,0,0]]",
                "error: scene.toml:5: deformables[0].pins[0].keyframes.points: must have 3 points, one for \
                 each time (got 2)",
            ),
            (
                "times = [0], points = []",
                "error: scene.toml:5: deformables[0].pins[0].keyframes.points: must have 1 point, one for \
                 each time (got 0)",
            ),
            (
                "times = [], points = []",
                "error: scene.toml:5: deformables[0].pins[0].keyframes.times: needs at least one time",
            ),
            (
                "times = [1, 0], points = [[0,0,0],[0,0,0]]",
                "error: scene.toml:5: deformables[0].pins[0].keyframes.times[1]: must be after 1 (got 0)",
            ),
            (
                "times = [0, 0.5, 0.5], points = [[0,0,0],[0,0,0],[0,0,0]]",
                "error: scene.toml:5: deformables[0].pins[0].keyframes.times[2]: must be after 0.5 (got \
                 0.5)",
            ),
        ],
        |text| body(&format!("pins = [{{ at = 0, keyframes = {{ {text} }} }}]")),
    );
}

#[test]
fn starts() {
    check(
        &[
            (
                "velocities = [[0, 0, 0]]",
                "error: scene.toml:5: deformables[0].start.velocities: must have 3 entries, one for each \
                 vertex (got 1)",
            ),
            (
                "positions = []",
                "error: scene.toml:5: deformables[0].start.positions: must have 3 entries, one for each \
                 vertex (got 0)",
            ),
            (
                "rotate = { axis = [0, 0, 0], degrees = 3 }",
                "error: scene.toml:5: deformables[0].start.rotate.axis: must not be zero",
            ),
            ("scale = 0", "error: scene.toml:5: deformables[0].start.scale: must be > 0 (got 0)"),
            ("noise = -1", "error: scene.toml:5: deformables[0].start.noise: must be ≥ 0 (got -1)"),
        ],
        |text| body(&format!("start = {{ {text} }}")),
    );
}
