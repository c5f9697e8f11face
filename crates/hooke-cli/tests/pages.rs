//! The pages on bending, position-based methods, validation and which method to use: what is cheap is computed again, and must be what they say.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../examples/bending.rs"]
#[allow(dead_code)]
mod bending;
#[path = "../examples/position_based.rs"]
#[allow(dead_code)]
mod position_based;
#[path = "../examples/validation/main.rs"]
#[allow(dead_code)]
mod validation;
#[path = "../examples/which_method.rs"]
#[allow(dead_code)]
mod which_method;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use validation::{cantilever, page, patch, references, rest, wrinkles};

/// Numbers below this are rounding, and differ between machines.
const ROUNDING: f64 = 1e-6;
/// What is slower (m/s) is at rest.
const AT_REST: f64 = 1e-5;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether words are the same, numbers within a hundredth.
fn is_same(a: &str, b: &str) -> bool {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= ROUNDING.max(0.011 * a.abs().max(b.abs())),
        _ => a == b,
    }
}

/// Every line of `text` stands in the page `name`, in this order.
#[track_caller]
fn check(name: &str, text: &str) {
    let page = fs::read_to_string(root().join("docs").join(name)).unwrap();
    let mut lines = page.lines();
    for line in text.lines() {
        let same = |other: &str| {
            let [a, b] = [line, other].map(|line| line.split_whitespace().collect::<Vec<_>>());
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        };
        assert!(lines.any(same), "docs/{name} does not say (make the page again):\n{line}");
    }
}

#[test]
fn bending() {
    let (rows, limits) = (bending::rows().unwrap(), bending::limits().unwrap());
    for row in &rows {
        let expected = match row.law {
            "vertex-bending" => 0.9..1.1,
            "bend springs" => 0.1..4.0,
            _ => 2.0..9.0,
        };
        assert!(row.folds.iter().all(|ratio| expected.contains(ratio)), "{} {}", row.mesh, row.law);
    }
    check("bending.md", &bending::page(&rows, &limits));
}

#[test]
fn position_based() {
    let truth = position_based::truth(position_based::rope(20).unwrap()).unwrap();
    let rows = position_based::by_budget(|| position_based::rope(20)).unwrap();
    let last = |name: &str| {
        let (_, points) = rows.iter().find(|(way, _)| way.name == name).unwrap();
        points.last().unwrap()[1] / truth
    };
    assert!((last("xpbd, sub-steps") - 1.0).abs() < 0.01, "{}", last("xpbd, sub-steps"));
    assert!(last("pbd, sub-steps") < 0.1, "{}", last("pbd, sub-steps"));
    check("position-based.md", &position_based::budget_table(truth, &rows));
    // Below the rounding of a residual, numbers differ between machines.
    let kinds = position_based::residuals().unwrap();
    check("position-based.md", &position_based::residual_table(&kinds));
}

#[test]
fn cantilever_and_patches() {
    let [off, _] = cantilever::same_mesh().unwrap();
    assert!(off < 1e-7, "{off:e} m off the reference");
    // The finer meshes take longer.
    let sags: Vec<(u32, f64)> =
        [1, 2, 3, 4].map(|cells| (cells, cantilever::sag(cells).unwrap())).into();
    assert!(sags.is_sorted_by(|a, b| a.1 < b.1 && b.1 < cantilever::theory()), "{sags:?}");
    let text = page::cantilever([off, 0.0], &sags);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    check("validation.md", &rows.join("\n"));

    let patches = patch::patches().unwrap();
    for patch in &patches {
        assert!(patch.off < 1e-9, "{}: {:e} m off the map", patch.law, patch.off);
        assert!(patch.spread < 1e-9, "{}: {:e} of the stress", patch.law, patch.spread);
    }
    check("validation.md", &page::patches(&patches));
}

#[test]
fn whatever_comes_to_rest_rests_at_the_static_answer() {
    let tables = rest::tables().unwrap();
    for table in &tables {
        assert!(table.residual < 1e-7, "{}: {:e}", table.title, table.residual);
        for row in &table.rows {
            let moves = row.speed >= AT_REST;
            assert!(moves || row.off < 1e-5, "{}, {}: {:e}", table.title, row.way, row.off);
        }
    }
    assert!(tables[0].rows.iter().all(|row| row.speed < AT_REST && row.off < 1e-6), "jelly");
    // What still moves on the page moves here; how far it has come differs between machines.
    let page_text = fs::read_to_string(root().join("docs/validation.md")).unwrap();
    for (row, cloth) in tables[0].rows.iter().zip(&tables[1].rows) {
        let line = page_text.lines().find(|line| line.starts_with(&format!("| {} |", row.way)));
        let cells: Vec<&str> = line.unwrap_or_default().split('|').map(str::trim).collect();
        let said: f64 = cells[5].parse().unwrap();
        let close = (0.1..10.0).contains(&(cloth.speed / AT_REST));
        let alike = (said >= AT_REST) == (cloth.speed >= AT_REST);
        assert!(alike || close, "{}: {:e}", row.way, cloth.speed);
    }
}

#[test]
fn wrinkles() {
    let waves = [1e-4, 1e-3].map(|d| [d, wrinkles::wavelength(&wrinkles::profile(d).unwrap())]);
    for [rigidity, length] in waves {
        let ratio = length / wrinkles::theory(rigidity);
        assert!((ratio - 1.0).abs() < 0.03, "{rigidity}: {ratio}");
    }
    let text = page::wrinkles(&waves);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    check("validation.md", &rows.join("\n"));
}

#[test]
fn references() {
    let folder = root().join("crates/hooke/tests/engine");
    let files: BTreeSet<String> = fs::read_dir(folder.join("reference"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let listed = references::CASES.iter().map(|case| case.file.to_owned());
    assert_eq!(files, listed.collect());
    let sources = ["reference.rs", "rigid/impulses.rs", "rigid/matching.rs"];
    let source: String =
        sources.map(|file| fs::read_to_string(folder.join(file)).unwrap()).concat();
    for case in references::CASES {
        let body = |test: &&str| {
            let (_, rest) = source.split_once(&format!("fn {test}() {{")).unwrap();
            rest.split("\n}\n").next().unwrap().to_owned()
        };
        let bodies: String = case.tests.iter().map(body).collect();
        assert!(bodies.contains(&format!("read(\"{}\")", case.file)), "{}", case.file);
        for (of, tolerance) in case.tolerances {
            assert!(bodies.contains(tolerance), "{}: {of} {tolerance}", case.file);
        }
    }
    check("validation.md", &page::references());
}

#[test]
fn which_method() {
    let cases = [
        which_method::Case::new(|| which_method::cloth(40)).unwrap(),
        which_method::Case::new(which_method::jelly).unwrap(),
    ];
    let [on_cloth, on_solid] = cases.map(|case| which_method::reached(&case, 0).unwrap());
    for reached in &on_cloth {
        let error = reached.default.map_or(f64::INFINITY, |(error, _)| error);
        let exact = ["newton", "constrained"].contains(&reached.info.name);
        assert!(!exact || error < 1e-5, "{}: {error:e}", reached.info.name);
    }
    // Times differ between machines and runs: what they are is left out.
    let untimed = |line: &str| {
        let cells = line.split('|').enumerate();
        cells.filter(|(k, _)| ![6, 8].contains(k)).map(|(_, cell)| cell.trim().to_owned()).collect()
    };
    let page = fs::read_to_string(root().join("docs/which-method.md")).unwrap();
    for line in which_method::table([&on_cloth, &on_solid]).lines() {
        let wanted: Vec<String> = untimed(line);
        let same = |line: &str| {
            let cells: Vec<String> = untimed(line);
            cells.len() == wanted.len() && cells.iter().zip(&wanted).all(|(a, b)| is_near(a, b))
        };
        assert!(page.lines().any(same), "docs/which-method.md does not say:\n{line}");
    }
    for sentence in hooke::methods::Auto::choices() {
        let wanted = hooke_scene::words::wrap(&format!("- {sentence}"), "  ");
        assert!(page.contains(&format!("{wanted}\n")), "{sentence}");
    }
}

/// Whether cells are the same; numbers of two digits may differ in the second.
fn is_near(a: &str, b: &str) -> bool {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 0.11 * a.abs().max(b.abs()),
        _ => a == b,
    }
}
