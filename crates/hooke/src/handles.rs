//! Handles: what `add_*` gives back and edits take, one type for each kind of thing, so that none is
//! taken for another.

use std::ops::Range;

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The handle of the thing that was added as number `index`, from 0. Edits refuse one of nothing.
            pub const fn new(index: u32) -> Self {
                Self(index)
            }

            /// As which number it was added, from 0: its index into the model's and the state's lists.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

handle! {
    /// A particle: its index into [`Model::rest`](crate::Model::rest) and the positions of a
    /// [`State`](crate::State). Functions take it as `impl Into<ParticleId>`, so that a number will do.
    ParticleId
}
handle! {
    /// An anchor: its index into [`Model::anchors`](crate::Model::anchors).
    AnchorId
}
handle! {
    /// An obstacle: its index into [`Model::obstacles`](crate::Model::obstacles).
    ObstacleId
}
handle! {
    /// A rigid body: its index into [`Model::rigid_bodies`](crate::Model::rigid_bodies).
    RigidBodyId
}
handle! {
    /// A joint of rigid bodies: its index into [`Model::joints`](crate::Model::joints).
    JointId
}
handle! {
    /// A chain: its index into [`Model::chains`](crate::Model::chains).
    ChainId
}

impl From<u32> for ParticleId {
    fn from(index: u32) -> Self {
        Self(index)
    }
}

impl PartialEq<u32> for ParticleId {
    fn eq(&self, index: &u32) -> bool {
        self.0 == *index
    }
}

/// A pin. It stays the same when others are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PinId(pub(crate) u64);

/// Which element: the batch and the index within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId {
    /// Index into [`Model::elements`](crate::Model::elements).
    pub batch: usize,
    /// Index within the batch.
    pub index: usize,
}

/// Which damper: the batch and the index within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DamperId {
    /// Index into [`Model::dampers`](crate::Model::dampers).
    pub batch: usize,
    /// Index within the batch; of a damper of several conditions that of the first.
    pub index: usize,
}

/// Which material: all elements of a batch that were added with the same values share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaterialId {
    /// Index into [`Model::elements`](crate::Model::elements).
    pub batch: usize,
    /// Index among the batch's materials.
    pub group: usize,
}

/// Particles that were added together, one after the other: a rope from one end to the other, a mesh
/// vertex by vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Particles {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl Particles {
    /// So many particles from the one that was added as number `first`.
    pub const fn new(first: u32, count: u32) -> Self {
        Self { first, count }
    }

    /// How many.
    pub const fn len(self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }

    /// One of them, from 0.
    ///
    /// # Panics
    ///
    /// Where there are not so many.
    pub fn at(self, index: u32) -> ParticleId {
        assert!(index < self.count, "particle {index} of {}", self.count);
        ParticleId(self.first + index)
    }

    /// All of them.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = ParticleId> + ExactSizeIterator {
        (0..self.len()).map(move |index| ParticleId(self.first + index as u32))
    }

    /// Their indices, to cut lists with: `&state.positions[rope.indices()]`.
    pub const fn indices(self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// The particles of a [`Grid`](crate::Grid) that was added to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridParticles {
    pub(crate) first: u32,
    pub(crate) columns: u32,
    pub(crate) rows: u32,
}

impl GridParticles {
    /// The particle in a column and row, from 0.
    ///
    /// # Panics
    ///
    /// Where the grid has no such column or row.
    pub fn at(self, column: u32, row: u32) -> ParticleId {
        let Self { first, columns, rows } = self;
        assert!(column < columns && row < rows, "particle {column}, {row} of {columns} × {rows}");
        ParticleId(first + row * columns + column)
    }

    /// How many particles a row has.
    pub const fn columns(self) -> u32 {
        self.columns
    }

    /// How many particles a column has.
    pub const fn rows(self) -> u32 {
        self.rows
    }

    /// All of them, row by row.
    pub const fn particles(self) -> Particles {
        Particles { first: self.first, count: self.columns * self.rows }
    }
}
