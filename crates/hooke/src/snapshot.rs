//! A snapshot, in memory or as bytes, from which a run continues with the same steps.

use crate::bytes::{Reader, Writer};
use crate::control::Control;
use crate::grab::{ActiveGrab, Grip};
use crate::math::{Quat, Vec3};
use crate::model::{AnchorId, ParticleId, RigidBodyId};
use crate::rigid::RigidBodyState;
use crate::state::State;

/// A snapshot: everything needed to continue with the same steps. With the same kernels the steps
/// are equal to the bit; with others, up to rounding.
///
/// ```
/// use hooke::{Model, Simulation, Snapshot};
///
/// let mut model = Model::new();
/// model.add_particle(hooke::Vec3::ZERO, 1.0)?;
/// let mut simulation = Simulation::new(model, "newton", 0.01)?;
/// simulation.step()?;
/// let bytes = simulation.snapshot().to_bytes();
/// simulation.step()?;
/// let digest = simulation.state().digest();
///
/// let saved = Snapshot::from_bytes(&bytes).ok_or("damaged")?;
/// simulation.restore(&saved)?;
/// simulation.step()?;
/// assert_eq!(simulation.state().digest(), digest);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub(crate) state: State,
    pub(crate) control: Control,
    /// The memory of the method from step to step.
    pub(crate) memory: Vec<f64>,
    /// The memory of the solver of rigid bodies.
    pub(crate) rigid_memory: Vec<f64>,
    pub(crate) grabs: Vec<ActiveGrab>,
    /// The step and time (s) from which time is counted.
    pub(crate) origin: (u64, f64),
}

impl Snapshot {
    /// The saved state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Every number, little endian: the same bytes on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.count(self.state.step);
        out.number(self.state.time);
        out.points(&self.state.positions);
        out.points(&self.state.velocities);
        out.count(self.state.joints.len() as u64);
        for Quat { w, v } in &self.state.joints {
            [*w, v.x, v.y, v.z].into_iter().for_each(|value| out.number(value));
        }
        out.count(self.origin.0);
        out.number(self.origin.1);
        self.control.write(&mut out);
        out.count(self.memory.len() as u64);
        self.memory.iter().for_each(|value| out.number(*value));
        // Snapshots without bodies end here, as in versions without bodies.
        if !self.state.rigid_bodies.is_empty() || !self.grabs.is_empty() {
            out.count(self.state.rigid_bodies.len() as u64);
            let numbers = self.state.rigid_bodies.iter().flat_map(RigidBodyState::numbers);
            numbers.for_each(|value| out.number(value));
            out.count(self.rigid_memory.len() as u64);
            self.rigid_memory.iter().for_each(|value| out.number(*value));
        }
        for grab in &self.grabs {
            let (kind, index, at) = match grab.what {
                Grip::Particle(particle) => (0, particle.0, Vec3::ZERO),
                Grip::RigidBody(body, local) => (1, body.0, local),
            };
            for value in [kind, u64::from(index), u64::from(grab.anchor.0)] {
                out.count(value);
            }
            for value in at.to_array().into_iter().chain([grab.stiffness]) {
                out.number(value);
            }
        }
        out.finish()
    }

    /// Reads what [`Snapshot::to_bytes`] wrote; `None` if the bytes are malformed or hold a number
    /// that is not finite.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Reader::new(bytes);
        let (step, time) = (bytes.count()?, bytes.number()?);
        let (positions, velocities) = (bytes.points()?, bytes.points()?);
        let length = bytes.length(32)?;
        let joint = |_| Some(Quat { w: bytes.number()?, v: bytes.point()? });
        let joints = (0..length).map(joint).collect::<Option<_>>()?;
        let origin = (bytes.count()?, bytes.number()?);
        let control = Control::read(&mut bytes)?;
        let length = bytes.length(8)?;
        let memory = (0..length).map(|_| bytes.number()).collect::<Option<_>>()?;
        let (mut rigid_bodies, mut rigid_memory) = (Vec::new(), Vec::new());
        if !bytes.is_empty() {
            for _ in 0..bytes.length(13 * 8)? {
                let mut numbers = [0.0; 13];
                for number in &mut numbers {
                    *number = bytes.number()?;
                }
                rigid_bodies.push(RigidBodyState::of_numbers(&numbers));
            }
            let length = bytes.length(8)?;
            rigid_memory = (0..length).map(|_| bytes.number()).collect::<Option<_>>()?;
        }
        let mut grabs = Vec::new();
        while !bytes.is_empty() {
            let mut index = || u32::try_from(bytes.count()?).ok();
            let [kind, index, anchor] = [index()?, index()?, index()?];
            let (at, stiffness) = (bytes.point()?, bytes.number()?);
            let what = match kind {
                0 => Grip::Particle(ParticleId(index)),
                1 => Grip::RigidBody(RigidBodyId(index), at),
                _ => return None,
            };
            grabs.push(ActiveGrab { what, anchor: AnchorId(anchor), stiffness });
        }
        let fine = positions.len() == velocities.len() && origin.0 <= step;
        let state = State { step, time, positions, velocities, joints, rigid_bodies };
        fine.then_some(Self { state, control, memory, rigid_memory, grabs, origin })
    }
}
