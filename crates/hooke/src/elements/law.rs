//! What an energy is to a batch: [`Law`] for a fixed number of corners, [`Stencil`] for any number, [`Enclosed`] for
//! closed surfaces. Only energy, rest values and proxy must be stated; gradient and Hessian follow by dual numbers.

use super::role::Role;
use super::{Batch, Elements, EnclosureBatch, StencilBatch};
use crate::math::{Dual, Mat3, Scalar, Vec3, scale_negative_part};
use std::any::TypeId;

/// A named material value.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The field in scenes, sliders and tables.
    pub name: &'static str,
    /// The SI unit, empty where it has none.
    pub unit: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// Allowed values, closed.
    pub range: [f64; 2],
    /// The value when nothing is said.
    pub default: f64,
}

/// What a law's [`Law::proxy`] promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxy {
    /// The proxy is above the Hessian everywhere: a quasi-Newton step always descends.
    Bound,
    /// The proxy is a guess: a quasi-Newton step needs a line search.
    Estimate,
}

/// Where a law's energy is booked in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// In deformed elements.
    Elastic,
    /// In height.
    Gravitational,
    /// In the field of an attractor, an attachment or a fluid.
    Field,
}

/// One constraint of an element: the energy is `½ C²/compliance` summed over its rows, up to a
/// constant.
#[derive(Clone, Copy, Debug)]
pub struct Row<const N: usize> {
    /// The constraint's value C.
    pub value: f64,
    /// ∂C/∂x for each corner.
    pub gradient: [Vec3; N],
    /// The inverse stiffness.
    pub compliance: f64,
}

/// The Hessian of an element, a 3×3 block per pair of corners.
pub type Blocks<const N: usize> = [[Mat3; N]; N];

/// How one kind of element stores energy: N corners, R rest values per element, P material values
/// per group.
pub trait Law<const N: usize, const R: usize, const P: usize>: Send + Sync + 'static {
    /// The name in scenes.
    const NAME: &'static str;
    /// The energy as a formula, in the symbols of the documentation.
    const EQUATION: &'static str;
    /// One sentence on what it is.
    const DOC: &'static str;
    /// The material values.
    const PARAMS: [Param; P];
    /// What [`Law::proxy`] promises.
    const PROXY: Proxy;
    /// Where its energy is booked.
    const STORE: Store = Store::Elastic;
    /// What it is to a body made of a material, where it is that.
    const ROLE: Option<Role> = None;
    /// Whether elements are springs, `E = ½ k (|x_i − x_j| − l)²`: see [`Law::spring`].
    const SPRINGS: bool = false;
    /// Whether elements have stretches that can be limited: see [`Law::limited`].
    const STRETCHES: bool = false;
    /// Whether [`Law::inverted`] has a meaning.
    const INVERTS: bool = false;
    /// Whether [`Law::hessian`] scales the negative parts where that is simple, in the axes of the strain
    /// or term by term, instead of by the eigenvalues of the whole.
    const GRADED_IN_PARTS: bool = false;
    /// How many rows [`Law::rows`] gives, at most [`crate::compute::MOST_ROWS`]; 0 where it has none.
    const ROWS: usize = 0;
    /// Whether all rows of an element can be zero at once, as they are at rest. Where not, its energy
    /// at rest is a balance between them, and a method that takes rows as rigid must let them yield.
    const COMPATIBLE: bool = true;

    /// The rest values of an element whose corners rest at `x`; `None` where it is degenerate, or
    /// where they cannot be told from positions and must be given.
    fn rest(x: [Vec3; N]) -> Option<[f64; R]>;

    /// What is wrong with corners for which [`Law::rest`] gives nothing, as the end of a sentence.
    fn unfit(_x: [Vec3; N]) -> &'static str {
        "is degenerate at rest, or needs its rest values given"
    }

    /// Whether rest and material values given by hand make sense: one sentence where they do not.
    fn check(_rest: &[f64; R], _material: &[f64; P]) -> Result<(), &'static str> {
        Ok(())
    }

    /// The energy (J).
    fn energy<T: Scalar>(x: [Vec3<T>; N], rest: [T; R], material: [T; P]) -> T;

    /// ∂E/∂x (N) for each corner.
    fn gradient<T: Scalar>(x: [Vec3<T>; N], rest: [T; R], material: [T; P]) -> [Vec3<T>; N] {
        let rest = rest.map(Dual::constant);
        let material = material.map(Dual::constant);
        let mut out = x;
        for corner in 0..N {
            for axis in 0..3 {
                let mut at = x.map(|corner| corner.lift(Dual::constant));
                at[corner][axis] = Dual::variable(x[corner][axis]);
                out[corner][axis] = Self::energy(at, rest, material).d;
            }
        }
        out
    }

    /// k (N/m) and l (m) of an element, for a law of [`Law::SPRINGS`]; its gradient and energy are
    /// then computed by one kernel for all springs of the model.
    fn spring(_rest: [f64; R], _material: [f64; P]) -> [f64; 2] {
        [0.0; 2]
    }

    /// ∂²E/∂x² (N/m), its negative part multiplied by `keep` (1: exact, 0: positive semidefinite).
    fn hessian(x: [Vec3; N], rest: [f64; R], material: [f64; P], keep: f64) -> Blocks<N> {
        let rest = rest.map(Dual::constant);
        let material = material.map(Dual::constant);
        let mut blocks = [[Mat3::ZERO; N]; N];
        for b in 0..N {
            for axis in 0..3 {
                let mut at = x.map(|corner| corner.lift(Dual::constant));
                at[b][axis] = Dual::variable(x[b][axis]);
                let column = Self::gradient(at, rest, material);
                for (row, entry) in blocks.iter_mut().zip(column) {
                    for (line, axis_of_row) in row[b].0.iter_mut().zip(0..) {
                        line[axis] = entry[axis_of_row].d;
                    }
                }
            }
        }
        if keep < 1.0 {
            scale_negative_part(&mut blocks, keep);
        }
        blocks
    }

    /// The element as constraints, for methods that project.
    fn rows(_x: [Vec3; N], _rest: [f64; R], _material: [f64; P], _out: &mut impl FnMut(Row<N>)) {}

    /// Whether an element of these values is rigid: it has rows of compliance zero, and energy,
    /// gradient, Hessian and proxy, which would be infinite, are zero. Only methods that say so
    /// ([`Method::accepts_hard_constraints`](crate::methods::Method::accepts_hard_constraints)) run a model with such elements. A law that
    /// can be rigid also states [`Law::geometric`].
    fn rigid(_material: [f64; P]) -> bool {
        false
    }

    /// The geometric stiffness `−Σ λ ∂²C/∂x²` (N/m) of the rows under the multipliers λ, its negative
    /// part multiplied by `keep`. Unless the law says better, that of `λ = −C/compliance`: what the
    /// Hessian has besides `Σ ∂C ∂Cᵀ/compliance`.
    fn geometric(
        x: [Vec3; N],
        rest: [f64; R],
        material: [f64; P],
        _multipliers: &[f64],
        keep: f64,
    ) -> Blocks<N> {
        let mut blocks = Self::hessian(x, rest, material, keep);
        Self::rows(x, rest, material, &mut |row: Row<N>| {
            for (blocks, &a) in blocks.iter_mut().zip(&row.gradient) {
                for (block, &b) in blocks.iter_mut().zip(&row.gradient) {
                    *block += a.outer(b) * (-1.0 / row.compliance);
                }
            }
        });
        blocks
    }

    /// A constant matrix above the Hessian (or near it, see [`Law::PROXY`]), acting on x, y and z
    /// alike: what the quasi-Newton matrix and the stability limits are made of.
    fn proxy(rest: [f64; R], material: [f64; P]) -> [[f64; N]; N];

    /// Whether an element is turned inside out.
    fn inverted(_x: [Vec3; N], _rest: [f64; R]) -> bool {
        false
    }

    /// How far the principal stretches σ of an element (1: at rest) are outside `[least, most]`, and
    /// corners with those brought inside, anywhere in space; for a law of [`Law::STRETCHES`]. `None`
    /// where an element has no stretches.
    fn limited(_x: [Vec3; N], _rest: [f64; R], _range: [f64; 2]) -> Option<(f64, [Vec3; N])> {
        None
    }

    /// The relative stretch of an element, where that has a meaning.
    fn strain(_x: [Vec3; N], _rest: [f64; R]) -> Option<f64> {
        None
    }
}

/// A quadratic energy of as many corners as an element likes, `E = ½ k |Σ w_j x_j|²`: its rest values
/// are the weights, one per corner, which sum to zero.
pub trait Stencil: Send + Sync + 'static {
    /// The name in scenes.
    const NAME: &'static str;
    /// The energy as a formula, in the symbols of the documentation.
    const EQUATION: &'static str;
    /// One sentence on what it is.
    const DOC: &'static str;
    /// The stiffness k.
    const PARAM: Param;
    /// The fewest corners of an element.
    const LEAST: usize;
    /// What it is to a body made of a material, where it is that.
    const ROLE: Option<Role> = None;

    /// The weights of an element whose corners rest at `x`, or the end of a sentence on what is wrong.
    fn weights(x: &[Vec3]) -> Result<Vec<f64>, &'static str>;
}

/// An energy of the volume V that a closed surface encloses. An element is the whole surface: its corners are
/// given as triangles, three by three, counter-clockwise seen from outside; its rest value is the
/// volume at rest.
pub trait Enclosed: Send + Sync + 'static {
    /// The name in scenes.
    const NAME: &'static str;
    /// The energy as a formula, in the symbols of the documentation.
    const EQUATION: &'static str;
    /// One sentence on what it is.
    const DOC: &'static str;
    /// The material value.
    const PARAM: Param;
    /// Where its energy is booked.
    const STORE: Store;

    /// The energy (J) at a volume (m³), convex in it.
    fn energy<T: Scalar>(volume: T, rest: T, material: T) -> T;

    /// The constraint C, ∂C/∂V (1/m³) and the compliance (1/J): the energy is `½ C²/compliance`.
    fn row(volume: f64, rest: f64, material: f64) -> [f64; 3];
}

/// What the registry knows about a law.
#[derive(Clone, Copy, Debug)]
pub struct LawInfo {
    /// The name in scenes.
    pub name: &'static str,
    /// The energy as a formula.
    pub equation: &'static str,
    /// One sentence on what it is.
    pub doc: &'static str,
    /// Corners of an element; the fewest where there may be more.
    pub corners: usize,
    /// Whether an element may have more corners, each with a rest value unless they are a surface.
    pub more_corners: bool,
    /// Whether the corners are triangles of a closed surface, three by three: vertices repeat, and the rest
    /// values are those of the whole.
    pub surface: bool,
    /// Rest values per element; the fewest where each corner has one.
    pub rest_values: usize,
    /// The material values.
    pub params: &'static [Param],
    /// What its proxy promises.
    pub proxy: Proxy,
    /// Where its energy is booked.
    pub store: Store,
    /// What it is to a body made of a material, where it is that.
    pub role: Option<Role>,
    /// Whether its elements are springs between two corners.
    pub springs: bool,
    /// Whether its elements have stretches that can be limited.
    pub stretches: bool,
    /// How many rows an element has for methods that project, 0 where it has none.
    pub rows: usize,
    /// Whether all rows of an element can be zero at once.
    pub compatible: bool,
    /// An empty batch of this law.
    pub batch: fn() -> Box<dyn Elements>,
    /// The law's type: two laws of one name are still two.
    pub(crate) identity: fn() -> TypeId,
}

/// Describes a law; its type is its identity.
pub const fn info<L, const N: usize, const R: usize, const P: usize>() -> LawInfo
where
    L: Law<N, R, P>,
{
    LawInfo {
        name: L::NAME,
        equation: L::EQUATION,
        doc: L::DOC,
        corners: N,
        more_corners: false,
        surface: false,
        rest_values: R,
        params: &L::PARAMS,
        proxy: L::PROXY,
        store: L::STORE,
        role: L::ROLE,
        springs: L::SPRINGS && N == 2,
        stretches: L::STRETCHES,
        rows: L::ROWS,
        compatible: L::COMPATIBLE,
        batch: || Box::new(Batch::<L, N, R, P>::new()),
        identity: TypeId::of::<L>,
    }
}

/// Describes a stencil; its type is its identity.
pub const fn stencil_info<S: Stencil>() -> LawInfo {
    LawInfo {
        name: S::NAME,
        equation: S::EQUATION,
        doc: S::DOC,
        corners: S::LEAST,
        more_corners: true,
        surface: false,
        rest_values: S::LEAST,
        params: const { &[S::PARAM] },
        proxy: Proxy::Bound,
        store: Store::Elastic,
        role: S::ROLE,
        springs: false,
        stretches: false,
        rows: 3,
        compatible: true,
        batch: || Box::new(StencilBatch::<S>::new()),
        identity: TypeId::of::<S>,
    }
}

/// Describes an energy of an enclosed volume; its type is its identity.
pub const fn enclosed_info<L: Enclosed>() -> LawInfo {
    LawInfo {
        name: L::NAME,
        equation: L::EQUATION,
        doc: L::DOC,
        // A tetrahedron has the fewest triangles.
        corners: 12,
        more_corners: true,
        surface: true,
        rest_values: 1,
        params: const { &[L::PARAM] },
        proxy: Proxy::Estimate,
        store: L::STORE,
        role: None,
        springs: false,
        stretches: false,
        rows: 0,
        compatible: true,
        batch: || Box::new(EnclosureBatch::<L>::new()),
        identity: TypeId::of::<L>,
    }
}
