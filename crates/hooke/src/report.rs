//! The report: what one step was worth.

pub use crate::compute::Strain;

use crate::chains::{self, Followed};
use crate::math::Vec3;
use std::ops::{AddAssign, Mul};

/// The largest number of a report: a thousand million of them can still be added.
const LARGEST: f64 = 1e290;

/// What one step was worth. Every number in it is finite. Everything but [`StepReport::seconds`] is the same for the same scene
/// on any number of threads.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// The step that ended.
    pub step: u64,
    /// Its time (s).
    pub time: f64,
    /// Into how many parts the step was cut.
    pub substeps: u32,
    /// Which method was chosen and why, in one sentence, where a method chooses.
    pub chosen: Option<&'static str>,
    /// What the solve reached, for methods that solve.
    pub solve: Option<Solve>,
    /// ‖∇g‖ (N) before each iteration of the last solve.
    pub residuals: Vec<f64>,
    /// Which method went on with a solve of the step where the first one stalled.
    pub fallback: Option<&'static str>,
    /// How many times too far surfaces move past each other for their contact to be found, where they do.
    pub(crate) too_fast: Option<f64>,
    /// How many solves of the step stopped so early that the step was shortened to add no energy.
    pub shortened: u32,
    /// Energies at the end of the step.
    pub energy: Energies,
    /// Work done during the step.
    pub work: Work,
    /// Change of the total energy that no work explains (J): numerical damping when negative.
    pub numerical: f64,
    /// Linear momentum (kg·m/s).
    pub momentum: Vec3,
    /// Angular momentum about the origin (kg·m²/s).
    pub angular_momentum: Vec3,
    /// The element stretched or compressed most.
    pub strain: Option<Strain>,
    /// How many elements are turned inside out.
    pub inverted: usize,
    /// What was taken from the start of the step, where forces are evaluated later.
    pub lagged: Vec<&'static str>,
    /// The force (N) that holds each pin.
    pub reactions: Vec<Vec3>,
    /// What became of the constraints, for methods that solve for their forces.
    pub constraints: Constraints,
    /// What the limit of strain did, where there is one.
    pub limit: Option<Limited>,
    /// Contacts with obstacles, where there are any.
    pub contact: Option<Contact>,
    /// What particles and grabs did to rigid bodies in the current substep.
    pub(crate) body_impulses: Vec<BodyImpulse>,
    /// Rigid bodies, where there are any.
    pub rigid_bodies: Option<RigidBodyReport>,
    /// What each chain reached.
    pub chains: Vec<ChainReport>,
    /// Wall times, kept apart from what is repeatable.
    pub seconds: Seconds,
}

/// What particles or grabs did to a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyImpulse {
    pub(crate) body: u32,
    /// Where (m).
    pub(crate) at: Vec3,
    /// The impulse (N·s) on the body.
    pub(crate) impulse: Vec3,
}

/// What a solve reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solve {
    /// Why it ended.
    pub end: End,
    /// Which function was minimized, or which system solved.
    pub objective: &'static str,
    /// Iterations.
    pub iterations: u32,
    /// The objective's value (J) at the end.
    pub g: f64,
    /// ‖∇g‖ over free coordinates (N) at the end.
    pub residual: f64,
    /// ‖M g‖ + ‖∇E‖ at the start of the step (N): what the residual is compared with.
    pub scale: f64,
    /// Whether the Hessian was indefinite in any iteration.
    pub indefinite: bool,
    /// The smallest share of its negative part that was kept (1: all of it).
    pub kept: f64,
    /// Numeric factorizations.
    pub factorizations: u32,
    /// Iterations of the linear solver (1 per direct solve).
    pub linear_iterations: u32,
}

/// Why a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The residual fell below the tolerance.
    Converged,
    /// The residual is as small as rounding lets it be; the tolerance asks for less.
    Rounding,
    /// The iterations were used up.
    Cap,
    /// No step along the direction lowered the objective.
    LineSearch,
    /// The matrix could not be factored.
    Factorization,
}

impl End {
    /// Whether no better answer can be had: converged, or stopped by rounding alone.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Converged | Self::Rounding)
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Rounding => "rounding",
            Self::Cap => "iteration cap",
            Self::LineSearch => "line search",
            Self::Factorization => "factorization",
        })
    }
}

impl Solve {
    /// The residual relative to its scale.
    pub fn relative(&self) -> f64 {
        if self.scale > 0.0 { self.residual / self.scale } else { self.residual }
    }

    /// A solve that could not be set up: the step is not taken.
    pub(crate) fn lost(objective: &'static str) -> Self {
        let nan = f64::NAN;
        Self {
            end: End::Factorization,
            objective,
            iterations: 0,
            g: nan,
            residual: nan,
            scale: nan,
            indefinite: false,
            kept: 1.0,
            factorizations: 0,
            linear_iterations: 0,
        }
    }

    /// Joins the solves of two substeps: counts add up, the worse end stays.
    pub(crate) fn after(self, earlier: Option<Self>) -> Self {
        let Some(earlier) = earlier else { return self };
        let worse = if earlier.relative() > self.relative() { earlier } else { self };
        Self {
            end: match (earlier.end, self.end) {
                (End::Converged, end) => end,
                (End::Rounding, End::Converged) => End::Rounding,
                (End::Rounding, end) => end,
                (end, _) => end,
            },
            iterations: self.iterations + earlier.iterations,
            residual: worse.residual,
            scale: worse.scale,
            indefinite: self.indefinite || earlier.indefinite,
            kept: self.kept.min(earlier.kept),
            factorizations: self.factorizations + earlier.factorizations,
            linear_iterations: self.linear_iterations + earlier.linear_iterations,
            ..self
        }
    }
}

/// What became of the constraints in the last solve of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints {
    /// How many rows were solved for.
    pub rows: usize,
    /// How many of them are rigid.
    pub rigid: usize,
    /// `‖M (v − v_t)/h − f − Jᵀλ‖` over free coordinates (N): how far the motion is from its forces.
    pub imbalance: f64,
    /// The greatest |C| that a rigid row is left with (m).
    pub violation: f64,
    /// Rigid elements that others already fix, one entry for each row: their forces are not unique.
    pub redundant: Vec<ElementOf>,
}

/// An element by its law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementOf {
    /// Its law.
    pub law: &'static str,
    /// Its index within that law.
    pub element: usize,
}

/// Energies (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// ½ Σ m v².
    pub kinetic: f64,
    /// In deformed elements.
    pub elastic: f64,
    /// In height, zero at the origin.
    pub gravitational: f64,
    /// In attractors, attachments and fluids.
    pub field: f64,
}

impl Energies {
    /// Their sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravitational + self.field
    }
}

/// Work done on the particles during a step (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// By dampers and global damping: negative where energy was lost.
    pub damping: f64,
    /// By constant forces, pins and anchors that move.
    pub external: f64,
    /// By obstacles.
    pub contact: f64,
    /// By the limit of strain.
    pub limit: f64,
}

impl Work {
    /// Their sum.
    pub fn total(&self) -> f64 {
        self.damping + self.external + self.contact + self.limit
    }
}

/// What the limit of strain did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limited {
    /// How far outside the limit (in σ) the worst element was before, over all substeps.
    pub before: f64,
    /// How far outside the worst element was left: 0 where sweeps sufficed.
    pub after: f64,
    /// Sweeps, over all substeps.
    pub sweeps: u32,
}

/// What a chain reached in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainReport {
    /// How its solve ended; `None` for a chain that follows nothing.
    pub end: Option<chains::End>,
    /// Sweeps, over all starts.
    pub iterations: u32,
    /// The distance (m) from the goal that its solution misses most.
    pub distance: f64,
    /// How much further (m) the pose is from it, by limits on speed and damping.
    pub lag: f64,
    /// The greatest angular speed of a joint (rad/s).
    pub fastest: f64,
    /// The distance (m) that remained before and after every sweep of the last start.
    pub errors: Vec<f64>,
}

impl ChainReport {
    pub(crate) fn clear(&mut self) {
        let mut errors = std::mem::take(&mut self.errors);
        errors.clear();
        *self = Self { errors, ..Self::default() };
    }

    pub(crate) fn take(&mut self, followed: &Followed, errors: &[f64]) {
        self.end = Some(followed.reach.end);
        self.iterations = followed.reach.iterations;
        self.distance = followed.reach.distance;
        self.lag = followed.lag;
        self.fastest = followed.fastest;
        self.errors.extend_from_slice(errors);
    }
}

/// Contacts of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// How many pairs of a particle and an obstacle touch, the most over all substeps.
    pub pairs: usize,
    /// The deepest a particle was behind a surface (m), before it was set back onto it.
    pub deepest: f64,
    /// How many pairs of features of deformables are within their thickness, the most over all substeps.
    pub surface_pairs: usize,
    /// The least distance (m) of two features of deformables, where any are near each other.
    pub least_distance: Option<f64>,
    /// How far (m) the end of a solve was moved so that nothing intersects.
    pub held_back: f64,
    /// How many edges of deformables go through triangles, where that is tested.
    pub intersections: Option<usize>,
}

impl Contact {
    /// Whether anything touched.
    pub fn any(&self) -> bool {
        self.pairs > 0 || self.surface_pairs > 0
    }
}

/// Rigid bodies in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidBodyReport {
    /// Their kinetic energy (J), also part of the whole.
    pub kinetic: f64,
    /// Their momentum (kg·m/s), also part of the whole.
    pub momentum: Vec3,
    /// Their angular momentum about the origin (kg·m²/s), also part of the whole.
    pub angular_momentum: Vec3,
    /// How many points of contact press, the most over all substeps.
    pub contacts: usize,
    /// The deepest two surfaces overlap (m).
    pub deepest: f64,
    /// How far the worst joint is from holding (m, rad).
    pub joints: f64,
}

/// Wall times of a step (s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// All of it.
    pub total: f64,
    /// The method, all substeps, and what it shares with this report.
    pub method: f64,
    /// Within the method: assembling matrices.
    pub assembly: f64,
    /// Within the method: factoring them, or preparing preconditioners.
    pub factorization: f64,
    /// Within the method: solving with them.
    pub solution: f64,
    /// The limit of strain.
    pub limit: f64,
    /// Rigid bodies.
    pub rigid_bodies: f64,
    /// Contacts: looking for them, and what is done outside of a solve.
    pub contact: f64,
    /// Chains.
    pub chains: f64,
    /// Energies, momenta and work for this report.
    pub measure: f64,
}

/// Sums of several steps, and their means: every field, so that a new one is never left out.
macro_rules! sum_fields {
    ($sum:ident { $($field:ident),* }) => {
        impl AddAssign for $sum {
            fn add_assign(&mut self, other: Self) {
                let Self { $($field),* } = other;
                $(self.$field += $field;)*
            }
        }

        impl Mul<f64> for $sum {
            type Output = Self;

            fn mul(self, factor: f64) -> Self {
                let Self { $($field),* } = self;
                Self { $($field: $field * factor),* }
            }
        }
    };
}

sum_fields!(Energies { kinetic, elastic, gravitational, field });
sum_fields!(Work { damping, external, contact, limit });
sum_fields!(Seconds {
    total,
    method,
    assembly,
    factorization,
    solution,
    limit,
    rigid_bodies,
    contact,
    chains,
    measure
});

impl Limited {
    /// What two steps, or two substeps, were worth together: the worst of both, and all sweeps.
    pub fn join(self, other: Self) -> Self {
        Self {
            before: self.before.max(other.before),
            after: self.after.max(other.after),
            sweeps: self.sweeps + other.sweeps,
        }
    }
}

impl Contact {
    /// What two steps were worth together: the most pairs, the deepest, and the nearest.
    pub fn join(self, other: Self) -> Self {
        let distances = self.least_distance.into_iter().chain(other.least_distance);
        Self {
            pairs: self.pairs.max(other.pairs),
            deepest: self.deepest.max(other.deepest),
            surface_pairs: self.surface_pairs.max(other.surface_pairs),
            least_distance: distances.reduce(f64::min),
            held_back: self.held_back.max(other.held_back),
            intersections: self.intersections.max(other.intersections),
        }
    }
}

impl Constraints {
    /// Empties it; buffers stay.
    pub(crate) fn clear(&mut self) {
        let mut redundant = std::mem::take(&mut self.redundant);
        redundant.clear();
        *self = Self { redundant, ..Self::default() };
    }
}

impl StepReport {
    /// Empties the report for a new step; buffers stay.
    pub(crate) fn clear(&mut self) {
        self.chosen = None;
        self.solve = None;
        self.residuals.clear();
        self.fallback = None;
        self.shortened = 0;
        self.work = Work::default();
        self.lagged.clear();
        self.constraints.clear();
        self.limit = None;
        self.contact = None;
        self.rigid_bodies = None;
        self.body_impulses.clear();
        self.chains.iter_mut().for_each(ChainReport::clear);
        self.seconds = Seconds::default();
        self.reactions.fill(Vec3::ZERO);
    }

    /// Notes what was lagged, once.
    pub(crate) fn lag(&mut self, what: &'static str) {
        if !what.is_empty() && !self.lagged.contains(&what) {
            self.lagged.push(what);
        }
    }

    /// The first quantity of the report that is not finite, or so large that sums over a run would not
    /// be.
    pub(crate) fn first_not_finite(&self) -> Option<&'static str> {
        let fine = |value: f64| value.abs() <= LARGEST;
        let all = |values: &[f64]| values.iter().all(|value| fine(*value));
        let points = |points: &[Vec3]| points.iter().all(|point| all(&point.to_array()));
        let Energies { kinetic, elastic, gravitational, field } = self.energy;
        let Work { damping, external, contact, limit } = self.work;
        let solved = self.solve.is_none_or(|solve| {
            all(&[solve.g, solve.residual, solve.scale, solve.relative(), solve.kept])
        });
        let touched = self.contact.is_none_or(|contact| fine(contact.deepest));
        let limited = self.limit.is_none_or(|limit| all(&[limit.before, limit.after]));
        let pushed = self.rigid_bodies.is_none_or(|rigid_bodies| {
            all(&[rigid_bodies.kinetic, rigid_bodies.deepest, rigid_bodies.joints])
                && points(&[rigid_bodies.momentum, rigid_bodies.angular_momentum])
        });
        let followed = |chain: &ChainReport| {
            all(&[chain.distance, chain.lag, chain.fastest]) && all(&chain.errors)
        };
        let checks = [
            ("time", self.time.is_finite()),
            ("residual", solved && all(&self.residuals)),
            ("constraint", all(&[self.constraints.imbalance, self.constraints.violation])),
            ("energy", all(&[kinetic, elastic, gravitational, field, self.numerical])),
            ("work", all(&[damping, external, contact, limit])),
            ("momentum", points(&[self.momentum, self.angular_momentum])),
            ("strain", self.strain.is_none_or(|strain| fine(strain.value)) && limited),
            ("force on a pin", points(&self.reactions)),
            ("contact", touched),
            ("motion of a body", pushed),
            ("reach of a chain", self.chains.iter().all(followed)),
        ];
        checks.into_iter().find(|(_, fine)| !fine).map(|(quantity, _)| quantity)
    }

    /// Keeps what a substep solved.
    pub(crate) fn solved(&mut self, solve: Solve) {
        self.solve = Some(solve.after(self.solve));
    }
}
