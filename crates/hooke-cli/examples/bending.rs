//! Which law of bending to choose: every one on a cylinder, against the theory of plates.
//!
//! ```sh
//! cargo run --release -p hooke-cli --example bending
//! ```
//!
//! writes `docs/bending.md` and its chart. The sheets are those of the engine's example
//! `07_bending_on_a_cylinder`.

#[path = "../../hooke/examples/07_bending_on_a_cylinder.rs"]
#[allow(dead_code, reason = "an example that is run by itself, too")]
mod cylinder;

use cylinder::{CURVATURE, LAWS, MESHES, Sheet, energy};
use hooke::{Model, Vec3, laws};
use hooke_render::chart::{Axis, Chart, Figure, Mark, Series};
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Directions of the fold in the table (°).
const FOLDS: [f64; 4] = [0.0, 22.5, 45.0, 90.0];
/// Cells of a sheet along each side.
const CELLS: u32 = 40;
/// What the rows of springs are called.
const SPRINGS: &str = "bend springs";
/// How much a sheet is stretched in the second table.
const STRETCH: f64 = 0.1;

/// Energies of one law on one mesh, over that of the plate.
pub struct Row {
    /// The mesh.
    pub mesh: &'static str,
    /// The law.
    pub law: &'static str,
    /// For each direction of the fold.
    pub folds: [f64; 4],
    /// Folded at 0° with twice the curvature, over that of the plate with twice the curvature.
    pub twice: f64,
}

/// How one law takes what is not a fold of a flat sheet.
pub struct Limits {
    /// The law.
    pub law: &'static str,
    /// The energy of a sheet at its curved rest shape, over that of a plate rolled so far; none
    /// where such a rest shape is refused.
    pub at_rest: Option<f64>,
    /// The energy of a rolled sheet that is stretched around the cylinder, over that unstretched.
    pub stretched: f64,
    /// The energy of a flat sheet, stretched by nothing at one side and by twice as much at the
    /// other, over that of the plate.
    pub uneven: f64,
}

/// Bending springs made as stiff as the plate at the curvature of the table.
fn springs(sheet: &Sheet) -> Outcome<(Model, f64)> {
    let model = sheet.springs()?;
    let at_hand = energy(&model, &sheet.rolled(0.0, CURVATURE));
    Ok((model, sheet.plate(CURVATURE) / at_hand))
}

fn model(sheet: &Sheet, law: &str, rest: &[Vec3]) -> Outcome<Model> {
    sheet.model(laws::find(law).ok_or("not registered")?, rest)
}

/// The energy over that of the plate for a direction and a curvature.
fn ratio(sheet: &Sheet, (model, factor): &(Model, f64), fold: f64, curvature: f64) -> f64 {
    factor * energy(model, &sheet.rolled(fold, curvature)) / sheet.plate(curvature)
}

/// The first table.
pub fn rows() -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for mesh in MESHES {
        let sheet = Sheet::new(mesh, CELLS);
        for law in LAWS.into_iter().chain([SPRINGS]) {
            let model = match law {
                SPRINGS => springs(&sheet)?,
                law => (model(&sheet, law, &sheet.flat())?, 1.0),
            };
            let folds = FOLDS.map(|fold| ratio(&sheet, &model, fold, CURVATURE));
            let twice = ratio(&sheet, &model, 0.0, 2.0 * CURVATURE);
            rows.push(Row { mesh, law, folds, twice });
        }
    }
    Ok(rows)
}

/// The second table.
pub fn limits() -> Outcome<Vec<Limits>> {
    let sheet = Sheet::new(MESHES[0], CELLS);
    let rolled = sheet.rolled(0.0, CURVATURE);
    let mut wide = Sheet::new(MESHES[0], CELLS);
    wide.vertices.iter_mut().for_each(|[x, _]| *x *= 1.0 + STRETCH);
    let stretched = wide.rolled(0.0, CURVATURE);
    let uneven = |x: Vec3| Vec3::new(x.x + STRETCH * x.x * x.x, x.y, x.z);
    let uneven: Vec<Vec3> = sheet.flat().into_iter().map(uneven).collect();
    let plate = sheet.plate(CURVATURE);
    let limits = LAWS.into_iter().map(|law| {
        let flat = model(&sheet, law, &sheet.flat())?;
        let curved = model(&sheet, law, &rolled).ok();
        Ok(Limits {
            law,
            at_rest: curved.map(|model| energy(&model, &rolled) / plate),
            stretched: energy(&flat, &stretched) / energy(&flat, &rolled),
            uneven: energy(&flat, &uneven) / plate,
        })
    });
    limits.collect()
}

/// Energy against the direction of the fold, and against curvature.
fn figure() -> Outcome<Figure> {
    let mut by_fold = Vec::new();
    for (law, name, meshes) in
        [("dihedral", "hinges", &MESHES[..]), ("vertex-bending", "vertex form", &MESHES[..2])]
    {
        for mesh in meshes {
            let sheet = Sheet::new(mesh, CELLS);
            let model = (model(&sheet, law, &sheet.flat())?, 1.0);
            let folds = (0..=24).map(|k| 7.5 * f64::from(k));
            let points = folds.map(|fold| [fold, ratio(&sheet, &model, fold, CURVATURE)]);
            by_fold.push(Series::new(format!("{name}, {mesh}"), Mark::Both, points.collect()));
        }
    }
    by_fold.push(Series::new("plate", Mark::Guide, vec![[0.0, 1.0], [180.0, 1.0]]));

    let sheet = Sheet::new(MESHES[0], CELLS);
    let models = [
        ("hinges", (model(&sheet, "dihedral", &sheet.flat())?, 1.0)),
        ("vertex form", (model(&sheet, "vertex-bending", &sheet.flat())?, 1.0)),
        (SPRINGS, springs(&sheet)?),
    ];
    let curvatures: Vec<f64> = (0..=12).map(|k| 0.05 * 10f64.powf(f64::from(k) / 6.0)).collect();
    let mut by_curvature: Vec<Series> = models
        .iter()
        .map(|(name, model)| {
            let points = curvatures.iter().map(|&k| [k, ratio(&sheet, model, 0.0, k)]);
            Series::new(format!("{name}, {}", sheet.name), Mark::Both, points.collect())
        })
        .collect();
    by_curvature.push(Series::new("plate", Mark::Guide, vec![[0.05, 1.0], [5.0, 1.0]]));
    Ok(Figure {
        charts: vec![
            Chart {
                title: "Whichever way it is folded".into(),
                x: Axis::linear("direction of the fold (°)"),
                y: Axis::linear("energy / energy of the plate"),
                series: by_fold,
            },
            Chart {
                title: "However far it is bent, folded at 0°".into(),
                x: Axis::log("curvature (1/m)"),
                y: Axis::log("energy / energy of the plate"),
                series: by_curvature,
            },
        ],
        columns: 2,
        ..Figure::default()
    })
}

/// The page.
pub fn page(rows: &[Row], limits: &[Limits]) -> String {
    let mut out = String::from(
        "# Bending\n\n\
         A flat sheet of 40×40 cells is rolled onto a cylinder of curvature κ without stretching, along several\n\
         directions of the mesh. Plate theory gives the energy `½ D κ² A` for flexural rigidity D and area A. The\n\
         first table shows the energy of each law relative to the plate, all with the same D.\n\
         ([bridson-bending](laws/bridson-bending.md) uses 12 D because of its definition of the angle. The stiffness\n\
         of bend springs is fitted to the first column.) This page is generated by\n\n\
         ```sh\ncargo run --release -p hooke-cli --example bending\n```\n\n\
         ## Choice\n\n\
         **Use [vertex-bending](laws/vertex-bending.md), unless the rest shape is curved.** Its parameter is the\n\
         rigidity of the material: on these four meshes, and for every direction of the fold, its energy is within\n\
         7 % of the plate. A sheet can be remeshed or rotated without new tuning. (The 0.95 comes from the border,\n\
         where vertices have no complete ring of neighbors; it converges to 1 with smaller cells. The 1.07 of\n\
         alternating diagonals remains: vertices with four and with eight neighbors share the area unevenly.) Its\n\
         Hessian is constant.\n\n\
         **Hinges** have 2 to 9 times the energy of the plate, depending on the mesh and the fold. On a mesh of one\n\
         diagonal a fold at 45° is three times as stiff as one at 0°. Their k must be tuned for each mesh.\n\n\
         **Bend springs** have no rigidity at all: near the flat shape their length changes only to second order, so\n\
         their energy grows as κ⁴. A sheet that is right at one curvature is four times too stiff at twice that.\n\n\
         **Use [curved-bending](laws/curved-bending.md) or [dihedral](laws/dihedral.md) for shells** with a curved\n\
         rest shape. [quadratic-bending](laws/quadratic-bending.md) refuses such a rest shape. vertex-bending always\n\
         has its minimum at the flat shape. Both also confuse stretch with bending: the energy of a rolled sheet\n\
         grows with the fourth power of its stretch, and a flat sheet with uneven stretch has bending energy. Both\n\
         are right for cloth that is flat at rest and stretches by a few percent. For rubber sheets, use a law of\n\
         the angle.\n\n\
         ![Energy over that of the plate, against the direction of the fold and against the curvature](images/bending.svg)\n\n",
    );
    out += &format!(
        "## On a cylinder\n\nCurvature {CURVATURE} /m; the last column has twice that, at 0°.\n\n\
         | mesh | law | {} | twice the curvature |\n|---|---|{}---|\n",
        FOLDS.map(|fold| format!("{fold}°")).join(" | "),
        "---|".repeat(FOLDS.len()),
    );
    for Row { mesh, law, folds, twice } in rows {
        let folds = folds.map(|ratio| format!("{ratio:.2}")).join(" | ");
        out += &format!("| {mesh} | {law} | {folds} | {twice:.2} |\n");
    }
    out += &format!(
        "\n`irregular` is a grid with vertices displaced by up to 0.3 cells, and Delaunay diagonals.\n\n\
         ## Curved rest shapes and stretch\n\n\
         Three energies on the mesh of one diagonal: at a rest shape that is the cylinder, relative to the plate;\n\
         of the rolled sheet stretched by {0:.0} % around the cylinder, relative to the same without stretch; and of\n\
         the flat sheet with a stretch from 0 at one side to {1:.0} % at the other, relative to the plate.\n\n\
         | law | at a curved rest shape | rolled and stretched | flat, stretched unevenly |\n\
         |---|---|---|---|\n",
        100.0 * STRETCH,
        200.0 * STRETCH,
    );
    for Limits { law, at_rest, stretched, uneven } in limits {
        let at_rest = at_rest.map_or("refused".to_owned(), |ratio| format!("{ratio:.2}"));
        out += &format!("| {law} | {at_rest} | {stretched:.2} | {uneven:.2} |\n");
    }
    out
}

#[allow(dead_code, reason = "the test of the page reads this file, too")]
fn main() -> Outcome<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::fs::write(docs.join("images/bending.svg"), figure()?.svg(960, 480))?;
    std::fs::write(docs.join("bending.md"), page(&rows()?, &limits()?))?;
    Ok(())
}
