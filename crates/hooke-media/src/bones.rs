//! Chains in pictures: tapered bones, round joints, and the ink of their pens.

use crate::stage::{Set, single};
use hooke::Vec3;
use hooke::math::across;
use hooke_render::{Ball, Color, Mesh, Picture, Tube};
use hooke_scene::ChainParts;
use hooke_scene::recording::Frame;
use std::f64::consts::PI;

const BONE: Color = [0.90, 0.88, 0.82];
const JOINT: Color = [0.25, 0.36, 0.46];
const END: Color = [0.85, 0.42, 0.16];
const INK: Color = [0.11, 0.15, 0.32];

/// Sides of a bone.
const SIDES: u32 = 14;

/// How thick a bone is along its length: part of the way, part of its greatest radius.
const PROFILE: [[f64; 2]; 7] =
    [[0.0, 0.30], [0.06, 0.72], [0.16, 1.0], [0.30, 0.92], [0.60, 0.66], [0.90, 0.46], [1.0, 0.22]];

/// The greatest radius of a bone, in its lengths and in sizes of the picture.
const RADIUS: [f64; 2] = [0.11, 0.017];

/// Draws the bones and joints of a chain.
pub(crate) fn draw(chain: &ChainParts, frame: &Frame, set: &Set, picture: &mut Picture) {
    let x = |particle: u32| frame.positions.get(particle as usize).copied().unwrap_or(Vec3::ZERO);
    let size = f64::from(set.size);
    let most = RADIUS[1] * size;
    let mut radii = vec![0.3 * most; chain.particles.len()];
    for &[a, b] in &chain.bones {
        let (from, to) = (x(a), x(b));
        let radius = (RADIUS[0] * (to - from).norm()).min(most);
        picture.meshes.extend(bone(from, to, radius));
        for particle in [a, b] {
            if let Some(own) = radii.get_mut((particle - chain.particles.start) as usize) {
                *own = own.max(0.62 * radius);
            }
        }
    }
    for (particle, radius) in chain.particles.clone().zip(radii) {
        let end = chain.ends.iter().any(|end| end.particle == particle);
        let color = if end { END } else { JOINT };
        let center = single(x(particle));
        picture.balls.push(Ball { center, radius: radius as f32, color });
    }
}

/// Draws what the pens of a chain have drawn until a frame.
pub(crate) fn ink(chain: &ChainParts, path: &[&Frame], set: &Set, picture: &mut Picture) {
    for end in &chain.ends {
        for pair in path.windows(2) {
            let [from, to] = [pair[0].time, pair[1].time];
            let drawn = end.draws(from, to);
            let positions =
                [pair[0], pair[1]].map(|frame| frame.positions.get(end.particle as usize));
            if let ([Some(&a), Some(&b)], true) = (positions, drawn) {
                let (a, b, radius) = (single(a), single(b), 0.0055 * set.size);
                picture.tubes.push(Tube { a, b, radius, color: INK });
            }
        }
    }
}

/// A bone as a surface; none where it has no length.
fn bone(from: Vec3, to: Vec3, radius: f64) -> Option<Mesh> {
    let along = (to - from).unit();
    if along == Vec3::ZERO || !along.is_finite() {
        return None;
    }
    let u = across(along);
    let v = along.cross(u);
    let mut positions = vec![single(from)];
    for [part, thick] in PROFILE {
        for side in 0..SIDES {
            let (sin, cos) = (2.0 * PI * f64::from(side) / f64::from(SIDES)).sin_cos();
            let out = (u * cos + v * sin) * (radius * thick);
            positions.push(single(from.lerp(to, part) + out));
        }
    }
    positions.push(single(to));
    let last = positions.len() as u32 - 1;
    let rings = PROFILE.len() as u32;
    let at = |ring: u32, side: u32| 1 + ring * SIDES + side % SIDES;
    let mut triangles = Vec::new();
    for side in 0..SIDES {
        triangles.push([0, at(0, side + 1), at(0, side)]);
        triangles.push([last, at(rings - 1, side), at(rings - 1, side + 1)]);
        for ring in 0..rings - 1 {
            let [a, b] = [at(ring, side), at(ring, side + 1)];
            let [c, d] = [at(ring + 1, side), at(ring + 1, side + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    let mut mesh = Mesh::new(positions, triangles);
    (mesh.front, mesh.back) = (BONE, BONE);
    Some(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bones_are_closed_and_face_outwards() {
        let (from, to) = (Vec3::new(0.2, 0.1, 0.0), Vec3::new(0.5, 1.0, -0.4));
        let mesh = bone(from, to, 0.05).expect("a bone");
        let mut edges = std::collections::HashMap::new();
        let mut volume = 0.0;
        for triangle in &mesh.triangles {
            let [a, b, c] =
                triangle.map(|i| Vec3::from(mesh.positions[i as usize].map(f64::from)) - from);
            volume += a.cross(b).dot(c) / 6.0;
            for k in 0..3 {
                *edges.entry([triangle[k], triangle[(k + 1) % 3]]).or_insert(0) += 1;
            }
        }
        assert!(volume > 0.0, "{volume}");
        assert!(edges.iter().all(|([a, b], n)| *n == 1 && edges.contains_key(&[*b, *a])));
        assert!(bone(from, from, 0.05).is_none());
    }
}
