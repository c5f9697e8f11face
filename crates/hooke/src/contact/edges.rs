//! Edges in contact: edges of triangles and springs of ropes and nets, where an obstacle could pass
//! between two particles. Their contact points are where the obstacle is nearest, or where the path
//! of the edge hit the surface.

use super::contact_point::ContactPoint;
use super::pairs::{Pair, Pairs};
use crate::math::Vec3;
use crate::model::{Boundary, Model, Obstacle, Versions};
use std::collections::BTreeSet;
use std::ops::Range;

/// The edges of a model.
#[derive(Default)]
pub(super) struct Edges {
    prepared: Option<[u64; 3]>,
    list: Vec<[u32; 2]>,
}

/// The length of a path over a third particle, relative to the edge, below which the edge counts as
/// running past that particle.
const STRAIGHT: f64 = 1.02;

/// How much closer to an obstacle the middle of an edge may be than its ends, relative to its
/// length.
const DIPS: f64 = 1.0 / 16.0;

impl Edges {
    /// Finds the edges of a model, if they have changed.
    pub(super) fn fit(&mut self, model: &Model) {
        let Versions { model: which, topology, .. } = model.versions();
        let now = Some([which, topology, model.triangles().len() as u64]);
        if self.prepared == now || !model.obstacles().iter().any(is_narrow) {
            return;
        }
        self.prepared = now;
        let mut coupled = BTreeSet::new();
        let mut lines = BTreeSet::new();
        for batch in model.elements() {
            for element in 0..batch.len() {
                let corners = batch.corners(element);
                for (k, &i) in corners.iter().enumerate() {
                    for &j in corners[k + 1..].iter().filter(|&&j| i != j) {
                        coupled.insert([i.min(j), i.max(j)]);
                        if corners.len() == 2 {
                            lines.extend([[i, j], [j, i]]);
                        }
                    }
                }
            }
        }
        let mut covered = vec![false; model.particles()];
        let mut edges = BTreeSet::new();
        for triangle in model.triangles() {
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                let [i, j] = [triangle[i], triangle[j]];
                covered[i as usize] = true;
                edges.insert([i.min(j), i.max(j)]);
            }
        }
        // Edges without an element are only drawn; no force acts along them.
        edges.retain(|edge| coupled.contains(edge));
        let bare = |i: u32| !covered[i as usize];
        lines.retain(|&[i, j]| bare(i) && bare(j));
        let once = lines.iter().filter(|line| line[0] < line[1]);
        edges.extend(once.filter(|&&line| !runs_past(model, &lines, line)));
        self.list = edges.into_iter().collect();
    }

    /// The edges that an obstacle could pass between the ends of.
    pub(super) fn at(&self, obstacle: &Obstacle) -> &[[u32; 2]] {
        if is_narrow(obstacle) { &self.list } else { &[] }
    }
}

impl Pairs {
    /// Adds edges that meet an obstacle on their path to `x`, except those in the range `known` of
    /// pairs.
    pub(super) fn join(
        &mut self,
        model: &Model,
        from: &[Vec3],
        x: &impl Fn(usize) -> Vec3,
        stiffness: &impl Fn(usize, &Obstacle) -> f64,
        known: Range<usize>,
    ) {
        let obstacles = model.obstacles();
        // Rigid bodies come after the obstacles; edges pass through them.
        let count = self.passages.len();
        for (k, obstacle) in obstacles.iter().enumerate() {
            let passage = &self.passages[k];
            for &[i, j] in self.edges.at(obstacle) {
                let [a, b] = [i, j].map(|i| i as usize);
                let length = (from[a] - from[b]).norm();
                let travel = (x(a) - from[a]).norm2().max((x(b) - from[b]).norm2()).sqrt();
                let gaps = self.gaps[a * count + k] + self.gaps[b * count + k];
                let pinned = [a, b].iter().all(|&i| model.fixed()[i] == [true; 3]);
                if gaps > length + 2.0 * travel || pinned || is_short(length, obstacle) {
                    continue;
                }
                let own = |pair: &Pair| (pair.point.ends, pair.obstacle);
                if self.list[known.clone()].binary_search_by_key(&([i, j], k as u32), own).is_ok() {
                    continue;
                }
                let p = [from[a], from[b]].map(|x| passage.carry(x));
                let to = [x(a), x(b)];
                let met = passage.trace_edge(obstacle, p, to);
                let touches = || {
                    let nearest = passage.nearest(obstacle, to);
                    nearest.filter(|(_, distance, _)| *distance < obstacle.thickness)
                };
                let Some(s) = met.map(|(s, _)| s).or_else(|| Some(touches()?.0)) else { continue };
                let mut pair = Pair::new(ContactPoint::on([i, j], s), k, obstacle);
                pair.begin(model, (passage, &self.anchors, self.creep), from, stiffness);
                pair.meet(met.map(|(_, met)| met));
                self.traced |= passage.thin < f64::INFINITY;
                self.list.push(pair);
            }
        }
    }

    /// Traces edges that have a pair along their path to `x`. Returns whether any meets a thin
    /// obstacle.
    pub(super) fn trace_edges(
        &mut self,
        model: &Model,
        from: &[Vec3],
        x: &impl Fn(usize) -> Vec3,
        stiffness: &impl Fn(usize, &Obstacle) -> f64,
    ) -> bool {
        let mut any = false;
        for pair in self.list[self.alone..].iter_mut().filter(|pair| pair.met.is_none()) {
            let k = pair.obstacle as usize;
            let (obstacle, passage) = (&model.obstacles()[k], &self.passages[k]);
            let ends = pair.point.ends.map(|i| i as usize);
            let p = ends.map(|i| passage.carry(from[i]));
            if let Some((s, met)) = passage.trace_edge(obstacle, p, ends.map(x)) {
                pair.point = ContactPoint::on(pair.point.ends, s);
                pair.begin(model, (passage, &self.anchors, self.creep), from, stiffness);
                pair.meet(Some(met));
                pair.gone = false;
                any = true;
            }
        }
        any
    }

    /// Moves the contact points of edges that hit a surface along the edge, to where the edge
    /// crosses the normal at the hit. Deactivates those that have slid past an end. Returns whether
    /// any moved further than `enough`, relative to its edge.
    pub(super) fn slide(&mut self, x: &impl Fn(usize) -> Vec3, enough: f64) -> bool {
        let mut any = false;
        for pair in &mut self.list[self.alone..] {
            let Some(met) = &pair.met else { continue };
            let across = |v: Vec3| v - met.out * met.out.dot(v);
            let [a, b] = pair.point.ends.map(|i| x(i as usize));
            let along = across(b - a);
            let s = across(met.point - a).dot(along) / along.norm2();
            if !s.is_finite() {
                continue;
            }
            let gone = !(0.0..=1.0).contains(&s);
            any |= pair.gone != gone;
            pair.gone = gone;
            if !gone && (s - pair.point.share[1]).abs() > enough {
                pair.point = ContactPoint::on(pair.point.ends, s);
                any = true;
            }
        }
        any
    }

    /// Moves the contact points of all other edges to where the obstacle is nearest. Deactivates
    /// those where it is nearest to an end. Returns whether any moved further than `enough`,
    /// relative to its edge.
    pub(super) fn shift(
        &mut self,
        model: &Model,
        from: &[Vec3],
        x: &impl Fn(usize) -> Vec3,
        stiffness: &impl Fn(usize, &Obstacle) -> f64,
        enough: f64,
    ) -> bool {
        let mut any = false;
        for pair in self.list[self.alone..].iter_mut().filter(|pair| pair.met.is_none()) {
            let k = pair.obstacle as usize;
            let (obstacle, passage) = (&model.obstacles()[k], &self.passages[k]);
            let nearest = passage.nearest(obstacle, pair.point.ends.map(|i| x(i as usize)));
            any |= pair.gone != nearest.is_none();
            pair.gone = nearest.is_none();
            let far = |s: f64| (s - pair.point.share[1]).abs() > enough;
            let Some((s, ..)) = nearest.filter(|(s, ..)| far(*s)) else { continue };
            pair.point = ContactPoint::on(pair.point.ends, s);
            let most = pair.sliding.most;
            pair.begin(model, (passage, &self.anchors, self.creep), from, stiffness);
            pair.sliding.most = most;
            any = true;
        }
        any
    }
}

impl Pairs {
    /// Reactivates pairs of edges that would be within the thickness at `x`. Returns whether there
    /// are any.
    pub(super) fn come_back(
        &mut self,
        model: &Model,
        from: &[Vec3],
        x: &impl Fn(usize) -> Vec3,
        stiffness: &impl Fn(usize, &Obstacle) -> f64,
    ) -> bool {
        let mut any = false;
        let gone = |pair: &&mut Pair| pair.gone && pair.met.is_none();
        for pair in self.list[self.alone..].iter_mut().filter(gone) {
            let k = pair.obstacle as usize;
            let (obstacle, passage) = (&model.obstacles()[k], &self.passages[k]);
            let nearest = passage.nearest(obstacle, pair.point.ends.map(|i| x(i as usize)));
            let touches = |distance: f64| distance < obstacle.thickness;
            let Some((s, ..)) = nearest.filter(|near| touches(near.1)) else { continue };
            pair.point = ContactPoint::on(pair.point.ends, s);
            pair.begin(model, (passage, &self.anchors, self.creep), from, stiffness);
            pair.gone = false;
            any = true;
        }
        any
    }
}

/// Whether a line only keeps two others straight that lead to the same end. `lines` has them in
/// both directions.
fn runs_past(model: &Model, lines: &BTreeSet<[u32; 2]>, [i, j]: [u32; 2]) -> bool {
    let rest = |a: u32, b: u32| (model.rest()[a as usize] - model.rest()[b as usize]).norm();
    let mut others = lines.range([i, 0]..=[i, u32::MAX]).map(|line| line[1]);
    others.any(|k| lines.contains(&[k, j]) && rest(i, k) + rest(k, j) < STRAIGHT * rest(i, j))
}

/// Whether an obstacle can pass between two particles without touching them.
fn is_narrow(obstacle: &Obstacle) -> bool {
    !matches!(obstacle.shape.boundary(), Boundary::HalfSpace | Boundary::Room { .. })
}

/// Whether an edge of a length (m) is so short compared with an obstacle that its ends keep it
/// away.
fn is_short(length: f64, obstacle: &Obstacle) -> bool {
    match obstacle.shape.boundary() {
        Boundary::Round { radius, .. } => {
            // r − √(r² − l²/4) of a chord
            let (r, half) = (radius + obstacle.thickness, 0.5 * length);
            let dip = if half < r { r - (r * r - half * half).sqrt() } else { half };
            dip <= obstacle.thickness.max(DIPS * length)
        }
        Boundary::HalfSpace | Boundary::Room { .. } | Boundary::Faces => false,
    }
}
