//! What acts everywhere: gravity, air, water; attractors.

use super::Course;
use crate::field::{above, at_least, between, choice, of, table};
use hooke::Point;
use hooke::laws::{Attractor as AttractorLaw, Law};

table! {
    /// Drag of the whole space on velocities.
    pub struct Ether as "ether" {
        /// Rate γ: velocities shrink by e^(−γt), for any step.
        rate: Option<f64>, unit "1/s", within at_least(0.0), eg "0.1";
        /// Factor once a step; its meaning depends on the step.
        factor: Option<f64>, within between(0.0, 1.0), eg "0.99";
        exactly one of [rate, factor];
    }
}

table! {
    /// Gusts: smooth seeded noise in place and time.
    pub struct Gust as "gust" {
        /// Greatest disturbance along each axis.
        strength: f64, unit "m/s", within at_least(0.0), eg "2";
        /// Size of an eddy.
        length: f64, unit "m", within above(0.0), or "0.5";
        /// How long an eddy lasts.
        period: f64, unit "s", within above(0.0), or "1";
        /// Which noise.
        seed: u32, or "1";
    }
}

table! {
    /// The wind. It acts on bodies that have `wind` themselves.
    pub struct Wind as "wind" {
        /// Mean velocity, or keyframes of it.
        velocity: Course, unit "m/s", or "[0, 0, 0]";
        /// Seeded disturbances.
        gust: Option<Gust>, eg "{ strength = 2, length = 0.5, period = 1, seed = 7 }";
    }
}

table! {
    /// Water that lifts bodies with volume.
    pub struct Water as "water" {
        /// Height of the surface.
        level: f64, unit "m", within between(-1e9, 1e9), or "0.0";
        /// Density.
        density: f64, unit "kg/m³", within at_least(0.0), or "1000";
        /// Depth over which a particle becomes submerged.
        depth: f64, unit "m", within between(1e-9, 1e9), or "0.1";
    }
}

choice! {
    /// How hard pins are held.
    pub enum PinsHeld {
        /// Their coordinates are no unknowns: exact, in every method.
        Elimination = "elimination",
        /// Forces on them are cancelled: for explicit methods and filtered conjugate gradients.
        ForceCancellation = "force-cancellation",
    }
}

table! {
    /// What acts everywhere.
    pub struct World as "world" {
        /// Gravity.
        gravity: Point, unit "m/s²", or "[0, -9.81, 0]";
        /// Drag of the whole space on velocities.
        ether: Option<Ether>, eg "{ rate = 0.1 }";
        /// The wind.
        wind: Option<Wind>, eg "{ velocity = [3, 0, 0] }";
        /// Water below a level.
        water: Option<Water>, eg "{ level = 0.0 }";
        /// How hard pins are held.
        pins: PinsHeld, or "\"elimination\"";
        /// How stiffly contact in the solve presses a particle out; by weight, thickness and elements when left out.
        contact_stiffness: Option<f64>, unit "N/m", within above(0.0), eg "1e4";
    }
}

choice! {
    /// How a pull depends on distance.
    pub enum Attraction {
        /// Softened inverse square.
        Softened = "attractor",
        /// Proportional to distance.
        Linear = "linear-attractor",
    }
}

table! {
    /// A place that pulls, or pushes where its strength is negative.
    pub struct Attractor as "attractor" {
        /// Softened inverse square, or proportional to distance.
        law: Attraction, or "\"attractor\"";
        /// Where, or keyframes of it.
        place: Course, unit "m", eg "[0, 1, 0]";
        /// Only on this body.
        body: Option<String>, eg "\"cloth\"";
        /// Only on this group of vertices.
        group: Option<String>, eg "\"tip\"";
        /// How strong: m³/s² of the inverse square, N/m of the linear law.
        strength: f64, within of(AttractorLaw::PARAMS[0]), or "1.0";
        /// Distance below which the pull no longer grows, 0.1 when left out; inverse square only.
        softening: Option<f64>, unit "m", within of(AttractorLaw::PARAMS[1]), eg "0.1";
    }
}
