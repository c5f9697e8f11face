//! Tests and measures of triangles, tetrahedra and closed surfaces.

use super::Vec3;
use std::collections::BTreeMap;

/// An element of less area or volume than this, relative to its longest edge, has none: rounding
/// makes up the rest.
const FLAT: f64 = 1e-14;

/// Whether a triangle has no area.
pub fn is_flat_triangle(corners: [Vec3; 3]) -> bool {
    let [a, b, c] = corners;
    let longest = longest_edge(&corners);
    0.5 * (b - a).cross(c - a).norm() <= FLAT * longest * longest
}

/// Whether a tetrahedron has no volume.
pub fn is_flat_tetrahedron(corners: [Vec3; 4]) -> bool {
    let [a, b, c, d] = corners;
    let longest = longest_edge(&corners);
    (b - a).cross(c - a).dot(d - a).abs() / 6.0 <= FLAT * longest * longest * longest
}

/// What triangles of a closed surface add to its volume (m³), as tetrahedra with the apex `from`.
pub(crate) fn share_of_volume(x: &[Vec3], triangles: &[[u32; 3]], from: Vec3) -> f64 {
    let six = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| x[corner as usize] - from);
        a.cross(b).dot(c)
    };
    triangles.iter().map(six).sum::<f64>() / 6.0
}

/// Whether triangles form a closed surface: each edge occurs equally often in both directions. Otherwise the end of
/// a sentence.
pub(crate) fn check_closed(triangles: &[[u32; 3]]) -> Result<(), String> {
    let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for &[a, b, c] in triangles {
        if a == b || b == c || c == a {
            return Err(format!("has a triangle {:?} that names a vertex twice", [a, b, c]));
        }
        for [i, j] in [[a, b], [b, c], [c, a]] {
            *edges.entry([i.min(j), i.max(j)]).or_default() += if i < j { 1 } else { -1 };
        }
    }
    if edges.is_empty() {
        return Err("needs triangles".into());
    }
    match edges.into_iter().find(|(_, balance)| *balance != 0) {
        None => Ok(()),
        Some(([i, j], _)) => Err(format!(
            "needs a closed surface, all triangles oriented alike; along the edge between vertices {i} and {j} \
             they do not close"
        )),
    }
}

/// The greatest distance (m) between two corners.
pub(crate) fn longest_edge(corners: &[Vec3]) -> f64 {
    let from = |(k, &a): (usize, &Vec3)| corners[..k].iter().map(move |&b| (b - a).norm());
    corners.iter().enumerate().flat_map(from).fold(0.0, f64::max)
}
