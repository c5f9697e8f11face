//! From a scene and a recorded frame to what a picture shows.
//!
//! Surfaces are drawn as cloth, everything else as springs and particles; pins are golden balls,
//! attractors violet ones, obstacles gray; chains have bones, and ink where their pens have been; rigid bodies have
//! colors of their own. The camera is the scene's own, or one that shows every
//! frame of the recording.

use crate::MediaError;
use crate::bones;
use crate::props::{Prop, level};
use crate::rigid::Solids;
use crate::skin::Skin;
use hooke::Vec3;
use hooke_render::{
    Ball, Bounds, Camera, Color, Image, Mesh, Picture, Settings, Tube, render, strain_color,
};
use hooke_scene::format::{Style, View};
use hooke_scene::recording::{Frame, Header};
use hooke_scene::{ChainParts, EndParts, Scene};
use std::collections::HashSet;

/// Cloth, front and back, body by body.
const CLOTHS: [[Color; 2]; 5] = [
    [[0.80, 0.26, 0.20], [0.86, 0.74, 0.58]],
    [[0.16, 0.44, 0.54], [0.80, 0.82, 0.78]],
    [[0.36, 0.52, 0.30], [0.84, 0.82, 0.66]],
    [[0.46, 0.36, 0.58], [0.82, 0.78, 0.84]],
    [[0.70, 0.42, 0.52], [0.86, 0.80, 0.80]],
];
const SPRING: Color = [0.42, 0.46, 0.52];
const PIN: Color = [0.85, 0.62, 0.16];
const ATTRACTOR: Color = [0.52, 0.30, 0.62];
const TRAIL: Color = [0.86, 0.87, 0.88];

/// The strain at which a color is fullest.
const FULL_STRAIN: f32 = 0.04;

/// The field of view of pictures, in degrees from top to bottom.
const FIELD_OF_VIEW: f32 = 32.0;

/// The most pins that are drawn one by one.
const MOST_BALLS: usize = 12;

/// What stays the same from frame to frame.
pub struct Stage {
    header: Header,
    view: View,
    style: Style,
    /// The body of every particle.
    body: Vec<usize>,
    /// The surface of every body.
    skins: Vec<Skin>,
    /// What is drawn as lines: the springs, and the outer edges of bodies without any.
    edges: Vec<[u32; 2]>,
    /// The rest length of every edge, where it is known.
    lengths: Vec<Option<f64>>,
    pins: Vec<u32>,
    /// The greatest radius (m) of a pin: by what is pinned, not by how far away anything else goes.
    pin_radius: f32,
    /// The anchors that are drawn, with their indices.
    anchors: Vec<(u32, hooke::model::Motion)>,
    props: Vec<Prop>,
    chains: Vec<ChainParts>,
    solids: Solids,
    /// Where the particles of joints start; all others come before.
    joints: usize,
    /// The height of a level floor.
    floor: Option<f64>,
}

impl Stage {
    /// The stage of a recording. Obstacles, pins and bodies come from its scene; where that no
    /// longer compiles (its mesh file has gone, say) the recorded shapes are drawn alone.
    pub fn new(header: &Header, scene: &Scene) -> Self {
        let view = scene.document().view.clone();
        let mut stage = Self {
            style: view.style,
            view,
            body: vec![0; header.particles as usize],
            skins: Vec::new(),
            edges: header.edges.clone(),
            lengths: vec![None; header.edges.len()],
            pins: Vec::new(),
            pin_radius: f32::INFINITY,
            anchors: Vec::new(),
            props: Vec::new(),
            chains: Vec::new(),
            solids: Solids::new(header),
            joints: usize::MAX,
            floor: None,
            header: header.clone(),
        };
        let Ok(compiled) = scene.compile() else {
            stage.skins = vec![Skin::new(&header.triangles, None)];
            return stage;
        };
        let model = &compiled.model;
        let known = model.particles() == stage.body.len();
        if known {
            stage.chains.clone_from(&compiled.chains);
            let first = compiled.chains.first();
            stage.joints = first.map_or(usize::MAX, |chain| chain.particles.start as usize);
            stage.edges.retain(|edge| (edge[0] as usize) < stage.joints);
            for (index, body) in compiled.deformables.iter().enumerate() {
                for particle in body.particles.clone() {
                    stage.body[particle as usize] = index;
                }
            }
            for (index, chain) in compiled.chains.iter().enumerate() {
                for particle in chain.particles.clone() {
                    stage.body[particle as usize] = compiled.deformables.len() + index;
                }
            }
            stage.lengths = rest_lengths(model, &stage.edges);
            stage.outline(model);
            let pins = model.pins().iter().map(|pin| pin.particle.index() as u32);
            stage.pins = pins.filter(|&pin| (pin as usize) < stage.joints).collect();
            stage.pin_radius = stage.greatest_pin(model.rest());
        }
        let bodies = stage.body.iter().max().map_or(1, |last| last + 1);
        for body in 0..bodies {
            let of_body = |t: &&[u32; 3]| stage.body.get(t[0] as usize) == Some(&body);
            let triangles: Vec<_> = header.triangles.iter().filter(of_body).copied().collect();
            stage.skins.push(Skin::new(&triangles, known.then_some(model.rest())));
        }
        stage.solids.join(model);
        let tied = |k: u32| compiled.rigid.iter().any(|parts| parts.tied.contains(&k));
        let anchors = (0..).zip(model.anchors().iter().cloned());
        stage.anchors = anchors.filter(|(k, _)| !tied(*k)).collect();
        for obstacle in model.obstacles() {
            match level(obstacle) {
                Some(height) => stage.floor = Some(stage.floor.map_or(height, |y| y.max(height))),
                None => stage.props.push(Prop::new(obstacle)),
            }
        }
        stage
    }

    /// A radius (m) at which pins are small against their bodies, and do not run into each other where there
    /// are few.
    fn greatest_pin(&self, rest: &[Vec3]) -> f32 {
        let pinned: HashSet<usize> = self.pins.iter().map(|&pin| self.body[pin as usize]).collect();
        let near = rest.iter().zip(&self.body).filter(|(_, body)| pinned.contains(body));
        let size = extent(&near.map(|(&x, _)| x).collect::<Vec<_>>());
        let mut radius = if size > 0.0 { 0.022 * size } else { f32::INFINITY };
        if self.pins.len() <= MOST_BALLS {
            let at = |pin: u32| rest[pin as usize];
            for (k, &pin) in self.pins.iter().enumerate() {
                for &other in &self.pins[..k] {
                    let apart = (at(pin) - at(other)).norm() as f32;
                    radius = if apart > 0.0 { radius.min(0.4 * apart) } else { radius };
                }
            }
        }
        radius
    }

    /// Adds the edges of the triangles of bodies that have no springs.
    fn outline(&mut self, model: &hooke::Model) {
        let sprung: HashSet<usize> =
            self.header.edges.iter().map(|edge| self.body[edge[0] as usize]).collect();
        let mut seen = HashSet::new();
        for &[a, b, c] in &self.header.triangles {
            for [i, j] in [[a, b], [b, c], [c, a]] {
                let edge = [i.min(j), i.max(j)];
                if !sprung.contains(&self.body[i as usize]) && seen.insert(edge) {
                    let [from, to] = edge.map(|i| model.rest()[i as usize]);
                    self.edges.push(edge);
                    self.lengths.push(Some((to - from).norm()).filter(|length| *length > 0.0));
                }
            }
        }
    }

    /// Draws something else than the scene asks for.
    pub fn draw_as(&mut self, style: Style) {
        self.style = style;
    }

    /// Draws a frame of a clip whose frames lie within `bounds`.
    pub fn draw(
        &self,
        frame: &Frame,
        past: &[Frame],
        bounds: &Bounds,
        settings: &Settings,
    ) -> Result<Image, MediaError> {
        let set = self.set(bounds, settings.aspect());
        let settings = Settings { sun: set.sun(), ..*settings };
        Ok(render(&self.picture(frame, past, &set), &set.camera, &settings)?)
    }

    /// What a frame shows; `past` are the frames before it, for the trails of [`Stage::trails`].
    fn picture(&self, frame: &Frame, past: &[Frame], set: &Set) -> Picture {
        let mut picture = Picture { ground: set.ground, ..Picture::default() };
        let ball =
            |center: Vec3, radius: f32, color| Ball { center: single(center), radius, color };
        if self.lines() {
            self.springs(frame, set, &mut picture);
            self.draw_trails(frame, past, set, &mut picture);
        } else {
            self.surface(frame, &mut picture);
            // A whole edge of pins is a rail, not a row of beads.
            let rail = self.pins.len() > MOST_BALLS;
            for &pin in self.pins.iter().filter(|_| !rail) {
                if let Some(&x) = frame.positions.get(pin as usize) {
                    picture.balls.push(ball(x, (set.size * 0.014).min(self.pin_radius), PIN));
                }
            }
            let pinned: HashSet<u32> = self.pins.iter().copied().collect();
            for &[i, j] in self.header.edges.iter().filter(|_| rail) {
                if pinned.contains(&i) && pinned.contains(&j) {
                    let [a, b] = [i, j].map(|k| single(frame.positions[k as usize]));
                    picture.tubes.push(Tube { a, b, radius: set.size * 0.006, color: PIN });
                }
            }
        }
        for (k, anchor) in &self.anchors {
            let mut ends = self.chains.iter().flat_map(|chain| &chain.ends);
            // What an end follows is seen around it.
            let size = if ends.any(|end| end.location == *k) { 0.011 } else { 0.018 };
            picture.balls.push(ball(anchor.at(frame.time), set.size * size, ATTRACTOR));
        }
        let path: Vec<&Frame> = past.iter().chain([frame]).collect();
        for chain in &self.chains {
            bones::draw(chain, frame, set, &mut picture);
            bones::ink(chain, &path, set, &mut picture);
        }
        self.solids.draw(frame, set, &mut picture);
        for prop in &self.props {
            prop.draw(frame.time, set, &mut picture);
        }
        picture
    }

    fn surface(&self, frame: &Frame, picture: &mut Picture) {
        let positions: Vec<_> = frame.positions.iter().map(|&x| single(x)).collect();
        let colors = (self.style == Style::Strain).then(|| self.vertex_strains(frame));
        for (body, skin) in self.skins.iter().enumerate() {
            if skin.triangles.is_empty() {
                continue;
            }
            let [front, back] = CLOTHS[body % CLOTHS.len()];
            let own =
                |list: &[[f32; 3]]| skin.particles.iter().map(|&i| list[i as usize]).collect();
            picture.meshes.push(Mesh {
                positions: own(&positions),
                triangles: skin.triangles.clone(),
                front,
                back,
                colors: colors.as_deref().map(own),
            });
        }
        // Springs of bodies without a surface are drawn beside it.
        let mut covered = vec![false; self.body.iter().max().map_or(1, |last| last + 1)];
        for triangle in &self.header.triangles {
            covered[self.body[triangle[0] as usize]] = true;
        }
        let extent = extent(&frame.positions);
        for &[i, j] in self.header.edges.iter().filter(|edge| (edge[0] as usize) < self.joints) {
            if !covered[self.body[i as usize]] {
                picture.tubes.push(Tube {
                    a: positions[i as usize],
                    b: positions[j as usize],
                    radius: extent * 0.004,
                    color: SPRING,
                });
            }
        }
    }

    fn springs(&self, frame: &Frame, set: &Set, picture: &mut Picture) {
        let x = |i: u32| single(frame.positions[i as usize]);
        let radius = self.spring_radius(set.size);
        for (&[i, j], length) in self.edges.iter().zip(&self.lengths) {
            let strained = self.style == Style::Strain;
            let color = match length.filter(|_| strained) {
                Some(length) => strain_color(self.strain(frame, i, j, length), FULL_STRAIN),
                None => SPRING,
            };
            picture.tubes.push(Tube { a: x(i), b: x(j), radius, color });
        }
        let radius = self.ball_radius(set.size);
        for (i, &position) in frame.positions.iter().enumerate().take(self.joints) {
            let pinned = self.pins.contains(&(i as u32));
            let color = if pinned { PIN } else { CLOTHS[self.body[i] % CLOTHS.len()][0] };
            let pin = (radius * 1.25).max((0.011 * set.size).min(self.pin_radius));
            let radius = if pinned { pin } else { radius };
            picture.balls.push(Ball { center: single(position), radius, color });
        }
    }

    /// Whether springs and particles are drawn instead of a surface.
    fn lines(&self) -> bool {
        self.style == Style::Springs || self.header.triangles.is_empty()
    }

    /// Many springs are drawn thinner than few.
    fn spring_radius(&self, size: f32) -> f32 {
        let crowd = (self.edges.len().max(1) as f32).sqrt();
        size * (0.06 / crowd).clamp(0.0025, 0.008)
    }

    fn ball_radius(&self, size: f32) -> f32 {
        if self.edges.is_empty() { size * 0.022 } else { self.spring_radius(size) * 2.4 }
    }

    /// How many frames before one are needed to draw it: all where a pen draws.
    pub fn trails(&self) -> usize {
        let draws = |chain: &ChainParts| chain.ends.iter().any(|end| end.pen.is_some());
        if self.chains.iter().any(draws) { usize::MAX } else { self.particle_trails() }
    }

    /// How many frames of trail are drawn behind particles: none but for a few loose ones.
    fn particle_trails(&self) -> usize {
        let seconds =
            if self.lines() && self.body.len().min(self.joints) <= 24 { 1.5 } else { 0.0 };
        (seconds * self.header.fps).min(240.0) as usize
    }

    /// Where each particle has been, fading with age.
    fn draw_trails(&self, frame: &Frame, past: &[Frame], set: &Set, picture: &mut Picture) {
        let width = 0.4 * self.ball_radius(set.size);
        let past = &past[past.len().saturating_sub(self.particle_trails())..];
        let path: Vec<&Frame> = past.iter().chain([frame]).collect();
        for (age, pair) in path.windows(2).rev().enumerate() {
            let fade = age as f32 / past.len().max(1) as f32;
            let both = pair[0].positions.iter().zip(&pair[1].positions);
            for (i, (&a, &b)) in both.enumerate().take(self.joints) {
                let moved = (b - a).norm() as f32;
                if self.pins.contains(&(i as u32)) || moved < 1e-4 * set.size {
                    continue;
                }
                let own = CLOTHS[self.body[i] % CLOTHS.len()][0];
                let color = [0, 1, 2].map(|k| own[k] + (TRAIL[k] - own[k]) * (0.35 + 0.65 * fade));
                let radius = width * (1.0 - 0.8 * fade);
                picture.tubes.push(Tube { a: single(a), b: single(b), radius, color });
            }
        }
    }

    fn strain(&self, frame: &Frame, i: u32, j: u32, length: f64) -> f32 {
        let now = (frame.positions[i as usize] - frame.positions[j as usize]).norm();
        (now / length - 1.0) as f32
    }

    /// The color of every vertex: the mean strain of the springs at it.
    fn vertex_strains(&self, frame: &Frame) -> Vec<Color> {
        let mut sums = vec![(0.0f32, 0u32); frame.positions.len()];
        for (&[i, j], length) in self.edges.iter().zip(&self.lengths) {
            let Some(length) = length else { continue };
            let strain = self.strain(frame, i, j, *length);
            for corner in [i, j] {
                sums[corner as usize].0 += strain;
                sums[corner as usize].1 += 1;
            }
        }
        let mean = |(sum, count): (f32, u32)| sum / count.max(1) as f32;
        sums.into_iter().map(|entry| strain_color(mean(entry), FULL_STRAIN)).collect()
    }

    /// The bounds of a frame and of the obstacles that stand in it.
    pub fn bounds(&self, frame: &Frame) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for &x in &frame.positions {
            bounds.include(single(x), 0.0);
        }
        self.solids.include(frame, &mut bounds);
        for prop in &self.props {
            prop.include(frame.time, &mut bounds);
        }
        for (_, anchor) in &self.anchors {
            bounds.include(single(anchor.at(frame.time)), 0.0);
        }
        bounds
    }

    /// What is drawn as lines: the springs, and the outer edges of bodies without any.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The bones of chains.
    pub fn bones(&self) -> impl Iterator<Item = [u32; 2]> {
        self.chains.iter().flat_map(|chain| chain.bones.iter().copied())
    }

    /// The ends of chains that draw.
    pub fn pens(&self) -> impl Iterator<Item = &EndParts> {
        self.chains.iter().flat_map(|chain| &chain.ends).filter(|end| end.pen.is_some())
    }

    /// The rest length (m) of each of [`Stage::edges`], where it is known.
    pub fn lengths(&self) -> &[Option<f64>] {
        &self.lengths
    }

    /// The body of every particle.
    pub fn bodies(&self) -> &[usize] {
        &self.body
    }

    /// Where a picture of everything within `bounds` is taken from.
    pub fn camera(&self, bounds: &Bounds, aspect: f32) -> Camera {
        self.set(bounds, aspect).camera
    }

    /// The moment (s) a single picture shows, where the scene says one.
    pub fn moment(&self) -> Option<f64> {
        self.view.moment
    }

    /// Where pictures are taken from, for everything within `bounds`.
    fn set(&self, bounds: &Bounds, aspect: f32) -> Set {
        let span = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f32::max);
        let size = if span.is_finite() && span > 0.0 { span } else { 1.0 };
        let lowest = if bounds.is_empty() { 0.0 } else { bounds.min[1] - 0.25 * size };
        // Particles have a size in pictures only: the floor is drawn below it.
        let particles = self.lines() && !self.solids.any();
        let sunk = if particles { self.ball_radius(size) } else { 0.002 * size };
        let ground = match self.floor {
            Some(height) => Some(height as f32 - sunk),
            None => self.view.ground.then_some(lowest),
        };
        let camera = match &self.view.camera {
            Some(camera) => {
                Camera { eye: single(camera.from), target: single(camera.to), fov_y: FIELD_OF_VIEW }
            }
            None => Camera::framing(bounds, ground, aspect, FIELD_OF_VIEW),
        };
        let center = [0, 1, 2].map(|k| 0.5 * (bounds.min[k] + bounds.max[k]));
        Set { camera, ground, size, center, lines: self.lines() }
    }
}

/// Where pictures are taken from, and how large things are in them.
pub(super) struct Set {
    pub(super) camera: Camera,
    ground: Option<f32>,
    /// The extent of what is shown.
    pub(super) size: f32,
    pub(super) center: [f32; 3],
    /// Whether springs and particles are drawn instead of a surface.
    pub(super) lines: bool,
}

impl Set {
    /// The light: over the left shoulder of whoever looks.
    fn sun(&self) -> [f32; 3] {
        let [eye, target] =
            [self.camera.eye, self.camera.target].map(|x| Vec3::from(x.map(f64::from)));
        let back = Vec3::new(eye.x - target.x, 0.0, eye.z - target.z).unit();
        let left = back.cross(Vec3::AXES[1]);
        single(back * 0.62 + left * 0.5 + Vec3::AXES[1] * 0.8)
    }
}

pub(super) fn single(x: Vec3) -> [f32; 3] {
    x.to_array().map(|value| value as f32)
}

fn extent(positions: &[Vec3]) -> f32 {
    let mut bounds = Bounds::EMPTY;
    for &x in positions {
        bounds.include(single(x), 0.0);
    }
    (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f32::max)
}

/// The rest length of every edge, from the elements that join two particles.
fn rest_lengths(model: &hooke::Model, edges: &[[u32; 2]]) -> Vec<Option<f64>> {
    let mut known = std::collections::HashMap::new();
    for batch in model.elements() {
        let law = batch.law();
        if law.corners != 2 || law.rest_values != 1 {
            continue;
        }
        for element in 0..batch.len() {
            let view = batch.view(element);
            if let ([i, j], [length]) = (&view.corners[..], &view.rest[..]) {
                known.insert([*i, *j], *length);
            }
        }
    }
    edges.iter().map(|edge| known.get(edge).copied().filter(|length| *length > 0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cloth held at two corners, and a ball that falls far away from it.
    #[test]
    fn pins_are_small_however_far_anything_goes() {
        let scene = |pins: &str| {
            let text = format!(
                "format = 1\n[time]\nstep = 0.01\n[[deformables]]\n\
                 grid = {{ columns = 11, rows = 11, size = [1, 1] }}\nmass = 0.1\n\
                 structural = {{ stiffness = 100 }}\n{pins}\n\
                 [[deformables]]\npositions = [[2, 0, 0]]\nmasses = 1\n"
            );
            Scene::parse(text, "x").expect("a scene")
        };
        let radius = |pins: &str| {
            let scene = scene(pins);
            let compiled = scene.compile().expect("it compiles");
            let stage = Stage::new(&Header::of(&scene, &compiled), &scene);
            let mut positions = compiled.start.positions.clone();
            positions[121].y = -1000.0;
            let frame = Frame { positions, ..Frame::default() };
            let bounds = Bounds { min: [-1.0, -1000.0, -1.0], max: [2.0, 1.0, 1.0] };
            let picture = stage.picture(&frame, &[], &stage.set(&bounds, 1.0));
            let pins = picture.balls.iter().filter(|ball| ball.color == PIN);
            pins.map(|ball| ball.radius).fold(0.0, f32::max)
        };
        let corners = radius("pins = [{ at = 0 }, { at = 10 }]");
        assert!((0.005..0.05).contains(&corners), "{corners}");
        // Neighbors are a tenth of a meter apart.
        let close = radius("pins = [{ at = 0 }, { at = 1 }, { at = 2 }]");
        assert!((0.005..0.05).contains(&close), "{close}");
        let rail = radius("pins = [{ at = 60 }]");
        assert!((0.005..0.05).contains(&rail), "{rail}");
    }

    /// A few balls have stripes, so that one sees them turn; of very many that would take gigabytes.
    #[test]
    fn very_many_balls_are_drawn_without_triangles() {
        let count = |side: u32| {
            let text = format!(
                "format = 1\n[time]\nstep = 0.01\n[[rigid_bodies]]\nsphere = {{ radius = 0.1 }}\n\
                 repeat = {{ count = [{side}, {side}, {side}], step = [1, 1, 1] }}\n"
            );
            let scene = Scene::parse(text, "x").expect("a scene");
            let compiled = scene.compile().expect("it compiles");
            let stage = Stage::new(&Header::of(&scene, &compiled), &scene);
            let rigid_bodies = compiled.start.rigid_bodies.clone();
            let frame = Frame { rigid_bodies, ..Frame::default() };
            let bounds = Bounds { min: [0.0; 3], max: [side as f32; 3] };
            let picture = stage.picture(&frame, &[], &stage.set(&bounds, 1.0));
            let triangles: usize = picture.meshes.iter().map(|mesh| mesh.triangles.len()).sum();
            (triangles, picture.balls.len())
        };
        let (triangles, balls) = count(2);
        assert!(triangles > 1000 && balls == 0, "{triangles} {balls}");
        assert_eq!(count(10), (0, 1000));
    }
}
