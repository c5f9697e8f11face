//! What edits of a running simulation cost: stiffness, mass, step and pins ask for new numbers in
//! the factor, a pin that moves for nothing.

use crate::run;
use crate::scene::Scene;
use hooke::model::MaterialId;
use hooke::{Simulation, StepReport, Substeps, Vec3};
use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

/// How often each edit is made.
const TIMES: usize = 7;

/// An edit, made for the k-th time.
type Edit<'a> = &'a dyn Fn(&mut Simulation, usize) -> Result<(), Box<dyn Error>>;

/// What one step after an edit took (s), and its factorizations.
struct Cost {
    /// Before the method: what an edit makes it prepare.
    prepare: f64,
    factorization: f64,
    total: f64,
    factorizations: u32,
}

impl Cost {
    fn of(report: &StepReport) -> Self {
        let seconds = report.seconds;
        Self {
            prepare: seconds.total - seconds.method - seconds.measure - seconds.contact,
            factorization: seconds.factorization,
            total: seconds.total,
            factorizations: report.solve.map_or(0, |solve| solve.factorizations),
        }
    }
}

/// Edits a cloth of n × n particles under fast mass-spring with 10 iterations.
pub(crate) fn edits(n: u32) -> Result<String, Box<dyn Error>> {
    let h = 1.0 / 30.0;
    let scene = Scene::cloth(n, h)?;
    let method = run::method("quasi-newton", &["iterations=10", "tolerance=0"])?;
    let model = scene.model()?;
    let clock = Instant::now();
    let mut simulation = Simulation::with_substeps(model, method, h, Substeps::Fixed(1))?;
    let prepare = clock.elapsed().as_secs_f64();
    simulation.set_state(scene.state())?;
    let first = Cost::of(simulation.step()?);
    let mut text = String::from("[");
    tell(&mut text, "set-up", &[Cost { prepare, total: prepare + first.total, ..first }]);

    let corner = n * n - 1;
    let middle = n * n / 2;
    let mass = simulation.model().masses()[middle as usize];
    let stiffness = simulation.model().elements()[0].view(0).material[0];
    let more = |k: usize| 1.0 + 0.1 * (k % 2) as f64;
    let edits: [(&str, Edit<'_>); 6] = [
        ("nothing", &|_, _| Ok(())),
        ("stiffness", &|simulation, k| {
            Ok(simulation
                .model_mut()
                .set_material(MaterialId { batch: 0, group: 0 }, &[stiffness * more(k)])?)
        }),
        ("mass", &|simulation, k| Ok(simulation.model_mut().set_mass(middle, mass * more(k))?)),
        ("step", &|simulation, k| Ok(simulation.set_step(h * more(k))?)),
        ("pins", &|simulation, k| {
            if k % 2 == 0 {
                simulation.model_mut().pin_at_rest(corner)?;
            } else {
                simulation.model_mut().unpin(corner);
            }
            Ok(())
        }),
        ("a pin moved", &|simulation, k| {
            let to = Vec3::new(-0.5, 1e-3 * k as f64, 0.0);
            let pin = simulation.model().pins()[0].id;
            Ok(simulation.control_mut().set_pin(pin, to)?)
        }),
    ];
    for (name, edit) in edits {
        let mut costs = Vec::new();
        for k in 1..=TIMES {
            edit(&mut simulation, k)?;
            costs.push(Cost::of(simulation.step()?));
        }
        text.push_str(", ");
        tell(&mut text, name, &costs);
    }
    text.push(']');
    Ok(text)
}

/// The steps after an edit as JSON.
fn tell(text: &mut String, name: &str, costs: &[Cost]) {
    let list = |number: &dyn Fn(&Cost) -> f64| {
        let numbers: Vec<_> = costs.iter().map(|cost| format!("{:e}", number(cost))).collect();
        format!("[{}]", numbers.join(", "))
    };
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "{{\"edit\": \"{name}\", \"prepare\": {}, \"factorization\": {}, \"total\": {}, \
         \"factorizations\": {}}}",
        list(&|cost| cost.prepare),
        list(&|cost| cost.factorization),
        list(&|cost| cost.total),
        list(&|cost| f64::from(cost.factorizations)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_of_values_factor_once_and_a_moved_pin_never() {
        let text = edits(6).unwrap();
        for part in text.split("{\"edit\": ").skip(1) {
            let (name, rest) = part.split_once(',').unwrap();
            let (_, counts) = rest.split_once("\"factorizations\": [").unwrap();
            let counts: Vec<_> = counts.split(']').next().unwrap().split(", ").collect();
            let wanted =
                if ["\"nothing\"", "\"a pin moved\""].contains(&name) { "0e0" } else { "1e0" };
            assert!(counts.iter().all(|&count| count == wanted), "{name}: {counts:?}");
        }
    }
}
