//! How far an addition reaches: a new shape, exporter or law of a material is stated once and listed
//! once, and everything else follows from that. Counted by the source files that name an old one.
#![allow(clippy::unwrap_used, missing_docs)]

use hooke::dampers::DAMPERS;
use hooke::laws::LAWS;
use hooke_scene::export::Format;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Every source file of the product with its path below `crates`, tests excluded.
fn sources() -> Vec<(String, String)> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        folders.extend([path.join("src"), path.join("web/src")].into_iter().filter(|f| f.is_dir()));
    }
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let source = path.extension().is_some_and(|ending| ending == "rs" || ending == "ts");
            if path.is_dir() {
                folders.push(path);
            } else if source {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(found.len() > 300, "{} files", found.len());
    found.sort();
    found
}

/// Whether a text has a word, which may have hyphens and is no ending of a file.
fn has_word(text: &str, word: &str) -> bool {
    let within = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(word).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        !before.is_some_and(|c| within(c) || c == '.') && !after.is_some_and(within)
    })
}

/// The files that name one of several words.
fn naming<'a>(sources: &'a [(String, String)], words: &[String]) -> Vec<&'a str> {
    let names = |text: &str| words.iter().any(|word| has_word(text, word));
    sources.iter().filter(|(_, text)| names(text)).map(|(name, _)| name.as_str()).collect()
}

#[test]
fn a_shape_is_named_in_few_files() {
    let sources = sources();
    let naming: Vec<_> = sources
        .iter()
        .filter(|(_, text)| text.to_lowercase().contains("capsule"))
        .map(|(name, _)| name)
        .collect();
    assert!((1..=9).contains(&naming.len()), "{naming:#?}");
}

#[test]
fn an_exporter_is_named_in_its_file_and_the_list() {
    let mut sources = sources();
    sources.retain(|(name, _)| !name.contains("/import/") && !name.starts_with("hooke-fuzz"));
    for (_, text) in &mut sources {
        // What can be dropped onto the studio is read.
        let lines = text.lines().map(str::to_lowercase).filter(|line| !line.contains("drop"));
        *text = lines.collect::<Vec<_>>().join("\n");
    }
    for format in Format::ALL {
        let mut naming = naming(&sources, &[format.name.to_owned()]);
        let part = format!("hooke-scene/src/export/{}/", format.name);
        naming.retain(|name| !name.starts_with(&part));
        // What is also read is named where meshes are opened, and beside what accompanies it.
        let read = root().join(format!("hooke-scene/src/import/{}.rs", format.name));
        if read.exists() {
            let writes = |name: &&str| {
                name.contains("/export")
                    || name.starts_with("hooke-cli")
                    || name.contains("/media/")
            };
            naming.retain(writes);
            naming.retain(|name| *name != "hooke-scene/src/export/pc2.rs");
        }
        assert!((1..=2).contains(&naming.len()), "{format}: {naming:#?}");
    }
}

#[test]
fn a_law_or_damper_of_a_material_is_named_in_its_file_and_the_list() {
    let mut sources = sources();
    // The engine's comments may compare laws.
    for (name, text) in &mut sources {
        if name.starts_with("hooke/src") {
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            *text = code.collect::<Vec<_>>().join("\n");
        }
    }
    let laws = LAWS.iter().filter(|law| law.role.is_some()).map(|law| law.name);
    let dampers = DAMPERS.iter().filter(|damper| damper.role.is_some()).map(|damper| damper.name);
    let names: Vec<_> = laws.chain(dampers).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
        let type_name: String = name.split('-').map(capital).collect();
        let naming = naming(&sources, &[name.to_owned(), name.replace('-', "_"), type_name]);
        assert!((1..=2).contains(&naming.len()), "{name}: {naming:#?}");
    }
}
