//! What the engine is checked against, with the numbers it reaches.
//!
//! ```sh
//! cargo run --release -p hooke-cli --example validation
//! ```
//!
//! writes `docs/validation.md` and its charts. One module per experiment; the test of the page runs
//! the cheap part of each and compares.

pub mod cantilever;
pub mod page;
pub mod patch;
pub mod references;
pub mod rest;
mod statics;
pub mod wrinkles;

use hooke_render::chart::Figure;
use std::path::Path;

/// What an experiment comes to.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[allow(dead_code, reason = "the test of the page reads this file, too")]
fn main() -> Outcome<()> {
    let same_mesh = cantilever::same_mesh()?;
    let sags = cantilever::CELLS.iter().map(|&cells| Ok((cells, cantilever::sag(cells)?)));
    let sags: Vec<(u32, f64)> = sags.collect::<Outcome<_>>()?;
    let patches = patch::patches()?;
    let tables = rest::tables()?;
    let wavelength = |rigidity: &f64| -> Outcome<[f64; 2]> {
        Ok([*rigidity, wrinkles::wavelength(&wrinkles::profile(*rigidity)?)])
    };
    let waves: Vec<[f64; 2]> =
        wrinkles::rigidities().iter().map(wavelength).collect::<Outcome<_>>()?;

    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = [
        page::head(),
        page::cantilever(same_mesh, &sags),
        page::patches(&patches),
        page::rest(&tables),
        page::wrinkles(&waves),
        page::references(),
    ];
    std::fs::write(docs.join("validation.md"), text.join("\n"))?;
    for (name, chart) in
        [("cantilever", cantilever::chart(&sags)), ("wrinkles", wrinkles::chart(&waves))]
    {
        let figure = Figure::from(chart);
        std::fs::write(docs.join(format!("images/{name}.svg")), figure.svg(640, 400))?;
    }
    Ok(())
}
