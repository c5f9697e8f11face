//! Bodies as continua: how solids, surfaces and folds resist, and the pressure inside.

use crate::field::{at_least, choice, of, table};
use hooke::dampers::{BendingDamper, RateDamper};
use hooke::laws::{Dihedral, Law, NeoHookean, Stencil, StvkMembrane, VertexBending};

choice! {
    /// How a solid resists.
    pub enum SolidLaw {
        /// Stable neo-Hookean: comes back from inversion.
        NeoHookean = "neo-hookean",
        /// Co-rotated linear.
        Corotated = "corotated",
        /// St. Venant–Kirchhoff: weak when it is pressed together.
        StVenantKirchhoff = "stvk",
    }
}

table! {
    /// How the tetrahedra of a body resist.
    pub struct SolidPart as "solid" {
        /// The law.
        law: SolidLaw, or "\"neo-hookean\"";
        /// Young's modulus; that of the material when left out.
        young: Option<f64>, unit "Pa", within of(NeoHookean::PARAMS[0]), eg "1e5";
        /// Poisson's ratio; that of the material when left out, or else 0.3.
        poisson: Option<f64>, within of(NeoHookean::PARAMS[1]), eg "0.45";
    }
}

choice! {
    /// How a surface resists stretching.
    pub enum MembraneLaw {
        /// St. Venant–Kirchhoff in plane stress.
        StVenantKirchhoff = "stvk-membrane",
        /// The stretch and shear conditions of Baraff and Witkin.
        BaraffWitkin = "baraff-witkin",
    }
}

table! {
    /// How the triangles of a body resist stretching and shear.
    pub struct Membrane as "membrane" {
        /// The law.
        law: MembraneLaw, or "\"stvk-membrane\"";
        /// Force per width and strain, E·t; that of the material when left out.
        stiffness: Option<f64>, unit "N/m", within at_least(0.0), eg "1000";
        /// Young's modulus of the material, with the body's `thickness`, instead of `stiffness`.
        young: Option<f64>, unit "Pa", within of(StvkMembrane::PARAMS[0]), eg "1e6";
        /// Poisson's ratio, for stvk-membrane; that of the material when left out, or else 0.3.
        poisson: Option<f64>, within of(NeoHookean::PARAMS[1]), eg "0.3";
        /// Force per width and shear, for baraff-witkin; a tenth of `stiffness` when left out.
        shear: Option<f64>, unit "N/m", within at_least(0.0), eg "100";
        /// Force per width and rate of strain along warp and weft, half of it in shear, which makes
        /// it alike in all directions.
        damping: Option<f64>, unit "N·s/m", within at_least(0.0), eg "0.1";
        at most one of [stiffness, young];
    }
}

choice! {
    /// How a surface resists bending.
    pub enum BendingLaw {
        /// By vertex, flat at rest: the same rigidity on every mesh.
        Vertex = "vertex-bending",
        /// By hinge, in the angle between two triangles.
        Dihedral = "dihedral",
        /// By hinge, with the force of Bridson and others.
        Bridson = "bridson-bending",
        /// By hinge, flat at rest, linear in positions.
        Quadratic = "quadratic-bending",
        /// By hinge, for curved shapes at rest.
        Curved = "curved-bending",
    }
}

table! {
    /// How the triangles of a body resist bending.
    pub struct Bending as "bending" {
        /// The law.
        law: BendingLaw, or "\"vertex-bending\"";
        /// Flexural rigidity D, for vertex-bending; that of the material when left out.
        rigidity: Option<f64>, unit "N·m", within of(VertexBending::PARAM), eg "1e-5";
        /// Stiffness of a hinge, for the other laws: no constant of the material, for it depends
        /// on the mesh.
        stiffness: Option<f64>, unit "N·m", within of(Dihedral::PARAMS[0]), eg "1e-5";
        /// Moment per length of a fold and rate of its angle, for every law.
        damping: Option<f64>, unit "N·s", within of(BendingDamper::PARAMS[0]), eg "1e-6";
        at most one of [rigidity, stiffness];
    }
}
