//! The page, section by section.

use super::cantilever::{order, theory};
use super::patch::Patch;
use super::references::{CASES, Case};
use super::rest::{Rest, Table};
use super::wrinkles;

/// What the page is.
pub fn head() -> String {
    "# Validation\n\n\
     What the engine is checked against, and the numbers it reaches. Everything here is measured; this\n\
     page and its charts are written by\n\n\
     ```sh\ncargo run --release -p hooke-cli --example validation\n```\n\n\
     How much energy bent sheets hold stands in [Bending](bending.md), ropes and curtains under every\n\
     method in [Invariance](invariance.md), the errors of each method in its [own page](README.md#methods).\n"
        .into()
}

/// The cantilever.
pub fn cantilever([off, tip]: [f64; 2], sags: &[(u32, f64)]) -> String {
    let mut out = format!(
        "## A cantilever of tetrahedra\n\n\
         **The same mesh.** An independent program has solved for the static answer of 240 tetrahedra\n\
         ([stvk](laws/stvk.md)) under their own weight; its tip sags {:.3} mm. The greatest distance of a\n\
         particle from that answer is {off:.0e} m.\n\n\
         **Finer meshes.** A beam of 1 × 0.1 × 0.1 m without Poisson's ratio, under a weight so small that\n\
         it stays straight. In Timoshenko's theory its tip sags {:.5} mm. Linear tetrahedra lock: they\n\
         cannot bend without shearing, so a coarse beam is several times too stiff. They converge from\n\
         below, in the end with second order (between the last two meshes: {:.1}). Use many cells across,\n\
         or take a coarse mesh for what it is: a stiffer body with the same mass.\n\n\
         | cells | tetrahedra | sag (mm) | of Timoshenko's |\n|---|---|---|---|\n",
        1e3 * tip,
        1e3 * theory(),
        order(sags),
    );
    for &(cells, sag) in sags {
        out += &format!(
            "| {}×{cells}×{cells} | {} | {:.5} | {:.3} |\n",
            5 * cells,
            25 * cells.pow(3),
            1e3 * sag,
            sag / theory()
        );
    }
    out + "\n![How much of the theory's sag is missing, against cells across the beam](images/cantilever.svg)\n"
}

/// The patch test.
pub fn patches(patches: &[Patch]) -> String {
    let mut out = String::from(
        "## The patch test\n\n\
         A block and a sheet of 4 cells a side, their inner vertices moved about. The boundary is moved by\n\
         an affine map, stretched by up to 8 % and sheared; the inner particles start where they rest. They\n\
         must land on the same map, and every element must have the same stress.\n\n\
         | law | elements | off the affine map (m) | spread of the stress |\n|---|---|---|---|\n",
    );
    for Patch { law, elements, off, spread } in patches {
        out += &format!("| [{law}](laws/{law}.md) | {elements} | {off:.0e} | {spread:.0e} |\n");
    }
    out
}

/// The same answer under every method.
pub fn rest(tables: &[Table]) -> String {
    let mut out = String::from(
        "## One static answer\n\n\
         A block of jelly ([neo-hookean](laws/neo-hookean.md), 40 tetrahedra) hangs from its upper face;\n\
         a cloth ([stvk-membrane](laws/stvk-membrane.md), [vertex-bending](laws/vertex-bending.md)) hangs\n\
         over an edge. They are let go with drag, for 15 s and for 60 s, under every method that minimises,\n\
         with several iteration counts and sub-steps. Whatever comes to rest rests at the static answer; the\n\
         table has the distance from it (m) and the speed that is left (m/s).\n\n\
         Three ways do not come to rest with the cloth, which is stiff for steps so long. One iteration of\n\
         Newton's method a step, from the adaptive start, moves to the end; two iterations rest, and so does\n\
         one with `start = \"current\"`. One iteration of the quasi-Newton method creeps towards the answer;\n\
         more iterations, or shorter steps, get there sooner. Implicit midpoint, which loses no energy by\n\
         itself, trembles about it; with four sub-steps drag has put an end to that.\n\n\
         | method, settings, threads |",
    );
    for Table { title, .. } in tables {
        out += &format!(" {} | speed |", title.to_lowercase());
    }
    out += &format!("\n|---|{}\n", "---|---|".repeat(tables.len()));
    let Some(first) = tables.first() else { return out };
    for (k, Rest { way, .. }) in first.rows.iter().enumerate() {
        let cells = tables.iter().map(|table| {
            let Rest { off, speed, .. } = &table.rows[k];
            format!(" {off:.0e} | {speed:.0e} |")
        });
        out += &format!("| {way} |{}\n", cells.collect::<String>());
    }
    out
}

/// Wrinkles.
pub fn wrinkles(waves: &[[f64; 2]]) -> String {
    let mut out = format!(
        "## Wrinkles\n\n\
         A sheet ([stvk-membrane](laws/stvk-membrane.md), [vertex-bending](laws/vertex-bending.md)) lies on a\n\
         bed of springs of stiffness K = {:.0e} N/m³ ([attachment](laws/attachment.md)) and grows slowly, but\n\
         its ends are held. It buckles into waves; their length is that at which the least force suffices,\n\
         `λ = 2π (D/K)^¼`. Tension in place of the bed gives wrinkles in stretched cloth the same exponent\n\
         (Cerda & Mahadevan 2003, *Geometry and physics of wrinkling*). The strip is 2 m long with cells of\n\
         1 mm; λ is measured between zeros of the static answer, away from the ends. A strip that has\n\
         wrinkled keeps the waves it has, which may be one more or less than is best.\n\n\
         | D (N·m) | λ (mm) | 2π (D/K)^¼ (mm) | ratio |\n|---|---|---|---|\n",
        wrinkles::BED,
    );
    for &[rigidity, length] in waves {
        let theory = wrinkles::theory(rigidity);
        out += &format!(
            "| {rigidity:.2e} | {:.2} | {:.2} | {:.3} |\n",
            1e3 * length,
            1e3 * theory,
            length / theory
        );
    }
    out + &format!(
        "\nOver three decades of D the fitted exponent is {:.3}.\n\n\
         ![Wavelength against rigidity, on logarithmic axes](images/wrinkles.svg)\n",
        wrinkles::exponent(waves)
    )
}

/// The reference cases.
pub fn references() -> String {
    let mut out = String::from(
        "## Reference cases\n\n\
         Numbers from independent high-precision code, in `crates/hooke/tests/engine/reference`, and how\n\
         closely the tests in [reference.rs](../crates/hooke/tests/engine/reference.rs) ask for them.\n\n\
         | case | what is compared | tolerance |\n|---|---|---|\n",
    );
    for Case { file, what, tolerances, .. } in CASES {
        let tolerances: Vec<String> =
            tolerances.iter().map(|(of, tolerance)| format!("{of} {tolerance}")).collect();
        let path = format!("../crates/hooke/tests/engine/reference/{file}.json");
        out += &format!("| [{file}]({path}) | {what} | {} |\n", tolerances.join("; "));
    }
    out
}
