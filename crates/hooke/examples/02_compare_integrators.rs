//! One spring under every method: who gains energy, who loses it, who keeps it.

use hooke::{Model, Simulation, Substeps, Vec3};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:26} {:>5} {:>12}", "method", "order", "E(2 s)/E(0)");
    for method in hooke::methods::METHODS {
        // A mass of 1 kg on a spring with ω = 10/s, displaced by 1 m, in steps of hω = 0.2.
        let mut model = Model::new();
        model.set_gravity(Vec3::ZERO)?;
        model.add_particle(Vec3::ZERO, 1.0)?;
        model.add_particle(Vec3::new(11.0, 0.0, 0.0), 1.0)?;
        model.add_spring(0, 1, 100.0, Some(10.0))?;
        model.pin_at_rest(0)?;

        // One part per step, stable or not: forward Euler may show what it does.
        let built = (method.build)(&[])?;
        let mut simulation = Simulation::with_substeps(model, built, 0.02, Substeps::Fixed(1))?;
        let start = simulation.report().energy.total();
        for _ in 0..100 {
            simulation.step()?;
        }
        let ratio = simulation.report().energy.total() / start;
        println!("{:26} {:>5} {ratio:>12.4}", method.name, method.order);
        match method.name {
            "forward-euler" => assert!(ratio > 10.0),
            "symplectic-euler" | "velocity-verlet" | "implicit-midpoint" => {
                assert!((ratio - 1.0).abs() < 0.25);
            }
            "newton" | "quasi-newton" | "linearized-backward-euler" => assert!(ratio < 0.1),
            _ => assert!(ratio < 1.0),
        }
    }
    Ok(())
}
