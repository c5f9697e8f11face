//! Scene files that are not meant well: too deep, too long, too many, too much.

use crate::common::Folder;
use hooke_scene::{Cause, Problems, Scene};

fn problems(text: &str) -> Problems {
    let compiled = Scene::parse(text, "scene.toml").and_then(|mut scene| {
        // Whatever the machine has.
        scene.set_memory_limit(u64::MAX);
        scene.compile().map(drop)
    });
    match compiled {
        Err(problems) => problems,
        Ok(()) => panic!("this scene is bad"),
    }
}

/// The first line of the first problem.
fn told(text: &str) -> String {
    let first = problems(text).list.remove(0).to_string();
    first.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn deep_nesting() {
    let deep = "error: scene.toml:2: is nested more than 100 levels deep here";
    for (open, inside, close) in [
        ("[", "", "]"),
        ("[", "", ""),
        ("{ a = ", "1", " }"),
        ("{ a = ", "", ""),
        ("[{ a = ", "1", " }]"),
        // Each is within what the reader of TOML allows; together they are not.
        ("{ a.b.c.d.e.f.g.h.i = ", "1", " }"),
    ] {
        let (open, close) = (open.repeat(10_000), close.repeat(10_000));
        let text = format!("format = 1\nx = {open}{inside}{close}\n");
        assert_eq!(told(&text), deep);
        assert_eq!(problems(&text).cause(), Cause::Limit);
    }
    assert_eq!(told(&format!("format = 1\n{}a = 1\n", "a.".repeat(10_000))), deep);
    assert_eq!(told(&format!("format = 1\n[{}a]\n", "a.".repeat(10_000))), deep);
    assert_eq!(
        told(&format!("format = 1\nx = {}{}\n", "[".repeat(90), "]".repeat(90))),
        "error: scene.toml:2: is not TOML: cannot recurse further; max recursion depth met"
    );
}

#[test]
fn long_lines_and_names() {
    let word = "x".repeat(1 << 20);
    let shown = format!("{}…", "x".repeat(40));
    let there = "there are: format, title, about, time, method, world, deformables, chains, \
                 rigid_bodies, joints, rigid_method, attractors, obstacles, strain_limit, view";
    assert_eq!(
        told(&format!("format = 1\n{word} = 1\n")),
        format!("error: scene.toml:2: {shown}: there is no such field; {there}")
    );
    assert_eq!(
        told(&format!("format = \"{word}\"\n")),
        format!("error: scene.toml:1: format: must be 1 (got \"{shown}\")")
    );
    let numbers = "0, ".repeat(1 << 18);
    let text = format!("format = 1\nworld = {{ gravity = [{numbers}1], global_damping = 3 }}\n");
    let all = problems(&text);
    assert_eq!(all.list.len(), 2);
    assert!(all.to_string().len() < 1000, "{}", all.to_string().len());

    // Names of any length are compared with each other.
    let [one, other] = ["y", "z"].map(|end| format!("{word}{end}"));
    let text = format!(
        "format = 1\n[[deformables]]\npositions = [[0, 0, 0]]\nmasses = 1\n\
         pins = [{{ group = \"{one}\" }}]\ngroups.{other}.vertices = 0\n"
    );
    let sentence = told(&text);
    assert!(
        sentence
            .starts_with("error: scene.toml:5: deformables[0].pins[0].group: there is no group")
    );
    assert!(sentence.chars().count() < 700);
}

#[test]
fn commands_for_a_terminal_are_not_passed_on() {
    for text in [
        "format = 1\n\u{1b}]0;title\u{7}\n",
        "format = 1\n\"\\u001b[31m\" = 1\n",
        "format = 1\n[[deformables]]\nmasses = 1\npositions = [[0, 0, 0]]\n\
         groups.\"\\u001b[31m\".vertices = 0\npins = [{ group = \"\\u009b31m-pins\" }]\n",
    ] {
        let told = problems(text).to_string();
        assert!(told.contains('\u{fffd}') || told.contains("\\u{"), "{told:?}");
        assert!(!told.contains(|c: char| c.is_control() && c != '\n'), "{told:?}");
    }
}

#[test]
fn bad_utf_8() {
    let folder = Folder::new("scene-bytes");
    let path = folder.0.join("scene.toml");
    for (bytes, line) in [(&b"\xff"[..], 1), (b"format = 1\ntitle = \"caf\xe9\"\n", 2)] {
        std::fs::write(&path, bytes).unwrap();
        let problems = Scene::load(&path).unwrap_err().to_string();
        assert_eq!(problems, format!("error: {}:{line}: is not text in UTF-8", path.display()));
    }
}

#[test]
fn a_text_beyond_the_limit() {
    assert_eq!(
        told(&"#".repeat((32 << 20) + 1)),
        "error: scene.toml: is longer than 32 MiB; put large geometry into a mesh file"
    );
}

#[test]
fn many_problems() {
    for (line, told) in [("= 1\n", 5000), ("[a\n", 5000), ("[[a\n", 5000)] {
        let problems = problems(&line.repeat(5000));
        assert_eq!((problems.list.len(), problems.more), (20, told - 20), "{line:?}");
        let lines: Vec<_> = problems.list.iter().map(|problem| problem.line).collect();
        assert!(lines.is_sorted(), "{lines:?}");
    }
    let keys: String = (0..5000).map(|i| format!("key-{i} = 1\n")).collect();
    let wrong = format!("format = 1\ndeformables = [{}]\n", "1, ".repeat(5000));
    let groups: String = (0..500).map(|i| format!("groups.g-{i}.vertices = 0\n")).collect();
    let pins = format!(
        "format = 1\n[[deformables]]\npositions = [[0, 0, 0]]\nmasses = 1\n{groups}\npins = [{}]\n",
        "{ group = \"none\" }, ".repeat(5000)
    );
    for text in [format!("format = 1\n{keys}"), wrong, pins] {
        let problems = problems(&text);
        assert_eq!((problems.list.len(), problems.more), (20, 4980));
        assert!(problems.to_string().ends_with("\n… and 4980 more problems"));
    }
}

#[test]
fn little_text_that_asks_for_much() {
    let grid = "format = 1\n[[deformables]]\nmass = 1\ngrid = { columns = 300, rows = 300 }\n";
    let all = "box = [[-9, -9, -9], [9, 9, 9]]";
    let choices = "brings the scene to 500040000 choices among vertices, the limit is 500000000";
    let named =
        |count: usize, what: &str| format!("{what} = [{}]\n", "{ group = \"a\" },".repeat(count));
    let groups: String = (0..5556).map(|i| format!("groups.g{i}.{all}\n")).collect();
    let nearest = format!("groups.a.nearest = [{}]\n", "[0, 0, 0],".repeat(5555));
    for more in [
        groups,
        nearest,
        format!("{}groups.a.{all}\n", named(5555, "materials")),
        format!("{}groups.a.{all}\n", named(5555, "pins")),
        format!(
            "forces = [{}]\ngroups.a.{all}\n",
            "{ group = \"a\", force = [0, 0, 1] },".repeat(5555)
        ),
    ] {
        let told = told(&format!("{grid}{more}"));
        assert_eq!(told, format!("error: scene.toml:2: deformables[0]: {choices}"));
    }
    let attractors = "[[attractors]]\nposition = [0, 0, 0]\n".repeat(300);
    let grid = "[[deformables]]\nmass = 1\ngrid = { columns = 100, rows = 100 }\n".repeat(100);
    assert_eq!(
        told(&format!("format = 1\n{grid}{attractors}")),
        "error: scene.toml:698: attractors[198]: brings the scene to 201000000 elements, \
         dampers, triangles and tetrahedra, the limit is 200000000"
    );
    for (time, sentence) in [
        ("step = 1e-310, duration = 1e-310", "makes frames of 1e-310 s: no rate is right"),
        ("step = 1e308, fps = 1e-309, duration = 1", "makes frames of inf s: no rate is right"),
    ] {
        assert_eq!(
            told(&format!("format = 1\ntime = {{ {time} }}\n")),
            format!("error: scene.toml:2: time.step: {sentence}")
        );
    }
    let most = u32::MAX;
    assert_eq!(
        told(&format!(
            "format = 1\n[[deformables]]\nmass = 1\ngrid = {{ columns = {most}, rows = {most} }}\n\
             structural = {{ stiffness = 1 }}\nsprings = [{{ between = [0, 1], stiffness = 1 }}]\n"
        )),
        "error: scene.toml:2: deformables[0]: brings the scene to 18446744065119617025 particles, the \
         limit is 20000000"
    );
}

#[cfg(unix)]
#[test]
fn mesh_files_are_named_in_full() {
    let folder = Folder::new("full-names");
    let name = "a \"quoted\" name.obj";
    std::fs::write(folder.0.join(name), crate::common::OBJ).unwrap();
    let body = |mesh: &str| format!("[[deformables]]\nmass = 1\nmesh = {mesh} # kept\n");
    let [quoted, missing] = ["'a \"quoted\" name.obj'", "'none.obj'"];
    let text = format!("format = 1\n{}{}{}", body(quoted), body(missing), body(quoted));
    let mut scene = Scene::parse_in(text.as_str(), "scene.toml", &folder.0).unwrap();
    scene.resolve_meshes().unwrap();
    let full = folder.0.canonicalize().unwrap().join(name);
    let written = format!("\"{}\"", full.to_str().unwrap().replace('"', "\\\""));
    assert_eq!(scene.text(), text.replace(quoted, &written));
    assert_eq!(scene.document().deformables[2].mesh.as_deref(), full.to_str());
}
