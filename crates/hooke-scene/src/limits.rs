//! What a scene may ask for, checked before anything is allocated.

/// The longest scene file (bytes). Read as values, a text takes some eighty times its own size;
/// larger geometry belongs into a mesh file.
pub const TEXT: u64 = 32 << 20;

/// The most particles of a scene.
pub const PARTICLES: u64 = 20_000_000;

/// The most springs, dampers, triangles and tetrahedra of a scene.
pub const ELEMENTS: u64 = 200_000_000;

/// The most rigid bodies of a scene.
pub const RIGID: u64 = 100_000;

/// The most choices among vertices: how many a body has, times its groups, materials, forces and
/// pins.
pub const CHOICES: u64 = 500_000_000;

/// The most steps of a run.
pub const STEPS: u64 = 1_000_000_000;

/// How far from the origin (m) a particle or rigid body may come before its run counts as diverged: farther than
/// the sun, long before numbers overflow.
pub const REACH: f64 = 1e12;

/// The largest mass (kg) and density of a scene: half a sun, long before weights and energies overflow.
pub const MASS: f64 = 1e30;

/// The largest coefficient of friction: more is no different.
pub const FRICTION: f64 = 1e6;

/// The memory a run may take (bytes): four fifths of the machine's, or of what its container
/// allows; `None` where that is not known.
pub fn memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    let container = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .into_iter()
        .find_map(|path| read(path)?.trim().parse::<u64>().ok());
    machine.into_iter().chain(container).min().map(|bytes| bytes / 5 * 4)
}
