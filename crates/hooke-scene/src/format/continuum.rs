//! Bodies as continua: how solids, surfaces and folds resist, and the pressure inside. The laws of
//! each role are those of the engine's registry.

use crate::field::{Bounds, at_least, of, registered, table};
use hooke::dampers::{self, DAMPERS};
use hooke::laws::role::{Bending as BendingRole, Membrane as MembraneRole};
use hooke::laws::{LAWS, LawInfo, POISSON, Role, YOUNG};

/// The laws of solids.
fn of_solids() -> impl Iterator<Item = &'static LawInfo> {
    LAWS.iter().filter(|law| matches!(law.role, Some(Role::Solid)))
}

/// The laws of stretching and shear, each with what it takes.
pub(crate) fn of_membranes() -> impl Iterator<Item = (&'static LawInfo, MembraneRole)> {
    LAWS.iter().filter_map(|law| match law.role {
        Some(Role::Membrane(role)) => Some((law, role)),
        _ => None,
    })
}

/// The laws of bending, each with where it acts: first those that a material determines.
pub(crate) fn of_bending() -> impl Iterator<Item = (&'static LawInfo, BendingRole)> {
    let all = || {
        LAWS.iter().filter_map(|law| match law.role {
            Some(Role::Bending(role)) => Some((law, role)),
            _ => None,
        })
    };
    let rings = |role: BendingRole| role == BendingRole::Rings;
    all().filter(move |(_, role)| rings(*role)).chain(all().filter(move |(_, role)| !rings(*role)))
}

/// What the first law of bending that acts so allows.
fn bounds_of_bending(acts: fn(BendingRole) -> bool) -> Bounds {
    let law = of_bending().find(|(_, role)| acts(*role));
    law.and_then(|(law, _)| law.params.first()).map_or(at_least(0.0), |param| of(*param))
}

/// What the damper of bending allows.
fn bounds_of_bending_damping() -> Bounds {
    let damper = DAMPERS.iter().find(|damper| damper.role == Some(dampers::Role::Bending));
    damper.and_then(|damper| damper.params.first()).map_or(at_least(0.0), |param| of(*param))
}

registered! {
    /// How a solid resists.
    pub struct SolidLaw: of_solids().map(|law| law.name);
}

table! {
    /// Elasticity of the tetrahedra of a deformable.
    pub struct SolidPart as "solid" {
        /// The law.
        law: SolidLaw;
        /// Young's modulus; default: that of the material.
        young: Option<f64>, unit "Pa", within of(YOUNG), eg "1e5";
        /// Poisson's ratio; default: that of the material, or 0.3.
        poisson: Option<f64>, within of(POISSON), eg "0.45";
    }
}

registered! {
    /// How a surface resists stretching.
    pub struct MembraneLaw: {
        let mut names: Vec<_> = of_membranes().map(|(_, role)| role.choice).collect();
        names.dedup();
        names.into_iter()
    };
}

table! {
    /// Resistance of the triangles of a deformable to stretch and shear.
    pub struct Membrane as "membrane" {
        /// The law.
        law: MembraneLaw;
        /// Force per width and strain, E·t; default: that of the material.
        stiffness: Option<f64>, unit "N/m", within at_least(0.0), eg "1000";
        /// Young's modulus of the material, with the `thickness` of the deformable, instead of `stiffness`.
        young: Option<f64>, unit "Pa", within of(YOUNG), eg "1e6";
        /// Poisson's ratio, for laws of a material; default: that of the material, or 0.3.
        poisson: Option<f64>, within of(POISSON), eg "0.3";
        /// Force per width and shear, for laws of warp and weft; default: a tenth of `stiffness`.
        shear: Option<f64>, unit "N/m", within at_least(0.0), eg "100";
        /// Force per width and rate of strain along warp and weft, half of it in shear, so that it
        /// is the same in all directions.
        damping: Option<f64>, unit "N·s/m", within at_least(0.0), eg "0.1";
        at most one of [stiffness, young];
    }
}

registered! {
    /// How a surface resists bending.
    pub struct BendingLaw: of_bending().map(|(law, _)| law.name);
}

table! {
    /// Resistance of the triangles of a deformable to bending.
    pub struct Bending as "bending" {
        /// The law.
        law: BendingLaw;
        /// Flexural rigidity D, for laws by vertex; default: that of the material.
        rigidity: Option<f64>, unit "N·m",
            within bounds_of_bending(|role| role == BendingRole::Rings), eg "1e-5";
        /// Stiffness of a hinge, for the other laws; it depends on the mesh and is not a material
        /// constant.
        stiffness: Option<f64>, unit "N·m",
            within bounds_of_bending(|role| role != BendingRole::Rings), eg "1e-5";
        /// Moment per length of a fold and rate of its angle, for every law.
        damping: Option<f64>, unit "N·s", within bounds_of_bending_damping(), eg "1e-6";
        at most one of [rigidity, stiffness];
    }
}

/// The laws of solids, membranes and bending where none is named.
pub(crate) fn usual_laws() -> [&'static str; 3] {
    let first = |names: &'static [&'static str]| names.first().copied().unwrap_or_default();
    [first(SolidLaw::names()), first(MembraneLaw::names()), first(BendingLaw::names())]
}
