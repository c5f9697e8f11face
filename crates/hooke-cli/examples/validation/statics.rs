//! The static answer of a model: the minimum of its energy, by Newton's method to round-off.

use super::Outcome;
use hooke::{Model, Simulation, State, Substeps, Vec3, methods};

/// A step so long (s) that inertia no longer counts.
const STEP: f64 = 10.0;
/// Steps after which nothing may move any more.
const MOST_STEPS: usize = 100;

/// Where the particles come to rest from `start`.
pub fn settle(model: Model, start: Vec<Vec3>) -> Outcome<Vec<Vec3>> {
    let settings = [("tolerance", 0.0), ("iterations", 60.0)];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.into()));
    let newton = methods::find("newton").ok_or("not registered")?;
    let mut state = State::at_rest(&model);
    state.positions = start;
    let method = (newton.build)(&settings)?;
    let mut simulation = Simulation::with_substeps(model, method, STEP, Substeps::Fixed(1))?;
    simulation.set_state(state.clone())?;
    for _ in 0..MOST_STEPS {
        simulation.step()?;
        let new = &simulation.state().positions;
        let size = new.iter().map(|x| x.norm()).fold(0.0, f64::max);
        let moved = apart(&state.positions, new);
        state.positions.clone_from(new);
        // Each step starts at rest: what is looked for does not move.
        state.velocities.fill(Vec3::ZERO);
        if moved <= 1e-12 * size {
            return Ok(state.positions);
        }
        simulation.set_state(state.clone())?;
    }
    Err("a model did not come to rest".into())
}

/// The greatest distance (m) between two lists of points.
pub fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max)
}

/// A repeatable number in [−1, 1).
pub fn random(index: usize) -> f64 {
    (hooke::math::noise::mix(index as u64 + 1) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
