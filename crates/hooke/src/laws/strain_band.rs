//! Tetrahedra that may be strained within a band: the strain constraint of projective dynamics.
//!
//! `W = w/2 |F − B|²`, where B is the matrix nearest to F with all singular values in [σ_min, σ_max]. In
//! singular values `W = w/2 Σ (σ_i − clamp(σ_i))²`, `P = w (F − B)`. Within the band there is no force. With
//! `σ_min = σ_max = 1`, B is the rotation of F, and the law is the co-rotated one without λ. Bouaziz,
//! Martin, Liu, Kavan & Pauly 2014, *Projective dynamics*, §5.
//!
//! A reflected element has a negative σ₂ and is pushed back. Where `σ₁ + σ₂ = 0` B jumps and the
//! energy has a kink; the twist is bounded there.

use super::deformation::{self, Curvature, TetrahedronRest};
use super::{Blocks, Law, Param, Proxy, Row};
use crate::math::{Mat3, Scalar, Svd, Vec3, svd};

/// `W = w/2 Σ (σ_i − clamp(σ_i, min, max))²`, w in Pa.
pub struct StrainBand;

/// The least singular value of the band.
pub(super) const MIN: Param = Param {
    name: "min",
    unit: "",
    doc: "smallest stretch without a force (length over rest length), σ_min",
    range: [0.0, 1.0],
    default: 0.95,
};

/// The largest.
pub(super) const MAX: Param = Param {
    name: "max",
    unit: "",
    doc: "largest stretch without a force, σ_max",
    range: [1.0, 1e3],
    default: 1.05,
};

/// Sums of two singular values below this are a kink.
const KINK: f64 = 1e-6;

/// Squares of singular values nearer than this, relative to the greatest, are equal.
const EQUAL: f64 = 1e-12;

impl Law<4, 10, 3> for StrainBand {
    const NAME: &'static str = "strain-band";
    const EQUATION: &'static str =
        "E = V w/2 Σ (σ_i − clamp(σ_i, σ_min, σ_max))², σ the singular values of F";
    const DOC: &'static str = "A tetrahedron that resists stretch outside a band.";
    const PARAMS: [Param; 3] = [
        Param {
            name: "stiffness",
            unit: "Pa",
            doc: "stress per strain beyond the band, w",
            range: [0.0, 1e15],
            default: 1e5,
        },
        MIN,
        MAX,
    ];
    const PROXY: Proxy = Proxy::Bound;
    const GRADED_IN_PARTS: bool = true;
    const ROWS: usize = 3;
    const INVERTS: bool = true;

    fn rest(x: [Vec3; 4]) -> Option<TetrahedronRest<f64>> {
        deformation::rest_of_tetrahedron(x)
    }

    fn check(rest: &[f64; 10], _: &[f64; 3]) -> Result<(), &'static str> {
        deformation::check_rest(rest, "the volume must be > 0 and the inverse not zero")
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 10], [w, min, max]: [T; 3]) -> T {
        let f = deformation::of_tetrahedron(x, rest);
        rest[9] * w * density(f, Band { min, max, axes: 3 })
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 10], [w, min, max]: [T; 3]) -> [Vec3<T>; 4] {
        let f = deformation::of_tetrahedron(x, rest);
        let away = away(f, Band { min, max, axes: 3 });
        deformation::at_tetrahedron(away.map(|column| column * w), rest)
    }

    fn hessian(x: [Vec3; 4], rest: [f64; 10], [w, min, max]: [f64; 3], keep: f64) -> Blocks<4> {
        let f = svd(&Mat3::of_columns(deformation::of_tetrahedron(x, rest)));
        let curvature = curvature(f.sigma, Band { min, max, axes: 3 });
        curvature.hessian(&f, deformation::slopes_of_tetrahedron(rest), w * rest[9], keep)
    }

    fn rows(x: [Vec3; 4], rest: [f64; 10], [w, min, max]: [f64; 3], out: &mut impl FnMut(Row<4>)) {
        let f = svd(&Mat3::of_columns(deformation::of_tetrahedron(x, rest)));
        for (value, p) in stretches(&f, Band { min, max, axes: 3 }) {
            let gradient = deformation::at_tetrahedron(p, rest).map(|g| g * (1.0 / rest[9]));
            out(Row { value, gradient, compliance: 1.0 / (w * rest[9]) });
        }
    }

    fn proxy(rest: [f64; 10], [w, ..]: [f64; 3]) -> [[f64; 4]; 4] {
        deformation::laplacian(deformation::slopes_of_tetrahedron(rest), w * rest[9])
    }

    fn inverted(x: [Vec3; 4], rest: [f64; 10]) -> bool {
        deformation::is_inverted(x, rest)
    }

    fn strain(x: [Vec3; 4], rest: [f64; 10]) -> Option<f64> {
        let f = svd(&Mat3::of_columns(deformation::of_tetrahedron(x, rest)));
        deformation::worst_stretch(&f.sigma)
    }
}

/// The stretches without a force, and how many singular values there are: a triangle has two.
#[derive(Clone, Copy)]
pub(super) struct Band<T> {
    pub(super) min: T,
    pub(super) max: T,
    pub(super) axes: usize,
}

impl<T: Scalar> Band<T> {
    /// The end of the band beyond which singular value `i` is.
    fn passed(self, i: usize, sigma: f64) -> Option<T> {
        match sigma {
            _ if i >= self.axes => None,
            sigma if sigma < self.min.value() => Some(self.min),
            sigma if sigma > self.max.value() => Some(self.max),
            _ => None,
        }
    }

    /// How far singular value `i` is beyond the band.
    fn beyond(self, i: usize, sigma: T) -> T {
        self.passed(i, sigma.value()).map_or(T::of(0.0), |end| sigma - end)
    }
}

/// F in the axes of its singular values: `F = U A Vᵀ`, A diagonal but for derivatives.
fn in_axes<T: Scalar>(f: [Vec3<T>; 3]) -> (Svd, [[T; 3]; 3]) {
    let plain = f.map(|column| column.lift(|entry| entry.value()));
    let found = svd(&Mat3::of_columns(plain));
    let [u, v] = [found.u, found.v].map(|axes| axes.columns().map(|axis| axis.lift(T::of)));
    let rotated = v.map(|v| f[0] * v.x + f[1] * v.y + f[2] * v.z);
    (found, u.map(|u| rotated.map(|column| u.dot(column))))
}

/// `½ Σ (σ_i − clamp(σ_i))²` of the columns of F.
pub(super) fn density<T: Scalar>(f: [Vec3<T>; 3], band: Band<T>) -> T {
    let (found, a) = in_axes(f);
    let mut sum = T::of(0.0);
    for i in 0..band.axes {
        // To second order in what is not on the diagonal, which is all that second derivatives see.
        let mut sigma = a[i][i];
        for j in (0..3).filter(|&j| j != i) {
            let [s, t] = [found.sigma[i], found.sigma[j]];
            let gap = s * s - t * t;
            if gap.abs() > EQUAL * found.sigma[0] * found.sigma[0] {
                let (e, o) = (a[i][j], a[j][i]);
                let bend = (e * e + o * o) * T::of(0.5 * s) + e * o * T::of(t);
                sigma = sigma + bend * T::of(1.0 / gap);
            }
        }
        let beyond = band.beyond(i, sigma);
        sum = sum + beyond * beyond;
    }
    sum * T::of(0.5)
}

/// The columns of `F − B`, which is P for `w = 1`.
pub(super) fn away<T: Scalar>(f: [Vec3<T>; 3], band: Band<T>) -> [Vec3<T>; 3] {
    let (found, a) = in_axes(f);
    let plain = Band { min: band.min.value(), max: band.max.value(), axes: band.axes };
    let curvature = curvature(found.sigma, plain);
    let mut p = a;
    for i in 0..3 {
        p[i][i] = band.beyond(i, a[i][i]);
        for j in (0..3).filter(|&j| j != i) {
            let third = 3 - i - j;
            let [twist, flip] = [curvature.twists[third], curvature.flips[third]];
            p[i][j] =
                (a[i][j] + a[j][i]) * T::of(0.5 * flip) + (a[i][j] - a[j][i]) * T::of(0.5 * twist);
        }
    }
    let u = found.u.columns().map(|axis| axis.lift(T::of));
    let rotated = [0, 1, 2].map(|j| u[0] * p[0][j] + u[1] * p[1][j] + u[2] * p[2][j]);
    found.v.0.map(|row| {
        let [x, y, z] = row.map(T::of);
        rotated[0] * x + rotated[1] * y + rotated[2] * z
    })
}

/// ∂²W/∂F² for `w = 1`: never above one.
pub(super) fn curvature(sigma: [f64; 3], band: Band<f64>) -> Curvature {
    let passed = [0, 1, 2].map(|i| band.passed(i, sigma[i]));
    let slope = [0, 1, 2].map(|i| band.beyond(i, sigma[i]));
    let mut scalings = Mat3::ZERO;
    for i in 0..3 {
        scalings.0[i][i] = if passed[i].is_some() { 1.0 } else { 0.0 };
    }
    let pair = |third: usize| [(third + 1) % 3, (third + 2) % 3];
    let twist = |third: usize| {
        let [i, j] = pair(third);
        (slope[i] + slope[j]) / (sigma[i] + sigma[j]).max(KINK)
    };
    let flip = |third: usize| {
        let [i, j] = pair(third);
        match (passed[i], passed[j]) {
            // Out of the plane of a triangle both are one.
            _ if i.max(j) >= band.axes => twist(third),
            (Some(a), Some(b)) if a == b => 1.0,
            (None, None) => 0.0,
            _ => {
                let ratio = (slope[i] - slope[j]) / (sigma[i] - sigma[j]);
                if ratio > 0.0 { ratio.min(1.0) } else { 0.0 }
            }
        }
    };
    Curvature { scalings, twists: [0, 1, 2].map(twist), flips: [0, 1, 2].map(flip) }
}

/// For each singular value how far it is beyond the band, and the columns of its derivative by F.
pub(super) fn stretches(
    f: &Svd,
    band: Band<f64>,
) -> impl Iterator<Item = (f64, [Vec3; 3])> + use<> {
    let (u, v, sigma) = (f.u.columns(), f.v.columns(), f.sigma);
    (0..band.axes)
        .map(move |i| (band.beyond(i, sigma[i]), v[i].to_array().map(|along| u[i] * along)))
}
