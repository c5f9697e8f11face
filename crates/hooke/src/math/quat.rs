//! Rotations as unit quaternions.

use super::{Mat3, Vec3};
use std::ops::Mul;

/// A rotation: `cos ½θ` and `u sin ½θ` of the turn by θ about the unit vector u.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quat {
    /// cos ½θ.
    pub w: f64,
    /// u sin ½θ.
    pub v: Vec3,
}

impl Default for Quat {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Quat {
    /// No turn.
    pub const IDENTITY: Self = Self { w: 1.0, v: Vec3::ZERO };

    /// The turn by `angle` (rad) about `axis`, whose length does not matter; none about the zero vector.
    pub fn about(axis: Vec3, angle: f64) -> Self {
        let (sin, cos) = libm::sincos(0.5 * angle);
        let unit = axis.unit();
        if unit == Vec3::ZERO { Self::IDENTITY } else { Self { w: cos, v: unit * sin } }
    }

    /// The least turn that takes the direction of `a` to that of `b`; a half turn about some axis across
    /// where they are opposite, none where one of them is zero.
    pub fn between(a: Vec3, b: Vec3) -> Self {
        let (a, b) = (a.unit(), b.unit());
        if a == Vec3::ZERO || b == Vec3::ZERO {
            return Self::IDENTITY;
        }
        Self::from_to(a, 1.0, b)
    }

    /// As [`Quat::between`], from a vector whose length is known to a unit vector.
    #[inline(always)]
    pub(crate) fn from_to(a: Vec3, length: f64, b: Vec3) -> Self {
        let w = length + a.dot(b);
        let v = a.cross(b);
        if w < 0.5 * length {
            let opposite = w < 1e-15 * length;
            return if opposite { Self { w: 0.0, v: across(b) } } else { Self { w, v }.unit() };
        }
        // Their length is √(2 |a| w), but near opposite directions that is not exact.
        let by = 1.0 / (2.0 * length * w).sqrt();
        Self { w: w * by, v: v * by }
    }

    /// Of length one, unchanged where it is; no turn where there is no direction.
    pub fn unit(self) -> Self {
        let square = self.w * self.w + self.v.norm2();
        if (square - 1.0).abs() <= 4.0 * f64::EPSILON {
            return self;
        }
        let length = square.sqrt();
        if length > 0.0 && length.is_finite() {
            let by = 1.0 / length;
            Self { w: self.w * by, v: self.v * by }
        } else {
            Self::IDENTITY
        }
    }

    /// The turn back.
    pub fn inverse(self) -> Self {
        Self { w: self.w, v: -self.v }
    }

    /// A turned vector.
    #[inline]
    pub fn rotate(self, x: Vec3) -> Vec3 {
        let t = self.v.cross(x) * 2.0;
        x + t * self.w + self.v.cross(t)
    }

    /// The angle (rad), from 0 to π.
    pub fn angle(self) -> f64 {
        2.0 * libm::atan2(self.v.norm(), self.w.abs())
    }

    /// `u θ` (rad) with θ from 0 to π.
    pub fn vector(self) -> Vec3 {
        let sign = if self.w < 0.0 { -1.0 } else { 1.0 };
        self.v.unit() * (sign * self.angle())
    }

    /// The angle (rad) about the unit vector `axis`, from −π to π, of the turn about it that comes
    /// nearest.
    pub fn angle_about(self, axis: Vec3) -> f64 {
        let along = self.v.dot(axis);
        let sign = if self.w < 0.0 { -1.0 } else { 1.0 };
        2.0 * libm::atan2(sign * along, sign * self.w)
    }

    /// `swing · twist`: the twist turns about the unit vector `axis`, the swing about one across it.
    pub fn swing_and_twist(self, axis: Vec3) -> [Self; 2] {
        let along = axis * self.v.dot(axis);
        let twist = Self { w: self.w, v: along };
        // A half turn across has no twist of its own.
        let twist =
            if twist.w * twist.w + along.norm2() < 1e-24 { Self::IDENTITY } else { twist.unit() };
        [self * twist.inverse(), twist]
    }

    /// A part `s` of the way from here to `other`, along the shorter arc.
    pub fn toward(self, other: Self, s: f64) -> Self {
        let difference = other * self.inverse();
        Self::about(difference.vector(), s * difference.angle()) * self
    }

    /// As a matrix.
    pub fn matrix(self) -> Mat3 {
        Mat3::of_columns(Vec3::AXES.map(|axis| self.rotate(axis)))
    }

    /// The rotation of a matrix that is one (Shepperd 1978).
    pub fn of_matrix(matrix: &Mat3) -> Self {
        let m = &matrix.0;
        let trace = m[0][0] + m[1][1] + m[2][2];
        let axis = (0..3).fold(0, |most, k| if m[k][k] > m[most][most] { k } else { most });
        if trace > m[axis][axis] {
            let v = Vec3::new(m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]);
            return Self { w: 1.0 + trace, v }.unit();
        }
        let (i, j, k) = (axis, (axis + 1) % 3, (axis + 2) % 3);
        let mut v = [0.0; 3];
        v[i] = 1.0 + m[i][i] - m[j][j] - m[k][k];
        v[j] = m[i][j] + m[j][i];
        v[k] = m[i][k] + m[k][i];
        Self { w: m[k][j] - m[j][k], v: v.into() }.unit()
    }

    /// Whether every number is finite.
    pub fn is_finite(self) -> bool {
        self.w.is_finite() && self.v.is_finite()
    }

    /// The turn by the Cayley transform of a rotation vector r (rad): by `2 atan(|r|/2)` about it. Near r for
    /// small ones, and made of nothing but products and a root.
    #[inline]
    pub fn cayley(r: Vec3) -> Self {
        Self { w: 1.0, v: r * 0.5 }.unit()
    }
}

/// A unit vector across a unit vector.
pub fn across(a: Vec3) -> Vec3 {
    let size = a.to_array().map(f64::abs);
    let least = (0..3).fold(0, |least, axis| if size[axis] < size[least] { axis } else { least });
    a.cross(Vec3::AXES[least]).unit()
}

impl Mul for Quat {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        Self {
            w: self.w * o.w - self.v.dot(o.v),
            v: o.v * self.w + self.v * o.w + self.v.cross(o.v),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn some() -> [Quat; 4] {
        let axes = [[1.0, 2.0, -0.5], [0.0, 1.0, 0.0], [-3.0, 0.1, 0.2], [0.3, -0.3, 0.9]];
        let angles = [0.3, PI, -2.9, 1e-9];
        std::array::from_fn(|k| Quat::about(axes[k].into(), angles[k]))
    }

    #[test]
    fn products_turn_one_after_the_other() {
        let x = Vec3::new(0.2, -1.0, 0.7);
        for a in some() {
            for b in some() {
                assert!(((a * b).rotate(x) - a.rotate(b.rotate(x))).norm() < 1e-14);
                assert!((a.matrix() * x - a.rotate(x)).norm() < 1e-14);
                assert!(
                    (Quat::of_matrix(&(a * b).matrix()).rotate(x) - (a * b).rotate(x)).norm()
                        < 1e-14
                );
                assert!((a.toward(b, 1.0).rotate(x) - b.rotate(x)).norm() < 1e-14);
                let half = a.toward(b, 0.5);
                let [first, second] = [half * a.inverse(), b * half.inverse()].map(Quat::angle);
                assert!((first - second).abs() < 1e-7, "{first} {second}");
            }
        }
    }

    #[test]
    fn the_least_turn_takes_one_direction_to_another() {
        let directions = some().map(|q| q.rotate(Vec3::AXES[0]));
        for a in directions {
            for b in directions.into_iter().chain([a, -a]) {
                let q = Quat::between(a * 3.0, b * 0.1);
                assert!((q.rotate(a) - b).norm() < 1e-7, "{a:?} {b:?}");
                let least = libm::atan2(a.cross(b).norm(), a.dot(b));
                assert!((q.angle() - least).abs() < 1e-7);
            }
        }
        assert_eq!(Quat::between(Vec3::ZERO, Vec3::AXES[1]), Quat::IDENTITY);
    }

    #[test]
    fn matrices_and_turns_are_the_same() {
        for q in some() {
            let back = Quat::of_matrix(&q.matrix());
            let x = Vec3::new(0.2, -1.0, 0.7);
            assert!((back.rotate(x) - q.rotate(x)).norm() < 1e-14);
        }
    }

    #[test]
    fn swing_and_twist_make_the_whole() {
        let axis = Vec3::new(0.6, 0.0, 0.8);
        for q in some() {
            let [swing, twist] = q.swing_and_twist(axis);
            let x = Vec3::new(0.2, -1.0, 0.7);
            assert!(((swing * twist).rotate(x) - q.rotate(x)).norm() < 1e-14);
            assert!(swing.v.dot(axis).abs() < 1e-14 && twist.v.cross(axis).norm() < 1e-14);
            assert!((twist.angle_about(axis).abs() - twist.angle()).abs() < 1e-9);
        }
        for angle in [-3.0, -0.5, 0.0, 1.0, 3.1] {
            assert!((Quat::about(axis, angle).angle_about(axis) - angle).abs() < 1e-14);
        }
    }
}
