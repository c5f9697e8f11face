//! The memory that a cloth takes, in a process of its own.

use crate::{run, scene};
use hooke::{Model, Simulation, Substeps};
use std::error::Error;

/// Steps a cloth of n × n particles once. Resident bytes with the model, after the set-up, after
/// the step, and the most there were.
pub(crate) fn memory(n: u32, method: &str) -> Result<String, Box<dyn Error>> {
    let (h, settings): (_, &[&str]) = match method {
        "symplectic-euler" => (0.005 / f64::from(n), &[]),
        _ => (1.0 / 30.0, &["iterations=2", "tolerance=0"]),
    };
    let method = run::method(method, settings)?;
    let mut model = Model::new();
    let grid = scene::grid(n);
    let grid = grid.add_to(&mut model)?;
    for pin in [grid.at(0, 0), grid.at(n - 1, 0)] {
        model.pin_at_rest(pin)?;
    }
    let before = resident("VmRSS")?;
    let mut simulation = Simulation::with_substeps(model, method, h, Substeps::Fixed(1))?;
    let prepared = resident("VmRSS")?;
    simulation.step()?;
    let (after, peak) = (resident("VmRSS")?, resident("VmHWM")?);
    Ok(format!(
        "{{\"model\": {before}, \"prepared\": {prepared}, \"stepped\": {after}, \"peak\": {peak}}}"
    ))
}

/// A line of what Linux tells about this process (bytes).
fn resident(name: &str) -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("no such line")?;
    Ok(1024 * kibibytes.trim().parse::<u64>()?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn memory_is_told_and_the_peak_is_the_most() {
        let text = super::memory(8, "quasi-newton").unwrap();
        let numbers: Vec<u64> = text
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|number| number.parse().ok())
            .collect();
        assert_eq!(numbers.len(), 4, "{text}");
        assert!(numbers[3] > 0 && numbers.iter().all(|&bytes| bytes <= numbers[3]), "{text}");
    }
}
