//! Mass, center and inertia of meshes against closed forms.

use crate::common::p;
use hooke::Vec3;
use hooke::math::{Mat3, Quat};
use hooke::model::Shape;
use hooke::rigid::{Mass, RigidBody};

/// A box as twelve triangles.
pub fn box_mesh(half: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |k: u32| {
        let side = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half.times(p(side(0), side(1), side(2)))
    };
    let quads =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

fn apart(a: &Mat3, b: &Mat3) -> f64 {
    a.0.iter().flatten().zip(b.0.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_turned_and_moved_box_has_the_inertia_of_a_box() {
    let half = p(0.2, 0.3, 0.5);
    let (vertices, triangles) = box_mesh(half);
    let rotation = Quat::about(p(1.0, -2.0, 0.5), 1.1);
    let to = p(30.0, -20.0, 10.0);
    let moved: Vec<Vec3> = vertices.iter().map(|&x| to + rotation.rotate(x)).collect();
    let found = Mass::of_mesh(&moved, &triangles, 700.0).unwrap();
    let exact = Mass::of_shape(&Shape::Box { half, inside_out: false }, 700.0).unwrap();
    let r = rotation.matrix();
    assert!((found.mass / exact.mass - 1.0).abs() < 1e-13);
    assert!((found.center - to).norm() < 1e-13);
    assert!(apart(&found.inertia, &(r * exact.inertia * r.transpose())) < 1e-11);
    // Principal axes give the same tensor again.
    let principal = found.principal();
    let m = principal.moments;
    assert!(m.x >= m.y && m.y >= m.z);
    let axes = principal.axes.matrix();
    assert!(apart(&(axes.scaled_columns(m) * axes.transpose()), &found.inertia) < 1e-11);
}

#[test]
fn a_tetrahedron_has_its_closed_form() {
    // The corner of a cube: ∫ x = 1/24, ∫ x² = 1/60, ∫ xy = 1/120.
    let corners = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0), p(0.0, 0.0, 1.0)];
    let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let found = Mass::of_mesh(&corners, &triangles, 6.0).unwrap();
    assert!((found.mass - 1.0).abs() < 1e-15);
    assert!((found.center - p(0.25, 0.25, 0.25)).norm() < 1e-15);
    let (square, product) = (6.0 / 60.0 - 0.0625, 6.0 / 120.0 - 0.0625);
    for i in 0..3 {
        for j in 0..3 {
            let exact = if i == j { 2.0 * square } else { -product };
            assert!((found.inertia.0[i][j] - exact).abs() < 1e-15);
        }
    }
}

#[test]
fn a_capsule_is_what_a_fine_mesh_of_it_says() {
    let (radius, half_length) = (0.3, 0.4);
    let (rings, sides) = (200, 200);
    let mut vertices = Vec::new();
    for i in 0..=rings {
        let polar = std::f64::consts::PI * f64::from(i) / f64::from(rings);
        let lift = if i * 2 <= rings { half_length } else { -half_length };
        for k in 0..sides {
            let rotation = 2.0 * std::f64::consts::PI * f64::from(k) / f64::from(sides);
            let side = radius * polar.sin();
            vertices.push(p(
                side * rotation.sin(),
                radius * polar.cos() + lift,
                side * rotation.cos(),
            ));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..rings as u32 {
        for k in 0..sides as u32 {
            let at = |i: u32, k: u32| match i {
                0 => 0,
                i if i == rings as u32 => i * sides as u32,
                i => i * sides as u32 + k % sides as u32,
            };
            let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
            triangles.extend(
                [[a, b, c], [a, c, d]].into_iter().filter(|&[a, b, c]| a != b && b != c && c != a),
            );
        }
    }
    let fine = Mass::of_mesh(&vertices, &triangles, 1000.0).unwrap();
    let exact = Mass::of_shape(&Shape::Capsule { radius, half_length }, 1000.0).unwrap();
    assert!((fine.mass / exact.mass - 1.0).abs() < 1e-3, "{} {}", fine.mass, exact.mass);
    assert!(apart(&fine.inertia, &exact.inertia) < 2e-3 * exact.inertia.0[0][0]);
}

#[test]
fn open_inverted_and_endless_shapes_are_refused() {
    let (vertices, triangles) = box_mesh(p(0.5, 0.5, 0.5));
    let says =
        |triangles: &[[u32; 3]]| Mass::of_mesh(&vertices, triangles, 1.0).unwrap_err().to_string();
    assert!(says(&triangles[1..]).contains("a body needs a closed surface"));
    let inverted: Vec<_> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert!(says(&inverted).contains("inside out"));
    assert!(says(&[]).contains("needs triangles"));
    let error = RigidBody::solid(Shape::HalfSpace, 1.0).unwrap_err().to_string();
    assert!(error.contains("a shape with an end"), "{error}");
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Mass::of_mesh(&vertices, &triangles, density).unwrap_err().to_string();
        assert!(error.contains("density"), "{error}");
    }
}

#[test]
fn a_mesh_starts_where_it_was_given_with_its_center_at_the_origin() {
    let (vertices, triangles) = box_mesh(p(0.5, 0.5, 0.5));
    let moved: Vec<Vec3> = vertices.iter().map(|&x| x + p(3.0, 4.0, 5.0)).collect();
    let body = RigidBody::of_mesh(&moved, &triangles, 1.0).unwrap();
    assert!((body.start.pose.position - p(3.0, 4.0, 5.0)).norm() < 1e-14);
    let Shape::Mesh(mesh) = &body.shape else { panic!() };
    assert!(mesh.vertices().iter().zip(&vertices).all(|(a, b)| (*a - *b).norm() < 1e-14));
}
