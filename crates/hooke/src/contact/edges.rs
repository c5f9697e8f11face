//! Edges that an obstacle could come between the particles of: those of triangles, and springs of ropes and nets.

use crate::model::{Model, Obstacle, Shape};
use std::collections::BTreeSet;

/// The edges of a model.
#[derive(Default)]
pub(super) struct Edges {
    prepared: Option<(u64, usize)>,
    list: Vec<[u32; 2]>,
}

/// How much longer than its ends apart a way over a third particle may be, so that the edge is said to
/// run past it.
const STRAIGHT: f64 = 1.02;

/// By how much of its length the middle of an edge may be nearer to an obstacle than its ends.
const DIPS: f64 = 1.0 / 16.0;

impl Edges {
    /// Finds the edges of a model, where they are others than before.
    pub(super) fn fit(&mut self, model: &Model) {
        let now = Some((model.versions().topology, model.triangles().len()));
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
        // What no element couples is drawn, but nothing holds it.
        edges.retain(|edge| coupled.contains(edge));
        let bare = |i: u32| !covered[i as usize];
        lines.retain(|&[i, j]| bare(i) && bare(j));
        let once = lines.iter().filter(|line| line[0] < line[1]);
        edges.extend(once.filter(|&&line| !runs_past(model, &lines, line)));
        self.list = edges.into_iter().collect();
    }

    /// The edges that an obstacle could come between the ends of.
    pub(super) fn at(&self, obstacle: &Obstacle) -> &[[u32; 2]] {
        if is_narrow(obstacle) { &self.list } else { &[] }
    }
}

/// Whether a line only holds two others straight that lead to the same end. `lines` has them both ways.
fn runs_past(model: &Model, lines: &BTreeSet<[u32; 2]>, [i, j]: [u32; 2]) -> bool {
    let rest = |a: u32, b: u32| (model.rest()[a as usize] - model.rest()[b as usize]).norm();
    let mut others = lines.range([i, 0]..=[i, u32::MAX]).map(|line| line[1]);
    others.any(|k| lines.contains(&[k, j]) && rest(i, k) + rest(k, j) < STRAIGHT * rest(i, j))
}

/// Whether an obstacle can come between two particles that it does not touch.
fn is_narrow(obstacle: &Obstacle) -> bool {
    !matches!(obstacle.shape, Shape::HalfSpace | Shape::Box { inside_out: true, .. })
}

/// Whether an edge of a length (m) is so short against an obstacle that its ends keep it away: its middle is
/// nearer by so little.
pub(super) fn is_short(length: f64, obstacle: &Obstacle) -> bool {
    match obstacle.shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => {
            // r − √(r² − l²/4) of a chord
            let (r, half) = (radius + obstacle.thickness, 0.5 * length);
            let dip = if half < r { r - (r * r - half * half).sqrt() } else { half };
            dip <= obstacle.thickness.max(DIPS * length)
        }
        Shape::HalfSpace | Shape::Box { .. } | Shape::Mesh(_) => false,
    }
}
