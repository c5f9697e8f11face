//! The skin of a body: its triangles, with vertices that are split where the surface has a sharp
//! edge at rest. Shading is smooth within a face of a box and not across its edges.

use hooke::Vec3;
use std::collections::HashMap;

/// Faces that meet at rest at less than this angle are shaded as one, as a cosine: of 65°.
const SHARP: f64 = 0.42;

/// The triangles of one body.
pub(crate) struct Skin {
    /// The particle of each vertex.
    pub(crate) particles: Vec<u32>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Skin {
    /// The skin of triangles between particles; sharp edges are looked for where the places of
    /// particles at rest are known.
    pub(crate) fn new(triangles: &[[u32; 3]], rest: Option<&[Vec3]>) -> Self {
        let mut sheets = Sheets((0..3 * triangles.len()).collect());
        let normal = |t: usize| {
            let [a, b, c] = triangles[t].map(|i| rest.map_or(Vec3::ZERO, |rest| rest[i as usize]));
            (b - a).cross(c - a).unit()
        };
        // Corners at one particle join across the edges between their triangles.
        let mut sides: HashMap<[u32; 2], (usize, usize)> = HashMap::new();
        for (t, corners) in triangles.iter().enumerate() {
            for side in 0..3 {
                let (i, j) = (corners[side], corners[(side + 1) % 3]);
                let Some((other, first)) = sides.insert([i.min(j), i.max(j)], (t, side)) else {
                    continue;
                };
                if rest.is_some() && normal(t).dot(normal(other)) < SHARP {
                    continue;
                }
                for own in [side, (side + 1) % 3] {
                    let shared = [first, (first + 1) % 3]
                        .into_iter()
                        .find(|&theirs| triangles[other][theirs] == corners[own]);
                    if let Some(theirs) = shared {
                        sheets.join(3 * t + own, 3 * other + theirs);
                    }
                }
            }
        }
        let mut skin =
            Self { particles: Vec::new(), triangles: Vec::with_capacity(triangles.len()) };
        let mut vertices: HashMap<usize, u32> = HashMap::new();
        for (t, corners) in triangles.iter().enumerate() {
            skin.triangles.push([0, 1, 2].map(|corner| {
                *vertices.entry(sheets.find(3 * t + corner)).or_insert_with(|| {
                    skin.particles.push(corners[corner]);
                    skin.particles.len() as u32 - 1
                })
            }));
        }
        skin
    }
}

/// Which corners of triangles are shaded as one, each by a corner that stands for all.
struct Sheets(Vec<usize>);

impl Sheets {
    fn find(&mut self, corner: usize) -> usize {
        let mut at = corner;
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooke::model::Block;

    #[test]
    fn the_faces_of_a_box_are_shaded_apart() {
        let block = Block { corner: Vec3::ZERO, edges: Vec3::AXES, cells: [2, 2, 2] };
        let (positions, triangles) = block.mesh().expect("a box").skin();
        let skin = Skin::new(&triangles, Some(&positions));
        assert_eq!(skin.particles.len(), 6 * 9, "every face has its own vertices");
        for (own, theirs) in skin.triangles.iter().zip(&triangles) {
            assert_eq!(own.map(|vertex| skin.particles[vertex as usize]), *theirs);
        }
        let unknown = Skin::new(&triangles, None);
        assert_eq!(unknown.particles.len(), positions.len());
    }

    #[test]
    fn flat_and_round_surfaces_stay_whole() {
        let flat = [[0, 1, 2], [2, 1, 3]];
        let rest = [Vec3::ZERO, Vec3::AXES[0], Vec3::AXES[1], Vec3::new(1.0, 1.0, 0.2)];
        assert_eq!(Skin::new(&flat, Some(&rest)).particles.len(), 4);
    }
}
