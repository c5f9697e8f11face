//! Joints between two bodies, or a body and the world, as a model has them.

use crate::math::Vec3;
use crate::model::{ModelError, RigidBodyId, invalid_joint};

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
        /// The least and greatest travel of the second along the axis (m), 0 at the start.
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
    pub bodies: [Option<RigidBodyId>; 2],
    /// Where it holds each of them (m).
    pub anchors: [Vec3; 2],
    /// The axis of a hinge or slider, and what the swing of a ball joint is measured from.
    pub axis: Vec3,
    /// What it leaves free.
    pub kind: JointKind,
    /// Whether the two bodies collide with each other.
    pub touch: bool,
}

impl Joint {
    /// A joint of two bodies at one point (m).
    pub fn new(bodies: [Option<RigidBodyId>; 2], at: Vec3, axis: Vec3, kind: JointKind) -> Self {
        Self { bodies, anchors: [at; 2], axis, kind, touch: false }
    }

    /// A ball joint without limits.
    pub fn ball(bodies: [Option<RigidBodyId>; 2], at: Vec3) -> Self {
        Self::new(bodies, at, Vec3::AXES[1], JointKind::Ball { swing: None })
    }

    /// A rod between two points (m).
    pub fn rod(bodies: [Option<RigidBodyId>; 2], anchors: [Vec3; 2]) -> Self {
        let length = (anchors[0] - anchors[1]).norm();
        let kind = JointKind::Distance { range: [length; 2] };
        Self { bodies, anchors, axis: Vec3::AXES[1], kind, touch: true }
    }

    pub(crate) fn check(&self, bodies: usize) -> Result<(), ModelError> {
        let [a, b] = self.bodies;
        if let Some(missing) = [a, b].into_iter().flatten().find(|&body| body.index() >= bodies) {
            return Err(ModelError::UnknownRigidBody { body: missing, count: bodies });
        }
        if a == b {
            return invalid_joint("a joint needs two different bodies, or a body and the world");
        }
        if !self.anchors.iter().all(|at| at.is_finite()) {
            return invalid_joint("the anchors of a joint must be finite");
        }
        if !self.axis.is_finite() || self.axis.unit() == Vec3::ZERO {
            return invalid_joint("the axis of a joint must be finite and not zero");
        }
        let range = match self.kind {
            JointKind::Ball { swing } => swing.map(|swing| [0.0, swing]),
            JointKind::Hinge { range } | JointKind::Slider { range } => range,
            JointKind::Distance { range } => {
                if range[0] < 0.0 || range[1] <= 0.0 {
                    return invalid_joint("the distance of a joint must be > 0 m");
                }
                Some(range)
            }
        };
        match range {
            Some([low, high]) if !(low <= high && low.is_finite() && high.is_finite()) => {
                invalid_joint(format!("the range of a joint must ascend (got {low} to {high})"))
            }
            _ => Ok(()),
        }
    }
}
