//! Hinges: where two triangles of a surface share an edge, and so can fold.

use super::{Invalid, invalid};
use std::collections::BTreeMap;

/// The hinges of a surface, ascending by their edge: both ends of the edge, then the corner
/// opposite to it in the first triangle and in the second. `(edge 0, edge 1, wing 0)` and
/// `(edge 1, edge 0, wing 1)` face alike, whichever way the triangles were written.
pub fn hinges(triangles: &[[u32; 3]]) -> Result<Vec<[u32; 4]>, Invalid> {
    let mut edges: BTreeMap<[u32; 2], Vec<([u32; 2], u32)>> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for (i, j, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
            let sides = edges.entry([i.min(j), i.max(j)]).or_default();
            sides.push(([i, j], opposite));
            if sides.len() > 2 {
                return invalid(format!(
                    "the edge between vertices {i} and {j} belongs to three triangles; a surface \
                     folds between two"
                ));
            }
        }
    }
    let hinge = |sides: Vec<([u32; 2], u32)>| match sides[..] {
        [([i, j], first), (_, second)] => Some([i, j, first, second]),
        _ => None,
    };
    Ok(edges.into_values().filter_map(hinge).collect())
}
