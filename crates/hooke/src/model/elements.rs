//! The elements and dampers of a model, one batch per law.

use super::{
    DamperId, ElementId, MaterialId, Model, ModelError, ParticleId, SpringDamping, SpringFamily,
    Stiffness,
};
use crate::dampers::{DamperInfo, Dashpot, StrainDashpot};
use crate::elements::{Dampers, Elements};
use crate::laws::{LawInfo, Rod, Spring, StrainSpring};
use crate::linalg::Pattern;

impl Model {
    /// Adds an element of any law. Rest values are computed from the rest positions unless given.
    pub fn add_element(
        &mut self,
        law: &LawInfo,
        corners: &[impl Into<ParticleId> + Copy],
        rest: Option<&[f64]>,
        material: &[f64],
    ) -> Result<ElementId, ModelError> {
        as_indices(corners, |corners| self.push_element(law, corners, rest, material, None))
    }

    pub(super) fn push_element(
        &mut self,
        law: &LawInfo,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
        anchor: Option<u32>,
    ) -> Result<ElementId, ModelError> {
        for &corner in corners {
            self.check_particle(corner)?;
        }
        let batch = match self
            .elements
            .iter()
            .position(|batch| (batch.law().identity)() == (law.identity)())
        {
            Some(batch) => batch,
            None => {
                self.elements.push((law.batch)());
                self.elements.len() - 1
            }
        };
        let index = self.elements[batch].push(corners, rest, material, anchor, &self.rest)?;
        // An element of one particle couples nothing: the pattern stays.
        if corners.len() > 1 {
            self.versions.topology += 1;
        } else {
            self.versions.values += 1;
        }
        Ok(ElementId { batch, index })
    }

    /// Adds a spring of stiffness `k` (N/m); `rest_length` (m) from the rest positions if `None`.
    pub fn add_spring(
        &mut self,
        i: impl Into<ParticleId>,
        j: impl Into<ParticleId>,
        k: f64,
        rest_length: Option<f64>,
    ) -> Result<ElementId, ModelError> {
        let family = SpringFamily::stiffness(k);
        self.add_spring_of(i, j, &family, rest_length)
    }

    /// Adds a spring with the coefficients and damping of a family.
    pub fn add_spring_of(
        &mut self,
        i: impl Into<ParticleId>,
        j: impl Into<ParticleId>,
        family: &SpringFamily,
        rest_length: Option<f64>,
    ) -> Result<ElementId, ModelError> {
        let ends = [i.into().0, j.into().0];
        let rest = rest_length.map(|l| [l]);
        let rest = rest.as_ref().map(|r| &r[..]);
        // The damper first: where either is refused, neither is added.
        match family.damping {
            SpringDamping::None => {}
            SpringDamping::PerVelocity(beta) => {
                let dashpot = crate::dampers::info::<Dashpot, 2, 0, 1>();
                self.push_damper(&dashpot, &ends, None, &[beta])?;
            }
            SpringDamping::PerStrainRate(kd) => {
                let dashpot = crate::dampers::info::<StrainDashpot, 2, 1, 1>();
                self.push_damper(&dashpot, &ends, rest, &[kd])?;
            }
        }
        match family.stiffness {
            Stiffness::PerLength(k) => {
                self.push_element(&crate::laws::info::<Spring, 2, 1, 1>(), &ends, rest, &[k], None)
            }
            Stiffness::PerStrain(y) => self.push_element(
                &crate::laws::info::<StrainSpring, 2, 1, 1>(),
                &ends,
                rest,
                &[y],
                None,
            ),
            Stiffness::Compliance(alpha) => {
                self.push_element(&crate::laws::info::<Rod, 2, 1, 1>(), &ends, rest, &[alpha], None)
            }
        }
    }

    /// All elements, one batch per law.
    pub fn elements(&self) -> &[Box<dyn Elements>] {
        &self.elements
    }

    /// The law and index of the first rigid element, which has constraints but no energy.
    pub fn first_hard_constraint(&self) -> Option<(&'static str, usize)> {
        self.elements.iter().find_map(|batch| Some((batch.law().name, batch.rigid()?)))
    }

    /// The material of an element, where there is one.
    pub fn material_of(&self, element: ElementId) -> Option<MaterialId> {
        let ElementId { batch, index } = element;
        let own = self.elements.get(batch).filter(|own| index < own.len())?;
        Some(MaterialId { batch, group: own.view(index).group })
    }

    /// Changes the values of a material, for all elements that share it.
    pub fn set_material(&mut self, material: MaterialId, values: &[f64]) -> Result<(), ModelError> {
        let MaterialId { batch, group } = material;
        match self.elements.get_mut(batch) {
            Some(batch) => batch.set_material(group, values)?,
            None => return Err(ModelError::UnknownMaterial { material }),
        }
        self.versions.values += 1;
        Ok(())
    }

    /// Adds a damper of any kind.
    pub fn add_damper(
        &mut self,
        kind: &DamperInfo,
        corners: &[impl Into<ParticleId> + Copy],
        rest: Option<&[f64]>,
        material: &[f64],
    ) -> Result<DamperId, ModelError> {
        as_indices(corners, |corners| self.push_damper(kind, corners, rest, material))
    }

    fn push_damper(
        &mut self,
        kind: &DamperInfo,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
    ) -> Result<DamperId, ModelError> {
        for &corner in corners {
            self.check_particle(corner)?;
        }
        let batch = match self
            .dampers
            .iter()
            .position(|batch| (batch.kind().identity)() == (kind.identity)())
        {
            Some(batch) => batch,
            None => {
                self.dampers.push((kind.batch)());
                self.dampers.len() - 1
            }
        };
        let index = self.dampers[batch].len();
        self.dampers[batch].push(corners, rest, material, &self.rest)?;
        self.versions.topology += 1;
        Ok(DamperId { batch, index })
    }

    /// All dampers, one batch per kind.
    pub fn dampers(&self) -> &[Box<dyn Dampers>] {
        &self.dampers
    }

    /// Which particles elements and dampers couple, without the dense blocks of enclosed volumes.
    pub fn pattern(&self) -> Pattern {
        self.pattern_with(std::iter::empty())
    }

    /// As [`Model::pattern`], and what else is coupled.
    pub(crate) fn pattern_with<'a>(&'a self, more: impl Iterator<Item = &'a [u32]>) -> Pattern {
        let elements =
            self.elements.iter().flat_map(|b| (0..b.couplings()).map(move |e| b.coupled(e)));
        let dampers = self.dampers.iter().flat_map(|b| (0..b.len()).map(move |e| b.corners(e)));
        Pattern::new(self.particles(), elements.chain(dampers).chain(more))
    }
}

/// Calls `then` with the numbers of particles; few of them without an allocation.
fn as_indices<T>(corners: &[impl Into<ParticleId> + Copy], then: impl FnOnce(&[u32]) -> T) -> T {
    let mut few = [0; 8];
    let Some(own) = few.get_mut(..corners.len()) else {
        return then(&corners.iter().map(|&corner| corner.into().0).collect::<Vec<_>>());
    };
    for (own, &corner) in own.iter_mut().zip(corners) {
        *own = corner.into().0;
    }
    then(own)
}
