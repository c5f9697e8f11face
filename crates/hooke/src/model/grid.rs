//! The structured grid: a rectangular cloth of structural, diagonal and skip-one springs.

use super::{
    ContactMaterial, GridParticles, Model, ModelError, ParticleId, SpringFamily, invalid_shape,
    too_many,
};
use crate::math::Vec3;
use crate::settings::choice;

choice! {
    /// Which diagonals a grid's cells have.
    #[derive(Default)]
    pub enum Diagonals {
        /// Both: mirror symmetric.
        #[default]
        Both = "both",
        /// One, always the same way: the cloth sags to one side.
        One = "one",
        /// One, alternating like a chessboard.
        Alternating = "alternating",
    }
}

/// A rectangular cloth of `columns × rows` particles.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Particles along `across`.
    pub columns: u32,
    /// Particles along `down`.
    pub rows: u32,
    /// The first particle (m).
    pub origin: Vec3,
    /// From the first to the last particle of a row (m).
    pub across: Vec3,
    /// From the first to the last row (m).
    pub down: Vec3,
    /// The mass of the whole (kg), the same for every particle.
    pub mass: f64,
    /// Springs along rows and columns.
    pub structural: Option<SpringFamily>,
    /// Springs along diagonals.
    pub shear: Option<SpringFamily>,
    /// Springs that skip one particle along rows and columns.
    pub bend: Option<SpringFamily>,
    /// Which diagonals.
    pub diagonals: Diagonals,
}

impl Default for Grid {
    /// The cloth of the benchmarks: 1 m × 1 m, 0.3 kg, k = 1000, 500 and 100 N/m, hanging in the
    /// xy plane.
    fn default() -> Self {
        Self {
            columns: 20,
            rows: 20,
            origin: Vec3::new(-0.5, 0.0, 0.0),
            across: Vec3::new(1.0, 0.0, 0.0),
            down: Vec3::new(0.0, -1.0, 0.0),
            mass: 0.3,
            structural: Some(SpringFamily::stiffness(1000.0)),
            shear: Some(SpringFamily::stiffness(500.0)),
            bend: Some(SpringFamily::stiffness(100.0)),
            diagonals: Diagonals::Both,
        }
    }
}

impl Grid {
    /// A square cloth of `n × n` particles with the default springs.
    pub fn square(n: u32) -> Self {
        Self { columns: n, rows: n, ..Self::default() }
    }

    /// Adds particles, springs and triangles to a model; returns its particles.
    pub fn add_to(&self, model: &mut Model) -> Result<GridParticles, ModelError> {
        if self.columns < 1 || self.rows < 1 {
            return invalid_shape("a grid needs at least one column and one row");
        }
        let count = u64::from(self.columns) * u64::from(self.rows);
        if model.particles() as u64 + count > u64::from(u32::MAX) {
            return too_many(format!("a grid of {count} particles is too large"));
        }
        let first = model.particles() as u32;
        let step = |i: u32, n: u32| if n > 1 { f64::from(i) / f64::from(n - 1) } else { 0.0 };
        for row in 0..self.rows {
            for column in 0..self.columns {
                let x = self.origin
                    + self.across * step(column, self.columns)
                    + self.down * step(row, self.rows);
                model.add_particle(x, self.mass / count as f64)?;
            }
        }
        let added = GridParticles { first, columns: self.columns, rows: self.rows };
        let at = |column, row| added.at(column, row);
        if let Some(family) = &self.structural {
            self.springs(model, family, at, &[(1, 0), (0, 1)], |_, _, _| true)?;
        }
        if let Some(family) = &self.shear {
            let wanted = |column: u32, row: u32, rising: bool| match self.diagonals {
                Diagonals::Both => true,
                Diagonals::One => !rising,
                Diagonals::Alternating => rising == ((column + row) % 2 == 1),
            };
            self.springs(model, family, at, &[(1, 1), (-1, 1)], wanted)?;
        }
        if let Some(family) = &self.bend {
            self.springs(model, family, at, &[(2, 0), (0, 2)], |_, _, _| true)?;
        }
        for row in 1..self.rows {
            for column in 1..self.columns {
                let (c, r) = (column - 1, row - 1);
                let rising = self.diagonals == Diagonals::Alternating && (c + r) % 2 == 1;
                let [a, b, d, e] = [at(c, r), at(column, r), at(c, row), at(column, row)];
                let pair = if rising { [[a, d, b], [b, d, e]] } else { [[a, d, e], [a, e, b]] };
                for triangle in pair {
                    model.add_triangle(triangle)?;
                }
            }
        }
        model.add_deformable(added.particles(), ContactMaterial::default())?;
        Ok(added)
    }

    /// Springs from every particle along each offset where `wanted(cell column, row, rising)`.
    fn springs(
        &self,
        model: &mut Model,
        family: &SpringFamily,
        at: impl Fn(u32, u32) -> ParticleId,
        offsets: &[(i64, i64)],
        wanted: impl Fn(u32, u32, bool) -> bool,
    ) -> Result<(), ModelError> {
        for &(dc, dr) in offsets {
            for row in 0..self.rows {
                for column in 0..self.columns {
                    let (c, r) = (i64::from(column) + dc, i64::from(row) + dr);
                    let inside =
                        (0..i64::from(self.columns)).contains(&c) && r < i64::from(self.rows);
                    let cell = (column as i64).min(c).max(0) as u32;
                    if inside && wanted(cell, row, dc < 0) {
                        model.add_spring_of(
                            at(column, row),
                            at(c as u32, r as u32),
                            family,
                            None,
                        )?;
                    }
                }
            }
        }
        Ok(())
    }
}
