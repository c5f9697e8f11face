//! What a hand does to the runs of a scene: the same to each of them.

use super::Refusal;
use super::live::{self, Held};
use super::show::Show;
use crate::mailbox::Outbox;
use hooke::Point;
use serde_json::json;

/// How strongly (m³/s²) an attractor pulls when nothing is said.
const STRENGTH: f64 = 1.0;

impl Show {
    /// Grabs a vertex: a particle, or one of a rigid body, which come after all particles.
    pub(super) fn grab(&mut self, index: usize, vertex: u32, at: Point) -> Result<(), Refusal> {
        let run = self.runs.get(index).ok_or("there is no such run")?;
        let held = self.held(vertex, run.simulation.model().particles());
        let held = held.ok_or("there is no such vertex")?;
        let stiffness = live::firmness(&run.simulation, held);
        for run in &mut self.runs {
            run.each(|simulation, handles| {
                handles.grab(simulation, held, stiffness)?;
                handles.drag(simulation, at)
            })?;
        }
        self.live.grab = Some((held, at, stiffness));
        Ok(())
    }

    fn held(&self, vertex: u32, particles: usize) -> Option<Held> {
        let Some(mut left) = (vertex as usize).checked_sub(particles) else {
            return Some(Held::Particle(vertex));
        };
        for (body, surface) in (0..).zip(&self.shape.surface.rigid) {
            match surface.vertices.get(left) {
                Some(&local) => return Some(Held::Body(body, local)),
                None => left -= surface.vertices.len(),
            }
        }
        None
    }

    pub(super) fn drag(&mut self, at: Point) -> Result<(), Refusal> {
        if let Some((_, to, _)) = &mut self.live.grab {
            *to = at;
        }
        for run in &mut self.runs {
            run.each(|simulation, handles| handles.drag(simulation, at))?;
        }
        Ok(())
    }

    pub(super) fn release(&mut self) {
        self.live.grab = None;
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
            run.each(|simulation, _| live::set_pin(simulation, particle, pinned))?;
        }
        self.live.pins.insert(particle, pinned);
        outbox.event(&json!({ "is": "pins", "pins": self.pins() }));
        Ok(())
    }

    /// Puts a place that pulls, moves it, or takes it away.
    pub(super) fn attract(
        &mut self,
        at: Option<Point>,
        strength: Option<f64>,
    ) -> Result<(), Refusal> {
        let before = self.live.attractor.map(|(_, strength)| strength);
        let strength = strength.or(before).unwrap_or(STRENGTH);
        for run in &mut self.runs {
            run.each(|simulation, handles| {
                if at.is_none() || before != Some(strength) {
                    handles.let_be(simulation);
                }
                at.map_or(Ok(()), |to| handles.attract(simulation, to, strength))
            })?;
        }
        self.live.attractor = at.map(|to| (to, strength));
        Ok(())
    }

    /// Measures a run against converged steps, or no longer.
    pub(super) fn refer(&mut self, index: usize, on: bool) -> Result<(), Refusal> {
        let live = self.live.clone();
        self.runs.get_mut(index).ok_or("there is no such run")?.refer(on, &live)
    }
}
