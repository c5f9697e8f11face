//! The probe: a scene evaluated at a moment, every number with 17 digits, so that any single step
//! of any method can be checked from outside.

use crate::json::{point, points};
use crate::{NotRunnable, Problems, Scene};
use hooke::compute::{At, RowView};
use hooke::contact::bounce;
use hooke::dampers::Frozen;
use hooke::laws::{self, Law};
use hooke::linalg::Matrix;
use hooke::math::Mat3;
use hooke::math::Quat;
use hooke::model::Response;
use hooke::model::{AnchorId, ElementId};
use hooke::rigid::RigidBodyState;
use hooke::{ChainReport, Kernels, Model, Simulation, StepError, StepReport, ThreadPool, Vec3};
use serde_json::Value;
use std::collections::HashMap;

/// What a probe can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Kinetic, elastic, gravitational and field energy (J).
    Energy,
    /// Forces on every particle (N), in all and by kind.
    Forces,
    /// ∇E of all elements (N).
    Gradient,
    /// ∇²E of all elements (N/m).
    Hessian,
    /// Every element as constraints: value, gradient, compliance; after steps of a method with multipliers, the
    /// multiplier.
    Constraint,
    /// Every particle inside an obstacle: distance, direction out, velocity before and after.
    Contact,
}

/// A Hessian of at most so many rows is written as a full matrix, a larger one as its entries.
const DENSE: usize = 60;

/// A simulation that can be asked what it consists of.
pub struct Probe {
    simulation: Simulation,
    placed: HashMap<(usize, usize), u32>,
    stepped: bool,
    warnings: Problems,
}

impl Probe {
    /// A scene at its start.
    pub fn new(scene: &Scene) -> Result<Self, NotRunnable> {
        let mut compiled = scene.compile()?;
        let warnings = std::mem::take(&mut compiled.warnings);
        let key = |(ElementId { batch, index }, location): &(ElementId, AnchorId)| {
            ((*batch, *index), location.index() as u32)
        };
        let placed = compiled.placed.iter().map(key).collect();
        let simulation = scene.simulation_of(compiled, 1)?;
        Ok(Self { simulation, placed, stepped: false, warnings })
    }

    /// Computes with these kernels.
    pub fn set_kernels(&mut self, kernels: Kernels) {
        self.simulation.set_kernels(kernels);
    }

    /// What of the scene may not be as meant.
    pub fn warnings(&self) -> &Problems {
        &self.warnings
    }

    /// Takes a step.
    pub fn step(&mut self) -> Result<(), StepError> {
        self.stepped = true;
        self.simulation.step().map(|_| ())
    }

    /// What was asked; after steps also the state and the last step's report.
    pub fn tell(&self, what: &[What]) -> Value {
        let state = self.simulation.state();
        let mut out = vec![
            ("step", Value::from(state.step)),
            ("time", Value::from(state.time)),
            ("particles", Value::from(state.positions.len() as u64)),
        ];
        if !self.stepped {
            out.push(("inverted", Value::from(self.simulation.report().inverted as u64)));
        } else {
            out.push(("positions", points(&state.positions)));
            out.push(("velocities", points(&state.velocities)));
            if !state.rigid_bodies.is_empty() {
                out.push(("bodies", Value::from_iter(state.rigid_bodies.iter().map(body))));
            }
            if !state.joints.is_empty() {
                out.push(("joints", Value::from_iter(state.joints.iter().copied().map(rotate))));
            }
            out.push(("report", report(self.simulation.report())));
        }
        for what in what {
            let (name, value) = match what {
                What::Energy => ("energy", energy(self.simulation.report())),
                What::Forces => ("forces", self.forces()),
                What::Gradient => ("gradient", points(&self.gradient())),
                What::Hessian => ("hessian", self.hessian()),
                What::Constraint => ("constraint", self.constraints()),
                What::Contact => ("contact", self.contacts()),
            };
            out.push((name, value));
        }
        Value::from_iter(out)
    }

    /// Positions of the anchors now.
    fn anchors(&self) -> Vec<Vec3> {
        let time = self.simulation.state().time;
        self.simulation.model().anchors().iter().map(|motion| motion.at(time)).collect()
    }

    /// Particles inside obstacles, and what the obstacle would do to their velocity.
    fn contacts(&self) -> Value {
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let h = self.simulation.step_length();
        let mut out = Vec::new();
        for (number, obstacle) in model.obstacles().iter().enumerate() {
            for (i, (&x, &v)) in state.positions.iter().zip(&state.velocities).enumerate() {
                let (distance, normal) = obstacle.distance(x, state.time);
                if distance >= 0.0 {
                    continue;
                }
                let own = obstacle.velocity(x, state.time, h);
                let after = match obstacle.response {
                    Response::PushOut => v + normal * (-distance / h),
                    Response::Bounce { restitution, friction } => {
                        own + bounce(v - own, normal, restitution, friction)
                    }
                };
                out.push(Value::from_iter([
                    ("obstacle", Value::from(number as u64)),
                    ("particle", Value::from(i as u64)),
                    ("distance", Value::from(distance)),
                    ("normal", point(normal)),
                    ("velocity", point(v)),
                    ("velocity_after", point(after)),
                ]));
            }
        }
        Value::Array(out)
    }

    /// Forces by kind, and their sum; that of a pin is not among them.
    fn forces(&self) -> Value {
        let elements: Vec<Vec3> = self.gradient().into_iter().map(|value| -value).collect();
        let damping = self.damping();
        let model = self.simulation.model();
        let gravity: Vec<Vec3> = model.masses().iter().map(|m| model.gravity() * *m).collect();
        let constant: Vec<Vec3> = (0..model.particles()).map(|i| model.force(i)).collect();
        let total: Vec<Vec3> = (0..model.particles())
            .map(|i| elements[i] + damping[i] + gravity[i] + constant[i])
            .collect();
        Value::from_iter([
            ("total", points(&total)),
            ("elements", points(&elements)),
            ("damping", points(&damping)),
            ("gravity", points(&gravity)),
            ("constant", points(&constant)),
        ])
    }

    /// ∇E, element by element through each law's own gradient.
    fn gradient(&self) -> Vec<Vec3> {
        let anchors = self.anchors();
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let mut out = vec![Vec3::ZERO; model.particles()];
        for (batch, elements) in model.elements().iter().enumerate() {
            let law = elements.law();
            for index in 0..elements.len() {
                let view = elements.view(index);
                let x: Vec<Vec3> =
                    view.corners.iter().map(|corner| state.positions[*corner as usize]).collect();
                let mut rest = view.rest;
                if let Some(location) = self.placed.get(&(batch, index)) {
                    rest[..3].copy_from_slice(&anchors[*location as usize].to_array());
                }
                // A law of any number of corners is a sum of squares: its rows say all.
                let pull = if law.more_corners {
                    let at = At { x: &state.positions, anchors: &anchors };
                    pull_of_rows(&elements.rows(index, at), elements.corners(index).len())
                } else {
                    element_gradient(law.name, &x, &rest, &view.material)
                };
                for (&corner, pull) in elements.corners(index).iter().zip(pull) {
                    out[corner as usize] += pull;
                }
            }
        }
        out
    }

    /// The forces of all dampers at the state's velocities.
    fn damping(&self) -> Vec<Vec3> {
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let pool = ThreadPool::new(1);
        let mut out = vec![Vec3::ZERO; model.particles()];
        let (wind, time) = (model.air(), state.time);
        let air = |x: Vec3| wind.velocity(wind.mean.at(time), x, time);
        for batch in model.dampers() {
            let mut frozen = vec![Frozen::NONE; batch.len()];
            batch.freeze(&state.positions, &state.velocities, &air, &mut frozen, &pool);
            for damper in &frozen {
                let pull = damper.gradient(|i| state.velocities[i], 1.0);
                for (&corner, pull) in damper.corners().iter().zip(pull) {
                    out[corner as usize] -= pull;
                }
            }
        }
        out
    }

    /// ∇²E, in full where small, else by entries.
    fn hessian(&self) -> Value {
        let anchors = self.anchors();
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let mut matrix = Matrix::<Mat3>::new(model.pattern());
        for batch in model.elements() {
            let mut slots = Vec::new();
            batch.slots(&matrix, &mut slots);
            let at = At { x: &state.positions, anchors: &anchors };
            batch.hessian(at, 1.0, &slots, &mut matrix);
        }
        let size = 3 * model.particles();
        let mut entries = Vec::new();
        for i in 0..model.particles() {
            for slot in matrix.pattern().row(i) {
                let j = matrix.pattern().columns()[slot] as usize;
                for (a, row) in matrix.values()[slot].0.iter().enumerate() {
                    for (b, &value) in row.iter().enumerate() {
                        entries.push((3 * i + a, 3 * j + b, value));
                    }
                }
            }
        }
        let at = At { x: &state.positions, anchors: &anchors };
        let dense_parts = dense_parts(model, at);
        let shape = ("size", Value::from(size as u64));
        if size <= DENSE {
            let mut dense = vec![vec![0.0; size]; size];
            for (row, column, value) in entries {
                dense[row][column] = value;
            }
            for (c, g) in &dense_parts {
                for &(row, a) in g {
                    for &(column, b) in g {
                        dense[row][column] += c * a * b;
                    }
                }
            }
            let rows = Value::from_iter(dense.into_iter().map(Value::from_iter));
            return Value::from_iter([shape, ("rows", rows)]);
        }
        entries.retain(|(_, _, value)| *value != 0.0);
        entries.sort_unstable_by_key(|(row, column, _)| (*row, *column));
        let entry = |(row, column, value): (usize, usize, f64)| {
            Value::from_iter([
                Value::from(row as u64),
                Value::from(column as u64),
                Value::from(value),
            ])
        };
        let entries = ("entries", Value::from_iter(entries.into_iter().map(entry)));
        if dense_parts.is_empty() {
            return Value::from_iter([shape, entries]);
        }
        let part = |(c, g): (f64, Vec<(usize, f64)>)| {
            let location =
                |(row, value)| Value::from_iter([Value::from(row as u64), Value::from(value)]);
            let vector = Value::from_iter(g.into_iter().map(location));
            Value::from_iter([("coefficient", Value::from(c)), ("vector", vector)])
        };
        let plus = ("rank_one_parts", Value::from_iter(dense_parts.into_iter().map(part)));
        Value::from_iter([shape, entries, plus])
    }

    /// The rows of every element.
    fn constraints(&self) -> Value {
        let anchors = self.anchors();
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let at = At { x: &state.positions, anchors: &anchors };
        let mut multipliers = HashMap::new();
        self.simulation.multipliers(|ElementId { batch, index }, own| {
            multipliers
                .extend(own.iter().enumerate().map(|(row, &own)| ((batch, index, row), own)));
        });
        let mut out = Vec::new();
        for (number, batch) in model.elements().iter().enumerate() {
            for element in 0..batch.len() {
                let rows = batch.rows(element, at).into_iter().enumerate();
                for (row, (value, gradient, compliance)) in rows {
                    let corners = batch.corners(element).iter().map(|c| Value::from(u64::from(*c)));
                    let mut fields = vec![
                        ("law", Value::from(batch.law().name)),
                        ("element", Value::from(element as u64)),
                        ("corners", Value::from_iter(corners)),
                        ("value", Value::from(value)),
                        ("gradient", points(&gradient)),
                        ("compliance", Value::from(compliance)),
                    ];
                    let multiplier = multipliers.get(&(number, element, row));
                    fields.extend(multiplier.map(|&own| ("multiplier", Value::from(own))));
                    out.push(Value::from_iter(fields));
                }
            }
        }
        Value::Array(out)
    }
}

/// A rotation: w, x, y, z.
fn rotate(Quat { w, v }: Quat) -> Value {
    Value::from_iter([w, v.x, v.y, v.z])
}

/// What a chain reached.
fn chain(report: &ChainReport) -> Value {
    Value::from_iter([
        ("end", report.end.map_or(Value::Null, |end| Value::from(end.name()))),
        ("iterations", Value::from(u64::from(report.iterations))),
        ("distance", Value::from(report.distance)),
        ("lag", Value::from(report.lag)),
        ("fastest", Value::from(report.fastest)),
        ("errors", Value::from_iter(report.errors.iter().copied())),
    ])
}

/// Where a rigid body is and how it moves.
fn body(moving: &RigidBodyState) -> Value {
    Value::from_iter([
        ("position", point(moving.pose.position)),
        ("rotation", rotate(moving.pose.rotation)),
        ("velocity", point(moving.twist.linear)),
        ("spin", point(moving.twist.angular)),
    ])
}

/// The parts `c g gᵀ` of ∇²E that are dense: c, and g by rows.
fn dense_parts(model: &Model, at: At<'_>) -> Vec<(f64, Vec<(usize, f64)>)> {
    let mut parts = Vec::new();
    let pool = ThreadPool::new(1);
    for batch in model.elements() {
        for element in 0..batch.rank_ones() {
            let corners = batch.corners(element);
            let mut g = vec![Vec3::ZERO; corners.len()];
            let c = batch.rank_one(element, at, &mut g, &pool);
            let rows = corners.iter().flat_map(|&i| (0..3).map(move |axis| 3 * i as usize + axis));
            let values = g.into_iter().flat_map(Vec3::to_array);
            parts.push((c, rows.zip(values).collect()));
        }
    }
    parts
}

/// `Σ C ∂C/∂x / compliance` over the rows of one element.
fn pull_of_rows(rows: &[RowView], corners: usize) -> Vec<Vec3> {
    let mut pull = vec![Vec3::ZERO; corners];
    for (value, gradient, compliance) in rows {
        for (pull, slope) in pull.iter_mut().zip(gradient) {
            *pull += *slope * (value / compliance);
        }
    }
    pull
}

/// ∂E/∂x of one element of a named law.
fn element_gradient(law: &str, x: &[Vec3], rest: &[f64], material: &[f64]) -> Vec<Vec3> {
    macro_rules! dispatch {
        ($($law:ident<$n:literal, $r:literal, $p:literal>,)*) => {
            match law {
                $(name if name == laws::$law::NAME => {
                    match (<[_; $n]>::try_from(x), <[_; $r]>::try_from(rest), <[_; $p]>::try_from(material)) {
                        (Ok(x), Ok(rest), Ok(material)) => {
                            laws::$law::gradient::<f64>(x, rest, material).to_vec()
                        }
                        _ => Vec::new(),
                    }
                })*
                _ => Vec::new(),
            }
        };
    }
    hooke::each_law!(dispatch)
}

fn energy(report: &StepReport) -> Value {
    let energy = &report.energy;
    Value::from_iter([
        ("kinetic", Value::from(energy.kinetic)),
        ("elastic", Value::from(energy.elastic)),
        ("gravitational", Value::from(energy.gravitational)),
        ("field", Value::from(energy.field)),
        ("total", Value::from(energy.total())),
    ])
}

/// A step's report as data; wall time is left out, so that the same step gives the same text.
pub(crate) fn report(report: &StepReport) -> Value {
    let optional = |value: Option<Value>| value.unwrap_or(Value::Null);
    Value::from_iter([
        ("substeps", Value::from(u64::from(report.substeps))),
        (
            "solve",
            optional(report.solve.as_ref().map(|solve| {
                Value::from_iter([
                    ("end", Value::from(solve.end.to_string())),
                    ("objective", Value::from(solve.objective)),
                    ("iterations", Value::from(u64::from(solve.iterations))),
                    ("g", Value::from(solve.g)),
                    ("residual", Value::from(solve.residual)),
                    ("scale", Value::from(solve.scale)),
                    ("relative", Value::from(solve.relative())),
                    ("indefinite", Value::Bool(solve.indefinite)),
                    ("kept", Value::from(solve.kept)),
                    ("factorizations", Value::from(u64::from(solve.factorizations))),
                    ("linear_iterations", Value::from(u64::from(solve.linear_iterations))),
                ])
            })),
        ),
        ("residuals", Value::from_iter(report.residuals.iter().copied())),
        ("energy", energy(report)),
        (
            "work",
            Value::from_iter([
                ("damping", Value::from(report.work.damping)),
                ("external", Value::from(report.work.external)),
                ("contact", Value::from(report.work.contact)),
                ("limit", Value::from(report.work.limit)),
            ]),
        ),
        ("numerical", Value::from(report.numerical)),
        ("momentum", point(report.momentum)),
        ("angular_momentum", point(report.angular_momentum)),
        (
            "strain",
            optional(report.strain.as_ref().map(|strain| {
                Value::from_iter([
                    ("value", Value::from(strain.value)),
                    ("law", Value::from(strain.law)),
                    ("element", Value::from(strain.element as u64)),
                ])
            })),
        ),
        ("inverted", Value::from(report.inverted as u64)),
        ("lagged", Value::from_iter(report.lagged.iter().map(|what| Value::from(*what)))),
        ("reactions", points(&report.reactions)),
        (
            "limit",
            optional(report.limit.as_ref().map(|limit| {
                Value::from_iter([
                    ("before", Value::from(limit.before)),
                    ("after", Value::from(limit.after)),
                    ("sweeps", Value::from(u64::from(limit.sweeps))),
                ])
            })),
        ),
        (
            "contact",
            optional(report.contact.as_ref().map(|contact| {
                Value::from_iter([
                    ("pairs", Value::from(contact.pairs as u64)),
                    ("deepest", Value::from(contact.deepest)),
                ])
            })),
        ),
        ("chains", Value::from_iter(report.chains.iter().map(chain))),
    ])
}
