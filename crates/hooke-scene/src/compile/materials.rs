//! What a body is made of: its own fields, and what its material fills in for those left out.

use super::shape::Shape;
use crate::field::Value;
use crate::format::{Bending, BendingLaw, Deformable, Membrane, MembraneLaw, SolidLaw, SolidPart};
use crate::format::{of_bending, of_membranes};
use crate::materials::{self, MATERIALS, Material};
use crate::problem::Sink;
use crate::words::hint;
use hooke::laws::LawInfo;
use hooke::laws::role::{Bending as BendingRole, Membrane as MembraneRole, Sheet};
use hooke::model::{SpringDamping, SpringFamily, Stiffness};
use std::f64::consts::PI;

/// A law by its name, with its material values.
pub(super) struct Part {
    pub(super) law: &'static str,
    pub(super) values: Vec<f64>,
    /// Whether the first value is per area, and the law knows warp and weft.
    pub(super) condition: bool,
    /// The field that requires it.
    pub(super) field: &'static str,
}

impl Part {
    pub(super) fn new(law: &'static str, values: Vec<f64>, field: &'static str) -> Self {
        Self { law, values, condition: false, field }
    }
}

/// The density and the laws that follow from the material of a body.
#[derive(Default)]
pub(super) struct ResolvedMaterial {
    /// How thick it is (m), where anything says so.
    pub(super) thickness: Option<f64>,
    /// Mass per volume, area or length, of the material.
    pub(super) density: Option<f64>,
    /// The links of a rope.
    pub(super) links: Option<SpringFamily>,
    /// On every tetrahedron.
    pub(super) solid: Option<Part>,
    /// On every triangle.
    pub(super) membrane: Vec<Part>,
    /// On every hinge between triangles, or at every vertex.
    pub(super) bending: Option<Part>,
}

/// Where a law of bending acts.
pub(super) fn acts(law: &str) -> Option<BendingRole> {
    of_bending().find(|(known, _)| known.name == law).map(|(_, role)| role)
}

/// Poisson's ratio where nothing is said.
const POISSON: f64 = 0.3;

impl ResolvedMaterial {
    /// The material of a body, or a message.
    pub(super) fn of(body: &Deformable, shape: &Shape, sink: &mut Sink) -> Option<Self> {
        let material = match &body.material {
            None => None,
            Some(name) => match materials::find(name) {
                None => {
                    let hint = hint(name, MATERIALS.iter().map(|material| material.name));
                    sink.error_in(
                        body.source_offset,
                        "material",
                        format!("there is no material {name:?}{hint}"),
                    );
                    return None;
                }
                material => material,
            },
        };
        check_parts(body, shape, sink)?;
        let maker = Maker { body, material };
        let mut resolved = if !shape.tetrahedra.is_empty() {
            maker.solid(sink)?
        } else if !shape.triangles.is_empty() {
            maker.surface(sink)?
        } else if body.rope.is_some() {
            maker.rope(sink)?
        } else {
            maker.particles(sink)
        };
        resolved.thickness = maker.known_thickness();
        if body.density.is_some() || body.mass.is_some() || body.masses.is_some() {
            resolved.density = None;
        }
        Some(resolved)
    }

    /// Whether it connects vertices.
    pub(super) fn joins(&self) -> bool {
        self.links.is_some()
            || self.solid.is_some()
            || !self.membrane.is_empty()
            || self.bending.is_some()
    }
}

/// Reports fields that do not apply to this kind of body.
fn check_parts(body: &Deformable, shape: &Shape, sink: &mut Sink) -> Option<()> {
    if body.solid.is_some() && shape.tetrahedra.is_empty() {
        let sentence = "needs tetrahedra: a box, a beam, a ball, a torus or a mesh of them";
        sink.error_in(body.source_offset, "solid", sentence);
        return None;
    }
    let of_surface = [
        ("membrane", body.membrane.is_some()),
        ("bending", body.bending.is_some()),
        ("pressure", body.pressure.is_some()),
        ("bulk_modulus", body.bulk_modulus.is_some()),
    ];
    for (field, _) in of_surface.into_iter().filter(|(_, given)| *given) {
        let sentence = if !shape.tetrahedra.is_empty() {
            "is for surfaces; solid says how tetrahedra resist"
        } else if shape.triangles.is_empty() {
            "needs triangles"
        } else {
            continue;
        };
        sink.error_in(body.source_offset, field, sentence);
        return None;
    }
    Some(())
}

/// Brings a body and its material together.
struct Maker<'a> {
    body: &'a Deformable,
    material: Option<&'static Material>,
}

impl Maker<'_> {
    fn solid(&self, sink: &mut Sink) -> Option<ResolvedMaterial> {
        let Self { body, material } = *self;
        if let Some(cloth) = material.filter(|material| material.is_cloth()) {
            let sentence = format!(
                "{} is a cloth, and the deformable a solid; foam or rubber would do",
                cloth.name
            );
            sink.error_in(body.source_offset, "material", sentence);
            return None;
        }
        let density = material.map(|material| material.density);
        let part = match (&body.solid, material) {
            (None, None) => return Some(ResolvedMaterial::default()),
            (None, Some(_)) if body.structural.is_some() => {
                return Some(ResolvedMaterial { density, ..ResolvedMaterial::default() });
            }
            (part, _) => part.as_ref(),
        };
        let young = part.and_then(|part| part.young).or(material.map(Material::mean_young));
        let poisson = self.poisson(part.and_then(|part| part.poisson));
        let law = part.map(|part| part.law).or_else(SolidLaw::absent);
        let (Some(young), Some(SolidLaw { name: law })) = (young, law) else {
            let source_offset =
                part.map_or(body.source_offset, |part: &SolidPart| part.source_offset);
            sink.error_in(
                source_offset,
                "young",
                "is missing; give it, or a material of the deformable",
            );
            return None;
        };
        let field = if part.is_some() { "solid" } else { "material" };
        let solid = Some(Part::new(law, vec![young, poisson], field));
        Some(ResolvedMaterial { density, solid, ..ResolvedMaterial::default() })
    }

    fn surface(&self, sink: &mut Sink) -> Option<ResolvedMaterial> {
        let Self { body, material } = *self;
        let mut resolved = ResolvedMaterial::default();
        if let Some(material) = material {
            resolved.density = Some(material.area_density(self.thickness("material", sink)?));
        }
        let springs = body.structural.is_some() || body.shear.is_some();
        if body.membrane.is_some() || (material.is_some() && !springs) {
            resolved.membrane = self.membrane(sink)?;
        }
        if body.bending.is_some() || (material.is_some() && body.bend.is_none()) {
            resolved.bending = Some(self.bending(sink)?);
        }
        Some(resolved)
    }

    /// Resistance of the triangles to stretch and shear.
    fn membrane(&self, sink: &mut Sink) -> Option<Vec<Part>> {
        let Self { body, material } = *self;
        let own = body.membrane.as_ref();
        let field = if own.is_some() { "membrane" } else { "material" };
        let stiffness = match (own.and_then(|own| own.stiffness), own.and_then(|own| own.young)) {
            (Some(stiffness), _) => stiffness,
            (None, Some(young)) => young * self.thickness("membrane", sink)?,
            (None, None) => match material {
                Some(material) => material.stiffness(self.thickness("material", sink)?),
                None => {
                    let source_offset =
                        own.map_or(body.source_offset, |own: &Membrane| own.source_offset);
                    let sentence = "is missing; give it, young, or a material of the deformable";
                    sink.error_in(source_offset, "stiffness", sentence);
                    return None;
                }
            },
        };
        let MembraneLaw { name: choice } = own.map(|own| own.law).or_else(MembraneLaw::absent)?;
        if let Some(own) = own {
            for (_, role) in of_membranes().filter(|(_, role)| role.choice != choice) {
                let takes = of_membranes().any(|(_, of)| of.choice == choice && of.own == role.own);
                let field = role.own.name();
                if !takes && own.writes(field) {
                    let sentence = format!("requires law = {:?}", role.choice);
                    sink.error_in(own.source_offset, field, sentence);
                    return None;
                }
            }
        }
        let sheet = Sheet {
            stiffness,
            shear: own.and_then(|own| own.shear).unwrap_or(0.1 * stiffness),
            poisson: self.poisson(own.and_then(|own| own.poisson)),
            // Only the product of modulus and thickness counts.
            thickness: self.known_thickness().unwrap_or(1.0),
        };
        let part = |(law, role): (&'static LawInfo, MembraneRole)| Part {
            law: law.name,
            values: (role.values)(&sheet),
            condition: role.condition,
            field,
        };
        Some(of_membranes().filter(|(_, role)| role.choice == choice).map(part).collect())
    }

    /// Resistance of the triangles to bending.
    fn bending(&self, sink: &mut Sink) -> Option<Part> {
        let Self { body, material } = *self;
        let own = body.bending.as_ref();
        let field = if own.is_some() { "bending" } else { "material" };
        let source_offset = own.map_or(body.source_offset, |own: &Bending| own.source_offset);
        let BendingLaw { name: law } = own.map(|own| own.law).or_else(BendingLaw::absent)?;
        if acts(law) == Some(BendingRole::Rings) {
            if own.is_some_and(|own| own.stiffness.is_some()) {
                let sentence = format!("is of a hinge; {law} has a rigidity");
                sink.error_in(source_offset, "stiffness", sentence);
                return None;
            }
            let rigidity = match (own.and_then(|own| own.rigidity), material) {
                (Some(rigidity), _) => rigidity,
                (None, Some(material)) => material.rigidity(self.thickness("material", sink)?),
                (None, None) => {
                    let sentence = "is missing; give it, or a material of the deformable";
                    sink.error_in(source_offset, "rigidity", sentence);
                    return None;
                }
            };
            return Some(Part::new(law, vec![rigidity], field));
        }
        if let Some(stiffness) = own.and_then(|own| own.stiffness) {
            return Some(Part::new(law, vec![stiffness], field));
        }
        let by_vertex = of_bending().find(|(_, role)| *role == BendingRole::Rings);
        let sentence = format!(
            "is missing: {law} works on hinges, whose stiffness no material knows, for it depends on the \
             mesh; {} takes a rigidity",
            by_vertex.map_or("a law by vertex", |(law, _)| law.name)
        );
        sink.error_in(source_offset, "stiffness", sentence);
        None
    }

    fn rope(&self, sink: &mut Sink) -> Option<ResolvedMaterial> {
        let Self { body, material } = *self;
        let Some(material) = material else { return Some(ResolvedMaterial::default()) };
        if material.is_cloth() {
            let sentence = format!(
                "{} is a cloth, and the deformable a rope; steel-wire would do",
                material.name
            );
            sink.error_in(body.source_offset, "material", sentence);
            return None;
        }
        let diameter = self.thickness("material", sink)?;
        let area = 0.25 * PI * diameter * diameter;
        let stiffness = Stiffness::PerStrain(material.mean_young() * area);
        let links = SpringFamily { stiffness, damping: SpringDamping::None };
        let links = Some(links).filter(|_| body.structural.is_none());
        Some(ResolvedMaterial {
            density: Some(material.density * area),
            links,
            ..ResolvedMaterial::default()
        })
    }

    fn particles(&self, sink: &mut Sink) -> ResolvedMaterial {
        let density = self.material.map(|material| material.density);
        if density.is_some() && (self.body.mass.is_some() || self.body.masses.is_some()) {
            let sentence = "has no effect: the deformable has neither tetrahedra nor triangles";
            sink.warning_in(self.body.source_offset, "material", sentence);
        }
        ResolvedMaterial { density, ..ResolvedMaterial::default() }
    }

    fn poisson(&self, own: Option<f64>) -> f64 {
        own.or(self.material.map(|material| material.poisson)).unwrap_or(POISSON)
    }

    fn known_thickness(&self) -> Option<f64> {
        self.body.thickness.or(self.material.and_then(|material| material.thickness))
    }

    /// The thickness that a field needs, or a message.
    fn thickness(&self, field: &str, sink: &mut Sink) -> Option<f64> {
        let thickness = self.known_thickness();
        if thickness.is_none() {
            let sentence = match self.material {
                Some(material) => {
                    format!("{} has no thickness of its own; give thickness", material.name)
                }
                None => "young needs the thickness of the deformable".into(),
            };
            sink.error_in(self.body.source_offset, field, sentence);
        }
        thickness
    }
}
