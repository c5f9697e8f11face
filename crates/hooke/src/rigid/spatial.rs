//! Blocks of six rows and columns, one for the velocity and angular velocity of a body, and a Cholesky factor of them within
//! an envelope.

use super::islands::NONE;
use super::solver::{ContactManifold, ContactPoint, Row};
use crate::math::Vec3;

/// The velocity and the angular velocity of a body, or what acts on them.
pub(super) type Vec6 = [f64; 6];

/// A matrix between two bodies.
pub(super) type Block = [Vec6; 6];

pub(super) const ZERO: Block = [[0.0; 6]; 6];

/// A pivot is at least this share of its diagonal.
const LEAST: f64 = 1e-14;

pub(super) fn dot(a: &Vec6, b: &Vec6) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn times(block: &Block, x: &Vec6) -> Vec6 {
    std::array::from_fn(|row| dot(&block[row], x))
}

/// `block += weight · x yᵀ`.
#[inline]
fn add_outer(block: &mut Block, weight: f64, x: &Vec6, y: &Vec6) {
    for (row, x) in block.iter_mut().zip(x) {
        let by = weight * x;
        for (entry, y) in row.iter_mut().zip(y) {
            *entry += by * y;
        }
    }
}

/// `c −= a bᵀ`.
#[inline]
fn subtract(c: &mut Block, a: &Block, b: &Block) {
    for (row, a) in c.iter_mut().zip(a) {
        for (entry, b) in row.iter_mut().zip(b) {
            *entry -= dot(a, b);
        }
    }
}

/// The lower factor of a diagonal block, in place.
fn factor(block: &mut Block) {
    for j in 0..6 {
        let mut pivot = block[j][j];
        let least = LEAST * pivot.abs();
        for k in 0..j {
            pivot -= block[j][k] * block[j][k];
        }
        let root = pivot.max(least).max(f64::MIN_POSITIVE).sqrt();
        block[j][j] = root;
        for i in j + 1..6 {
            let mut sum = block[i][j];
            for k in 0..j {
                sum -= block[i][k] * block[j][k];
            }
            block[i][j] = sum / root;
        }
    }
}

/// `x ← L⁻¹ x`.
#[inline]
fn solve_lower(l: &Block, x: &mut Vec6) {
    for i in 0..6 {
        for k in 0..i {
            x[i] -= l[i][k] * x[k];
        }
        x[i] /= l[i][i];
    }
}

/// `x ← L⁻ᵀ x`.
#[inline]
fn solve_upper(l: &Block, x: &mut Vec6) {
    for i in (0..6).rev() {
        x[i] /= l[i][i];
        for k in 0..i {
            x[k] -= l[i][k] * x[i];
        }
    }
}

/// A symmetric matrix of blocks, each row from the first column it has to the diagonal; then its factor.
#[derive(Default)]
pub(super) struct BlockSkyline {
    first: Vec<u32>,
    starts: Vec<usize>,
    blocks: Vec<Block>,
}

impl BlockSkyline {
    /// Makes room for rows that start at these columns.
    pub(super) fn lay_out(&mut self, first: &[u32]) {
        self.first.clear();
        self.first.extend_from_slice(first);
        self.starts.clear();
        let mut end = 0;
        for (row, &first) in first.iter().enumerate() {
            self.starts.push(end);
            end += row + 1 - first as usize;
        }
        self.blocks.resize(end, ZERO);
    }

    fn at(&self, row: usize, column: usize) -> usize {
        self.starts[row] + column - self.first[row] as usize
    }

    /// Sets some rows to zero, with blocks on their diagonal.
    pub(super) fn reset(&mut self, [from, to]: [usize; 2], diagonal: &[Block]) {
        for row in from..to {
            let end = self.at(row, row);
            self.blocks[self.starts[row]..end].fill(ZERO);
            self.blocks[end] = diagonal[row];
        }
    }

    /// The block of a row and a column that is not after it.
    pub(super) fn block(&mut self, row: usize, column: usize) -> &mut Block {
        let at = self.at(row, column);
        &mut self.blocks[at]
    }

    /// Factors some rows that meet no others.
    pub(super) fn factor(&mut self, [from, to]: [usize; 2]) {
        for i in from..to {
            for j in self.first[i] as usize..=i {
                let mut sum = self.blocks[self.at(i, j)];
                for k in self.first[i].max(self.first[j]) as usize..j {
                    subtract(&mut sum, &self.blocks[self.at(i, k)], &self.blocks[self.at(j, k)]);
                }
                if i == j {
                    factor(&mut sum);
                } else {
                    let diagonal = &self.blocks[self.at(j, j)];
                    sum.iter_mut().for_each(|row| solve_lower(diagonal, row));
                }
                let at = self.at(i, j);
                self.blocks[at] = sum;
            }
        }
    }

    /// Solves for some rows, in place.
    pub(super) fn solve(&self, [from, to]: [usize; 2], x: &mut [Vec6]) {
        for i in from..to {
            let mut sum = x[i];
            for j in self.first[i] as usize..i {
                let known = times(&self.blocks[self.at(i, j)], &x[j]);
                sum.iter_mut().zip(known).for_each(|(sum, known)| *sum -= known);
            }
            solve_lower(&self.blocks[self.at(i, i)], &mut sum);
            x[i] = sum;
        }
        for i in (from..to).rev() {
            solve_upper(&self.blocks[self.at(i, i)], &mut x[i]);
            let own = x[i];
            for j in self.first[i] as usize..i {
                let block = &self.blocks[self.at(i, j)];
                for (row, own) in block.iter().zip(own) {
                    x[j].iter_mut().zip(row).for_each(|(x, entry)| *x -= entry * own);
                }
            }
        }
    }
}

/// Adds `weight · Jᵀ J` of a row between two slots, of which the second may be none.
#[inline]
pub(super) fn add_row(
    matrix: &mut BlockSkyline,
    [a, b]: [u32; 2],
    weight: f64,
    [x, y]: &[Vec6; 2],
) {
    let (a, b) = (a as usize, b as usize);
    add_outer(matrix.block(a, a), weight, x, x);
    if b == NONE as usize {
        return;
    }
    add_outer(matrix.block(b, b), weight, y, y);
    match a > b {
        true => add_outer(matrix.block(a, b), weight, x, y),
        false => add_outer(matrix.block(b, a), weight, y, x),
    }
}

/// How the rows of a contact point meet the velocities of both solids.
pub(super) fn rows(manifold: &ContactManifold, point: &ContactPoint) -> [[Vec6; 2]; 3] {
    let directions = manifold.directions();
    std::array::from_fn(|k| sides(&point.rows[k], directions[k]))
}

/// How a row meets the velocities of both solids.
fn sides(row: &Row, direction: Vec3) -> [Vec6; 2] {
    let [a, b] = row.rotations;
    [
        [direction.x, direction.y, direction.z, a.x, a.y, a.z],
        [-direction.x, -direction.y, -direction.z, -b.x, -b.y, -b.z],
    ]
}
