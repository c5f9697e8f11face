//! Singular values and rotations of random and degenerate matrices.

use crate::common::Numbers;
use hooke::math::{Dual, Mat3, Svd, Vec3, nearest_rotation, svd};

fn largest(m: &Mat3) -> f64 {
    m.0.iter().flatten().fold(0.0, |most: f64, value| most.max(value.abs()))
}

fn product(Svd { u, sigma, v }: &Svd) -> Mat3 {
    let scaled = Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| u.0[i][j] * sigma[j])));
    scaled * v.transpose()
}

#[track_caller]
fn is_rotation(r: &Mat3) {
    let off = largest(&(*r * r.transpose() - Mat3::IDENTITY));
    assert!(off <= 1e-14, "off orthogonal by {off:e}: {r:?}");
    assert!((r.determinant() - 1.0).abs() <= 1e-14, "not a rotation: {r:?}");
}

#[track_caller]
fn check(f: &Mat3) {
    let found = svd(f);
    let size = largest(f);
    is_rotation(&found.u);
    is_rotation(&found.v);
    let error = largest(&(product(&found) - *f));
    assert!(error <= 1e-14 * size, "off by {:e} of {f:?}", error / size);
    let [a, b, c] = found.sigma;
    let slack = 1e-14 * a;
    assert!(a >= b - slack && b >= c.abs() - slack && b >= 0.0, "order of {:?}", found.sigma);
    // The polar decomposition: a rotation times a symmetric matrix.
    let r = found.rotation();
    let y = r.transpose() * *f;
    assert!(largest(&(y - y.transpose())) <= 1e-14 * size, "not symmetric: {y:?}");
    is_rotation(&r);
}

fn random(r: &mut Numbers) -> Mat3 {
    Mat3([0; 3].map(|_| r.point().to_array()))
}

#[test]
fn random_matrices() {
    let mut r = Numbers(1);
    let mut reflected = 0;
    for trial in 0..5000 {
        let f = random(&mut r) * libm::pow(10.0, 12.0 * r.next());
        check(&f);
        let sign = svd(&f).sigma[2] * f.determinant();
        assert!(sign >= 0.0, "trial {trial}: the last singular value has the determinant's sign");
        reflected += usize::from(f.determinant() < 0.0);
    }
    assert!(reflected > 1000);
}

#[test]
fn degenerate_matrices() {
    let mut r = Numbers(2);
    let axes = Vec3::AXES;
    for f in [
        Mat3::ZERO,
        Mat3::IDENTITY,
        Mat3::IDENTITY * -1.0,
        Mat3::diagonal(1e-300),
        Mat3::diagonal(1e300),
        axes[0].outer(axes[2]),
        axes[1].outer(axes[1]),
        Mat3([[1.0; 3]; 3]),
        Mat3([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0 + 1e-15]]),
        Mat3([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]),
        Mat3([[1.0, 0.0, 0.0], [0.0, 1e-200, 0.0], [0.0, 0.0, -1e-250]]),
        Mat3([[1e8, 1.0, 0.0], [0.0, 1e-8, 1.0], [0.0, 0.0, 1e-16]]),
    ] {
        check(&f);
    }
    for _ in 0..3000 {
        let (a, b, c, d) = (r.point(), r.point(), r.point(), r.point());
        let (u, v) = (svd(&random(&mut r)).u, svd(&random(&mut r)).v);
        // Rank one, rank two, repeated singular values, reflections, tiny differences.
        check(&a.outer(b));
        check(&(a.outer(b) + c.outer(d)));
        for [p, q, s] in [[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [2.0, 2.0, -2.0], [1.0, 1.0, 0.0]] {
            let tiny = 1e-13 * r.next();
            let sigma = Mat3([[p, 0.0, 0.0], [0.0, q, 0.0], [0.0, 0.0, s + tiny]]);
            check(&(u * sigma * v.transpose()));
        }
        let steep = Mat3([[1.0, 0.0, 0.0], [0.0, 1e-9, 0.0], [0.0, 0.0, 1e-15 * r.next()]]);
        check(&(u * steep * v.transpose()));
    }
}

#[test]
fn small_singular_values_keep_their_digits() {
    let mut r = Numbers(3);
    for _ in 0..500 {
        // Columns of very different lengths: exactly scaled, so their singular values are known well.
        let u = svd(&random(&mut r)).u;
        let [a, b, c] = u.columns();
        let found = svd(&Mat3::of_columns([a * 1e-12, b, c * 1e-6])).sigma;
        for (got, expected) in found.into_iter().zip([1.0, 1e-6, 1e-12]) {
            assert!((got - expected).abs() <= 1e-14 * expected, "{got} {expected}");
        }
    }
}

#[test]
fn the_nearest_rotation_carries_its_derivative() {
    let mut r = Numbers(4);
    for _ in 0..300 {
        let (f, along) = (random(&mut r), random(&mut r));
        let sigma = svd(&f).sigma;
        if sigma[1] + sigma[2] < 0.1 {
            continue;
        }
        let lift = |j: usize| {
            let (f, d) = (f.columns()[j], along.columns()[j]);
            Vec3::new(Dual { v: f.x, d: d.x }, Dual { v: f.y, d: d.y }, Dual { v: f.z, d: d.z })
        };
        let derived = nearest_rotation([lift(0), lift(1), lift(2)]);
        let e = 1e-5;
        let [ahead, behind] = [e, -e].map(|e| svd(&(f + along * e)).rotation().columns());
        for j in 0..3 {
            let slope = (ahead[j] - behind[j]) * (0.5 / e);
            let difference = slope - derived[j].lift(|entry| entry.d);
            assert!(difference.norm() < 1e-5, "{slope:?} {:?}", derived[j]);
        }
    }
}
