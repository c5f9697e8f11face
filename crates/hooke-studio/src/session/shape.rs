//! What of a scene the page is told once, and where it is first looked at from.

use super::frame::Surface;
use super::run::Run;
use hooke::State;
use hooke_media::Stage;
use hooke_render::Bounds;
use hooke_scene::format::Style;
use hooke_scene::recording::{Frame, Header};
use hooke_scene::{EndParts, Scene};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The width of a picture over its height, for the first camera.
const ASPECT: f32 = 16.0 / 9.0;

/// How long a scene is run ahead to find a camera that shows all of it.
const AHEAD: Duration = Duration::from_millis(100);

/// What of a scene stays the same from frame to frame.
pub(super) struct Shape {
    pub(super) surface: Surface,
    /// The body of every particle.
    pub(super) bodies: Vec<usize>,
    /// The kind of every vertex of a rigid body, as the bodies are counted.
    pub(super) rigid: Vec<usize>,
    /// The bones of chains, and what draws at their ends.
    pub(super) bones: Vec<[u32; 2]>,
    pub(super) pens: Vec<EndParts>,
    pub(super) eye: [f32; 3],
    pub(super) target: [f32; 3],
    /// What the scene wants drawn.
    pub(super) style: &'static str,
    pub(super) ground: bool,
}

impl Shape {
    pub(super) fn of(run: &Run) -> Self {
        let (scene, simulation) = (&run.scene, &run.simulation);
        let (model, state) = (simulation.model(), simulation.state());
        let header = Header {
            title: String::new(),
            scene: String::new(),
            fps: scene.fps(),
            particles: model.particles() as u64,
            triangles: model.triangles().to_vec(),
            edges: run.edges.clone(),
            ..Header::default()
        }
        .with_rigid(&run.rigid, model);
        let stage = Stage::new(&header, scene);
        let view = &scene.document().view;
        let mut bounds = stage.bounds(&frame(state));
        if view.camera.is_none() {
            bounds = reach(scene, &stage, bounds);
        }
        let camera = stage.camera(&bounds, ASPECT);
        let mut triangles = header.triangles.clone();
        let (mut vertices, mut kinds) = (header.particles as u32, Vec::new());
        let soft = scene.document().deformables.len() + scene.document().chains.len();
        let surfaces: Vec<_> = header.surfaces.into_iter().map(Arc::new).collect();
        let of = |kind: &u32| Some((*kind as usize, surfaces.get(*kind as usize)?));
        let rigid: Vec<_> = header.rigid_bodies.iter().filter_map(of).collect();
        for (kind, surface) in &rigid {
            triangles.extend(surface.triangles.iter().map(|t| t.map(|corner| vertices + corner)));
            vertices += surface.vertices.len() as u32;
            kinds.resize(kinds.len() + surface.vertices.len(), soft + kind);
        }
        Self {
            surface: Surface {
                triangles,
                edges: stage.edges().to_vec(),
                lengths: stage.lengths().to_vec(),
                rigid: rigid.iter().map(|(_, surface)| Arc::clone(surface)).collect(),
            },
            bodies: stage.bodies().to_vec(),
            rigid: kinds,
            bones: stage.bones().collect(),
            pens: stage.pens().cloned().collect(),
            eye: camera.eye,
            target: camera.target,
            style: match view.style {
                Style::Springs => "springs",
                Style::Strain => "strain",
                Style::Auto | Style::Cloth => "surface",
            },
            ground: view.ground,
        }
    }
}

/// The bounds of all that a scene without a camera will show, as far as that is soon known.
fn reach(scene: &Scene, stage: &Stage, start: Bounds) -> Bounds {
    let clock = Instant::now();
    let compiled = scene.compile().ok();
    let simulation = compiled.and_then(|compiled| scene.simulation_of(compiled, 1).ok());
    let Some(mut simulation) = simulation else { return start };
    let mut bounds = start;
    for _ in 0..scene.frames() {
        for _ in 0..scene.steps_per_frame() {
            if simulation.step().is_err() || clock.elapsed() > AHEAD {
                return bounds;
            }
        }
        bounds = bounds.union(&stage.bounds(&frame(simulation.state())));
    }
    bounds
}

fn frame(state: &State) -> Frame {
    Frame::of(state.step, state)
}
