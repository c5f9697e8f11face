//! Finds the pages with Rust programs and writes one documented module for each.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let mut pages = vec![root.join("../README.md")];
    find(&root, &mut pages);
    pages.sort();
    let mut modules = String::new();
    for page in pages {
        println!("cargo::rerun-if-changed={}", page.display());
        if std::fs::read_to_string(&page).unwrap().contains("```rust") {
            let name = page.strip_prefix(&root).unwrap().with_extension("");
            let name = name.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
            writeln!(modules, "#[doc = include_str!({page:?})] mod page_{name} {{}}").unwrap();
        }
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap());
    std::fs::write(out.join("pages.rs"), modules).unwrap();
}

/// Adds every page below a folder.
fn find(folder: &Path, pages: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}
