//! What a pen draws: strokes in the plane, from expressions, letters or outlines, and the way of the pen.

mod alphabet;
mod expression;
mod pen;

pub(crate) use alphabet::letter;
pub(crate) use expression::Expression;
pub(crate) use pen::{Pen, Way};

/// A line of points in the plane, drawn without lifting the pen.
pub(crate) type Stroke = Vec<[f64; 2]>;

/// How finely curves are cut: points of a full turn.
pub(crate) const ROUND: usize = 64;

/// The least and greatest coordinates of some strokes; `None` of none.
pub(crate) fn bounds(strokes: &[Stroke]) -> Option<[[f64; 2]; 2]> {
    let mut points = strokes.iter().flatten();
    let first = *points.next()?;
    Some(points.fold([first; 2], |[low, high], point| {
        [0, 1].map(|k| {
            let pick = |axis: usize| match k {
                0 => low[axis].min(point[axis]),
                _ => high[axis].max(point[axis]),
            };
            [pick(0), pick(1)]
        })
    }))
}
