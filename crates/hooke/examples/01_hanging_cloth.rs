//! A cloth hangs from two corners: the smallest program.

use hooke::methods::NewtonSettings;
use hooke::{Grid, IntoMethod, Model, Simulation};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 20 × 20 particles, 1 m × 1 m, 0.3 kg, hanging in the xy plane; backward Euler by Newton's method.
    hang(Grid::square(20), NewtonSettings::default())
}

/// Two seconds of a cloth under a method.
pub(crate) fn hang(cloth: Grid, method: impl IntoMethod) -> Result<(), Box<dyn std::error::Error>> {
    let mut model = Model::new();
    let cloth = cloth.add_to(&mut model)?;
    model.pin_at_rest(cloth.at(0, 0))?;
    model.pin_at_rest(cloth.at(cloth.columns() - 1, 0))?;

    let mut simulation = Simulation::new(model, method, 1.0 / 60.0)?;
    for _ in 0..120 {
        let report = simulation.step()?;
        if report.step % 30 == 0 {
            print!("{:.2} s: ", report.time);
            // Explicit methods solve nothing.
            if let Some(solve) = report.solve {
                print!(
                    "{} after {} iterations, residual {:.1e}, ",
                    solve.end,
                    solve.iterations,
                    solve.relative()
                );
            }
            let strain = report.strain.map_or(0.0, |strain| strain.value);
            println!("worst strain {:.1} %", 100.0 * strain);
        }
    }

    let lowest = simulation.state().positions.iter().map(|x| x.y).fold(0.0, f64::min);
    println!("the lowest particle hangs at {lowest:.3} m");
    assert!((-1.5..-0.9).contains(&lowest));
    Ok(())
}
