//! `--check-determinism`: every frame is stepped again, by the same simulation from a saved
//! moment, and by a second one on another number of threads from the moment's bytes. All three
//! must end with the same bits.

use crate::failure::Failure;
use crate::interrupt;
use hooke::{Kernels, Simulation, Snapshot, State};
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
        first.restore(before).map_err(|invalid| Failure::Numerical(invalid.0))?;
        let bytes = Snapshot::from_bytes(&before.to_bytes());
        let bytes = bytes.ok_or_else(|| differs(frame, "a saved moment cannot be read back"))?;
        self.simulation.restore(&bytes).map_err(|invalid| Failure::Numerical(invalid.0))?;
        for _ in 0..steps {
            first.step_unless(&interrupt::asked)?;
            self.simulation.step_unless(&interrupt::asked)?;
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
        format!("{frames} frames stepped three times, on {one} and {other} threads: same bits")
    }
}

fn compare(frame: u64, one: &State, other: &State, how: &str) -> Result<(), Failure> {
    let bits = |state: &State| -> Vec<[u64; 3]> {
        let values = state.positions.iter().chain(&state.velocities);
        values.map(|value| value.to_array().map(f64::to_bits)).collect()
    };
    let (a, b) = (bits(one), bits(other));
    match a.iter().zip(&b).position(|(a, b)| a != b) {
        None if a.len() == b.len() => Ok(()),
        at => {
            let particle = at.unwrap_or(0) % one.positions.len().max(1);
            Err(differs(frame, &format!("particle {particle} differs {how}")))
        }
    }
}

fn differs(frame: u64, sentence: &str) -> Failure {
    Failure::Numerical(format!("frame {frame}: {sentence}: the run is not deterministic"))
}
