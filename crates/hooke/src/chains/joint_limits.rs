//! How a joint may turn, and the nearest turn that is allowed.

use super::ChainPose;
use crate::error::{ModelError, invalid_chain};
use crate::math::{Quat, Vec3, across};
use std::f64::consts::PI;

/// How a joint may turn away from its rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointLimits {
    /// Not at all.
    Fixed,
    /// Rotates about one axis.
    Hinge {
        /// The axis at rest, in the frame of the joint.
        axis: Vec3,
        /// The least and the greatest angle (rad), within −π to π.
        limits: [f64; 2],
    },
    /// About any axis, within a cone and a twist.
    Ball {
        /// The direction of the bone in the joint's frame at rest.
        bone: Vec3,
        /// How far the bone may lean away from its rest (rad), 0 to π.
        swing: f64,
        /// The least and the greatest turn about the bone (rad), within −π to π.
        twist: [f64; 2],
    },
}

/// An axis about which a joint may turn further.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// A unit vector in the joint's frame at rest.
    pub(super) along: Vec3,
    /// How far it may turn back and on before it is at a limit (rad).
    pub(super) bounds: [f64; 2],
}

impl JointLimits {
    /// About any axis.
    pub const FREE: Self = Self::Ball { bone: Vec3::AXES[0], swing: PI, twist: [-PI, PI] };

    /// Whether nothing is forbidden.
    pub fn is_free(&self) -> bool {
        matches!(self, Self::Ball { swing, twist, .. } if *swing >= PI && all_around(*twist))
    }

    /// The allowed turn away from rest that is nearest to `q`.
    pub fn nearest(&self, q: Quat) -> Quat {
        match *self {
            Self::Fixed => Quat::IDENTITY,
            Self::Hinge { axis, limits: [low, high] } => {
                let axis = axis.unit();
                let rotation = Quat { w: q.w, v: axis * q.v.dot(axis) }.unit();
                if all_around([low, high]) {
                    return rotation;
                }
                let angle = rotation.angle_about(axis);
                let near = within(angle, low, high);
                if near == angle { rotation } else { Quat::about(axis, near) }
            }
            Self::Ball { .. } if self.is_free() => q,
            Self::Ball { bone, swing: most, twist: [low, high] } => {
                let axis = bone.unit();
                let [mut swing, mut twist] = q.swing_and_twist(axis);
                let angle = twist.angle_about(axis);
                if !(low..=high).contains(&angle) {
                    twist = Quat::about(axis, within(angle, low, high));
                }
                if swing.angle() > most {
                    swing = Quat::about(swing.vector(), most);
                }
                swing * twist
            }
        }
    }

    /// The axes about which a joint that is turned by `q` may turn further: one of a hinge, three of a ball
    /// joint, which are across each other. Bounds are exact along one axis at a time and but for terms of
    /// second order.
    pub(super) fn axes(&self, q: Quat) -> impl Iterator<Item = Axis> {
        let free = |along| Axis { along, bounds: [f64::NEG_INFINITY, f64::INFINITY] };
        let none = free(Vec3::ZERO);
        let (axes, count) = match *self {
            Self::Fixed => ([none; 3], 0),
            Self::Hinge { axis, limits } => {
                let along = axis.unit();
                ([Axis { along, bounds: left(limits, || q.angle_about(along)) }, none, none], 1)
            }
            Self::Ball { bone, swing: most, twist } => {
                let rest = bone.unit();
                let now = q.rotate(rest);
                let (middle, lean) = ((rest + now).unit(), rest.cross(now));
                // The twist of a bone that points backwards is nothing that an axis changes.
                if self.is_free() || middle == Vec3::ZERO {
                    (Vec3::AXES.map(free), 3)
                } else {
                    let swing = libm::atan2(lean.norm(), rest.dot(now));
                    let lean = if swing < 1e-9 { across(rest) } else { lean.unit() };
                    let wide = if most < PI { most + swing } else { f64::INFINITY };
                    let further = if most < PI { (most - swing).max(0.0) } else { f64::INFINITY };
                    // About the middle of where the bone was and is, twist changes faster than the angle.
                    let slow = libm::cos(0.5 * swing);
                    let twist = left(twist, || q.angle_about(rest)).map(|angle| angle * slow);
                    let axes = [
                        Axis { along: lean, bounds: [-wide, further] },
                        Axis { along: middle, bounds: twist },
                        Axis { along: lean.cross(middle), bounds: [-wide, wide] },
                    ];
                    (axes, 3)
                }
            }
        };
        axes.into_iter().take(count)
    }

    /// The turn within limits that three numbers from 0 to 1 pick.
    pub(super) fn pick(&self, [u, v, w]: [f64; 3]) -> Quat {
        let between = |[low, high]: [f64; 2], part: f64| low + (high - low) * part;
        match *self {
            Self::Fixed => Quat::IDENTITY,
            Self::Hinge { axis, limits } => Quat::about(axis, between(limits, u)),
            Self::Ball { bone, swing, twist } => {
                let rest = bone.unit();
                let lean = Quat::about(rest, 2.0 * PI * w).rotate(across(rest));
                Quat::about(lean, swing * v.sqrt()) * Quat::about(rest, between(twist, u))
            }
        }
    }

    /// How far `q` is beyond what is allowed (rad).
    pub fn excess(&self, q: Quat) -> f64 {
        (q * self.nearest(q).inverse()).angle()
    }

    pub(super) fn check(&self, joint: usize) -> Result<(), ModelError> {
        let range = |name: &str, [low, high]: [f64; 2]| {
            if -PI <= low && low <= high && high <= PI {
                return Ok(());
            }
            invalid_chain(format!(
                "joint {joint}: {name} must go from a lesser to a greater angle within −π to π (got \
                 {low} to {high})"
            ))
        };
        let direction = |name: &str, v: Vec3| {
            if v.is_finite() && v.norm() > 0.0 {
                return Ok(());
            }
            invalid_chain(format!("joint {joint}: the {name} must be a direction, not zero"))
        };
        match *self {
            Self::Fixed => Ok(()),
            Self::Hinge { axis, limits } => {
                direction("axis of a hinge", axis)?;
                range("the limits of a hinge", limits)
            }
            Self::Ball { bone, swing, twist } => {
                direction("bone of a ball joint", bone)?;
                if !(0.0..=PI).contains(&swing) {
                    return invalid_chain(format!(
                        "joint {joint}: the swing must be from 0 to π rad (got {swing})"
                    ));
                }
                range("the twist", twist)
            }
        }
    }
}

/// Whether a range of angles is the whole circle.
fn all_around([low, high]: [f64; 2]) -> bool {
    low <= -PI && high >= PI
}

/// What a range leaves below and above an angle (rad).
fn left([low, high]: [f64; 2], angle: impl Fn() -> f64) -> [f64; 2] {
    if all_around([low, high]) {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    let angle = angle();
    [(low - angle).min(0.0), (high - angle).max(0.0)]
}

/// The angle within a range that is nearest on the circle.
fn within(angle: f64, low: f64, high: f64) -> f64 {
    if (low..=high).contains(&angle) {
        return angle;
    }
    let away = |bound: f64| {
        let d = (angle - bound).abs();
        d.min(2.0 * PI - d)
    };
    if away(low) <= away(high) { low } else { high }
}

impl ChainPose {
    /// The greatest excess over the limits of a chain (rad).
    pub fn excess(&self, chain: &super::Chain) -> f64 {
        let joints = chain.joints().iter().zip(self.local_rotations());
        joints.map(|(joint, &rotation)| joint.limits.excess(rotation)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_stays_and_the_rest_comes_back() {
        let bone = Vec3::new(0.0, 1.0, 0.0);
        let ball = JointLimits::Ball { bone, swing: 0.5, twist: [-0.2, 0.4] };
        let hinge = JointLimits::Hinge { axis: Vec3::new(0.0, 0.0, 2.0), limits: [-0.1, 2.0] };
        for k in 0..200 {
            let s = f64::from(k);
            let axis = Vec3::new(libm::sin(3.1 * s), libm::cos(1.7 * s), libm::sin(0.3 * s));
            let q = Quat::about(axis, 3.1 * libm::sin(0.77 * s));
            for limits in [JointLimits::Fixed, JointLimits::FREE, ball, hinge] {
                let near = limits.nearest(q);
                assert!(limits.excess(near) < 1e-7, "{limits:?}");
                assert!((near.w * near.w + near.v.norm2() - 1.0).abs() < 1e-12);
            }
            let [swing, twist] = ball.nearest(q).swing_and_twist(bone);
            assert!(swing.angle() < 0.5 + 1e-9);
            assert!((-0.2 - 1e-9..0.4 + 1e-9).contains(&twist.angle_about(bone)));
        }
        assert_eq!(within(3.0, -1.0, 1.0), 1.0);
        assert_eq!(within(-3.0, -1.0, 1.0), -1.0);
        assert_eq!(within(-3.1, 0.0, 3.0), 3.0, "the circle closes");
    }

    #[test]
    fn picked_turns_are_allowed_and_axes_say_what_is_left() {
        let bone = Vec3::new(0.3, -0.4, 0.9).unit();
        let ball = JointLimits::Ball { bone, swing: 1.2, twist: [-0.5, 0.7] };
        let hinge = JointLimits::Hinge { axis: Vec3::new(0.0, 0.0, 2.0), limits: [-0.1, 2.0] };
        let part = |k: u32, by: f64| (f64::from(k) * by).fract();
        for k in 1..200 {
            let numbers = [part(k, 0.618), part(k, 0.755), part(k, 0.57)];
            for limits in [JointLimits::Fixed, JointLimits::FREE, ball, hinge] {
                assert!(limits.excess(limits.pick(numbers)) < 1e-7, "{limits:?}");
            }
            let q = hinge.pick(numbers);
            let axis = hinge.axes(q).next().unwrap();
            for (bound, limit) in axis.bounds.into_iter().zip([-0.1, 2.0]) {
                let there = (Quat::about(axis.along, bound) * q).angle_about(axis.along);
                assert!((there - limit).abs() < 1e-12);
            }
            let q = ball.pick(numbers);
            let angles = |q: Quat| {
                let [swing, twist] = q.swing_and_twist(bone);
                [swing.angle(), twist.angle_about(bone)]
            };
            let [swing, twist] = angles(q);
            for (n, axis) in ball.axes(q).enumerate() {
                let there = angles(Quat::about(axis.along, 1e-7) * q);
                let [leans, twists] = [1e7 * (there[0] - swing), 1e7 * (there[1] - twist)];
                let wanted = [[1.0, 0.0], [0.0, 1.0 / libm::cos(0.5 * swing)], [0.0, 0.0]][n];
                assert!((leans - wanted[0]).abs() < 1e-4, "{n}: {leans}");
                assert!((twists - wanted[1]).abs() < 1e-4, "{n}: {twists}");
            }
            let [lean, middle, _] = std::array::from_fn(|n| ball.axes(q).nth(n).unwrap().bounds);
            assert!((lean[1] - (1.2 - swing)).abs() < 1e-9);
            let slow = libm::cos(0.5 * swing);
            assert!((middle[0] - slow * (-0.5 - twist)).abs() < 1e-9);
            assert!((middle[1] - slow * (0.7 - twist)).abs() < 1e-9);
        }
    }

    #[test]
    fn impossible_limits_are_named() {
        let hinge = |axis: [f64; 3], limits| JointLimits::Hinge { axis: axis.into(), limits };
        let ball = |swing, twist| JointLimits::Ball { bone: Vec3::AXES[0], swing, twist };
        for (limits, expected) in [
            (hinge([0.0; 3], [0.0, 1.0]), "joint 4: the axis of a hinge must be a direction"),
            (hinge([1.0, 0.0, 0.0], [1.0, 0.0]), "joint 4: the limits of a hinge must go from"),
            (ball(4.0, [0.0, 0.0]), "joint 4: the swing must be from 0 to π"),
            (ball(1.0, [-4.0, 0.0]), "joint 4: the twist must go from"),
        ] {
            let error = limits.check(4).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
