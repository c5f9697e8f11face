//! Builders: counts, symmetry, orientation, and what is refused.

use crate::common::*;
use hooke::model::{
    Diagonals, SpringDamping, SpringFamily, Stiffness, TetrahedronMesh, TriangleMesh,
};
use hooke::{Grid, Model, Rope, Simulation, Vec3};

fn family(k: f64) -> SpringFamily {
    SpringFamily::stiffness(k)
}

fn springs(model: &Model) -> usize {
    model.elements().iter().map(|batch| batch.len()).sum()
}

#[test]
fn grid_counts() {
    for (diagonals, per_cell) in
        [(Diagonals::Both, 2), (Diagonals::One, 1), (Diagonals::Alternating, 1)]
    {
        let mut model = Model::new();
        let grid = Grid { columns: 5, rows: 4, diagonals, ..Grid::default() };
        assert_eq!(grid.add_to(&mut model).unwrap().particles().indices(), 0..20);
        let structural = 4 * 4 + 5 * 3;
        let bend = 3 * 4 + 5 * 2;
        assert_eq!(springs(&model), structural + per_cell * 12 + bend, "{diagonals:?}");
        assert_eq!(model.triangles().len(), 24);
        assert!((model.masses().iter().sum::<f64>() - 0.3).abs() < 1e-14);
    }
    for (columns, rows) in [(1, 1), (1, 7), (2, 2)] {
        let mut model = Model::new();
        Grid { columns, rows, ..Grid::default() }.add_to(&mut model).unwrap();
        assert_eq!(model.particles() as u32, columns * rows);
    }
}

/// The mirror image across x = 0 of a hanging cloth's positions.
fn asymmetry(diagonals: Diagonals) -> f64 {
    let n = 7;
    let mut model = Model::new();
    let grid = Grid {
        diagonals,
        structural: Some(family(30.0)),
        shear: Some(family(20.0)),
        ..Grid::square(n)
    }
    .add_to(&mut model)
    .unwrap();
    model.pin_at_rest(grid.at(0, 0)).unwrap();
    model.pin_at_rest(grid.at(n - 1, 0)).unwrap();
    let mut simulation = Simulation::new(model, exact("newton"), 0.02).unwrap();
    run(&mut simulation, 40);
    let x = &simulation.state().positions;
    let mut worst: f64 = 0.0;
    for row in 0..n {
        for column in 0..n {
            let left = x[grid.at(column, row).index()];
            let right = x[grid.at(n - 1 - column, row).index()];
            worst = worst.max((p(-left.x, left.y, left.z) - right).norm());
        }
    }
    worst
}

#[test]
fn one_diagonal_sags_to_one_side_and_both_are_mirror_symmetric() {
    assert!(asymmetry(Diagonals::Both) < 1e-10);
    let uneven = asymmetry(Diagonals::One);
    assert!(uneven > 1e-3, "{uneven}");
}

#[test]
fn any_orientation_moves_alike() {
    let fall = |across: Vec3, down: Vec3, gravity: Vec3| {
        let mut model = Model::new();
        model.set_gravity(gravity).unwrap();
        Grid { across, down, origin: Vec3::ZERO, ..Grid::square(5) }.add_to(&mut model).unwrap();
        model.pin_at_rest(0).unwrap();
        let mut simulation = Simulation::new(model, exact("newton"), 0.02).unwrap();
        run(&mut simulation, 20);
        let x = simulation.state().positions[24];
        [x.dot(across), x.dot(down), x.dot(across.cross(down))]
    };
    let a = fall(p(1.0, 0.0, 0.0), p(0.0, -1.0, 0.0), p(0.0, -9.81, 0.0));
    let b = fall(p(0.0, 0.0, 1.0), p(1.0, 0.0, 0.0), p(9.81, 0.0, 0.0));
    for (a, b) in a.iter().zip(&b) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

#[test]
fn triangle_mesh_springs() {
    // Two triangles of a square: five edges, one interior with a spring across.
    let positions = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(1.0, 1.0, 0.0), p(0.0, 1.0, 0.0)];
    let mesh = TriangleMesh {
        positions: &positions,
        triangles: &[[0, 1, 2], [0, 2, 3]],
        mass: 0.6,
        structural: Some(family(10.0)),
        bend: Some(family(1.0)),
    };
    let mut model = Model::new();
    mesh.add_to(&mut model).unwrap();
    assert_eq!(springs(&model), 6);
    let masses = [0.2, 0.1, 0.2, 0.1];
    for (m, expected) in model.masses().iter().zip(masses) {
        assert!((m - expected).abs() < 1e-15);
    }

    let fold =
        [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.5, 1.0, 0.0), p(0.5, -1.0, 0.0), p(0.5, 0.0, 1.0)];
    let non_manifold = TriangleMesh {
        positions: &fold,
        triangles: &[[0, 1, 2], [1, 0, 3], [0, 1, 4]],
        ..mesh.clone()
    };
    let error = non_manifold.add_to(&mut Model::new()).unwrap_err();
    assert!(
        error.to_string().contains("between vertices 0 and 1 belongs to three triangles"),
        "{error}"
    );
    let cases: [(&[[u32; 3]], &str); 4] = [
        (&[[0, 1, 9]], "triangle 0 refers to vertex 9, but the mesh has 4 vertices"),
        (&[[0, 1, 1]], "triangle 0 names vertex 1 twice"),
        (&[[0, 1, 2]], "vertex 3 belongs to no element and would have no mass"),
        (&[[0, 1, 2], [0, 2, 3]], ""),
    ];
    for (triangles, sentence) in cases {
        let mut flat = mesh.clone();
        flat.triangles = triangles;
        match flat.add_to(&mut Model::new()) {
            Ok(_) => assert_eq!(sentence, ""),
            Err(error) => assert_eq!(error.to_string(), sentence),
        }
    }
    let line = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(2.0, 0.0, 0.0)];
    let flat = TriangleMesh { positions: &line, triangles: &[[0, 1, 2]], ..mesh };
    let error = flat.add_to(&mut Model::new()).unwrap_err();
    assert_eq!(error.to_string(), "triangle 0 [0, 1, 2] has no area");
}

#[test]
fn tetrahedron_mesh_springs_and_outer_faces() {
    // Two tetrahedra that share a face.
    let positions =
        [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0), p(0.0, 0.0, 1.0), p(1.0, 1.0, 1.0)];
    let mesh = TetrahedronMesh {
        positions: &positions,
        tetrahedra: &[[0, 1, 2, 3], [1, 2, 3, 4]],
        mass: 1.0,
        structural: Some(family(10.0)),
    };
    let mut model = Model::new();
    mesh.add_to(&mut model).unwrap();
    assert_eq!(springs(&model), 9);
    assert_eq!(model.triangles().len(), 6);
    assert!((model.masses().iter().sum::<f64>() - 1.0).abs() < 1e-15);
    let volume: f64 = model.volumes().iter().sum();
    assert!((volume - (1.0 / 6.0 + 2.0 / 6.0)).abs() < 1e-14, "{volume}");
    // Outer triangles face outwards.
    let center = p(0.4, 0.4, 0.4);
    for triangle in model.triangles() {
        let [a, b, c] = triangle.map(|i| positions[i as usize]);
        assert!((b - a).cross(c - a).dot(a - center) > 0.0, "{triangle:?}");
    }
}

#[test]
fn rope_hangs_like_its_discrete_sum() {
    // Each link carries what hangs below it.
    let (n, k, mass) = (20u32, 500.0, 2.0);
    let mut model = Model::new();
    let rope = Rope {
        from: Vec3::ZERO,
        to: p(0.0, -1.0, 0.0),
        links: n,
        mass,
        structural: family(k),
        bend: None,
    };
    rope.add_to(&mut model).unwrap();
    model.pin_at_rest(0).unwrap();
    let mut simulation = Simulation::new(model, exact("newton"), 1.0).unwrap();
    run(&mut simulation, 80);
    let m = mass / f64::from(n + 1);
    let below: f64 = (1..=n).map(|link| f64::from(n + 1 - link) * m * 9.81 / k).sum();
    let sag = -1.0 - simulation.state().positions[n as usize].y;
    assert!((sag - below).abs() < 1e-9, "{sag} {below}");
}

#[test]
fn families_by_strain_do_not_depend_on_resolution() {
    // k = Y/l: a rope of the same material stretches alike however finely it is cut.
    let sag = |links| {
        let mut model = Model::new();
        let structural = SpringFamily {
            stiffness: Stiffness::PerStrain(50.0),
            damping: SpringDamping::PerStrainRate(0.5),
        };
        model.set_gravity(Vec3::ZERO).unwrap();
        let rope = Rope {
            from: Vec3::ZERO,
            to: p(0.0, -1.0, 0.0),
            links,
            mass: 0.1,
            structural,
            bend: None,
        };
        rope.add_to(&mut model).unwrap();
        model.pin_at_rest(0).unwrap();
        model.add_force(links, p(0.0, -5.0, 0.0)).unwrap();
        let mut simulation = Simulation::new(model, exact("newton"), 1.0).unwrap();
        run(&mut simulation, 100);
        -1.0 - simulation.state().positions[links as usize].y
    };
    for links in [1, 4, 16] {
        assert!((sag(links) - 0.1).abs() < 1e-9, "{links}: {}", sag(links));
    }
}

#[test]
fn bend_springs_are_never_doubled() {
    // A closed tetrahedron: opposite vertices share an edge already. An octahedron: every pair of
    // opposite vertices lies across four edges.
    let tetrahedron = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0), p(0.0, 0.0, 1.0)];
    let octahedron = [
        p(1.0, 0.0, 0.0),
        p(-1.0, 0.0, 0.0),
        p(0.0, 1.0, 0.0),
        p(0.0, -1.0, 0.0),
        p(0.0, 0.0, 1.0),
        p(0.0, 0.0, -1.0),
    ];
    let faces: Vec<[u32; 3]> =
        (0..8u32).map(|k| [k & 1, 2 + (k >> 1 & 1), 4 + (k >> 2 & 1)]).collect();
    let cases: [(&[Vec3], &[[u32; 3]], usize); 2] = [
        (&tetrahedron, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], 6),
        (&octahedron, &faces, 12 + 3),
    ];
    for (positions, triangles, expected) in cases {
        let mesh = TriangleMesh {
            positions,
            triangles,
            mass: 1.0,
            structural: Some(family(10.0)),
            bend: Some(family(1.0)),
        };
        let mut model = Model::new();
        mesh.add_to(&mut model).unwrap();
        assert_eq!(springs(&model), expected);
        let twice = [triangles, &triangles[..1]].concat();
        let mut empty = Model::new();
        let error = TriangleMesh { triangles: &twice, ..mesh }.add_to(&mut empty).unwrap_err();
        assert!(error.to_string().ends_with("is there twice"), "{error}");
        assert_eq!(empty.particles(), 0);
    }
}

#[test]
fn what_is_added_knows_its_own_particles() {
    let mut model = Model::new();
    let first = Grid { columns: 5, rows: 4, ..Grid::default() }.add_to(&mut model).unwrap();
    let shift = p(0.0, 0.0, 2.0);
    let grid = Grid { columns: 3, rows: 6, ..Grid::default() };
    let second = Grid { origin: grid.origin + shift, ..grid.clone() }.add_to(&mut model).unwrap();
    let (from, to, structural) = (p(0.0, 5.0, 0.0), p(3.0, 5.0, 0.0), SpringFamily::stiffness(1.0));
    let rope = hooke::Rope { from, to, links: 3, mass: 1.0, structural, bend: None };
    let rope = rope.add_to(&mut model).unwrap();
    let corner = |at: hooke::ParticleId| model.rest()[at.index()];
    assert_eq!(corner(first.at(4, 3)), p(0.5, -1.0, 0.0));
    assert_eq!(corner(second.at(0, 0)), p(-0.5, 0.0, 2.0));
    assert_eq!(corner(second.at(2, 5)), p(0.5, -1.0, 2.0));
    assert_eq!(corner(rope.at(3)), to);
    assert_eq!(second.particles().indices(), 20..38);
    assert_eq!((rope.len(), rope.iter().next_back()), (4, Some(rope.at(3))));
    // Pinning a corner of the second grid holds no particle of the first.
    let pin = model.pin_at_rest(second.at(0, 0)).unwrap();
    assert_eq!((model.pins()[0].id, model.pins()[0].particle.index()), (pin, 20));
    assert!(std::panic::catch_unwind(|| first.at(5, 0)).is_err(), "there is no sixth column");
}
