//! What a law is to a body that is made of a material. A law states its role; scenes offer the laws of
//! a role by their names, and fill in their material values from what a person measures.

/// What a law is to a body.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    /// How a solid resists, on every tetrahedron: the material values are Young's modulus (Pa) and
    /// Poisson's ratio.
    Solid,
    /// How a surface resists stretching and shear, on every triangle.
    Membrane(Membrane),
    /// How a surface resists bending.
    Bending(Bending),
}

/// A law of stretching and shear.
#[derive(Clone, Copy, Debug)]
pub struct Membrane {
    /// The name by which scenes choose it; laws that act together share one.
    pub choice: &'static str,
    /// The value of a [`Sheet`] that only this choice asks for.
    pub own: SheetValue,
    /// Whether it is a condition on warp and weft: its rest values are laid along them, and its first
    /// material value is per area.
    pub condition: bool,
    /// The material values for a sheet.
    pub values: fn(&Sheet) -> Vec<f64>,
}

/// A sheet of a material.
#[derive(Clone, Copy, Debug)]
pub struct Sheet {
    /// Force per width and strain, E·t (N/m).
    pub stiffness: f64,
    /// Force per width and shear (N/m).
    pub shear: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Thickness (m).
    pub thickness: f64,
}

/// A value of a [`Sheet`] that not all laws ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetValue {
    /// [`Sheet::shear`].
    Shear,
    /// [`Sheet::poisson`].
    Poisson,
}

impl SheetValue {
    /// Its name in scenes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shear => "shear",
            Self::Poisson => "poisson",
        }
    }
}

/// A law of bending; its one material value is a rigidity or a stiffness (N·m).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bending {
    /// On a vertex with its ring of neighbors, flat at rest: the flexural rigidity, which a material
    /// has.
    Rings,
    /// On a hinge between two triangles: a stiffness, which depends on the mesh.
    Hinges {
        /// Whether it is made for surfaces that are curved at rest.
        curved: bool,
    },
}
