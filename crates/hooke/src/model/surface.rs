//! What a surface consists of: the hinges on its inner edges and the rings around its inner vertices, which
//! bend, and the parts that hang together, which may enclose a volume.

use super::{ModelError, invalid_shape};
use crate::math::{Vec3, share_of_volume};
use std::collections::BTreeMap;

/// The hinges of a surface: edge 0, edge 1, wing 0, wing 1 for every edge of two triangles, in the order of their
/// vertices. An edge of three triangles is an error.
pub fn hinges(triangles: &[[u32; 3]]) -> Result<Vec<[u32; 4]>, ModelError> {
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
                return invalid_shape(format!(
                    "the edge between vertices {i} and {j} belongs to three triangles; a surface's edges \
                     have at most two"
                ));
            }
        }
    }
    Ok(hinges)
}

/// The vertices inside a surface, each followed by its neighbors in their order around it. Vertices on the
/// boundary, and those where several sheets meet, have no ring.
pub fn rings(triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    // For every vertex, which neighbor follows which, whatever the orientation of the triangles.
    let mut sides: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for (i, j, k) in [(a, b, c), (b, c, a), (c, a, b)] {
            sides.entry(i).or_default().push([j, k]);
        }
    }
    sides.into_iter().filter_map(|(center, sides)| ring(center, sides)).collect()
}

fn ring(center: u32, mut sides: Vec<[u32; 2]>) -> Option<Vec<u32>> {
    let [first, mut last] = sides.pop()?;
    let mut ring = vec![center, first, last];
    while !sides.is_empty() {
        let next = sides.iter().position(|side| side.contains(&last))?;
        let [a, b] = sides.swap_remove(next);
        last = if a == last { b } else { a };
        if last == first {
            break;
        }
        ring.push(last);
    }
    // Closed, nothing left over, and no neighbor twice.
    let closed = sides.is_empty() && last == first && ring.len() >= 4;
    let twice = (1..ring.len()).any(|k| ring[k + 1..].contains(&ring[k]));
    (closed && !twice).then_some(ring)
}

/// The parts of a surface that hang together by their vertices, each in the order of its triangles.
pub fn parts(triangles: &[[u32; 3]]) -> Vec<Vec<[u32; 3]>> {
    // Every vertex leads to the first of its part.
    let mut leads: BTreeMap<u32, u32> = BTreeMap::new();
    fn first(leads: &mut BTreeMap<u32, u32>, vertex: u32) -> u32 {
        let mut at = vertex;
        while let Some(&next) = leads.get(&at).filter(|next| **next != at) {
            // Every other step is cut short for those who follow.
            let after = leads.get(&next).copied().unwrap_or(next);
            leads.insert(at, after);
            at = after;
        }
        leads.entry(at).or_insert(at);
        at
    }
    for &[a, b, c] in triangles {
        let ends = [a, b, c].map(|vertex| first(&mut leads, vertex));
        let least = ends[0].min(ends[1]).min(ends[2]);
        for end in ends {
            leads.insert(end, least);
        }
    }
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    let mut parts: Vec<Vec<[u32; 3]>> = Vec::new();
    for triangle in triangles {
        let end = first(&mut leads, triangle[0]);
        let place = *places.entry(end).or_insert(parts.len());
        if place == parts.len() {
            parts.push(Vec::new());
        }
        parts[place].push(*triangle);
    }
    parts
}

/// The volume (m³) inside a closed surface whose triangles run counter-clockwise seen from outside;
/// negative where they are oriented inward.
pub fn volume(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let Some(&[first, ..]) = triangles.first() else { return 0.0 };
    share_of_volume(positions, triangles, positions[first as usize])
}
