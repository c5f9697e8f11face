//! Projective dynamics: for energies `w/2 |G x − p(x)|²` quasi-Newton steps are its local and global
//! steps.

use crate::common::*;
use hooke::laws::{self, Law, StrainBand, StrainBandMembrane};
use hooke::math::{Mat3, svd};
use hooke::model::{Block, TetrahedronMesh};
use hooke::{Grid, Kernels, Model, State, Vec3};

const H: f64 = 0.02;

/// A block of tetrahedra of a law, held at one end.
fn block(law: &str, material: &[f64]) -> Model {
    let edges = [p(0.4, 0.0, 0.0), p(0.0, 0.2, 0.0), p(0.0, 0.0, 0.2)];
    let body = Block { corner: Vec3::ZERO, edges, cells: [2, 1, 1] }.mesh().unwrap();
    let mut model = Model::new();
    let (positions, tetrahedra) = (&body.positions[..], &body.tetrahedra[..]);
    let mesh = TetrahedronMesh { positions, tetrahedra, mass: 16.0, structural: None };
    mesh.add_to(&mut model).unwrap();
    for corners in tetrahedra {
        model.add_element(laws::find(law).unwrap(), corners, None, material).unwrap();
    }
    for i in 0..model.particles() as u32 {
        if model.rest()[i as usize].x == 0.0 {
            model.pin_at_rest(i).unwrap();
        }
    }
    model
}

/// A sheet of triangles in a band, held at two corners.
fn sheet(material: &[f64]) -> Model {
    let mut model = Model::new();
    let grid = Grid { structural: None, shear: None, bend: None, ..Grid::square(4) };
    grid.add_to(&mut model).unwrap();
    let law = laws::find("strain-band-membrane").unwrap();
    for corners in model.triangles().to_vec() {
        model.add_element(law, &corners, None, material).unwrap();
    }
    model.pin_at_rest(0).unwrap();
    model.pin_at_rest(3).unwrap();
    model
}

fn stirred(model: &Model) -> State {
    let mut state = State::at_rest(model);
    let mut numbers = Numbers(11);
    for (i, v) in state.velocities.iter_mut().enumerate() {
        if !model.fixed()[i][0] {
            *v = numbers.point() * 4.0;
        }
    }
    state
}

/// The slopes of an element's corners (1/m) and its size, from its rest values.
fn slopes(rest: &[f64]) -> (Vec<Vec3>, f64) {
    let (inverse, size) = rest.split_at(rest.len() - 1);
    let width = if rest.len() == 10 { 3 } else { 2 };
    let mut all = vec![Vec3::ZERO];
    for row in inverse.chunks(width) {
        let slope = p(row[0], row[1], row.get(2).copied().unwrap_or(0.0));
        all.push(slope);
        all[0] -= slope;
    }
    (all, size[0])
}

/// Local: the matrix nearest to F with singular values in the band.
fn project(f: Mat3, [min, max]: [f64; 2], axes: usize) -> Mat3 {
    let found = svd(&f);
    let mut clamped = Mat3::ZERO;
    for i in 0..axes {
        clamped.0[i][i] = found.sigma[i].clamp(min, max);
    }
    found.u * clamped * found.v.transpose()
}

/// Some iterations of projective dynamics, written out with a dense global solve. All elements have
/// the weight `w`.
fn local_global(
    model: &Model,
    state: &State,
    w: f64,
    band: [f64; 2],
    iterations: u32,
) -> Vec<Vec3> {
    let n = model.particles();
    let elements: Vec<_> = (0..model.elements()[0].len())
        .map(|e| {
            let view = model.elements()[0].view(e);
            let (slopes, size) = slopes(&view.rest);
            let axes = view.corners.len() - 1;
            (view.corners, slopes, w * size, axes)
        })
        .collect();
    let mut full = vec![vec![0.0; n]; n];
    for (i, row) in full.iter_mut().enumerate() {
        row[i] = model.masses()[i] / (H * H);
    }
    for (corners, slopes, weight, _) in &elements {
        for (&i, a) in corners.iter().zip(slopes) {
            for (&j, b) in corners.iter().zip(slopes) {
                full[i as usize][j as usize] += weight * a.dot(*b);
            }
        }
    }
    let free: Vec<usize> = (0..n).filter(|&i| !model.fixed()[i][0]).collect();
    let y: Vec<Vec3> = (0..n)
        .map(|i| state.positions[i] + state.velocities[i] * H + model.gravity() * (H * H))
        .collect();
    let mut x = y.clone();
    for pin in model.pins() {
        x[pin.particle.index()] = pin.motion.at(0.0);
    }
    for _ in 0..iterations {
        let mut rhs: Vec<Vec3> = (0..n).map(|i| y[i] * (model.masses()[i] / (H * H))).collect();
        for (corners, slopes, weight, axes) in &elements {
            let mut f = Mat3::ZERO;
            for (&i, slope) in corners.iter().zip(slopes) {
                f += x[i as usize].outer(*slope);
            }
            let nearest = project(f, band, *axes);
            for (&i, slope) in corners.iter().zip(slopes) {
                rhs[i as usize] += nearest * *slope * *weight;
            }
        }
        for &i in &free {
            for pin in model.pins() {
                let held = pin.particle.index();
                rhs[i] -= x[held] * full[i][held];
            }
        }
        let mut a: Vec<Vec<f64>> =
            free.iter().map(|&i| free.iter().map(|&j| full[i][j]).collect()).collect();
        let mut b: Vec<Vec3> = free.iter().map(|&i| rhs[i]).collect();
        for pivot in 0..free.len() {
            for row in pivot + 1..free.len() {
                let factor = a[row][pivot] / a[pivot][pivot];
                for column in pivot..free.len() {
                    a[row][column] -= factor * a[pivot][column];
                }
                b[row] = b[row] - b[pivot] * factor;
            }
        }
        for row in (0..free.len()).rev() {
            let mut sum = b[row];
            for column in row + 1..free.len() {
                sum -= x[free[column]] * a[row][column];
            }
            x[free[row]] = sum * (1.0 / a[row][row]);
        }
    }
    x
}

#[test]
fn quasi_newton_is_projective_dynamics() {
    // Without λ the co-rotated law is a projection onto rotations with the weight 2μ = E.
    let cases: [(&str, fn() -> Model, f64, [f64; 2]); 4] = [
        ("corotated", || block("corotated", &[2e5, 0.0]), 2e5, [1.0, 1.0]),
        ("rotations", || block("strain-band", &[2e5, 1.0, 1.0]), 2e5, [1.0, 1.0]),
        ("strain-band", || block("strain-band", &[2e5, 0.9, 1.05]), 2e5, [0.9, 1.05]),
        ("strain-band-membrane", || sheet(&[800.0, 0.95, 1.02]), 800.0, [0.95, 1.02]),
    ];
    for (name, build, w, band) in cases {
        let model = build();
        let state = stirred(&model);
        for iterations in [1, 2, 7] {
            let expected = local_global(&model, &state, w, band, iterations);
            let moved = apart(&expected, &state.positions);
            assert!(moved > 1e-3, "{name}: {moved}");
            let count = iterations.to_string();
            let settings = [
                ("tolerance", "0"),
                ("iterations", &count[..]),
                ("start", "prediction"),
                ("energy_guard", "false"),
            ];
            let method = method("projective-dynamics", &settings);
            let mut simulation = simulation(build(), method, H, state.clone());
            simulation.set_kernels(Kernels::Portable);
            run(&mut simulation, 1);
            let error = apart(&simulation.state().positions, &expected);
            assert!(error < 1e-9, "{name}, {iterations} iterations: {error:e}");
        }
    }
}

#[test]
fn a_band_of_no_width_is_corotated_without_lambda() {
    let mut numbers = Numbers(3);
    for _ in 0..50 {
        let rest = StrainBand::rest([Vec3::ZERO, Vec3::AXES[0], Vec3::AXES[1], Vec3::AXES[2]]);
        let x: [Vec3; 4] = std::array::from_fn(|_| numbers.point());
        let band = StrainBand::energy(x, rest.unwrap(), [300.0, 1.0, 1.0]);
        let corotated = laws::Corotated::energy(x, rest.unwrap(), [300.0, 0.0]);
        assert!((band - corotated).abs() < 1e-10 * corotated, "{band} {corotated}");
    }
}

#[test]
fn within_the_band_there_is_no_force() {
    let flat = [Vec3::ZERO, p(1.0, 0.0, 0.0), p(0.2, 0.9, 0.0)];
    let rest = StrainBandMembrane::rest(flat).unwrap();
    for stretch in [0.95, 1.0, 1.05] {
        let x = flat.map(|x| p(0.3, x.x * stretch, x.y));
        assert_eq!(StrainBandMembrane::energy(x, rest, [1e3, 0.9, 1.1]), 0.0);
        let force = StrainBandMembrane::gradient(x, rest, [1e3, 0.9, 1.1]);
        assert!(force.iter().all(|f| f.norm() == 0.0), "{force:?}");
    }
    // Uniaxial: w (σ − σ_max) over the width.
    let square = [Vec3::ZERO, p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0)];
    let rest = StrainBandMembrane::rest(square).unwrap();
    let x = square.map(|x| p(x.x * 1.3, x.y, 0.0));
    let force = StrainBandMembrane::gradient(x, rest, [1e3, 0.9, 1.1]);
    let expected = 0.5 * 1e3 * 0.2;
    assert!((force[1] - p(expected, 0.0, 0.0)).norm() < 1e-9, "{:?}", force[1]);
}

#[test]
fn collapsed_elements_open_again() {
    for flattened in [0.0, -0.3] {
        let model = block("strain-band", &[1e5, 0.9, 1.1]);
        let mut state = State::at_rest(&model);
        for (i, x) in state.positions.iter_mut().enumerate() {
            if !model.fixed()[i][0] {
                x.x = 0.2 + (x.x - 0.2) * flattened;
            }
        }
        let mut simulation = simulation(model, method("quasi-newton", &[]), H, state);
        run(&mut simulation, 100);
        assert_eq!(simulation.report().inverted, 0, "{flattened}");
    }
    for x in [[Vec3::ZERO; 3], [Vec3::ZERO, p(0.5, 0.0, 0.0), p(1.0, 0.0, 0.0)]] {
        let rest = [1.0, 0.0, 0.0, 1.0, 0.5];
        let force = StrainBandMembrane::gradient(x, rest, [1e3, 0.9, 1.1]);
        assert!(force.iter().all(|f| f.is_finite()), "{force:?}");
        let hessian = StrainBandMembrane::hessian(x, rest, [1e3, 0.9, 1.1], 1.0);
        assert!(hessian.iter().flatten().flat_map(|block| block.0).flatten().all(f64::is_finite));
    }
}

#[test]
fn a_hanging_sheet_stops_at_the_end_of_its_band() {
    let mut model = sheet(&[5e3, 0.0, 1.1]);
    for i in [1, 2] {
        model.pin_at_rest(i).unwrap();
    }
    let state = State::at_rest(&model);
    let settings = [("accelerator", "l-bfgs"), ("iterations", "100")];
    let mut simulation = simulation(model, method("quasi-newton", &settings), H, state);
    run(&mut simulation, 400);
    let strain = simulation.report().strain.unwrap().value;
    // 3 N on a width of 1 m; some triangles carry more than others.
    assert!(strain > 0.1 && strain < 0.1 + 2.0 * 3.0 / 5e3, "{strain}");
}
