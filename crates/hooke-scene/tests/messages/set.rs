//! Changes from outside a file, as `--set`, `--method` and `--frames` make them: a problem in what
//! was changed names the change, every other has the line of the file as it was written.

use crate::lines;
use hooke_scene::Scene;

const TEXT: &str = "format = 1\n[time]\nstep = 0.01\n[[deformables]]\nname = \"pair\"\n\
                    positions = [[0, 0, 0], [1, 0, 0]]\nmasses = 1\n\
                    springs = [{ between = [0, 1], stiffness = 1 }]\n";

fn scene() -> Scene {
    Scene::parse(TEXT, "scene.toml").expect("a scene")
}

/// What is told after changes, at once or in the end.
fn told(changes: &[(&str, &str)]) -> Vec<String> {
    let mut scene = scene();
    match scene.set_all(changes.iter().copied()) {
        Err(problems) => lines(&problems),
        Ok(()) => match scene.compile() {
            Err(problems) => lines(&problems),
            Ok(compiled) => lines(&compiled.warnings),
        },
    }
}

#[test]
fn what_there_is_not() {
    for (path, value, message) in [
        (
            "deformables[0].massses",
            "1",
            "error: --set deformables[0].massses=1: there is no field massses; did you mean masses?",
        ),
        ("tim.step", "1", "error: --set tim.step=1: there is no field tim; did you mean time?"),
        ("deformables.mass", "1", "error: --set deformables.mass=1: there is no field mass"),
        ("time[0]", "1", "error: --set time[0]=1: there is no list to take [0] of"),
        (
            "deformables[7].mass",
            "1",
            "error: --set deformables[7].mass=1: the scene's list has 1 item there",
        ),
        (
            "deformables[0]mass",
            "1",
            "error: --set deformables[0]mass=1: is not a path like deformables[0].structural.stiffness",
        ),
        ("", "1", "error: --set =1: is not a path like deformables[0].structural.stiffness"),
        (
            "deformables",
            "3",
            "error: --set deformables=3: is written as sections of its own; set its fields one by one",
        ),
    ] {
        assert_eq!(told(&[(path, value)]), [message]);
    }
}

#[test]
fn what_was_changed_is_named() {
    for (path, value, message) in [
        (
            "deformables[0].masses",
            "heavy",
            "error: --set deformables[0].masses=heavy: must be a number > 0 and ≤ 1e30, or a list, each a \
             number > 0 and ≤ 1e30 \
             (got \"heavy\")",
        ),
        (
            "method.iterations",
            "-1",
            "error: --set method.iterations=-1: must be from 0 to 1e6 (got -1)",
        ),
        (
            "deformables[0].springs[0]",
            "{ between = [0, 2], stiffness = 1 }",
            "error: --set deformables[0].springs[0]={ between = [0, 2], stiffness = 1 }: \
             deformables[0].springs[0].between[1]: there is no vertex 2: the deformable has 2 vertices",
        ),
        (
            "time.duration",
            "1e300",
            "error: --set time.duration=1e300: 1e300 s in steps of 0.01 s are 1e302 steps, the limit \
             is 1e9",
        ),
        (
            "view.moment",
            "99",
            "warning: --set view.moment=99: is after the end of the run at 3 s: pictures show the end",
        ),
        (
            "title",
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]",
            "error: --set title=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …: must be text in quotes \
             (got a list of 16)",
        ),
    ] {
        assert_eq!(told(&[(path, value)]), [message]);
    }
}

/// New fields move the lines below them; what is told counts the lines of the file.
#[test]
fn what_was_not_changed_has_its_line() {
    let changes = [
        ("title", "Longer"),
        ("about", "longer"),
        ("deformables[0].drag", "0.1"),
        ("deformables[0].positions", "[[0, 0, 0]]"),
    ];
    assert_eq!(
        told(&changes),
        [
            "error: scene.toml:8: deformables[0].springs[0].between[1]: there is no vertex 1: the deformable has 1 \
          vertex"
        ]
    );
    let mut scene = scene();
    scene.set_all(changes).expect("changes");
    let problems = scene.compile().err().expect("a spring to nowhere");
    assert_eq!(
        problems.list[0].excerpt,
        "  8 | springs = [{ between = [0, 1], stiffness = 1 }]\n    |                            ^"
    );
    assert_eq!(problems.list[0].option, "");
}

#[test]
fn several_changes_and_what_they_lead_to() {
    assert_eq!(
        told(&[("deformables[0].springs[0].stiffness", "-1"), ("deformables[0].name", "3")]),
        [
            "error: --set deformables[0].name=3: must be text in quotes (got 3)",
            "error: --set deformables[0].springs[0].stiffness=-1: must be from 0 to 1e15 (got -1)",
        ]
    );
    // The last word counts.
    assert_eq!(told(&[("time.step", "0"), ("time.step", "0.02")]), [""; 0]);
    assert_eq!(
        told(&[("time.step", "0.02"), ("time.step", "0")]),
        ["error: --set time.step=0: must be > 0 (got 0)"]
    );
}

#[test]
fn methods_and_frames() {
    let mut scene = scene();
    assert_eq!(
        lines(&scene.use_method("newtun").expect_err("no such method")),
        [
            "error: --method newtun: method.name: there is no method \"newtun\"; did you mean newton?"
        ]
    );
    assert_eq!(
        lines(&scene.set_frames(1 << 40).expect_err("too many")),
        ["error: --frames 1099511627776: time.duration: 10995116277.76 s in steps of 0.01 s are \
          1099511627776 steps, the limit is 1e9"]
    );
    assert_eq!(scene.text(), TEXT, "a change that fails changes nothing");
}
