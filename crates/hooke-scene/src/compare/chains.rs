//! Solvers of chains side by side, over many random targets: what can be reached, what is near the end of
//! the reach, what is beyond it, and a path that is followed from step to step.

use hooke::chains::{Chain, ChainPose, End, SOLVERS, Settings, Solver, Target};
use hooke::math::{Quat, noise::mix};
use hooke::{ModelError, Vec3};
use std::f64::consts::PI;
use std::time::Instant;

/// Where random targets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Where a random pose within all limits has the end.
    Reachable,
    /// Where a nearly straight pose within all limits has it.
    Boundary,
    /// Further away than the chain is long.
    Unreachable,
    /// Along a smooth path, each solve from the result of the last.
    Path,
}

impl Aim {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Reachable, Self::Boundary, Self::Unreachable, Self::Path];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reachable => "reachable",
            Self::Boundary => "near the boundary",
            Self::Unreachable => "unreachable",
            Self::Path => "along a path",
        }
    }
}

/// What one solver did on one chain with targets of one kind.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The solver.
    pub solver: &'static str,
    /// Where its targets were.
    pub aim: Aim,
    /// How many they were, and how many it reached.
    pub targets: usize,
    /// How many of them it reached.
    pub reached: usize,
    /// Sweeps of a solve: the median and the most.
    pub iterations: [u32; 2],
    /// The distance that remained, relative to the length of the chain: the median and the worst.
    pub error: [f64; 2],
    /// The median wall time of a solve (µs).
    pub microseconds: f64,
    /// The greatest angle (rad) that a joint turned in one solve.
    pub step: f64,
    /// The median distance that remains after each sweep, relative to the length of the chain.
    pub curve: Vec<f64>,
    /// The part of the targets that is reached after each sweep.
    pub done: Vec<f64>,
}

/// How many sweeps are recorded one by one.
const PLOTTED: usize = 100;

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 += 1;
        low + (high - low) * (mix(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let v: Vec3 = [0, 1, 2].map(|_| self.between(-1.0, 1.0)).into();
            if (1e-3..=1.0).contains(&v.norm()) {
                return v.unit();
            }
        }
    }
}

/// Every solver over so many random targets of each kind for one joint of a chain.
pub fn solvers(
    chain: &Chain,
    joint: usize,
    settings: &Settings,
    count: usize,
) -> Result<Vec<Trial>, ModelError> {
    let mut trials = Vec::new();
    for aim in Aim::ALL {
        let targets = draw_targets(chain, joint, aim, count);
        for info in &SOLVERS {
            let solver = Solver::new(info.name, settings.clone())?;
            trials.push(trial(chain, joint, solver, aim, &targets)?);
        }
    }
    Ok(trials)
}

/// The bones (m) from the root to a joint.
fn length(chain: &Chain, joint: usize) -> f64 {
    chain.path(joint).map(|j| chain.lengths()[j]).sum()
}

fn draw_targets(chain: &Chain, joint: usize, aim: Aim, count: usize) -> Vec<Vec3> {
    let mut dice = Dice(aim as u64 * 1_000_003);
    let mut pose = chain.rest();
    let root = pose.positions()[0];
    let mut rotated = |most: f64, dice: &mut Dice| {
        for j in 0..chain.len() {
            let axis = dice.direction();
            pose.set_rotation(chain, j, Quat::about(axis, dice.between(-most, most)));
        }
        pose.positions()[joint]
    };
    let location = |k: usize| match aim {
        Aim::Reachable => rotated(PI, &mut dice),
        Aim::Boundary => rotated(0.08, &mut dice),
        Aim::Unreachable => {
            root + dice.direction() * (length(chain, joint) * dice.between(1.02, 2.0))
        }
        // Between poses that follow each other smoothly, so that all of it can be reached.
        Aim::Path => {
            let t = 2.0 * PI * k as f64 / count.max(1) as f64;
            let mut pose = chain.rest();
            for j in 0..chain.len() {
                let n = (1 + j % 3) as f64;
                let axis = Vec3::new(libm::sin(n * t), libm::cos(t), libm::sin(2.0 * t + n));
                pose.set_rotation(chain, j, Quat::about(axis, 0.8 * libm::sin(n * t + n)));
            }
            pose.positions()[joint]
        }
    };
    (0..count).map(location).collect()
}

fn trial(
    chain: &Chain,
    joint: usize,
    mut solver: Solver,
    aim: Aim,
    targets: &[Vec3],
) -> Result<Trial, ModelError> {
    let scale = 1.0 / length(chain, joint).max(f64::MIN_POSITIVE);
    let rest = chain.rest();
    let mut pose = chain.rest();
    let mut before: ChainPose = chain.rest();
    let (mut ends, mut errors, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let (mut reached, mut step) = (0, 0.0_f64);
    let mut curves = vec![Vec::new(); PLOTTED + 1];
    let mut done = vec![0_u32; PLOTTED + 1];
    for (k, &location) in targets.iter().enumerate() {
        if aim != Aim::Path {
            pose.copy_from(&rest);
        }
        before.copy_from(&pose);
        let clock = Instant::now();
        let reach = solver.solve(chain, &mut pose, &[Target::new(joint, location)])?;
        times.push(1e6 * clock.elapsed().as_secs_f64());
        if aim != Aim::Path || k > 0 {
            step = step.max(before.apart(&pose));
        }
        ends.push(reach.iterations);
        errors.push(reach.distance * scale);
        let there = reach.end == End::Converged;
        reached += usize::from(there);
        let steps = solver.errors();
        for (sweep, curve) in curves.iter_mut().enumerate() {
            curve.push(steps.get(sweep).copied().unwrap_or(reach.distance) * scale);
            done[sweep] += u32::from(there && sweep >= reach.iterations as usize);
        }
    }
    ends.sort_unstable();
    let most = ends.last().copied().unwrap_or_default();
    let shown = (most as usize).min(PLOTTED);
    let worst = errors.iter().copied().fold(0.0, f64::max);
    let all = targets.len().max(1) as f64;
    Ok(Trial {
        solver: solver.info().name,
        aim,
        targets: targets.len(),
        reached,
        iterations: [ends.get(ends.len() / 2).copied().unwrap_or_default(), most],
        error: [middle(&mut errors), worst],
        microseconds: middle(&mut times),
        step,
        curve: curves.iter_mut().take(shown + 1).map(|curve| middle(curve)).collect(),
        done: done.iter().take(shown + 1).map(|count| f64::from(*count) / all).collect(),
    })
}

/// The median.
fn middle(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooke::chains::JointLimits;

    #[test]
    fn what_is_reachable_is_reached_and_what_is_not_is_not() {
        let chain = Chain::straight(&[0.5, 0.4, 0.3, 0.2], JointLimits::FREE).expect("a chain");
        let settings = Settings { iterations: 500, ..Settings::default() };
        let trials = solvers(&chain, 4, &settings, 60).expect("trials");
        assert_eq!(trials.len(), 12);
        for trial in &trials {
            let [median, worst] = trial.error;
            assert!(median <= worst && trial.curve.len() == trial.done.len());
            match trial.aim {
                Aim::Unreachable => {
                    assert_eq!((trial.reached, trial.iterations), (0, [0, 0]), "{}", trial.solver);
                    assert!(median > 0.02);
                }
                Aim::Boundary => {}
                Aim::Reachable | Aim::Path => {
                    assert!(trial.reached >= 40, "{} {}", trial.solver, trial.aim.name());
                    assert!(median <= 1e-6 && trial.step > 0.0);
                }
            }
        }
    }
}
