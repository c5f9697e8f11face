//! `cargo xtask bench`: Hooke beside C++ with Eigen and CHOLMOD, on the same scene, to the same
//! answer.
//!
//! Every contestant is a process of its own. They run in turn, several rounds, so that what else
//! the machine does disturbs all alike. What is claimed are ratios within a round; their median and
//! spread go into `benchmarks/results`. Answers that do not agree are an error: a wrong answer has
//! no speed.

mod cases;
mod peers;
mod programs;
mod report;
mod statistics;

use crate::stage::{Outcome, root};
use cases::{Case, Extent, Quantity};
use programs::{Program, Programs, Run};
use report::{Machine, Measured, Row};
use statistics::{Summary, difference, median};

/// `cargo xtask bench` with its words.
pub(crate) fn command(words: &[&str]) -> Option<Outcome> {
    let install = words.contains(&"--install");
    let words: Vec<_> = words.iter().filter(|&&word| word != "--install").copied().collect();
    let (cases, kind) = match words[..] {
        [] => (cases::all(Extent::Full), ""),
        ["--quick"] => (cases::all(Extent::Quick), "-quick"),
        ["course"] => (cases::course(), "-course"),
        ["--smoke"] => return Some(smoke(install)),
        ["peers"] => return Some(peers::compare(install)),
        _ => return None,
    };
    if install {
        programs::install();
    }
    let Some(programs) = Programs::build(false) else { return Some(Outcome::Failed) };
    let machine = Machine::here(programs.others);
    let measured = match measure(&programs, &cases) {
        Ok(measured) => measured,
        Err(error) => {
            println!("{error}");
            return Some(Outcome::Failed);
        }
    };
    let markdown = report::markdown(&machine, &measured);
    println!("\n{markdown}");
    if let Err(error) = save(kind, &markdown, &report::json(&machine, &measured)) {
        println!("could not save the results: {error}");
        return Some(Outcome::Failed);
    }
    Some(judge(&measured))
}

/// Writes results under today's date.
fn save(kind: &str, markdown: &str, json: &str) -> std::io::Result<()> {
    let (year, month, day) = statistics::date(report::days());
    let folder = root().join("benchmarks/results");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{year}-{month:02}-{day:02}{kind}"));
    std::fs::write(path.with_extension("md"), markdown)?;
    std::fs::write(path.with_extension("json"), json)
}

/// One small round of everything for the tests: answers are compared, times are not looked at.
pub(crate) fn smoke(install: bool) -> Outcome {
    if install {
        programs::install();
    }
    let Some(programs) = Programs::build(true) else { return Outcome::Failed };
    match measure(&programs, &cases::all(Extent::Smoke)) {
        Ok(measured) => judge(&measured),
        Err(error) => {
            println!("{error}");
            Outcome::Failed
        }
    }
}

/// Whether all answers agree; says which do not.
fn judge(measured: &[Measured]) -> Outcome {
    let mut outcome = Outcome::Passed;
    for case in measured {
        for row in &case.rows {
            if row.difference.is_none_or(|difference| difference <= case.agreement) {
                continue;
            }
            println!(
                "{}, {}: {} ends {:.1e} from Hooke, more than {:.0e}",
                case.table,
                case.row,
                row.name,
                row.difference.unwrap_or(f64::NAN),
                case.agreement
            );
            outcome = Outcome::Failed;
        }
        if !case.repeatable {
            println!("{}, {}: Hooke's runs differ in their bits", case.table, case.row);
            outcome = Outcome::Failed;
        }
    }
    outcome
}

fn measure(programs: &Programs, cases: &[Case]) -> Result<Vec<Measured>, String> {
    cases.iter().map(|case| measure_case(programs, case)).collect()
}

/// Runs the contestants of a case in turn.
fn measure_case(programs: &Programs, case: &Case) -> Result<Measured, String> {
    println!("{}, {}", case.table, case.row);
    let scene = programs.scene(case.n, &case.h)?;
    let contestants: Vec<_> = case
        .contestants
        .iter()
        .filter(|contestant| programs.others || contestant.program == Program::Hooke)
        .collect();
    let mut runs: Vec<Vec<Run>> = contestants.iter().map(|_| Vec::new()).collect();
    for _ in 0..case.rounds {
        for (contestant, runs) in contestants.iter().zip(&mut runs) {
            let run = programs.run(contestant.program, &scene, &contestant.arguments);
            runs.push(run.map_err(|error| format!("{}: {error}", contestant.name))?);
        }
    }
    let hooke = contestants.iter().filter(|c| c.program == Program::Hooke).count();
    let digests: Vec<_> = runs[..hooke].iter().flatten().map(|run| &run.digest).collect();
    let rows = contestants.iter().zip(&runs).enumerate().map(|(index, (contestant, own))| {
        let others = if index < hooke { &[][..] } else { &runs[..hooke] };
        row(case, contestant.name, own, others, &runs[0])
    });
    Ok(Measured {
        table: case.table,
        row: case.row.clone(),
        n: case.n,
        h: case.h.clone(),
        rounds: case.rounds,
        agreement: case.agreement,
        repeatable: digests.windows(2).all(|pair| pair[0] == pair[1]),
        digest: runs[0].last().and_then(|run| run.digest.clone()),
        rows: rows.collect(),
    })
}

/// What a contestant reached; `hooke` are the runs it is compared with, none for Hooke itself.
fn row(case: &Case, name: &'static str, own: &[Run], hooke: &[Vec<Run>], first: &[Run]) -> Row {
    let quantities = case.quantities.iter().filter_map(|&quantity| {
        let times: Vec<_> = own.iter().filter_map(|run| quantity.of(run)).collect();
        let ratios = hooke.iter().filter_map(|hooke| {
            let ratios = own.iter().zip(hooke);
            let ratios = ratios.filter_map(|(own, hooke)| {
                Some(quantity.of(own)? / quantity.of(hooke)?).filter(|ratio| ratio.is_finite())
            });
            Summary::of(&ratios.collect::<Vec<_>>())
        });
        Some((quantity, Summary::of(&times)?, ratios.collect()))
    });
    let differences =
        own.iter().zip(first).map(|(own, first)| difference(&own.positions, &first.positions));
    Row {
        name,
        quantities: quantities.collect(),
        iterations: own.last().map_or(0.0, |run| run.iterations.iter().sum()),
        difference: (!hooke.is_empty()).then(|| differences.fold(0.0, f64::max)),
    }
}

impl Quantity {
    /// Its value in a run (s).
    fn of(self, run: &Run) -> Option<f64> {
        let iterations: f64 = run.iterations.iter().sum();
        match self {
            Self::Step => median(&run.steps),
            Self::Method if run.method.is_empty() => median(&run.steps),
            Self::Method => median(&run.method),
            Self::Run => Some(run.steps.iter().sum()),
            Self::Iteration => Some(run.steps.iter().sum::<f64>() / iterations),
            Self::Solve => {
                median(&run.solve).map(|solve| solve * run.steps.len() as f64 / iterations)
            }
            Self::Setup => Some(run.setup),
        }
        .filter(|value| value.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(steps: &[f64], digest: &str) -> Run {
        Run {
            setup: 2.0,
            steps: steps.to_vec(),
            method: Vec::new(),
            solve: vec![0.5; steps.len()],
            iterations: vec![10.0; steps.len()],
            digest: Some(digest.into()),
            positions: vec![1.0, 2.0],
        }
    }

    #[test]
    fn quantities_of_a_run() {
        let run = run(&[1.0, 3.0, 2.0], "a");
        let all = [Quantity::Step, Quantity::Method, Quantity::Run, Quantity::Setup];
        assert_eq!(all.map(|quantity| quantity.of(&run)), [2.0, 2.0, 6.0, 2.0].map(Some));
        assert_eq!(Quantity::Iteration.of(&run), Some(0.2));
        assert_eq!(Quantity::Solve.of(&run), Some(0.05));
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        let case = &cases::all(Extent::Smoke)[0];
        let hooke = vec![run(&[1.0], "a"), run(&[10.0], "a"), run(&[2.0], "a")];
        let other = [run(&[3.0], "b"), run(&[30.0], "b"), run(&[8.0], "b")];
        let row = row(case, "other", &other, std::slice::from_ref(&hooke), &hooke);
        let (quantity, _, ratios) = &row.quantities[0];
        assert_eq!(*quantity, Quantity::Step);
        assert_eq!((ratios[0].median, ratios[0].greatest), (3.0, 4.0));
        assert_eq!(row.difference, Some(0.0));
    }

    #[test]
    fn answers_that_differ_fail() {
        let row = |difference| Row {
            name: "other",
            quantities: Vec::new(),
            iterations: 1.0,
            difference: Some(difference),
        };
        let case = |difference, repeatable| Measured {
            table: "table",
            row: "row".into(),
            n: 10,
            h: "0.1".into(),
            rounds: 1,
            agreement: 1e-6,
            repeatable,
            digest: None,
            rows: vec![row(difference)],
        };
        assert!(judge(&[case(1e-7, true)]) == Outcome::Passed);
        assert!(judge(&[case(1e-5, true)]) == Outcome::Failed);
        assert!(judge(&[case(f64::INFINITY, true)]) == Outcome::Failed);
        assert!(judge(&[case(1e-7, false)]) == Outcome::Failed);
    }
}
