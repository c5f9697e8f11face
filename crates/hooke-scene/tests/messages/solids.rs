//! Solids, surfaces, pressure and materials: what does not make sense of them.

use crate::{check, fine};

fn block(more: &str) -> String {
    format!("format = 1\n[[deformables]]\nbox = {{ cells = [1, 1, 1] }}\n{more}\n")
}

fn cloth(more: &str) -> String {
    format!("format = 1\n[[deformables]]\ngrid = {{ columns = 3, rows = 3 }}\n{more}\n")
}

#[test]
fn shapes() {
    let body = |line: &str| {
        format!("format = 1\n[[deformables]]\nmass = 1\nsolid = {{ young = 1 }}\n{line}\n")
    };
    fine(&body("beam = { from = [0, 0, 0], to = [0, 0, 1], section = [1, 1] }"));
    check(
        &[
            (
                "box = { cells = [0, 1, 1] }",
                "error: scene.toml:5: deformables[0].box.cells[0]: must be ≥ 1 (got 0)",
            ),
            (
                "box = { cells = [4000, 4000, 4000] }",
                "error: scene.toml:2: deformables[0]: brings the scene to 64048012001 particles, the limit is 20000000",
            ),
            (
                "ball = { radius = 0 }",
                "error: scene.toml:5: deformables[0].ball.radius: must be > 0 (got 0)",
            ),
            (
                "beam = { from = [0, 0, 0], to = [0, 0, 0], section = [1, 1] }",
                "error: scene.toml:5: deformables[0].beam.to: is the same point as from",
            ),
            (
                "beam = { from = [0, 0, 0], to = [0, 2, 0], section = [1, 1] }",
                "error: scene.toml:5: deformables[0].beam.up: must be across the beam, not along it or zero",
            ),
            (
                "torus = { axis = [0, 0, 0] }",
                "error: scene.toml:5: deformables[0].torus.axis: must not be zero",
            ),
            (
                "torus = { tube = 0.4 }",
                "error: scene.toml:5: deformables[0].torus.tube: must be less than radius",
            ),
            (
                "ball = {}\nshear = { stiffness = 1 }",
                "error: scene.toml:6: deformables[0].shear: a solid has no such springs",
            ),
        ],
        body,
    );
}

#[test]
fn parts() {
    fine(&block("density = 1\nsolid = { young = 1 }"));
    fine(&cloth("density = 1\nmembrane = { stiffness = 1 }\nbending = { rigidity = 1 }"));
    check(
        &[
            (
                block("density = 1\nsolid = { poisson = 0.3 }"),
                "error: scene.toml:5: deformables[0].solid.young: is missing; give it, or a material of the deformable",
            ),
            (
                block("density = 1\nsolid = { young = 1, poisson = 0.5 }"),
                "error: scene.toml:5: deformables[0].solid.poisson: must be from -0.9 to 0.499 (got 0.5)",
            ),
            (
                cloth("density = 1\nsolid = { young = 1 }"),
                "error: scene.toml:5: deformables[0].solid: needs tetrahedra: a box, a beam, a ball, a torus or a \
                 mesh of them",
            ),
            (
                block("density = 1\nmembrane = { stiffness = 1 }"),
                "error: scene.toml:5: deformables[0].membrane: is for surfaces; solid says how tetrahedra resist",
            ),
            (
                "format = 1\n[[deformables]]\npositions = [[0, 0, 0]]\nmass = 1\npressure = 3\n"
                    .to_owned(),
                "error: scene.toml:5: deformables[0].pressure: needs triangles",
            ),
            (
                cloth("density = 1\nmembrane = { poisson = 0.3 }"),
                "error: scene.toml:5: deformables[0].membrane.stiffness: is missing; give it, young, or a material \
                 of the deformable",
            ),
            (
                cloth("density = 1\nmembrane = { young = 1e6 }"),
                "error: scene.toml:5: deformables[0].membrane: young needs the thickness of the deformable",
            ),
            (
                cloth("density = 1\nmembrane = { stiffness = 1, shear = 1 }"),
                "error: scene.toml:5: deformables[0].membrane.shear: requires law = \"baraff-witkin\"",
            ),
            (
                cloth(
                    "density = 1\nmembrane = { law = \"baraff-witkin\", stiffness = 1, poisson = 0.1 }",
                ),
                "error: scene.toml:5: deformables[0].membrane.poisson: requires law = \"stvk-membrane\"",
            ),
            (
                cloth("density = 1\nbending = {}"),
                "error: scene.toml:5: deformables[0].bending.rigidity: is missing; give it, or a material of the \
                 deformable",
            ),
            (
                cloth("density = 1\nbending = { stiffness = 1 }"),
                "error: scene.toml:5: deformables[0].bending.stiffness: is of a hinge; vertex-bending has a rigidity",
            ),
            (
                cloth("material = \"silk\"\nbending = { law = \"dihedral\" }"),
                "error: scene.toml:5: deformables[0].bending.stiffness: is missing: dihedral works on hinges, \
                 whose stiffness no material knows, for it depends on the mesh; vertex-bending takes a rigidity",
            ),
            (
                cloth("density = 1\nstructural = { stiffness = 1 }\npressure = 5"),
                "error: scene.toml:6: deformables[0].pressure: needs a closed surface; the edge between vertices 0 \
                 and 1 has one triangle only",
            ),
            (
                cloth("density = 1\nstructural = { stiffness = 1 }\nbulk_modulus = 5"),
                "error: scene.toml:6: deformables[0].bulk_modulus: needs a closed surface; the edge between \
                 vertices 0 and 1 has one triangle only",
            ),
            (
                "format = 1\n[[deformables]]\npositions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\n\
                 triangles = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]\nmass = 1\n\
                 structural = { stiffness = 1 }\nbulk_modulus = 5\n"
                    .into(),
                "error: scene.toml:7: deformables[0].bulk_modulus: needs a surface that is not inside out; the \
                 triangles of the part with vertex 0 must run counter-clockwise seen from outside",
            ),
            (
                block("density = 1\nbulk_modulus = 1"),
                "error: scene.toml:5: deformables[0].bulk_modulus: is for surfaces; solid says how tetrahedra resist",
            ),
            (
                cloth("density = 1\nbending = { rigidity = 1 }")
                    .replace("rows = 3", "rows = 3, arc = 90"),
                "warning: scene.toml:5: deformables[0].bending: vertex-bending rests flat, but the deformable is bent by \
                 45° between two of its triangles and will unbend; curved-bending keeps its shape",
            ),
            (
                cloth("density = 1\nstructural = { stiffness = 1 }")
                    .replace("columns = 3", "columns = 1, arc = 90"),
                "warning: scene.toml:3: deformables[0].grid.arc: has no effect on a single column",
            ),
            (
                block("density = 1"),
                "warning: scene.toml:2: deformables[0]: has no springs: its vertices move each on its own",
            ),
        ],
        str::to_owned,
    );
}

#[test]
fn materials() {
    fine(&cloth("material = \"silk\""));
    fine(&block("material = \"foam\""));
    check(
        &[
            (
                block("material = \"jely\""),
                "error: scene.toml:4: deformables[0].material: there is no material \"jely\"; did you mean jelly?",
            ),
            (
                block("material = \"silk\""),
                "error: scene.toml:4: deformables[0].material: silk is a cloth, and the deformable a solid; foam or \
                 rubber would do",
            ),
            (
                cloth("material = \"jelly\""),
                "error: scene.toml:4: deformables[0].material: jelly has no thickness of its own; give thickness",
            ),
            (
                "format = 1\n[[deformables]]\nrope = { from = [0, 0, 0], to = [1, 0, 0], links = 3 }\n\
                 material = \"wool\"\n"
                    .to_owned(),
                "error: scene.toml:4: deformables[0].material: wool is a cloth, and the deformable a rope; steel-wire \
                 would do",
            ),
            (
                "format = 1\n[[deformables]]\npositions = [[0, 0, 0]]\nmaterial = \"foam\"\n".to_owned(),
                "error: scene.toml:4: deformables[0].material: needs triangles, tetrahedra or the length of a \
                 rope; give mass or masses",
            ),
            (
                "format = 1\n[[deformables]]\npositions = [[0, 0, 0]]\nmaterial = \"foam\"\nmass = 1\n"
                    .to_owned(),
                "warning: scene.toml:4: deformables[0].material: has no effect: the deformable has neither tetrahedra \
                 nor triangles",
            ),
            (
                cloth("structural = { stiffness = 1 }"),
                "error: scene.toml:2: deformables[0]: one of these must be given: mass, density, masses, material",
            ),
            (
                cloth("mass = 1\ndensity = 2"),
                "error: scene.toml:5: deformables[0].density: stands beside mass; give one of mass, density, masses",
            ),
        ],
        str::to_owned,
    );
}

#[test]
fn rotations() {
    let pin = |rotation: &str| {
        format!(
            "format = 1\n[[deformables]]\npositions = [[0, 0, 0]]\nmass = 1\npins = [{{ at = 0, rotation_keyframes = {{ {rotation} }} }}]\n"
        )
    };
    check(
        &[
            (
                "axis = [0, 0, 0], times = [0], degrees = [0]",
                "error: scene.toml:5: deformables[0].pins[0].rotation_keyframes.axis: must not be zero",
            ),
            (
                "axis = [1, 0, 0], times = [0, 1], degrees = [0]",
                "error: scene.toml:5: deformables[0].pins[0].rotation_keyframes.degrees: must have 2 angles, one for each time \
                 (got 1)",
            ),
            (
                "axis = [1, 0, 0], times = [1, 1], degrees = [0, 1]",
                "error: scene.toml:5: deformables[0].pins[0].rotation_keyframes.times[1]: must be after 1 (got 1)",
            ),
        ],
        pin,
    );
}
