//! Joints between two bodies, or a body and the world, as a model has them.

use crate::math::Point;
use crate::model::{Invalid, invalid};

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Turns about a point.
    Ball {
        /// How far the axis may swing (rad).
        swing: Option<f64>,
    },
    /// Turns about an axis.
    Hinge {
        /// The least and greatest angle (rad), 0 at the start.
        range: Option<[f64; 2]>,
    },
    /// Slides along an axis, without a turn.
    Slider {
        /// The least and greatest way of the second along the axis (m), 0 at the start.
        range: Option<[f64; 2]>,
    },
    /// Keeps the distance of two points.
    Distance {
        /// The least and greatest distance (m): equal for a rod, from 0 for a string.
        range: [f64; 2],
    },
}

/// A joint, told where the bodies start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The two bodies; `None` is the world.
    pub bodies: [Option<u32>; 2],
    /// Where it holds each of them (m).
    pub anchors: [Point; 2],
    /// The axis of a hinge or slider, and what the swing of a ball joint is measured from.
    pub axis: Point,
    /// What it leaves free.
    pub kind: JointKind,
    /// Whether the two bodies touch each other.
    pub touch: bool,
}

impl Joint {
    /// A joint of two bodies at one place (m).
    pub fn new(bodies: [Option<u32>; 2], at: Point, axis: Point, kind: JointKind) -> Self {
        Self { bodies, anchors: [at; 2], axis, kind, touch: false }
    }

    /// A ball joint without limits.
    pub fn ball(bodies: [Option<u32>; 2], at: Point) -> Self {
        Self::new(bodies, at, Point::AXES[1], JointKind::Ball { swing: None })
    }

    /// A rod between two places (m).
    pub fn rod(bodies: [Option<u32>; 2], anchors: [Point; 2]) -> Self {
        let length = (anchors[0] - anchors[1]).norm();
        let kind = JointKind::Distance { range: [length; 2] };
        Self { bodies, anchors, axis: Point::AXES[1], kind, touch: true }
    }

    pub(crate) fn check(&self, bodies: usize) -> Result<(), Invalid> {
        let [a, b] = self.bodies;
        if let Some(missing) = [a, b].into_iter().flatten().find(|&body| body as usize >= bodies) {
            return invalid(format!("there is no body {missing}: the model has {bodies} bodies"));
        }
        if a == b {
            return invalid("a joint needs two different bodies, or a body and the world");
        }
        if !self.anchors.iter().all(|at| at.is_finite()) {
            return invalid("the anchors of a joint must be finite");
        }
        if !self.axis.is_finite() || self.axis.unit() == Point::ZERO {
            return invalid("the axis of a joint must be finite and not zero");
        }
        let range = match self.kind {
            JointKind::Ball { swing } => swing.map(|swing| [0.0, swing]),
            JointKind::Hinge { range } | JointKind::Slider { range } => range,
            JointKind::Distance { range } => {
                if range[0] < 0.0 || range[1] <= 0.0 {
                    return invalid("the distance of a joint must be > 0 m");
                }
                Some(range)
            }
        };
        match range {
            Some([low, high]) if !(low <= high && low.is_finite() && high.is_finite()) => {
                invalid(format!("the range of a joint must ascend (got {low} to {high})"))
            }
            _ => Ok(()),
        }
    }
}
