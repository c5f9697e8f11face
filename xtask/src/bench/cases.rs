//! What is measured: cases, each one scene that every contestant runs to the same answer.

use super::programs::Program;

/// One scene and those who run it.
pub(crate) struct Case {
    /// The table it belongs to.
    pub(crate) table: &'static str,
    /// Its row there.
    pub(crate) row: String,
    /// The cloth has n × n particles.
    pub(crate) n: u32,
    /// The length of a step (s), as text that every program reads alike.
    pub(crate) h: String,
    /// How far the answers may lie apart, relative to the greatest coordinate.
    pub(crate) agreement: f64,
    pub(crate) rounds: usize,
    pub(crate) contestants: Vec<Contestant>,
    pub(crate) quantities: Vec<Quantity>,
}

/// A program with its arguments.
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    /// What follows the scene and the result.
    pub(crate) arguments: Vec<String>,
}

/// A time taken from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Quantity {
    /// Of a step: the median of the run.
    Step,
    /// Of a step without what Hooke measures for its report.
    Method,
    /// Of all steps together.
    Run,
    /// Of an iteration, all of it.
    Iteration,
    /// Of solving with the factor in an iteration.
    Solve,
    /// Of what is done once.
    Setup,
}

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Smoke,
    Quick,
    Full,
}

const HOOKE: [(&str, &str); 2] = [("Hooke, 1 thread", "1"), ("Hooke, 2 threads", "2")];

const MATRIX_3N: &str = "Eigen, 3n×3n";
const TRIPLETS: &str = "Eigen, triplets";
const LOOPS: &str = "Eigen, loops";

/// A thirtieth of a second: a frame.
pub(super) const FRAME: &str = "0.03333333333333333";

/// At longer steps the energy has many close minima, and which one is found is no matter of speed.
const ONE_MINIMUM: &str = "0.01";

/// Every case of `cargo xtask bench`.
pub(crate) fn all(extent: Extent) -> Vec<Case> {
    let sizes: &[u32] = match extent {
        Extent::Smoke => &[10],
        Extent::Quick => &[20, 47, 100],
        Extent::Full => &[20, 47, 100, 200, 400],
    };
    let rounds = match extent {
        Extent::Smoke => 1,
        Extent::Quick => 5,
        Extent::Full => 7,
    };
    let mut cases = Vec::new();
    for &n in sizes {
        let steps = pick(n, [30, 20, 6, 3, 2]);
        let quantities = vec![Quantity::Step, Quantity::Solve, Quantity::Setup];
        cases.push(fast_mass_spring(n, rounds, [steps, 10], quantities));
    }
    for &n in sizes.iter().filter(|&&n| n <= 200) {
        let iterations = pick(n, [5, 5, 3, 1, 1]);
        let rounds = if n < 100 { rounds } else { rounds.min(3) };
        cases.push(newton_plain(n, rounds, iterations, Quantity::Iteration));
    }
    let most = if extent == Extent::Full { 100 } else { 47 };
    for &n in sizes.iter().filter(|&&n| n <= most) {
        let rounds = if n < 47 { rounds } else { 1 };
        cases.push(newton_converged(n, rounds));
    }
    for &n in sizes {
        let steps = pick(n, [1000, 500, 200, 50, 20]);
        let quantities = vec![Quantity::Step, Quantity::Method];
        cases.push(explicit(n, rounds, steps, quantities));
    }
    cases
}

/// The table of a course's report: the cloth of 47 × 47.
pub(crate) fn course() -> Vec<Case> {
    let n = 47;
    let run = || vec![Quantity::Run];
    let frame = |iterations| fast_mass_spring(n, 5, [1, iterations], run());
    let rows = [
        ("explicit, 1000 steps", explicit(n, 5, 1000, run())),
        ("Newton, 100 iterations run out", newton_plain(n, 1, 100, Quantity::Run)),
        ("Newton, stopped by the tolerance 1e-8", newton_converged(n, 1)),
        ("fast mass-spring, 10 iterations", frame(10)),
        ("fast mass-spring, 100 iterations", frame(100)),
        ("fast mass-spring, 1000 iterations", frame(1000)),
    ];
    let in_table = |(row, mut case): (&str, Case)| {
        for contestant in &mut case.contestants {
            if [MATRIX_3N, TRIPLETS, LOOPS].contains(&contestant.name) {
                contestant.name = "Eigen, as courses write it";
            }
        }
        Case { table: "Course report, cloth of 47 × 47", row: row.into(), ..case }
    };
    rows.map(in_table).into()
}

/// The value for a size, from those for 20, 47, 100, 200 and 400.
fn pick(n: u32, values: [u32; 5]) -> u32 {
    let limits = [20, 47, 100, 200];
    values[limits.iter().filter(|&&limit| n > limit).count()]
}

fn size(n: u32) -> String {
    format!("N = {n}")
}

/// The same local and global steps in every contestant, from the same start: the same iterates.
fn fast_mass_spring(
    n: u32,
    rounds: usize,
    [steps, iterations]: [u32; 2],
    quantities: Vec<Quantity>,
) -> Case {
    let settings =
        [format!("iterations={iterations}"), "tolerance=0".into(), "start=prediction".into()];
    let mut contestants = hooke("quasi-newton", steps, &settings);
    let arguments = vec![steps.to_string(), iterations.to_string()];
    if n <= 200 {
        contestants.push(Contestant {
            name: MATRIX_3N,
            program: Program::Cpp("eigen/fast_mass_spring_3n"),
            arguments: arguments.clone(),
        });
    }
    contestants.push(Contestant {
        name: "Eigen, n×n",
        program: Program::Cpp("eigen/fast_mass_spring"),
        arguments: arguments.clone(),
    });
    contestants.push(Contestant {
        name: "CHOLMOD, n×n",
        program: Program::Cpp("cholmod"),
        arguments,
    });
    Case {
        table: "Fast mass-spring, 10 iterations a step",
        row: size(n),
        n,
        h: FRAME.into(),
        agreement: 1e-6,
        rounds,
        contestants,
        quantities,
    }
}

/// Newton without line search and with the negative part dropped in every contestant: the same
/// iterates, so that only the cost of an iteration differs.
fn newton_plain(n: u32, rounds: usize, iterations: u32, quantity: Quantity) -> Case {
    let settings = [
        format!("iterations={iterations}"),
        "tolerance=0".into(),
        "start=prediction".into(),
        "projection=eager".into(),
        "line_search=false".into(),
    ];
    let mut contestants = hooke("newton", 1, &settings);
    contestants.push(Contestant {
        name: TRIPLETS,
        program: Program::Cpp("eigen/newton"),
        arguments: words(&["1", &iterations.to_string(), "0", "0"]),
    });
    let quantities = vec![quantity];
    Case {
        table: "Newton",
        row: size(n),
        n,
        h: FRAME.into(),
        agreement: 1e-6,
        rounds,
        contestants,
        quantities,
    }
}

/// One step solved to the end: Hooke as it is by default, the other as courses write it.
fn newton_converged(n: u32, rounds: usize) -> Case {
    let settings = ["iterations=1000", "tolerance=1e-8", "start=prediction"].map(String::from);
    let mut contestants = hooke("newton", 1, &settings);
    contestants.push(Contestant {
        name: TRIPLETS,
        program: Program::Cpp("eigen/newton"),
        arguments: words(&["1", "1000", "1e-8", "1"]),
    });
    let quantities = vec![Quantity::Run];
    Case {
        table: "Newton to 1e-8",
        row: size(n),
        n,
        h: ONE_MINIMUM.into(),
        agreement: 1e-6,
        rounds,
        contestants,
        quantities,
    }
}

/// Symplectic Euler at half the greatest stable step.
fn explicit(n: u32, rounds: usize, steps: u32, quantities: Vec<Quantity>) -> Case {
    let h = format!("{:e}", 0.005 / f64::from(n));
    let mut contestants = hooke("symplectic-euler", steps, &[]);
    contestants.push(Contestant {
        name: LOOPS,
        program: Program::Cpp("eigen/explicit"),
        arguments: words(&[&steps.to_string()]),
    });
    Case { table: "Explicit", row: size(n), n, h, agreement: 1e-9, rounds, contestants, quantities }
}

/// Hooke on one and on two threads.
fn hooke(method: &str, steps: u32, settings: &[String]) -> Vec<Contestant> {
    let one = |(name, threads): (&'static str, &str)| {
        let mut arguments = words(&[method, threads, &steps.to_string()]);
        arguments.extend_from_slice(settings);
        Contestant { name, program: Program::Hooke, arguments }
    };
    HOOKE.map(one).into()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_picked_by_size() {
        let values = [1, 2, 3, 4, 5];
        let picked = [10, 20, 47, 100, 200, 400].map(|n| pick(n, values));
        assert_eq!(picked, [1, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn every_case_has_hooke_first_and_someone_beside() {
        for case in all(Extent::Full).into_iter().chain(course()) {
            assert_eq!(case.contestants[0].program, Program::Hooke);
            assert!(case.contestants.iter().any(|c| c.program != Program::Hooke), "{}", case.row);
        }
    }
}
