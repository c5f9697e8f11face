//! Tetrahedral meshes made by the engine: no gap, no flat or inverted tetrahedron, the right volume
//! and mass.

use crate::common::*;
use hooke::model::solid::{dihedral_cosines, volume};
use hooke::model::surface::hinges;
use hooke::model::{Ball, Block, Solid, TetrahedronMesh, Torus};
use hooke::{Model, Vec3};
use std::collections::BTreeMap;

fn block(cells: [u32; 3], size: [f64; 3]) -> Block {
    let edges = [0, 1, 2].map(|axis| Vec3::AXES[axis] * size[axis]);
    Block { corner: p(-1.0, 2.0, 0.5), edges, cells }
}

fn ball(layers: u32) -> Ball {
    Ball { center: p(1.0, 2.0, 3.0), radius: 0.7, layers }
}

fn torus(slices: u32, layers: u32) -> Torus {
    let (center, axis) = (p(0.0, 1.0, 0.0), p(1.0, 1.0, 0.2));
    Torus { center, axis, radius: 1.0, tube: 0.3, slices, layers }
}

fn corners(solid: &Solid, tetrahedron: &[u32; 4]) -> [Vec3; 4] {
    tetrahedron.map(|i| solid.positions[i as usize])
}

/// The sharpest and the bluntest dihedral angle (degrees).
fn angles(solid: &Solid) -> [f64; 2] {
    let mut worst = [180.0, 0.0];
    for tetrahedron in &solid.tetrahedra {
        let [sharp, blunt] =
            dihedral_cosines(corners(solid, tetrahedron)).map(|cosine| cosine.acos().to_degrees());
        worst = [f64::min(worst[0], sharp), f64::max(worst[1], blunt)];
    }
    worst
}

/// Every vertex used, every volume positive, every face shared by two or outside, every edge of the
/// outside between two triangles that face alike; gives the Euler characteristic of the outside.
fn sound(solid: &Solid) -> i64 {
    let mut used = vec![false; solid.positions.len()];
    let mut faces: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    for tetrahedron in &solid.tetrahedra {
        assert!(volume(corners(solid, tetrahedron)) > 0.0, "{tetrahedron:?}");
        for left_out in 0..4 {
            used[tetrahedron[left_out] as usize] = true;
            let mut face: Vec<u32> = tetrahedron.to_vec();
            face.remove(left_out);
            face.sort_unstable();
            *faces.entry([face[0], face[1], face[2]]).or_default() += 1;
        }
    }
    assert!(used.into_iter().all(|used| used));
    assert!(faces.values().all(|&sharing| sharing <= 2));
    let (positions, triangles) = solid.skin();
    assert_eq!(triangles.len(), faces.values().filter(|&&sharing| sharing == 1).count());
    let mut edges: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for &[a, b, c] in &triangles {
        for edge in [[a, b], [b, c], [c, a]] {
            *edges.entry(edge).or_default() += 1;
        }
    }
    for ([i, j], count) in &edges {
        assert_eq!((*count, edges.get(&[*j, *i])), (1, Some(&1)), "watertight at {i}, {j}");
    }
    let enclosed: f64 = triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|i| positions[i as usize]);
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    assert!((enclosed - solid.volume()).abs() < 1e-12 * solid.volume().max(1.0), "outwards");
    assert_eq!(hinges(&triangles).unwrap().len(), edges.len() / 2);
    positions.len() as i64 - edges.len() as i64 / 2 + triangles.len() as i64
}

#[test]
fn blocks_are_sound_and_exact() {
    for cells in [[1, 1, 1], [2, 1, 1], [3, 2, 4], [12, 2, 2]] {
        let size =
            [0.5 * f64::from(cells[0]), 0.5 * f64::from(cells[1]), 0.5 * f64::from(cells[2])];
        let solid = block(cells, size).mesh().unwrap();
        assert_eq!(sound(&solid), 2, "a sphere");
        assert_eq!(solid.tetrahedra.len() as u32, 5 * cells.iter().product::<u32>());
        assert!((solid.volume() - size.iter().product::<f64>()).abs() < 1e-12);
        let [sharp, blunt] = angles(&solid);
        assert!(sharp > 54.7 && blunt < 90.001, "{sharp} {blunt}");
    }
    let left_handed = Block {
        edges: [p(0.0, 0.0, 1.0), p(0.0, 1.0, 0.0), p(1.0, 0.0, 0.0)],
        ..block([2, 2, 2], [1.0; 3])
    };
    assert_eq!(sound(&left_handed.mesh().unwrap()), 2);
}

/// With even counts a block is its own mirror image: nothing falls to one side.
#[test]
fn blocks_are_mirror_symmetric() {
    let solid = block([4, 2, 2], [4.0, 2.0, 2.0]).mesh().unwrap();
    let key = |x: Vec3| x.to_array().map(|value| (value * 1024.0).round() as i64);
    let shapes = |mirror: Option<usize>| {
        let mut all: Vec<Vec<[i64; 3]>> = Vec::new();
        for tetrahedron in &solid.tetrahedra {
            let mut shape: Vec<[i64; 3]> = corners(&solid, tetrahedron)
                .map(|mut x| {
                    if let Some(axis) = mirror {
                        let middle = [1.0, 3.0, 1.5][axis];
                        x[axis] = 2.0 * middle - x[axis];
                    }
                    key(x)
                })
                .to_vec();
            shape.sort_unstable();
            all.push(shape);
        }
        all.sort_unstable();
        all
    };
    for axis in 0..3 {
        assert_eq!(shapes(None), shapes(Some(axis)), "axis {axis}");
    }
}

#[test]
fn balls_are_sound_and_converge() {
    let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.7f64.powi(3);
    let mut missing = Vec::new();
    for layers in [1, 2, 3, 4, 8] {
        let ball = ball(layers);
        let solid = ball.mesh().unwrap();
        assert_eq!(sound(&solid), 2, "a sphere");
        assert_eq!(solid.positions.len() as u128, ball.vertices());
        assert_eq!(solid.tetrahedra.len() as u32, 20 * layers.pow(3));
        let [sharp, blunt] = angles(&solid);
        assert!(sharp > 36.0 && blunt < 120.0, "{layers}: {sharp} {blunt}");
        for x in solid.skin().0 {
            assert!(((x - ball.center).norm() - 0.7).abs() < 1e-14);
        }
        missing.push(1.0 - solid.volume() / exact);
    }
    assert!(missing[4] < 0.02 && missing[4] > 0.0, "{missing:?}");
    let order = (missing[3] / missing[4]).log2();
    assert!((1.9..2.1).contains(&order), "{missing:?}");
}

#[test]
fn tori_are_sound_and_converge() {
    let exact = 2.0 * std::f64::consts::PI.powi(2) * 1.0 * 0.3 * 0.3;
    let mut missing = Vec::new();
    for (slices, layers) in [(3, 1), (7, 1), (12, 2), (24, 4), (48, 8)] {
        let torus = torus(slices, layers);
        let solid = torus.mesh().unwrap();
        assert_eq!(sound(&solid), 0, "a torus");
        assert_eq!(solid.positions.len() as u128, torus.vertices());
        assert_eq!(solid.tetrahedra.len() as u32, slices * 18 * layers * layers);
        missing.push(1.0 - solid.volume() / exact);
    }
    let [sharp, blunt] = angles(&torus(48, 2).mesh().unwrap());
    assert!(sharp > 28.0 && blunt < 120.0, "{sharp} {blunt}");
    assert!(missing[4] < 0.03 && missing[4] > 0.0, "{missing:?}");
    let order = (missing[3] / missing[4]).log2();
    assert!((1.9..2.1).contains(&order), "{missing:?}");
}

#[test]
fn a_quarter_of_every_tetrahedron_at_each_corner() {
    let meshes = [block([4, 2, 2], [2.0, 1.0, 1.0]).mesh(), ball(3).mesh(), torus(12, 2).mesh()];
    for solid in meshes.map(Result::unwrap) {
        let mass = 900.0 * solid.volume();
        let mut model = Model::new();
        let (positions, tetrahedra) = (&solid.positions[..], &solid.tetrahedra[..]);
        TetrahedronMesh { positions, tetrahedra, mass, structural: None }
            .add_to(&mut model)
            .unwrap();
        assert!((model.masses().iter().sum::<f64>() / mass - 1.0).abs() < 1e-13);
        for (own, volume) in model.masses().iter().zip(model.volumes()) {
            assert!((own / (900.0 * volume) - 1.0).abs() < 1e-12);
        }
        assert_eq!(model.triangles().len(), solid.skin().1.len());
    }
}

#[test]
fn what_makes_no_solid_is_refused() {
    let said = [
        block([0, 1, 1], [1.0; 3]).mesh(),
        Block { edges: [p(1.0, 0.0, 0.0); 3], ..block([1, 1, 1], [1.0; 3]) }.mesh(),
        block([4000, 4000, 4000], [1.0; 3]).mesh(),
        ball(0).mesh(),
        Ball { radius: -1.0, ..ball(1) }.mesh(),
        torus(2, 1).mesh(),
        Torus { tube: 1.0, ..torus(6, 1) }.mesh(),
        Torus { axis: Vec3::ZERO, ..torus(6, 1) }.mesh(),
    ]
    .map(|mesh| mesh.unwrap_err().to_string());
    assert_eq!(
        said,
        [
            "a block needs at least 1 cell along its first edge (got 0)",
            "the edges of a block span no volume",
            "a block of 64048012001 vertices is too large",
            "a ball needs at least 1 layer (got 0)",
            "the radius of a ball must be > 0 (got -1)",
            "a torus needs at least 3 slices (got 2)",
            "the tube of a torus must be thinner than its radius, and both > 0 (got 1 and 1)",
            "the axis of a torus must not be zero",
        ]
    );
}
