//! How much memory a run will take, before anything is allocated.

use crate::format::MethodChoice;
use hooke::methods::Unknowns;
use hooke::settings::Value;

/// Bytes at the peak of a run, the command included.
///
/// Fitted to the peak of `hooke run` on cloths of 10⁴ to 1.6·10⁵ particles with structural, shear
/// and bend springs under explicit, quasi-Newton and Newton methods, where it is within a fifth.
/// The fill of a factor grows with log₂ n on surfaces; that of solids grows faster.
pub fn memory(particles: u64, filled: u64, elements: u64, method: &MethodChoice) -> u64 {
    let n = particles as f64;
    let fill = n.max(2.0).log2();
    let iterative = method.settings.iter().any(|(name, value)| {
        name == "solver" && !matches!(value, Value::Text(text) if text == "cholesky")
    });
    let system = match method.info.unknowns {
        Unknowns::None => 0.0,
        Unknowns::Numbers => 110.0 * fill,
        Unknowns::Blocks if iterative => 1500.0,
        Unknowns::Blocks => 650.0 * fill - 500.0,
    };
    (8e6 + n * (360.0 + system) + 180.0 * elements as f64) as u64
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
