//! What a person is told about a scene that does not make sense: exactly this.

use hooke_scene::{Problems, Scene};

const BODY: &str =
    "format = 1\n[[bodies]]\npositions = [[0, 0, 0], [1, 0, 0], [1, 0, 0]]\nmasses = 1\n";

/// The messages of a scene without their excerpts, whether reading or compiling tells them.
fn messages(text: &str) -> Vec<String> {
    let problems = match Scene::parse(text, "scene.toml") {
        Err(problems) => problems,
        Ok(scene) => match scene.compile() {
            Err(problems) => problems,
            Ok(compiled) => compiled.warnings,
        },
    };
    lines(&problems)
}

fn lines(problems: &Problems) -> Vec<String> {
    let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
    problems.list.iter().map(|problem| first(problem.to_string())).collect()
}

fn body(more: &str) -> Vec<String> {
    messages(&format!("{BODY}{more}\n"))
}

#[test]
fn the_line_is_shown() {
    let text = format!(
        "{BODY}springs = [\n    {{ between = [0, 1], stiffness = 5, rest_length = -0.1 }},\n]\n"
    );
    let problems = Scene::parse(text, "scene.toml").expect_err("a negative length");
    assert_eq!(
        problems.to_string(),
        "error: scene.toml:6: bodies[0].springs[0].rest_length: must be ≥ 0 (got -0.1)\n  \
         6 |     { between = [0, 1], stiffness = 5, rest_length = -0.1 },\n    \
         |                                                      ^^^^"
    );
}

#[test]
fn fields() {
    for (text, message) in [
        ("", "error: scene.toml: format: is missing; it takes 1"),
        ("format = 2", "error: scene.toml:1: format: must be 1 (got 2)"),
        (
            "format = 1\ntitel = \"x\"",
            "error: scene.toml:2: titel: there is no such field; did you mean title?",
        ),
        (
            "format = 1\n[method]\nname = \"newtn\"",
            "error: scene.toml:3: method.name: there is no method \"newtn\"; did you mean newton?",
        ),
        (
            "format = 1\n[method]\nname = \"newton\"\niteration = 3",
            "error: scene.toml:4: method.iteration: there is no such field; did you mean iterations?",
        ),
        (
            "format = 1\n[method]\ntolerance = 2",
            "error: scene.toml:3: method.tolerance: must be from 0 to 1 (got 2)",
        ),
        (
            "format = 1\n[method]\nname = \"rk4\"\ntolerance = 2",
            "error: scene.toml:4: method.tolerance: the method rk4 has no settings",
        ),
        ("format = 1\n[time]\nstep = 0", "error: scene.toml:3: time.step: must be > 0 (got 0)"),
        (
            "format = 1\n[time]\nstep = \"1/0\"",
            "error: scene.toml:3: time.step: must be a number > 0, or a fraction in quotes like \
             \"1/60\" (got \"1/0\")",
        ),
        (
            "format = 1\n[time]\nstep = 0.033\nfps = 30",
            "error: scene.toml:4: time.fps: a frame must be a whole number of steps (a step of \
             0.033 s gives 1.0101); fps = 30.3030303030303 would do",
        ),
        (
            "format = 1\n[time]\nstep = 1e-12",
            "error: scene.toml:2: time: asks for 3000000000000 steps, the limit is 1000000000",
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
            "format = 1\n[[bodies]]\nmass = 1",
            "error: scene.toml:2: bodies[0]: one of these must be given: grid, rope, mesh, positions",
        ),
        (
            "format = 1\n[[bodies]]\nmass = 1\nmasses = 2\nrope = { from = [0,0,0], to = [1,0,0], links = 3 }",
            "error: scene.toml:4: bodies[0].masses: stands beside mass; give one of mass, density, masses",
        ),
        ("format = = 1", "error: scene.toml:1: is not TOML: extra `=`, expected nothing"),
        ("format = 1", "warning: scene.toml: bodies: there are none: nothing will move"),
        (
            "format = 1\n[[bodies]]\ngrid = { columns = 100000, rows = 100000 }\nmass = 1",
            "error: scene.toml:2: bodies[0]: brings the scene to 10000000000 particles, the limit is \
             20000000",
        ),
    ] {
        assert_eq!(messages(text).first().map(String::as_str), Some(message), "{text}");
    }
}

#[test]
fn bodies() {
    for (text, message) in [
        (
            "springs = [{ between = [0, 3], stiffness = 1 }]",
            "error: scene.toml:5: bodies[0].springs[0].between: there is no vertex 3: the body has 3 \
             vertices",
        ),
        (
            "springs = [{ between = [0, -1], stiffness = 1 }]",
            "error: scene.toml:5: bodies[0].springs[0].between[1]: must be ≥ 0 (got -1)",
        ),
        (
            "springs = [{ between = [0, 4294967296], stiffness = 1 }]",
            "error: scene.toml:5: bodies[0].springs[0].between[1]: must be from 0 to 4.294967295e9 \
             (got 4294967296)",
        ),
        (
            "springs = [{ between = [0, 1.5], stiffness = 1 }]",
            "error: scene.toml:5: bodies[0].springs[0].between[1]: must be a whole number ≥ 0 (got \
             1.5)",
        ),
        (
            "springs = [{ between = [1, 1], stiffness = 1 }]",
            "error: scene.toml:5: bodies[0].springs[0].between: joins vertex 1 to itself",
        ),
        (
            "springs = [{ between = [0, 1] }]",
            "error: scene.toml:5: bodies[0].springs[0]: one of these must be given: stiffness, \
             tension, modulus",
        ),
        (
            "springs = [{ between = [0, 1], modulus = 1e6 }]",
            "error: scene.toml:5: bodies[0].springs[0]: modulus needs area beside it",
        ),
        (
            "springs = [{ between = [0, 1], stiffness = 1 }, { between = [1, 0], stiffness = 2 }]",
            "warning: scene.toml:5: bodies[0].springs[1].between: joins the same vertices as \
             springs[0]; both are kept",
        ),
        (
            "springs = [{ between = [1, 2], stiffness = 1 }]",
            "warning: scene.toml:5: bodies[0].springs[0].between: vertices 1 and 2 rest at the same \
             place",
        ),
        (
            "springs = [{ between = [1, 2], tension = 1 }]",
            "error: scene.toml:5: bodies[0].springs[0]: the strain-spring between particles [1, 2] \
             is degenerate at rest, or needs its rest values given",
        ),
        (
            "elements = [{ law = \"sprung\", corners = [0, 1], material = [1] }]",
            "error: scene.toml:5: bodies[0].elements[0].law: there is no law \"sprung\"; did you \
             mean \"spring\"?",
        ),
        (
            "elements = [{ law = \"spring\", corners = [0], material = [1] }]",
            "error: scene.toml:5: bodies[0].elements[0]: a spring has 2 corners and 1 material values",
        ),
        (
            "structural = { stiffness = 1 }",
            "error: scene.toml:5: bodies[0].structural: a body of single particles has no such springs",
        ),
        (
            "pins = [{ group = \"tpo\" }]\ngroups = { top = { vertices = 0 } }",
            "error: scene.toml:5: bodies[0].pins[0].group: there is no group \"tpo\"; did you mean \
             \"top\"?",
        ),
        (
            "pins = [{ at = 0 }, { at = [1, 0] }]",
            "error: scene.toml:5: bodies[0].pins[1]: vertex 0 is already held by pins[0]",
        ),
        (
            "pins = [{ at = 0, axes = \"xw\" }]",
            "error: scene.toml:5: bodies[0].pins[0].axes: must be some of x, y and z, like \"xz\" \
             (got \"xw\")",
        ),
        (
            "pins = [{ at = 0, keyframes = { times = [1, 0], points = [[0,0,0],[0,0,0]] } }]",
            "error: scene.toml:5: bodies[0].pins[0].keyframes: the times of keyframes must be finite \
             and ascending",
        ),
        ("wind = {}", "error: scene.toml:5: bodies[0].wind: needs triangles to blow on"),
        (
            "triangles = [[0, 1, 1]]",
            "error: scene.toml:5: bodies[0].triangles: triangle 0 names vertex 1 twice",
        ),
        (
            "triangles = [[0, 1, 2]]",
            "error: scene.toml:5: bodies[0].triangles: triangle 0 [0, 1, 2] has no area",
        ),
        (
            "start = { velocities = [[0, 0, 0]] }",
            "error: scene.toml:5: bodies[0].start.velocities: must have 3 entries, one for each \
             vertex (got 1)",
        ),
        (
            "groups = { far = { box = [[5, 5, 5], [6, 6, 6]] } }",
            "warning: scene.toml:5: bodies[0].groups.far: holds no vertex",
        ),
    ] {
        assert_eq!(body(text).first().map(String::as_str), Some(message), "{text}");
    }
}

#[test]
fn three_triangles_at_an_edge_are_named() {
    let text = "format = 1\n[[bodies]]\npositions = [[0,0,0],[1,0,0],[0,1,0],[0,-1,0],[0,0,1]]\n\
                mass = 1\ntriangles = [[0,1,2],[0,1,3],[0,1,4]]\n";
    assert_eq!(
        messages(text),
        ["error: scene.toml:5: bodies[0].triangles: the edge between vertices 0 and 1 belongs to \
          three triangles; a cloth's edges have at most two"]
    );
}

#[test]
fn twenty_problems_and_how_many_more() {
    let springs: String = (0..30).map(|_| "{ between = [0, 9], stiffness = -1 }, ").collect();
    let text = format!("{BODY}springs = [{springs}]\n");
    let problems = Scene::parse(text, "scene.toml").expect_err("thirty mistakes");
    assert_eq!((problems.list.len(), problems.more), (20, 10));
    assert!(problems.to_string().ends_with("\n… and 10 more"));
}

#[test]
fn set_tells_what_it_does_not_know() {
    let mut scene = Scene::gallery("hanging-cloth").expect("in the gallery");
    let mut set = |path: &str, value: &str| {
        scene.set(path, value).map_err(|problems| lines(&problems).join("\n")).err()
    };
    for (path, value, message) in [
        (
            "bodies[0].structurl.stiffness",
            "1",
            "error: --set: bodies[0].structurl.stiffness: there is no field structurl; did you mean \
             structural?",
        ),
        ("bodies.mass", "1", "error: --set: bodies.mass: there is no field mass"),
        ("bodies[7].mass", "1", "error: --set: bodies[7].mass: the scene's list has 1 items there"),
        (
            "bodies[0]mass",
            "1",
            "error: --set: bodies[0]mass: is not a path like bodies[0].structural.stiffness",
        ),
        (
            "bodies[0].mass",
            "heavy",
            "error: hanging-cloth.toml:16: bodies[0].mass: must be a number > 0 (got \"heavy\")",
        ),
        (
            "method.iterations",
            "-1",
            "error: hanging-cloth.toml:11: method.iterations: must be from 0 to 1e6 (got -1)",
        ),
    ] {
        assert_eq!(set(path, value).as_deref(), Some(message));
    }
}
