//! Masses and pins as an element sees them when its corners are moved.

use crate::math::Vec3;

/// Masses and pins, which resist the projection of elements.
#[derive(Clone, Copy, Debug)]
pub struct Inertia<'a> {
    /// Masses (kg).
    pub masses: &'a [f64],
    /// Which coordinates are pinned.
    pub fixed: &'a [[bool; 3]],
}

impl Inertia<'_> {
    /// Moves the corners of an element to a shape with the same center of mass. Pinned coordinates stay,
    /// as if infinitely heavy; where several differ from the shape, it meets their mean.
    pub(crate) fn settle<const N: usize>(
        self,
        corners: [u32; N],
        shape: [Vec3; N],
        x: &mut [Vec3],
    ) {
        let corners = corners.map(|corner| corner as usize);
        for axis in 0..3 {
            let pinned = corners.iter().any(|&i| self.fixed[i][axis]);
            let (mut shift, mut sum) = (0.0, 0.0);
            for (&i, q) in corners.iter().zip(&shape) {
                let weight = match (pinned, self.fixed[i][axis]) {
                    (false, _) => self.masses[i],
                    (true, fixed) => f64::from(u8::from(fixed)),
                };
                shift += weight * (x[i][axis] - q[axis]);
                sum += weight;
            }
            let shift = shift / sum;
            for (&i, q) in corners.iter().zip(&shape).filter(|(i, _)| !self.fixed[**i][axis]) {
                x[i][axis] = q[axis] + shift;
            }
        }
    }
}
