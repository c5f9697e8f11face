//! The exact test: which edges of surfaces go through which triangles.
//!
//! An edge `pq` meets a triangle `abc` iff p and q are not strictly on one side of its plane and the line `pq`
//! passes no two of its edges on different sides. Each side is the sign of a determinant,
//!
//! ```text
//! orient3d(a, b, c, p) = | a−p  b−p  c−p |
//! ```
//!
//! which the crate `robust` gives without error. Where all of it lies in one plane, the edge and the triangle meet iff
//! they do so in all three projections along the axes, of which at least one loses nothing. Touching counts: the
//! distance is zero. Two segments of ropes meet with probability zero and are not tested.

use super::tree::{Aabb, Swept, Tree};
use crate::math::Vec3;
use crate::model::Model;
use crate::thread_pool::ThreadPool;
use robust::{Coord, Coord3D};

/// An edge that goes through a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intersection {
    /// The particles of the edge.
    pub edge: [u32; 2],
    /// The particles of the triangle.
    pub triangle: [u32; 3],
    /// Where (m), up to rounding.
    pub at: Vec3,
}

/// What the exact test has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intersections {
    /// How many pairs of an edge and a triangle intersect.
    pub count: usize,
    /// How many more do whose particles are all pinned along every axis.
    pub pinned: usize,
    /// The first of those counted, in the order of their particles.
    pub first: Vec<Intersection>,
}

impl Model {
    /// The intersections of the surfaces of deformables at these positions (m), one for each particle: exact, by
    /// edges of triangles and segments of ropes against triangles that share no particle with them. Contact that is
    /// switched off is left out. At most `most` are described, all are counted.
    ///
    /// # Panics
    /// If there is not one position for each particle.
    pub fn intersections(&self, positions: &[Vec3], most: usize) -> Intersections {
        if !self.surfaces_touch() {
            return Intersections::default();
        }
        IntersectionTest::new(self).run(self, positions, &ThreadPool::new(1), most)
    }
}

/// The exact test of one model, for many positions; to be made anew when the model's topology changes.
#[derive(Debug)]
pub(crate) struct IntersectionTest {
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    /// For each particle its deformable, or `NONE`.
    deformables: Vec<u32>,
    edge_tree: Tree,
    triangle_tree: Tree,
    candidates: Vec<[u32; 2]>,
    meets: Vec<bool>,
}

/// Of a particle that belongs to no deformable.
const NONE: u32 = u32::MAX;

impl IntersectionTest {
    /// Of the surfaces of a model's deformables.
    pub(crate) fn new(model: &Model) -> Self {
        let mut deformables = vec![NONE; model.particles()];
        for (index, deformable) in (0..).zip(model.deformables()) {
            deformables[deformable.particles.indices()].fill(index);
        }
        let takes_part =
            |particles: &[u32]| particles.iter().all(|&i| deformables[i as usize] != NONE);
        let triangles: Vec<[u32; 3]> =
            model.triangles().iter().copied().filter(|corners| takes_part(corners)).collect();
        let segments = model.segments().iter().copied().filter(|ends| takes_part(ends));
        let mut edges: Vec<[u32; 2]> = triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .chain(segments)
            .map(|[p, q]| [p.min(q), p.max(q)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let rest = |i: u32| model.rest()[i as usize];
        let middles: Vec<Vec3> = edges.iter().map(|&[p, q]| rest(p).lerp(rest(q), 0.5)).collect();
        let centers: Vec<Vec3> = triangles
            .iter()
            .map(|&[a, b, c]| (rest(a) + rest(b) + rest(c)) * (1.0 / 3.0))
            .collect();
        let (edge_tree, triangle_tree) = (Tree::new(&middles), Tree::new(&centers));
        let (candidates, meets) = (Vec::new(), Vec::new());
        Self { edges, triangles, deformables, edge_tree, triangle_tree, candidates, meets }
    }

    /// What intersects at these positions (m); `most` are described.
    pub(crate) fn run(
        &mut self,
        model: &Model,
        positions: &[Vec3],
        pool: &ThreadPool,
        most: usize,
    ) -> Intersections {
        assert_eq!(positions.len(), self.deformables.len(), "one position for each particle");
        let Self { edges, triangles, deformables, edge_tree, triangle_tree, candidates, meets } =
            self;
        let at = |i: u32| positions[i as usize];
        edge_tree.refit(|i| Swept::at_rest(Aabb::of(edges[i].map(at))), pool);
        triangle_tree.refit(|i| Swept::at_rest(Aabb::of(triangles[i].map(at))), pool);
        candidates.clear();
        edge_tree.pairs_with(triangle_tree, pool, candidates);

        let of = |pair: [u32; 2]| (edges[pair[0] as usize], triangles[pair[1] as usize]);
        let touch = |a: u32, b: u32| {
            let (a, b) = (deformables[a as usize], deformables[b as usize]);
            let own = || model.deformables()[a as usize].contact.self_contact;
            if a == b { own() } else { model.contact_between() }
        };
        meets.clear();
        meets.resize(candidates.len(), false);
        pool.for_each(meets, |first, part| {
            for (meets, &pair) in part.iter_mut().zip(&candidates[first..]) {
                let (edge, triangle) = of(pair);
                *meets = !edge.iter().any(|end| triangle.contains(end))
                    && touch(edge[0], triangle[0])
                    && edge_meets_triangle(edge.map(at), triangle.map(at));
            }
        });
        let mut meets = meets.iter();
        candidates.retain(|_| meets.next() == Some(&true));
        candidates.sort_unstable();

        let mut told = Intersections::default();
        for &pair in candidates.iter() {
            let (edge, triangle) = of(pair);
            let pinned = |i: &u32| model.fixed()[*i as usize] == [true; 3];
            if edge.iter().chain(&triangle).all(pinned) {
                told.pinned += 1;
                continue;
            }
            told.count += 1;
            if told.first.len() < most {
                let at = crossing_point(edge.map(at), triangle.map(at));
                told.first.push(Intersection { edge, triangle, at });
            }
        }
        told
    }
}

/// Whether an edge and a triangle share a point.
fn edge_meets_triangle([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let ends = [side(a, b, c, p), side(a, b, c, q)];
    if same_side(&ends) {
        return false;
    }
    let passes = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    if ends == [0.0; 2] {
        // In one plane, or the triangle is a line and the edge is not in a plane with it.
        let drop =
            |axis: usize| move |x: Vec3| Coord { x: x[(axis + 1) % 3], y: x[(axis + 2) % 3] };
        return passes == [0.0; 3]
            && (0..3).all(|axis| {
                edge_meets_triangle_in_plane([p, q].map(drop(axis)), [a, b, c].map(drop(axis)))
            });
    }
    !mixed(&passes)
}

/// Whether an edge and a triangle in a plane share a point.
fn edge_meets_triangle_in_plane([p, q]: [Coord<f64>; 2], [a, b, c]: [Coord<f64>; 3]) -> bool {
    let sides = [[a, b], [b, c], [c, a]];
    let around = sides.map(|[a, b]| robust::orient2d(a, b, p));
    let inside = !mixed(&around) && around != [0.0; 3];
    inside || sides.iter().any(|side| edges_meet_in_plane([p, q], *side))
}

/// Whether two edges in a plane share a point.
fn edges_meet_in_plane([p, q]: [Coord<f64>; 2], [a, b]: [Coord<f64>; 2]) -> bool {
    let of_pq = [robust::orient2d(a, b, p), robust::orient2d(a, b, q)];
    let of_ab = [robust::orient2d(p, q, a), robust::orient2d(p, q, b)];
    if of_pq == [0.0; 2] && of_ab == [0.0; 2] {
        let overlap = |p: f64, q: f64, a: f64, b: f64| p.min(q) <= a.max(b) && a.min(b) <= p.max(q);
        return overlap(p.x, q.x, a.x, b.x) && overlap(p.y, q.y, a.y, b.y);
    }
    !same_side(&of_pq) && !same_side(&of_ab)
}

/// On which side of the plane `abc` a point lies: its sign is exact.
fn side(a: Vec3, b: Vec3, c: Vec3, p: Vec3) -> f64 {
    let [a, b, c, p] = [a, b, c, p].map(|Vec3 { x, y, z }| Coord3D { x, y, z });
    robust::orient3d(a, b, c, p)
}

fn same_side([a, b]: &[f64; 2]) -> bool {
    (*a > 0.0 && *b > 0.0) || (*a < 0.0 && *b < 0.0)
}

fn mixed(sides: &[f64; 3]) -> bool {
    sides.iter().any(|&s| s > 0.0) && sides.iter().any(|&s| s < 0.0)
}

/// About where an edge meets a triangle: in one plane, the middle of what they share.
fn crossing_point([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (from, to) = (side(a, b, c, p), side(a, b, c, q));
    if from != to {
        return p.lerp(q, from / (from - to));
    }
    let normal = (b - a).cross(c - a);
    let (mut first, mut last) = (0.0f64, 1.0f64);
    for (a, b) in [(a, b), (b, c), (c, a)] {
        let inward = normal.cross(b - a);
        let (from, to) = (inward.dot(p - a), inward.dot(q - a));
        if from < 0.0 && to > from {
            first = first.max(from / (from - to));
        } else if to < 0.0 && from > to {
            last = last.min(from / (from - to));
        }
    }
    p.lerp(q, (0.5 * (first + last)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ContactMaterial;

    const ON: ContactMaterial =
        ContactMaterial { thickness: 1e-3, self_contact: true, friction: 0.3 };

    type Integers = [i128; 3];

    fn minus(a: Integers, b: Integers) -> Integers {
        std::array::from_fn(|k| a[k] - b[k])
    }

    fn cross(a: Integers, b: Integers) -> Integers {
        std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            a[i] * b[j] - a[j] * b[i]
        })
    }

    /// Whether an edge and a triangle share a point, in integers and by separating directions: the faces of their
    /// Minkowski difference, also where it is flat, a line or a point.
    fn judge([p, q]: [Integers; 2], [a, b, c]: [Integers; 3]) -> bool {
        let (e, between) = (minus(q, p), minus(a, p));
        let normal = cross(minus(b, a), minus(c, a));
        let mut directions = vec![normal, cross(normal, e), e, between];
        directions.push(cross(e, cross(between, e)));
        for f in [minus(b, a), minus(c, b), minus(a, c)] {
            let both = cross(e, f);
            directions.extend([both, cross(both, e), cross(both, f), cross(normal, f), f]);
            directions.push(cross(f, cross(between, f)));
        }
        !directions.iter().any(|direction| {
            let along = |x: Integers| (0..3).map(|k| direction[k] * minus(x, p)[k]).sum::<i128>();
            let (ends, corners) = ([p, q].map(along), [a, b, c].map(along));
            ends.iter().max() < corners.iter().min() || corners.iter().max() < ends.iter().min()
        })
    }

    struct Numbers(u64);

    impl Numbers {
        /// From −most to most.
        fn next(&mut self, most: i128) -> i128 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            i128::from(self.0 >> 20) % (2 * most + 1) - most
        }

        fn point(&mut self, most: i128) -> Integers {
            std::array::from_fn(|_| self.next(most))
        }
    }

    #[test]
    fn a_judge_in_integers_agrees() {
        let mut numbers = Numbers(1);
        let mut met = [[0; 2]; 4];
        for round in 0..400_000 {
            let kind = round % 4;
            // Large, on a coarse lattice where most is degenerate, nearly in one plane, and nearly on one line.
            let points: [Integers; 5] = match kind {
                0 => std::array::from_fn(|_| numbers.point(1 << 25)),
                1 => std::array::from_fn(|_| numbers.point(2)),
                2 => {
                    let [u, v, o] = std::array::from_fn(|_| numbers.point(1 << 20));
                    std::array::from_fn(|_| {
                        let (s, t, off) = (numbers.next(6), numbers.next(6), numbers.point(1));
                        let near = numbers.next(2) == 0;
                        std::array::from_fn(|k| {
                            o[k] + s * u[k] + t * v[k] + if near { off[k] } else { 0 }
                        })
                    })
                }
                _ => {
                    let [u, o] = std::array::from_fn(|_| numbers.point(1 << 20));
                    std::array::from_fn(|_| {
                        let (s, off) = (numbers.next(6), numbers.point(1));
                        let near = numbers.next(2) == 0;
                        std::array::from_fn(|k| o[k] + s * u[k] + if near { off[k] } else { 0 })
                    })
                }
            };
            let [p, q, a, b, c] = points;
            // A power of two as scale keeps every bit.
            let scaled = |x: Integers| Vec3::from(x.map(|x| x as f64 / f64::from(1 << 30)));
            let told = edge_meets_triangle([p, q].map(scaled), [a, b, c].map(scaled));
            assert_eq!(told, judge([p, q], [a, b, c]), "{points:?}");
            met[kind][usize::from(told)] += 1;
            if told {
                let at = crossing_point([p, q].map(scaled), [a, b, c].map(scaled));
                let reach = Aabb::of([p, q].map(scaled)).grown(1e-12);
                assert!(reach.union(Aabb::of([at])) == reach, "{points:?} at {at:?}");
            }
        }
        assert!(met.iter().flatten().all(|&count| count > 1000), "{met:?}");
    }

    #[test]
    fn the_last_bit_decides() {
        let triangle = [[0.1, 0.1, 0.1], [0.9, 0.1, 0.3], [0.1, 0.9, 0.7]].map(Vec3::from);
        let [a, b, c] = triangle;
        let above = Vec3::new(0.3, 0.2, 3.0);
        for share in [0.25, 0.5, 0.125] {
            // The last height that is not below the plane.
            let middle = a.lerp(b, share).lerp(c, 0.25);
            let end = |steps: i32| {
                let height = (0..steps.abs()).fold(middle.z, |height, _| {
                    if steps > 0 { height.next_up() } else { height.next_down() }
                });
                Vec3::new(middle.x, middle.y, height)
            };
            let told: Vec<bool> =
                (-8..=8).map(|steps| edge_meets_triangle([end(steps), above], triangle)).collect();
            assert!(told[0] && !told[16], "{told:?}");
            assert!(told.is_sorted_by(|before, after| before >= after), "{told:?}");
        }
    }

    /// A triangle of deformable 0 at z = 0, and one of deformable 1 with these corners.
    fn two(corners: [[f64; 3]; 3]) -> Model {
        let mut model = Model::new();
        model.set_contact_between(true);
        for corners in [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], corners] {
            let first = model.particles() as u32;
            for corner in corners {
                model.add_particle(corner.into(), 1.0).unwrap();
            }
            model.add_triangle([first, first + 1, first + 2]).unwrap();
            let particles = crate::Particles::new(first, 3);
            model.add_deformable(particles, ContactMaterial::default()).unwrap();
        }
        model
    }

    fn count(model: &Model) -> usize {
        model.intersections(model.rest(), 10).count
    }

    #[test]
    fn known_cases() {
        let through = two([[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [5.0, 5.0, 1.0]]);
        let told = through.intersections(through.rest(), 10);
        // Its edge, and that which leaves across the first one's hypotenuse.
        assert_eq!(told.first[0].triangle, [3, 4, 5]);
        let own = Intersection { edge: [3, 4], triangle: [0, 1, 2], at: Vec3::new(0.2, 0.2, 0.0) };
        assert_eq!((told.count, told.pinned, told.first[1]), (2, 0, own));
        assert_eq!(through.intersections(through.rest(), 1).first.len(), 1);

        let apart = [[0.2, 0.2, 1e-300], [0.2, 0.2, 1.0], [5.0, 5.0, 1.0]];
        assert_eq!(count(&two(apart)), 0);
        let touching = [[0.2, 0.2, 0.0], [0.2, 0.2, 1.0], [5.0, 5.0, 1.0]];
        assert_eq!(count(&two(touching)), 2, "two edges end there");
        let at_a_corner = [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [-5.0, -5.0, 1.0]];
        assert_eq!(count(&two(at_a_corner)), 3, "the edge, and two that end in the triangle");
        let beside_in_plane = [[1.0, 0.5, 0.0], [2.0, 0.5, 0.0], [2.0, 1.0, 0.0]];
        assert_eq!(count(&two(beside_in_plane)), 0);
        let inside_in_plane = [[0.2, 0.2, 0.0], [0.3, 0.2, 0.0], [0.2, 0.3, 0.0]];
        assert_eq!(count(&two(inside_in_plane)), 3);
        assert_eq!(count(&two([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])), 6);
    }

    #[test]
    fn contact_that_is_off_pinned_pairs_and_loose_particles_do_not_count() {
        let through = [[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [5.0, 5.0, 1.0]];
        let mut model = two(through);
        model.set_contact_between(false);
        assert_eq!(count(&model), 0);
        model.set_contact_between(true);
        (0..5u32).for_each(|i| assert!(model.pin_at_rest(i).is_ok()));
        assert_eq!(count(&model), 1, "one corner is free");
        model.pin_at_rest(5).unwrap();
        let told = model.intersections(model.rest(), 10);
        assert_eq!((told.count, told.pinned, told.first.len()), (0, 2, 0));

        let mut one = Model::new();
        for x in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].into_iter().chain(through) {
            one.add_particle(x.into(), 1.0).unwrap();
        }
        one.add_triangle([0, 1, 2]).unwrap();
        one.add_segment([3, 4]).unwrap();
        assert_eq!(count(&one), 0, "of no deformable");
        one.add_deformable(crate::Particles::new(0, 6), ON).unwrap();
        assert_eq!(count(&one), 1);
        let off = ContactMaterial { self_contact: false, ..Default::default() };
        one.set_contact(0, off).unwrap();
        assert_eq!(count(&one), 0);
    }

    #[test]
    fn the_order_does_not_depend_on_the_threads() {
        let mut numbers = Numbers(9);
        let mut model = Model::new();
        model.set_contact_between(true);
        for _ in 0..900 {
            let x = numbers.point(1000).map(|x| x as f64);
            model.add_particle(x.into(), 1.0).unwrap();
        }
        for _ in 0..400 {
            let mut corner = || (numbers.next(449) + 449) as u32;
            let corners = [corner(), corner(), corner()];
            let _ = model.add_triangle(corners);
        }
        model.add_deformable(crate::Particles::new(0, 900), ON).unwrap();
        let told = [1, 3, 4].map(|threads| {
            let pool = ThreadPool::new(threads);
            IntersectionTest::new(&model).run(&model, model.rest(), &pool, usize::MAX)
        });
        assert!(told[0].count > 1000 && told[0].count == told[0].first.len());
        assert!(told.iter().all(|all| *all == told[0]));
    }
}
