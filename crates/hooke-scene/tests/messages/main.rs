//! What a person is told about a scene that does not make sense: exactly this.

mod chains;
mod deformables;
mod fields;
mod files;
mod meshes;
mod numbers;
mod page;
mod rigid;
mod runs;
mod set;
mod solids;
mod unused_fields;
mod world;

use hooke_scene::{Problems, Scene};
use std::path::PathBuf;

/// The problems of a scene, whether reading or compiling tells them.
fn problems(text: &str) -> Problems {
    match Scene::parse(text, "scene.toml") {
        Err(problems) => problems,
        Ok(scene) => match scene.compile() {
            Err(problems) => problems,
            Ok(compiled) => compiled.warnings,
        },
    }
}

/// The messages without their excerpts.
fn lines(problems: &Problems) -> Vec<String> {
    let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
    problems.list.iter().map(|problem| first(problem.to_string())).collect()
}

/// Checks what is told first about each text.
#[track_caller]
fn check(cases: &[(impl AsRef<str>, &str)], whole: impl Fn(&str) -> String) {
    for (text, message) in cases {
        let text = whole(text.as_ref());
        let told = lines(&problems(&text));
        assert_eq!(told.first().map(String::as_str), Some(*message), "{text}");
    }
}

/// Checks that nothing is told.
#[track_caller]
fn fine(text: &str) {
    let problems = problems(text);
    assert!(problems.is_empty(), "{text}\n{problems}");
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hooke-messages-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

const BODY: &str =
    "format = 1\n[[deformables]]\npositions = [[0, 0, 0], [1, 0, 0], [1, 0, 0]]\nmasses = 1\n";

#[test]
fn the_line_is_shown() {
    let text = format!(
        "{BODY}springs = [\n    {{ between = [0, 1], stiffness = 5, rest_length = -0.1 }},\n]\n"
    );
    assert_eq!(
        problems(&text).to_string(),
        "error: scene.toml:6: deformables[0].springs[0].rest_length: must be ≥ 0 (got -0.1)\n  \
         6 |     { between = [0, 1], stiffness = 5, rest_length = -0.1 },\n    \
         |                                                      ^^^^"
    );
}

#[test]
fn long_lines_are_shown_around_the_mark() {
    let many = "[0, 0, 0], ".repeat(50);
    let text = format!("format = 1\n[[deformables]]\npositions = [{many}[0, x, 0]]\nmass = 1\n");
    let told = problems(&text).to_string();
    assert!(told.lines().all(|line| line.chars().count() < 110), "{told}");
    let text = text.replace('x', "nan");
    let told = problems(&text).to_string();
    assert_eq!(
        told.lines().next(),
        Some("error: scene.toml:3: deformables[0].positions[50][1]: must be finite (got nan)")
    );
    let [line, mark] = [1, 2].map(|n| told.lines().nth(n).unwrap_or_default());
    let at = mark.find('^').expect("a mark");
    assert_eq!(line.get(at..at + 3), Some("nan"), "{told}");
    assert!(line.len() < 110, "{told}");
}

/// The first twenty problems of a file and how many more; errors before warnings.
#[test]
fn twenty_problems_and_how_many_more() {
    let springs = |count: usize| "{ between = [0, 9], stiffness = -1 }, ".repeat(count);
    let text = format!("{BODY}springs = [{}]\n", springs(25));
    let told = problems(&text);
    assert_eq!((told.list.len(), told.more), (20, 5));
    let text_of_all = told.to_string();
    assert_eq!(text_of_all.lines().last(), Some("… and 5 more problems"));
    assert_eq!(text_of_all.lines().count(), 3 * 20 + 1);
    let text = format!("{BODY}springs = [{}]\n", springs(21));
    assert_eq!(problems(&text).to_string().lines().last(), Some("… and 1 more problem"));
    let text = format!("{BODY}springs = [{}]\n", springs(20));
    assert_eq!(problems(&text).to_string().lines().count(), 3 * 20);

    let double = "{ between = [0, 1], stiffness = 1 }, ".repeat(26);
    let text = format!("{BODY}springs = [{double}{{ between = [0, 9], stiffness = 1 }}]\n");
    let told = problems(&text);
    assert_eq!((told.list.len(), told.more), (20, 6), "twenty-five warnings and an error");
    assert_eq!(
        lines(&told)[0],
        "error: scene.toml:5: deformables[0].springs[26].between[1]: there is no vertex 9: the deformable has \
         3 vertices"
    );
}
