//! A hierarchy of particles for position-based dynamics: the particles of each coarser level, the
//! links between them, and the parents of all other particles.
//!
//! Starting from all particles, particles are removed from a level one by one. A particle can be
//! removed if at least two of its neighbors stay, and if no particle removed before is left with
//! fewer. The neighbors that stay are the *parents* of a removed particle, with weights by
//! distance, `w ∝ 1/l`. Pinned particles stay.
//!
//! An edge between i and j becomes one between i, or the nearest parent of i, and j, or the nearest
//! parent of j. Its length is that of the path between them; of several, the shortest. That is
//! never shorter than the cloth, and links only pull: folds and coils stay free.

use crate::compute::{At, DistanceConstraints, ProjectedParticle};
use crate::math::Vec3;
use crate::model::Model;
use crate::thread_pool::ThreadPool;
use std::collections::BTreeMap;

/// Two particles and their maximum distance (m).
type Edge = ([u32; 2], f64);

/// The minimum number of parents of a particle.
const PARENTS: usize = 2;

/// The minimum number of particles of a level.
const FEWEST: usize = 16;

/// A coarse level.
pub(crate) struct HierarchyLevel {
    /// The links between its particles.
    pub(crate) links: DistanceConstraints,
    /// The particles of the next finer level that are not in this one.
    children: Vec<u32>,
    /// The end of each child's range in `parents`.
    ends: Vec<u32>,
    /// Parents and their weights.
    parents: Vec<(u32, f64)>,
}

/// The coarse levels of a model, from fine to coarse, at most `most`.
pub(crate) fn of(model: &Model, most: u32) -> Vec<HierarchyLevel> {
    let particles = model.particles();
    let mut edges = edges(model);
    let mut inside = vec![true; particles];
    let mut levels = Vec::new();
    while (levels.len() as u32) < most {
        let before = inside.iter().filter(|&&inside| inside).count();
        let neighbors = Neighbors::new(particles, &edges);
        let stays = thin(model, &inside, &neighbors);
        let after = stays.iter().filter(|&&stays| stays).count();
        // A level that removes less than a tenth is not worth it.
        if after < FEWEST || 10 * after > 9 * before {
            break;
        }
        let mut level = HierarchyLevel {
            links: DistanceConstraints::default(),
            children: vec![],
            ends: vec![],
            parents: vec![],
        };
        let mut nearest: Vec<(u32, f64)> = (0..particles as u32).map(|i| (i, 0.0)).collect();
        for i in (0..particles).filter(|&i| inside[i] && !stays[i]) {
            let own = neighbors.of(i).iter().filter(|(j, _)| stays[*j as usize]);
            let weight = |l: f64| 1.0 / l.max(1e-12);
            let sum: f64 = own.clone().map(|&(_, l)| weight(l)).sum();
            level.parents.extend(own.clone().map(|&(j, l)| (j, weight(l) / sum)));
            level.children.push(i as u32);
            level.ends.push(level.parents.len() as u32);
            // Of equally near parents, the first.
            let near = own.copied().reduce(|a, b| if b.1 < a.1 * (1.0 - 1e-9) { b } else { a });
            nearest[i] = near.unwrap_or((i as u32, 0.0));
        }
        edges = lifted(&edges, &nearest);
        level.links = DistanceConstraints::slack(particles, &edges);
        levels.push(level);
        inside = stays;
    }
    levels
}

impl HierarchyLevel {
    /// Moves the children as their parents moved from `y`.
    pub(crate) fn prolong(
        &self,
        y: &[Vec3],
        fixed: &[[bool; 3]],
        particles: &mut [ProjectedParticle],
        pool: &ThreadPool,
    ) {
        let particles = &crate::thread_pool::Disjoint::new(particles);
        pool.chunks(self.children.len(), |range| {
            for k in range {
                let start = if k == 0 { 0 } else { self.ends[k - 1] as usize };
                let mut moved = Vec3::ZERO;
                for &(j, w) in &self.parents[start..self.ends[k] as usize] {
                    // SAFETY: parents are not children on this level, so no thread moves them.
                    let parent = unsafe { particles.read(j as usize) };
                    moved += (parent.x - y[j as usize]) * w;
                }
                let i = self.children[k] as usize;
                // SAFETY: every child is visited once.
                let child = unsafe { particles.get(i) };
                for axis in (0..3).filter(|&axis| !fixed[i][axis]) {
                    child.x[axis] = y[i][axis] + moved[axis];
                }
            }
        });
    }
}

/// The edges of all elements that resist stretching: springs by their rest length, other elements
/// by the rest distance of their corners.
fn edges(model: &Model) -> Vec<Edge> {
    let mut all = BTreeMap::new();
    let mut add = |i: u32, j: u32, l: f64| {
        let pair = [i.min(j), i.max(j)];
        let known = all.entry(pair).or_insert(l);
        *known = l.min(*known);
    };
    let at = At { x: model.rest(), anchors: &[] };
    for batch in model.elements() {
        if batch.law().springs {
            batch.springs(&mut |[i, j], [k, l]| {
                if k > 0.0 {
                    add(i, j, l);
                }
            });
            continue;
        }
        let law = batch.law();
        // Compliant elements must not be replaced by rigid links.
        let linked = law.corners > 1 && law.rows > 0 && law.compatible;
        if !linked || batch.worst_strain(at).is_none() {
            continue;
        }
        for e in 0..batch.len() {
            let corners = batch.corners(e);
            for (a, &i) in corners.iter().enumerate() {
                for &j in &corners[..a] {
                    let apart = model.rest()[i as usize] - model.rest()[j as usize];
                    add(i, j, apart.norm());
                }
            }
        }
    }
    all.into_iter().collect()
}

/// Which of the particles in `inside` stay on the coarser level.
fn thin(model: &Model, inside: &[bool], neighbors: &Neighbors) -> Vec<bool> {
    let mut stays = inside.to_vec();
    let mut left: Vec<usize> = (0..inside.len()).map(|i| neighbors.of(i).len()).collect();
    for i in 0..inside.len() {
        let own = neighbors.of(i);
        let pinned = model.fixed()[i] != [false; 3];
        let spared = |&(j, _): &(u32, f64)| stays[j as usize] || left[j as usize] > PARENTS;
        if !stays[i] || pinned || left[i] < PARENTS || !own.iter().all(spared) {
            continue;
        }
        stays[i] = false;
        own.iter().for_each(|&(j, _)| left[j as usize] -= 1);
    }
    stays
}

/// The edges between the particles that stay.
fn lifted(edges: &[Edge], nearest: &[(u32, f64)]) -> Vec<Edge> {
    let mut all = BTreeMap::new();
    for &([i, j], l) in edges {
        let [(p, to_p), (q, to_q)] = [i, j].map(|i| nearest[i as usize]);
        if p != q {
            let length = to_p + l + to_q;
            let known = all.entry([p.min(q), p.max(q)]).or_insert(length);
            *known = length.min(*known);
        }
    }
    all.into_iter().collect()
}

/// For each particle, its neighbors along edges and their distances.
struct Neighbors {
    starts: Vec<usize>,
    all: Vec<(u32, f64)>,
}

impl Neighbors {
    fn new(particles: usize, edges: &[Edge]) -> Self {
        let mut starts = vec![0; particles + 1];
        for &i in edges.iter().flat_map(|(ends, _)| ends) {
            starts[i as usize + 1] += 1;
        }
        for i in 0..particles {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut all = vec![(0, 0.0); 2 * edges.len()];
        for &([i, j], l) in edges {
            for (own, other) in [(i, j), (j, i)] {
                all[next[own as usize]] = (other, l);
                next[own as usize] += 1;
            }
        }
        Self { starts, all }
    }

    fn of(&self, particle: usize) -> &[(u32, f64)] {
        &self.all[self.starts[particle]..self.starts[particle + 1]]
    }
}
