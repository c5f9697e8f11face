//! `cargo xtask bench pile`: a thousand boxes that fall into a pile, by Hooke's rigid bodies in f64 and by rapier3d in
//! f32, in one process after the other, with as many parts of a step, on one thread, without sleep.

use super::programs::Programs;
use super::report::{Machine, line, significant};
use super::save;
use super::statistics::Summary;
use crate::stage::Outcome;
use serde_json::{Value, json};

const ROUNDS: usize = 5;
const BOXES: u32 = 1000;
/// Ten seconds.
const STEPS: u32 = 600;
/// How many times as long as rapier3d Hooke may take.
const BAR: f64 = 2.0;

/// Runs both in turn.
pub(super) fn compare() -> Result<Outcome, String> {
    let programs = Programs::with_rapier()?;
    let machine = Machine::here(false);
    let mut rounds = Vec::new();
    for round in 1..=ROUNDS {
        println!("{BOXES} boxes, {STEPS} steps: round {round} of {ROUNDS}");
        let words = ["pile".to_owned(), BOXES.to_string(), STEPS.to_string()];
        let output = programs.hooke().args(words).output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let told: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
        rounds.push(told["programs"].clone());
    }
    let markdown = markdown(&machine, &rounds)?;
    save("-pile", &markdown, &json!({"machine": machine.json(), "rounds": rounds}))?;
    Ok(Outcome::Passed)
}

fn number(told: &Value, field: &str) -> Result<f64, String> {
    told[field].as_f64().ok_or_else(|| format!("no {field} was told"))
}

fn markdown(machine: &Machine, rounds: &[Value]) -> Result<String, String> {
    let mut text = machine.head();
    line(
        &mut text,
        &format!(
            "{BOXES} boxes of 0.5 m fall into a pile, {STEPS} steps of 1/60 s in 4 parts each, without sleep, on one \
             thread: Hooke in f64, rapier3d in f32. Deepest overlap in the last second; energy gained: all its rises, \
             relative to the energy at the start.\n"
        ),
    );
    line(&mut text, "| | s | ms a step (median) | deepest (mm) | energy gained |");
    line(&mut text, "|---|---|---|---|---|");
    let seconds = |who: usize, field: &str| -> Result<Vec<f64>, String> {
        rounds.iter().map(|round| number(&round[who], field)).collect()
    };
    for (who, name) in ["Hooke", "rapier3d"].into_iter().enumerate() {
        let middle = |field: &str| -> Result<f64, String> {
            Ok(Summary::of(&seconds(who, field)?).ok_or("nothing was told")?.median)
        };
        line(
            &mut text,
            &format!(
                "| {name} | {} | {} | {} | {:.0e} |",
                significant(middle("seconds")?),
                significant(1e3 * middle("median")?),
                significant(1e3 * middle("deepest")?),
                middle("rises")?,
            ),
        );
    }
    let pairs = seconds(0, "seconds")?.into_iter().zip(seconds(1, "seconds")?);
    let ratios: Vec<f64> = pairs.map(|(ours, theirs)| ours / theirs).collect();
    let ratio = Summary::of(&ratios).ok_or("nothing was told")?;
    let [median, least, greatest] = [ratio.median, ratio.least, ratio.greatest].map(significant);
    let verdict = if ratio.median <= BAR { "met" } else { "not met" };
    line(
        &mut text,
        &format!(
            "\nHooke takes {median} times as long ({least}–{greatest}); the bar of {BAR} is {verdict}."
        ),
    );
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_tells_the_ratio_within_rounds() {
        let one = |seconds: f64| json!({"seconds": seconds, "median": 2e-3, "deepest": 4e-3, "rises": 1e-7});
        let rounds = [json!([one(3.0), one(2.0)]), json!([one(6.0), one(2.0)])];
        let text = markdown(&Machine::here(false), &rounds).unwrap();
        assert!(text.contains("| rapier3d | 2.00 | 2.00 | 4.00 | 1e-7 |"), "{text}");
        assert!(text.contains("the bar of 2 is not met"), "{text}");
    }
}
