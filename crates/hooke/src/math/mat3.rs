//! A 3×3 matrix: the block of every stiffness matrix.

use super::Vec3;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A 3×3 matrix by rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat3(pub [[f64; 3]; 3]);

impl Mat3 {
    /// The zero matrix.
    pub const ZERO: Self = Self([[0.0; 3]; 3]);
    /// The identity.
    pub const IDENTITY: Self = Self::diagonal(1.0);

    /// `s · 1₃`.
    pub const fn diagonal(s: f64) -> Self {
        Self([[s, 0.0, 0.0], [0.0, s, 0.0], [0.0, 0.0, s]])
    }

    /// The matrix of three columns.
    #[inline]
    pub fn of_columns([a, b, c]: [Vec3; 3]) -> Self {
        Self([[a.x, b.x, c.x], [a.y, b.y, c.y], [a.z, b.z, c.z]])
    }

    /// Its columns.
    #[inline]
    pub fn columns(&self) -> [Vec3; 3] {
        self.transpose().0.map(Vec3::from)
    }

    /// The matrix `[v]×` with `[v]× w = v × w`.
    #[inline]
    pub fn cross(v: Vec3) -> Self {
        Self([[0.0, -v.z, v.y], [v.z, 0.0, -v.x], [-v.y, v.x, 0.0]])
    }

    /// The rotation about a unit axis by an angle (rad), counter-clockwise seen against the axis.
    pub fn rotation(axis: Vec3, angle: f64) -> Self {
        let (sin, cos) = libm::sincos(angle);
        Self::diagonal(cos) + Self::cross(axis) * sin + axis.outer(axis) * (1.0 - cos)
    }

    /// The least rotation that takes the y axis to a unit vector.
    pub fn from_y_to(up: Vec3) -> Self {
        let Vec3 { x, y, z } = up;
        let side = x * x + z * z;
        if y < 0.0 && side == 0.0 {
            return Self([[1.0, x, 0.0], [0.0, y, 0.0], [0.0, z, -1.0]]);
        }
        // k = 1/(1 + y), without the loss of digits near −1.
        let k = if y < 0.0 { (1.0 - y) / side } else { 1.0 / (1.0 + y) };
        Self([[1.0 - x * x * k, x, -x * z * k], [-x, y, -z], [-x * z * k, z, 1.0 - z * z * k]])
    }

    /// The determinant.
    #[inline]
    pub fn determinant(&self) -> f64 {
        let [a, b, c] = self.0.map(Vec3::from);
        a.cross(b).dot(c)
    }

    /// The transpose.
    #[inline]
    pub fn transpose(&self) -> Self {
        let m = &self.0;
        Self([
            [m[0][0], m[1][0], m[2][0]],
            [m[0][1], m[1][1], m[2][1]],
            [m[0][2], m[1][2], m[2][2]],
        ])
    }

    /// The inverse; without meaning where the determinant is zero.
    #[inline]
    pub fn inverse(&self) -> Self {
        let [a, b, c] = self.0.map(Vec3::from);
        let by = 1.0 / a.cross(b).dot(c);
        Self::of_columns([b.cross(c) * by, c.cross(a) * by, a.cross(b) * by])
    }

    /// Its columns, each times a number.
    #[inline]
    pub fn scaled_columns(&self, by: Vec3) -> Self {
        Self(self.0.map(|[x, y, z]| [x * by.x, y * by.y, z * by.z]))
    }

    /// The sum of the diagonal.
    #[inline]
    pub fn trace(&self) -> f64 {
        self.0[0][0] + self.0[1][1] + self.0[2][2]
    }

    /// The Cholesky factor `L` of a symmetric matrix, `L Lᵀ = self`, or `None` where it is not
    /// positive definite.
    pub fn cholesky(&self) -> Option<Self> {
        let a = &self.0;
        let mut l = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..=i {
                let mut sum = a[i][j];
                for k in 0..j {
                    sum -= l[i][k] * l[j][k];
                }
                if i == j {
                    if sum <= 0.0 || !sum.is_finite() {
                        return None;
                    }
                    l[i][i] = sum.sqrt();
                } else {
                    l[i][j] = sum / l[j][j];
                }
            }
        }
        Some(Self(l))
    }

    /// Solves `L z = b` for a lower-triangular `L`.
    #[inline]
    pub fn solve_lower(&self, b: Vec3) -> Vec3 {
        let l = &self.0;
        let x = b.x / l[0][0];
        let y = (b.y - l[1][0] * x) / l[1][1];
        let z = (b.z - l[2][0] * x - l[2][1] * y) / l[2][2];
        Vec3::new(x, y, z)
    }

    /// Solves `Lᵀ z = b` for a lower-triangular `L`.
    #[inline]
    pub fn solve_lower_transposed(&self, b: Vec3) -> Vec3 {
        let l = &self.0;
        let z = b.z / l[2][2];
        let y = (b.y - l[2][1] * z) / l[1][1];
        let x = (b.x - l[1][0] * y - l[2][0] * z) / l[0][0];
        Vec3::new(x, y, z)
    }
}

impl Mul<Vec3> for Mat3 {
    type Output = Vec3;
    #[inline]
    fn mul(self, v: Vec3) -> Vec3 {
        let m = &self.0;
        Vec3::new(
            m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
            m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
            m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z,
        )
    }
}

impl Mul for Mat3 {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let mut out = Self::ZERO;
        for (row, a) in out.0.iter_mut().zip(&self.0) {
            for (j, value) in row.iter_mut().enumerate() {
                *value = a[0] * o.0[0][j] + a[1] * o.0[1][j] + a[2] * o.0[2][j];
            }
        }
        out
    }
}

impl Mul<f64> for Mat3 {
    type Output = Self;
    #[inline]
    fn mul(self, s: f64) -> Self {
        Self(self.0.map(|row| row.map(|value| value * s)))
    }
}

impl Add for Mat3 {
    type Output = Self;
    #[inline]
    fn add(mut self, o: Self) -> Self {
        self += o;
        self
    }
}

impl Sub for Mat3 {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        self + o * -1.0
    }
}

impl AddAssign for Mat3 {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        for (row, other) in self.0.iter_mut().zip(&o.0) {
            for (value, add) in row.iter_mut().zip(other) {
                *value += add;
            }
        }
    }
}
