//! A cloth hangs from two corners: the smallest program.

use hooke::{End, Grid, Model, Simulation};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 20 × 20 particles, 1 m × 1 m, 0.3 kg, hanging in the xy plane.
    let mut model = Model::new();
    let cloth = Grid::square(20);
    cloth.add_to(&mut model)?;
    model.pin_at_rest(cloth.index(0, 0))?;
    model.pin_at_rest(cloth.index(19, 0))?;

    // Two seconds of backward Euler by Newton's method.
    let mut simulation = Simulation::new(model, "newton", 1.0 / 60.0)?;
    for _ in 0..120 {
        let report = simulation.step()?;
        let solve = report.solve.ok_or("newton solves")?;
        assert_eq!(solve.end, End::Converged);
        if report.step % 30 == 0 {
            println!(
                "{:.2} s: {} iterations, residual {:.1e}, worst strain {:.1} %",
                report.time,
                solve.iterations,
                solve.relative(),
                100.0 * report.strain.map_or(0.0, |strain| strain.value)
            );
        }
    }

    let lowest = simulation.state().positions.iter().map(|x| x.y).fold(0.0, f64::min);
    println!("the lowest particle hangs at {lowest:.3} m");
    assert!((-1.2..-1.0).contains(&lowest));
    Ok(())
}
