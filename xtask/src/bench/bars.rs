//! The ratios that Hooke is to reach, and whether it does.

use super::cases::{
    EXPLICIT, FAST_MASS_SPRING, LOOPS, MATRIX_3N, MATRIX_N, NEWTON, Quantity, TRIPLETS, name,
};
use super::report::{Measured, line, significant};
use serde_json::{Value, json};

/// A ratio to reach.
struct Bar {
    table: &'static str,
    quantity: Quantity,
    n: u32,
    precision: Option<&'static str>,
    against: &'static str,
    ratio: f64,
}

const fn bar(
    table: &'static str,
    quantity: Quantity,
    n: u32,
    against: &'static str,
    ratio: f64,
) -> Bar {
    Bar { table, quantity, n, precision: None, against, ratio }
}

const fn interactive(bar: Bar) -> Bar {
    Bar { precision: Some("interactive"), ..bar }
}

const BARS: [Bar; 13] = [
    bar(FAST_MASS_SPRING, Quantity::Step, 47, MATRIX_3N, 12.0),
    bar(FAST_MASS_SPRING, Quantity::Step, 200, MATRIX_3N, 30.0),
    interactive(bar(FAST_MASS_SPRING, Quantity::Step, 47, MATRIX_3N, 15.0)),
    interactive(bar(FAST_MASS_SPRING, Quantity::Step, 200, MATRIX_3N, 36.0)),
    bar(FAST_MASS_SPRING, Quantity::Solve, 100, MATRIX_N, 20.0),
    bar(FAST_MASS_SPRING, Quantity::Solve, 200, MATRIX_N, 44.0),
    bar(FAST_MASS_SPRING, Quantity::Solve, 400, MATRIX_N, 34.0),
    bar(NEWTON, Quantity::Iteration, 100, TRIPLETS, 8.0),
    bar(NEWTON, Quantity::Iteration, 200, TRIPLETS, 20.0),
    bar(EXPLICIT, Quantity::Step, 47, LOOPS, 2.5),
    bar(EXPLICIT, Quantity::Method, 47, LOOPS, 2.5),
    interactive(bar(EXPLICIT, Quantity::Step, 47, LOOPS, 5.0)),
    interactive(bar(EXPLICIT, Quantity::Method, 47, LOOPS, 5.0)),
];

/// What was reached of a bar, on one thread and on two.
struct Reached<'a> {
    bar: &'a Bar,
    ratios: [Option<f64>; 2],
}

impl Reached<'_> {
    fn what(&self) -> String {
        let Bar { table, quantity, n, precision, .. } = self.bar;
        let precision = precision.map_or(String::new(), |precision| format!(", {precision}"));
        format!("{table}: {}, N = {n}{precision}", quantity.title())
    }

    /// Whether it is met, and from how many threads on.
    fn met(&self) -> &'static str {
        let met = |ratio: Option<f64>| ratio.is_some_and(|ratio| ratio >= self.bar.ratio);
        match self.ratios {
            [None, None] => "not measured",
            [one, _] if met(one) => "yes",
            [_, two] if met(two) => "on two threads",
            _ => "no",
        }
    }
}

/// The bars whose cases were measured.
fn reached(measured: &[Measured]) -> Vec<Reached<'static>> {
    let of = |bar: &'static Bar| {
        let case = measured.iter().find(|case| case.table == bar.table && case.n == bar.n)?;
        let row = case.rows.iter().find(|row| row.name == bar.against)?;
        let (_, _, ratios) = row.quantities.iter().find(|found| found.0 == bar.quantity)?;
        let ratio = |threads| {
            let hooke = name(bar.precision, threads);
            let found = ratios.iter().find(|(name, _)| *name == hooke);
            found.map(|(_, ratio)| ratio.median)
        };
        Some(Reached { bar, ratios: ["1", "2"].map(ratio) })
    };
    const { &BARS }.iter().filter_map(of).collect()
}

/// A table of the bars; nothing where none was measured.
pub(super) fn markdown(measured: &[Measured]) -> String {
    let reached = reached(measured);
    let mut text = String::new();
    if reached.is_empty() {
        return text;
    }
    let met = reached.iter().filter(|reached| ["yes", "on two threads"].contains(&reached.met()));
    line(&mut text, &format!("\n## Bars: {} of {} met\n", met.count(), reached.len()));
    line(&mut text, "| | against | bar | 1 thread | 2 threads | met |");
    line(&mut text, "|---|---|---|---|---|---|");
    for reached in &reached {
        let ratio = |ratio: Option<f64>| {
            ratio.map_or("–".into(), |ratio| format!("{}×", significant(ratio)))
        };
        let [one, two] = reached.ratios.map(ratio);
        let Bar { against, ratio, .. } = reached.bar;
        let (what, met) = (reached.what(), reached.met());
        line(&mut text, &format!("| {what} | {against} | {ratio}× | {one} | {two} | {met} |"));
    }
    text
}

/// The bars as JSON.
pub(super) fn json(measured: &[Measured]) -> Value {
    let one = |reached: &Reached<'_>| {
        json!({"what": reached.what(), "against": reached.bar.against, "bar": reached.bar.ratio,
            "ratios": reached.ratios, "met": reached.met()})
    };
    reached(measured).iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_met_from_some_number_of_threads_on() {
        let of = |ratios| Reached { bar: &BARS[0], ratios }.met();
        assert_eq!(of([Some(12.0), Some(11.0)]), "yes");
        assert_eq!(of([Some(11.9), Some(13.0)]), "on two threads");
        assert_eq!(of([Some(11.9), Some(11.9)]), "no");
        assert_eq!(of([None, None]), "not measured");
    }
}
