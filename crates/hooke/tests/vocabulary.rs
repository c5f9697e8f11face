//! Keeps one word per thing: names that were replaced do not come back, and spelling is American.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

/// Types that have other names now. See the glossary of CONTRIBUTING.md.
const OLD_TYPES: &str = "Point Placement Moving Team Limit Freedom Reach Net Seen Visits \
                         Links Joints Bead Yield Effect Look Global RoughFactor Level Spot Pressed \
                         Ask Told Show Live Turn Place Ether Stuff Asked Doorway PinsHeld \
                         BallHold HingeHold SliderHold DistanceHold";

/// Types whose old names still mean something else outside of the engine.
const OLD_TYPES_OF_THE_ENGINE: &str = "Body World";

/// Modules, files and folders that have other names now.
const OLD_MODULES: &str = "bodies team games stuff around mend idle net bands lines layout visits \
                           links known matched envelope ensemble six place way held cut \
                           order rough global levels freedom patience limit tell doorway";

/// Functions, fields and keys of messages and files that have other names now.
const OLD_NAMES: &str = "place places way ways turn turns turned spot spots stuff team ether look \
                         looks follow told ask asks asked bead set_ether set_hold body_turns \
                         body_spins ask_parry";

/// Beginnings of words in British spelling, taken apart so that this file does not hold them.
const BRITISH: &[(&str, &str)] = &[
    ("col", "our"),
    ("cent", "re"),
    ("neighb", "our"),
    ("behavi", "our"),
    ("fav", "our"),
    ("fib", "re"),
    ("met", "re"),
    ("millimet", "re"),
    ("centimet", "re"),
    ("micromet", "re"),
    ("licen", "ce"),
    ("artef", "act"),
    ("catalog", "ue"),
    ("gr", "ey"),
    ("toward", "s"),
    ("linear", "ise"),
    ("linear", "isa"),
    ("minim", "ise"),
    ("minim", "isa"),
    ("maxim", "ise"),
    ("normal", "ise"),
    ("normal", "isa"),
    ("optim", "ise"),
    ("optim", "isa"),
    ("initial", "ise"),
    ("organ", "ise"),
    ("recogn", "ise"),
    ("factor", "ise"),
    ("factor", "isa"),
    ("discret", "ise"),
    ("discret", "isa"),
    ("summar", "ise"),
    ("general", "ise"),
    ("serial", "ise"),
    ("regular", "ise"),
    ("visual", "ise"),
    ("stabil", "ise"),
    ("analy", "se"),
    ("model", "led"),
    ("model", "ling"),
    ("cancel", "led"),
    ("label", "led"),
];

/// Lines that name the old words on purpose: the table of renamed fields.
const QUOTED: &[&str] = &["| method `linear"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file below a folder with one of these extensions, but for what is built or fetched.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let skipped = ["target", "node_modules", "dist", "corpus", "runs", "compare"];
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            let own = path.join("mod.rs").exists();
            if !name.starts_with('.') && (own || !skipped.contains(&name)) {
                found.extend(files(&path, extensions));
            }
        } else if path.extension().is_some_and(|e| extensions.contains(&e.to_str().unwrap())) {
            found.push(path);
        }
    }
    found
}

/// Identifiers of a line of code, without its comment.
fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap();
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[test]
fn no_type_or_module_has_its_old_name() {
    let mut wrong = String::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let source = entry.unwrap().path().join("src");
        let engine = source.ends_with("hooke/src");
        for path in files(&source, &["rs"]) {
            let shown = path.strip_prefix(root()).unwrap().display().to_string();
            let parts = path.strip_prefix(&source).unwrap().with_extension("");
            for part in parts.iter().filter_map(|part| part.to_str()) {
                if OLD_MODULES.split_whitespace().any(|old| old == part) {
                    wrong += &format!("\n{shown}: {part}");
                }
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for line in text.lines() {
                let mut words = identifiers(line).peekable();
                while let (Some(word), Some(&name)) = (words.next(), words.peek()) {
                    let old = match word {
                        "struct" | "enum" | "trait" | "type" | "union" => {
                            OLD_TYPES.split_whitespace().any(|old| old == name)
                                || engine
                                    && OLD_TYPES_OF_THE_ENGINE.split_whitespace().any(|o| o == name)
                        }
                        "mod" => OLD_MODULES.split_whitespace().any(|old| old == name),
                        _ => false,
                    };
                    if old {
                        wrong += &format!("\n{shown}: {word} {name}");
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "names that have a successor in the glossary:{wrong}");
}

/// The function, field or key of a message that a line of code declares, if it declares one, and all its strings
/// of one word.
fn declared(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap();
    let function = code.split_once("fn ").map(|(_, rest)| rest);
    let function = function.and_then(|rest| rest.split(['(', '<']).next());
    let field = code.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
    let field = field.trim_start_matches("pub(super) ").trim_start_matches("readonly ");
    let field = field.split_once(':').map(|(name, _)| name.trim_end_matches('?'));
    function.into_iter().chain(field).chain(code.split('"').skip(1).step_by(2))
}

#[test]
fn no_function_field_or_key_has_its_old_name() {
    let mut wrong = String::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        for folder in ["src", "web/src"] {
            let source = entry.as_ref().unwrap().path().join(folder);
            if !source.exists() {
                continue;
            }
            for path in files(&source, &["rs", "ts"]) {
                let shown = path.strip_prefix(root()).unwrap().display().to_string();
                let text = std::fs::read_to_string(&path).unwrap();
                for (number, line) in text.lines().enumerate() {
                    let old = |name: &&str| OLD_NAMES.split_whitespace().any(|old| old == *name);
                    for name in declared(line).filter(old) {
                        wrong += &format!("\n{shown}:{}: {name}", number + 1);
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "names that have a successor in the glossary:{wrong}");
}

#[test]
fn spelling_is_american() {
    let british: Vec<String> = BRITISH.iter().map(|(a, b)| format!("{a}{b}")).collect();
    let mut wrong = String::new();
    for path in files(&root(), &["rs", "md", "ts", "toml"]) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for line in text.lines().filter(|line| !QUOTED.iter().any(|quote| line.contains(quote))) {
            let lower = line.to_lowercase();
            let words = lower.split(|c: char| !c.is_alphabetic());
            let found = words.filter(|word| british.iter().any(|old| word.starts_with(&**old)));
            for word in found {
                wrong += &format!("\n{}: {word}", path.strip_prefix(root()).unwrap().display());
            }
        }
    }
    assert!(wrong.is_empty(), "British spelling:{wrong}");
}

#[test]
fn lines_of_markdown_are_short() {
    let mut wrong = String::new();
    for path in files(&root(), &["md"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            // Rows of tables cannot be broken, nor can addresses or the lines that programs print.
            let words = line.split_whitespace();
            let unbreakable = words.map(|word| word.chars().count()).max().unwrap_or(0) > 100;
            let row = line.trim_start().starts_with('|');
            let printed = ["error: ", "warning: "].iter().any(|start| line.starts_with(start));
            if line.chars().count() > 120 && !row && !unbreakable && !printed {
                let shown = path.strip_prefix(root()).unwrap().display().to_string();
                wrong += &format!("\n{shown}:{}", number + 1);
            }
        }
    }
    assert!(wrong.is_empty(), "lines of more than 120 characters:{wrong}");
}
