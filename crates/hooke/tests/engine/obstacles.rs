//! The shapes of obstacles: distance, gradient, motion.

use crate::common::*;
use hooke::model::{
    ClosedMesh, Interpolation, Motion, Obstacle, ObstacleMotion, Response, Rotation, Shape, Track,
};
use hooke::{Model, Vec3};
use std::f64::consts::PI;
use std::sync::Arc;

fn obstacle(shape: Shape, pose: ObstacleMotion, thickness: f64) -> Obstacle {
    let response = Response::Bounce { restitution: 0.0, friction: 0.3 };
    Obstacle { shape, pose, response, thickness }
}

/// A box as a mesh: two triangles a side.
fn box_mesh(half: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |i: u32| {
        let side = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half.times(p(side(0), side(1), side(2)))
    };
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

/// A ball as a mesh, from rings of vertices.
fn ball_mesh(radius: f64, rings: u32, around: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut vertices = vec![p(0.0, radius, 0.0)];
    for ring in 1..rings {
        for k in 0..around {
            let (down, rotation) = (
                PI * f64::from(ring) / f64::from(rings),
                2.0 * PI * f64::from(k) / f64::from(around),
            );
            let (out, y) = down.sin_cos();
            vertices.push(p(out * rotation.cos(), y, -out * rotation.sin()) * radius);
        }
    }
    vertices.push(p(0.0, -radius, 0.0));
    let last = vertices.len() as u32 - 1;
    let at = |ring: u32, k: u32| match ring {
        0 => 0,
        ring if ring == rings => last,
        ring => 1 + (ring - 1) * around + k % around,
    };
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for k in 0..around {
            let [a, b, c, d] = [at(ring, k), at(ring + 1, k), at(ring + 1, k + 1), at(ring, k + 1)];
            if a != d {
                triangles.push([a, c, d]);
            }
            if b != c {
                triangles.push([a, b, c]);
            }
        }
    }
    (vertices, triangles)
}

/// An L: it has an edge that points inwards.
fn l_mesh() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let outline = [[0.0, 0.0], [0.6, 0.0], [0.6, 0.2], [0.2, 0.2], [0.2, 0.5], [0.0, 0.5]];
    let mut vertices = Vec::new();
    for z in [-0.15, 0.15] {
        vertices.extend(outline.map(|[x, y]| p(x - 0.3, y - 0.25, z)));
    }
    let mut triangles = Vec::new();
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]] {
        triangles.push([a + 6, b + 6, c + 6]);
        triangles.push([a, c, b]);
    }
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    (vertices, triangles)
}

fn mesh((vertices, triangles): (Vec<Vec3>, Vec<[u32; 3]>)) -> Shape {
    Shape::Mesh(Arc::new(ClosedMesh::new(vertices, triangles).unwrap()))
}

/// A pose that moves and turns about an axis that is not through its center.
fn swing() -> ObstacleMotion {
    let rotation = Rotation::steady(p(0.3, -0.2, 0.1), p(1.0, 2.0, -0.5), 1.7).unwrap();
    let points = vec![p(0.0, 0.0, 0.0), p(0.4, 0.1, -0.3), p(-0.2, 0.5, 0.2)];
    let track = Track::new(vec![0.0, 0.7, 2.0], points, Interpolation::Smooth, false).unwrap();
    let center = Motion::along(track).shifted(p(0.1, 0.3, -0.2)).rotated(rotation);
    ObstacleMotion::facing(center, p(0.3, 1.0, -0.4)).unwrap()
}

fn shapes() -> Vec<(&'static str, Shape)> {
    let half = p(0.3, 0.2, 0.45);
    vec![
        ("half-space", Shape::HalfSpace),
        ("box", Shape::Box { half, inside_out: false }),
        ("room", Shape::Box { half, inside_out: true }),
        ("sphere", Shape::Sphere { radius: 0.4 }),
        ("capsule", Shape::Capsule { radius: 0.15, half_length: 0.3 }),
        ("mesh of a box", mesh(box_mesh(half))),
        ("mesh of a ball", mesh(ball_mesh(0.4, 12, 17))),
        ("mesh of an L", mesh(l_mesh())),
    ]
}

#[test]
fn gradients_are_those_of_the_distance() {
    let mut r = Numbers(7);
    for (name, shape) in shapes() {
        let obstacle = obstacle(shape, swing(), 0.05);
        let mut smooth = 0;
        for _ in 0..400 {
            let (x, t) = (r.point() * 0.9, 1.0 + r.next());
            let (_, gradient) = obstacle.distance(x, t);
            assert!((gradient.norm() - 1.0).abs() < 1e-12, "{name}: {gradient:?}");
            let step = 1e-6;
            let slopes = Vec3::AXES.map(|axis| {
                let [fore, back] =
                    [axis, axis * -1.0].map(|way| obstacle.distance(x + way * step, t));
                (fore.0 - back.0) / (2.0 * step)
            });
            // Inside, points as near to two sides have no gradient: no others may fail.
            let error = (Vec3::from(slopes) - gradient).norm();
            let kink = Vec3::AXES.iter().any(|&axis| {
                [1.0, -1.0].iter().any(|&way| {
                    (obstacle.distance(x + axis * (way * step), t).1 - gradient).norm() > 1e-3
                })
            });
            if !kink {
                smooth += 1;
                assert!(error < 1e-8, "{name} at {x:?}: {error:e}");
            }
        }
        assert!(smooth > 390, "{name}: {smooth}");
    }
}

#[test]
fn distances_are_those_to_the_nearest_point_of_the_surface() {
    let mut r = Numbers(11);
    let half = p(0.3, 0.2, 0.45);
    for (name, shape) in shapes() {
        let (vertices, triangles) = match &shape {
            Shape::Mesh(mesh) => (mesh.vertices().to_vec(), mesh.triangles().to_vec()),
            Shape::Box { .. } => box_mesh(half),
            _ => continue,
        };
        let sign = if matches!(shape, Shape::Box { inside_out: true, .. }) { -1.0 } else { 1.0 };
        let obstacle = obstacle(shape, ObstacleMotion::default(), 0.0);
        let mut inside = 0;
        for _ in 0..400 {
            let x = r.point() * 0.55;
            let (distance, gradient) = obstacle.distance(x, 0.0);
            let nearest = triangles
                .iter()
                .map(|triangle| (to_triangle(x, triangle.map(|i| vertices[i as usize])) - x).norm())
                .fold(f64::MAX, f64::min);
            assert!((distance.abs() - nearest).abs() < 1e-12, "{name}: {distance} {nearest}");
            let within = is_inside(x, &vertices, &triangles);
            inside += usize::from(within);
            assert_eq!(distance * sign < 0.0, within, "{name} at {x:?}: {distance}");
            // Along the gradient one arrives at the surface.
            assert!(obstacle.distance(x - gradient * distance, 0.0).0.abs() < 1e-9, "{name}");
        }
        assert!(inside > 10 && inside < 390, "{name}: {inside}");
    }
}

#[test]
fn far_away_a_distance_is_bounded_from_below() {
    let mut r = Numbers(5);
    for (name, shape) in shapes() {
        let obstacle = obstacle(shape, swing(), 0.02);
        let mut bounded = 0;
        for _ in 0..400 {
            let (x, t) = (r.point() * 2.0, 1.0 + r.next());
            let frame = obstacle.pose.at(t);
            let (distance, least) = (obstacle.distance(x, t).0, obstacle.at_least_in(&frame, x));
            assert!(least <= distance + 1e-12, "{name}: {least} {distance}");
            // Never so low that what is far seems to touch.
            assert!(least == distance || least > 0.02, "{name}: {least} {distance}");
            bounded += usize::from(least < distance);
        }
        let round = ["mesh of a ball", "mesh of an L"].contains(&name);
        assert_eq!(bounded > 20, round, "{name}: {bounded}");
    }
}

/// The nearest of many points of a triangle, refined.
fn to_triangle(x: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let normal = (b - a).cross(c - a).unit();
    let foot = x - normal * (x - a).dot(normal);
    let beside = [[a, b], [b, c], [c, a]];
    if beside.iter().all(|[i, j]| (*j - *i).cross(foot - *i).dot(normal) >= 0.0) {
        return foot;
    }
    let on_edges = beside.map(|[i, j]| {
        let s = ((x - i).dot(j - i) / (j - i).norm2()).clamp(0.0, 1.0);
        i + (j - i) * s
    });
    on_edges.into_iter().min_by(|i, j| (*i - x).norm().total_cmp(&(*j - x).norm())).unwrap()
}

/// By the solid angle under which all triangles are seen.
fn is_inside(x: Vec3, vertices: &[Vec3], triangles: &[[u32; 3]]) -> bool {
    let angle = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|i| (vertices[i as usize] - x).unit());
        2.0 * a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
    };
    triangles.iter().map(angle).sum::<f64>().abs() > 2.0 * PI
}

#[test]
fn a_round_shape_is_as_far_as_its_radius_says() {
    let capsule = Shape::Capsule { radius: 0.1, half_length: 0.5 };
    let of = |x: Vec3| capsule.distance(x, 0.0).0;
    assert!((of(p(0.3, 0.2, 0.0)) - 0.2).abs() < 1e-15);
    assert!((of(p(0.0, 1.0, 0.0)) - 0.4).abs() < 1e-15);
    assert!((of(p(0.3, 0.9, 0.0)) - 0.4).abs() < 1e-15);
    assert_eq!(of(Vec3::ZERO), -0.1);
    assert_eq!(capsule.distance(Vec3::ZERO, 0.0).1.norm(), 1.0);
}

#[test]
fn a_room_is_smooth_where_its_walls_meet() {
    // In a corner the squared depths of the walls add up to that of the room.
    let half = p(1.0, 1.0, 1.0);
    let room = Shape::Box { half, inside_out: true };
    let thickness = 0.1;
    for x in [p(0.95, -0.97, 0.0), p(0.99, 0.98, 1.02), p(0.0, -0.93, 0.0), p(1.1, -1.2, 0.0)] {
        let depth = (thickness - room.distance(x, thickness).0).max(0.0);
        let walls: f64 = x
            .to_array()
            .iter()
            .map(|value| (thickness - (1.0 - value.abs())).max(0.0))
            .map(|depth| depth * depth)
            .sum();
        assert!((depth * depth - walls).abs() < 1e-15, "{x:?}");
    }
    assert!((room.distance(p(0.2, 0.5, 0.0), thickness).0 - 0.5).abs() < 1e-15);
}

#[test]
fn points_come_from_where_the_obstacle_carried_them() {
    let mut r = Numbers(3);
    let obstacle = obstacle(Shape::Box { half: p(1.0, 1.0, 1.0), inside_out: false }, swing(), 0.0);
    for _ in 0..100 {
        let (x, t, h) = (r.point(), 1.0 + r.next(), 0.05);
        let before = obstacle.came_from(x, t, h);
        // The distance to the obstacle's surface, and to every other of its points, is kept.
        let (now, then) = (obstacle.distance(x, t).0, obstacle.distance(before, t - h).0);
        assert!((now - then).abs() < 1e-13, "{now} {then}");
        let other = r.point();
        let apart = (obstacle.came_from(other, t, h) - before).norm();
        assert!((apart - (other - x).norm()).abs() < 1e-13);
    }
    // Turning in place: v = ω × r.
    let (axis, rate) = (p(2.0, 1.0, -1.0), 3.0);
    let center = p(0.2, 0.7, -0.4);
    let rotation = Rotation::steady(center, axis, rate).unwrap();
    let pose = Motion::still(center).rotated(rotation).into();
    let turning =
        self::obstacle(Shape::Box { half: p(0.5, 0.3, 0.2), inside_out: false }, pose, 0.0);
    for _ in 0..20 {
        let x = r.point();
        let v = turning.velocity(x, 1.3, 1e-7);
        let rigid = (axis.unit() * rate).cross(x - center);
        assert!((v - rigid).norm() < 1e-5, "{v:?} {rigid:?}");
    }
    // What stands came from where it is.
    let still = self::obstacle(Shape::HalfSpace, ObstacleMotion::still(p(0.1, 0.2, 0.3)), 0.0);
    assert_eq!(still.came_from(p(0.3, 0.7, 0.9), 2.0, 0.1), p(0.3, 0.7, 0.9));
}

#[test]
fn a_pose_faces_where_it_is_told() {
    for up in [
        p(0.0, 1.0, 0.0),
        p(1.0, 2.0, -3.0),
        p(0.0, -4.0, 0.0),
        p(1e-9, -1.0, 1e-12),
        p(1e-200, 0.0, 0.0),
    ] {
        let rotation = ObstacleMotion::facing(Vec3::ZERO, up).unwrap().at(0.0).rotation;
        let [x, y, z] = rotation.columns();
        let unit = (up * (1.0 / up.to_array().iter().fold(0.0f64, |m, v| m.max(v.abs())))).unit();
        assert!((y - unit).norm() < 1e-15, "{up:?}: {y:?}");
        for (a, b, dot) in
            [(x, x, 1.0), (y, y, 1.0), (z, z, 1.0), (x, y, 0.0), (y, z, 0.0), (z, x, 0.0)]
        {
            assert!((a.dot(b) - dot).abs() < 1e-14, "{up:?}: {rotation:?}");
        }
        assert!(rotation.determinant() > 0.0);
    }
    let quarter = ObstacleMotion::still(Vec3::ZERO).rotated(p(0.0, 0.0, 2.0), PI / 2.0).unwrap();
    assert!((quarter.at(0.0).world(p(1.0, 0.0, 0.0)) - p(0.0, 1.0, 0.0)).norm() < 1e-15);
}

#[test]
fn the_smallest_feature_is_the_thinnest_way_through() {
    assert_eq!(Shape::HalfSpace.size(), f64::INFINITY);
    let half = p(0.3, 0.01, 0.2);
    assert_eq!(Shape::Box { half, inside_out: false }.size(), 0.02);
    assert_eq!(Shape::Box { half, inside_out: true }.size(), f64::INFINITY);
    assert!((mesh(box_mesh(half)).size() - 0.02).abs() < 1e-9);
    assert!((mesh(l_mesh()).size() - 0.2).abs() < 1e-9);
    assert_eq!(Shape::Capsule { radius: 0.1, half_length: 2.0 }.size(), 0.2);
}

#[test]
fn what_is_no_obstacle_is_refused() {
    let mut model = Model::new();
    let mut says = |shape: Shape, thickness: f64, sentence: &str| {
        let refused = model.add_obstacle(obstacle(shape, ObstacleMotion::default(), thickness));
        assert_eq!(refused.unwrap_err().to_string(), sentence);
    };
    let flat = Shape::Box { half: p(1.0, 0.0, 1.0), inside_out: false };
    says(flat, 0.0, "the half size of a box must be > 0 m (got 0)");
    let capsule = |radius, half_length| Shape::Capsule { radius, half_length };
    says(capsule(0.0, 1.0), 0.0, "the radius of a capsule must be > 0 m (got 0)");
    says(capsule(1.0, -1.0), 0.0, "the half length of a capsule must be ≥ 0 m (got -1)");
    says(Shape::HalfSpace, -0.1, "thickness must be ≥ 0 m (got -0.1)");
    let room = Shape::Box { half: p(1.0, 0.1, 1.0), inside_out: true };
    says(room, 0.1, "thickness must be less than half a room");
    let refused =
        |(vertices, triangles)| ClosedMesh::new(vertices, triangles).err().unwrap().to_string();
    let (vertices, mut triangles) = box_mesh(p(1.0, 1.0, 1.0));
    triangles.pop();
    assert_eq!(
        refused((vertices.clone(), triangles.clone())),
        "an obstacle needs a closed surface, all triangles oriented alike; along the edge between \
         vertices 4 and 6 they do not close"
    );
    let (_, triangles) = box_mesh(p(1.0, 1.0, 1.0));
    let rotated = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    assert_eq!(
        refused((vertices, rotated)),
        "an obstacle needs a surface that is not inside out: its triangles must run \
         counter-clockwise seen from outside"
    );
    let (vertices, triangles) = box_mesh(p(1.0, 0.0, 1.0));
    assert!(refused((vertices, triangles)).ends_with("of an obstacle has no area"));
    assert_eq!(refused((Vec::new(), Vec::new())), "an obstacle needs triangles");
}

#[test]
fn handles_find_obstacles_that_were_added_together() {
    let mut model = Model::new();
    let ball = |radius| obstacle(Shape::Sphere { radius }, ObstacleMotion::default(), 0.01);
    model.add_obstacle(ball(1.0)).unwrap();
    let added = model.add_obstacles(vec![ball(2.0), ball(3.0)]).unwrap();
    let radii: Vec<f64> =
        added.iter().map(|id| model.obstacles()[id.index()].shape.reach()).collect();
    assert_eq!(radii, [2.0, 3.0]);
}
