//! The invariance page: every way to compute comes to rest in the same place, and the page lists
//! exactly the ways that are tried.

#[path = "../examples/invariance.rs"]
mod invariance;

use std::path::Path;

#[test]
fn every_way_comes_to_rest_in_the_same_place() {
    let tables = invariance::tables().expect("the scenes run");
    for table in &tables {
        assert!(table.residual < 1e-8, "{}: {:e}", table.title, table.residual);
        for row in &table.rows {
            assert!(row.off < 1e-6, "{}, {}: {:e} m off", table.title, row.way, row.off);
            assert!(row.speed < 1e-5, "{}, {}: {:e} m/s", table.title, row.way, row.speed);
        }
    }
    // The rope's own answer: each of 20 links of stiffness k carries the particles below it.
    let sag = 1.0 + 0.01 * 9.81 / 100.0 * f64::from((1..=20).sum::<u32>());
    assert!((tables[0].sag - sag).abs() < 1e-9, "{} instead of {sag}", tables[0].sag);

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/invariance.md");
    let page = std::fs::read_to_string(file).expect("the page");
    let labels = |text: &str| -> Vec<String> {
        // What rounding leaves differs between machines.
        let first = |line: &str| {
            let label = line.split('|').nth(1).unwrap_or(line);
            label.split("; forces left").next().unwrap_or(label).trim().to_owned()
        };
        text.lines().map(first).collect()
    };
    assert_eq!(labels(&page), labels(&invariance::page(&tables)), "make the page again");
}
