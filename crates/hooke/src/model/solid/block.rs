//! The block: a box or a beam of cells, each cut into five tetrahedra.
//!
//! A cell is cut into one regular tetrahedron in the middle and four at corners. Neighboring cells
//! are mirror images, so that their faces fit. Against the six of Kuhn's split this gives blunter
//! corners (54.7° instead of 45°), fewer tetrahedra to lock, and no direction that is softer than
//! its mirror image: where the counts are even, a block is mirror symmetric. Its price: vertices
//! inside weigh 5/3 or 1/3 of a cell, in turn.

use super::{ModelError, Solid, check_counts, invalid_shape, volume};
use crate::math::Vec3;

/// A block of `cells[0] × cells[1] × cells[2]` cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// One corner (m).
    pub corner: Vec3,
    /// The three edges at that corner (m), right-handed or not.
    pub edges: [Vec3; 3],
    /// Cells along each edge.
    pub cells: [u32; 3],
}

/// A cell whose corners are numbered by bits, x first: the middle, then a tetrahedron at each
/// corner that the middle leaves out.
const SPLIT: [[usize; 4]; 5] =
    [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]];

impl Block {
    /// How many vertices it has.
    pub fn vertices(&self) -> u128 {
        self.cells.iter().map(|&cells| u128::from(cells) + 1).product()
    }

    /// The mesh. Vertices run along the first edge, then the second, then the third.
    pub fn mesh(&self) -> Result<Solid, ModelError> {
        let [nx, ny, nz] = self.cells;
        let along = ["cell along its first edge", "along its second", "along its third"];
        let counts = [(along[0], nx, 1), (along[1], ny, 1), (along[2], nz, 1)];
        check_counts("block", &counts, self.vertices())?;
        let [u, v, w] = self.edges;
        let box_of_edges = u.norm() * v.norm() * w.norm();
        let whole = 6.0 * volume([self.corner, self.corner + u, self.corner + v, self.corner + w]);
        if whole.abs() <= 1e-9 * box_of_edges || !whole.is_finite() {
            return invalid_shape("the edges of a block span no volume");
        }
        let mut solid = Solid::default();
        let at = |i: u32, n: u32| f64::from(i) / f64::from(n);
        for k in 0..=nz {
            for j in 0..=ny {
                for i in 0..=nx {
                    let x = self.corner + u * at(i, nx) + v * at(j, ny) + w * at(k, nz);
                    solid.positions.push(x);
                }
            }
        }
        let index = |i: u32, j: u32, k: u32| (k * (ny + 1) + j) * (nx + 1) + i;
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    let odd = (i + j + k) % 2;
                    let corner = |bits: usize| {
                        let [x, y, z] = [0, 1, 2].map(|axis| (bits >> axis & 1) as u32);
                        index(i + (x ^ odd), j + y, k + z)
                    };
                    solid.tetrahedra.extend(SPLIT.map(|corners| corners.map(corner)));
                }
            }
        }
        Ok(solid.rotated())
    }
}
