//! What game code calls: steps under a varying frame rate, picking, grabbing.

use crate::bodies::impulse::contact_matrix;
use crate::bodies::{Moving, Push};
use crate::chains::Carried;
use crate::math::{Mat3, Point};
use crate::model::{Invalid, Model, Motion};
use crate::simulation::{Simulation, StepError};

/// Something held by [`Simulation::grab`] or [`Simulation::grab_body`], until [`Simulation::release`].
#[derive(Debug, PartialEq, Eq)]
pub struct Grab {
    place: u32,
    /// Whether the place is the goal of a chain, which stays when it is let go.
    goal: bool,
}

/// What a hand holds, by a spring (N/m) to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) what: Grip,
    pub(crate) place: u32,
    pub(crate) stiffness: f64,
}

/// What a spring of a hand pulls at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Grip {
    /// A particle; the spring is an element of the model.
    Particle(u32),
    /// A rigid body, and where on it (m), in its own axes.
    Body(u32, Point),
}

impl Held {
    /// What the hand does to a rigid body in a step of `h` (s): a spring to its place, damped critically, both at the
    /// end of the step, `j = (1 + (h²k + hc) K)⁻¹ h (k (to − x − h v) − c v)`, v with what gravity adds.
    pub(crate) fn push(
        &self,
        model: &Model,
        bodies: &[Moving],
        places: &[Point],
        h: f64,
    ) -> Option<Push> {
        let Grip::Body(index, local) = self.what else { return None };
        let (body, moving) = (&model.bodies()[index as usize], &bodies[index as usize]);
        let (mass, at) = (body.mass().mass, moving.placement.world(local));
        let arm = at - moving.placement.position;
        let v = moving.twist.at(arm) + model.gravity() * h;
        let k = contact_matrix(1.0 / mass, &body.inverse_inertia_in(moving.placement.turn), arm);
        let damping = 2.0 * (self.stiffness * mass).sqrt();
        let gives = Mat3::IDENTITY + k * (h * h * self.stiffness + h * damping);
        let way = places[self.place as usize] - at - v * h;
        let impulse = gives.inverse() * ((way * self.stiffness - v * damping) * h);
        Some(Push { body: index, at, impulse })
    }

    /// What it is, for a person.
    pub(crate) fn name(&self) -> String {
        match self.what {
            Grip::Particle(particle) => format!("particle {particle}"),
            Grip::Body(body, _) => format!("rigid body {body}"),
        }
    }
}

/// What a ray met first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// The nearest particle to where the ray met the surface, or passed.
    pub particle: u32,
    /// How far along the ray (m).
    pub distance: f64,
    /// Where.
    pub point: Point,
}

impl Simulation {
    /// Steps as often as `seconds` of a frame ask for (at most `most` times, dropping the rest),
    /// and keeps the remainder for [`Simulation::interpolated`]. Returns the steps taken.
    pub fn advance(&mut self, seconds: f64, most: u32) -> Result<u32, StepError> {
        let h = self.step_length();
        let mut ahead = self.ahead + seconds.max(0.0);
        let mut taken = 0;
        self.ahead = 0.0;
        while ahead >= h && taken < most {
            self.step()?;
            ahead -= h;
            taken += 1;
        }
        self.ahead = ahead.min(h);
        Ok(taken)
    }

    /// A particle's position (m) at the moment [`Simulation::advance`] reached, between the last
    /// two steps.
    pub fn interpolated(&self, particle: u32) -> Option<Point> {
        let now = *self.state().positions.get(particle as usize)?;
        let before = *self.before.positions.get(particle as usize)?;
        Some(before.lerp(now, self.ahead / self.step_length()))
    }

    /// What a ray meets first: a triangle of the surface, or where there is none the particle it
    /// passes within `radius` (m).
    pub fn pick(&self, origin: Point, direction: Point, radius: f64) -> Option<Pick> {
        let direction = direction.unit();
        let x = &self.state().positions;
        let mut best: Option<Pick> = None;
        for triangle in self.model().triangles() {
            let [Some(&a), Some(&b), Some(&c)] = triangle.map(|corner| x.get(corner as usize))
            else {
                continue;
            };
            let Some(distance) = meet(origin, direction, [a, b, c]) else { continue };
            if best.is_some_and(|pick| pick.distance <= distance) {
                continue;
            }
            let point = origin + direction * distance;
            let near = [a, b, c].map(|corner| (corner - point).norm2());
            let nearest = (0..3).min_by(|&i, &j| near[i].total_cmp(&near[j])).unwrap_or(0);
            best = Some(Pick { particle: triangle[nearest], distance, point });
        }
        if best.is_some() {
            return best;
        }
        for (i, &at) in x.iter().enumerate() {
            let distance = (at - origin).dot(direction);
            let passes = (at - origin - direction * distance).norm() <= radius;
            if passes && distance >= 0.0 && best.is_none_or(|pick| distance < pick.distance) {
                best = Some(Pick { particle: i as u32, distance, point: at });
            }
        }
        best
    }

    /// Holds a particle by a spring of `stiffness` (N/m) to a place that starts where it is. A joint of a
    /// chain is held by its goal instead, or the last goal of its chain: the chain follows, and the goal
    /// then stays where it is let go.
    pub fn grab(&mut self, particle: u32, stiffness: f64) -> Result<Grab, Invalid> {
        let Some(&at) = self.state().positions.get(particle as usize) else {
            return Err(Invalid(format!("there is no particle {particle} to grab")));
        };
        if let Some(place) = self.goal_of(particle) {
            self.model_mut().move_place(place, Motion::still(at))?;
            self.control_mut().place_at(place, at);
            return Ok(Grab { place, goal: true });
        }
        let place = match self.free_places.pop() {
            Some(place) => place,
            None => self.model_mut().add_place(Motion::still(at))?,
        };
        self.control_mut().place_at(place, at);
        if let Err(invalid) = self.model_mut().attach(particle, place, stiffness) {
            self.free_places.push(place);
            return Err(invalid);
        }
        self.held.push(Held { what: Grip::Particle(particle), place, stiffness });
        Ok(Grab { place, goal: false })
    }

    /// Holds a rigid body where a point `at` (m) of the world is on it, by a damped spring of `stiffness` (N/m) to a
    /// place that starts there.
    pub fn grab_body(&mut self, body: u32, at: Point, stiffness: f64) -> Result<Grab, Invalid> {
        let Some(moving) = self.state().bodies.get(body as usize) else {
            return Err(Invalid(format!("there is no rigid body {body} to grab")));
        };
        if !at.is_finite() || !stiffness.is_finite() || stiffness <= 0.0 {
            return Err(Invalid("a hand holds somewhere finite, with a stiffness > 0".into()));
        }
        let local = moving.placement.local(at);
        let place = match self.free_places.pop() {
            Some(place) => place,
            None => self.model_mut().add_place(Motion::still(at))?,
        };
        self.control_mut().place_at(place, at);
        self.held.push(Held { what: Grip::Body(body, local), place, stiffness });
        Ok(Grab { place, goal: false })
    }

    /// Sends a grab's place to a position (m) by the end of the next step.
    pub fn move_grab(&mut self, grab: &Grab, to: Point) -> Result<(), Invalid> {
        self.control_mut().set_place(grab.place as usize, to)
    }

    /// Lets go.
    pub fn release(&mut self, grab: Grab) {
        if grab.goal {
            return;
        }
        self.held.retain(|held| held.place != grab.place);
        self.model_mut().detach(grab.place);
        self.free_places.push(grab.place);
    }
}

impl Simulation {
    /// The place that a joint's particle follows.
    fn goal_of(&self, particle: u32) -> Option<u32> {
        self.model().chains().iter().find_map(|rig| {
            let joint =
                |carried: &&Carried| carried.particle == particle && carried.offset == Point::ZERO;
            let joint = rig.carried.iter().find(joint)?.joint;
            let own = rig.goals.iter().find(|goal| goal.joint == joint);
            own.or(rig.goals.last()).map(|goal| goal.place)
        })
    }
}

/// How far along a ray a triangle lies (Möller & Trumbore 1997), from either side.
fn meet(origin: Point, direction: Point, [a, b, c]: [Point; 3]) -> Option<f64> {
    let (e1, e2) = (b - a, c - a);
    let p = direction.cross(e2);
    let det = e1.dot(p);
    if det == 0.0 {
        return None;
    }
    let s = origin - a;
    let u = s.dot(p) / det;
    let q = s.cross(e1);
    let v = direction.dot(q) / det;
    let t = e2.dot(q) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
}
