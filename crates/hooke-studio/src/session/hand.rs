//! What a hand does to the runs of a scene: the same to each of them.

use super::Refusal;
use super::interactions::{self, Grabbed};
use super::open_scene::OpenScene;
use crate::mailbox::Outbox;
use hooke::Vec3;
use serde_json::json;

/// How strongly (m³/s²) an attractor pulls when nothing is said.
const STRENGTH: f64 = 1.0;

impl OpenScene {
    /// Grabs a vertex: a particle, or one of a rigid body, which come after all particles.
    pub(super) fn grab(&mut self, index: usize, vertex: u32, at: Vec3) -> Result<(), Refusal> {
        let run = self.runs.get(index).ok_or("there is no such run")?;
        let grabbed = self.find_vertex(vertex, run.simulation.model().particles());
        let grabbed = grabbed.ok_or("there is no such vertex")?;
        let stiffness = interactions::firmness(&run.simulation, grabbed);
        for run in &mut self.runs {
            run.each(|simulation, handles| {
                handles.grab(simulation, grabbed, stiffness)?;
                handles.drag(simulation, at)
            })?;
        }
        self.interactions.grab = Some((grabbed, at, stiffness));
        Ok(())
    }

    fn find_vertex(&self, vertex: u32, particles: usize) -> Option<Grabbed> {
        let Some(mut left) = (vertex as usize).checked_sub(particles) else {
            return Some(Grabbed::Particle(vertex));
        };
        for (body, surface) in (0..).zip(&self.shape.surface.rigid) {
            match surface.vertices.get(left) {
                Some(&local) => return Some(Grabbed::Body(body, local)),
                None => left -= surface.vertices.len(),
            }
        }
        None
    }

    pub(super) fn drag(&mut self, at: Vec3) -> Result<(), Refusal> {
        if let Some((_, to, _)) = &mut self.interactions.grab {
            *to = at;
        }
        for run in &mut self.runs {
            run.each(|simulation, handles| handles.drag(simulation, at))?;
        }
        Ok(())
    }

    pub(super) fn release(&mut self) {
        self.interactions.grab = None;
        for run in &mut self.runs {
            let _ = run.each(|simulation, handles| {
                handles.release(simulation);
                Ok::<(), ()>(())
            });
        }
    }

    /// Pins a particle where it is in each run, or lets it go.
    pub(super) fn pin(
        &mut self,
        index: usize,
        particle: u32,
        pinned: bool,
        outbox: &Outbox,
    ) -> Result<(), Refusal> {
        let run = self.runs.get(index).ok_or("there is no such run")?;
        if particle as usize >= run.simulation.model().particles() {
            return Err("rigid bodies cannot be pinned".into());
        }
        for run in &mut self.runs {
            run.each(|simulation, _| interactions::set_pin(simulation, particle, pinned))?;
        }
        self.interactions.pins.insert(particle, pinned);
        outbox.event(&json!({ "is": "pins", "pins": self.pins() }));
        Ok(())
    }

    /// Adds an attractor, moves it, or removes it.
    pub(super) fn attract(
        &mut self,
        at: Option<Vec3>,
        strength: Option<f64>,
    ) -> Result<(), Refusal> {
        let before = self.interactions.attractor.map(|(_, strength)| strength);
        let strength = strength.or(before).unwrap_or(STRENGTH);
        for run in &mut self.runs {
            run.each(|simulation, handles| {
                if at.is_none() || before != Some(strength) {
                    handles.let_be(simulation);
                }
                at.map_or(Ok(()), |to| handles.attract(simulation, to, strength))
            })?;
        }
        self.interactions.attractor = at.map(|to| (to, strength));
        Ok(())
    }

    /// Measures a run against converged steps, or no longer.
    pub(super) fn refer(&mut self, index: usize, on: bool) -> Result<(), Refusal> {
        let interactions = self.interactions.clone();
        self.runs.get_mut(index).ok_or("there is no such run")?.refer(on, &interactions)
    }
}
