//! Shape matching against reference numbers.

use crate::common::{apart, p};
use crate::reference::{point, points, read};
use hooke::Vec3;
use hooke::math::Quat;
use hooke::rigid::shape_matching::{Polar, Rest};

#[test]
fn both_polar_forms_match_the_reference() {
    let case = read("shape_matching");
    let arms = points(&case["inputs"]["reference_offsets_r"]);
    let rest = Rest::new(&arms, &vec![1.0; arms.len()]);
    let mut seen = 0;
    for (name, expected) in case["outputs"].as_object().unwrap() {
        let Some(y) = expected.get("y").map(points) else { continue };
        seen += 1;
        for (polar, rotation, positions) in [
            (Polar::Map, "R_polar_of_A", "rigidified_positions_polar_of_A"),
            (Polar::Fit, "R_polar_of_Apq_(Kabsch,optimal)", "rigidified_positions_kabsch"),
        ] {
            let found = rest.find(&y, polar);
            assert!((found.center - point(&expected["centroid"])).norm() < 1e-12, "{name}");
            let rows: Vec<Vec3> = found.rotation.0.iter().map(|row| Vec3::from(*row)).collect();
            assert!(apart(&rows, &points(&expected[rotation])) < 1e-12, "{name} {rotation}");
            let goals: Vec<Vec3> = rest.arms().iter().map(|&r| found.goal(r)).collect();
            assert!(apart(&goals, &points(&expected[positions])) < 1e-12, "{name} {positions}");
            assert!((found.rotation.determinant() - 1.0).abs() < 1e-12);
        }
    }
    assert!(seen >= 3, "only {seen} cases");
}

#[test]
fn flat_and_mirrored_bodies_have_a_rotation() {
    let flat = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 2.0, 0.0), p(1.0, 2.0, 0.0)];
    let rest = Rest::new(&flat, &[1.0, 2.0, 3.0, 4.0]);
    let rotation = Quat::about(p(1.0, 2.0, 3.0), 1.0);
    let y: Vec<Vec3> = flat.iter().map(|&x| rotation.rotate(x)).collect();
    for polar in [Polar::Fit, Polar::Map] {
        let found = rest.find(&y, polar);
        let error = (found.rotation * p(0.3, 0.2, 0.1) - rotation.rotate(p(0.3, 0.2, 0.1))).norm();
        assert!(error < 1e-12, "{error:e}");
        // A body turned inside out by its motion.
        let mirrored: Vec<Vec3> = y.iter().map(|&x| -x).collect();
        assert!((rest.find(&mirrored, polar).rotation.determinant() - 1.0).abs() < 1e-12);
    }
}
