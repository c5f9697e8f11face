//! What acts everywhere: gravity, air, water; attractors.

use super::Course;
use crate::field::{above, at_least, between, choice, of, table};
use hooke::Vec3;
use hooke::laws::{Attractor as AttractorLaw, Law};

table! {
    /// Damping of all velocities.
    pub struct GlobalDamping as "global_damping" {
        /// Rate γ: velocities shrink by e^(−γt), for any step.
        rate: Option<f64>, unit "1/s", within at_least(0.0), eg "0.1";
        /// Factor per step; its effect depends on the step.
        factor: Option<f64>, within between(0.0, 1.0), eg "0.99";
        exactly one of [rate, factor];
    }
}

table! {
    /// Gusts: smooth seeded noise in space and time.
    pub struct Gust as "gust" {
        /// Largest disturbance along each axis.
        strength: f64, unit "m/s", within at_least(0.0), eg "2";
        /// Size of an eddy.
        length: f64, unit "m", within above(0.0), or "0.5";
        /// Duration of an eddy.
        period: f64, unit "s", within above(0.0), or "1";
        /// Seed of the noise.
        seed: u32, or "1";
    }
}

table! {
    /// The wind. It acts on deformables with the field `wind`.
    pub struct Wind as "wind" {
        /// Mean velocity, or keyframes of it.
        velocity: Course, unit "m/s", or "[0, 0, 0]";
        /// Seeded disturbances.
        gust: Option<Gust>, eg "{ strength = 2, length = 0.5, period = 1, seed = 7 }";
    }
}

table! {
    /// Water: buoyancy of deformables with a volume.
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
    /// The enforcement of pins.
    pub enum PinEnforcement {
        /// Their coordinates are no unknowns: exact, in every method.
        Elimination = "elimination",
        /// Forces on them are canceled: for explicit methods and filtered conjugate gradients.
        ForceCancellation = "force-cancellation",
    }
}

table! {
    /// Gravity, wind, water and other global settings.
    pub struct World as "world" {
        /// Gravity.
        gravity: Vec3, unit "m/s²", or "[0, -9.81, 0]";
        /// Damping of all velocities.
        global_damping: Option<GlobalDamping>, eg "{ rate = 0.1 }";
        /// The wind.
        wind: Option<Wind>, eg "{ velocity = [3, 0, 0] }";
        /// Water below a level.
        water: Option<Water>, eg "{ level = 0.0 }";
        /// The enforcement of pins.
        pins: PinEnforcement, or "\"elimination\"";
        /// Stiffness of contact in the solve; default: from weight, thickness and elements.
        contact_stiffness: Option<f64>, unit "N/m", within above(0.0), eg "1e4";
        /// Whether different deformables touch each other.
        contact_between: bool, or "false";
        /// Whether each step ends with an exact test for intersections, counted in the report.
        check_intersections: bool, or "false";
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
    /// A point that attracts, or repels if its strength is negative.
    pub struct Attractor as "attractor" {
        /// Softened inverse square, or proportional to distance.
        law: Attraction, or "\"attractor\"";
        /// Position, or its keyframes.
        position: Course, unit "m", eg "[0, 1, 0]";
        /// Only on this deformable.
        body: Option<String>, eg "\"cloth\"";
        /// Only on this group of vertices.
        group: Option<String>, eg "\"tip\"";
        /// Strength: m³/s² of the inverse square, N/m of the linear law.
        strength: f64, within of(AttractorLaw::PARAMS[0]), or "1.0";
        /// Distance below which the attraction no longer grows, default 0.1; inverse square only.
        softening: Option<f64>, unit "m", within of(AttractorLaw::PARAMS[1]), eg "0.1";
    }
}
