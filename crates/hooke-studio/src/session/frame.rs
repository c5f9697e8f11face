//! A frame as it goes over the socket: a head of 16 bytes, then single-precision numbers.

use hooke::model;
use hooke::{State, Vec3};
use std::sync::Arc;

/// The page computes normals by itself up to so many particles.
const MANY: usize = 20_000;

const NORMALS: u32 = 1;
const STRAIN: u32 = 2;

/// What of a scene a frame needs besides the state.
pub(super) struct Surface {
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) edges: Vec<[u32; 2]>,
    /// The rest length of each edge (m), where it is known.
    pub(super) lengths: Vec<Option<f64>>,
    /// The surface of every rigid body: its vertices come after all particles.
    pub(super) rigid: Vec<Arc<model::Surface>>,
}

/// Encodes the state of a run.
pub(super) fn encode(run: usize, state: &State, surface: &Surface) -> Vec<u8> {
    let particles = state.positions.len();
    let mut x = state.positions.clone();
    for (surface, moving) in surface.rigid.iter().zip(&state.rigid_bodies) {
        x.extend(surface.placed(&moving.pose));
    }
    let x = &x;
    let normals = x.len() > MANY && !surface.triangles.is_empty();
    let strain = surface.lengths.iter().any(Option::is_some);
    let flags = if normals { NORMALS } else { 0 } | if strain { STRAIN } else { 0 };
    let mut out = Vec::with_capacity(16 + x.len() * 28);
    out.extend((run as u32).to_le_bytes());
    out.extend((state.step as u32).to_le_bytes());
    out.extend(single(state.time).to_le_bytes());
    out.extend(flags.to_le_bytes());
    points(x, &mut out);
    if normals {
        points(&vertex_normals(x, &surface.triangles), &mut out);
    }
    if strain {
        for value in strains(&x[..particles], surface) {
            out.extend(value.to_le_bytes());
        }
        out.extend(std::iter::repeat_n(0, 4 * (x.len() - particles)));
    }
    out
}

fn points(list: &[Vec3], out: &mut Vec<u8>) {
    for value in list.iter().flat_map(|point| point.to_array()) {
        out.extend(single(value).to_le_bytes());
    }
}

/// A finite number of single precision.
fn single(value: f64) -> f32 {
    (value as f32).clamp(f32::MIN, f32::MAX)
}

/// The mean normal of the triangles at each particle, by area.
fn vertex_normals(x: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; x.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| x[i as usize]);
        let normal = (b - a).cross(c - a);
        for &corner in triangle {
            normals[corner as usize] += normal;
        }
    }
    normals.into_iter().map(Vec3::unit).collect()
}

/// The mean strain of the edges at each particle.
fn strains(x: &[Vec3], surface: &Surface) -> Vec<f32> {
    let mut sums = vec![(0.0_f64, 0_u32); x.len()];
    for (&[i, j], length) in surface.edges.iter().zip(&surface.lengths) {
        let Some(length) = length else { continue };
        let strain = (x[i as usize] - x[j as usize]).norm() / length - 1.0;
        for corner in [i, j] {
            let (sum, count) = &mut sums[corner as usize];
            *sum += strain;
            *count += 1;
        }
    }
    sums.into_iter().map(|(sum, count)| single(sum / f64::from(count.max(1)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_holds_what_its_head_says() {
        let positions = vec![Vec3::ZERO, Vec3::new(1.5, 0.0, -2.0), Vec3::new(1e300, 0.0, 0.0)];
        let velocities = vec![Vec3::ZERO; 3];
        let state = State { step: 7, time: 0.5, positions, velocities, ..State::default() };
        let surface = Surface {
            triangles: vec![],
            edges: vec![[0, 1]],
            lengths: vec![Some(1.25)],
            rigid: vec![],
        };
        let bytes = encode(2, &state, &surface);
        assert_eq!(bytes.len(), 16 + 3 * 12 + 3 * 4);
        let (words, _) = bytes.as_chunks::<4>();
        assert_eq!([words[0], words[1]].map(u32::from_le_bytes), [2, 7]);
        assert_eq!(u32::from_le_bytes(words[3]), STRAIN);
        let numbers: Vec<f32> = words[4..].iter().map(|word| f32::from_le_bytes(*word)).collect();
        assert_eq!(numbers[3..6], [1.5, 0.0, -2.0]);
        assert!(numbers.iter().all(|number| number.is_finite()), "{numbers:?}");
        assert_eq!(numbers[9..], [1.0, 1.0, 0.0]);
    }
}
