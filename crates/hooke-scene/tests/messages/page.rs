//! The page on messages shows what is really told.

use crate::{lines, problems};
use hooke_scene::Scene;
use std::path::Path;

/// The page on messages.
fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/messages.md");
    std::fs::read_to_string(path).expect("the page on messages")
}

/// The blocks of a kind, in order.
fn blocks<'a>(page: &'a str, kind: &str) -> Vec<&'a str> {
    let start = format!("```{kind}\n");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_examples_of_the_page() {
    let page = page();
    let (scenes, told) = (blocks(&page, "toml"), blocks(&page, "text"));
    assert_eq!(problems(scenes[0]).to_string(), told[0].trim_end());

    let mut scene = Scene::parse(scenes[1], "scene.toml").expect("the scene of the examples");
    assert!(scene.compile().expect("a model").warnings.is_empty());
    let heavy = scene.set("deformables[0].mass", "heavy").expect_err("no number");
    assert_eq!(heavy.to_string(), told[1].trim_end());

    let rows = page.split("| line 7 | message |").nth(1).expect("the table");
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
