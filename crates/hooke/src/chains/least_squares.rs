//! Damped least squares: all joints turn at once, by the small turns that together come nearest.
//!
//! A hinge turns about one axis, a ball joint about three. Turning by ω about the axis a of joint j moves an
//! end by `ω a × r`, `r = e − p_j`. With J the matrix of all of these and e what is missing, a step takes the
//! turns ω that make `|Jω − e|² + λ²|ω|²` least within bounds: how far each axis may turn before its joint is
//! at a limit. Which axes stay at a bound is found with the turns, as a primal-dual active set:
//!
//! `(J_f J_fᵀ + λ² I) y = e − J_b ω_b`, `ω = Jᵀ y`,
//!
//! over the axes f that are free and b that are at a bound; an axis is at a bound in the next round where `ω`
//! is beyond it, until none changes. λ grows where a step did not help and shrinks where it did, as Levenberg
//! and Marquardt do. Wampler 1986; Nakamura & Hanafusa 1986; Baerlocher & Boulic 2004, *An inverse kinematics
//! architecture enforcing an arbitrary number of strict priority levels*, on joints at limits; Hintermüller,
//! Ito & Kunisch 2002, *The primal-dual active set strategy as a semismooth Newton method*.

use super::solver::squares;
use super::work::Work;
use super::{Chain, ChainPose, Target};
use crate::linalg::small;
use crate::math::{Quat, Vec3};

/// λ²/L² at the start, and the least and the greatest.
pub(super) const DAMPING: f64 = 1e-3;
const LEAST: f64 = 1e-12;
const MOST: f64 = 1e6;

/// How often a step that does not help is tried again, shorter.
const TRIES: u32 = 12;

/// How often the axes at bounds are looked for in one step.
const ROUNDS: u32 = 10;

/// The furthest that a joint turns in a step (rad): beyond, ends do not move along J any more.
const LONGEST: f64 = 1.0;

/// A turn about an axis of a joint in a step.
#[derive(Clone, Copy)]
pub(super) struct Rotation {
    joint: usize,
    /// The axis, a unit vector of the world.
    along: Vec3,
    /// The least and the greatest turn (rad).
    bounds: [f64; 2],
    /// Where its columns of J begin, one for each target below the joint.
    first: usize,
    /// How far it turns (rad), and whether that is a bound.
    by: f64,
    at_limit: bool,
}

/// One step that helps, if there is one.
pub(super) fn sweep(chain: &Chain, pose: &mut ChainPose, targets: &[Target], work: &mut Work) {
    let before = squares(pose, targets);
    work.kept.clear();
    work.kept.extend_from_slice(pose.local_rotations());
    linearize(chain, pose, targets, work);
    for _ in 0..TRIES {
        solve(work);
        rotate(chain, pose, &work.rotations);
        if squares(pose, targets) < before {
            work.damping = (0.3 * work.damping).max(LEAST);
            return;
        }
        pose.set_rotations(chain, &work.kept);
        work.damping = (5.0 * work.damping).min(MOST);
    }
    work.stuck = true;
}

/// Finds e, the axes with their bounds, and J by columns. Weights stand in all rows, as √w.
fn linearize(chain: &Chain, pose: &ChainPose, targets: &[Target], work: &mut Work) {
    let Work { missing, rotations, columns, below, .. } = work;
    missing.clear();
    for target in targets {
        missing.extend((target.miss(pose) * target.weight.sqrt()).to_array());
    }
    rotations.clear();
    columns.clear();
    for (joint, pivot) in pose.positions().iter().enumerate() {
        let own = below.of(joint);
        if own.is_empty() {
            continue;
        }
        let base = pose.base(chain, joint);
        for axis in chain.joints()[joint].limits.axes(pose.local_rotations()[joint]) {
            let along = base.rotate(axis.along);
            rotations.push(Rotation {
                joint,
                along,
                bounds: axis.bounds,
                first: columns.len(),
                by: 0.0,
                at_limit: false,
            });
            columns.extend(own.iter().map(|&k| {
                let target = &targets[k as usize];
                let arm = pose.positions()[target.joint] - *pivot;
                along.cross(arm) * target.weight.sqrt()
            }));
        }
    }
}

/// Finds how far every axis turns.
fn solve(work: &mut Work) {
    let Work { missing, rotations, columns, below, matrix, rhs, damping, length, .. } = work;
    let m = missing.len();
    rotations.iter_mut().for_each(|rotation| rotation.at_limit = false);
    for _ in 0..ROUNDS {
        matrix.clear();
        matrix.resize(m * m, 0.0);
        rhs.clone_from(missing);
        for rotation in &*rotations {
            let own = below.of(rotation.joint);
            let column = &columns[rotation.first..rotation.first + own.len()];
            for (count, (&k, &a)) in (1..).zip(own.iter().zip(column)) {
                let k = 3 * k as usize;
                if rotation.at_limit {
                    (0..3).for_each(|row| rhs[k + row] -= rotation.by * a[row]);
                    continue;
                }
                // The lower triangle is all that is read.
                for (&l, &b) in own.iter().zip(column).take(count) {
                    let l = 3 * l as usize;
                    for (row, value) in a.outer(b).0.iter().enumerate() {
                        let at = (k + row) * m + l;
                        (0..3).for_each(|entry| matrix[at + entry] += value[entry]);
                    }
                }
            }
        }
        let damp = *damping * *length * *length;
        for k in 0..m {
            matrix[k * m + k] += damp;
        }
        // Damping keeps pivots above zero, but for rounding.
        small::factor(matrix, m, f64::MIN_POSITIVE);
        small::solve(matrix, rhs);
        let mut changed = false;
        for rotation in &mut *rotations {
            let own = below.of(rotation.joint).iter().zip(&columns[rotation.first..]);
            let y = |k: u32| Vec3::from(std::array::from_fn(|axis| rhs[3 * k as usize + axis]));
            let wanted: f64 = own.map(|(&k, column)| column.dot(y(k))).sum();
            let [low, high] = rotation.bounds;
            let (by, at_limit) = (wanted.max(low).min(high), wanted < low || wanted > high);
            changed |= at_limit != rotation.at_limit || (at_limit && by != rotation.by);
            (rotation.by, rotation.at_limit) = (by, at_limit);
        }
        if !changed {
            return;
        }
    }
}

/// Turns the joints. Children first: a joint's frame is that of its parent before it turns.
fn rotate(chain: &Chain, pose: &mut ChainPose, rotations: &[Rotation]) {
    for own in rotations.chunk_by(|a, b| a.joint == b.joint).rev() {
        let whole = own.iter().fold(Vec3::ZERO, |sum, rotation| sum + rotation.along * rotation.by);
        let short = whole * (LONGEST / whole.norm().max(LONGEST));
        // The turn by ω, but for terms of third order.
        pose.rotate_alone(chain, own[0].joint, Quat::cayley(short));
    }
    pose.update_forward(chain, 0);
}
