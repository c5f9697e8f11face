//! The Hessian ∇²E of all elements of a model: sparse blocks, and dense parts of rank one.

use super::At;
use crate::linalg::{LowRank, Matrix};
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::thread_pool::ThreadPool;

/// Where every element's blocks stand in a matrix.
pub(crate) fn element_slots(model: &Model, matrix: &Matrix<Mat3>) -> Vec<Vec<u32>> {
    let mut all = Vec::with_capacity(model.elements().len());
    for batch in model.elements() {
        let mut slots = Vec::new();
        batch.slots(matrix, &mut slots);
        all.push(slots);
    }
    all
}

/// `matrix += ∇²E` (N/m), its negative part times `keep`, but for what [`rank_ones`] has; `slots` from
/// [`element_slots`].
pub(crate) fn add_hessian(
    model: &Model,
    at: At<'_>,
    keep: f64,
    slots: &[Vec<u32>],
    matrix: &mut Matrix<Mat3>,
) {
    for (batch, slots) in model.elements().iter().zip(slots) {
        batch.hessian(at, keep, slots, matrix);
    }
}

/// The dense parts of ∇²E (N/m).
pub(crate) fn rank_ones(model: &Model, at: At<'_>, out: &mut LowRank, pool: &ThreadPool) {
    out.resize(model.elements().iter().map(|batch| batch.rank_ones()).sum());
    let mut term = 0;
    for batch in model.elements() {
        for element in 0..batch.rank_ones() {
            let write = |g: &mut [Vec3]| batch.rank_one(element, at, g, pool);
            out.set(term, batch.corners(element), write);
            term += 1;
        }
    }
}

/// Calls `each(particles, c, g)` for the dense parts `c g gᵀ` (N/m) of ∇²E at rest.
pub(crate) fn each_rank_one(model: &Model, mut each: impl FnMut(&[u32], f64, &[Vec3])) {
    let (at, pool) = (At { x: model.rest(), anchors: &[] }, ThreadPool::new(1));
    let mut g = Vec::new();
    for batch in model.elements() {
        for element in 0..batch.rank_ones() {
            let particles = batch.corners(element);
            g.resize(particles.len(), Vec3::ZERO);
            let c = batch.rank_one(element, at, &mut g, &pool);
            each(particles, c, &g);
        }
    }
}
