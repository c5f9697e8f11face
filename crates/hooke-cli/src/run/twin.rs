//! `--check-determinism`: every frame is stepped again, by the same simulation from a saved
//! moment, and by a second one on another number of threads from the moment's bytes. All three
//! must end with the same bits: particles, joints of chains and rigid bodies.

use crate::failure::Failure;
use crate::interrupt;
use hooke::math::Quat;
use hooke::{Kernels, Simulation, Snapshot, State, Vec3};
use hooke_scene::Scene;

/// The second simulation.
pub(super) struct Twin {
    simulation: Simulation,
    threads: [usize; 2],
    frames: u64,
}

impl Twin {
    /// A twin of a simulation on `threads`.
    pub(super) fn of(scene: &Scene, threads: usize, kernels: Kernels) -> Result<Self, Failure> {
        let other = if threads == 1 { 2 } else { 1 };
        let mut simulation = scene.simulation(other)?;
        simulation.set_kernels(kernels);
        Ok(Self { simulation, threads: [threads, other], frames: 0 })
    }

    /// Steps again from `before`, and compares with where `first` has come.
    pub(super) fn check(
        &mut self,
        frame: u64,
        before: &Snapshot,
        steps: u64,
        first: &mut Simulation,
    ) -> Result<(), Failure> {
        let end = first.state().clone();
        first.restore(before).map_err(|invalid| Failure::Numerical(invalid.to_string()))?;
        let bytes = Snapshot::from_bytes(&before.to_bytes());
        let bytes = bytes.ok_or_else(|| differs(frame, "a snapshot cannot be read back"))?;
        self.simulation
            .restore(&bytes)
            .map_err(|invalid| Failure::Numerical(invalid.to_string()))?;
        for _ in 0..steps {
            first.step_unless(&interrupt::requested)?;
            self.simulation.step_unless(&interrupt::requested)?;
        }
        let [one, other] = self.threads;
        compare(frame, &end, first.state(), "after rewinding")?;
        let how = format!("on {other} threads instead of {one}");
        compare(frame, &end, self.simulation.state(), &how)?;
        self.frames += 1;
        Ok(())
    }

    /// What was found.
    pub(super) fn verdict(&self) -> String {
        let [one, other] = self.threads;
        let frames = self.frames;
        format!("{frames} frames computed three times, on {one} and {other} threads: same bits")
    }
}

fn compare(frame: u64, one: &State, other: &State, how: &str) -> Result<(), Failure> {
    if one.digest() == other.digest() {
        return Ok(());
    }
    let what = first_different(one, other).unwrap_or_else(|| "the step".into());
    Err(differs(frame, &format!("{what} differs {how}")))
}

/// What differs first between two states.
fn first_different(one: &State, other: &State) -> Option<String> {
    let mut others = numbers(other);
    let (name, index, _) = numbers(one).find(|number| others.next().as_ref() != Some(number))?;
    Some(format!("{name} {index}"))
}

/// The bits of every number, and what it belongs to.
fn numbers(state: &State) -> impl Iterator<Item = (&'static str, usize, u64)> + '_ {
    let points = |list: &'_ [Vec3]| -> Vec<_> {
        let of = |(index, x): (usize, &Vec3)| x.to_array().map(|n| ("particle", index, n));
        list.iter().enumerate().flat_map(of).collect()
    };
    let joints = state.joints.iter().enumerate().flat_map(|(index, Quat { w, v })| {
        [*w, v.x, v.y, v.z].map(|number| ("joint", index, number))
    });
    let bodies = state
        .rigid_bodies
        .iter()
        .enumerate()
        .flat_map(|(index, body)| body.numbers().map(|number| ("rigid body", index, number)));
    let particles = points(&state.positions).into_iter().chain(points(&state.velocities));
    particles.chain(joints).chain(bodies).map(|(name, index, n)| (name, index, n.to_bits()))
}

fn differs(frame: u64, sentence: &str) -> Failure {
    Failure::Numerical(format!("frame {frame}: {sentence}: the run is not deterministic"))
}
