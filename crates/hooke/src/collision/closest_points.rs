//! The closest points of two features of surfaces: a point and a triangle, two edges, a point and an edge.
//!
//! With the closest points a and b on the sides A and B, `a − b = Σ wᵢ xᵢ`; the weights w sum to 1 over the vertices
//! of A and to −1 over those of B.
//!
//! Ericson 2005, *Real-Time Collision Detection*, §5.1.

use crate::math::Vec3;

/// Which features a pair consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// Vertex 0 and the triangle of vertices 1, 2, 3.
    PointTriangle,
    /// The edges of vertices 0, 1 and 2, 3.
    EdgeEdge,
    /// Vertex 0 and the edge of vertices 1, 2; vertex 3 is vertex 2 again.
    PointEdge,
}

/// Two features by their vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Features {
    pub(super) kind: Kind,
    pub(super) vertices: [u32; 4],
}

/// The closest points of two features.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Closest {
    /// w.
    pub(super) weights: [f64; 4],
    /// a − b (m).
    pub(super) offset: Vec3,
}

impl Features {
    /// How many of the vertices are of side A; the others are of side B.
    #[inline]
    pub(super) fn split(&self) -> usize {
        if self.kind == Kind::EdgeEdge { 2 } else { 1 }
    }

    /// Whether both sides share a vertex.
    pub(super) fn is_joined(&self) -> bool {
        let (a, b) = self.vertices.split_at(self.split());
        a.iter().any(|vertex| b.contains(vertex))
    }

    /// The vertices at these positions.
    #[inline]
    pub(super) fn corners(&self, x: &[Vec3]) -> [Vec3; 4] {
        self.vertices.map(|vertex| x[vertex as usize])
    }

    /// The closest points, with the vertices at `x`.
    #[inline]
    pub(super) fn closest(&self, x: [Vec3; 4]) -> Closest {
        let weights = match self.kind {
            Kind::PointTriangle => {
                let [u, v, w] = on_triangle(x[0], [x[1], x[2], x[3]]);
                [1.0, -u, -v, -w]
            }
            Kind::EdgeEdge => {
                let [s, t] = on_edges([x[0], x[1]], [x[2], x[3]]);
                [1.0 - s, s, t - 1.0, -t]
            }
            Kind::PointEdge => {
                let t = on_edge(x[0], [x[1], x[2]]);
                [1.0, t - 1.0, -t, 0.0]
            }
        };
        Closest { weights, offset: weighted(weights, x) }
    }

    /// The gap (m) along `n` between the sides with the vertices at `x`: above 0, a plane across n separates them.
    #[inline]
    pub(super) fn gap(&self, n: Vec3, x: [Vec3; 4]) -> f64 {
        let [p, q, r, s] = x.map(|x| n.dot(x));
        match self.kind {
            Kind::EdgeEdge => p.min(q) - r.max(s),
            Kind::PointTriangle | Kind::PointEdge => p - q.max(r).max(s),
        }
    }
}

/// `Σ wᵢ xᵢ`, of differences to the last vertex: exact under a common translation.
#[inline]
pub(super) fn weighted(weights: [f64; 4], x: [Vec3; 4]) -> Vec3 {
    (x[0] - x[3]) * weights[0] + (x[1] - x[3]) * weights[1] + (x[2] - x[3]) * weights[2]
}

/// The barycentric coordinates of the point of a triangle that is closest to p.
#[inline]
fn on_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        let v = d1 / (d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        let w = d2 / (d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    let (to_c, from_c) = (d4 - d3, d5 - d6);
    if va <= 0.0 && to_c >= 0.0 && from_c >= 0.0 && to_c + from_c > 0.0 {
        let w = to_c / (to_c + from_c);
        return [0.0, 1.0 - w, w];
    }
    let sum = va + vb + vc;
    if sum > 0.0 {
        let (v, w) = (vb / sum, vc / sum);
        return [1.0 - v - w, v, w];
    }
    // A triangle without area: the closest of its edges.
    let edges = [[a, b], [b, c], [c, a]];
    let distance = |k: usize| {
        let [from, to] = edges[k];
        (from.lerp(to, on_edge(p, edges[k])) - p).norm2()
    };
    let best = (1..3).fold(0, |best, k| if distance(k) < distance(best) { k } else { best });
    let t = on_edge(p, edges[best]);
    let mut weights = [0.0; 3];
    weights[best] = 1.0 - t;
    weights[(best + 1) % 3] = t;
    weights
}

/// The share of the second end in the point of an edge that is closest to p.
#[inline]
fn on_edge(p: Vec3, [a, b]: [Vec3; 2]) -> f64 {
    let along = b - a;
    let square = along.norm2();
    if square > 0.0 { (along.dot(p - a) / square).clamp(0.0, 1.0) } else { 0.0 }
}

/// Below this, `|e₁ × e₂|²` relative to `|e₁|²|e₂|²` is that of parallel edges.
const PARALLEL: f64 = 1e-12;

/// The shares of the second ends in the closest points of two edges.
#[inline]
fn on_edges([p, q]: [Vec3; 2], [r, s]: [Vec3; 2]) -> [f64; 2] {
    let (d1, d2, from) = (q - p, s - r, p - r);
    let (a, e) = (d1.norm2(), d2.norm2());
    if a == 0.0 {
        return [0.0, on_edge(p, [r, s])];
    }
    if e == 0.0 {
        return [on_edge(r, [p, q]), 0.0];
    }
    let (b, c, f) = (d1.dot(d2), d1.dot(from), d2.dot(from));
    let cross = a * e - b * b;
    let s = if cross > PARALLEL * a * e { ((b * f - c * e) / cross).clamp(0.0, 1.0) } else { 0.0 };
    let t = (b * s + f) / e;
    if t < 0.0 {
        [(-c / a).clamp(0.0, 1.0), 0.0]
    } else if t > 1.0 {
        [((b - c) / a).clamp(0.0, 1.0), 1.0]
    } else {
        [s, t]
    }
}

#[cfg(test)]
mod tests {
    use super::{Features, Kind};
    use crate::collision::random::Random;
    use crate::math::Vec3;

    pub(crate) const KINDS: [Kind; 3] = [Kind::PointTriangle, Kind::EdgeEdge, Kind::PointEdge];

    fn random(kind: Kind, random: &mut Random) -> (Features, [Vec3; 4]) {
        let mut x = [0; 4].map(|_| random.vector());
        if kind == Kind::PointEdge {
            x[3] = x[2];
        } else if random.unit() < 0.3 {
            // Nearly parallel edges, nearly flat tetrahedra.
            x[3] = x[2] + (x[1] - x[0]) * random.unit() + random.vector() * 1e-7;
        }
        (Features { kind, vertices: [0, 1, 2, 3] }, x)
    }

    /// Points of both sides by parameters from 0 to 1.
    fn points(kind: Kind, x: [Vec3; 4], [s, t]: [f64; 2]) -> [Vec3; 2] {
        match kind {
            Kind::PointTriangle => {
                let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
                [x[0], x[1] + (x[2] - x[1]) * s + (x[3] - x[1]) * t]
            }
            Kind::EdgeEdge => [x[0].lerp(x[1], s), x[2].lerp(x[3], t)],
            Kind::PointEdge => [x[0], x[1].lerp(x[2], t)],
        }
    }

    #[test]
    fn no_points_are_closer() {
        let mut source = Random::new(1);
        for kind in KINDS {
            for _ in 0..2000 {
                let (features, x) = random(kind, &mut source);
                let closest = features.closest(x);
                let [a, b] = [0..features.split(), features.split()..4]
                    .map(|side| closest.weights[side].iter().sum::<f64>());
                assert!((a - 1.0).abs() < 1e-12 && (b + 1.0).abs() < 1e-12);
                for _ in 0..50 {
                    let [a, b] = points(kind, x, [source.unit(), source.unit()]);
                    assert!((a - b).norm() >= closest.offset.norm() - 1e-6, "{features:?} {x:?}");
                }
            }
        }
    }

    #[test]
    fn the_gap_along_the_offset_is_the_distance() {
        let mut source = Random::new(2);
        for kind in KINDS {
            for _ in 0..20_000 {
                let (features, x) = random(kind, &mut source);
                let offset = features.closest(x).offset;
                let distance = offset.norm();
                if distance > 1e-4 {
                    let gap = features.gap(offset.unit(), x);
                    assert!(
                        gap > 0.999 * distance && gap < 1.001 * distance,
                        "{gap} {distance} {x:?}"
                    );
                }
            }
        }
    }
}
