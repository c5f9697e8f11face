//! How much memory a run will take, before anything is allocated.

use crate::format::MethodChoice;
use hooke::methods::Unknowns;
use hooke::settings::Value;

/// Bytes of a rigid body with its contacts, at the peak of a run.
pub const RIGID: u64 = 8000;

/// The most bytes of a place where rigid bodies touch.
pub const CONTACT: u64 = 1000;

/// Bytes at the peak of a run, the command included; `filled` of the particles are of solids.
///
/// Fitted to the peak of `hooke run` on cloths of 10⁴ to 1.6·10⁵ particles with structural, shear
/// and bend springs, and on blocks of 1.5·10⁴ to 3.6·10⁴ particles, under explicit, quasi-Newton and
/// Newton methods, where it is within a fifth. The fill of a factor grows with log₂ n on
/// surfaces, and with a power of n in solids.
pub fn memory(particles: u64, filled: u64, elements: u64, method: &MethodChoice) -> u64 {
    let (n, filled) = (particles as f64, filled as f64);
    let fill = n.max(2.0).log2();
    let fill_of_solids = filled.max(1.0).powf(0.45);
    let iterative = method.settings.iter().any(|(name, value)| {
        name == "solver" && !matches!(value, Value::Text(text) if text == "cholesky")
    });
    let [of_surfaces, of_solids] = match method.info.unknowns {
        Unknowns::None => [0.0; 2],
        Unknowns::Numbers => [110.0 * fill, 30.0 * fill_of_solids],
        Unknowns::Blocks if iterative => [1500.0; 2],
        Unknowns::Blocks => [650.0 * fill - 500.0, 225.0 * fill_of_solids],
    };
    let system = (n - filled) * of_surfaces + filled * of_solids;
    (8e6 + 360.0 * n + system + 180.0 * elements as f64) as u64
}

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
