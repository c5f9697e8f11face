//! Bodies by shape matching: their points, how those move alone, and what they do at contacts.
//!
//! The points of a body are the corners of its shape, or places on its surface, with equal masses, and one at
//! the centre: it has what is left of the mass when the others are given as much inertia as the solid has. So a
//! box, a ball and a mesh weigh and turn about as they should.

use super::body::{Body, Moving, Placement, Twist};
use super::ensemble::{BodySettings, Push};
use super::shape_matching::Rest;
use crate::contact::bounce;
use crate::math::{Mat3, Point, Quat};
use crate::model::{Frame, Model, Response, Shape};
use crate::report::BodyReport;

/// The points of a body.
pub(super) struct Matched {
    rest: Rest,
    /// Positions (m) and velocities (m/s); none before the first step.
    x: Vec<Point>,
    v: Vec<Point>,
    y: Vec<Point>,
    /// What the body was after the last step: something else is a new start.
    last: Option<Moving>,
}

impl Matched {
    /// Of a body.
    pub(super) fn new(body: &Body) -> Self {
        let mut points = surface_points(&body.shape);
        // Equal shares have the trace Σ 2 m r²; the solid has tr 𝕀.
        let spread: f64 = points.iter().map(|r| 2.0 * r.norm2()).sum();
        let mass = body.mass().mass;
        let most = mass / points.len() as f64;
        let share = (body.mass().inertia.trace() / spread).min(most);
        let mut masses = vec![share; points.len()];
        let left = mass - share * points.len() as f64;
        if left > 1e-12 * mass {
            points.push(Point::ZERO);
            masses.push(left);
        }
        let rest = Rest::new(&points, &masses);
        Self { rest, x: Vec::new(), v: Vec::new(), y: Vec::new(), last: None }
    }

    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// Starts the points where the body is, unless they are there.
    fn begin(&mut self, moving: &Moving) {
        if self.last.as_ref() == Some(moving) {
            return;
        }
        self.x.clear();
        self.v.clear();
        for &r in self.rest.arms() {
            let arm = moving.placement.turn.turn(r);
            self.x.push(moving.placement.position + arm);
            self.v.push(moving.twist.at(arm));
        }
    }

    /// Gives all points the velocities of a rigid impulse (N·s) at a place (m).
    fn push(&mut self, body: &Body, placement: &Placement, at: Point, impulse: Point) {
        let spin =
            body.inverse_inertia_in(placement.turn) * (at - placement.position).cross(impulse);
        for (v, x) in self.v.iter_mut().zip(&self.x) {
            *v += impulse * (1.0 / body.mass().mass) + spin.cross(*x - placement.position);
        }
    }

    pub(super) fn save(&self, memory: &mut Vec<f64>) {
        match &self.last {
            None => memory.push(0.0),
            Some(last) => {
                memory.push(1.0);
                let Moving { placement: Placement { position, turn }, twist } = last;
                let points = [*position, turn.v, twist.linear, twist.angular];
                memory.push(turn.w);
                let all = points.iter().chain(&self.x).chain(&self.v);
                memory.extend(all.flat_map(|point| point.to_array()));
            }
        }
    }

    /// Reads what `save` wrote; what is left of the memory.
    pub(super) fn restore<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        self.last = None;
        let (&known, rest) = memory.split_first()?;
        if known == 0.0 {
            return Some(rest);
        }
        let (&w, rest) = rest.split_first()?;
        let n = self.rest.arms().len();
        let (numbers, rest) = rest.split_at_checked(3 * (4 + 2 * n))?;
        let points: Vec<Point> =
            numbers.chunks_exact(3).map(|c| Point::new(c[0], c[1], c[2])).collect();
        let placement = Placement { position: points[0], turn: Quat { w, v: points[1] } };
        let twist = Twist { linear: points[2], angular: points[3] };
        self.last = Some(Moving { placement, twist });
        self.x = points[4..4 + n].to_vec();
        self.v = points[4 + n..].to_vec();
        Some(rest)
    }
}

/// Points on the surface of a shape.
fn surface_points(shape: &Shape) -> Vec<Point> {
    // The corners of an icosahedron and the middles of its edges.
    let sphere = |radius: f64| {
        let g = 0.5 * (1.0 + 5f64.sqrt());
        let mut corners = Vec::new();
        for [a, b] in [[1.0, g], [-1.0, g], [1.0, -g], [-1.0, -g]] {
            for point in [Point::new(0.0, a, b), Point::new(a, b, 0.0), Point::new(b, 0.0, a)] {
                corners.push(point.unit());
            }
        }
        let mut points: Vec<Point> = corners.clone();
        for (i, a) in corners.iter().enumerate() {
            for b in &corners[i + 1..] {
                if a.dot(*b) > 0.4 {
                    points.push((*a + *b).unit());
                }
            }
        }
        points.into_iter().map(move |x| x * radius)
    };
    match shape {
        Shape::Mesh(mesh) => mesh.vertices().to_vec(),
        Shape::Sphere { radius } => sphere(*radius).collect(),
        Shape::Capsule { radius, half_length } => sphere(*radius)
            .flat_map(|x| {
                let up = Point::AXES[1] * *half_length;
                [x + up, x - up]
            })
            .collect(),
        Shape::Box { half, .. } => (0..8)
            .map(|k| {
                let side = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                half.times(Point::new(side(0), side(1), side(2)))
            })
            .collect(),
        Shape::HalfSpace => Vec::new(),
    }
}

/// Takes a step of `h` (s) of all bodies.
#[allow(clippy::too_many_arguments)]
pub(super) fn step(
    all: &mut [Matched],
    settings: &BodySettings,
    model: &Model,
    moving: &mut [Moving],
    frames: &[[Frame; 2]],
    pushes: &[Push],
    h: f64,
    report: &mut BodyReport,
) {
    let (bodies, gravity) = (model.bodies(), model.gravity());
    let parts = settings.parts;
    let h = h / f64::from(parts);
    let still = 2.0 * h * gravity.norm();
    for (index, (matched, body)) in all.iter_mut().zip(&*moving).enumerate() {
        matched.begin(body);
        for push in pushes.iter().filter(|push| push.body as usize == index) {
            matched.push(&bodies[index], &body.placement, push.at, push.impulse);
        }
    }
    for part in 0..parts {
        let (mut touching, mut deepest) = (0, 0.0f64);
        let share = f64::from(part + 1) / f64::from(parts);
        for matched in all.iter_mut() {
            for ((y, x), v) in matched.y.iter_mut().zip(&matched.x).zip(&mut matched.v) {
                *v += gravity * h;
                *y = *x + *v * h;
            }
            if matched.y.len() != matched.x.len() {
                matched.y = matched.x.iter().zip(&matched.v).map(|(x, v)| *x + *v * h).collect();
            }
        }
        // Obstacles set points back.
        for (matched, body) in all.iter_mut().zip(bodies) {
            for (obstacle, [before, now]) in model.obstacles().iter().zip(frames) {
                let frame = between(before, now, share);
                let own = |x: Point| {
                    let local = frame.local(x);
                    (now.world(local) - before.world(local)) * (1.0 / (h * f64::from(parts)))
                };
                for k in 0..matched.y.len() {
                    let (gap, out) = obstacle.distance_in(&frame, matched.y[k]);
                    if gap >= 0.0 {
                        continue;
                    }
                    touching += 1;
                    deepest = deepest.max(-gap);
                    let (mut e, mu) = match obstacle.response {
                        Response::Bounce { restitution, friction } => {
                            (body.restitution.max(restitution), (body.friction * friction).sqrt())
                        }
                        Response::PushOut => (0.0, 0.0),
                    };
                    let relative = matched.v[k] - own(matched.y[k]);
                    if -relative.dot(out) < still {
                        e = 0.0;
                    }
                    let change = bounce(relative, out, e, mu) - relative;
                    matched.v[k] += change;
                    // Onto the surface, having slid since it was met with the new velocity.
                    let slid = change - out * change.dot(out);
                    matched.y[k] += out * -gap + slid * h;
                }
            }
        }
        // Points in other bodies: both are pushed.
        for i in 0..all.len() {
            for j in (0..all.len()).filter(|&j| j != i) {
                let at = moving[j].placement;
                let near = bodies[i].shape.reach() + bodies[j].shape.reach();
                if (moving[i].placement.position - at.position).norm() > near {
                    continue;
                }
                let frame = at.frame();
                for k in 0..all[i].y.len() {
                    let place = all[i].y[k];
                    let (gap, out) = bodies[j].shape.distance(frame.local(place), 0.0);
                    if gap >= 0.0 {
                        continue;
                    }
                    let out = frame.turn * out;
                    touching += 1;
                    deepest = deepest.max(-gap);
                    let e = bodies[i].restitution.max(bodies[j].restitution);
                    let mu = (bodies[i].friction * bodies[j].friction).sqrt();
                    let relative = all[i].v[k] - moving[j].twist.at(place - at.position);
                    let e = if -relative.dot(out) < still { 0.0 } else { e };
                    let change = bounce(relative, out, e, mu) - relative;
                    // A point against a whole body: the point's own mass takes its share.
                    let m = all[i].rest.masses()[k];
                    let taken = m / bodies[j].mass().mass;
                    let change = change * (1.0 / (1.0 + taken));
                    all[i].v[k] += change;
                    all[i].y[k] += out * (-gap / (1.0 + taken));
                    all[j].push(&bodies[j], &at, place, change * -m);
                }
            }
        }
        for ((matched, body), now) in all.iter_mut().zip(bodies).zip(moving.iter_mut()) {
            let found = matched.rest.find(&matched.y, settings.polar);
            let Matched { rest, x, v, y, last } = matched;
            for k in 0..y.len() {
                let goal = found.goal(rest.arms()[k]);
                let to = y[k] + (goal - y[k]) * settings.stiffness;
                v[k] = (to - x[k]) * (1.0 / h);
                x[k] = to;
            }
            let placement =
                Placement { position: found.centre, turn: Quat::of_matrix(&found.rotation) };
            *now =
                Moving { placement, twist: twist_of(rest, x, v, body.mass().mass, found.centre) };
            *last = Some(*now);
        }
        report.contacts = report.contacts.max(touching);
        report.deepest = report.deepest.max(deepest);
    }
}

/// The twist with the momentum and angular momentum of the points.
fn twist_of(rest: &Rest, x: &[Point], v: &[Point], mass: f64, centre: Point) -> Twist {
    let (mut linear, mut spin, mut inertia) = (Point::ZERO, Point::ZERO, Mat3::ZERO);
    for ((&x, &v), &m) in x.iter().zip(v).zip(rest.masses()) {
        let arm = x - centre;
        linear += v * m;
        spin += arm.cross(v) * m;
        inertia += (Mat3::diagonal(arm.norm2()) - arm.outer(arm)) * m;
    }
    Twist { linear: linear * (1.0 / mass), angular: inertia.inverse() * spin }
}

/// A frame a share of the way through a step.
fn between(before: &Frame, now: &Frame, share: f64) -> Frame {
    if before == now {
        return *now;
    }
    let origin = before.origin.lerp(now.origin, share);
    let [a, b] = [before, now].map(|frame| Quat::of_matrix(&frame.turn));
    Frame { origin, turn: a.towards(b, share).matrix() }
}
