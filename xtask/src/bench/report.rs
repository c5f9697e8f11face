//! The results as Markdown for people and as JSON for programs.

use super::bars;
use super::cases::{Agreement, Quantity};
use super::programs::FLAGS;
use super::statistics::{Summary, date};
use serde_json::{Value, json};
use std::fmt::Write;

/// What was measured of a case.
pub(crate) struct Measured {
    pub(crate) table: &'static str,
    pub(crate) row: String,
    pub(crate) n: u32,
    pub(crate) h: String,
    pub(crate) rounds: usize,
    pub(crate) agreement: Agreement,
    /// Whether Hooke's runs ended in the same bits, on any number of threads.
    pub(crate) repeatable: bool,
    pub(crate) rows: Vec<Row>,
}

/// What a contestant reached.
pub(crate) struct Row {
    pub(crate) name: String,
    /// Seconds, and the ratios to each of Hooke's rows.
    pub(crate) quantities: Vec<(Quantity, Summary, Vec<(String, Summary)>)>,
    /// Iterations of a step.
    pub(crate) iterations: f64,
    /// Of the state at the end of a run.
    pub(crate) digest: String,
    /// How far its answer lies from Hooke's, and how far it may.
    pub(crate) apart: Option<f64>,
    pub(crate) allowed: f64,
    /// How much higher Hooke's objective is, relative to its own.
    pub(crate) higher: Option<f64>,
}

/// Where it was measured: what matters to times, nothing that names the machine.
pub(crate) struct Machine {
    date: String,
    processor: String,
    cores: usize,
    /// Processes that wanted to run at the start, on the average of a minute.
    load: Option<f64>,
    /// Whether the C++ programs ran.
    others: bool,
}

impl Machine {
    pub(crate) fn here(others: bool) -> Self {
        let (year, month, day) = date(days());
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let model = read("/proc/cpuinfo");
        let model = model.lines().find_map(|line| line.strip_prefix("model name"));
        let load = read("/proc/loadavg");
        Self {
            date: format!("{year}-{month:02}-{day:02}"),
            processor: model.map_or("unknown", |name| name.trim_matches([' ', '\t', ':'])).into(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load: load.split(' ').next().and_then(|first| first.parse().ok()),
            others,
        }
    }
}

impl Machine {
    /// The head of a page of results.
    pub(crate) fn head(&self) -> String {
        let mut text = format!("# Measured on {}\n\n", self.date);
        line(&mut text, &format!("{}, {} cores.", self.processor, self.cores));
        if let Some(load) = self.load {
            line(&mut text, &format!("Load of the machine at the start: {load}."));
        }
        text
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({"date": self.date, "processor": self.processor, "cores": self.cores,
            "load": self.load, "flags": self.others.then_some(FLAGS)})
    }
}

/// Days since 1970-01-01.
pub(crate) fn days() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs() / 86_400)
}

impl Quantity {
    /// What a table of it is called after the case's name.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Step => "one step",
            Self::Method => "one step, without the report Hooke makes of it",
            Self::Run => "all of it",
            Self::Iteration => "one iteration",
            Self::Solve => "the solve of one iteration",
            Self::Setup => "set-up",
        }
    }
}

/// The results as Markdown.
pub(crate) fn markdown(machine: &Machine, measured: &[Measured]) -> String {
    let mut text = machine.head();
    line(
        &mut text,
        "Hooke is the default release build. Medians in ms, quartiles in brackets; behind a \
         semicolon the medians of the ratios to the columns of Hooke, in their order. Where a \
         contestant would take too long it is left out.",
    );
    if machine.others {
        line(&mut text, &format!("C++: `g++ {FLAGS}`, one thread."));
    }
    text.push_str(&bars::markdown(measured));
    let mut tables: Vec<(&str, Quantity)> = Vec::new();
    for case in measured {
        for (quantity, ..) in case.rows.iter().flat_map(|row| &row.quantities) {
            if !tables.contains(&(case.table, *quantity)) {
                tables.push((case.table, *quantity));
            }
        }
    }
    for (name, quantity) in tables {
        let cases: Vec<_> = measured.iter().filter(|case| case.table == name).collect();
        table(&mut text, &format!("{name}: {}", quantity.title()), &cases, quantity);
    }
    text.push_str("\n## Answers\n\n");
    line(
        &mut text,
        "Apart: the greatest difference to Hooke on one thread, relative to the greatest way gone. \
         Higher: Hooke's objective above the least of the others', relative to it.\n",
    );
    text.push_str(
        "| case | step (s) | rounds | iterations a step | apart | higher | digest of Hooke |\n",
    );
    text.push_str("|---|---|---|---|---|---|---|\n");
    for case in measured {
        let most = |of: fn(&Row) -> Option<f64>| {
            let most = case.rows.iter().filter_map(of).filter(|value| !value.is_nan());
            most.reduce(f64::max).map_or("–".into(), |most| format!("{most:.0e}"))
        };
        let digest = case.rows.first().map_or("–", |row| &row.digest);
        line(
            &mut text,
            &format!(
                "| {}, {} | {} | {} | {} | {} | {} | {digest} |",
                case.table,
                case.row,
                case.h.parse::<f64>().map_or(case.h.clone(), significant),
                case.rounds,
                iterations(case),
                most(|row| row.apart),
                most(|row| row.higher),
            ),
        );
    }
    text
}

/// The iterations of a step: one number where all took as many.
fn iterations(case: &Measured) -> String {
    let mut counts = case.rows.iter().map(|row| row.iterations);
    match counts.next() {
        Some(first) if counts.all(|count| count == first) => {
            if first == 0.0 {
                "–".into()
            } else {
                first.to_string()
            }
        }
        _ => {
            let told = case.rows.iter().map(|row| format!("{} {}", row.name, row.iterations));
            told.collect::<Vec<_>>().join("; ")
        }
    }
}

/// A table of one quantity: a row per case, a column per contestant.
fn table(text: &mut String, title: &str, cases: &[&Measured], quantity: Quantity) {
    let mut names: Vec<&str> = Vec::new();
    for row in cases.iter().flat_map(|case| &case.rows) {
        if !names.contains(&row.name.as_str()) {
            names.push(&row.name);
        }
    }
    line(text, &format!("\n## {title}\n"));
    line(text, &format!("| | {} |", names.join(" | ")));
    line(text, &format!("|---|{}", "---|".repeat(names.len())));
    for case in cases {
        let cells: Vec<_> = names
            .iter()
            .map(|name| {
                let row = case.rows.iter().find(|row| row.name == *name);
                let found = row.and_then(|row| {
                    row.quantities.iter().find(|(candidate, ..)| *candidate == quantity)
                });
                found.map_or("–".into(), |(_, time, ratios)| cell(time, ratios))
            })
            .collect();
        line(text, &format!("| {} | {} |", case.row, cells.join(" | ")));
    }
}

/// A time in ms with its quartiles, and ratios.
fn cell(time: &Summary, ratios: &[(String, Summary)]) -> String {
    let [lower, median, upper] =
        [time.lower, time.median, time.upper].map(|seconds| significant(1e3 * seconds));
    let mut text = format!("{median} ({lower}–{upper})");
    if !ratios.is_empty() {
        let ratios: Vec<_> =
            ratios.iter().map(|(_, ratio)| format!("{}×", significant(ratio.median))).collect();
        // Writing to a string cannot fail.
        let _ = write!(text, "; **{}**", ratios.join(" / "));
    }
    text
}

/// Two cells: a ratio with its spread, and whether it is at its bar, where there is one.
pub(crate) fn judged(ratio: &Summary, bar: Option<f64>) -> String {
    let [median, least, greatest] = [ratio.median, ratio.least, ratio.greatest].map(significant);
    let verdict = bar.map_or("", |bar| if ratio.median >= bar { "reached" } else { "not reached" });
    format!("{median} ({least}–{greatest}) | {verdict}")
}

/// A number with about three significant digits.
pub(crate) fn significant(value: f64) -> String {
    let digits = if value == 0.0 { 0 } else { 2 - value.abs().log10().floor() as i32 };
    let digits = digits.clamp(0, 12) as usize;
    format!("{value:.digits$}")
}

pub(crate) fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// The results as JSON, times in seconds.
pub(crate) fn json(machine: &Machine, measured: &[Measured]) -> Value {
    let summary = |s: &Summary| {
        json!({"min": s.least, "lower": s.lower, "median": s.median, "upper": s.upper,
            "max": s.greatest})
    };
    let row = |row: &Row| {
        let quantities: Vec<Value> = row
            .quantities
            .iter()
            .map(|(quantity, time, ratios)| {
                let ratios: serde_json::Map<_, _> =
                    ratios.iter().map(|(name, ratio)| (name.clone(), summary(ratio))).collect();
                json!({"quantity": quantity.title(), "seconds": summary(time), "ratios": ratios})
            })
            .collect();
        json!({"name": row.name, "iterations": row.iterations, "apart": row.apart,
            "allowed": row.allowed, "higher": row.higher, "digest": row.digest,
            "quantities": quantities})
    };
    let case = |case: &Measured| {
        json!({
            "table": case.table,
            "row": case.row,
            "n": case.n,
            "step": case.h.parse::<f64>().ok(),
            "rounds": case.rounds,
            "repeatable": case.repeatable,
            "contestants": case.rows.iter().map(row).collect::<Vec<_>>(),
        })
    };
    json!({"machine": machine.json(), "bars": bars::json(measured),
        "cases": measured.iter().map(case).collect::<Vec<_>>()})
}

/// A row for tests.
#[cfg(test)]
pub(super) fn example_row() -> Row {
    Row {
        name: "Hooke, 1 thread".into(),
        quantities: Vec::new(),
        iterations: 30.0,
        digest: "00ff".into(),
        apart: None,
        allowed: 1e-6,
        higher: None,
    }
}

/// A case for tests.
#[cfg(test)]
pub(super) fn example_case() -> Measured {
    Measured {
        table: super::cases::FAST_MASS_SPRING,
        row: "N = 47".into(),
        n: 47,
        h: "0.03333333333333333".into(),
        rounds: 5,
        agreement: Agreement { steps: 1, apart: 1e-6, objective: Some(1e-3) },
        repeatable: true,
        rows: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(value: f64) -> Summary {
        Summary { least: value, lower: value, median: value, upper: value, greatest: value }
    }

    fn example() -> (Machine, Vec<Measured>) {
        let machine = Machine {
            date: "2024-02-29".into(),
            processor: "Abacus".into(),
            cores: 2,
            load: Some(0.5),
            others: true,
        };
        let spread = Summary { lower: 0.9e-3, upper: 1.26e-3, ..same(1e-3) };
        let hooke = Row { quantities: vec![(Quantity::Step, spread, Vec::new())], ..example_row() };
        let ratios =
            vec![("Hooke, 1 thread".into(), same(11.4)), ("Hooke, 2 threads".into(), same(12.0))];
        let eigen = Row {
            name: "Eigen, 3n×3n".into(),
            apart: Some(3e-12),
            higher: Some(-2e-5),
            quantities: vec![(Quantity::Step, same(0.0124), ratios)],
            ..example_row()
        };
        (machine, vec![Measured { rows: vec![hooke, eigen], ..example_case() }])
    }

    #[test]
    fn the_markdown_has_times_ratios_and_answers() {
        let (machine, measured) = example();
        let text = markdown(&machine, &measured);
        let expected = "\
## Fast mass-spring, 10 iterations a step: one step

| | Hooke, 1 thread | Eigen, 3n×3n |
|---|---|---|
| N = 47 | 1.00 (0.900–1.26) | 12.4 (12.4–12.4); **11.4× / 12.0×** |
";
        assert!(text.contains(expected), "{text}");
        let answer = "N = 47 | 0.0333 | 5 | 30 | 3e-12 | -2e-5 | 00ff |";
        assert!(text.contains(answer), "{text}");
        assert!(text.contains("## Bars: 1 of 2 met"), "{text}");
        let bar = "N = 47 | Eigen, 3n×3n | 12× | 11.4× | 12.0× | on two threads |";
        assert!(text.contains(bar), "{text}");
        assert!(text.contains("Abacus, 2 cores."), "{text}");
    }

    #[test]
    fn a_contestant_that_did_not_run_is_a_dash() {
        let (machine, mut measured) = example();
        let mut alone = example().1.remove(0);
        alone.row = "N = 400".into();
        alone.rows.truncate(1);
        measured.push(alone);
        let text = markdown(&machine, &measured);
        assert!(text.contains("| N = 400 | 1.00 (0.900–1.26) | – |"), "{text}");
    }

    #[test]
    fn iterations_that_differ_are_told_by_name() {
        let mut case = example().1.remove(0);
        case.rows[1].iterations = 92.0;
        assert_eq!(iterations(&case), "Hooke, 1 thread 30; Eigen, 3n×3n 92");
    }

    #[test]
    fn the_json_has_ratios_bars_and_digests() {
        let (machine, measured) = example();
        let all = json(&machine, &measured);
        let eigen = &all["cases"][0]["contestants"][1];
        assert_eq!(eigen["quantities"][0]["ratios"]["Hooke, 1 thread"]["median"], 11.4);
        assert_eq!(eigen["digest"], "00ff");
        assert_eq!(all["bars"][0]["ratios"], json!([11.4, 12.0]));
        assert_eq!(all["machine"]["load"], 0.5);
    }

    #[test]
    fn three_digits() {
        let texts = [1234.5, 12.345, 0.012345, 0.0, 1.0].map(significant);
        assert_eq!(texts, ["1234", "12.3", "0.0123", "0", "1.00"]);
    }
}
