//! What a scene may ask for, checked before anything is allocated.

/// The longest scene file (bytes). Read as values, a text takes some eighty times its own size;
/// larger geometry belongs into a mesh file.
pub const TEXT: u64 = 32 << 20;

/// The most particles of a scene.
pub const PARTICLES: u64 = 20_000_000;

/// The most springs, dampers, triangles and tetrahedra of a scene.
pub const ELEMENTS: u64 = 200_000_000;

/// The most choices among vertices: how many a body has, times its groups, materials, forces and
/// pins.
pub const CHOICES: u64 = 500_000_000;

/// The most steps of a run.
pub const STEPS: u64 = 1_000_000_000;

/// How far from the origin (m) a particle may come before its run counts as diverged: farther than
/// the sun, long before numbers overflow.
pub const REACH: f64 = 1e12;
