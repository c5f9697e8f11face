//! A law of one's own: state the energy, and every method runs it.

use hooke::laws::{self, Law, Param, Proxy};
use hooke::math::{Scalar, Vec3};
use hooke::{Model, Simulation};

/// A spring that stiffens as it stretches: `E = ½ k s² (1 + ½ (s/l)²)`, `s = |x_i − x_j| − l`.
struct Hardening;

impl Law<2, 1, 1> for Hardening {
    const NAME: &'static str = "hardening-spring";
    const EQUATION: &'static str = "E = ½ k s² (1 + ½ (s/l)²), s = |x_i − x_j| − l";
    const DOC: &'static str = "A spring that stiffens as it stretches.";
    const PARAMS: [Param; 1] = [Param {
        name: "stiffness",
        unit: "N/m",
        doc: "stiffness at rest",
        range: [0.0, 1e9],
        default: 100.0,
    }];
    // Its stiffness has no bound, so quasi-Newton steps are checked.
    const PROXY: Proxy = Proxy::Estimate;

    fn rest([a, b]: [Vec3; 2]) -> Option<[f64; 1]> {
        Some([(a - b).norm()]).filter(|[l]| *l > 0.0)
    }

    // The one equation; gradient and Hessian follow from it.
    fn energy<T: Scalar>([a, b]: [Vec3<T>; 2], [l]: [T; 1], [k]: [T; 1]) -> T {
        let s = (a - b).norm() - l;
        let half = T::of(0.5);
        half * k * s * s * (T::of(1.0) + half * (s / l) * (s / l))
    }

    fn proxy(_: [f64; 1], [k]: [f64; 1]) -> [[f64; 2]; 2] {
        [[4.0 * k, -4.0 * k], [-4.0 * k, 4.0 * k]]
    }
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sags = Vec::new();
    for method in ["newton", "quasi-newton"] {
        let mut model = Model::new();
        model.add_particle(Vec3::ZERO, 1.0)?;
        model.add_particle(Vec3::new(0.0, -1.0, 0.0), 5.0)?;
        model.add_element(&laws::info::<Hardening, 2, 1, 1>(), &[0, 1], None, &[100.0])?;
        model.pin_at_rest(0)?;
        let mut simulation = Simulation::new(model, method, 0.1)?;
        for _ in 0..300 {
            simulation.step()?;
        }
        sags.push(-1.0 - simulation.state().positions[1].y);
    }
    println!("sag: {:.6} m by newton, {:.6} m by quasi-newton", sags[0], sags[1]);
    // k s (1 + s²) = m g
    let s = sags[0];
    assert!((100.0 * s * (1.0 + s * s) - 5.0 * 9.81).abs() < 1e-4);
    assert!((sags[0] - sags[1]).abs() < 1e-5);
    Ok(())
}
