//! Springs: their coefficients, single springs, and elements of any law.

use crate::field::{above, at_least, of, table};
use crate::words::number;
use hooke::dampers::{Damper, Dashpot, StrainDashpot};
use hooke::laws::{Law, Rod, Spring as SpringLaw, StrainSpring};
use hooke::model::{SpringDamping, SpringFamily, Stiffness};

table! {
    /// Stiffness and damping of springs: by length (`stiffness`, `damping`) or by strain
    /// (`tension` or `modulus` and `area`, `strain_damping`); with `compliance` they are rods.
    pub struct Family as "springs of a family" {
        /// Force per meter of stretch, k.
        stiffness: Option<f64>, unit "N/m", within of(SpringLaw::PARAMS[0]), eg "1000";
        /// Force per unit of strain, Y; k = Y / rest length.
        tension: Option<f64>, unit "N", within of(StrainSpring::PARAMS[0]), eg "8";
        /// Young's modulus of the material, with `area`: Y = modulus · area.
        modulus: Option<f64>, unit "Pa", within at_least(0.0), eg "1e6";
        /// Cross-section of the thread, with `modulus`.
        area: Option<f64>, unit "m²", within above(0.0), eg "1e-6";
        /// Stretch per newton, α = 1/k: a rod, rigid at 0.
        compliance: Option<f64>, unit "m/N", within of(Rod::PARAMS[0]), eg "0";
        /// Damping along the spring, force per relative velocity.
        damping: Option<f64>, unit "N·s/m", within of(Dashpot::PARAMS[0]), eg "0.1";
        /// Damping along the spring, force per strain rate.
        strain_damping: Option<f64>, unit "N·s", within of(StrainDashpot::PARAMS[0]), eg "0.5";
        exactly one of [stiffness, tension, modulus, compliance];
        at most one of [damping, strain_damping];
    }
}

impl Family {
    /// As the engine's coefficients, or what is missing.
    pub fn coefficients(&self) -> Result<SpringFamily, String> {
        let stiffness = match (self.stiffness, self.tension, self.modulus, self.area) {
            (_, _, Some(modulus), Some(area)) => {
                let (tension, bounds) = (modulus * area, of(StrainSpring::PARAMS[0]));
                if !bounds.contains(tension) {
                    let tension = number(tension);
                    return Err(format!("modulus · area is {tension} N; it must be {bounds}"));
                }
                Stiffness::PerStrain(tension)
            }
            (_, _, Some(_), None) => return Err("modulus needs area beside it".into()),
            (_, _, None, Some(_)) => return Err("area needs modulus beside it".into()),
            (_, Some(tension), _, _) => Stiffness::PerStrain(tension),
            (stiffness, ..) => match self.compliance {
                Some(compliance) => Stiffness::Compliance(compliance),
                None => Stiffness::PerLength(stiffness.unwrap_or(0.0)),
            },
        };
        let damping = match (self.damping, self.strain_damping) {
            (Some(damping), _) => SpringDamping::PerVelocity(damping),
            (None, Some(damping)) => SpringDamping::PerStrainRate(damping),
            (None, None) => SpringDamping::None,
        };
        Ok(SpringFamily { stiffness, damping })
    }
}

table! {
    /// One spring between two vertices of the deformable.
    pub struct Spring as "spring" {
        /// The two vertices.
        between: [u32; 2], eg "[0, 1]";
        /// Rest length; default: the distance at rest.
        rest_length: Option<f64>, unit "m", within at_least(0.0), eg "1.0";
        with family: Family;
    }
}

table! {
    /// Other coefficients for the springs with both vertices in a group.
    pub struct Material as "material of a group" {
        /// The group.
        group: String, eg "\"hem\"";
        /// Springs along edges.
        structural: Option<Family>, eg "{ stiffness = 5000 }";
        /// Springs along diagonals.
        shear: Option<Family>, eg "{ stiffness = 2500 }";
        /// Springs against bending.
        bend: Option<Family>, eg "{ stiffness = 500 }";
    }
}

table! {
    /// An element of any law, with all its values: see `hooke laws`.
    pub struct Element as "element" {
        /// The law.
        law: String, eg "\"spring\"";
        /// The vertices.
        corners: Vec<u32>, eg "[0, 1]";
        /// The rest values; default: those of the rest shape.
        rest: Option<Vec<f64>>, eg "[1.0]";
        /// The material values, in the order of the law.
        material: Vec<f64>, eg "[100.0]";
    }
}
