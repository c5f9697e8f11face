//! Laws: how one kind of element stores energy. One file per law; [`LAWS`] is the one list.
//!
//! A law states its energy once, generic over the scalar. Gradient and Hessian follow by dual
//! numbers; a law overrides them for speed, and one property test compares every override with
//! the derivation. The traits [`Law`], [`Stencil`] and [`Enclosed`] and the registry entry [`LawInfo`] are in
//! `elements/law.rs`, beside the batches that evaluate them.

mod attachment;
mod attractor;
mod baraff_witkin_shear;
mod baraff_witkin_stretch;
mod bridson_bending;
mod buoyancy;
mod corotated;
mod curved_bending;
mod dihedral;
mod linear_attractor;
mod neo_hookean;
mod pressure;
mod quadratic_bending;
mod rod;

mod shared;
mod spring;
mod strain_band;
mod strain_band_membrane;
mod strain_spring;
mod stvk;
mod stvk_membrane;
mod vertex_bending;
mod volume;
mod weight;

pub use attachment::Attachment;
pub use attractor::Attractor;
pub use baraff_witkin_shear::BaraffWitkinShear;
pub use baraff_witkin_stretch::BaraffWitkinStretch;
pub use bridson_bending::BridsonBending;
pub use buoyancy::Buoyancy;
pub use corotated::Corotated;
pub use curved_bending::CurvedBending;
pub use dihedral::Dihedral;
pub use linear_attractor::LinearAttractor;
pub use neo_hookean::NeoHookean;
pub use pressure::Pressure;
pub use quadratic_bending::QuadraticBending;
pub use rod::Rod;
pub use shared::hinge::HingeRest;
pub use shared::lame::{Lame, POISSON, YOUNG};
pub use shared::{deformation, finite_volume};
pub use spring::Spring;
pub use strain_band::StrainBand;
pub use strain_band_membrane::StrainBandMembrane;
pub use strain_spring::StrainSpring;
pub use stvk::Stvk;
pub use stvk_membrane::StvkMembrane;
pub use vertex_bending::VertexBending;
pub use volume::Volume;
pub use weight::Weight;

pub(crate) use shared::hinge;

pub use crate::elements::law::{
    Blocks, Enclosed, Law, LawInfo, Param, Proxy, Row, Stencil, Store, enclosed_info, info,
    stencil_info,
};
pub use crate::elements::role::{self, Role};
use shared::lame;

/// The list of laws. A new law is one file and one line here.
#[macro_export]
macro_rules! each_law {
    ($visit:ident) => {
        $visit! {
            Spring<2, 1, 1>,
            StrainSpring<2, 1, 1>,
            Rod<2, 1, 1>,
            Attachment<1, 3, 1>,
            LinearAttractor<1, 3, 1>,
            Attractor<1, 4, 2>,
            Weight<1, 1, 3>,
            Buoyancy<1, 1, 3>,
            Dihedral<4, 6, 1>,
            BridsonBending<4, 6, 1>,
            QuadraticBending<4, 4, 1>,
            CurvedBending<4, 6, 1>,
            StvkMembrane<3, 5, 3>,
            BaraffWitkinStretch<3, 5, 3>,
            BaraffWitkinShear<3, 5, 1>,
            StrainBandMembrane<3, 5, 3>,
            Pressure<3, 0, 1>,
            NeoHookean<4, 10, 2>,
            Corotated<4, 10, 2>,
            Stvk<4, 10, 2>,
            StrainBand<4, 10, 3>,
        }
    };
}

macro_rules! registry {
    ($($law:ident<$n:literal, $r:literal, $p:literal>,)*) => {
        /// Every law, in the order of the documentation.
        pub const LAWS: &[LawInfo] = &[
            $(info::<$law, $n, $r, $p>(),)*
            stencil_info::<VertexBending>(),
            enclosed_info::<Volume>(),
        ];
    };
}
each_law!(registry);

/// The law of a name.
pub fn find(name: &str) -> Option<&'static LawInfo> {
    LAWS.iter().find(|law| law.name == name)
}
