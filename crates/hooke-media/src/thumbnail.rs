//! A scene at the moment it is best seen.

use crate::{MediaError, Stage};
use hooke_render::{Image, Settings};
use hooke_scene::Scene;
use hooke_scene::recording::{Frame, Header};
use std::collections::VecDeque;

/// Runs a scene to the moment its view names, or to its end, and draws it.
pub fn thumbnail(scene: &Scene, threads: usize, settings: &Settings) -> Result<Image, MediaError> {
    let compiled = scene.compile()?;
    let header = Header::of(scene, &compiled);
    let stage = Stage::new(&header, scene);
    let mut simulation = scene.simulation_of(compiled, threads)?;
    let last = match stage.moment() {
        Some(seconds) => ((seconds * scene.fps()).round() as u64).min(scene.frames()),
        None => scene.frames(),
    };
    let mut frame = Frame::of(0, simulation.state());
    let mut past = VecDeque::new();
    let mut bounds = stage.bounds(&frame);
    for index in 1..=last {
        for _ in 0..scene.steps_per_frame() {
            simulation.step()?;
        }
        past.push_back(std::mem::replace(&mut frame, Frame::of(index, simulation.state())));
        if past.len() > stage.trails() {
            past.pop_front();
        }
        bounds = bounds.union(&stage.bounds(&frame));
    }
    stage.draw(&frame, past.make_contiguous(), &bounds, settings)
}
