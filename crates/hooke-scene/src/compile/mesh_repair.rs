//! Mending meshes: what can be put right is put right, and told; what cannot is told.
//!
//! Elements that are flat or there twice are left out of meshes that come from files; in a scene's
//! own lists they are errors, which the engine's builders tell. Triangles are turned to face as
//! their neighbors do, tetrahedra to have positive volume. Vertices on the middle of an edge are
//! told: the surface is open there.

use crate::words::count;
use hooke::Vec3;
use hooke::math::{is_flat_tetrahedron, is_flat_triangle};
use std::collections::HashSet;

/// Where a mesh is from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A file of another program.
    File,
    /// The scene itself.
    Scene,
}

/// A tetrahedron of so little of the volume its longest edge could have is told.
const THIN: f64 = 1e-6;

/// A vertex so near to an edge, relative to its length, lies on it. Single precision in a file
/// leaves errors of this size.
const NEAR: f64 = 1e-6;

/// How many pairs of vertices and edges are compared in search of open edges.
const COMPARED: usize = 5_000_000;

/// What is wrong with some elements: `one` and `many` are said of one of them and of several.
struct Finding<'a> {
    noun: [&'a str; 2],
    one: &'a str,
    many: &'a str,
}

impl Finding<'_> {
    /// One sentence on all that were found, which names the first.
    fn sentence<const N: usize>(&self, found: &[(usize, [u32; N])]) -> Option<String> {
        let (index, corners) = found.first()?;
        let first = format!("{} {index} {corners:?}", self.noun[0]);
        Some(match found.len() {
            1 => format!("{first} {}", self.one),
            n => {
                let number = count(n as u64, self.noun[0], self.noun[1]);
                format!("{number} {}; the first is {first}", self.many)
            }
        })
    }
}

/// Whether every corner is a vertex and none occurs twice: all else is told by the builders.
fn sound<const N: usize>(element: &[u32; N], vertices: usize) -> bool {
    let fine = |k: usize| (element[k] as usize) < vertices && !element[..k].contains(&element[k]);
    (0..N).all(fine)
}

/// Mends triangles; what is to be told goes to `tell`.
pub(super) fn triangles(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    origin: Origin,
    tell: &mut dyn FnMut(String),
) -> Vec<[u32; 3]> {
    if !triangles.iter().all(|triangle| sound(triangle, positions.len())) {
        return triangles.to_vec();
    }
    let flat = |corners: &[u32; 3]| is_flat_triangle(corners.map(|i| positions[i as usize]));
    let noun = ["triangle", "triangles"];
    let one = "has no area and is ignored";
    let no_area = Finding { noun, one, many: "have no area and are ignored" };
    let Some((numbers, mut kept)) = keep(triangles, origin, flat, &no_area, tell) else {
        return triangles.to_vec();
    };
    let surface = Surface::of(&kept);
    let rotated = orient(&mut kept, &surface, tell);
    let rotated: Vec<_> = rotated.into_iter().map(|(index, was)| (numbers[index], was)).collect();
    let finding = Finding {
        noun,
        one: "faces the other way than its neighbors and is flipped",
        many: "face the other way than their neighbors and are flipped",
    };
    finding.sentence(&rotated).into_iter().for_each(&mut *tell);
    open_places(positions, &surface.border, tell);
    kept
}

/// Mends tetrahedra; what is to be told goes to `tell`.
pub(super) fn tetrahedra(
    positions: &[Vec3],
    tetrahedra: &[[u32; 4]],
    origin: Origin,
    tell: &mut dyn FnMut(String),
) -> Vec<[u32; 4]> {
    if !tetrahedra.iter().all(|tetrahedron| sound(tetrahedron, positions.len())) {
        return tetrahedra.to_vec();
    }
    let flat = |corners: &[u32; 4]| is_flat_tetrahedron(corners.map(|i| positions[i as usize]));
    // The volume, and its share of what a regular tetrahedron of the longest edge would have.
    let measure = |corners: &[u32; 4]| {
        let [a, b, c, d] = corners.map(|i| positions[i as usize]);
        let edges = [b - a, c - a, d - a, c - b, d - b, d - c];
        let longest = edges.map(|edge| edge.norm()).into_iter().fold(0.0, f64::max);
        let volume = (b - a).cross(c - a).dot(d - a) / 6.0;
        (volume, volume.abs() * 72f64.sqrt() / (longest * longest * longest))
    };
    let noun = ["tetrahedron", "tetrahedra"];
    let one = "has no volume and is ignored";
    let no_volume = Finding { noun, one, many: "have no volume and are ignored" };
    let Some((numbers, mut kept)) = keep(tetrahedra, origin, flat, &no_volume, tell) else {
        return tetrahedra.to_vec();
    };
    let (mut rotated, mut thin) = (Vec::new(), Vec::new());
    for (&index, corners) in numbers.iter().zip(&mut kept) {
        let (volume, share) = measure(corners);
        if share < THIN {
            thin.push((index, *corners, share));
        }
        if volume < 0.0 {
            rotated.push((index, *corners));
            corners.swap(2, 3);
        }
    }
    let inside_out = Finding {
        noun,
        one: "is inside out and is flipped",
        many: "are inside out and are flipped",
    };
    inside_out.sentence(&rotated).into_iter().for_each(&mut *tell);
    if let Some((index, corners, share)) = thin.first() {
        let shape = match thin.len() {
            1 => "is nearly flat".to_owned(),
            n => format!("is the first of {n} that are nearly flat"),
        };
        tell(format!(
            "tetrahedron {index} {corners:?} {shape}: it has {share:.1e} of the volume of a regular \
             one with its longest edge"
        ));
    }
    kept
}

/// Elements without those that are flat or there twice, and their numbers; `None` where a scene's
/// own list has such.
fn keep<const N: usize>(
    elements: &[[u32; N]],
    origin: Origin,
    flat: impl Fn(&[u32; N]) -> bool,
    no_extent: &Finding<'_>,
    tell: &mut dyn FnMut(String),
) -> Option<(Vec<usize>, Vec<[u32; N]>)> {
    let (mut thin, mut twice) = (Vec::new(), Vec::new());
    let mut seen = HashSet::with_capacity(elements.len());
    let mut numbers = Vec::with_capacity(elements.len());
    let mut kept = Vec::with_capacity(elements.len());
    for (index, element) in elements.iter().enumerate() {
        let mut key = *element;
        key.sort_unstable();
        if !seen.insert(key) {
            twice.push((index, *element));
        } else if flat(element) {
            thin.push((index, *element));
        } else {
            numbers.push(index);
            kept.push(*element);
        }
    }
    if origin == Origin::Scene && kept.len() < elements.len() {
        return None;
    }
    no_extent.sentence(&thin).into_iter().for_each(&mut *tell);
    let noun = no_extent.noun;
    let one = "is a duplicate and is ignored";
    let again = Finding { noun, one, many: "are duplicates and are ignored" };
    again.sentence(&twice).into_iter().for_each(tell);
    Some((numbers, kept))
}

/// How the triangles of a surface hang together.
struct Surface {
    /// Per triangle the other one at each of its edges where there are just two, and whether both
    /// run along the edge the same way: then they face differently.
    neighbors: Vec<[Option<(u32, bool)>; 3]>,
    /// Edges of one triangle, ascending.
    border: Vec<[u32; 2]>,
}

impl Surface {
    fn of(triangles: &[[u32; 3]]) -> Self {
        // Each edge of each triangle: its vertices, the triangle, which of its edges, which way.
        let mut sides = Vec::with_capacity(3 * triangles.len());
        for (index, &[a, b, c]) in (0u32..).zip(triangles) {
            for (side, [i, j]) in (0u8..).zip([[a, b], [b, c], [c, a]]) {
                sides.push(([i.min(j), i.max(j)], index, side, i < j));
            }
        }
        sides.sort_unstable();
        let mut neighbors = vec![[None; 3]; triangles.len()];
        let mut border = Vec::new();
        for edge in sides.chunk_by(|a, b| a.0 == b.0) {
            match *edge {
                [(vertices, ..)] => border.push(vertices),
                [(_, a, of_a, up_a), (_, b, of_b, up_b)] => {
                    neighbors[a as usize][of_a as usize] = Some((b, up_a == up_b));
                    neighbors[b as usize][of_b as usize] = Some((a, up_a == up_b));
                }
                _ => {}
            }
        }
        Self { neighbors, border }
    }
}

/// Turns triangles that face otherwise than most of the connected surface they belong to; gives
/// them as they were.
fn orient(
    triangles: &mut [[u32; 3]],
    surface: &Surface,
    tell: &mut dyn FnMut(String),
) -> Vec<(usize, [u32; 3])> {
    // Whether a triangle faces otherwise than the first of its part of the surface.
    let mut facing: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut one_sided = None;
    let mut rotated = Vec::new();
    for first in 0..triangles.len() {
        if facing[first].is_some() {
            continue;
        }
        facing[first] = Some(false);
        let mut part = vec![first];
        let mut next = 0;
        while let Some(&index) = part.get(next) {
            next += 1;
            for (side, neighbor) in surface.neighbors[index].iter().enumerate() {
                let Some((other, differ)) = *neighbor else { continue };
                let other = other as usize;
                let wanted = facing[index].map(|facing| facing ^ differ);
                if facing[other].is_none() {
                    facing[other] = wanted;
                    part.push(other);
                } else if facing[other] != wanted {
                    one_sided = one_sided.or(Some((index, side)));
                }
            }
        }
        let against = part.iter().filter(|&&index| facing[index] == Some(true)).count();
        let minority = Some(2 * against <= part.len());
        rotated.extend(part.into_iter().filter(|&index| facing[index] == minority));
    }
    if let Some((index, side)) = one_sided {
        let [i, j] = [side, (side + 1) % 3].map(|corner| triangles[index][corner]);
        tell(format!(
            "the surface has one side only, like a Möbius strip: its triangles cannot all face \
             alike across the edge between vertices {i} and {j}"
        ));
    }
    rotated.sort_unstable();
    let mut as_they_were = Vec::with_capacity(rotated.len());
    for index in rotated {
        as_they_were.push((index, triangles[index]));
        triangles[index].swap(1, 2);
    }
    as_they_were
}

/// Tells vertices of the border that lie on the middle of an edge of the border: T-junctions.
fn open_places(positions: &[Vec3], border: &[[u32; 2]], tell: &mut dyn FnMut(String)) {
    let mut vertices: Vec<u32> = border.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let at = |vertex: u32| positions[vertex as usize];
    // Sorted along the axis on which they spread most, only a few vertices are near an edge.
    let spread = |axis: usize| {
        let along = || vertices.iter().map(|&vertex| at(vertex)[axis]);
        along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
    };
    let axis = (0..3).max_by(|&a, &b| spread(a).total_cmp(&spread(b))).unwrap_or(0);
    vertices.sort_by(|&a, &b| at(a)[axis].total_cmp(&at(b)[axis]));

    let mut found: Vec<(u32, [u32; 2])> = Vec::new();
    let mut compared = 0;
    for &[i, j] in border {
        let (a, b) = (at(i), at(j));
        let along = b - a;
        let near = NEAR * along.norm();
        let [low, high] = [a[axis].min(b[axis]) - near, a[axis].max(b[axis]) + near];
        let first = vertices.partition_point(|&vertex| at(vertex)[axis] < low);
        let close = vertices.iter().skip(first).take_while(|&&vertex| at(vertex)[axis] <= high);
        for &vertex in close {
            compared += 1;
            let x = at(vertex);
            let share = (x - a).dot(along) / along.norm2();
            let on_it = share > NEAR && share < 1.0 - NEAR;
            if on_it && vertex != i && vertex != j && (x - (a + along * share)).norm() <= near {
                found.push((vertex, [i, j]));
            }
        }
        if compared > COMPARED {
            break;
        }
    }
    found.sort_unstable();
    let Some((vertex, [i, j])) = found.first() else { return };
    let location = format!("vertex {vertex} on the edge between vertices {i} and {j}");
    tell(match found.len() {
        1 => format!("{location} is not joined to it: the surface is open there"),
        n => format!(
            "{n} vertices lie on edges they are not joined to: the surface is open there; the \
             first is {location}"
        ),
    });
}
