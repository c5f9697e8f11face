//! A simulation: one model, one state, one method, and the one order of a step.

use crate::bodies::{Acting, Bodies, BodySettings, Push, touch};
use crate::chains::{Chains, Pose};
use crate::contact::Projected;
use crate::control::Control;
use crate::games::Held;
use crate::kernels::Kernels;
use crate::lanes::rows;
use crate::limit;
use crate::math::{Point, flat};
use crate::measure::Measure;
use crate::methods::{Dissipation, Limit, Method, Refusal, World, refuse_rigid};
use crate::model::{ElementId, Hold, Invalid, Model, Net, Seen};
use crate::report::{BodyReport, StepReport};
use crate::snapshot::Snapshot;
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

/// Steps beyond this number are not told apart by a time counted in floats.
const MOST_STEPS: u64 = 1 << 53;

/// How much of the stability limit [`Substeps::Auto`] uses.
const MARGIN: f64 = 0.9;

/// A step that left the finite numbers. The simulation still holds the state before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Diverged {
    /// The step that failed.
    pub step: u64,
    /// The first particle that is not finite, where it is known.
    pub particle: Option<usize>,
    /// What is not: its "position" or "velocity", or a quantity of the whole, such as "residual" or
    /// "energy".
    pub quantity: &'static str,
    /// The length of a part of the step (s).
    pub h: f64,
    /// The method's limit.
    pub limit: Limit,
}

impl std::fmt::Display for Diverged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { step, particle, quantity, h, limit } = self;
        write!(f, "step {step}: the {quantity}")?;
        if let Some(particle) = particle {
            write!(f, " of particle {particle}")?;
        }
        write!(f, " is no longer finite; {}", limit.blame(*h))
    }
}

impl std::error::Error for Diverged {}

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
    net: Net,
    /// What the last report found out about the springs, and whether that is still the state.
    seen: Seen,
    measured: bool,
    /// How long that took (s).
    looked: f64,
    method: Box<dyn Method>,
    control: Control,
    /// The part of the control that the current part of a step sees.
    now: Control,
    state: State,
    pub(crate) before: State,
    /// The state at the start of the current part of a step.
    start: State,
    /// Where the limit of strain puts the particles (m).
    limited: Vec<Point>,
    contacts: Projected,
    bodies: Bodies,
    chains: Chains,
    report: StepReport,
    team: Team,
    kernels: Kernels,
    h: f64,
    substeps: Substeps,
    plan: Option<Plan>,
    energy: f64,
    dissipation: Dissipation,
    /// Positions and velocities in the middle of a part of a step, where dampers are taken there.
    middle: [Vec<Point>; 2],
    /// The step and time from which time is counted.
    origin: (u64, f64),
    pub(crate) free_places: Vec<u32>,
    /// What hands hold.
    pub(crate) held: Vec<Held>,
    pub(crate) ahead: f64,
}

/// How steps are cut, and for which model that was found.
#[derive(Clone, Copy)]
struct Plan {
    versions: crate::model::Versions,
    substeps: u32,
    limit: Limit,
    /// The speed (m/s) through the air for which it holds.
    air: f64,
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
            now: Control::new(&model),
            before: state.clone(),
            start: state.clone(),
            state,
            model,
            net: Net::default(),
            seen: Seen::default(),
            measured: false,
            looked: 0.0,
            method,
            limited: Vec::new(),
            contacts: Projected::default(),
            bodies: Bodies::default(),
            chains: Chains::default(),
            report: StepReport::default(),
            team: Team::new(1),
            kernels: Kernels::default(),
            h,
            substeps,
            plan: None,
            energy: 0.0,
            dissipation: Dissipation::default(),
            middle: [const { Vec::new() }; 2],
            origin: (0, 0.0),
            free_places: Vec::new(),
            held: Vec::new(),
            ahead: 0.0,
        };
        simulation.set_step(h)?;
        simulation.prepare()?;
        simulation.measure(false);
        simulation.finite().map_err(|Invalid(why)| Refusal(why))?;
        Ok(simulation)
    }

    /// Runs the loops of a step on this many threads: the same bits for any number.
    pub fn set_threads(&mut self, threads: usize) {
        self.team = Team::new(threads);
    }

    /// Computes with these kernels from the next step on. The method keeps its memory.
    pub fn set_kernels(&mut self, kernels: Kernels) {
        self.kernels = kernels;
        self.plan = None;
    }

    /// Changes the length of a step (s); the method keeps its memory only where it can.
    pub fn set_step(&mut self, h: f64) -> Result<(), Refusal> {
        if !h.is_finite() || h <= 0.0 {
            return Err(Refusal(format!("the step must be a finite number > 0 s (got {h})")));
        }
        self.h = h;
        self.origin = (self.state.step, self.state.time);
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
        let before = std::mem::replace(&mut self.method, method);
        self.plan = None;
        let prepared = self.prepare();
        if prepared.is_err() {
            self.method = before;
        }
        prepared
    }

    /// Changes how rigid bodies are stepped.
    pub fn set_bodies(&mut self, settings: BodySettings) -> Result<(), Refusal> {
        let before = std::mem::replace(&mut self.bodies.settings, settings);
        self.plan = None;
        let prepared = self.prepare();
        if prepared.is_err() {
            self.bodies.settings = before;
        }
        self.bodies.forget();
        prepared
    }

    /// Refuses steps in which rigid bodies touch at more places than this: each takes up to a kilobyte.
    pub fn set_contact_limit(&mut self, most: usize) {
        self.bodies.limit_contacts(most);
    }

    /// How rigid bodies are stepped.
    pub fn bodies(&self) -> &BodySettings {
        &self.bodies.settings
    }

    /// Replaces positions and velocities; the method forgets what came before.
    pub fn set_state(&mut self, state: State) -> Result<(), Invalid> {
        let n = self.model.particles();
        if state.positions.len() != n || state.velocities.len() != n {
            return Err(Invalid(format!("a state of this model has {n} positions and velocities")));
        }
        let bodies = self.model.bodies().len();
        if state.bodies.len() != bodies {
            return Err(Invalid(format!("a state of this model has {bodies} bodies")));
        }
        if let Some(body) = state.bodies.iter().position(|body| !body.is_finite()) {
            return Err(Invalid(format!("place and velocity of body {body} must be finite")));
        }
        if let Some((particle, quantity)) = state.first_not_finite() {
            return Err(Invalid(format!("the {quantity} of particle {particle} must be finite")));
        }
        let joints = joints_of(&self.model);
        if state.joints.len() != joints || !state.joints.iter().all(|q| q.is_finite()) {
            return Err(Invalid(format!(
                "a state of this model has {joints} joint rotations, all finite"
            )));
        }
        if !state.time.is_finite() {
            return Err(Invalid(format!(
                "the time of a state must be finite (got {})",
                state.time
            )));
        }
        if state.step >= MOST_STEPS {
            return Err(Invalid(format!("a state is at most at step {MOST_STEPS}")));
        }
        let before = std::mem::replace(&mut self.state, state);
        for body in &mut self.state.bodies {
            body.placement.turn = body.placement.turn.unit();
        }
        self.arrive();
        let finite = self.finite();
        if finite.is_err() {
            self.state = before;
            self.arrive();
        }
        finite
    }

    /// Begins anew at the present state: nothing before it counts.
    fn arrive(&mut self) {
        self.bodies.forget();
        self.before.copy_from(&self.state, &self.team);
        self.origin = (self.state.step, self.state.time);
        self.control.fit(&self.model);
        self.chains.show(&self.model, &self.state);
        self.method.restore(&[]);
        self.report.clear();
        self.rebase();
        self.measure(false);
    }

    /// Refuses a state of which the report would not be finite.
    fn finite(&self) -> Result<(), Invalid> {
        match self.report.first_not_finite() {
            None => Ok(()),
            Some(quantity) => Err(Invalid(format!(
                "the {quantity} at the start is not finite: masses, stiffness, gravity, distances or \
                 speeds are too large to compute with"
            ))),
        }
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
        self.fit();
        &mut self.control
    }

    /// The report of the last step; before the first, energies and momenta of the start.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Calls `each` with the multipliers of every element's rows in the last part of the last step, for methods
    /// that have any.
    pub fn multipliers(&self, mut each: impl FnMut(ElementId, &[f64])) {
        self.method.multipliers(&self.model, &mut each);
    }

    /// How the joints of a chain are turned, and where they are, after the last step.
    pub fn pose(&self, chain: usize) -> Option<&Pose> {
        self.chains.pose(chain)
    }

    /// The kernels that compute.
    pub fn kernels(&self) -> Kernels {
        self.kernels
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

    /// Takes one step: control, chains, dynamics, limits, contacts, report. On failure the state stays as it
    /// was.
    pub fn step(&mut self) -> Result<&StepReport, StepError> {
        self.take_step(None)
    }

    /// As [`Simulation::step`], but asks before the step and between its parts whether to `stop`; then
    /// the state and what the method remembers are those before the step.
    pub fn step_unless(&mut self, stop: &dyn Fn() -> bool) -> Result<&StepReport, StepError> {
        self.take_step(Some(stop))
    }

    fn take_step(&mut self, stop: Option<&dyn Fn() -> bool>) -> Result<&StepReport, StepError> {
        let clock = Instant::now();
        let asked = || stop.is_some_and(|stop| stop());
        if asked() {
            return Err(StepError::Stopped);
        }
        self.prepare()?;
        let Some(plan) = self.plan else { return Ok(&self.report) };
        let n = plan.substeps;
        let moment = (stop.is_some() && n > 1).then(|| self.snapshot());
        self.before.copy_from(&self.state, &self.team);
        let measured = std::mem::take(&mut self.measured) && self.net.shares();
        self.report.clear();
        self.report.reactions.resize(self.model.pins().len(), Point::ZERO);
        self.follow()?;
        let h = self.h / f64::from(n);
        for part in 0..n {
            if let Some(moment) = moment.as_ref().filter(|_| part > 0 && asked()) {
                self.restore(moment).map_err(|invalid| Refusal(invalid.0))?;
                return Err(StepError::Stopped);
            }
            self.substep(part, n, h, measured && part == 0);
            if let Some(quantity) = self.not_finite() {
                return Err(self.give_up(quantity, h, plan.limit).into());
            }
            if let Some(most) = self.bodies.too_many_contacts() {
                self.give_up((None, "contacts"), h, plan.limit);
                return Err(StepError::Refused(Refusal(format!(
                    "the rigid bodies touch at more than {most} places, which is what the memory \
                     allows: take fewer bodies, or let them start apart"
                ))));
            }
        }
        self.state.step = self.before.step + 1;
        self.state.time = self.time(f64::from(n), n);
        if !self.state.time.is_finite() {
            return Err(self.give_up((None, "time"), h, plan.limit).into());
        }
        self.report.substeps = n;
        let (shared, measured) = (self.seen.was_used(), Instant::now());
        self.measure(true);
        // A method that takes what the report found out about the springs pays for it.
        let looked = if shared { self.looked } else { 0.0 };
        self.report.seconds.method += looked;
        self.report.seconds.measure += measured.elapsed().as_secs_f64() - looked;
        if let Some(quantity) = self.report.first_not_finite() {
            return Err(self.give_up((None, quantity), h, plan.limit).into());
        }
        self.control.settle(&self.now);
        self.report.seconds.total = clock.elapsed().as_secs_f64();
        Ok(&self.report)
    }

    /// Chains follow their goals to where those are at the end of the step.
    fn follow(&mut self) -> Result<(), Refusal> {
        if self.model.chains().is_empty() {
            return Ok(());
        }
        let clock = Instant::now();
        let (end, report) = (self.time(1.0, 1), &mut self.report.chains);
        let (model, control, state) = (&self.model, &mut self.control, &mut self.state);
        let followed = self.chains.step(model, control, state, [end, self.h], report);
        self.report.seconds.chains += clock.elapsed().as_secs_f64();
        if followed.is_err() {
            self.state.copy_from(&self.before, &self.team);
            self.chains.show(&self.model, &self.state);
        }
        followed.map_err(|invalid| Refusal(invalid.0))
    }

    /// What left the finite numbers in the state, if anything.
    fn not_finite(&self) -> Option<(Option<usize>, &'static str)> {
        let State { positions, velocities, .. } = &self.state;
        let level = self.net.level();
        let sum = self.team.sum(positions.len(), |range| {
            let [x, v] = [positions, velocities].map(|points| flat(&points[range.clone()]));
            rows::not_finite(level, x) + rows::not_finite(level, v)
        });
        if sum != 0.0
            && let Some((particle, quantity)) = self.state.first_not_finite()
        {
            return Some((Some(particle), quantity));
        }
        if self.state.bodies.iter().any(|body| !body.is_finite()) {
            return Some((None, "place of a body"));
        }
        let lost = self.report.solve.is_some_and(|solve| !solve.residual.is_finite());
        lost.then_some((None, "residual"))
    }

    /// Returns to the state before the step.
    fn give_up(
        &mut self,
        (particle, quantity): (Option<usize>, &'static str),
        h: f64,
        limit: Limit,
    ) -> Diverged {
        self.state.copy_from(&self.before, &self.team);
        self.chains.show(&self.model, &self.state);
        self.method.restore(&[]);
        self.bodies.forget();
        self.report.clear();
        self.rebase();
        self.measure(false);
        Diverged { step: self.before.step + 1, particle, quantity, h, limit }
    }

    /// The time (s) after `part` of `n` parts of the step that starts at `before`: counted from
    /// where the length of a step was last changed, never summed.
    fn time(&self, part: f64, n: u32) -> f64 {
        let (step, time) = self.origin;
        time + ((self.before.step - step) as f64 + part / f64::from(n)) * self.h
    }

    /// One of `n` parts of a step; `measured` where the last report is that of its start.
    fn substep(&mut self, part: u32, n: u32, h: f64, measured: bool) {
        let [start, end] = [part, part + 1].map(|part| self.time(f64::from(part), n));
        let (model, state, team) = (&self.model, &mut self.state, &self.team);
        let fractions = [part, part + 1].map(|part| f64::from(part) / f64::from(n));
        self.now.part(&self.control, model, state, [start, end], fractions, h);
        let bodies = &self.bodies;
        self.now.set_frames(model, [start, end], |index| {
            let moving = &state.bodies[index];
            [moving.placement, bodies.predict(model, index, moving, h)].map(|at| at.frame())
        });
        for tether in model.tethers() {
            let frames = &self.now.frames()[model.obstacles().len() + tether.body as usize];
            let [from, to] = [0, 1].map(|end: usize| frames[end].world(tether.local));
            self.now.lead_place(tether.place, from, to);
        }
        self.report.pushes.clear();

        // Places that move do work on what is attached to them.
        if self.now.places_move() {
            let energy = |places: &[Point]| {
                Measure { model, net: &self.net, places, team }.energies(state).field
            };
            self.report.work.external +=
                energy(self.now.places()) - energy(self.now.places_before());
        }

        // Ether drag, once a step before the prediction.
        if let Some(ether) = model.ether() {
            let a = ether.factor(self.h, n);
            for (i, v) in state.velocities.iter_mut().enumerate() {
                for axis in (0..3).filter(|&axis| !model.fixed()[i][axis]) {
                    let energy = 0.5 * model.masses()[i] * v[axis] * v[axis];
                    self.report.work.damping -= energy * (1.0 - a * a);
                    v[axis] *= a;
                }
            }
            self.method.slowed(a, model, state);
        }

        let dissipative = !self.dissipation.is_empty();
        let ahead = self.method.damped_ahead();
        if dissipative && !ahead {
            let air = |at| self.now.air(model, at, 1.0);
            self.dissipation.freeze(model, &state.positions, &state.velocities, &air, team);
        }
        // The state at the start of this part is that before the step, unless something changed it.
        let unchanged = part == 0 && model.ether().is_none();
        if !unchanged {
            self.start.copy_from(state, team);
        }
        let begin = if unchanged { &self.before } else { &self.start };
        let (net, seen) = (&self.net, (measured && unchanged).then_some(&self.seen));
        let world = World { model, control: &self.now, start: begin, net, seen, team, h };
        let (clock, contact) = (Instant::now(), self.report.seconds.contact);
        self.method.step(world, state, &mut self.report);
        let seconds = &mut self.report.seconds;
        seconds.method += clock.elapsed().as_secs_f64() - (seconds.contact - contact);

        for tether in model.tethers() {
            let x = state.positions[tether.particle as usize];
            let to = self.now.places()[tether.place as usize];
            let impulse = (x - to) * (tether.taken * h);
            self.report.pushes.push(Push { body: tether.body, at: x, impulse });
        }

        let held = self.held.iter();
        let places = self.now.places();
        self.report
            .pushes
            .extend(held.filter_map(|held| held.push(model, &state.bodies, places, h)));

        // The work of the step's forces along the step's displacement.
        let moved = |i: usize| state.positions[i] - begin.positions[i];
        if dissipative {
            let velocity = |i: usize| moved(i) * (1.0 / h);
            if ahead {
                let [x, v] = &mut self.middle;
                x.clear();
                x.extend((0..model.particles()).map(|i| begin.positions[i] + moved(i) * 0.5));
                v.clear();
                v.extend((0..model.particles()).map(velocity));
                let air = |at| self.now.air(model, at, 0.5);
                self.dissipation.freeze(model, x, v, &air, team);
            }
            self.report.work.damping += h * self.dissipation.power(velocity, team);
        }
        for (pin, &reaction) in model.pins().iter().zip(&self.report.reactions) {
            // A pin's own inertia is booked as the change of its kinetic energy.
            let i = pin.particle as usize;
            let m = model.masses()[i];
            for axis in (0..3).filter(|&axis| pin.axes[axis]) {
                let (v0, v1) = (begin.velocities[i][axis], state.velocities[i][axis]);
                self.report.work.external += (reaction[axis] - m * (v1 - v0) / h) * moved(i)[axis]
                    + 0.5 * m * (v1 * v1 - v0 * v0);
            }
        }
        if model.has_constant_forces() {
            self.report.work.external +=
                (0..model.particles()).map(|i| model.force(i).dot(moved(i))).sum::<f64>();
        }

        let measure = Measure { model, net: &self.net, places: self.now.places(), team };
        let total = |state: &State| measure.energies(state).total();
        let clock = Instant::now();
        if let Some(limit) = model.limit() {
            let before = limit::excess(model, limit, &state.positions);
            let (mut after, mut sweeps) = (before, 0);
            if before > 0.0 {
                let energy = total(state);
                let moved = &mut self.limited;
                sweeps = limit::resolve(model, limit, h, state, moved, &mut *self.method);
                after = limit::excess(model, limit, &state.positions);
                self.report.work.limit += total(state) - energy;
            }
            limit::book(&mut self.report, before, after, sweeps);
        }
        self.report.seconds.limit += clock.elapsed().as_secs_f64();

        let clock = Instant::now();
        if !model.obstacles().is_empty() {
            let told = self.report.contact.get_or_insert_default();
            let solved = self.method.contact_in_solve();
            let left = !solved || told.deepest > 0.0 || model.limit().is_some();
            let way = (begin, &*state);
            if left && self.contacts.any(model, way, self.now.frames(), solved, team) {
                let (contacts, method) = (&mut self.contacts, &mut *self.method);
                contacts.resolve(model, h, solved, (begin, state), method, &mut self.report);
            }
        }
        self.report.seconds.contact += clock.elapsed().as_secs_f64();

        let clock = Instant::now();
        if !model.bodies().is_empty() {
            let energy = total(state);
            if !self.method.contact_in_solve() {
                let told = self.report.contact.get_or_insert_default();
                touch(model, self.now.frames(), h, state, &mut *self.method, told);
            }
            let mut told = self.report.bodies.unwrap_or_default();
            let acting = Acting { frames: self.now.frames(), pushes: &self.report.pushes, h };
            self.bodies.step(model, &mut state.bodies, acting, &mut told);
            if told.contacts > 0 || !acting.pushes.is_empty() || !model.joints().is_empty() {
                self.report.work.contact += total(state) - energy;
            }
            self.report.bodies = Some(told);
        }
        self.report.seconds.bodies += clock.elapsed().as_secs_f64();
    }

    /// Brings the springs up to date with the model.
    fn fit_net(&mut self) {
        if self.net.fit(&self.model, self.kernels) {
            self.measured = false;
        }
    }

    /// Energies, momenta and strain of the state into the report; `stepped` where the control still is
    /// that of the step's start.
    fn measure(&mut self, stepped: bool) {
        self.fit_net();
        let (model, net, team) = (&self.model, &self.net, &self.team);
        let places = if stepped { self.now.places() } else { self.control.places() };
        let measure = Measure { model, net, places, team };
        let clock = Instant::now();
        let springs = net.measure(&self.state.positions, &mut self.seen, team);
        (self.looked, self.measured) = (clock.elapsed().as_secs_f64(), true);
        let measured = measure.all(&self.state, springs);
        let report = &mut self.report;
        report.step = self.state.step;
        report.time = self.state.time;
        report.energy = measured.energy;
        report.numerical = report.energy.total() - self.energy - report.work.total();
        self.energy = report.energy.total();
        report.momentum = measured.momentum;
        report.angular_momentum = measured.angular_momentum;
        if !model.bodies().is_empty() {
            let told = report.bodies.get_or_insert_default();
            let measured = measure.bodies(&self.state);
            let BodyReport { contacts, deepest, joints, .. } = *told;
            *told = BodyReport { contacts, deepest, joints, ..measured };
        }
        report.strain = measured.strain;
        report.inverted = measured.inverted;
    }

    /// Starts the ledger anew: what has been edited is no error of the method.
    fn rebase(&mut self) {
        self.fit_net();
        let (model, net, team) = (&self.model, &self.net, &self.team);
        let measure = Measure { model, net, places: self.control.places(), team };
        self.energy = measure.energies(&self.state).total();
    }

    /// Brings state and control to the model's size: what was added starts at rest.
    fn fit(&mut self) {
        for i in self.state.positions.len()..self.model.particles() {
            self.state.positions.push(self.model.rest()[i]);
            self.state.velocities.push(Point::ZERO);
        }
        let known = self.state.bodies.len().min(self.model.bodies().len());
        self.state.bodies.extend(self.model.bodies()[known..].iter().map(|body| body.start));
        let (model, joints) = (&self.model, &mut self.state.joints);
        if joints.len() != joints_of(model) {
            let rest = model.chains().iter().flat_map(|rig| rig.chain.rest().turns().to_vec());
            joints.extend(rest.skip(joints.len()).collect::<Vec<_>>());
        }
        self.control.fit(&self.model);
    }

    /// A power of two above the greatest speed (m/s) through the air, where a damper grows with it:
    /// a function of the present only, so that a restored run is cut into the same parts.
    fn speed(&self) -> f64 {
        if self.model.dampers().iter().all(|batch| batch.bounded()) {
            return 0.0;
        }
        let fastest = self.state.velocities.iter().map(|v| v.norm2()).fold(0.0, f64::max).sqrt();
        let wind = self.model.air().greatest() + self.control.wind().norm();
        let mut power = 1.0;
        while power < fastest + wind {
            power *= 2.0;
        }
        power
    }

    /// Redoes what edits ask for.
    fn prepare(&mut self) -> Result<(), Refusal> {
        if !self.model.tethers().is_empty() {
            self.model.soften_tethers(self.h);
        }
        let versions = self.model.versions();
        let holds = |plan: Plan| plan.versions == versions && self.speed() == plan.air;
        if self.plan.is_some_and(holds) {
            return Ok(());
        }
        self.fit();
        if self.model.hold() == Hold::Cancellation {
            let moves = self.model.pins().iter().any(|pin| pin.motion.moves());
            let carried = self.model.chains().iter().any(|rig| !rig.carried.is_empty());
            if moves || carried {
                return Err(Refusal(format!(
                    "pins by force cancellation cannot follow {}; use elimination or penalty",
                    if moves { "keyframes" } else { "chains" }
                )));
            }
        }
        self.chains.fit(&self.model, &self.state).map_err(|invalid| Refusal(invalid.0))?;
        refuse_rigid(&*self.method, &self.model)?;
        self.fit_net();
        self.method.prepare(&self.model, self.kernels)?;
        self.dissipation.prepare(&self.model);
        self.bodies.prepare(&self.model).map_err(|Invalid(why)| Refusal(why))?;
        let air = self.speed();
        let stability = Stability::of(&self.model, air, self.h);
        let limit = self.method.limit(&stability);
        let substeps = match (self.substeps, limit) {
            (Substeps::Fixed(n), _) => n.max(1),
            (Substeps::Auto, Limit::None | Limit::Linear) => 1,
            (Substeps::Auto, Limit::Below(limit)) => {
                let needed = (self.h / (MARGIN * limit)).ceil().max(1.0);
                if needed > f64::from(MOST_SUBSTEPS) {
                    let needed =
                        if needed < 1e9 { format!("{needed}") } else { format!("{needed:.1e}") };
                    return Err(Refusal(format!(
                        "the method needs {needed} sub-steps of a step of {} s (its limit is \
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
        self.plan = Some(Plan { versions, substeps, limit, air });
        self.rebase();
        Ok(())
    }

    /// Saves the moment.
    pub fn snapshot(&self) -> Snapshot {
        let mut memory = Vec::new();
        self.method.save(&mut memory);
        let mut bodies = Vec::new();
        self.bodies.save(&mut bodies);
        let (state, control) = (self.state.clone(), self.control.clone());
        Snapshot { state, control, memory, bodies, held: self.held.clone(), origin: self.origin }
    }

    /// Returns to a saved moment of this model, method and kernels: the same steps follow, to the
    /// bit. What was grabbed then must be grabbed now, and nothing else.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Invalid> {
        if snapshot.state.positions.len() > self.model.particles() {
            let (had, has) = (snapshot.state.positions.len(), self.model.particles());
            return Err(Invalid(format!(
                "the snapshot is of a model with {had} particles, this one has {has}"
            )));
        }
        if snapshot.state.bodies.len() > self.model.bodies().len() {
            let (had, has) = (snapshot.state.bodies.len(), self.model.bodies().len());
            return Err(Invalid(format!(
                "the snapshot is of a model with {had} bodies, this one has {has}"
            )));
        }
        if snapshot.state.joints.len() > joints_of(&self.model) {
            let (had, has) = (snapshot.state.joints.len(), joints_of(&self.model));
            return Err(Invalid(format!(
                "the snapshot is of a model with {had} joints, this one has {has}"
            )));
        }
        if let Some(sentence) = other_grabs(&snapshot.held, &self.held) {
            return Err(Invalid(sentence));
        }
        self.bodies.prepare(&self.model)?;
        self.state.copy_from(&snapshot.state, &self.team);
        self.control.clone_from(&snapshot.control);
        self.origin = snapshot.origin;
        self.fit();
        self.chains.show(&self.model, &self.state);
        self.before.copy_from(&self.state, &self.team);
        self.method.restore(&snapshot.memory);
        self.bodies.restore(&snapshot.bodies);
        self.ahead = 0.0;
        self.report.clear();
        self.rebase();
        self.measure(false);
        self.finite()
    }
}

/// Why a snapshot with these grabs does not fit a simulation with those, if it does not.
fn other_grabs(then: &[Held], now: &[Held]) -> Option<String> {
    let only_in = |one: &[Held], other: &[Held]| {
        one.iter().find(|held| !other.contains(held)).map(Held::name)
    };
    if let Some(name) = only_in(now, then) {
        return Some(format!(
            "{name} is grabbed, but was not when the snapshot was taken: release it first"
        ));
    }
    only_in(then, now)
        .map(|name| format!("{name} was grabbed when the snapshot was taken, and no longer is"))
}

/// How many joints a model's chains have.
fn joints_of(model: &Model) -> usize {
    model.chains().iter().map(|rig| rig.chain.len()).sum()
}

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    /// An edit made the model one the method will not run.
    Refused(Refusal),
    /// The state left the finite numbers.
    Diverged(Diverged),
    /// It was asked to stop ([`Simulation::step_unless`]).
    Stopped,
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
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for StepError {}
