//! Where an obstacle stands and how it is turned, at all times.

use crate::math::{Mat3, Vec3};
use crate::model::{ModelError, Motion, invalid_value};

/// The position of an obstacle's center, and the orientation of its own axes. Both stay, or follow a
/// [`Motion`]: a turn of the motion turns the obstacle with it.
#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleMotion {
    center: Motion,
    /// The obstacle's own axes, as columns, before any turn of the motion.
    axes: Mat3,
}

/// A pose at one time: `x = origin + turn · local`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The center (m).
    pub origin: Vec3,
    /// The rotation from the obstacle's own axes to those of the world.
    pub rotation: Mat3,
}

impl ObstacleMotion {
    /// At a point, without rotation.
    pub fn still(center: Vec3) -> Self {
        Motion::still(center).into()
    }

    /// With the y axis of the obstacle along `up`, turned no further than that takes.
    pub fn facing(center: impl Into<Motion>, up: Vec3) -> Result<Self, ModelError> {
        // In two steps, so that the square of a huge or tiny vector is a number.
        let greatest =
            up.to_array().iter().fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
        if greatest == 0.0 || !up.is_finite() {
            return invalid_value("the direction of an obstacle must be finite and not zero");
        }
        let up =
            if (1e-100..1e100).contains(&greatest) { up } else { up * (1.0 / greatest) }.unit();
        Ok(Self { center: center.into(), axes: Mat3::from_y_to(up) })
    }

    /// The same pose, the obstacle first turned about an axis through its center by an angle (rad).
    pub fn rotated(self, axis: Vec3, angle: f64) -> Result<Self, ModelError> {
        let unit = axis.unit();
        if unit == Vec3::ZERO || !unit.is_finite() || !angle.is_finite() {
            return invalid_value("the axis of a rotation must be finite and not zero");
        }
        Ok(Self { axes: Mat3::rotation(unit, angle) * self.axes, ..self })
    }

    /// Where it is at time `t` (s).
    pub fn at(&self, t: f64) -> Frame {
        let origin = self.center.at(t);
        let rotation = self.center.rotation(t).map_or(self.axes, |rotation| rotation * self.axes);
        Frame { origin, rotation }
    }

    /// Whether it moves or turns.
    pub fn moves(&self) -> bool {
        self.center.moves()
    }

    /// Whether it turns.
    pub fn rotates(&self) -> bool {
        self.center.rotates()
    }

    /// How its center moves.
    pub fn center(&self) -> &Motion {
        &self.center
    }

    /// Whether it is somewhere finite at all times.
    pub fn is_finite(&self) -> bool {
        self.center.is_finite()
    }
}

impl Default for ObstacleMotion {
    fn default() -> Self {
        Self::still(Vec3::ZERO)
    }
}

impl From<Motion> for ObstacleMotion {
    fn from(center: Motion) -> Self {
        Self { center, axes: Mat3::IDENTITY }
    }
}

impl Frame {
    /// A point in the obstacle's own frame (m).
    #[inline]
    pub fn local(&self, x: Vec3) -> Vec3 {
        let arm = x - self.origin;
        let t = &self.rotation.0;
        Vec3::new(
            t[0][0] * arm.x + t[1][0] * arm.y + t[2][0] * arm.z,
            t[0][1] * arm.x + t[1][1] * arm.y + t[2][1] * arm.z,
            t[0][2] * arm.x + t[1][2] * arm.y + t[2][2] * arm.z,
        )
    }

    /// A point of the obstacle's own frame in the world (m).
    #[inline]
    pub fn world(&self, local: Vec3) -> Vec3 {
        self.origin + self.rotation * local
    }
}
