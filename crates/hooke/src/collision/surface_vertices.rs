//! Contacts between surfaces for methods that move one vertex at a time.

use super::SurfaceContacts;
use crate::compute::VertexTerms;
use crate::math::Vec3;

impl SurfaceContacts {
    /// The vertices of a pair.
    pub(crate) fn vertices(&self, pair: usize) -> [u32; 4] {
        self.pairs[pair].features.vertices
    }

    /// Adds energy, gradient and block of a pair for one of its vertices, of which so many move at once.
    pub(crate) fn add_vertex(
        &self,
        (pair, end): (usize, usize),
        together: f64,
        x: &[Vec3],
        vertex: &mut VertexTerms,
    ) {
        let pair = &self.pairs[pair];
        let (r, weight) = (pair.at(x), pair.weights[end]);
        let (energy, gradient) = (pair.energy(r, self.epsilon), pair.gradient(r, self.epsilon));
        vertex.energy += energy;
        vertex.size += energy + gradient.norm() * x[pair.features.vertices[end] as usize].norm();
        vertex.gradient += gradient * weight;
        vertex.block += pair.block(r, self.epsilon) * (together * weight * weight);
    }

    /// The energy (J) of a pair.
    pub(crate) fn vertex_energy(&self, pair: usize, x: &[Vec3]) -> f64 {
        let pair = &self.pairs[pair];
        pair.energy(pair.at(x), self.epsilon)
    }
}
