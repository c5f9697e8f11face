//! `cargo xtask bench`: Hooke beside C++ with Eigen and CHOLMOD, on the same scene, to the same
//! answer.
//!
//! Every contestant is a process of its own. They run in turn, several rounds, so that what else
//! the machine does disturbs all alike. What is claimed are ratios within a round; their median and
//! spread go into `benchmarks/results`. Answers that do not agree are an error: a wrong answer has
//! no speed.

mod accuracy;
mod auto;
mod bars;
mod cases;
mod chains;
mod counts;
mod edits;
mod memory;
mod peers;
mod pile;
pub(crate) mod programs;
mod report;
mod statistics;
mod studio;

use crate::stage::{Outcome, root};
use cases::{Case, Extent, Quantity};
use programs::{Programs, Run, Scene};
use report::{Machine, Measured, Row};
use statistics::{Summary, apart, median};

/// `cargo xtask bench` with its words.
pub(crate) fn command(words: &[&str]) -> Option<Outcome> {
    let install = words.contains(&"--install");
    let words: Vec<_> = words.iter().filter(|&&word| word != "--install").copied().collect();
    let outcome = match words[..] {
        [] => compare(cases::all(Extent::Full), "", install),
        ["--quick"] => compare(cases::all(Extent::Quick), "-quick", install),
        ["course"] => compare(cases::course(), "-course", install),
        ["--smoke"] => return Some(smoke(install)),
        ["accuracy"] => accuracy::compare(install),
        ["auto"] => auto::compare(),
        ["chains"] => chains::compare(install),
        ["peers"] => peers::compare(install),
        ["pile"] => pile::compare(),
        ["edits"] => edits::measure(),
        ["memory"] => memory::measure(),
        ["studio"] => studio::measure(install),
        ["counts"] => counts::compare(install, false),
        ["counts", "--accept"] => counts::compare(install, true),
        _ => return None,
    };
    Some(outcome.unwrap_or_else(|error| {
        println!("{error}");
        Outcome::Failed
    }))
}

/// Runs cases, prints and saves what was measured.
fn compare(cases: Vec<Case>, kind: &str, install: bool) -> Result<Outcome, String> {
    if install {
        programs::install();
    }
    let programs = Programs::build(false)?;
    let machine = Machine::here(programs.others);
    let measured = measure(&programs, &cases)?;
    let markdown = report::markdown(&machine, &measured);
    save(kind, &markdown, &report::json(&machine, &measured))?;
    Ok(judge(&measured))
}

/// Prints results and writes them under today's date.
fn save(kind: &str, markdown: &str, json: &serde_json::Value) -> Result<(), String> {
    println!("\n{markdown}");
    let (year, month, day) = statistics::date(report::days());
    let folder = root().join("benchmarks/results");
    let path = folder.join(format!("{year}-{month:02}-{day:02}{kind}"));
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(path.with_extension("md"), markdown))
        .and_then(|()| std::fs::write(path.with_extension("json"), format!("{json:#}\n")))
        .map_err(|error| format!("could not save the results: {error}"))
}

/// One small round of everything for the tests: answers are compared, times are not looked at.
pub(crate) fn smoke(install: bool) -> Outcome {
    if install {
        programs::install();
    }
    let measured =
        Programs::build(true).and_then(|programs| measure(&programs, &cases::all(Extent::Smoke)));
    match measured {
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
        let mut fail = |what: String| {
            println!("{}, {}: {what}", case.table, case.row);
            outcome = Outcome::Failed;
        };
        for row in &case.rows {
            if let Some(apart) = row.apart
                && (apart > row.allowed || apart.is_nan())
            {
                let allowed = row.allowed;
                fail(format!("{} ends {apart:.1e} from Hooke, more than {allowed:.0e}", row.name));
            }
            if let (Some(higher), Some(most)) = (row.higher, case.agreement.objective)
                && (higher > most || higher.is_nan())
            {
                fail(format!("Hooke's objective is {higher:.1e} above that of {}", row.name));
            }
        }
        if !case.repeatable {
            fail("Hooke's runs differ in their bits".into());
        }
    }
    outcome
}

/// Runs all cases in turn, and again in the next round: what disturbs the machine for a minute meets
/// one round of a case, not all.
fn measure(programs: &Programs, cases: &[Case]) -> Result<Vec<Measured>, String> {
    let mut contests = Vec::new();
    for case in cases {
        contests.push(Contest::new(programs, case)?);
    }
    let rounds = cases.iter().map(|case| case.rounds).max().unwrap_or(0);
    for round in 0..rounds {
        println!("round {} of {rounds}", round + 1);
        for contest in contests.iter_mut().filter(|contest| round < contest.case.rounds) {
            println!("{}, {}", contest.case.table, contest.case.row);
            contest.run(programs)?;
        }
    }
    Ok(contests.into_iter().map(Contest::measured).collect())
}

/// Where a contestant came to.
struct Answer {
    positions: Vec<f64>,
    /// NaN where none is asked for.
    objective: f64,
}

/// The answer of a contestant's last run.
fn answer(
    programs: &Programs,
    scene: &Scene,
    case: &Case,
    run: &mut Run,
) -> Result<Answer, String> {
    let objective = match case.agreement.objective {
        Some(_) => programs.judge(scene)?.objective,
        None => f64::NAN,
    };
    Ok(Answer { positions: std::mem::take(&mut run.positions), objective })
}

/// A case while it is measured.
struct Contest<'a> {
    case: &'a Case,
    scene: Scene,
    contestants: Vec<&'a cases::Contestant>,
    /// Of each contestant, as far as known.
    answers: Vec<Answer>,
    /// Of each contestant, one for every round.
    runs: Vec<Vec<Run>>,
}

impl<'a> Contest<'a> {
    fn new(programs: &Programs, case: &'a Case) -> Result<Self, String> {
        let contestants: Vec<_> = case
            .contestants
            .iter()
            .filter(|contestant| programs.others || contestant.program.is_hooke())
            .collect();
        let runs = contestants.iter().map(|_| Vec::new()).collect();
        let scene = programs.scene(case.n, &case.h)?;
        let mut contest = Self { case, scene, contestants, answers: Vec::new(), runs };
        if case.agreement.steps != case.steps {
            for index in 0..contest.contestants.len() {
                let mut run = contest.run_of(programs, index, case.agreement.steps)?;
                contest.answers.push(answer(programs, &contest.scene, case, &mut run)?);
            }
        }
        Ok(contest)
    }

    /// One run of each contestant, in turn.
    fn run(&mut self, programs: &Programs) -> Result<(), String> {
        for index in 0..self.contestants.len() {
            let longer = self.contestants[index].program.is_hooke().then_some(self.case.longer);
            let steps = self.case.steps * longer.unwrap_or(1);
            let mut run = self.run_of(programs, index, steps)?;
            if self.answers.len() == index {
                self.answers.push(answer(programs, &self.scene, self.case, &mut run)?);
            }
            run.positions = Vec::new();
            self.runs[index].push(run);
        }
        Ok(())
    }

    fn run_of(&self, programs: &Programs, index: usize, steps: u32) -> Result<Run, String> {
        let contestant = self.contestants[index];
        let run = programs.run(contestant.program, &self.scene, steps, &contestant.arguments);
        run.map_err(|error| format!("{}: {error}", contestant.name))
    }

    fn measured(self) -> Measured {
        let Self { case, scene, contestants, answers, runs } = self;
        // The same computation on another number of threads must end in the same bits.
        let twin = |index: usize| {
            let own = contestants[index];
            let same = |other: &&cases::Contestant| {
                other.program.is_hooke() && other.arguments == own.arguments
            };
            contestants.iter().position(same).filter(|_| own.program.is_hooke())
        };
        let repeats = |index: usize| {
            twin(index)
                .is_none_or(|twin| runs[index].iter().all(|run| run.digest == runs[twin][0].digest))
        };
        let hooke: Vec<_> = contestants.iter().map(|c| c.program.is_hooke()).collect();
        let rows = (0..contestants.len()).map(|index| {
            let contestant = contestants[index];
            let beside: Vec<_> = contestants
                .iter()
                .zip(&runs)
                .filter(|(other, _)| !hooke[index] && other.program.is_hooke())
                .map(|(other, runs)| (other.name.as_str(), &runs[..]))
                .collect();
            let compared = twin(index) != Some(0);
            Row {
                quantities: quantities(case, &runs[index], &beside),
                iterations: runs[index].last().map_or(0.0, Run::iterations_a_step),
                digest: runs[index].last().map(|run| run.digest.clone()).unwrap_or_default(),
                apart: compared
                    .then(|| apart(&answers[index].positions, &answers[0].positions, &scene.start)),
                allowed: contestant.apart.unwrap_or(case.agreement.apart),
                higher: (!hooke[index]).then(|| {
                    let highest = answers.iter().zip(&hooke).filter(|(_, hooke)| **hooke);
                    let highest =
                        highest.map(|(answer, _)| answer.objective).fold(f64::NAN, f64::max);
                    highest / answers[index].objective - 1.0
                }),
                name: contestant.name.clone(),
            }
        });
        Measured {
            table: case.table,
            row: case.row.clone(),
            n: case.n,
            h: case.h.clone(),
            rounds: case.rounds,
            agreement: case.agreement,
            repeatable: (0..contestants.len()).all(repeats),
            rows: rows.collect(),
        }
    }
}

/// The times of a contestant, and their ratios to those it runs beside, by name.
fn quantities(
    case: &Case,
    own: &[Run],
    beside: &[(&str, &[Run])],
) -> Vec<(Quantity, Summary, Vec<(String, Summary)>)> {
    let of = |&quantity: &Quantity| {
        let times: Vec<_> = own.iter().filter_map(|run| quantity.of(run)).collect();
        let ratios = beside.iter().filter_map(|(name, runs)| {
            let ratios = own.iter().zip(*runs).filter_map(|(own, other)| {
                Some(quantity.of(own)? / quantity.of(other)?).filter(|ratio| ratio.is_finite())
            });
            Some((name.to_string(), Summary::of(&ratios.collect::<Vec<_>>())?))
        });
        Some((quantity, Summary::of(&times)?, ratios.collect()))
    };
    case.quantities.iter().filter_map(of).collect()
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
            digest: digest.into(),
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
        let hooke = [run(&[1.0], "a"), run(&[10.0], "a"), run(&[2.0], "a")];
        let other = [run(&[3.0], "b"), run(&[30.0], "b"), run(&[8.0], "b")];
        let quantities = quantities(case, &other, &[("Hooke", &hooke)]);
        let (quantity, _, ratios) = &quantities[0];
        assert_eq!(*quantity, Quantity::Step);
        let (name, ratio) = &ratios[0];
        assert_eq!((name.as_str(), ratio.median, ratio.greatest), ("Hooke", 3.0, 4.0));
    }

    #[test]
    fn answers_that_differ_fail() {
        let case = |apart, higher, repeatable| {
            let row = Row { apart: Some(apart), higher: Some(higher), ..report::example_row() };
            Measured { repeatable, rows: vec![row], ..report::example_case() }
        };
        assert!(judge(&[case(1e-7, -0.5, true)]) == Outcome::Passed);
        assert!(judge(&[case(1e-5, 0.0, true)]) == Outcome::Failed);
        assert!(judge(&[case(f64::INFINITY, 0.0, true)]) == Outcome::Failed);
        assert!(judge(&[case(1e-7, 0.1, true)]) == Outcome::Failed);
        assert!(judge(&[case(1e-7, f64::NAN, true)]) == Outcome::Failed);
        assert!(judge(&[case(1e-7, 0.0, false)]) == Outcome::Failed);
    }
}
