//! A rope whose end is led around a circle, and the force that takes.

use hooke::methods::NewtonSettings;
use hooke::model::{Interpolation, Motion, SpringFamily, Track};
use hooke::{Model, Rope, Simulation, Vec3};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut model = Model::new();
    let rope = Rope {
        from: Vec3::ZERO,
        to: Vec3::new(0.0, -1.0, 0.0),
        links: 20,
        mass: 0.2,
        structural: SpringFamily::stiffness(2000.0),
        bend: None,
    };
    rope.add_to(&mut model)?;

    // Sixteen keys around a circle of radius 0.3 m in two seconds, over and over.
    let keys = 16;
    let times = (0..=keys).map(|k| 2.0 * f64::from(k) / f64::from(keys)).collect();
    let points = (0..=keys)
        .map(|k| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(keys)).sin_cos();
            Vec3::new(0.3 * cos - 0.3, 0.0, 0.3 * sin)
        })
        .collect();
    let track = Track::new(times, points, Interpolation::Smooth, true)?;
    model.pin(0, [true; 3], Motion::along(track))?;

    let mut simulation = Simulation::new(model, NewtonSettings::default(), 1.0 / 60.0)?;
    let (mut work, mut hardest) = (0.0, 0.0f64);
    for _ in 0..240 {
        let report = simulation.step()?;
        work += report.work.external;
        hardest = hardest.max(report.reactions[0].norm());
    }
    println!("the hand did {work:.3} J of work and pulled with up to {hardest:.2} N");
    assert!(work > 0.0 && hardest > 0.2 * 9.81);
    Ok(())
}
