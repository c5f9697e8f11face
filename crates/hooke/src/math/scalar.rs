//! The numbers a law's equation is written in.
//!
//! A law states its energy once, generic over [`Scalar`]. Evaluated on `f64` it is the energy;
//! evaluated on [`Dual`] numbers it yields derivatives exact to round-off, without a step size.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number, or something that computes like one.
pub trait Scalar:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The constant `value`.
    fn of(value: f64) -> Self;
    /// The plain number, derivatives dropped: for comparisons only.
    fn value(self) -> f64;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The sine of an angle (rad).
    fn sine(self) -> Self;
    /// The cosine of an angle (rad).
    fn cosine(self) -> Self;
    /// The natural logarithm of one plus this, exact for small numbers.
    fn log_one_plus(self) -> Self;
    /// The angle (rad) from −π to π of the point (`self`, `y`) in the plane.
    fn angle_to(self, y: Self) -> Self;
}

impl Scalar for f64 {
    #[inline]
    fn of(value: f64) -> Self {
        value
    }
    #[inline]
    fn value(self) -> f64 {
        self
    }
    #[inline]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn sine(self) -> Self {
        libm::sin(self)
    }
    fn cosine(self) -> Self {
        libm::cos(self)
    }
    fn log_one_plus(self) -> Self {
        libm::log1p(self)
    }
    fn angle_to(self, y: Self) -> Self {
        libm::atan2(y, self)
    }
}

/// A value with its derivative along one direction: `v + d·ε`, `ε² = 0`. Nested once,
/// `Dual<Dual<f64>>` carries second derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<T> {
    /// The value.
    pub v: T,
    /// The derivative.
    pub d: T,
}

impl<T: Scalar> Dual<T> {
    /// The variable with respect to which one differentiates.
    pub fn variable(v: T) -> Self {
        Self { v, d: T::of(1.0) }
    }

    /// A constant.
    pub fn constant(v: T) -> Self {
        Self { v, d: T::of(0.0) }
    }
}

impl<T: Scalar> Add for Dual<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { v: self.v + o.v, d: self.d + o.d }
    }
}

impl<T: Scalar> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { v: self.v - o.v, d: self.d - o.d }
    }
}

impl<T: Scalar> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self { v: self.v * o.v, d: self.d * o.v + self.v * o.d }
    }
}

impl<T: Scalar> Div for Dual<T> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let v = self.v / o.v;
        Self { v, d: (self.d - v * o.d) / o.v }
    }
}

impl<T: Scalar> Neg for Dual<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { v: -self.v, d: -self.d }
    }
}

impl<T: Scalar> Scalar for Dual<T> {
    fn of(value: f64) -> Self {
        Self::constant(T::of(value))
    }
    fn value(self) -> f64 {
        self.v.value()
    }
    fn sqrt(self) -> Self {
        let v = self.v.sqrt();
        Self { v, d: self.d / (v + v) }
    }
    fn sine(self) -> Self {
        Self { v: self.v.sine(), d: self.d * self.v.cosine() }
    }
    fn cosine(self) -> Self {
        Self { v: self.v.cosine(), d: -self.d * self.v.sine() }
    }
    fn log_one_plus(self) -> Self {
        Self { v: self.v.log_one_plus(), d: self.d / (T::of(1.0) + self.v) }
    }
    fn angle_to(self, y: Self) -> Self {
        let radius2 = self.v * self.v + y.v * y.v;
        Self { v: self.v.angle_to(y.v), d: (self.v * y.d - y.v * self.d) / radius2 }
    }
}
