//! Where an obstacle stands and how it is turned, at all times.

use crate::math::{Mat3, Point};
use crate::model::{Invalid, Motion, invalid};

/// The place of an obstacle's centre, and the orientation of its own axes. Both stay, or follow a
/// [`Motion`]: a turn of the motion turns the obstacle with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    centre: Motion,
    /// The obstacle's own axes, as columns, before any turn of the motion.
    axes: Mat3,
}

/// A pose at one time: `x = origin + turn · local`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The centre (m).
    pub origin: Point,
    /// The rotation from the obstacle's own axes to those of the world.
    pub turn: Mat3,
}

impl Pose {
    /// Standing at a place, not turned.
    pub fn still(centre: Point) -> Self {
        Motion::still(centre).into()
    }

    /// With the y axis of the obstacle along `up`, turned no further than that takes.
    pub fn facing(centre: impl Into<Motion>, up: Point) -> Result<Self, Invalid> {
        // In two steps, so that the square of a huge or tiny vector is a number.
        let greatest =
            up.to_array().iter().fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
        if greatest == 0.0 || !up.is_finite() {
            return invalid("the direction of an obstacle must be finite and not zero");
        }
        let up =
            if (1e-100..1e100).contains(&greatest) { up } else { up * (1.0 / greatest) }.unit();
        Ok(Self { centre: centre.into(), axes: Mat3::from_y_to(up) })
    }

    /// The same pose, the obstacle first turned about an axis through its centre by an angle (rad).
    pub fn turned(self, axis: Point, angle: f64) -> Result<Self, Invalid> {
        let unit = axis.unit();
        if unit == Point::ZERO || !unit.is_finite() || !angle.is_finite() {
            return invalid("the axis of a rotation must be finite and not zero");
        }
        Ok(Self { axes: Mat3::rotation(unit, angle) * self.axes, ..self })
    }

    /// Where it is at time `t` (s).
    pub fn at(&self, t: f64) -> Frame {
        let origin = self.centre.at(t);
        let turn = self.centre.rotation(t).map_or(self.axes, |turn| turn * self.axes);
        Frame { origin, turn }
    }

    /// Whether it moves or turns.
    pub fn moves(&self) -> bool {
        self.centre.moves()
    }

    /// Whether it turns.
    pub fn turns(&self) -> bool {
        self.centre.turns()
    }

    /// How its centre moves.
    pub fn centre(&self) -> &Motion {
        &self.centre
    }

    /// Whether it is somewhere finite at all times.
    pub fn is_finite(&self) -> bool {
        self.centre.is_finite()
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::still(Point::ZERO)
    }
}

impl From<Motion> for Pose {
    fn from(centre: Motion) -> Self {
        Self { centre, axes: Mat3::IDENTITY }
    }
}

impl Frame {
    /// A place in the obstacle's own frame (m).
    #[inline]
    pub fn local(&self, x: Point) -> Point {
        let arm = x - self.origin;
        let t = &self.turn.0;
        Point::new(
            t[0][0] * arm.x + t[1][0] * arm.y + t[2][0] * arm.z,
            t[0][1] * arm.x + t[1][1] * arm.y + t[2][1] * arm.z,
            t[0][2] * arm.x + t[1][2] * arm.y + t[2][2] * arm.z,
        )
    }

    /// A place of the obstacle's own frame in the world (m).
    #[inline]
    pub fn world(&self, local: Point) -> Point {
        self.origin + self.turn * local
    }
}
