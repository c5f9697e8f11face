//! Obstacles: what particles do not enter, and how it moves.

use super::{Keyframes, Rotation, Turn};
use crate::field::{above, at_least, between, choice, table};
use crate::files::FileName;
use crate::limits::FRICTION;
use hooke::Point;

choice! {
    /// How a particle that has entered an obstacle leaves it.
    pub enum Response {
        /// Set onto the surface, its velocity reflected with restitution and friction.
        Bounce = "bounce",
        /// Set onto the surface and given the velocity of that push.
        PushOut = "push-out",
    }
}

table! {
    /// A horizontal floor.
    pub struct Floor as "floor" {
        /// Its height.
        height: f64, unit "m", or "0.0";
    }
}

table! {
    /// Everything behind a plane.
    pub struct HalfSpace as "half-space" {
        /// A point on the plane.
        point: Point, unit "m", or "[0, 0, 0]";
        /// The direction out of the obstacle.
        normal: Point, or "[0, 1, 0]";
    }
}

table! {
    /// A box, or a room.
    pub struct ObstacleBox as "box as an obstacle" {
        /// Its centre.
        centre: Point, unit "m", or "[0, 0, 0]";
        /// Width, height and depth.
        size: [f64; 3], unit "m", within above(0.0), eg "[1, 0.2, 1]";
        /// Whether it is a room: particles stay in it. Its edges are rounded by the thickness.
        inside_out: bool, or "false";
    }
}

table! {
    /// A ball.
    pub struct Sphere as "sphere" {
        /// Its centre.
        centre: Point, unit "m", or "[0, 0, 0]";
        /// Its radius.
        radius: f64, unit "m", within above(0.0), eg "0.5";
    }
}

table! {
    /// A bar with round ends.
    pub struct Capsule as "capsule" {
        /// The centre of one end.
        from: Point, unit "m", eg "[-0.5, 1, 0]";
        /// The centre of the other end.
        to: Point, unit "m", eg "[0.5, 1, 0]";
        /// Its radius.
        radius: f64, unit "m", within above(0.0), eg "0.05";
    }
}

table! {
    /// The inside of a closed surface of triangles.
    pub struct ObstacleMesh as "mesh as an obstacle" {
        /// A mesh file, beside the scene: .obj, .ply, .stl, .gltf, .glb, .msh.
        file: FileName, eg "\"ring.obj\"";
        /// How much larger it is than the file says.
        scale: f64, within between(1e-9, 1e9), or "1.0";
        /// Where the origin of the file comes to be: its centre.
        centre: Point, unit "m", or "[0, 0, 0]";
    }
}

table! {
    /// A turn that goes on for ever, from the start.
    pub struct Spin as "spin" {
        /// The direction of the axis, through the centre.
        axis: Point, or "[0, 1, 0]";
        /// How fast, counter-clockwise seen against the axis.
        rate: f64, unit "°/s", within between(-1e6, 1e6), eg "90";
    }
}

table! {
    /// Something particles do not enter.
    pub struct Obstacle as "obstacle" {
        /// A horizontal floor.
        floor: Option<Floor>, eg "{ height = -1.2 }";
        /// Everything behind a plane.
        half_space: Option<HalfSpace>, eg "{ point = [0, 0, 0], normal = [1, 0, 0] }";
        /// A box, or a room.
        r#box: Option<ObstacleBox>, eg "{ centre = [0, -1, 0], size = [0.6, 0.2, 0.6] }";
        /// A ball.
        sphere: Option<Sphere>, eg "{ centre = [0, -1, 0], radius = 0.3 }";
        /// A bar with round ends.
        capsule: Option<Capsule>, eg "{ from = [-0.5, -1, 0], to = [0.5, -1, 0], radius = 0.05 }";
        /// The inside of a closed surface.
        mesh: Option<ObstacleMesh>, eg "{ file = \"ring.obj\" }";
        /// How it is turned, about its centre.
        rotate: Option<Rotation>, eg "{ axis = [0, 0, 1], degrees = 20 }";
        /// How it moves: displacements (m), added to its place.
        keyframes: Option<Keyframes>,
            eg "{ times = [0, 1], points = [[0, 0, 0], [0, 0.5, 0]] }";
        /// How it turns: angles that follow keyframes.
        turn: Option<Turn>, eg "{ axis = [0, 1, 0], times = [0, 2], degrees = [0, 180] }";
        /// How it turns: steadily.
        spin: Option<Spin>, eg "{ axis = [0, 1, 0], rate = 90 }";
        /// How a particle that has entered leaves.
        response: Response, or "\"bounce\"";
        /// How much of the speed into it comes back.
        restitution: f64, within between(0.0, 1.0), or "0.0";
        /// Coulomb friction.
        friction: f64, within between(0.0, FRICTION), or "0.3";
        /// How far from the surface contact begins.
        thickness: f64, unit "m", within at_least(0.0), or "0.001";
        exactly one of [floor, half_space, r#box, sphere, capsule, mesh];
        at most one of [turn, spin];
    }
}

impl Obstacle {
    /// Whether it is a floor that stays where it is.
    pub fn is_level_floor(&self) -> bool {
        let moves = self.keyframes.is_some() || self.turn.is_some() || self.spin.is_some();
        self.floor.is_some() && self.rotate.is_none() && !moves
    }
}
