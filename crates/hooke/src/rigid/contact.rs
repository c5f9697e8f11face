//! Which bodies touch which others and which obstacles in a step, with what they pressed in the last.
//!
//! A tree of boxes (parry) gives the pairs that are near; they are taken in the order of their numbers. Boxes are
//! as wide as the bodies may move within the step, so that contacts are known before they happen.

use super::geometry::{Geometry, part_of};
use super::manifold_cache::{CachedPair, ManifoldCache};
use super::solver::{ContactManifold, ContactPoint, SolverBody};
use super::{Pose, RigidBodyState};
use crate::math::{Vec3, across};
use crate::model::{Frame, Model, ModelError, Response};
use parry3d_f64::partitioning::{Bvh, BvhWorkspace};

/// A part of an obstacle.
struct Part {
    geometry: Geometry,
    pose: Pose,
    obstacle: usize,
}

/// What a contact pressed with: where it is found again in the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WarmStart {
    pub(super) pair: u64,
    pub(super) feature: u64,
    /// Along the normal and across it (N·s).
    pub(super) normal: f64,
    pub(super) drag: Vec3,
}

/// The contacts of all bodies.
#[derive(Default)]
pub(super) struct Contacts {
    /// Which model the shapes are of, and how many of its obstacles they include.
    model: u64,
    obstacles: usize,
    geometries: Vec<Geometry>,
    parts: Vec<Part>,
    tree: Bvh,
    workspace: BvhWorkspace,
    pairs: Vec<(u32, u32)>,
    /// What is near a body, and how far from it (m²).
    near: Vec<(f64, u32)>,
    /// The most contact points, and whether there were more in the last step.
    pub(super) most: Option<usize>,
    pub(super) too_many: bool,
    /// Whether only what overlaps is kept.
    pub(super) only_overlaps: bool,
    known: ManifoldCache,
    /// The poses of the parts.
    poses: Vec<Pose>,
    /// What touches, surface by surface, and the contact points of each.
    pub(super) manifolds: Vec<ContactManifold>,
    pub(super) points: Vec<ContactPoint>,
    /// Sorted by pair.
    pub(super) pressed: Vec<WarmStart>,
}

/// How much nearer than they may move bodies are tested, relative to their reach.
const MARGIN: f64 = 0.005;

/// Bodies are not searched further than this, relative to their reach.
const FAR: f64 = 1.0;

/// The number of an obstacle's first part: the same however many bodies there are, so that what is known of a pair
/// outlives the bodies that are added.
const PART: u32 = 1 << 31;

/// The shape of a number, if there is one.
fn shape<'a>(geometries: &'a [Geometry], parts: &'a [Part], number: u32) -> Option<&'a Geometry> {
    match number.checked_sub(PART) {
        None => geometries.get(number as usize),
        Some(part) => parts.get(part as usize).map(|part| &part.geometry),
    }
}

/// How many others a body is tested with, on average; where there are more, as among bodies that start within each other,
/// each is tested with the nearest so many. More than about twelve bodies of one size cannot touch another.
const CROWD: usize = 24;

/// How far an obstacle goes (m).
fn travel_of([before, now]: &[Frame; 2]) -> f64 {
    (now.origin - before.origin).norm()
}

impl Contacts {
    /// Takes the shapes of a model. What is known of those that were there before stays: a plan that is made anew must
    /// not change the next step.
    pub(super) fn prepare(&mut self, model: &Model) -> Result<(), ModelError> {
        if self.model != model.versions().model {
            self.geometries.clear();
            self.parts.clear();
            self.forget();
            (self.model, self.obstacles) = (model.versions().model, 0);
        }
        let known = (self.geometries.len(), self.obstacles);
        for body in &model.rigid_bodies()[self.geometries.len()..] {
            self.geometries.push(Geometry::of_body(body)?);
        }
        for (index, obstacle) in model.obstacles().iter().enumerate().skip(self.obstacles) {
            let parts = Geometry::of_obstacle(obstacle).into_iter();
            self.parts.extend(parts.map(|(geometry, pose)| Part {
                geometry,
                pose,
                obstacle: index,
            }));
        }
        self.obstacles = model.obstacles().len();
        if known != (self.geometries.len(), self.obstacles) {
            self.tree = Bvh::new();
        }
        Ok(())
    }

    /// Forgets what the last step found and pressed with.
    pub(super) fn forget(&mut self) {
        self.pressed.clear();
        self.known.forget();
    }

    /// Finds what touches in a step of `h` (s). `joined(a, b)` tells which bodies pass through each other.
    pub(super) fn find(
        &mut self,
        model: &Model,
        moving: &[RigidBodyState],
        frames: &[[Frame; 2]],
        solver_bodies: &[SolverBody],
        joined: impl Fn(u32, u32) -> bool,
        h: f64,
    ) {
        self.manifolds.clear();
        self.points.clear();
        let (bodies, obstacles) = (model.rigid_bodies(), model.obstacles());
        let count = bodies.len();
        // How far a body may come within the step.
        let travel = |i: usize| {
            let (twist, reach) = (&moving[i].twist, bodies[i].shape.reach());
            (h * (twist.linear.norm() + twist.angular.norm() * reach)).min(FAR * reach)
        };
        let reach = |i: usize| MARGIN * bodies[i].shape.reach() + travel(i);
        for (i, body) in moving.iter().enumerate() {
            let around = self.geometries[i].around(&body.pose, reach(i));
            self.tree.insert_or_update_partially(around, i as u32, 0.0);
        }
        self.poses.clear();
        for (k, part) in self.parts.iter().enumerate() {
            let pose = part_of(&frames[part.obstacle][0], &part.pose);
            if !part.geometry.endless() {
                let index = (count + k) as u32;
                self.tree.insert_or_update_partially(part.geometry.around(&pose, 0.0), index, 0.0);
            }
            self.poses.push(pose);
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);

        self.pairs.clear();
        let most = CROWD * (count + self.parts.len());
        let (pairs, mut crowded) = (&mut self.pairs, false);
        let meet = |a: u32, b: u32| {
            let (a, b) = (a.min(b), a.max(b));
            let bodies = (a as usize) < count && ((b as usize) >= count || !joined(a, b));
            bodies.then_some((a, b))
        };
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            crowded |= pairs.len() >= most;
            if !crowded {
                pairs.extend(meet(a, b));
            }
        });
        if crowded {
            pairs.clear();
            for i in 0..count {
                let around = self.geometries[i].around(&moving[i].pose, reach(i));
                self.near.clear();
                for j in self.tree.intersect_aabb(&around).filter(|&j| j as usize != i) {
                    let far = match moving.get(j as usize) {
                        Some(other) => (other.pose.position - moving[i].pose.position).norm2(),
                        None => 0.0,
                    };
                    self.near.push((far, j));
                }
                self.near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                self.near.truncate(CROWD);
                pairs.extend(self.near.iter().filter_map(|&(_, j)| meet(i as u32, j)));
            }
        }
        for k in (0..self.parts.len()).filter(|&k| self.parts[k].geometry.endless()) {
            let pose = &self.poses[k];
            let near = |i: &usize| {
                let height = pose.local(moving[*i].pose.position).y;
                height
                    <= bodies[*i].shape.reach()
                        + reach(*i)
                        + travel_of(&frames[self.parts[k].obstacle])
            };
            pairs.extend((0..count).filter(near).map(|i| (i as u32, (count + k) as u32)));
        }
        pairs.sort_unstable();
        pairs.dedup();

        self.known.begin();
        self.too_many = false;
        for &(a, b) in &self.pairs {
            if self.most.is_some_and(|most| self.points.len() > most) {
                self.too_many = true;
                break;
            }
            let (i, j) = (a as usize, b as usize);
            let other = (b as usize).checked_sub(count).map_or(b, |part| PART + part as u32);
            let shapes = [a, other].map(|number| shape(&self.geometries, &self.parts, number));
            let [Some(one), Some(two)] = shapes else { continue };
            let pair = u64::from(a) << 32 | u64::from(other);
            let (at, margin) = (&moving[i].pose, MARGIN * bodies[i].shape.reach());
            let mut rolling = bodies[i].rolling;
            let (other, solid, margin, travel, friction, restitution) = if j < count {
                let (one, two) = (&bodies[i], &bodies[j]);
                let friction = (one.friction * two.friction).sqrt();
                let restitution = one.restitution.max(two.restitution);
                rolling = rolling.max(two.rolling);
                let margin = margin + MARGIN * two.shape.reach();
                (&moving[j].pose, b, margin, travel(i) + travel(j), friction, restitution)
            } else {
                let part = &self.parts[j - count];
                let (friction, restitution) = match obstacles[part.obstacle].response {
                    Response::Bounce { restitution, friction } => (
                        (bodies[i].friction * friction).sqrt(),
                        bodies[i].restitution.max(restitution),
                    ),
                    Response::PushOut => (0.0, 0.0),
                };
                let solid = (count + part.obstacle) as u32;
                let travel = travel(i) + travel_of(&frames[part.obstacle]);
                (&self.poses[j - count], solid, margin, travel, friction, restitution)
            };
            let seen = CachedPair { pair, at: at.seen(other), margin: margin + travel };
            let (patches, mut touches) =
                self.known.query(one, two, seen, travel, bodies[i].shape.reach());
            if patches.is_empty() {
                continue;
            }
            let first = self.pressed.partition_point(|known| known.pair < pair);
            let known = &self.pressed[first..];
            let end = known.iter().take_while(|known| known.pair == pair).count();
            let known = &known[..end];
            let centers = [solver_bodies[i].position, solver_bodies[solid as usize].position];
            for patch in patches {
                let normal = at.rotation.rotate(patch.normal);
                let along = across(normal);
                let sides = [along, normal.cross(along)];
                let first = self.points.len() as u32;
                let (own, rest) = touches.split_at(patch.count as usize);
                touches = rest;
                for touch in own {
                    let last = known.iter().find(|known| known.feature == touch.feature);
                    let (press, drag) =
                        last.map_or((0.0, Vec3::ZERO), |last| (last.normal, last.drag));
                    let [x, y] = [at.world(touch.points[0]), other.world(touch.points[1])];
                    let middle = (x + y) * 0.5;
                    self.points.push(ContactPoint {
                        feature: touch.feature,
                        arms: centers.map(|center| middle - center),
                        gap: touch.gap + normal.dot(x - y),
                        normal: press,
                        drag: sides.map(|side| side.dot(drag)),
                        ..ContactPoint::default()
                    });
                }
                if self.only_overlaps
                    && self.points[first as usize..].iter().all(|point| point.gap >= 0.0)
                {
                    self.points.truncate(first as usize);
                    continue;
                }
                let points = first..self.points.len() as u32;
                self.manifolds.push(ContactManifold {
                    pair,
                    solver_bodies: [a, solid],
                    normal,
                    sides,
                    friction,
                    restitution,
                    rolling,
                    roll: Vec3::ZERO,
                    points,
                    direct: false,
                });
            }
        }
    }

    /// Which surfaces overlap, and how deep (m): bodies by their numbers, then obstacles.
    pub(super) fn overlaps(&self) -> impl Iterator<Item = ([u32; 2], f64)> + '_ {
        self.manifolds.iter().map(|manifold| {
            let depth =
                manifold.of(&self.points).iter().map(|point| -point.gap).fold(0.0, f64::max);
            (manifold.solver_bodies, depth)
        })
    }

    /// Whether nothing is known from the last step.
    pub(super) fn is_empty(&self) -> bool {
        self.pressed.is_empty() && self.known.is_empty()
    }

    /// Appends what the last step found, and from where.
    pub(super) fn save(&self, memory: &mut Vec<f64>) {
        self.known.save(memory);
    }

    /// Takes back what `save` wrote; what is left of the memory.
    pub(super) fn restore<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        let Self { known, geometries, parts, .. } = self;
        known.restore(memory, |[a, b]| {
            Some([shape(geometries, parts, a)?, shape(geometries, parts, b)?])
        })
    }

    /// Keeps what every contact pressed with, for the next step.
    pub(super) fn keep(&mut self) {
        self.pressed.clear();
        for manifold in &self.manifolds {
            let [s, t] = manifold.sides;
            for point in &self.points[manifold.points.start as usize..manifold.points.end as usize]
            {
                if point.normal > 0.0 {
                    self.pressed.push(WarmStart {
                        pair: manifold.pair,
                        feature: point.feature,
                        normal: point.normal,
                        drag: s * point.drag[0] + t * point.drag[1],
                    });
                }
            }
        }
    }
}
