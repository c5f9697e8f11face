//! `cargo xtask bench edits`: what it costs to change a running cloth. New stiffness, masses, step
//! or pins are new numbers in a factor whose shape is kept; a pin that moves changes nothing in it.

use super::programs::Programs;
use super::report::{Machine, line, significant};
use super::save;
use super::statistics::{Summary, median};
use crate::stage::Outcome;
use serde_json::{Value, json};

const SIZES: [u32; 3] = [47, 100, 200];

/// What precedes a step takes less than this share of the set-up where the shape is kept.
const SHARE: f64 = 1.0 / 3.0;

/// An edit, made several times: seconds before the method, of factoring and of the step.
struct Edit {
    name: String,
    n: u32,
    prepare: Vec<f64>,
    factorization: Vec<f64>,
    total: Vec<f64>,
    factorizations: Vec<f64>,
}

impl Edit {
    fn read(n: u32, told: &Value) -> Option<Self> {
        let list = |name: &str| -> Option<Vec<f64>> {
            told[name].as_array()?.iter().map(Value::as_f64).collect()
        };
        Some(Self {
            name: told["edit"].as_str()?.into(),
            n,
            prepare: list("prepare")?,
            factorization: list("factorization")?,
            total: list("total")?,
            factorizations: list("factorizations")?,
        })
    }

    /// How often the matrix is factored after it.
    fn wanted(&self) -> f64 {
        if ["nothing", "a pin moved"].contains(&self.name.as_str()) { 0.0 } else { 1.0 }
    }

    fn json(&self) -> Value {
        json!({"edit": self.name, "n": self.n, "prepare": median(&self.prepare),
            "factorization": median(&self.factorization), "step": median(&self.total),
            "factorizations": self.factorizations.first()})
    }
}

/// Measures every edit; fails where one does more than it must.
pub(super) fn measure() -> Result<Outcome, String> {
    let programs = Programs::hooke_alone()?;
    let machine = Machine::here(false);
    let mut all = Vec::new();
    for n in SIZES {
        println!("edits, N = {n}");
        let told = programs.ask(&["edits", &n.to_string()])?;
        let told = told.as_array().map_or(&[][..], Vec::as_slice);
        let edits: Option<Vec<_>> = told.iter().map(|told| Edit::read(n, told)).collect();
        all.push(edits.ok_or("cannot read what was told")?);
    }
    let rows: Vec<_> = all.iter().flatten().map(Edit::json).collect();
    save("-edits", &markdown(&machine, &all), &json!({"machine": machine.json(), "edits": rows}))?;
    let wrong: Vec<_> = all.iter().flat_map(|edits| wrong(edits)).collect();
    wrong.iter().for_each(|wrong| println!("{wrong}"));
    Ok(if wrong.is_empty() { Outcome::Passed } else { Outcome::Failed })
}

/// What is done that need not be; the first of the edits is the set-up.
fn wrong(edits: &[Edit]) -> Vec<String> {
    let Some((setup, edits)) = edits.split_first() else { return vec!["nothing ran".into()] };
    let limit = SHARE * setup.prepare.iter().sum::<f64>();
    let mut wrong = Vec::new();
    for edit in edits {
        let at = format!("{}, N = {}", edit.name, edit.n);
        if edit.factorizations.iter().any(|&count| count != edit.wanted()) {
            let (found, wanted) = (&edit.factorizations, edit.wanted());
            wrong.push(format!("{at}: {found:?} factorizations, not {wanted}"));
        }
        // The least of several: an analysis is in all of them, what disturbs the machine is not.
        let least = edit.prepare.iter().copied().fold(f64::INFINITY, f64::min);
        if least > limit {
            let [least, limit] = [least, limit].map(|seconds| significant(1e3 * seconds));
            wrong.push(format!("{at}: {least} ms before the step, above {limit}: analyzed anew?"));
        }
    }
    wrong
}

fn markdown(machine: &Machine, all: &[Vec<Edit>]) -> String {
    let mut text = machine.head();
    line(
        &mut text,
        "A cloth under fast mass-spring with 10 iterations a step, one thread. Medians in ms, \
         quartiles in brackets: what precedes the step after an edit, factoring, and all of that \
         step. In the set-up the matrix is also ordered and analyzed; in no edit.\n",
    );
    line(&mut text, "| | N | before the step | factoring | factorizations | step, all of it |");
    line(&mut text, "|---|---|---|---|---|---|");
    for edit in all.iter().flatten() {
        let cell = |seconds: &[f64]| {
            Summary::of(seconds).map_or("–".into(), |s| {
                let [lower, middle, upper] =
                    [s.lower, s.median, s.upper].map(|seconds| significant(1e3 * seconds));
                format!("{middle} ({lower}–{upper})")
            })
        };
        let factoring = match edit.wanted() {
            0.0 => "–".into(),
            _ => cell(&edit.factorization),
        };
        line(
            &mut text,
            &format!(
                "| {} | {} | {} | {factoring} | {} | {} |",
                edit.name,
                edit.n,
                cell(&edit.prepare),
                edit.factorizations.first().unwrap_or(&f64::NAN),
                cell(&edit.total),
            ),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(name: &str, prepare: f64, factorizations: f64) -> Edit {
        let seconds = vec![prepare, 2.0 * prepare];
        Edit {
            name: name.into(),
            n: 47,
            prepare: seconds.clone(),
            factorization: seconds.clone(),
            total: seconds,
            factorizations: vec![factorizations; 2],
        }
    }

    #[test]
    fn what_need_not_be_done_is_told() {
        let setup = || edit("set-up", 1e-2, 1.0);
        assert!(wrong(&[setup(), edit("mass", 1e-3, 1.0)]).is_empty());
        assert!(wrong(&[setup(), edit("a pin moved", 1e-3, 0.0)]).is_empty());
        assert_eq!(wrong(&[setup(), edit("mass", 1.1e-2, 1.0)]).len(), 1);
        assert_eq!(wrong(&[setup(), edit("a pin moved", 1e-3, 1.0)]).len(), 1);
        assert_eq!(wrong(&[]).len(), 1);
    }

    #[test]
    fn an_edit_is_a_row() {
        let text = markdown(&Machine::here(false), &[vec![edit("a pin moved", 1e-3, 0.0)]]);
        let row = "| a pin moved | 47 | 1.50 (1.25–1.75) | – | 0 | 1.50 (1.25–1.75) |\n";
        assert!(text.ends_with(row), "{text}");
    }
}
