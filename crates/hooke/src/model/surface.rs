//! What bends in a surface: the hinges on its inner edges and the rings around its inner vertices.

use super::{Invalid, invalid};
use std::collections::BTreeMap;

/// The hinges of a surface: edge 0, edge 1, wing 0, wing 1 for every edge of two triangles, in the order of their
/// vertices. An edge of three triangles is an error.
pub fn hinges(triangles: &[[u32; 3]]) -> Result<Vec<[u32; 4]>, Invalid> {
    let mut edges: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for (i, j, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
            edges.entry((i.min(j), i.max(j))).or_default().push(opposite);
        }
    }
    let mut hinges = Vec::new();
    for ((i, j), wings) in edges {
        match wings[..] {
            [_] => {}
            [a, b] => hinges.push([i, j, a, b]),
            _ => {
                return invalid(format!(
                    "the edge between vertices {i} and {j} belongs to three triangles; a surface's edges \
                     have at most two"
                ));
            }
        }
    }
    Ok(hinges)
}

/// The vertices inside a surface, each followed by its neighbours in their order around it. Vertices on the
/// boundary, and those where several sheets meet, have no ring.
pub fn rings(triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    // For every vertex, which neighbour follows which, whatever way the triangles are turned.
    let mut sides: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for (i, j, k) in [(a, b, c), (b, c, a), (c, a, b)] {
            sides.entry(i).or_default().push([j, k]);
        }
    }
    sides.into_iter().filter_map(|(centre, sides)| ring(centre, sides)).collect()
}

fn ring(centre: u32, mut sides: Vec<[u32; 2]>) -> Option<Vec<u32>> {
    let [first, mut last] = sides.pop()?;
    let mut ring = vec![centre, first, last];
    while !sides.is_empty() {
        let next = sides.iter().position(|side| side.contains(&last))?;
        let [a, b] = sides.swap_remove(next);
        last = if a == last { b } else { a };
        if last == first {
            break;
        }
        ring.push(last);
    }
    // Closed, nothing left over, and no neighbour twice.
    let closed = sides.is_empty() && last == first && ring.len() >= 4;
    let twice = (1..ring.len()).any(|k| ring[k + 1..].contains(&ring[k]));
    (closed && !twice).then_some(ring)
}
