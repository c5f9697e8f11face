//! The report of a step.

pub use crate::compute::Strain;

use crate::chains::{self, Followed};
use crate::math::Vec3;
use std::ops::{AddAssign, Mul};

/// The largest number in a report: a billion of them can be added without overflow.
const LARGEST: f64 = 1e290;

/// The report of one step. Every number in it is finite. Everything except [`StepReport::seconds`]
/// is the same for the same scene on any number of threads.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// The number of the step.
    pub step: u64,
    /// Its time (s).
    pub time: f64,
    /// The number of substeps.
    pub substeps: u32,
    /// The chosen method and the reason, in one sentence, for methods that choose.
    pub chosen: Option<&'static str>,
    /// The result of the solve, for methods that solve.
    pub solve: Option<Solve>,
    /// ‖∇g‖ (N) before each iteration of the last solve.
    pub residuals: Vec<f64>,
    /// The method that continued a solve of the step after the first one stalled.
    pub fallback: Option<&'static str>,
    /// How many times too far surfaces move past each other for contact detection, if they do.
    pub(crate) too_fast: Option<f64>,
    /// The number of solves that stopped early and were shortened to avoid adding energy.
    pub shortened: u32,
    /// Energies at the end of the step.
    pub energy: Energies,
    /// Work done during the step.
    pub work: Work,
    /// Change of the total energy (J) that is not explained by work: numerical damping if negative.
    pub numerical: f64,
    /// Linear momentum (kg·m/s).
    pub momentum: Vec3,
    /// Angular momentum about the origin (kg·m²/s).
    pub angular_momentum: Vec3,
    /// The element with the largest stretch or compression.
    pub strain: Option<Strain>,
    /// The number of inverted elements.
    pub inverted: usize,
    /// Lagged quantities: those taken from the start of the step although forces are evaluated
    /// later.
    pub lagged: Vec<&'static str>,
    /// The force (N) that holds each pin.
    pub reactions: Vec<Vec3>,
    /// The constraints, for methods that solve for their forces.
    pub constraints: Constraints,
    /// Strain limiting, if enabled.
    pub limit: Option<Limited>,
    /// Contacts, if there are any.
    pub contact: Option<Contact>,
    /// Impulses of particles and grabs on rigid bodies in the current substep.
    pub(crate) body_impulses: Vec<BodyImpulse>,
    /// Rigid bodies, if there are any.
    pub rigid_bodies: Option<RigidBodyReport>,
    /// The result of each chain.
    pub chains: Vec<ChainReport>,
    /// Wall times, separate from reproducible results.
    pub seconds: Seconds,
}

/// An impulse of particles or grabs on a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyImpulse {
    pub(crate) body: u32,
    /// The point of application (m).
    pub(crate) at: Vec3,
    /// The impulse (N·s) on the body.
    pub(crate) impulse: Vec3,
}

/// The result of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solve {
    /// Why it ended.
    pub end: End,
    /// The function that was minimized, or the system that was solved.
    pub objective: &'static str,
    /// Iterations.
    pub iterations: u32,
    /// The objective's value (J) at the end.
    pub g: f64,
    /// ‖∇g‖ over free coordinates (N) at the end.
    pub residual: f64,
    /// ‖M g‖ + ‖∇E‖ at the start of the step (N): the scale of the residual.
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
    /// The residual is at the level of rounding, above the tolerance.
    Rounding,
    /// The maximum number of iterations was reached.
    Cap,
    /// No step along the direction lowered the objective.
    LineSearch,
    /// The matrix could not be factored.
    Factorization,
}

impl End {
    /// Whether the solve cannot be improved: converged, or limited by rounding.
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

    /// A solve that could not be set up; the step is not taken.
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

    /// Combines the solves of two substeps: counts are added, the worse end is kept.
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

/// The constraints in the last solve of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints {
    /// The number of rows.
    pub rows: usize,
    /// The number of rigid rows.
    pub rigid: usize,
    /// `‖M (v − v_t)/h − f − Jᵀλ‖` over free coordinates (N): the residual of the equation of
    /// motion.
    pub imbalance: f64,
    /// The largest remaining |C| of a rigid row (m).
    pub violation: f64,
    /// Redundant rigid elements, one entry per row: their forces are not unique.
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
    /// Elastic energy of the elements.
    pub elastic: f64,
    /// Gravitational energy, zero at the origin.
    pub gravitational: f64,
    /// Energy of attractors, attachments and fluids.
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
    /// By dampers and global damping; negative where energy is lost.
    pub damping: f64,
    /// By constant forces, and by moving pins and anchors.
    pub external: f64,
    /// By obstacles.
    pub contact: f64,
    /// By strain limiting.
    pub limit: f64,
}

impl Work {
    /// Their sum.
    pub fn total(&self) -> f64 {
        self.damping + self.external + self.contact + self.limit
    }
}

/// Strain limiting in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limited {
    /// The largest violation (in σ) before limiting, over all substeps.
    pub before: f64,
    /// The largest violation (in σ) after limiting; 0 if the sweeps sufficed.
    pub after: f64,
    /// Sweeps, over all substeps.
    pub sweeps: u32,
}

/// The result of a chain in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainReport {
    /// How its solve ended; `None` for a chain without goals.
    pub end: Option<chains::End>,
    /// Sweeps, over all starts.
    pub iterations: u32,
    /// The largest distance (m) of the solution from a goal.
    pub distance: f64,
    /// The additional distance (m) of the pose, due to speed limits and damping.
    pub lag: f64,
    /// The largest angular speed of a joint (rad/s).
    pub fastest: f64,
    /// The remaining distance (m) before and after every sweep of the last start.
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
    /// The largest number of touching pairs of a particle and an obstacle in a substep.
    pub pairs: usize,
    /// The largest depth (m) of a particle behind a surface, before it was moved out.
    pub deepest: f64,
    /// The largest number of pairs of features of deformables within their thickness in a substep.
    pub surface_pairs: usize,
    /// The smallest distance (m) between two features of deformables, if any are close.
    pub least_distance: Option<f64>,
    /// The distance (m) by which the end of a solve was moved so that nothing intersects.
    pub held_back: f64,
    /// The number of edges of deformables that intersect triangles, if tested.
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
    /// Their kinetic energy (J), included in the total.
    pub kinetic: f64,
    /// Their momentum (kg·m/s), included in the total.
    pub momentum: Vec3,
    /// Their angular momentum about the origin (kg·m²/s), included in the total.
    pub angular_momentum: Vec3,
    /// The largest number of contact points with a force in a substep.
    pub contacts: usize,
    /// The largest penetration of two surfaces (m).
    pub deepest: f64,
    /// The largest joint error (m, rad).
    pub joints: f64,
}

/// Wall times of a step (s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// The whole step.
    pub total: f64,
    /// The method over all substeps, including work shared with this report.
    pub method: f64,
    /// Within the method: assembling matrices.
    pub assembly: f64,
    /// Within the method: factoring them, or preparing preconditioners.
    pub factorization: f64,
    /// Within the method: solving with them.
    pub solution: f64,
    /// Strain limiting.
    pub limit: f64,
    /// Rigid bodies.
    pub rigid_bodies: f64,
    /// Contacts: detection, and work outside of a solve.
    pub contact: f64,
    /// Chains.
    pub chains: f64,
    /// Energies, momenta and work for this report.
    pub measure: f64,
}

/// Sums and means over steps, for every field, so that no new field is forgotten.
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
    /// Combines two steps or substeps: the worse of both, and the sum of sweeps.
    pub fn join(self, other: Self) -> Self {
        Self {
            before: self.before.max(other.before),
            after: self.after.max(other.after),
            sweeps: self.sweeps + other.sweeps,
        }
    }
}

impl Contact {
    /// Combines two steps: the maximum of counts and depths, and the minimum of distances.
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
    /// Clears it; buffers are kept.
    pub(crate) fn clear(&mut self) {
        let mut redundant = std::mem::take(&mut self.redundant);
        redundant.clear();
        *self = Self { redundant, ..Self::default() };
    }
}

impl StepReport {
    /// Clears the report for a new step; buffers are kept.
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

    /// Records a lagged quantity, once.
    pub(crate) fn lag(&mut self, what: &'static str) {
        if !what.is_empty() && !self.lagged.contains(&what) {
            self.lagged.push(what);
        }
    }

    /// The first quantity of the report that is not finite, or so large that sums over a run would
    /// overflow.
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

    /// Records the solve of a substep.
    pub(crate) fn solved(&mut self, solve: Solve) {
        self.solve = Some(solve.after(self.solve));
    }
}
