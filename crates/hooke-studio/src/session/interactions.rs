//! What a hand does to a running scene: it grabs, pins and attracts. It is remembered, so that it
//! survives when the scene is built anew.

use hooke::laws::LAWS;
use hooke::model::{AnchorId, Motion, PinEnforcement, RigidBodyId};
use hooke::{Grab, ModelError, Simulation, Vec3};
use std::collections::BTreeMap;

/// How much of its size (as a part) a body hangs below the mouse that holds all its weight.
const SLACK: f64 = 0.02;

/// How close (m) an attractor's pull stops growing.
const SOFTENING: f64 = 0.1;

/// What a hand holds.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Grabbed {
    Particle(u32),
    /// A rigid body, and where (m) in its own axes.
    Body(u32, Vec3),
}

/// What the hand has done, the same for all runs.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Interactions {
    /// Particles pinned or unpinned by hand.
    pub(super) pins: BTreeMap<u32, bool>,
    /// What is held, where to, and how hard (N/m).
    pub(super) grab: Option<(Grabbed, Vec3, f64)>,
    /// Where something pulls, and how strongly (m³/s²).
    pub(super) attractor: Option<(Vec3, f64)>,
}

/// What of it a simulation knows.
#[derive(Default)]
pub(super) struct Handles {
    grab: Option<Grab>,
    attractor: Option<AnchorId>,
}

impl Interactions {
    /// Does all of it to a simulation that is built anew.
    pub(super) fn repeat(&self, simulation: &mut Simulation) -> Result<Handles, ModelError> {
        let mut handles = Handles::default();
        for (&particle, &pinned) in &self.pins {
            set_pin(simulation, particle, pinned)?;
        }
        if let Some((grabbed, to, stiffness)) = self.grab {
            handles.grab(simulation, grabbed, stiffness)?;
            handles.drag(simulation, to)?;
        }
        if let Some((to, strength)) = self.attractor {
            handles.attract(simulation, to, strength)?;
        }
        Ok(handles)
    }

    /// Does to a simulation what was done to others since `before`, which it knows.
    pub(super) fn catch_up(
        &self,
        before: &Self,
        simulation: &mut Simulation,
        handles: &mut Handles,
    ) -> Result<(), ModelError> {
        if self == before {
            return Ok(());
        }
        for (&particle, &pinned) in &self.pins {
            if before.pins.get(&particle) != Some(&pinned) {
                set_pin(simulation, particle, pinned)?;
            }
        }
        if self.grab != before.grab {
            handles.release(simulation);
            if let Some((grabbed, to, stiffness)) = self.grab {
                handles.grab(simulation, grabbed, stiffness)?;
                handles.drag(simulation, to)?;
            }
        }
        if self.attractor != before.attractor {
            handles.let_be(simulation);
            if let Some((to, strength)) = self.attractor {
                handles.attract(simulation, to, strength)?;
            }
        }
        Ok(())
    }
}

impl Handles {
    pub(super) fn grab(
        &mut self,
        simulation: &mut Simulation,
        grabbed: Grabbed,
        stiffness: f64,
    ) -> Result<(), ModelError> {
        self.release(simulation);
        self.grab = Some(match grabbed {
            Grabbed::Particle(particle) => simulation.grab(particle, stiffness)?,
            Grabbed::Body(body, local) => {
                let moving = simulation.state().rigid_bodies.get(body as usize);
                let at = moving.map_or(local, |moving| moving.pose.world(local));
                simulation.grab_body(RigidBodyId::new(body), at, stiffness)?
            }
        });
        Ok(())
    }

    pub(super) fn drag(&mut self, simulation: &mut Simulation, to: Vec3) -> Result<(), ModelError> {
        self.grab.as_ref().map_or(Ok(()), |grab| simulation.move_grab(grab, to))
    }

    pub(super) fn release(&mut self, simulation: &mut Simulation) {
        if let Some(grab) = self.grab.take() {
            simulation.release(grab);
        }
    }

    /// Adds an attractor of every particle, or moves it.
    pub(super) fn attract(
        &mut self,
        simulation: &mut Simulation,
        to: Vec3,
        strength: f64,
    ) -> Result<(), ModelError> {
        if let Some(anchor) = self.attractor {
            return simulation.control_mut().set_anchor(anchor, to);
        }
        let Some(law) = LAWS.iter().find(|law| law.name == "attractor") else { return Ok(()) };
        let model = simulation.model_mut();
        let anchor = model.add_anchor(Motion::still(to))?;
        for particle in 0..model.particles() as u32 {
            model.add_anchored(law, particle, anchor, &[strength, SOFTENING])?;
        }
        self.attractor = Some(anchor);
        simulation.control_mut().set_anchor(anchor, to)
    }

    pub(super) fn let_be(&mut self, simulation: &mut Simulation) {
        if let Some(anchor) = self.attractor.take() {
            simulation.model_mut().detach(anchor);
        }
    }
}

/// Pins a particle where it is, or lets it go.
pub(super) fn set_pin(
    simulation: &mut Simulation,
    particle: u32,
    pinned: bool,
) -> Result<(), ModelError> {
    let Some(&at) = simulation.state().positions.get(particle as usize) else {
        let (particle, count) = (particle.into(), simulation.model().particles());
        return Err(ModelError::UnknownParticle { particle, count });
    };
    let was_pinned = simulation.model().fixed()[particle as usize] != [false; 3];
    if was_pinned {
        simulation.model_mut().unpin(particle);
    }
    if pinned {
        simulation.model_mut().pin(particle, [true; 3], Motion::still(at))?;
        if simulation.model().pin_enforcement() == PinEnforcement::Cancellation {
            // Such a pin keeps the velocity it starts with.
            let mut state = simulation.state().clone();
            state.velocities[particle as usize] = Vec3::ZERO;
            simulation.set_state(state)?;
        }
    }
    Ok(())
}

/// How hard (N/m) a mouse holds: all the weight hangs a little below it.
pub(super) fn firmness(simulation: &Simulation, grabbed: Grabbed) -> f64 {
    let model = simulation.model();
    if let Grabbed::Body(body, _) = grabbed {
        let body = &model.rigid_bodies()[body as usize];
        return body.mass().mass * 9.81 / (SLACK * body.shape.reach());
    }
    let mass: f64 = model.masses().iter().sum();
    let (mut low, mut high) = ([f64::MAX; 3], [f64::MIN; 3]);
    for x in model.rest() {
        for (axis, value) in x.to_array().into_iter().enumerate() {
            low[axis] = low[axis].min(value);
            high[axis] = high[axis].max(value);
        }
    }
    let size = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
    let size = if size > 0.0 { size } else { 1.0 };
    (mass * 9.81 / (SLACK * size)).clamp(1e-6, 1e9)
}
