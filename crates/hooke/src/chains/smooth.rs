//! Following targets from frame to frame without jumps.
//!
//! Each solve starts where the last ended. A limit on the speed of joints, and a lag like that of a first
//! order filter, keep a pose from jumping where the solution does; what that costs at the end is told.
//! Of several starts the solution nearest to the last pose is kept.

use super::{Chain, ChainPose, End, IkResult, Solver, Target};
use crate::error::ModelError;
use crate::math::Quat;
use crate::settings::settings;

settings! {
    /// How a chain follows its targets.
    pub struct Smoothing {
        /// The greatest angular speed of a joint; 0 is no limit.
        speed: f64 = 0.0, "rad/s", [0.0, 1e6];
        /// The time in which a pose goes 1 − 1/e of the way to its solution; 0 is at once.
        lag: f64 = 0.0, "s", [0.0, 1e6];
        /// From how many poses solutions are looked for: the last, the rest, and others within limits.
        starts: u32 = 1, "", [1.0, 1000.0];
        /// Picks the others.
        seed: u32 = 0, "", [0.0, 4294967295.0];
    }
}

/// What a frame reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Followed {
    /// The solve that was kept; its iterations are those of all starts.
    pub reach: IkResult,
    /// The distance (m) from the worst target that the pose shown has beyond that of its solution.
    pub lag: f64,
    /// The greatest angular speed of a joint (rad/s).
    pub fastest: f64,
}

/// A chain that follows targets.
pub struct Follower {
    /// Who solves.
    pub solver: Solver,
    /// How it follows.
    pub smoothing: Smoothing,
    wanted: Option<[ChainPose; 2]>,
}

impl Follower {
    /// With a solver.
    pub fn new(solver: Solver, smoothing: Smoothing) -> Self {
        Self { solver, smoothing, wanted: None }
    }

    /// Moves `pose` on by `h` (s) toward its targets.
    pub fn step(
        &mut self,
        chain: &Chain,
        pose: &mut ChainPose,
        targets: &[Target],
        h: f64,
    ) -> Result<Followed, ModelError> {
        let fits =
            self.wanted.as_ref().is_some_and(|[a, _]| a.local_rotations().len() == chain.len());
        let [mut best, mut other] = match self.wanted.take() {
            Some(wanted) if fits => wanted,
            _ => [chain.rest(), chain.rest()],
        };
        let mut kept: Option<(IkResult, f64)> = None;
        let mut iterations = 0;
        for start in 0..self.smoothing.starts.max(1) {
            self.begin(chain, start, targets, pose, &mut other);
            let reach = self.solver.solve(chain, &mut other, targets)?;
            iterations += reach.iterations;
            let away = other.apart(pose);
            let better = kept.is_none_or(|(known, apart)| match (reach.end, known.end) {
                (End::Converged, End::Converged) => away < apart,
                (End::Converged, _) => true,
                (_, End::Converged) => false,
                _ => reach.distance < known.distance,
            });
            if better {
                kept = Some((reach, away));
                std::mem::swap(&mut best, &mut other);
            }
        }
        let (reach, _) = kept
            .unwrap_or((IkResult { end: End::Cap, iterations: 0, distance: f64::INFINITY }, 0.0));
        let fastest = self.approach(chain, pose, &best, h);
        let distance =
            |pose: &ChainPose| targets.iter().map(|t| t.miss(pose).norm()).fold(0.0, f64::max);
        let lag = (distance(pose) - reach.distance).max(0.0);
        self.wanted = Some([best, other]);
        Ok(Followed { reach: IkResult { iterations, ..reach }, lag, fastest })
    }

    /// The pose from which a start looks.
    fn begin(
        &self,
        chain: &Chain,
        start: u32,
        targets: &[Target],
        last: &ChainPose,
        pose: &mut ChainPose,
    ) {
        pose.copy_from(last);
        match start {
            0 => {}
            1 => {
                for joint in targets.iter().flat_map(|target| chain.path(target.joint).skip(1)) {
                    pose.rotate_to(chain, joint, Quat::IDENTITY);
                }
                pose.update_forward(chain, 0);
            }
            _ => {
                let key = (u64::from(self.smoothing.seed) << 32) ^ u64::from(start);
                pose.scatter(chain, targets, key);
            }
        }
    }

    /// Goes as far toward `wanted` as the frame allows; the greatest angular speed (rad/s).
    fn approach(&self, chain: &Chain, pose: &mut ChainPose, wanted: &ChainPose, h: f64) -> f64 {
        let Smoothing { speed, lag, .. } = self.smoothing;
        let part = if lag > 0.0 { 1.0 - libm::exp(-h / lag) } else { 1.0 };
        let most = if speed > 0.0 { speed * h } else { f64::INFINITY };
        let mut fastest = 0.0_f64;
        for joint in 0..chain.len() {
            let (now, then) = (pose.local_rotations()[joint], wanted.local_rotations()[joint]);
            let angle = (then * now.inverse()).angle();
            let by = (part * angle).min(most);
            let rotation = if by >= angle { then } else { now.toward(then, by / angle) };
            pose.rotate_to(chain, joint, rotation);
            fastest = fastest.max((pose.local_rotations()[joint] * now.inverse()).angle());
        }
        pose.update_forward(chain, 0);
        if h > 0.0 { fastest / h } else { 0.0 }
    }
}
