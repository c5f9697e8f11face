//! Material values of elements, stored once for all elements that share them.

use super::law::Param;
use crate::error::{ModelError, a, invalid_element};
use std::collections::HashMap;

/// Groups of elements with the same P material values.
pub(super) struct MaterialGroups<const P: usize> {
    values: Vec<[f64; P]>,
    known: HashMap<[u64; P], u32>,
}

impl<const P: usize> MaterialGroups<P> {
    pub(super) fn new() -> Self {
        Self { values: Vec::new(), known: HashMap::new() }
    }

    /// The values of a group.
    #[inline]
    pub(super) fn get(&self, group: u32) -> [f64; P] {
        self.values[group as usize]
    }

    /// The values of all groups.
    pub(super) fn all(&self) -> &[[f64; P]] {
        &self.values
    }

    /// The values of all groups, for files.
    pub(super) fn to_vecs(&self) -> Vec<Vec<f64>> {
        self.values.iter().map(|values| values.to_vec()).collect()
    }

    /// The group of an element with these values.
    pub(super) fn insert(&mut self, values: [f64; P]) -> u32 {
        *self.known.entry(values.map(f64::to_bits)).or_insert_with(|| {
            self.values.push(values);
            (self.values.len() - 1) as u32
        })
    }

    /// Changes the values of a group where `check` finds nothing wrong with them.
    pub(super) fn set(
        &mut self,
        name: &str,
        group: usize,
        values: &[f64],
        check: impl FnOnce(&[f64; P]) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        let values = parse(name, values)?;
        if group >= self.values.len() {
            return invalid_element(format!("there is no group {group} of {name}"));
        }
        check(&values)?;
        self.known.remove(&self.values[group].map(f64::to_bits));
        self.values[group] = values;
        Ok(())
    }
}

/// The P material values of an element of the law `name`.
pub(super) fn parse<const P: usize>(name: &str, values: &[f64]) -> Result<[f64; P], ModelError> {
    let plural = if P == 1 { "" } else { "s" };
    <[f64; P]>::try_from(values).map_err(|_| ModelError::InvalidElement {
        sentence: format!("{} has {P} material value{plural}", a(name)),
    })
}

/// Whether every material value is in its range.
pub(super) fn check_material(
    name: &str,
    params: &[Param],
    material: &[f64],
) -> Result<(), ModelError> {
    for (value, param) in material.iter().zip(params) {
        let [low, high] = param.range;
        if !(low..=high).contains(value) {
            let (field, unit) = (param.name, param.unit);
            return invalid_element(format!(
                "{field} of {} must be from {low:e} to {high:e} {unit} (got {value})",
                a(name)
            ));
        }
    }
    Ok(())
}
