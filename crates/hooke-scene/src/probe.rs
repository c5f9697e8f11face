//! The probe: a scene evaluated at a moment, every number with 17 digits, so that any single step
//! of any method can be checked from outside.

use crate::json::Json;
use crate::{NotRunnable, Problems, Scene};
use hooke::bodies::Moving;
use hooke::contact::bounce;
use hooke::dampers::Frozen;
use hooke::laws::{self, Law};
use hooke::linalg::Matrix;
use hooke::math::Mat3;
use hooke::math::Quat;
use hooke::model::Response;
use hooke::model::{At, ElementId, RowView};
use hooke::{ChainReport, Kernels, Model, Point, Simulation, StepError, StepReport, Team};
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
        let key =
            |(ElementId { batch, index }, place): &(ElementId, u32)| ((*batch, *index), *place);
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
    pub fn tell(&self, what: &[What]) -> Json {
        let state = self.simulation.state();
        let mut out = vec![
            ("step", Json::count(state.step)),
            ("time", Json::Number(state.time)),
            ("particles", Json::count(state.positions.len() as u64)),
        ];
        if !self.stepped {
            out.push(("inverted", Json::count(self.simulation.report().inverted as u64)));
        } else {
            out.push(("positions", Json::points(&state.positions)));
            out.push(("velocities", Json::points(&state.velocities)));
            if !state.bodies.is_empty() {
                out.push(("bodies", Json::list(state.bodies.iter().map(body))));
            }
            if !state.joints.is_empty() {
                out.push(("joints", Json::list(state.joints.iter().copied().map(turn))));
            }
            out.push(("report", report(self.simulation.report())));
        }
        for what in what {
            let (name, value) = match what {
                What::Energy => ("energy", energy(self.simulation.report())),
                What::Forces => ("forces", self.forces()),
                What::Gradient => ("gradient", Json::points(&self.gradient())),
                What::Hessian => ("hessian", self.hessian()),
                What::Constraint => ("constraint", self.constraints()),
                What::Contact => ("contact", self.contacts()),
            };
            out.push((name, value));
        }
        Json::object(out)
    }

    /// Where the places are now.
    fn places(&self) -> Vec<Point> {
        let time = self.simulation.state().time;
        self.simulation.model().places().iter().map(|motion| motion.at(time)).collect()
    }

    /// Particles inside obstacles, and what the obstacle would do to their velocity.
    fn contacts(&self) -> Json {
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
                out.push(Json::object([
                    ("obstacle", Json::count(number as u64)),
                    ("particle", Json::count(i as u64)),
                    ("distance", Json::Number(distance)),
                    ("normal", Json::point(normal)),
                    ("velocity", Json::point(v)),
                    ("velocity_after", Json::point(after)),
                ]));
            }
        }
        Json::List(out)
    }

    /// Forces by kind, and their sum; that of a pin is not among them.
    fn forces(&self) -> Json {
        let elements: Vec<Point> = self.gradient().into_iter().map(|value| -value).collect();
        let damping = self.damping();
        let model = self.simulation.model();
        let gravity: Vec<Point> = model.masses().iter().map(|m| model.gravity() * *m).collect();
        let constant: Vec<Point> = (0..model.particles()).map(|i| model.force(i)).collect();
        let total: Vec<Point> = (0..model.particles())
            .map(|i| elements[i] + damping[i] + gravity[i] + constant[i])
            .collect();
        Json::object([
            ("total", Json::points(&total)),
            ("elements", Json::points(&elements)),
            ("damping", Json::points(&damping)),
            ("gravity", Json::points(&gravity)),
            ("constant", Json::points(&constant)),
        ])
    }

    /// ∇E, element by element through each law's own gradient.
    fn gradient(&self) -> Vec<Point> {
        let places = self.places();
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let mut out = vec![Point::ZERO; model.particles()];
        for (batch, elements) in model.elements().iter().enumerate() {
            let law = elements.law();
            for index in 0..elements.len() {
                let view = elements.view(index);
                let x: Vec<Point> =
                    view.corners.iter().map(|corner| state.positions[*corner as usize]).collect();
                let mut rest = view.rest;
                if let Some(place) = self.placed.get(&(batch, index)) {
                    rest[..3].copy_from_slice(&places[*place as usize].to_array());
                }
                // A law of any number of corners is a sum of squares: its rows say all.
                let pull = if law.more_corners {
                    let at = At { x: &state.positions, places: &places };
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
    fn damping(&self) -> Vec<Point> {
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let team = Team::new(1);
        let mut out = vec![Point::ZERO; model.particles()];
        let (wind, time) = (model.air(), state.time);
        let air = |x: Point| wind.velocity(wind.mean.at(time), x, time);
        for batch in model.dampers() {
            let mut frozen = vec![Frozen::NONE; batch.len()];
            batch.freeze(&state.positions, &state.velocities, &air, &mut frozen, &team);
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
    fn hessian(&self) -> Json {
        let places = self.places();
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let mut matrix = Matrix::<Mat3>::new(model.pattern());
        for batch in model.elements() {
            let mut slots = Vec::new();
            batch.slots(&matrix, &mut slots);
            let at = At { x: &state.positions, places: &places };
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
        let at = At { x: &state.positions, places: &places };
        let dense_parts = dense_parts(model, at);
        let shape = ("size", Json::count(size as u64));
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
            let rows = Json::list(dense.into_iter().map(Json::numbers));
            return Json::object([shape, ("rows", rows)]);
        }
        entries.retain(|(_, _, value)| *value != 0.0);
        entries.sort_unstable_by_key(|(row, column, _)| (*row, *column));
        let entry = |(row, column, value): (usize, usize, f64)| {
            Json::list([Json::count(row as u64), Json::count(column as u64), Json::Number(value)])
        };
        let entries = ("entries", Json::list(entries.into_iter().map(entry)));
        if dense_parts.is_empty() {
            return Json::object([shape, entries]);
        }
        let part = |(c, g): (f64, Vec<(usize, f64)>)| {
            let place = |(row, value)| Json::list([Json::count(row as u64), Json::Number(value)]);
            let vector = Json::list(g.into_iter().map(place));
            Json::object([("coefficient", Json::Number(c)), ("vector", vector)])
        };
        let plus = ("rank_one_parts", Json::list(dense_parts.into_iter().map(part)));
        Json::object([shape, entries, plus])
    }

    /// The rows of every element.
    fn constraints(&self) -> Json {
        let places = self.places();
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let at = At { x: &state.positions, places: &places };
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
                    let corners = batch.corners(element).iter().map(|c| Json::count(u64::from(*c)));
                    let mut told = vec![
                        ("law", Json::text(batch.law().name)),
                        ("element", Json::count(element as u64)),
                        ("corners", Json::list(corners)),
                        ("value", Json::Number(value)),
                        ("gradient", Json::points(&gradient)),
                        ("compliance", Json::Number(compliance)),
                    ];
                    let multiplier = multipliers.get(&(number, element, row));
                    told.extend(multiplier.map(|&own| ("multiplier", Json::Number(own))));
                    out.push(Json::object(told));
                }
            }
        }
        Json::List(out)
    }
}

/// A rotation: w, x, y, z.
fn turn(Quat { w, v }: Quat) -> Json {
    Json::numbers([w, v.x, v.y, v.z])
}

/// What a chain reached.
fn chain(told: &ChainReport) -> Json {
    Json::object([
        ("end", told.end.map_or(Json::Null, |end| Json::text(end.name()))),
        ("iterations", Json::count(u64::from(told.iterations))),
        ("distance", Json::Number(told.distance)),
        ("lag", Json::Number(told.lag)),
        ("fastest", Json::Number(told.fastest)),
        ("errors", Json::numbers(told.errors.iter().copied())),
    ])
}

/// Where a rigid body is and how it moves.
fn body(moving: &Moving) -> Json {
    Json::object([
        ("position", Json::point(moving.placement.position)),
        ("turn", turn(moving.placement.turn)),
        ("velocity", Json::point(moving.twist.linear)),
        ("spin", Json::point(moving.twist.angular)),
    ])
}

/// The parts `c g gᵀ` of ∇²E that are dense: c, and g by rows.
fn dense_parts(model: &Model, at: At<'_>) -> Vec<(f64, Vec<(usize, f64)>)> {
    let mut parts = Vec::new();
    let team = Team::new(1);
    for batch in model.elements() {
        for element in 0..batch.rank_ones() {
            let corners = batch.corners(element);
            let mut g = vec![Point::ZERO; corners.len()];
            let c = batch.rank_one(element, at, &mut g, &team);
            let rows = corners.iter().flat_map(|&i| (0..3).map(move |axis| 3 * i as usize + axis));
            let values = g.into_iter().flat_map(Point::to_array);
            parts.push((c, rows.zip(values).collect()));
        }
    }
    parts
}

/// `Σ C ∂C/∂x / compliance` over the rows of one element.
fn pull_of_rows(rows: &[RowView], corners: usize) -> Vec<Point> {
    let mut pull = vec![Point::ZERO; corners];
    for (value, gradient, compliance) in rows {
        for (pull, slope) in pull.iter_mut().zip(gradient) {
            *pull += *slope * (value / compliance);
        }
    }
    pull
}

/// ∂E/∂x of one element of a named law.
fn element_gradient(law: &str, x: &[Point], rest: &[f64], material: &[f64]) -> Vec<Point> {
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

fn energy(report: &StepReport) -> Json {
    let energy = &report.energy;
    Json::object([
        ("kinetic", Json::Number(energy.kinetic)),
        ("elastic", Json::Number(energy.elastic)),
        ("gravitational", Json::Number(energy.gravitational)),
        ("field", Json::Number(energy.field)),
        ("total", Json::Number(energy.total())),
    ])
}

/// A step's report as data; wall time is left out, so that the same step gives the same text.
pub(crate) fn report(report: &StepReport) -> Json {
    let optional = |value: Option<Json>| value.unwrap_or(Json::Null);
    Json::object([
        ("substeps", Json::count(u64::from(report.substeps))),
        (
            "solve",
            optional(report.solve.as_ref().map(|solve| {
                Json::object([
                    ("end", Json::text(solve.end.to_string())),
                    ("objective", Json::text(solve.objective)),
                    ("iterations", Json::count(u64::from(solve.iterations))),
                    ("g", Json::Number(solve.g)),
                    ("residual", Json::Number(solve.residual)),
                    ("scale", Json::Number(solve.scale)),
                    ("relative", Json::Number(solve.relative())),
                    ("indefinite", Json::Flag(solve.indefinite)),
                    ("kept", Json::Number(solve.kept)),
                    ("factorisations", Json::count(u64::from(solve.factorisations))),
                    ("linear_iterations", Json::count(u64::from(solve.linear_iterations))),
                ])
            })),
        ),
        ("residuals", Json::numbers(report.residuals.iter().copied())),
        ("energy", energy(report)),
        (
            "work",
            Json::object([
                ("damping", Json::Number(report.work.damping)),
                ("external", Json::Number(report.work.external)),
                ("contact", Json::Number(report.work.contact)),
                ("limit", Json::Number(report.work.limit)),
            ]),
        ),
        ("numerical", Json::Number(report.numerical)),
        ("momentum", Json::point(report.momentum)),
        ("angular_momentum", Json::point(report.angular_momentum)),
        (
            "strain",
            optional(report.strain.as_ref().map(|strain| {
                Json::object([
                    ("value", Json::Number(strain.value)),
                    ("law", Json::text(strain.law)),
                    ("element", Json::count(strain.element as u64)),
                ])
            })),
        ),
        ("inverted", Json::count(report.inverted as u64)),
        ("lagged", Json::list(report.lagged.iter().map(|what| Json::text(*what)))),
        ("reactions", Json::points(&report.reactions)),
        (
            "limit",
            optional(report.limit.as_ref().map(|limit| {
                Json::object([
                    ("before", Json::Number(limit.before)),
                    ("after", Json::Number(limit.after)),
                    ("sweeps", Json::count(u64::from(limit.sweeps))),
                ])
            })),
        ),
        (
            "contact",
            optional(report.contact.as_ref().map(|contact| {
                Json::object([
                    ("pairs", Json::count(contact.pairs as u64)),
                    ("deepest", Json::Number(contact.deepest)),
                ])
            })),
        ),
        ("chains", Json::list(report.chains.iter().map(chain))),
    ])
}
