//! The weights of Chebyshev's semi-iteration.
//!
//! `x_{k+1} = x_{k−1} + ω (q − x_{k−1})`, where q is the result of a plain iteration from x_k,
//! `ω = 2/(2 − ρ²)` in the first iteration and `ω ← 4/(4 − ρ² ω)` after that. ρ is the largest
//! factor by which a plain iteration multiplies an error. If it is not given, each accelerator
//! estimates it from its own residuals.
//!
//! Wang 2015, *A Chebyshev semi-iterative approach for accelerating projective and position-based
//! dynamics*.

/// ω and ρ.
pub(super) struct Chebyshev {
    /// Whether ρ is estimated.
    pub(super) estimated: bool,
    /// ρ, and the largest estimate allowed.
    radius: f64,
    most: f64,
    /// ω of the last iteration; 1 before the first.
    omega: f64,
}

impl Chebyshev {
    /// With the given ρ; if that is 0, ρ is estimated between `first` and `most`.
    pub(super) fn new(given: f64, [first, most]: [f64; 2]) -> Self {
        let estimated = given == 0.0;
        Self { estimated, radius: if estimated { first } else { given }, most, omega: 1.0 }
    }

    /// ρ.
    pub(super) fn radius(&self) -> f64 {
        self.radius
    }

    /// ω of the last iteration.
    pub(super) fn omega(&self) -> f64 {
        self.omega
    }

    /// Raises the estimate of ρ to an observed value.
    pub(super) fn raise(&mut self, seen: f64) {
        if seen > self.radius {
            self.radius = seen.min(self.most);
        }
    }

    /// ω of the next iteration.
    pub(super) fn advance(&mut self) -> f64 {
        let square = self.radius * self.radius;
        self.omega = if self.omega == 1.0 {
            2.0 / (2.0 - square)
        } else {
            4.0 / (4.0 - square * self.omega)
        };
        self.omega
    }

    /// Restarts: the next iteration is the first.
    pub(super) fn restart(&mut self) {
        self.omega = 1.0;
    }
}
