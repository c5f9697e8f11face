//! The page on messages shows what is really told.

use crate::{lines, problems};
use hooke_scene::Scene;

const PAGE: &str = include_str!("../../../../docs/messages.md");

/// The blocks of a kind, in order.
fn blocks(kind: &str) -> Vec<&'static str> {
    let start = format!("```{kind}\n");
    PAGE.split(start.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_examples_of_the_page() {
    let (scenes, told) = (blocks("toml"), blocks("text"));
    assert_eq!(problems(scenes[0]).to_string(), told[0].trim_end());

    let mut scene = Scene::parse(scenes[1], "scene.toml").expect("the scene of the examples");
    assert!(scene.compile().expect("a model").warnings.is_empty());
    let heavy = scene.set("bodies[0].mass", "heavy").expect_err("no number");
    assert_eq!(heavy.to_string(), told[1].trim_end());

    let rows = PAGE.split("| line 7 | what is told |").nth(1).expect("the table");
    let mut tried = 0;
    for row in rows.lines().filter(|row| row.starts_with("| `")) {
        let cells: Vec<_> = row.split('`').collect();
        let [_, line, _, message, _] = cells[..] else { panic!("{row}") };
        let told = lines(&problems(&format!("{}{line}\n", scenes[1])));
        assert_eq!(told.first().map(String::as_str), Some(message), "{line}");
        tried += 1;
    }
    assert!(tried >= 12, "{tried} rows");
}
