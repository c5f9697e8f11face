//! Stable neo-Hookean tetrahedra: they resist compression, keep their volume, and come back from any
//! inversion.
//!
//! `W = μ/2 (I − 3) + λ/2 (J − α)² − μ/2 ln(I + 1) + const`, `I = |F|²`, `J = det F`, `α = 1 + ¾ μ/λ`
//! (Smith, de Goes & Kim 2018, *Stable neo-Hookean flesh simulation*), with `μ = 4/3 μ_L` and `λ = λ_L + 5/6 μ_L` of
//! Lamé's parameters, so that small strains give linear elasticity. The constant makes W zero at
//! rest. `P = μ (1 − 1/(I+1)) F + λ (J − α) cof F`.
//!
//! W is smooth for every F: flat, reflected or zero.

use super::deformation::{self, Curvature, TetrahedronRest};
use super::lame::{Lame, POISSON, YOUNG};
use super::shared::green::green;
use super::{Blocks, Law, Param, Proxy, Role, Row};
use crate::math::{Mat3, Scalar, Vec3, svd};

/// `W = μ/2 (I − 3) + λ/2 (J − α)² − μ/2 ln(I + 1)`, E in Pa.
pub struct NeoHookean;

/// The constants of W.
struct Constants<T> {
    lambda: T,
    mu: T,
    alpha: T,
}

impl<T: Scalar> Constants<T> {
    fn of([young, poisson]: [T; 2]) -> Self {
        let lame = Lame::solid(young, poisson);
        let mu = T::of(4.0 / 3.0) * lame.mu;
        let lambda = lame.lambda + T::of(5.0 / 6.0) * lame.mu;
        // μ/λ does not depend on E, which may be zero.
        let unit = Lame::solid(T::of(1.0), poisson);
        let ratio = unit.mu / (unit.lambda + T::of(5.0 / 6.0) * unit.mu);
        Self { lambda, mu, alpha: T::of(1.0) + ratio }
    }
}

/// `I = |F|²`.
fn size<T: Scalar>(f: [Vec3<T>; 3]) -> T {
    f[0].norm2() + f[1].norm2() + f[2].norm2()
}

/// The columns of cof F; `∂J/∂F`.
fn cofactor<T: Scalar>([a, b, c]: [Vec3<T>; 3]) -> [Vec3<T>; 3] {
    [b.cross(c), c.cross(a), a.cross(b)]
}

impl Law<4, 10, 2> for NeoHookean {
    const NAME: &'static str = "neo-hookean";
    const EQUATION: &'static str =
        "E = V (μ/2 (I − 3) + λ/2 (J − α)² − μ/2 ln(I + 1) + const), I = |F|², J = det F";
    const DOC: &'static str = "A stable neo-Hookean tetrahedron, which recovers from inversion.";
    const PARAMS: [Param; 2] = [YOUNG, POISSON];
    const PROXY: Proxy = Proxy::Estimate;
    const GRADED_IN_PARTS: bool = true;
    const ROLE: Option<Role> = Some(Role::Solid);
    const INVERTS: bool = true;
    const ROWS: usize = 2;
    const COMPATIBLE: bool = false;

    fn rest(x: [Vec3; 4]) -> Option<TetrahedronRest<f64>> {
        deformation::rest_of_tetrahedron(x)
    }

    fn check(rest: &[f64; 10], _: &[f64; 2]) -> Result<(), &'static str> {
        deformation::check_rest(rest, "the volume must be > 0 and the inverse not zero")
    }

    fn energy<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 10], material: [T; 2]) -> T {
        let Constants { lambda, mu, .. } = Constants::of(material);
        let f = deformation::of_tetrahedron(x, rest);
        let (half, one) = (T::of(0.5), T::of(1.0));
        let g = green(f);
        let trace = g[0][0] + g[1][1] + g[2][2];
        let j = f[0].cross(f[1]).dot(f[2]);
        let (growth, slack) = if j.value() > 0.0 && trace.value().abs() < 0.1 {
            // Near rest W is small beside its terms, so it is written in Green strain, where what
            // cancels is gone: I − 3 = 2 tr G, and J² − 1 = 2 tr G + q with q of second order.
            let minor = |a: usize, b: usize| g[a][a] * g[b][b] - g[a][b] * g[a][b];
            let rows = g.map(|[x, y, z]| Vec3::new(x, y, z));
            let determinant = rows[0].dot(rows[1].cross(rows[2]));
            let minors = minor(0, 1) + minor(1, 2) + minor(2, 0);
            let q = T::of(4.0) * minors + T::of(8.0) * determinant;
            let growth = (trace + trace + q) / (j + one);
            (growth, (trace * growth - q) / (j + one))
        } else {
            (j - one, trace - (j - one))
        };
        let z = half * trace;
        let shape = mu * (T::of(0.75) * slack + half * (z - z.log_one_plus()));
        rest[9] * (shape + half * lambda * growth * growth)
    }

    #[inline]
    fn gradient<T: Scalar>(x: [Vec3<T>; 4], rest: [T; 10], material: [T; 2]) -> [Vec3<T>; 4] {
        let Constants { lambda, mu, alpha } = Constants::of(material);
        let f = deformation::of_tetrahedron(x, rest);
        let cofactor = cofactor(f);
        let one = T::of(1.0);
        let shape = mu * (one - one / (size(f) + one));
        let volume = lambda * (f[0].dot(cofactor[0]) - alpha);
        let p = [0, 1, 2].map(|j| f[j] * shape + cofactor[j] * volume);
        deformation::at_tetrahedron(p, rest)
    }

    fn hessian(x: [Vec3; 4], rest: [f64; 10], material: [f64; 2], keep: f64) -> Blocks<4> {
        let Constants { lambda, mu, alpha } = Constants::of(material);
        let f = svd(&Mat3::of_columns(deformation::of_tetrahedron(x, rest)));
        let [a, b, c] = f.sigma;
        let i = a * a + b * b + c * c;
        let shape = mu * (1.0 - 1.0 / (i + 1.0));
        let log = 2.0 * mu / ((i + 1.0) * (i + 1.0));
        let volume = lambda * (a * b * c - alpha);
        let slope = [b * c, c * a, a * b];
        let mut scalings = Mat3::diagonal(shape);
        for p in 0..3 {
            for q in 0..3 {
                scalings.0[p][q] += log * f.sigma[p] * f.sigma[q] + lambda * slope[p] * slope[q];
                if p != q {
                    scalings.0[p][q] += volume * f.sigma[3 - p - q];
                }
            }
        }
        let curvature = Curvature {
            scalings,
            twists: f.sigma.map(|third| shape + volume * third),
            flips: f.sigma.map(|third| shape - volume * third),
        };
        curvature.hessian(&f, deformation::slopes_of_tetrahedron(rest), rest[9], keep)
    }

    // One row for the volume, one for the shape: together the energy and a constant.
    fn rows(x: [Vec3; 4], rest: [f64; 10], material: [f64; 2], out: &mut impl FnMut(Row<4>)) {
        let Constants { lambda, mu, alpha } = Constants::of(material);
        let f = deformation::of_tetrahedron(x, rest);
        let cofactor = cofactor(f);
        let at = |p| deformation::at_tetrahedron(p, rest).map(|g| g * (1.0 / rest[9]));
        let value = f[0].dot(cofactor[0]) - alpha;
        out(Row { value, gradient: at(cofactor), compliance: 1.0 / (rest[9] * lambda) });
        let i = size(f);
        let value = (i - libm::log1p(i)).sqrt();
        let slope = if value > 0.0 { (1.0 - 1.0 / (i + 1.0)) / value } else { 0.0 };
        let gradient = at(f.map(|column| column * slope));
        out(Row { value, gradient, compliance: 1.0 / (rest[9] * mu) });
    }

    fn proxy(rest: [f64; 10], [young, poisson]: [f64; 2]) -> [[f64; 4]; 4] {
        let stiffness = rest[9] * Lame::solid(young, poisson).stiffest();
        deformation::laplacian(deformation::slopes_of_tetrahedron(rest), stiffness)
    }

    fn inverted(x: [Vec3; 4], rest: [f64; 10]) -> bool {
        deformation::is_inverted(x, rest)
    }

    fn strain(x: [Vec3; 4], rest: [f64; 10]) -> Option<f64> {
        let f = svd(&Mat3::of_columns(deformation::of_tetrahedron(x, rest)));
        deformation::worst_stretch(&f.sigma)
    }
}
