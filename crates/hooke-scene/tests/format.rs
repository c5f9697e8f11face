//! The declarations of the format hold what they promise.

use hooke_scene::field::{Kind, TableInfo};
use hooke_scene::format::describe;
use hooke_scene::{Scene, gallery, page, template};
use std::path::Path;

/// Every field with the path at which a scene could have it.
fn walk(
    info: &TableInfo,
    path: &str,
    depth: usize,
    each: &mut dyn FnMut(&str, &Kind, Option<&str>),
) {
    for field in &info.fields {
        let path =
            if path.is_empty() { field.name.into() } else { format!("{path}.{}", field.name) };
        for text in [field.default.as_deref(), field.example].into_iter().flatten() {
            each(&path, &field.kind, Some(text));
        }
        descend(&field.kind, &path, depth, each);
    }
}

fn descend(kind: &Kind, path: &str, depth: usize, each: &mut dyn FnMut(&str, &Kind, Option<&str>)) {
    each(path, kind, None);
    match kind {
        Kind::Table(info) if depth > 0 => walk(&info(), path, depth - 1, each),
        Kind::List(kind) => descend(kind, &format!("{path}[0]"), depth, each),
        Kind::Named(kind) => descend(kind, &format!("{path}.some"), depth, each),
        Kind::Either(kinds) => kinds.iter().for_each(|kind| descend(kind, path, depth, each)),
        _ => {}
    }
}

const BASE: &str = "format = 1\n[[deformables]]\npositions = [[0, 0, 0]]\nmass = 1\n";

#[test]
fn every_default_and_example_is_of_its_kind() {
    walk(&describe(), "", 6, &mut |path, _, text| {
        let Some(text) = text else { return };
        let mut scene = Scene::parse(BASE, "scene.toml").expect("the base");
        if let Err(problems) = scene.set(path, text) {
            // Beside other fields it may be too much, but never of the wrong kind.
            for problem in &problems.list {
                let fine = problem.sentence.contains("stands beside")
                    || problem.sentence.contains("is missing")
                    || problem.sentence.contains("one of these must be given")
                    || problem.sentence.contains("whole number of steps")
                    || problem.sentence.contains("sections of its own");
                assert!(fine, "{path} = {text}: {problem}");
            }
        }
    });
}

#[test]
fn the_gallery_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the scenes")
        .filter_map(|entry| entry.ok()?.path().file_name()?.to_str().map(str::to_owned))
        .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
        .collect();
    let mut names: Vec<_> = gallery().iter().map(|entry| entry.name.to_owned()).collect();
    files.sort();
    names.sort();
    assert_eq!(files, names);
    for entry in gallery() {
        let scene = Scene::gallery(entry.name).expect(entry.name);
        assert!(scene.document().about.is_some(), "{} says what it shows", entry.name);
        let compiled = scene.compile().expect(entry.name);
        assert!(compiled.warnings.is_empty(), "{}: {}", entry.name, compiled.warnings);
    }
}

#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes.md");
    let written = std::fs::read_to_string(path).unwrap_or_default();
    let fresh = page();
    assert!(written == fresh, "docs/scenes.md is old: hooke schema --markdown > docs/scenes.md");
}

#[test]
fn the_template_runs_and_so_does_what_it_comments_out() {
    let text = template();
    let scene = Scene::parse(&*text, "new.toml").unwrap_or_else(|problems| panic!("{problems}"));
    let mut simulation = scene.simulation(1).expect("the template runs");
    simulation.step().expect("a step");
    for (index, line) in text.lines().enumerate() {
        let Some(field) = line.strip_prefix("# ").filter(|field| field.contains(" = ")) else {
            continue;
        };
        let mut lines: Vec<&str> = text.lines().collect();
        lines[index] = field;
        if let Err(problems) = Scene::parse(lines.join("\n"), "new.toml") {
            let beside = problems.list.iter().all(|problem| problem.sentence.contains("beside"));
            assert!(beside, "{field}: {problems}");
        }
    }
}

#[test]
fn set_edits_the_text_and_nothing_else() {
    let text = "format = 1 # first\n[time] # how\nstep = 0.01\n\n[[deformables]]\nrope = { from = [0, 0, 0], \
                to = [1, 0, 0], links = 3 }\nmass = 1 # kg\nstructural = { stiffness = 5 }\n";
    let mut scene = Scene::parse(text, "scene.toml").expect("a rope");
    scene.set("deformables[0].structural.stiffness", "2000").expect("a change");
    scene.set("deformables[0].structural.damping", "0.5").expect("a new field in a line");
    scene.set("deformables[0].drag", "0.1").expect("a new field of a section");
    scene.set("method.name", "newton").expect("a new section");
    scene.set("method.iterations", "7").expect("a field of the new section");
    scene.set("time.step", "1/60").expect("text without quotes");
    scene.set("deformables[0].rope.to[1]", "0.25").expect("a part of a list");
    assert_eq!(
        scene.text(),
        "format = 1 # first\nmethod = { name = \"newton\", iterations = 7 }\n[time] # how\n\
         step = \"1/60\"\n\n[[deformables]]\ndrag = 0.1\nrope = { from = [0, 0, 0], to = [1, 0.25, 0], \
         links = 3 }\nmass = 1 # kg\nstructural = { stiffness = 2000, damping = 0.5 }\n"
    );
    scene.use_method("rk4").expect("a method without settings");
    assert!(scene.text().contains("method = { name = \"rk4\" }"), "{}", scene.text());
    scene.set_frames(12).expect("twelve frames");
    assert_eq!(scene.frames(), 12);
}

#[test]
fn another_method_keeps_what_it_knows() {
    let mut scene = Scene::gallery("stiff-cloth").expect("in the gallery");
    for info in hooke::methods::METHODS {
        scene.use_method(info.name).expect(info.name);
        assert_eq!(scene.document().method.info.name, info.name);
    }
    let mut scene = Scene::gallery("stiff-cloth").expect("in the gallery");
    scene.use_method("backward-euler").expect("by its other name");
    assert_eq!(scene.document().method.settings.len(), 1, "newton has iterations too");
}

/// Any bytes give a scene or problems.
#[test]
fn every_prefix_and_every_flipped_bit_is_answered() {
    let text = include_str!("../scenes/net.toml");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        answer(&text[..end]);
    }
    let short = "format = 1\n[[deformables]]\npositions = [[0, 0, 0], [1, 0, 0]]\nmasses = 1\n\
                 springs = [{ between = [0, 1], stiffness = 9 }]\npins = [{ at = 0 }]\n";
    for bit in 0..8 * short.len() {
        let mut bytes = short.as_bytes().to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            answer(text);
        }
    }
}

fn answer(text: &str) {
    if let Ok(scene) = Scene::parse(text, "scene.toml") {
        let _ = scene.compile().map(|compiled| compiled.edges.len());
    }
}

#[test]
fn hostile_texts_are_answered() {
    let deep = format!("format = 1\na = {}", "[".repeat(100_000));
    let dotted = format!("format = 1\n{}b = 1", "a.".repeat(100_000));
    let line = format!("format = 1\ntitle = \"{}\"\nabout = 3", "x".repeat(1_000_000));
    let tables = "[[deformables]]\n".repeat(10_000);
    for text in [deep, dotted, line, tables, "\u{feff}format = 1".into(), "\0".into()] {
        let problems = Scene::parse(text, "scene.toml").map(|_| ()).err();
        assert!(problems.is_none_or(|problems| problems.list.len() <= 20));
    }
}
