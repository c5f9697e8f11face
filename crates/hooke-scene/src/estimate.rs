//! How much memory a run will take, before anything is allocated.

use crate::format::MethodChoice;
use hooke::methods::Unknowns;
use hooke::settings::Value;

/// Bytes of a vertex and of an element, at the least.
pub(crate) const VERTEX: u64 = 690;
pub(crate) const ELEMENT: u64 = 135;

/// Bytes of a point of a pen's path: in the path, and as a keyframe.
pub const POINT: u64 = 120;

/// Bytes of a vertex that a group may hold.
pub const CHOICE: u64 = 4;

/// Bytes of a byte of the scene's text, read as values.
pub const TEXT: u64 = 80;

/// Bytes of a rigid body with its contacts, at the peak of a run.
pub const RIGID: u64 = 8000;

/// The most bytes of a contact point of rigid bodies.
pub const CONTACT: u64 = 1000;

/// What a body puts into the systems that methods solve: how much of a matrix and of its factor its
/// particles fill.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fill {
    /// Of lines and surfaces.
    surface: f64,
    /// Of what fills a volume.
    solid: f64,
    /// Of a second matrix beside the factor (bytes).
    beside: f64,
    /// Elements that are of no volume.
    loose: f64,
}

impl Fill {
    /// A line or surface whose particles are each joined to `neighbors` others. A factor hardly grows beyond
    /// its matrix there, least where the graph is a line.
    pub fn surface(particles: u64, elements: u64, neighbors: f64, line: bool) -> Self {
        let (n, blocks) = (particles as f64, 1.0 + 0.5 * neighbors);
        let fill = if line { 0.5 } else { 1.0 };
        Self {
            surface: fill * n * blocks.powf(1.1914) * n.max(1.0).powf(0.03),
            solid: 0.0,
            beside: 640.0 * n * (blocks - 3.0).max(0.0),
            loose: elements as f64,
        }
    }

    /// A body of tetrahedra: the wider it is at its narrowest (particles), the more its factor fills; one that
    /// is slender can be cut across.
    pub fn solid(particles: u64, width: f64, slender: bool) -> Self {
        let cut = if slender { 0.7 } else { 1.0 };
        let n = particles as f64;
        Self { solid: cut * n * width.powf(0.93), beside: 1650.0 * n, ..Self::default() }
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            surface: self.surface + other.surface,
            solid: self.solid + other.solid,
            beside: self.beside + other.beside,
            loose: self.loose + other.loose,
        }
    }
}

/// Bytes at the peak of a run, the command included.
///
/// Fitted to the peak of `hooke run` on two threads: cloths of 10³ to 9·10⁴ particles of springs or of
/// triangles, blocks of 7·10² to 2.4·10⁴ particles, a bar and a rope. Under methods with a system it was within
/// a fifth above what was measured; `auto` is taken for the most it may choose. The tests measure it again.
pub fn memory(particles: u64, elements: u64, fill: Fill, method: &MethodChoice) -> u64 {
    let iterative = method.settings.iter().any(|(name, value)| {
        name == "solver" && !matches!(value, Value::Text(text) if text == "cholesky")
    });
    let iterates = (method.info.settings)().iter().any(|setting| setting.name == "tolerance");
    let (n, elements) = (particles as f64, elements as f64);
    let system = match (method.info.unknowns, method.info.accepts_hard_constraints()) {
        (Unknowns::None, true) => 32.0 * fill.loose,
        (Unknowns::None, false) if iterates => 22.0 * elements + 28.0 * fill.loose,
        (Unknowns::None, false) => 0.0,
        (Unknowns::Numbers, _) => 100.0 * (n + fill.surface) + 260.0 * fill.solid,
        (Unknowns::Blocks, false) if iterative => 1500.0 * n,
        (Unknowns::Blocks, rigid) => {
            let beside = if rigid { fill.beside } else { 0.0 };
            1161.0 * fill.surface + 2720.0 * fill.solid + beside
        }
    };
    // Tetrahedra take more than springs and triangles, except as mere constraints.
    let constraints =
        method.info.unknowns == Unknowns::None && method.info.accepts_hard_constraints();
    let filled = if constraints { 0.0 } else { 45.0 * (elements - fill.loose).max(0.0) };
    (16.8e6 + VERTEX as f64 * n + ELEMENT as f64 * elements + filled + system) as u64
}

/// Bytes of a ball's surface, as it is recorded and drawn.
pub const SURFACE: u64 = 64_000;

/// Bytes as a person reads them.
pub fn bytes(count: u64) -> String {
    let mut value = count as f64;
    for unit in ["B", "KiB", "MiB"] {
        if value < 1024.0 {
            let digits = usize::from(unit != "B");
            return format!("{value:.digits$} {unit}");
        }
        value /= 1024.0;
    }
    format!("{value:.1} GiB")
}
