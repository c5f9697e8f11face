//! `cargo xtask bench memory`: bytes per particle, each cloth in a process of its own.

use super::programs::Programs;
use super::report::{Machine, line, significant};
use super::save;
use crate::stage::Outcome;
use serde_json::json;

/// Methods and their cloths; Newton's factors are 3n×3n and outgrow small machines.
const METHODS: [(&str, &[u32]); 3] = [
    ("quasi-newton", &[100, 200, 400, 1000]),
    ("newton", &[100, 200]),
    ("symplectic-euler", &[100, 200, 400, 1000]),
];

/// The most that a million particles may take (bytes).
const MOST: f64 = 4.0 * (1_u64 << 30) as f64;

/// Resident memory (bytes): with the model, after the set-up, after a step, and the most.
struct Taken {
    method: &'static str,
    n: u32,
    bytes: [f64; 4],
}

const STAGES: [&str; 4] = ["model", "prepared", "stepped", "peak"];

/// Measures every method; fails where a cloth takes too much.
pub(super) fn measure() -> Result<Outcome, String> {
    let programs = Programs::hooke_alone()?;
    let machine = Machine::here(false);
    let mut all = Vec::new();
    for (method, sizes) in METHODS {
        for &n in sizes {
            println!("memory, {method}, N = {n}");
            let told = programs.ask(&["memory", &n.to_string(), method])?;
            let bytes = STAGES.map(|stage| told[stage].as_f64().unwrap_or(f64::NAN));
            all.push(Taken { method, n, bytes });
        }
    }
    let row = |t: &Taken| {
        let [model, prepared, stepped, peak] = t.bytes;
        json!({"method": t.method, "n": t.n, "model": model, "prepared": prepared,
            "stepped": stepped, "peak": peak})
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    save("-memory", &markdown(&machine, &all), &json!({"machine": machine.json(), "bytes": rows}))?;
    let fits = all.iter().all(|taken| taken.bytes[3] <= MOST);
    if !fits {
        println!("a cloth takes more than {} GiB", MOST / f64::from(1 << 30));
    }
    Ok(if fits { Outcome::Passed } else { Outcome::Failed })
}

fn markdown(machine: &Machine, all: &[Taken]) -> String {
    let mut text = machine.head();
    line(
        &mut text,
        "Resident memory of a process that builds a cloth and takes one step. Bytes per particle \
         are of the peak.\n",
    );
    line(&mut text, "| | N | model (MB) | set up | stepped | peak | bytes per particle |");
    line(&mut text, "|---|---|---|---|---|---|---|");
    for Taken { method, n, bytes } in all {
        let cells = bytes.map(|bytes| significant(1e-6 * bytes)).join(" | ");
        let each = bytes[3] / f64::from(n * n);
        line(&mut text, &format!("| {method} | {n} | {cells} | {each:.0} |"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_a_row() {
        let taken = Taken { method: "newton", n: 100, bytes: [1e6, 2e6, 3e6, 4e6] };
        let text = markdown(&Machine::here(false), &[taken]);
        let row = "| newton | 100 | 1.00 | 2.00 | 3.00 | 4.00 | 400 |\n";
        assert!(text.ends_with(row), "{text}");
    }
}
