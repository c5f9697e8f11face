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
    /// How many steps are measured, and how many times as many of Hooke: in the first fifty
    /// milliseconds of a run two threads were seen to be slower.
    pub(crate) steps: u32,
    pub(crate) longer: u32,
    pub(crate) agreement: Agreement,
    pub(crate) rounds: usize,
    pub(crate) contestants: Vec<Contestant>,
    pub(crate) quantities: Vec<Quantity>,
}

/// When answers are the same.
#[derive(Clone, Copy)]
pub(crate) struct Agreement {
    /// After how many steps they are compared.
    pub(crate) steps: u32,
    /// How far they may lie apart, relative to the greatest way that a coordinate has gone.
    pub(crate) apart: f64,
    /// How much higher Hooke's objective may be, relative to the other's; one step only has one.
    pub(crate) objective: Option<f64>,
}

/// A program with its arguments.
pub(crate) struct Contestant {
    pub(crate) name: String,
    pub(crate) program: Program,
    /// What follows the scene, the result and the number of steps.
    pub(crate) arguments: Vec<String>,
    /// How far from the first contestant it may lie, where that is not [`Agreement::apart`].
    pub(crate) apart: Option<f64>,
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

/// What Hooke is asked to compute in: nothing said, or the setting `precision`.
const PRECISIONS: &[Option<&str>] = &[None, Some("interactive")];

/// How far answers of interactive precision, which computes in `f32`, may lie apart.
const INTERACTIVE_APART: f64 = 1e-3;

pub(super) const MATRIX_3N: &str = "Eigen, 3n×3n";
pub(super) const MATRIX_N: &str = "Eigen, n×n";
pub(super) const TRIPLETS: &str = "Eigen, triplets";
pub(super) const LOOPS: &str = "Eigen, loops";

pub(super) const FAST_MASS_SPRING: &str = "Fast mass-spring, 10 iterations a step";
pub(super) const NEWTON: &str = "Newton";
pub(super) const EXPLICIT: &str = "Explicit";

/// A thirtieth of a second: a frame.
pub(super) const FRAME: &str = "0.03333333333333333";

/// At longer steps the energy has many close minima, and which one is found is no matter of speed.
const ONE_MINIMUM: &str = "0.01";

/// The name of Hooke among the contestants.
pub(super) fn name(precision: Option<&str>, threads: &str) -> String {
    let precision = precision.map_or(String::new(), |precision| format!("{precision}, "));
    format!("Hooke, {precision}{threads} thread{}", if threads == "1" { "" } else { "s" })
}

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
        let steps = pick(n, [100, 60, 10, 3, 2]);
        let quantities = vec![Quantity::Step, Quantity::Solve, Quantity::Setup];
        let longer = pick(n, [8, 8, 8, 8, 4]);
        let case = fast_mass_spring(n, rounds, [steps, 10], quantities);
        cases.push(Case { longer, ..case });
    }
    for &n in sizes {
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
        // Interactive precision ends a solve where `f32` can tell no more: not as many iterations.
        case.contestants.retain(|contestant| contestant.apart.is_none());
        for contestant in &mut case.contestants {
            if [MATRIX_3N, TRIPLETS, LOOPS].contains(&contestant.name.as_str()) {
                contestant.name = "Eigen, as courses write it".into();
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

/// The same local and global steps in every contestant, from the same start. Hooke's factor is
/// rounded, so its iterates are not the others' to the last digit; they must be as good.
fn fast_mass_spring(
    n: u32,
    rounds: usize,
    [steps, iterations]: [u32; 2],
    quantities: Vec<Quantity>,
) -> Case {
    let settings =
        [format!("iterations={iterations}"), "tolerance=0".into(), "start=prediction".into()];
    let mut contestants = hooke("quasi-newton", PRECISIONS, &settings);
    let iterations = iterations.to_string();
    // The matrix of three times as many rows takes too long at 400.
    if n <= 200 {
        contestants.push(cpp(MATRIX_3N, "eigen/fast_mass_spring_3n", &[&iterations]));
    }
    contestants.push(cpp(MATRIX_N, "eigen/fast_mass_spring", &[&iterations]));
    contestants.push(cpp("CHOLMOD, n×n", "cholmod", &[&iterations]));
    Case {
        table: FAST_MASS_SPRING,
        row: size(n),
        n,
        h: FRAME.into(),
        steps,
        longer: 1,
        agreement: Agreement { steps: 1, apart: 1e-4, objective: Some(1e-3) },
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
    let mut contestants = hooke("newton", &[None], &settings);
    // An iteration of Eigen's takes minutes at 400.
    if n <= 200 {
        contestants.push(cpp(TRIPLETS, "eigen/newton", &[&iterations.to_string(), "0", "0"]));
    }
    newton(NEWTON, n, FRAME, rounds, contestants, quantity)
}

/// One step solved to the end: Hooke as it is by default, the other as courses write it.
fn newton_converged(n: u32, rounds: usize) -> Case {
    let settings = ["iterations=1000", "tolerance=1e-8", "start=prediction"].map(String::from);
    let mut contestants = hooke("newton", &[None], &settings);
    contestants.push(cpp(TRIPLETS, "eigen/newton", &["1000", "1e-8", "1"]));
    newton("Newton to 1e-8", n, ONE_MINIMUM, rounds, contestants, Quantity::Run)
}

fn newton(
    table: &'static str,
    n: u32,
    h: &str,
    rounds: usize,
    contestants: Vec<Contestant>,
    quantity: Quantity,
) -> Case {
    Case {
        table,
        row: size(n),
        n,
        h: h.into(),
        steps: 1,
        longer: 1,
        agreement: Agreement { steps: 1, apart: 1e-5, objective: Some(1e-3) },
        rounds,
        contestants,
        quantities: vec![quantity],
    }
}

/// Symplectic Euler at half the greatest stable step.
fn explicit(n: u32, rounds: usize, steps: u32, quantities: Vec<Quantity>) -> Case {
    let mut contestants = hooke("symplectic-euler", PRECISIONS, &[]);
    contestants.push(cpp(LOOPS, "eigen/explicit", &[]));
    Case {
        table: EXPLICIT,
        row: size(n),
        n,
        h: format!("{:e}", 0.005 / f64::from(n)),
        steps,
        longer: 1,
        agreement: Agreement { steps, apart: 1e-8, objective: None },
        rounds,
        contestants,
        quantities,
    }
}

/// Hooke in each precision on one and on two threads.
fn hooke(
    method: &'static str,
    precisions: &[Option<&str>],
    settings: &[String],
) -> Vec<Contestant> {
    let mut all = Vec::new();
    for &precision in precisions {
        for threads in ["1", "2"] {
            let mut arguments = settings.to_vec();
            arguments.extend(precision.map(|precision| format!("precision={precision}")));
            all.push(Contestant {
                name: name(precision, threads),
                program: Program::Hooke(method, threads),
                arguments,
                apart: precision.map(|_| INTERACTIVE_APART),
            });
        }
    }
    all
}

fn cpp(name: &str, file: &'static str, arguments: &[&str]) -> Contestant {
    Contestant {
        name: name.into(),
        program: Program::Cpp(file),
        arguments: arguments.iter().map(|word| word.to_string()).collect(),
        apart: None,
    }
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
    fn every_case_has_hooke_first_and_someone_beside_but_newton_at_400() {
        for case in all(Extent::Full).into_iter().chain(course()) {
            assert!(case.contestants[0].program.is_hooke());
            let others = case.contestants.iter().any(|c| !c.program.is_hooke());
            assert_eq!(others, (case.table, case.n) != (NEWTON, 400), "{}", case.row);
        }
    }

    #[test]
    fn hooke_is_named_by_precision_and_threads() {
        assert_eq!(name(None, "1"), "Hooke, 1 thread");
        assert_eq!(name(Some("interactive"), "2"), "Hooke, interactive, 2 threads");
    }
}
