//! The surface and the volume of a model: what is drawn, blown on and exported.

use super::{Locking, Model, ModelError, ParticleId};

impl Model {
    /// Adds a triangle of the surface: drawn, blown on, exported.
    pub fn add_triangle(&mut self, corners: [impl Into<ParticleId>; 3]) -> Result<(), ModelError> {
        let corners = corners.map(|corner| corner.into().0);
        for corner in corners {
            self.check_particle(corner)?;
        }
        self.triangles.push(corners);
        self.versions.topology += 1;
        Ok(())
    }

    /// The triangles of the surface.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Adds a tetrahedron of the volume.
    pub fn add_tetrahedron(
        &mut self,
        corners: [impl Into<ParticleId>; 4],
    ) -> Result<(), ModelError> {
        let corners = corners.map(|corner| corner.into().0);
        for corner in corners {
            self.check_particle(corner)?;
        }
        self.tetrahedra.push(corners);
        self.versions.topology += 1;
        Ok(())
    }

    /// The tetrahedra of the volume.
    pub fn tetrahedra(&self) -> &[[u32; 4]] {
        &self.tetrahedra
    }

    /// The volume of each particle (m³): a quarter of every tetrahedron at it.
    pub fn volumes(&self) -> Vec<f64> {
        let mut volumes = vec![0.0; self.particles()];
        for corners in &self.tetrahedra {
            let [a, b, c, d] = corners.map(|corner| self.rest[corner as usize]);
            let volume = ((b - a).cross(c - a).dot(d - a) / 6.0).abs();
            for &corner in corners {
                volumes[corner as usize] += 0.25 * volume;
            }
        }
        volumes
    }

    /// How much freedom inextensible edges would leave the surface.
    pub fn locking(&self) -> Locking {
        Locking::of(&self.triangles)
    }
}
