//! Bringing the ends of a chain to targets: one loop for all solvers, which differ in their sweep.

use super::chain::{FAR, within_reach};
use super::line::Line;
use super::work::Work;
use super::{Chain, ChainPose, JointLimits, ccd, fabrik, least_squares, range};
use crate::error::{ModelError, invalid_chain};
use crate::math::{Quat, Vec3, across};
use crate::settings::settings;

/// Where a joint is asked to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The joint, usually one that nothing hangs on.
    pub joint: usize,
    /// Where (m).
    pub position: Vec3,
    /// How much it counts beside others, above 0.
    pub weight: f64,
}

impl Target {
    /// For `joint`, at `position` (m), with weight one.
    pub fn new(joint: usize, position: Vec3) -> Self {
        Self { joint, position, weight: 1.0 }
    }

    /// What is missing (m).
    pub(super) fn miss(&self, pose: &ChainPose) -> Vec3 {
        self.position - pose.positions()[self.joint]
    }
}

/// Where the bend of a chain leans to, such as an elbow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pole {
    /// The joint that leans.
    pub joint: usize,
    /// Toward which position (m).
    pub position: Vec3,
}

settings! {
    /// Settings of all solvers.
    pub struct Settings {
        /// Most sweeps.
        iterations: u32 = 200, "", [0.0, 1e9];
        /// The distance from the targets, relative to the length of the chain, at which they are reached.
        tolerance: f64 = 1e-6, "", [0.0, 1.0];
        /// Whether targets out of reach are detected before the first sweep.
        range: bool = true;
        /// The part of the distance that the last sweeps must take away for a solve to go on; 0 lets it.
        stall: f64 = 1e-3, "", [0.0, 1.0];
        /// How often a solve that comes to rest short of its targets looks again, from another pose within
        /// limits.
        restarts: u32 = 20, "", [0.0, 1e6];
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every target is reached.
    Converged,
    /// The target is further away than the chain is long.
    TooFar,
    /// The target is nearer than the chain can fold.
    TooNear,
    /// Sweeps no longer help: limits, or targets that cannot all be reached.
    Stalled,
    /// The iterations ran out.
    Cap,
}

impl End {
    /// In one or two words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::TooFar => "too far",
            Self::TooNear => "too near",
            Self::Stalled => "stalled",
            Self::Cap => "out of iterations",
        }
    }
}

/// What a solve reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IkResult {
    /// How it ended.
    pub end: End,
    /// Sweeps that were made.
    pub iterations: u32,
    /// The distance (m) that remains to the target that is missed most.
    pub distance: f64,
}

/// A solver, as lists show it.
pub struct SolverInfo {
    /// Its name in scenes and on the command line.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Who described it.
    pub reference: &'static str,
    sweep: fn(&Chain, &mut ChainPose, &[Target], &mut Work),
    /// Sweeps over which the distance is compared, to see whether it still falls.
    window: usize,
    /// The same where nothing is limited and there is one target, if that is less work.
    sweep_line: Option<SweepLine>,
}

/// A sweep over the positions of a line toward a target (m).
type SweepLine = fn(&mut Line, Vec3);

/// Every solver.
pub const SOLVERS: [SolverInfo; 3] = [
    SolverInfo {
        name: "ccd",
        doc: "From the last joint to the root, each joint rotates the end toward the target.",
        reference: "Wang & Chen 1991, A combined optimization method for inverse kinematics",
        sweep: ccd::sweep,
        window: 16,
        sweep_line: Some(ccd::sweep_line),
    },
    SolverInfo {
        name: "fabrik",
        doc: "Joints are pulled along the chain to the target and back to the root.",
        reference: "Aristidou & Lasenby 2011, FABRIK",
        sweep: fabrik::sweep,
        window: 16,
        sweep_line: Some(fabrik::sweep_line),
    },
    SolverInfo {
        name: "damped-least-squares",
        doc: "All joints at once, by the small rotations that together come nearest.",
        reference: "Wampler 1986; Nakamura & Hanafusa 1986",
        sweep: least_squares::sweep,
        window: 4,
        sweep_line: None,
    },
];

/// A solver with its workspace.
pub struct Solver {
    info: &'static SolverInfo,
    /// Its settings.
    pub settings: Settings,
    /// Where the bend leans, for chains with one target.
    pub pole: Option<Pole>,
    work: Work,
    line: Line,
    on_line: Option<SweepLine>,
    errors: Vec<f64>,
    best: Vec<Quat>,
}

/// The part of the least distance that a pose from another start must be nearer by: a chain does not jump for
/// less.
const NEARER: f64 = 0.01;

/// How far a straight chain is bent so that it can leave its line (rad).
const BEND: f64 = 0.15;

impl Solver {
    /// By its name.
    pub fn new(name: &str, settings: Settings) -> Result<Self, ModelError> {
        match SOLVERS.iter().find(|info| info.name == name) {
            Some(info) => Ok(Self {
                info,
                settings,
                pole: None,
                work: Work::default(),
                line: Line::default(),
                on_line: None,
                errors: Vec::new(),
                best: Vec::new(),
            }),
            None => {
                let known = SOLVERS.iter().map(|info| info.name).collect();
                Err(ModelError::UnknownSolver { name: name.to_owned(), known })
            }
        }
    }

    /// What it is.
    pub fn info(&self) -> &'static SolverInfo {
        self.info
    }

    /// The distance (m) that remained before and after every sweep of the last solve.
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// Turns the joints of `pose`, from where they are, so that every target is reached, as nearly as that
    /// can be. Limits hold all the while. Targets that are not finite or name no joint are refused.
    pub fn solve(
        &mut self,
        chain: &Chain,
        pose: &mut ChainPose,
        targets: &[Target],
    ) -> Result<IkResult, ModelError> {
        self.check(chain, pose, targets)?;
        self.errors.clear();
        self.work.below.fit(chain, targets);
        self.begin();
        let free = |j: usize| chain.joints()[j].limits.is_free();
        self.work.free = targets.iter().all(|target| chain.path(target.joint).skip(1).all(free));
        self.work.length =
            targets.iter().map(|target| reach_of(chain, target.joint)).fold(0.0, f64::max);
        let tolerance = self.settings.tolerance * self.work.length;
        if let Some(end) = self.out_of_range(chain, pose, targets) {
            let distance = worst(pose, targets);
            self.errors.push(distance);
            return Ok(IkResult { end, iterations: 0, distance });
        }
        self.lean(chain, pose, targets);
        let mut distance = worst(pose, targets);
        self.errors.push(distance);
        self.enter(chain, pose, targets);
        let (mut least, mut bent, mut iterations) = (distance, false, 0);
        // When the start that is followed began, and how many there were before it.
        let (mut first, mut restarts) = (0, 0);
        // One end of free joints comes to rest on a line only.
        let alone = self.work.free && targets.len() == 1;
        let most = if alone { 0 } else { self.settings.restarts };
        self.keep(pose);
        let end = loop {
            if distance <= tolerance {
                break End::Converged;
            }
            if iterations == self.settings.iterations {
                break End::Cap;
            }
            if self.stalled(first) {
                self.leave(chain, pose);
                if distance < nearer(least, restarts) {
                    least = distance;
                    self.keep(pose);
                }
                if !bent && bend(chain, pose, targets, &mut self.work.path) {
                    bent = true;
                } else if restarts < most {
                    restarts += 1;
                    pose.scatter(chain, targets, u64::from(restarts));
                } else {
                    break End::Stalled;
                }
                self.begin();
                self.enter(chain, pose, targets);
                first = self.errors.len();
            }
            distance = self.sweep(chain, pose, targets);
            iterations += 1;
            self.errors.push(distance);
            // Over a line none is worse than the one before.
            if self.on_line.is_none() && distance < nearer(least, restarts) {
                least = distance;
                self.keep(pose);
            }
        };
        if self.leave(chain, pose) {
            distance = worst(pose, targets);
            if let Some(last) = self.errors.last_mut() {
                *last = distance;
            }
        }
        if end != End::Converged && distance >= nearer(least, restarts) {
            pose.set_rotations(chain, &self.best);
            distance = least;
        }
        Ok(IkResult { end, iterations, distance })
    }

    /// Forgets what sweeps from another start have learned.
    fn begin(&mut self) {
        self.work.damping = least_squares::DAMPING;
        self.work.stuck = false;
    }

    /// Takes the pose onto a line, where that is all that sweeps need.
    fn enter(&mut self, chain: &Chain, pose: &ChainPose, targets: &[Target]) {
        let alone = self.work.free && self.pole.is_none() && targets.len() == 1;
        self.on_line = self.info.sweep_line.filter(|_| alone && targets[0].joint > 0);
        if self.on_line.is_some() {
            self.line.take(chain, pose, targets[0].joint);
        }
    }

    /// One sweep; the distance (m) that remains.
    fn sweep(&mut self, chain: &Chain, pose: &mut ChainPose, targets: &[Target]) -> f64 {
        if let Some(sweep) = self.on_line {
            sweep(&mut self.line, targets[0].position);
            return (targets[0].position - self.line.positions[0]).norm();
        }
        (self.info.sweep)(chain, pose, targets, &mut self.work);
        self.lean(chain, pose, targets);
        worst(pose, targets)
    }

    /// Turns the joints to where the line has them; whether there was one.
    fn leave(&mut self, chain: &Chain, pose: &mut ChainPose) -> bool {
        let lined = self.on_line.is_some();
        if lined {
            self.line.put(chain, pose);
        }
        lined
    }

    /// Keeps the turns of the best pose so far.
    fn keep(&mut self, pose: &ChainPose) {
        self.best.clear();
        self.best.extend_from_slice(pose.local_rotations());
    }

    fn check(&self, chain: &Chain, pose: &ChainPose, targets: &[Target]) -> Result<(), ModelError> {
        if pose.local_rotations().len() != chain.len() {
            return invalid_chain(format!(
                "the pose has {} joints, the chain {}",
                pose.local_rotations().len(),
                chain.len()
            ));
        }
        if targets.is_empty() {
            return invalid_chain("a solve needs at least one target");
        }
        for (k, target) in targets.iter().enumerate() {
            if target.joint >= chain.len() {
                return invalid_chain(format!(
                    "target {k} is for joint {}; there are {}",
                    target.joint,
                    chain.len()
                ));
            }
            if !within_reach(target.position) || !target.weight.is_finite() || target.weight <= 0.0
            {
                return invalid_chain(format!(
                    "target {k} must be within {FAR:e} m, with a finite weight above 0"
                ));
            }
        }
        match self.pole {
            Some(pole) if pole.joint >= chain.len() || !within_reach(pole.position) => {
                invalid_chain(format!("the pole must name a joint and a position within {FAR:e} m"))
            }
            _ => Ok(()),
        }
    }

    /// Points at a target that is known to be out of reach.
    fn out_of_range(
        &mut self,
        chain: &Chain,
        pose: &mut ChainPose,
        targets: &[Target],
    ) -> Option<End> {
        let &[Target { joint, position, .. }] = targets else { return None };
        let range = range::reachable(chain, joint).filter(|_| self.settings.range)?;
        let distance = (position - pose.positions()[0]).norm();
        // At the bounds the best pose is the reached one: no sweep would get there as soon.
        let slack = 0.5 * self.settings.tolerance * self.work.length;
        let far = distance > range.far - slack;
        if !far && distance >= range.near + slack.min(range.near) {
            return None;
        }
        if !far && range.near == 0.0 {
            return None;
        }
        range::point_at(chain, pose, joint, position, far, &mut self.work.path);
        let beyond = worst(pose, targets) > self.settings.tolerance * self.work.length;
        Some(match (beyond, far) {
            (false, _) => End::Converged,
            (true, true) => End::TooFar,
            (true, false) => End::TooNear,
        })
    }

    /// Whether the last sweeps helped too little, of those since `first`.
    fn stalled(&self, first: usize) -> bool {
        let errors = &self.errors[first..];
        let (n, window, stall) = (errors.len(), self.info.window, self.settings.stall);
        let slow = || n > window && errors[n - 1] > (1.0 - stall) * errors[n - 1 - window];
        self.work.stuck || (stall > 0.0 && slow())
    }

    /// Swivels the chain about the line from its first joint that turns to the end, toward the pole.
    fn lean(&self, chain: &Chain, pose: &mut ChainPose, targets: &[Target]) {
        let (Some(pole), &[target]) = (self.pole, targets) else { return };
        let rotations = |j: &usize| matches!(chain.joints()[*j].limits, JointLimits::Ball { .. });
        let Some(first) = chain.path(target.joint).skip(1).filter(rotations).last() else { return };
        let origin = pose.positions()[first];
        let axis = (pose.positions()[target.joint] - origin).unit();
        let pair = (pose.positions()[pole.joint] - origin, pole.position - origin, 1.0);
        let angle = ccd::best_angle(axis, [pair].into_iter());
        if angle.abs() > 1e-12 {
            pose.rotate_by(chain, first, Quat::about(axis, angle));
        }
    }
}

/// How near (m) a pose must come to be kept instead of one at the distance `least`.
fn nearer(least: f64, restarts: u32) -> f64 {
    if restarts == 0 { least } else { (1.0 - NEARER) * least }
}

/// The distance (m) to the target that is missed most.
fn worst(pose: &ChainPose, targets: &[Target]) -> f64 {
    targets.iter().map(|target| target.miss(pose).norm()).fold(0.0, f64::max)
}

/// Σ w |t − e|² (m²).
pub(super) fn squares(pose: &ChainPose, targets: &[Target]) -> f64 {
    targets.iter().map(|target| target.weight * target.miss(pose).norm2()).sum()
}

/// The sum of the bones (m) from the root to a joint.
fn reach_of(chain: &Chain, joint: usize) -> f64 {
    chain.path(joint).map(|j| chain.lengths()[j]).sum()
}

/// Bends a chain whose joints all lie on one line with its target, so that it can leave the line;
/// whether there was such a chain.
fn bend(chain: &Chain, pose: &mut ChainPose, targets: &[Target], path: &mut Vec<usize>) -> bool {
    let mut any = false;
    for target in targets {
        let root = pose.positions()[0];
        path.clear();
        path.extend(chain.path(target.joint));
        let far = path.iter().map(|&j| pose.positions()[j] - root).chain([target.position - root]);
        let along = far.clone().fold(Vec3::ZERO, |a, b| if b.norm2() > a.norm2() { b } else { a });
        let line = along.unit();
        if far.into_iter().any(|out| line.cross(out).norm() > 1e-6 * along.norm()) {
            continue;
        }
        any = true;
        for &joint in path.iter().skip(1) {
            let axis = match chain.joints()[joint].limits {
                JointLimits::Fixed => continue,
                JointLimits::Hinge { axis, .. } => pose.base(chain, joint).rotate(axis),
                JointLimits::Ball { .. } => {
                    across(if line == Vec3::ZERO { Vec3::AXES[0] } else { line })
                }
            };
            let before = pose.local_rotations()[joint];
            pose.rotate_by(chain, joint, Quat::about(axis, BEND));
            if (pose.local_rotations()[joint] * before.inverse()).angle() < 0.5 * BEND {
                pose.rotate_by(chain, joint, Quat::about(axis, -2.0 * BEND));
            }
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_over_places_are_sweeps_of_turns() {
        let chain = Chain::straight(&[0.5, 0.8, 0.3, 0.6], JointLimits::FREE).unwrap();
        let target = Target::new(4, Vec3::new(0.4, -0.9, 0.7));
        for info in &SOLVERS {
            let Some(sweep_line) = info.sweep_line else { continue };
            let mut solver = Solver::new(info.name, Settings::default()).unwrap();
            solver.work.below.fit(&chain, &[target]);
            solver.work.free = true;
            let [mut pose, mut other] = [chain.rest(), chain.rest()];
            pose.rotate_by(&chain, 1, Quat::about(Vec3::new(0.3, 1.0, 0.2), 0.4));
            other.copy_from(&pose);
            solver.line.take(&chain, &other, 4);
            for sweep in 0..6 {
                (info.sweep)(&chain, &mut pose, &[target], &mut solver.work);
                sweep_line(&mut solver.line, target.position);
                solver.line.put(&chain, &mut other);
                for j in 0..chain.len() {
                    let apart = (pose.positions()[j] - other.positions()[j]).norm();
                    assert!(apart < 1e-13, "{}, sweep {sweep}, joint {j}: {apart}", info.name);
                }
                assert!(pose.apart(&other) < 1e-7, "{}", info.name);
            }
        }
    }
}
