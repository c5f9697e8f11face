//! Versions: which kind of edit was made since a method made ready.

/// Counts the edits of each kind, so that a method knows what to redo: nothing for forces, the
/// numeric part for values and pins, everything for topology.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// Which model.
    pub model: u64,
    /// Which particles and elements there are.
    pub topology: u64,
    /// Masses, stiffnesses, rest values.
    pub values: u64,
    /// Which coordinates are pinned.
    pub pins: u64,
    /// Gravity, constant forces, wind.
    pub forces: u64,
}

impl Versions {
    /// What a symbolic analysis depends on.
    pub(crate) fn symbolic(&self) -> (u64, u64) {
        (self.model, self.topology)
    }

    /// What a numeric factorization depends on.
    pub(crate) fn numeric(&self) -> [u64; 4] {
        [self.model, self.topology, self.values, self.pins]
    }

    /// What the lists of elements depend on.
    pub(crate) fn elements(&self) -> [u64; 3] {
        [self.model, self.topology, self.values]
    }
}
