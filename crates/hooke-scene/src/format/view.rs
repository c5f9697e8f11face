//! How pictures of a scene are taken.

use crate::field::{at_least, choice, table};
use hooke::Point;

table! {
    /// Where a picture is taken from.
    pub struct Camera as "camera" {
        /// Where the eye is.
        from: Point, unit "m", eg "[2, 1, 3]";
        /// What it looks at.
        to: Point, unit "m", eg "[0, -0.5, 0]";
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
        /// Springs coloured by how much they are stretched.
        Strain = "strain",
    }
}

table! {
    /// How pictures are taken; without it, from a place that shows everything.
    pub struct View as "view" {
        /// Where from.
        camera: Option<Camera>, eg "{ from = [2, 1, 3], to = [0, -0.5, 0] }";
        /// What is drawn.
        style: Style, or "\"auto\"";
        /// The moment a single picture shows; without it, the last.
        moment: Option<f64>, unit "s", within at_least(0.0), eg "1.5";
        /// Whether there is a ground below.
        ground: bool, or "true";
    }
}
