//! Keeps the invariants of ARCHITECTURE.md true.
#![allow(clippy::unwrap_used, missing_docs)]

use hooke::PHASES;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file below a folder, with its text.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![source().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty());
    found
}

/// The lines of code of a file, without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

#[track_caller]
fn never(folder: &str, words: &[&str], why: &str) {
    for (path, text) in files(folder) {
        for line in code(&text) {
            for word in words {
                assert!(!line.contains(word), "{}: {why}: {line}", path.display());
            }
        }
    }
}

#[test]
fn laws_and_dampers_never_see_a_method() {
    for folder in ["laws", "dampers"] {
        never(folder, &["methods"], "laws and dampers never see a method");
    }
}

/// The types of a folder that implement one of these traits, each with its file.
fn implementers(folder: &str, traits: &[&str]) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for (path, text) in files(folder) {
        for line in code(&text) {
            let Some((head, rest)) = line.split_once(" for ") else { continue };
            let name = head.strip_prefix("impl ").and_then(|head| head.split('<').next());
            if name.is_some_and(|name| traits.contains(&name)) {
                let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
                found.push((rest[..end].to_owned(), path.clone()));
            }
        }
    }
    found
}

const LAW: [&str; 3] = ["Law", "Stencil", "Enclosed"];
const DAMPER: [&str; 2] = ["Damper", "RateDamper"];

#[test]
fn methods_never_name_a_law() {
    let named = [implementers("laws", &LAW), implementers("dampers", &DAMPER)].concat();
    for (path, text) in files("methods") {
        for line in code(&text) {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let law = words.find(|word| named.iter().any(|(name, _)| name == word));
            assert!(
                law.is_none(),
                "{}: methods never name a law or damper: {line}",
                path.display()
            );
        }
    }
}

#[test]
fn the_engine_opens_no_file_and_prints_nothing() {
    let words = ["std::fs", "std::net", "println!", "eprintln!", "print!(", "dbg!", "std::io"];
    never("", &words, "the engine opens no file or socket and prints nothing");
}

#[test]
fn numbers_come_from_one_library_on_every_machine() {
    let functions = "sin cos tan sin_cos asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp \
                     exp2 exp_m1 ln ln_1p log log2 log10 powf powi cbrt hypot mul_add";
    let words: Vec<String> = functions
        .split_whitespace()
        .flat_map(|name| [format!(".{name}("), format!("f64::{name}")])
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let why = "the platform's functions differ in the last bit: take libm's, or a product";
    for folder in ["", "../../hooke-scene/src/compile", "../../hooke-scene/src/import"] {
        never(folder, &words, why);
    }
}

#[test]
fn only_lanes_and_the_native_factor_choose_instructions() {
    for (path, text) in files("") {
        let within = |folder| path.components().any(|part| part.as_os_str() == folder);
        let native = path.ends_with("linalg/cholesky.rs") || within("cholesky") || within("lanes");
        for line in code(&text) {
            let chooses = ["faer", "std::arch", "target_feature", "is_x86_feature_detected"];
            let found = chooses.iter().any(|word| line.contains(word));
            assert!(!found || native, "{}: {line}", path.display());
        }
    }
}

#[test]
fn every_file_says_why_it_exists() {
    for (path, text) in files("") {
        assert!(text.starts_with("//! "), "{} must start with //!", path.display());
    }
}

#[test]
fn every_law_damper_and_method_is_listed() {
    let listed = [
        ("laws", &LAW[..], "macro_rules! each_law", hooke::laws::LAWS.len()),
        ("dampers", &DAMPER, "pub const DAMPERS", hooke::dampers::DAMPERS.len()),
        ("methods", &["Configured"], "pub trait", hooke::methods::METHODS.len()),
    ];
    for (folder, traits, start, entries) in listed {
        let list = std::fs::read_to_string(source().join(folder).join("mod.rs")).unwrap();
        let (_, list) = list.split_once(start).unwrap();
        let found = implementers(folder, traits);
        for (name, path) in &found {
            let stands =
                [format!("{name}<"), format!("<{name}")].iter().any(|text| list.contains(text));
            assert!(stands, "{name} of {} is not in the list", path.display());
        }
        assert_eq!(found.len(), entries, "{folder}: {found:?}");
    }
}

#[test]
fn the_map_names_every_folder() {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let map = std::fs::read_to_string(map).unwrap();
    for entry in std::fs::read_dir(source()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(map.contains(&format!("crates/hooke/src/{name}")), "{name} is not on the map");
        }
    }
}

#[test]
fn no_file_is_longer_than_500_lines() {
    let lanes = source().join("lanes");
    for (path, text) in files("").into_iter().filter(|(path, _)| !path.starts_with(&lanes)) {
        let count = text.lines().count();
        assert!(count <= 500, "{} has {count} lines: split it by subject", path.display());
    }
}

#[test]
fn every_function_of_the_walks_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let map = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let lines = map.lines().filter_map(|line| line.strip_prefix("- `")?.split_once("`: "));
    let mut walked = 0;
    for (file, function) in lines.filter_map(|(place, _)| place.split_once("::")) {
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|_| panic!("no {file}"));
        let head = format!("fn {function}");
        let found = text.match_indices(&head).any(|(at, _)| {
            let next = text[at + head.len()..].chars().next();
            next.is_some_and(|next| next == '(' || next == '<')
        });
        assert!(found, "{file} has no function {function}");
        walked += 1;
    }
    assert!(walked >= 30, "{walked} functions");
}

/// A page of the repository.
fn page(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

/// The lines of a numbered list, without their numbers; the numbers must count up from 1.
#[track_caller]
fn numbered<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut items = Vec::new();
    for line in lines {
        if let Some((number, item)) = line.split_once(". ")
            && let Ok(number) = number.parse::<usize>()
        {
            items.push(item);
            assert_eq!(number, items.len(), "{line}");
        }
    }
    items
}

#[test]
fn all_pages_tell_the_same_order_of_a_step() {
    let order = PHASES.join(" → ");
    let map = page("ARCHITECTURE.md");
    assert!(map.contains(&format!("the one order: {order} |")), "ARCHITECTURE.md: {order}");

    let concepts = page("docs/concepts.md");
    let (_, section) = concepts.split_once("## The order of a step").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let items = numbered(section.lines());
    let bold = |item: &str| item.split("**").nth(1).unwrap_or_default().to_lowercase();
    let told: Vec<_> = items.into_iter().map(bold).collect();
    assert_eq!(told, PHASES, "docs/concepts.md");

    let phases = std::fs::read_to_string(source().join("simulation/phases.rs")).unwrap();
    let (comment, _) = phases.split_once("pub const PHASES").unwrap();
    let items = numbered(comment.lines().filter_map(|line| line.strip_prefix("/// ")));
    assert_eq!(items.len(), PHASES.len());
    for (item, phase) in items.iter().zip(PHASES) {
        assert!(item.to_lowercase().starts_with(phase), "the comment of PHASES: {item}");
    }
}

/// The names of the functions that a function calls on `self`, each once, in order.
fn calls(text: &str, function: &str) -> Vec<String> {
    let (_, rest) = text.split_once(&format!("fn {function}(")).unwrap();
    let (body, _) = rest.split_once("\n    }\n").unwrap();
    let mut names = Vec::new();
    for (at, word) in body.match_indices("self.") {
        let name: String = body[at + word.len()..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if body[at + word.len() + name.len()..].starts_with('(') && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[test]
fn the_code_of_a_step_has_one_call_for_each_phase() {
    let read =
        |file: &str| std::fs::read_to_string(source().join("simulation").join(file)).unwrap();
    let is = |call: &String, phase: &str| call.ends_with(&format!("_{}", phase.replace(' ', "_")));
    let [first, within @ .., last] = PHASES;

    let substep = calls(&read("phases.rs"), "substep");
    assert_eq!(substep.len(), within.len(), "{substep:?}");
    for (call, phase) in substep.iter().zip(within) {
        assert!(is(call, phase), "{call} stands where the phase '{phase}' belongs");
    }
    let step = calls(&read("step.rs"), "take_step");
    let [first, all, last] = [
        step.iter().position(|call| is(call, first)),
        step.iter().position(|call| call == "substep"),
        step.iter().position(|call| is(call, last)),
    ]
    .map(|found| found.unwrap_or_else(|| panic!("a phase is missing in {step:?}")));
    assert!(first < all && all < last, "{step:?}");
}

/// Which modules at the top of the engine each of them uses.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in files("") {
        let within = path.strip_prefix(source()).unwrap();
        let module = within.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        if module == "lib" || path.ends_with("tests.rs") {
            continue;
        }
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let known = uses.entry(module.to_string()).or_default();
        for line in code(text) {
            assert!(!line.contains("crate::{"), "{}: one module per line: {line}", path.display());
            for used in line.split("crate::").skip(1) {
                let used = used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
                if used != module {
                    known.insert(used.to_string());
                }
            }
        }
    }
    uses
}

#[test]
fn modules_form_no_cycle() {
    let uses = uses();
    for module in ["contact", "methods", "rigid", "stability", "linalg", "lanes", "math"] {
        assert!(uses.contains_key(module), "{module}");
    }
    for (module, used) in &uses {
        for other in used.iter().filter(|other| uses.contains_key(*other)) {
            if let Some(path) = path(&uses, other, module) {
                panic!("a cycle: {module} → {}", path.join(" → "));
            }
        }
    }
}

/// A shortest path of uses from one module to another, both included.
fn path<'a>(
    uses: &'a BTreeMap<String, BTreeSet<String>>,
    from: &'a str,
    to: &str,
) -> Option<Vec<&'a str>> {
    let (mut seen, mut paths) = (BTreeSet::from([from]), VecDeque::from([vec![from]]));
    while let Some(path) = paths.pop_front() {
        let last = *path.last()?;
        if last == to {
            return Some(path);
        }
        for used in uses.get(last).into_iter().flatten() {
            if seen.insert(used) {
                paths.push_back([&path[..], &[used]].concat());
            }
        }
    }
    None
}

#[test]
fn only_the_clock_knows_the_time() {
    for (path, text) in files("") {
        for line in code(&text).filter(|_| !path.ends_with("src/clock.rs")) {
            let asks =
                ["Instant", "SystemTime", "std::time"].iter().any(|word| line.contains(word));
            assert!(!asks, "{}: wall times come from clock.rs: {line}", path.display());
        }
    }
}
