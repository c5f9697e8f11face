//! A vector of three numbers, generic over the scalar so that a law is written once.

use super::{Mat3, Scalar};
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

/// Three numbers: a position (m), a velocity (m/s), a force (N) or a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Vec3<T = f64> {
    /// Along x.
    pub x: T,
    /// Along y (up).
    pub y: T,
    /// Along z.
    pub z: T,
}

impl<T> Vec3<T> {
    /// From its coordinates.
    #[inline]
    pub const fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }
}

impl<T: Scalar> Vec3<T> {
    /// The same vector in another scalar, without derivatives.
    #[inline]
    pub fn lift<S: Scalar>(self, f: impl Fn(T) -> S) -> Vec3<S> {
        Vec3::new(f(self.x), f(self.y), f(self.z))
    }

    /// The scalar product.
    #[inline]
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// The vector product.
    #[inline]
    pub fn cross(self, o: Self) -> Self {
        Self::new(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )
    }

    /// The squared length.
    #[inline]
    pub fn norm2(self) -> T {
        self.dot(self)
    }

    /// The length.
    #[inline]
    pub fn norm(self) -> T {
        self.norm2().sqrt()
    }
}

impl Vec3 {
    /// The origin.
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0);
    /// The unit vectors.
    pub const AXES: [Self; 3] =
        [Self::new(1.0, 0.0, 0.0), Self::new(0.0, 1.0, 0.0), Self::new(0.0, 0.0, 1.0)];

    /// The unit vector along this one, or zero for the zero vector.
    #[inline]
    pub fn unit(self) -> Self {
        let length = self.norm();
        if length > 0.0 { self * (1.0 / length) } else { Self::ZERO }
    }

    /// The products of the coordinates.
    #[inline]
    pub fn times(self, o: Self) -> Self {
        Self::new(self.x * o.x, self.y * o.y, self.z * o.z)
    }

    /// The matrix `self · oᵀ`.
    #[inline]
    pub fn outer(self, o: Self) -> Mat3 {
        Mat3([
            [self.x * o.x, self.x * o.y, self.x * o.z],
            [self.y * o.x, self.y * o.y, self.y * o.z],
            [self.z * o.x, self.z * o.y, self.z * o.z],
        ])
    }

    /// `self` at 0, `o` at 1.
    pub fn lerp(self, o: Self, s: f64) -> Self {
        self * (1.0 - s) + o * s
    }

    /// Whether every coordinate is a finite number.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// The coordinates as an array.
    pub const fn to_array(self) -> [f64; 3] {
        [self.x, self.y, self.z]
    }
}

impl From<[f64; 3]> for Vec3 {
    fn from([x, y, z]: [f64; 3]) -> Self {
        Self::new(x, y, z)
    }
}

impl<T: Scalar> Add for Vec3<T> {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<T: Scalar> Sub for Vec3<T> {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<T: Scalar> Mul<T> for Vec3<T> {
    type Output = Self;
    #[inline]
    fn mul(self, s: T) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}

impl<T: Scalar> Neg for Vec3<T> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<T: Scalar> AddAssign for Vec3<T> {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Scalar> SubAssign for Vec3<T> {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<T> Index<usize> for Vec3<T> {
    type Output = T;
    #[inline]
    fn index(&self, axis: usize) -> &T {
        match axis {
            0 => &self.x,
            1 => &self.y,
            _ => &self.z,
        }
    }
}

impl<T> IndexMut<usize> for Vec3<T> {
    #[inline]
    fn index_mut(&mut self, axis: usize) -> &mut T {
        match axis {
            0 => &mut self.x,
            1 => &mut self.y,
            _ => &mut self.z,
        }
    }
}

/// Points as the numbers they consist of.
pub(crate) fn flat(points: &[Vec3]) -> &[f64] {
    // SAFETY: `Vec3` is `repr(C)` with three `f64` fields, hence without padding.
    unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len() * 3) }
}

/// As [`flat`], to change them.
pub(crate) fn flat_mut(points: &mut [Vec3]) -> &mut [f64] {
    // SAFETY: as in `flat`.
    unsafe { std::slice::from_raw_parts_mut(points.as_mut_ptr().cast(), points.len() * 3) }
}
