//! A simulation: one model, one state, one method, and the one order of a step.

use crate::contact;
use crate::control::Control;
use crate::math::Point;
use crate::measure;
use crate::methods::{Dissipation, Limit, Method, Refusal, World};
use crate::model::{Hold, Invalid, Model, Motion};
use crate::report::StepReport;
use crate::stability::Stability;
use crate::state::State;
use crate::team::Team;
use std::time::Instant;

/// Into how many parts a step is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Substeps {
    /// As many as the method needs to be stable.
    #[default]
    Auto,
    /// Exactly this many, stable or not.
    Fixed(u32),
}

/// The most parts [`Substeps::Auto`] cuts a step into.
pub const MOST_SUBSTEPS: u32 = 100_000;

/// How much of the stability limit [`Substeps::Auto`] uses.
const MARGIN: f64 = 0.9;

/// A step that left the finite numbers. The simulation still holds the state before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Diverged {
    /// The step that failed.
    pub step: u64,
    /// The first particle that is not finite.
    pub particle: usize,
    /// Its "position" or "velocity".
    pub quantity: &'static str,
    /// The length of a part of the step (s).
    pub h: f64,
    /// The method's limit.
    pub limit: Limit,
}

impl std::fmt::Display for Diverged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { step, particle, quantity, h, limit } = self;
        write!(f, "step {step}: the {quantity} of particle {particle} is no longer finite; ")?;
        match limit {
            Limit::Below(limit) if h > limit => write!(
                f,
                "the step of {h:.3e} s is above the method's limit of {limit:.3e} s: \
                 use substeps = \"auto\" or an implicit method"
            ),
            Limit::Below(_) | Limit::None => {
                write!(f, "the forces grew beyond what a step of {h:.3e} s can follow")
            }
            Limit::Never => write!(f, "the method grows at every step without damping"),
        }
    }
}

impl std::error::Error for Diverged {}

/// A saved moment: everything from which the same steps follow again.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    state: State,
    control: Control,
    memory: Vec<f64>,
}

/// Something held by [`Simulation::grab`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grab {
    place: u32,
}

/// What a ray met first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// The nearest particle to where the ray met the surface, or passed.
    pub particle: u32,
    /// How far along the ray (m).
    pub distance: f64,
    /// Where.
    pub point: Point,
}

/// One model, one state, one method.
///
/// ```
/// use hooke::{Grid, Model, Simulation};
///
/// let mut model = Model::new();
/// let cloth = Grid::square(10);
/// cloth.add_to(&mut model)?;
/// model.pin_at_rest(cloth.index(0, 0))?;
/// model.pin_at_rest(cloth.index(9, 0))?;
/// let mut simulation = Simulation::new(model, "newton", 1.0 / 60.0)?;
/// let report = simulation.step()?;
/// assert_eq!(report.solve.unwrap().end, hooke::End::Converged);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation {
    model: Model,
    method: Box<dyn Method>,
    control: Control,
    state: State,
    before: State,
    /// The state at the start of the current part of a step.
    start: State,
    report: StepReport,
    team: Team,
    h: f64,
    substeps: Substeps,
    plan: Option<Plan>,
    energy: f64,
    dissipation: Dissipation,
    free_places: Vec<u32>,
    ahead: f64,
}

/// How steps are cut, and for which model that was found.
#[derive(Clone, Copy)]
struct Plan {
    versions: crate::model::Versions,
    substeps: u32,
    limit: Limit,
}

impl Simulation {
    /// Starts a model at rest under a method of the registry, with steps of `h` seconds.
    pub fn new(model: Model, method: &str, h: f64) -> Result<Self, Refusal> {
        let Some(info) = crate::methods::find(method) else {
            let names: Vec<_> = crate::methods::METHODS.iter().map(|info| info.name).collect();
            return Err(Refusal(format!(
                "there is no method '{method}'; there are: {}",
                names.join(", ")
            )));
        };
        Self::with_method(model, (info.build)(&[])?, h)
    }

    /// Starts a model at rest under any method, with steps of `h` seconds.
    pub fn with_method(model: Model, method: Box<dyn Method>, h: f64) -> Result<Self, Refusal> {
        Self::with_substeps(model, method, h, Substeps::Auto)
    }

    /// As [`Simulation::with_method`], with steps cut as `substeps` says.
    pub fn with_substeps(
        model: Model,
        method: Box<dyn Method>,
        h: f64,
        substeps: Substeps,
    ) -> Result<Self, Refusal> {
        let state = State::at_rest(&model);
        let mut simulation = Self {
            control: Control::new(&model),
            before: state.clone(),
            start: state.clone(),
            state,
            model,
            method,
            report: StepReport::default(),
            team: Team::new(1),
            h,
            substeps,
            plan: None,
            energy: 0.0,
            dissipation: Dissipation::default(),
            free_places: Vec::new(),
            ahead: 0.0,
        };
        simulation.set_step(h)?;
        simulation.prepare()?;
        simulation.measure();
        Ok(simulation)
    }

    /// Runs the loops of a step on this many threads: the same bits for any number.
    pub fn set_threads(&mut self, threads: usize) {
        self.team = Team::new(threads);
    }

    /// Changes the length of a step (s); the method keeps its memory only where it can.
    pub fn set_step(&mut self, h: f64) -> Result<(), Refusal> {
        if !h.is_finite() || h <= 0.0 {
            return Err(Refusal(format!("the step must be a finite number > 0 s (got {h})")));
        }
        self.h = h;
        self.plan = None;
        Ok(())
    }

    /// Changes into how many parts a step is cut.
    pub fn set_substeps(&mut self, substeps: Substeps) {
        self.substeps = substeps;
        self.plan = None;
    }

    /// Changes the method; the state goes on.
    pub fn set_method(&mut self, method: Box<dyn Method>) -> Result<(), Refusal> {
        self.method = method;
        self.plan = None;
        self.prepare()
    }

    /// Replaces positions and velocities; the method forgets what came before.
    pub fn set_state(&mut self, state: State) -> Result<(), Invalid> {
        let n = self.model.particles();
        if state.positions.len() != n || state.velocities.len() != n {
            return Err(Invalid(format!("a state of this model has {n} positions and velocities")));
        }
        if let Some((particle, quantity)) = state.first_not_finite() {
            return Err(Invalid(format!("the {quantity} of particle {particle} must be finite")));
        }
        self.state = state;
        self.before.copy_from(&self.state);
        self.method.restore(&[]);
        self.measure();
        Ok(())
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The model, to edit while the simulation runs.
    pub fn model_mut(&mut self) -> &mut Model {
        &mut self.model
    }

    /// The state after the last step.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What comes from outside: targets that follow no keyframes are set here.
    pub fn control_mut(&mut self) -> &mut Control {
        self.control.fit(&self.model);
        &mut self.control
    }

    /// The report of the last step; before the first, energies and momenta of the start.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// The length of a step (s).
    pub fn step_length(&self) -> f64 {
        self.h
    }

    /// The method's stability limit and into how many parts steps are cut.
    pub fn stability(&mut self) -> Result<(Limit, u32), Refusal> {
        self.prepare()?;
        Ok(self.plan.map_or((Limit::None, 1), |plan| (plan.limit, plan.substeps)))
    }

    /// Takes one step: control, dynamics, contacts, report. On failure the state stays as it was.
    pub fn step(&mut self) -> Result<&StepReport, StepError> {
        let clock = Instant::now();
        self.prepare()?;
        let Some(plan) = self.plan else { return Ok(&self.report) };
        self.before.copy_from(&self.state);
        self.report.clear();
        self.report.reactions.resize(self.model.pins().len(), Point::ZERO);
        let n = plan.substeps;
        let h = self.h / f64::from(n);
        for part in 0..n {
            self.substep(part, n, h);
            if let Some((particle, quantity)) = self.state.first_not_finite() {
                let step = self.before.step + 1;
                std::mem::swap(&mut self.state, &mut self.before);
                let limit = plan.limit;
                return Err(Diverged { step, particle, quantity, h, limit }.into());
            }
        }
        self.state.step = self.before.step + 1;
        self.state.time = self.state.step as f64 * self.h;
        self.report.substeps = n;
        self.measure();
        self.report.seconds = clock.elapsed().as_secs_f64();
        Ok(&self.report)
    }

    /// One of `n` parts of a step.
    fn substep(&mut self, part: u32, n: u32, h: f64) {
        let first = self.before.step as f64;
        let time = |part: u32| (first + f64::from(part) / f64::from(n)) * self.h;
        let (start, end) = (time(part), time(part + 1));
        let (model, state, team) = (&self.model, &mut self.state, &self.team);
        self.control.advance(model, state, start, end, h);

        // Places that move do work on what is attached to them.
        if self.control.places != self.control.places_before {
            let energy = |places| measure::energies(model, state, places, team).field;
            self.report.work.external +=
                energy(&self.control.places) - energy(&self.control.places_before);
        }

        // Ether drag, once a step before the prediction (physics.md §1.6).
        if let Some(ether) = model.ether() {
            let a = ether.factor(self.h, n);
            for (i, v) in state.velocities.iter_mut().enumerate() {
                if model.fixed()[i] == [false; 3] {
                    self.report.work.damping -= 0.5 * model.masses()[i] * v.norm2() * (1.0 - a * a);
                    *v = *v * a;
                }
            }
        }

        let dissipative = !self.dissipation.is_empty();
        if dissipative {
            let air = |at| self.control.air(model, at, 1.0);
            self.dissipation.freeze(model, &state.positions, &state.velocities, &air, team);
        }
        self.start.copy_from(state);
        let world = World { model, control: &self.control, team, h };
        self.method.step(world, state, &mut self.report);

        // The work of the step's forces along the step's displacement.
        let moved = |i: usize| state.positions[i] - self.start.positions[i];
        if dissipative {
            let velocity = |i: usize| moved(i) * (1.0 / h);
            self.report.work.damping += h * self.dissipation.power(velocity, team);
        }
        for (pin, &reaction) in model.pins().iter().zip(&self.report.reactions) {
            self.report.work.external += reaction.dot(moved(pin.particle as usize));
        }
        if model.has_constant_forces() {
            self.report.work.external +=
                (0..model.particles()).map(|i| model.force(i).dot(moved(i))).sum::<f64>();
        }

        if !model.obstacles().is_empty() {
            let total =
                |state: &State| measure::energies(model, state, &self.control.places, team).total();
            let energy = total(state);
            contact::resolve(model, end, h, state, &mut *self.method, &mut self.report);
            self.report.work.contact += total(state) - energy;
        }
    }

    /// Energies, momenta and strain of the state into the report.
    fn measure(&mut self) {
        let places = &self.control.places;
        let report = &mut self.report;
        report.step = self.state.step;
        report.time = self.state.time;
        report.energy = measure::energies(&self.model, &self.state, places, &self.team);
        let work = report.work.damping + report.work.external + report.work.contact;
        report.numerical = report.energy.total() - self.energy - work;
        self.energy = report.energy.total();
        (report.momentum, report.angular_momentum) = measure::momenta(&self.model, &self.state);
        report.strain = measure::worst_strain(&self.model, &self.state, places);
        if self.state.step == 0 {
            report.numerical = 0.0;
        }
    }

    /// Redoes what edits ask for.
    fn prepare(&mut self) -> Result<(), Refusal> {
        let versions = self.model.versions();
        if self.plan.is_some_and(|plan| plan.versions == versions) {
            return Ok(());
        }
        let n = self.model.particles();
        for i in self.state.positions.len()..n {
            self.state.positions.push(self.model.rest()[i]);
            self.state.velocities.push(Point::ZERO);
        }
        self.control.fit(&self.model);
        if self.model.hold() == Hold::Cancellation
            && self.model.pins().iter().any(|pin| pin.motion.moves())
        {
            return Err(Refusal(
                "pins by force cancellation cannot follow keyframes; use elimination or penalty"
                    .into(),
            ));
        }
        self.method.prepare(&self.model)?;
        self.dissipation.prepare(&self.model);
        let stability = Stability::of(&self.model, self.control.wind[1], self.h);
        let limit = self.method.limit(&stability);
        let substeps = match (self.substeps, limit) {
            (Substeps::Fixed(n), _) => n.max(1),
            (Substeps::Auto, Limit::None) => 1,
            (Substeps::Auto, Limit::Below(limit)) => {
                let needed = (self.h / (MARGIN * limit)).ceil().max(1.0);
                if needed > f64::from(MOST_SUBSTEPS) {
                    return Err(Refusal(format!(
                        "the method needs {needed:.0} sub-steps of a step of {} s (its limit is \
                         {limit:.2e} s, at most {MOST_SUBSTEPS} are taken); newton or \
                         quasi-newton would do",
                        self.h
                    )));
                }
                needed as u32
            }
            (Substeps::Auto, Limit::Never) => {
                return Err(Refusal(
                    "forward Euler without damping grows at every step: add drag, set substeps to \
                     a number to watch it grow, or use symplectic-euler"
                        .into(),
                ));
            }
        };
        self.plan = Some(Plan { versions, substeps, limit });
        Ok(())
    }

    // For games

    /// Steps as often as `seconds` of a frame ask for (at most `most` times, dropping the rest),
    /// and keeps the remainder for [`Simulation::interpolated`]. Returns the steps taken.
    pub fn advance(&mut self, seconds: f64, most: u32) -> Result<u32, StepError> {
        self.ahead += seconds.max(0.0);
        let mut taken = 0;
        while self.ahead >= self.h && taken < most {
            self.step()?;
            self.ahead -= self.h;
            taken += 1;
        }
        self.ahead = self.ahead.min(self.h);
        Ok(taken)
    }

    /// A particle's position (m) at the moment [`Simulation::advance`] reached, between the last
    /// two steps.
    pub fn interpolated(&self, particle: u32) -> Option<Point> {
        let now = *self.state.positions.get(particle as usize)?;
        let before = *self.before.positions.get(particle as usize)?;
        Some(before.lerp(now, self.ahead / self.h))
    }

    /// What a ray meets first: a triangle of the surface, or where there is none the particle it
    /// passes within `radius` (m).
    pub fn pick(&self, origin: Point, direction: Point, radius: f64) -> Option<Pick> {
        let direction = direction.unit();
        let x = &self.state.positions;
        let mut best: Option<Pick> = None;
        for triangle in self.model.triangles() {
            let corners = triangle.map(|corner| x[corner as usize]);
            let Some(distance) = meet(origin, direction, corners) else { continue };
            if best.is_some_and(|pick| pick.distance <= distance) {
                continue;
            }
            let point = origin + direction * distance;
            let nearest = (0..3).min_by(|&a, &b| {
                (corners[a] - point).norm2().total_cmp(&(corners[b] - point).norm2())
            });
            let particle = triangle[nearest.unwrap_or(0)];
            best = Some(Pick { particle, distance, point });
        }
        if best.is_some() {
            return best;
        }
        for (i, &at) in x.iter().enumerate() {
            let distance = (at - origin).dot(direction);
            let passes = (at - origin - direction * distance).norm() <= radius;
            if passes && distance >= 0.0 && best.is_none_or(|pick| distance < pick.distance) {
                best = Some(Pick { particle: i as u32, distance, point: at });
            }
        }
        best
    }

    /// Holds a particle by a spring of `stiffness` (N/m) to a place that starts where it is.
    pub fn grab(&mut self, particle: u32, stiffness: f64) -> Result<Grab, Invalid> {
        let Some(&at) = self.state.positions.get(particle as usize) else {
            return Err(Invalid(format!("there is no particle {particle} to grab")));
        };
        let place = match self.free_places.pop() {
            Some(place) => place,
            None => self.model.add_place(Motion::still(at)),
        };
        self.control.fit(&self.model);
        self.control.places[place as usize] = at;
        self.control.places_before[place as usize] = at;
        self.model.attach(particle, place, stiffness)?;
        Ok(Grab { place })
    }

    /// Moves a grab's place (m).
    pub fn move_grab(&mut self, grab: Grab, to: Point) {
        if to.is_finite() {
            self.control.places[grab.place as usize] = to;
        }
    }

    /// Lets go.
    pub fn release(&mut self, grab: Grab) {
        self.model.detach(grab.place);
        self.free_places.push(grab.place);
    }

    /// Saves the moment.
    pub fn snapshot(&self) -> Snapshot {
        let mut memory = Vec::new();
        self.method.save(&mut memory);
        Snapshot { state: self.state.clone(), control: self.control.clone(), memory }
    }

    /// Returns to a saved moment of this model and method: the same steps follow, to the bit.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.state.copy_from(&snapshot.state);
        self.before.copy_from(&snapshot.state);
        self.control.clone_from(&snapshot.control);
        self.method.restore(&snapshot.memory);
        self.ahead = 0.0;
        self.report.clear();
        self.measure();
        self.report.numerical = 0.0;
    }
}

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    /// An edit made the model one the method will not run.
    Refused(Refusal),
    /// The state left the finite numbers.
    Diverged(Diverged),
}

impl From<Refusal> for StepError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Diverged> for StepError {
    fn from(diverged: Diverged) -> Self {
        Self::Diverged(diverged)
    }
}

impl std::fmt::Display for StepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Diverged(diverged) => diverged.fmt(f),
        }
    }
}

impl std::error::Error for StepError {}

/// How far along a ray a triangle lies (Möller & Trumbore 1997), from either side.
fn meet(origin: Point, direction: Point, [a, b, c]: [Point; 3]) -> Option<f64> {
    let (e1, e2) = (b - a, c - a);
    let p = direction.cross(e2);
    let det = e1.dot(p);
    if det == 0.0 {
        return None;
    }
    let s = origin - a;
    let u = s.dot(p) / det;
    let q = s.cross(e1);
    let v = direction.dot(q) / det;
    let t = e2.dot(q) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
}
