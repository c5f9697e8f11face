//! What a pen draws: strokes in the plane, from expressions, letters or outlines, and the path of the pen.

mod alphabet;
mod expression;
mod font;
mod pen;

pub(crate) use alphabet::letter;
pub(crate) use expression::Expression;
pub(crate) use font::Font;
pub(crate) use pen::{Pen, Trace};

/// A line of points in the plane, drawn without lifting the pen.
pub(crate) type Stroke = Vec<[f64; 2]>;

/// How finely curves are cut: points of a full turn.
pub(crate) const ROUND: usize = 64;
