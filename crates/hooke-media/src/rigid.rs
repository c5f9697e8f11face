//! Rigid bodies in pictures, and the rods and strings between them.

use crate::props::{Surface, draw_round};
use crate::stage::{Set, single};
use hooke::model::Boundary;
use hooke::rigid::{Joint, JointKind, Pose};
use hooke::{Model, Vec3};
use hooke_render::{Bounds, Color, Picture, Tube};
use hooke_scene::recording::{Frame, Header};

/// The colors of bodies, as they are written one after the other.
const COLORS: [Color; 5] = [
    [0.74, 0.40, 0.26],
    [0.28, 0.44, 0.60],
    [0.82, 0.64, 0.30],
    [0.44, 0.58, 0.42],
    [0.54, 0.36, 0.50],
];
const ROD: Color = [0.38, 0.40, 0.44];

/// How dark stripes are, and how much lighter or darker those of one kind are among themselves.
const STRIPE: f32 = 0.68;
const SHADES: [f32; 5] = [1.0, 0.88, 1.10, 0.94, 1.05];

/// With more triangles than this, about 50 MB in a picture, round bodies are drawn without stripes.
const MOST_TRIANGLES: usize = 200_000;

/// The rigid bodies of a recording, ready to be drawn.
pub(crate) struct Solids {
    surfaces: Vec<Surface>,
    /// The surface of every body.
    rigid_bodies: Vec<u32>,
    rods: Vec<Rod>,
    /// Radius and half length (m) of every body that is drawn as a round shape; empty where none is.
    round: Vec<Option<[f64; 2]>>,
    /// Whether something soft may lie on them.
    covered: bool,
}

/// A joint that keeps a distance: its bodies, and where it holds them in their own axes (m).
struct Rod {
    rigid_bodies: [Option<u32>; 2],
    anchors: [Vec3; 2],
}

impl Solids {
    pub(crate) fn new(header: &Header) -> Self {
        Self {
            surfaces: header.surfaces.iter().map(Surface::new).collect(),
            rigid_bodies: header.rigid_bodies.clone(),
            rods: Vec::new(),
            round: Vec::new(),
            covered: !header.triangles.is_empty(),
        }
    }

    /// Whether there are any.
    pub(crate) fn any(&self) -> bool {
        !self.rigid_bodies.is_empty()
    }

    /// Adds what only the model knows: rods, and which of very many bodies are round.
    pub(crate) fn join(&mut self, model: &Model) {
        let surfaces =
            self.rigid_bodies.iter().filter_map(|kind| self.surfaces.get(*kind as usize));
        if surfaces.map(Surface::triangles).sum::<usize>() > MOST_TRIANGLES {
            let round = model.rigid_bodies().iter().map(|body| match body.shape.boundary() {
                Boundary::Round { radius, half_length } => Some([radius, half_length]),
                _ => None,
            });
            self.round = round.collect();
        }
        let keeps = |joint: &&Joint| matches!(joint.kind, JointKind::Distance { .. });
        for joint in model.joints().iter().filter(keeps) {
            let local = |k: usize| {
                let body = joint.bodies[k].and_then(|body| model.rigid_bodies().get(body.index()));
                body.map_or(joint.anchors[k], |body| body.start.pose.local(joint.anchors[k]))
            };
            self.rods.push(Rod {
                rigid_bodies: joint.bodies.map(|body| body.map(|body| body.index() as u32)),
                anchors: [local(0), local(1)],
            });
        }
    }

    pub(crate) fn draw(&self, frame: &Frame, set: &Set, picture: &mut Picture) {
        for (k, (kind, moving)) in self.rigid_bodies.iter().zip(&frame.rigid_bodies).enumerate() {
            let Some(surface) = self.surfaces.get(*kind as usize) else { continue };
            let shade = SHADES[(k * k + k) / 2 % SHADES.len()];
            // Cloth is red first.
            let color = (*kind as usize + usize::from(self.covered)) % COLORS.len();
            let color = COLORS[color].map(|part| part * shade);
            let stripe = color.map(|part| part * STRIPE);
            let sunk = if self.covered { surface.sunk(set) } else { 0.0 };
            let pose = moving.pose.frame();
            match self.round.get(k).copied().flatten() {
                None => picture.meshes.push(surface.mesh(&pose, sunk, [color, stripe])),
                Some([radius, half_length]) => {
                    draw_round(&pose, [radius - sunk, half_length], color, picture);
                }
            }
        }
        for rod in &self.rods {
            let world = Pose::default();
            let ends = [0, 1].map(|k| {
                let body =
                    rod.rigid_bodies[k].and_then(|body| frame.rigid_bodies.get(body as usize));
                body.map_or(world, |body| body.pose).world(rod.anchors[k])
            });
            let [a, b] = ends.map(single);
            picture.tubes.push(Tube { a, b, radius: 0.004 * set.size, color: ROD });
        }
    }

    pub(crate) fn include(&self, frame: &Frame, bounds: &mut Bounds) {
        for (kind, moving) in self.rigid_bodies.iter().zip(&frame.rigid_bodies) {
            if let Some(surface) = self.surfaces.get(*kind as usize) {
                surface.include(&moving.pose.frame(), bounds);
            }
        }
    }
}
