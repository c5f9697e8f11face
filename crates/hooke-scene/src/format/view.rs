//! How pictures of a scene are taken.

use crate::field::{at_least, choice, table};
use hooke::Vec3;

table! {
    /// The camera.
    pub struct Camera as "camera" {
        /// Position of the camera.
        from: Vec3, unit "m", eg "[2, 1, 3]";
        /// Target of the camera.
        to: Vec3, unit "m", eg "[0, -0.5, 0]";
    }
}

choice! {
    /// The style of the picture.
    pub enum Style {
        /// The surface where there is one, springs elsewhere.
        Auto = "auto",
        /// The surface, shaded as cloth.
        Cloth = "cloth",
        /// Springs and particles.
        Springs = "springs",
        /// Colored by strain: blue is compressed, red stretched, in full at 4 %.
        Strain = "strain",
    }
}

table! {
    /// The camera; default: a view of everything.
    pub struct View as "view" {
        /// Position and target of the camera.
        camera: Option<Camera>, eg "{ from = [2, 1, 3], to = [0, -0.5, 0] }";
        /// The style of the picture.
        style: Style, or "\"auto\"";
        /// Time of a single picture; default: the end.
        moment: Option<f64>, unit "s", within at_least(0.0), eg "1.5";
        /// Whether a ground is drawn.
        ground: bool, or "true";
    }
}
