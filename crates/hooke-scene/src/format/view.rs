//! How pictures of a scene are taken.

use crate::field::{at_least, choice, table};
use hooke::Vec3;

table! {
    /// The camera.
    pub struct Camera as "camera" {
        /// Where the eye is.
        from: Vec3, unit "m", eg "[2, 1, 3]";
        /// The point it looks at.
        to: Vec3, unit "m", eg "[0, -0.5, 0]";
    }
}

choice! {
    /// What is drawn.
    pub enum Style {
        /// The surface where there is one, springs elsewhere.
        Auto = "auto",
        /// The surface, shaded as cloth.
        Cloth = "cloth",
        /// Springs and particles.
        Springs = "springs",
        /// Springs colored by strain.
        Strain = "strain",
    }
}

table! {
    /// The camera; default: a view of everything.
    pub struct View as "view" {
        /// Where from.
        camera: Option<Camera>, eg "{ from = [2, 1, 3], to = [0, -0.5, 0] }";
        /// What is drawn.
        style: Style, or "\"auto\"";
        /// Time of a single picture; default: the end.
        moment: Option<f64>, unit "s", within at_least(0.0), eg "1.5";
        /// Whether there is a ground below.
        ground: bool, or "true";
    }
}
