//! Fields that are missing, unknown, of the wrong kind or out of range, and texts that are not
//! TOML.

use crate::check;

#[test]
fn fields() {
    check(
        &[
            ("", "error: scene.toml: format: is missing; it takes 1"),
            ("format = 2", "error: scene.toml:1: format: must be 1 (got 2)"),
            ("format = \"1\"", "error: scene.toml:1: format: must be 1 (got \"1\")"),
            (
                "format = 1\ntitel = \"x\"",
                "error: scene.toml:2: titel: there is no such field; did you mean title?",
            ),
            (
                "format = 1\nxyzzy = 1",
                "error: scene.toml:2: xyzzy: there is no such field; there are: format, title, \
                 about, time, method, world, deformables, chains, rigid_bodies, joints, \
                 rigid_method, attractors, obstacles, strain_limit, view",
            ),
            ("format = 1\ntitle = 3", "error: scene.toml:2: title: must be text in quotes (got 3)"),
            (
                "format = 1\nview = { ground = 1 }",
                "error: scene.toml:2: view.ground: must be true or false (got 1)",
            ),
            (
                "format = 1\nview = { style = \"clot\" }",
                "error: scene.toml:2: view.style: must be one of \"auto\", \"cloth\", \"springs\", \
                 \"strain\" (got \"clot\")",
            ),
            (
                "format = 1\nview = { camera = { from = [0, 0, 0], to = [0, 0, 0] } }",
                "error: scene.toml:2: view.camera.to: is the same point as from",
            ),
            (
                "format = 1\nworld = 3",
                "error: scene.toml:2: world: must be a table (world) (got 3)",
            ),
            (
                "format = 1\ndeformables = {}",
                "error: scene.toml:2: deformables: must be a list, each a table (deformable) (got a table)",
            ),
            (
                "format = 1\n[world]\ngravity = [0, -9.81]",
                "error: scene.toml:3: world.gravity: must be a list of 3 numbers (got a list of 2)",
            ),
            (
                "format = 1\n[world]\ngravity = [0, nan, 0]",
                "error: scene.toml:3: world.gravity[1]: must be finite (got nan)",
            ),
            (
                "format = 1\n[world]\ngravity = 2024-01-01",
                "error: scene.toml:3: world.gravity: must be a list of 3 numbers (got a date)",
            ),
            (
                "format = 1\n[world]\nglobal_damping = { rate = 1, factor = 1 }",
                "error: scene.toml:3: world.global_damping.factor: stands beside rate; give one of rate, factor",
            ),
            (
                "format = 1\n[[deformables]]\nmass = 1",
                "error: scene.toml:2: deformables[0]: one of these must be given: grid, rope, mesh, positions, box, \
                 beam, ball, torus",
            ),
            (
                "format = 1\n[[deformables]]\nmass = 1\nmasses = 2\nrope = { from = [0,0,0], to = [1,0,0], links = 3 }",
                "error: scene.toml:4: deformables[0].masses: stands beside mass; give one of mass, density, masses",
            ),
            ("format = 1", "warning: scene.toml: deformables: there are none: nothing will move"),
            (
                "format = 1\n[[deformables]]\ngrid = { columns = 100000, rows = 100000 }\nmass = 1",
                "error: scene.toml:2: deformables[0]: brings the scene to 10000000000 particles, the limit is \
                 20000000",
            ),
        ],
        str::to_owned,
    );
}

#[test]
fn texts_that_are_not_toml() {
    check(
        &[
            ("format = = 1", "error: scene.toml:1: is not TOML: extra `=`, expected nothing"),
            ("format = 1\nformat = 1", "error: scene.toml:2: is not TOML: duplicate key"),
            (
                "format = 1\n[[deformables]\nmass = 1",
                "error: scene.toml:2: is not TOML: unclosed array table, expected `]`",
            ),
            (
                "format = 1\ntitle = \"x",
                "error: scene.toml:2: is not TOML: invalid basic string, expected `\"`",
            ),
            (
                "<html>",
                "error: scene.toml:1: is not TOML: invalid unquoted key, expected letters, numbers, \
                 `-`, `_`",
            ),
            (
                "{ \"format\": 1 }",
                "error: scene.toml:1: is not TOML: invalid key-value pair, expected key",
            ),
        ],
        str::to_owned,
    );
}

#[test]
fn methods() {
    check(
        &[
            (
                "name = \"newtn\"",
                "error: scene.toml:3: method.name: there is no method \"newtn\"; did you mean newton?",
            ),
            (
                "name = \"banana\"",
                "error: scene.toml:3: method.name: there is no method \"banana\"; there are: \
                 forward-euler, symplectic-euler, velocity-verlet, rk4, beta, \
                 linearized-backward-euler, newton, implicit-midpoint, bdf2, quasi-newton, \
                 constrained, vbd, pbd, xpbd, hierarchical-pbd, auto, explicit-euler, \
                 semi-implicit-euler, verlet, runge-kutta-4, linearized, backward-euler, midpoint, \
                 fast-mass-spring, …",
            ),
            ("name = 4", "error: scene.toml:3: method.name: must be text in quotes (got 4)"),
            (
                "name = \"newton\"\niteration = 3",
                "error: scene.toml:4: method.iteration: there is no such field; did you mean iterations?",
            ),
            ("tolerance = 2", "error: scene.toml:3: method.tolerance: must be from 0 to 1 (got 2)"),
            (
                "iterations = -1",
                "error: scene.toml:3: method.iterations: must be from 0 to 1e6 (got -1)",
            ),
            (
                "line_search = \"yes\"",
                "error: scene.toml:3: method.line_search: must be true or false (got \"yes\")",
            ),
            (
                "solver = \"lu\"",
                "error: scene.toml:3: method.solver: must be one of \"cholesky\", \"cg\", \
                 \"pcg-jacobi\", \"pcg-incomplete\", \"pcg-prefactored\", \"pcg-filtered\" (got \"lu\")",
            ),
            (
                "name = \"rk4\"\ntolerance = 2",
                "error: scene.toml:4: method.tolerance: the method rk4 has no settings",
            ),
        ],
        |text| format!("format = 1\n[method]\n{text}\n"),
    );
}

/// Lengths of steps and runs: nothing is ever printed in hundreds of digits.
#[test]
fn times() {
    check(
        &[
            ("step = 0", "error: scene.toml:3: time.step: must be > 0 (got 0)"),
            ("step = -0.01", "error: scene.toml:3: time.step: must be > 0 (got -0.01)"),
            (
                "step = \"1/0\"",
                "error: scene.toml:3: time.step: must be a number > 0, or a fraction in quotes like \
                 \"1/60\" (got \"1/0\")",
            ),
            (
                "step = \"nan/1\"",
                "error: scene.toml:3: time.step: must be a number > 0, or a fraction in quotes like \
                 \"1/60\" (got \"nan/1\")",
            ),
            (
                "step = 1e-12",
                "error: scene.toml:2: time.duration: 3 s in steps of 1e-12 s are 3e12 steps, the \
                 limit is 1e9",
            ),
            (
                "duration = 1e300",
                "error: scene.toml:3: time.duration: 1e300 s in steps of 0.016666666666666666 s are \
                 6e301 steps, the limit is 1e9",
            ),
            (
                "step = 1e-300\nduration = 1e300",
                "error: scene.toml:4: time.duration: 1e300 s in steps of 1e-300 s are inf steps, the \
                 limit is 1e9",
            ),
            (
                "step = 0.033\nfps = 30",
                "error: scene.toml:4: time.fps: a frame must be a whole number of steps (a step of \
                 0.033 s gives 1.0101); fps = 30.3030303030303 would do",
            ),
            (
                "step = 1e3\nfps = 1e300",
                "error: scene.toml:4: time.fps: a frame must be a whole number of steps (a step of \
                 1000 s gives 0.0000); fps = 0.001 would do",
            ),
            (
                "substeps = 0",
                "error: scene.toml:3: time.substeps: must be from 1 to 100000 (got 0)",
            ),
            (
                "substeps = \"many\"",
                "error: scene.toml:3: time.substeps: must be \"auto\", or a whole number from 1 to \
                 100000 (got \"many\")",
            ),
            (
                "step = 1\nduration = 0.1",
                "warning: scene.toml:4: time.duration: is shorter than a frame: one frame of 1 s is \
                 run",
            ),
        ],
        |text| {
            format!(
                "format = 1\n[time]\n{text}\n[[deformables]]\npositions = [[0, 0, 0]]\nmass = 1\n"
            )
        },
    );
}
