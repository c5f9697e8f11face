//! Obstacles: what particles do not enter, and how it moves.

use super::{Keyframes, Rotation, RotationKeyframes, Shape};
use crate::field::{at_least, between, choice, table};
use crate::limits::FRICTION;
use hooke::Vec3;

choice! {
    /// The correction of a particle inside an obstacle.
    pub enum Response {
        /// Set onto the surface, its velocity reflected with restitution and friction.
        Bounce = "bounce",
        /// Set onto the surface and given the velocity of that push.
        PushOut = "push-out",
    }
}

table! {
    /// A steady rotation from the start on.
    pub struct Spin as "spin" {
        /// The direction of the axis, through the center.
        axis: Vec3, or "[0, 1, 0]";
        /// Angular speed, counterclockwise seen against the axis.
        rate: f64, unit "°/s", within between(-1e6, 1e6), eg "90";
    }
}

table! {
    /// An obstacle for particles.
    pub struct Obstacle as "obstacle" {
        /// Rotation about its center.
        rotate: Option<Rotation>, eg "{ axis = [0, 0, 1], degrees = 20 }";
        /// Motion: displacements (m), added to its position.
        keyframes: Option<Keyframes>,
            eg "{ times = [0, 1], points = [[0, 0, 0], [0, 0.5, 0]] }";
        /// Rotation: angles that follow keyframes.
        rotation_keyframes: Option<RotationKeyframes>, eg "{ axis = [0, 1, 0], times = [0, 2], degrees = [0, 180] }";
        /// Steady rotation.
        spin: Option<Spin>, eg "{ axis = [0, 1, 0], rate = 90 }";
        /// The correction of a particle inside.
        response: Response, or "\"bounce\"";
        /// Coefficient of restitution.
        restitution: f64, within between(0.0, 1.0), or "0.0";
        /// Coulomb friction.
        friction: f64, within between(0.0, FRICTION), or "0.3";
        /// Contact distance from the surface.
        thickness: f64, unit "m", within at_least(0.0), or "0.001";
        with shape: Shape;
        at most one of [rotation_keyframes, spin];
    }
}

impl Obstacle {
    /// Whether it is a floor that stays where it is.
    pub fn is_level_floor(&self) -> bool {
        let moves =
            self.keyframes.is_some() || self.rotation_keyframes.is_some() || self.spin.is_some();
        self.shape.floor.is_some() && self.rotate.is_none() && !moves
    }
}
