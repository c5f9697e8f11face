//! What a method sees of the elements of one law: one virtual call per pass over them, none inside a loop.
//!
//! [`Elements`] joins small traits by subject. What most laws do not have, such as strain or constraints, has
//! a default that does nothing.

use super::gather::GatherOf;
use super::law::LawInfo;
use super::{ConstraintRows, ElementColoring, Incidence, Inertia, Sweep, VertexTerms};
use crate::error::ModelError;
use crate::linalg::Matrix;
use crate::math::{Mat3, Vec3};
use crate::thread_pool::ThreadPool;

/// Where energies are evaluated.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// Positions of the particles (m).
    pub x: &'a [Vec3],
    /// Positions of the anchors (m).
    pub anchors: &'a [Vec3],
}

/// One element as data, for probes and files.
#[derive(Clone, Debug)]
pub struct ElementView {
    /// The particles.
    pub corners: Vec<u32>,
    /// The rest values.
    pub rest: Vec<f64>,
    /// The material values.
    pub material: Vec<f64>,
    /// Which material group.
    pub group: usize,
}

/// A constraint of an element: value, gradient per corner, compliance.
pub type RowView = (f64, Vec<Vec3>, f64);

/// The elements of one law.
pub trait Elements:
    ElementStore + ElementEnergy + ElementSprings + VertexEnergy + ElementStrain + ElementConstraints
{
}

impl<T> Elements for T where
    T: ElementStore
        + ElementEnergy
        + ElementSprings
        + VertexEnergy
        + ElementStrain
        + ElementConstraints
{
}

/// Which elements there are, and of what material.
pub trait ElementStore: Send + Sync {
    /// Their law.
    fn law(&self) -> LawInfo;
    /// How many.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The particles of an element.
    fn corners(&self, element: usize) -> &[u32];
    /// An element as data.
    fn view(&self, element: usize) -> ElementView;
    /// Adds an element; its index, or what is wrong with it.
    fn push(
        &mut self,
        corners: &[u32],
        rest: Option<&[f64]>,
        material: &[f64],
        anchor: Option<u32>,
        positions: &[Vec3],
    ) -> Result<usize, ModelError>;
    /// Removes the elements that refer to an anchor.
    fn remove_anchored(&mut self, _anchor: u32) {}
    /// The material values of each group.
    fn materials(&self) -> Vec<Vec<f64>>;
    /// Changes the material values of a group.
    fn set_material(&mut self, group: usize, values: &[f64]) -> Result<(), ModelError>;
}

/// Energies and their derivatives.
pub trait ElementEnergy: ElementStore {
    /// Σ E (J).
    fn energy(&self, at: At<'_>, pool: &ThreadPool) -> f64;
    /// `out += ∂E/∂x` (N).
    fn gradient(&self, at: At<'_>, gather: &mut GatherOf, out: &mut [Vec3], pool: &ThreadPool);
    /// Adds ∂²E/∂x² (N/m) into the slots found by [`ElementEnergy::slots`], with this share of what is
    /// negative.
    fn hessian(&self, at: At<'_>, keep: f64, slots: &[u32], matrix: &mut Matrix<Mat3>);
    /// How many sets of particles [`ElementEnergy::hessian`] couples.
    fn couplings(&self) -> usize {
        self.len()
    }
    /// A set of particles that [`ElementEnergy::hessian`] couples.
    fn coupled(&self, index: usize) -> &[u32] {
        self.corners(index)
    }
    /// The slots of the blocks of every coupled set, row by row.
    fn slots(&self, matrix: &Matrix<Mat3>, out: &mut Vec<u32>) {
        for index in 0..self.couplings() {
            let corners = self.coupled(index);
            for &i in corners {
                out.extend(corners.iter().map(|&j| matrix.pattern().slot(i, j)));
            }
        }
    }
    /// How many parts `c g gᵀ` of ∂²E/∂x² are not in [`ElementEnergy::hessian`], for they are dense: one for
    /// each of the first elements.
    fn rank_ones(&self) -> usize {
        0
    }
    /// Writes g for the corners of an element and returns c ≥ 0; `c g gᵀ` in N/m.
    fn rank_one(&self, _element: usize, _at: At<'_>, _out: &mut [Vec3], _pool: &ThreadPool) -> f64 {
        0.0
    }
    /// Calls `each(corners, proxy)` with the proxy by rows. None where ∂²E/∂x² has no constant part.
    fn proxies(&self, _each: &mut dyn FnMut(&[u32], &[f64])) {}
}

/// Elements as springs.
pub trait ElementSprings {
    /// Calls `each([i, j], [k, l])` for elements that are springs.
    fn springs(&self, _each: &mut dyn FnMut([u32; 2], [f64; 2])) {}
}

/// Energies seen from one vertex. Laws that couple whole surfaces have none.
pub trait VertexEnergy {
    /// Adds energy, gradient and block of the elements at each vertex, for the slots from `first` on.
    fn vertices(
        &self,
        _at: At<'_>,
        _incidence: &Incidence,
        _first: usize,
        _out: &mut [VertexTerms],
        _pool: &ThreadPool,
    ) {
    }
    /// Adds to each vertex that is `moving` the energy of its elements alone.
    fn vertex_energies(
        &self,
        _at: At<'_>,
        _incidence: &Incidence,
        _first: usize,
        _moving: &[bool],
        _out: &mut [VertexTerms],
        _pool: &ThreadPool,
    ) {
    }
}

/// How far elements are deformed, and limits of that.
pub trait ElementStrain {
    /// The greatest |strain| and its element.
    fn worst_strain(&self, _at: At<'_>) -> Option<(f64, usize)> {
        None
    }
    /// How many elements are turned inside out.
    fn inverted(&self, _at: At<'_>) -> usize {
        0
    }
    /// How far (in σ) the element stretched or compressed most is outside `[least, most]`.
    fn excess(&self, _x: &[Vec3], _range: [f64; 2]) -> f64 {
        0.0
    }
    /// Projects the elements outside `[least, most]`, one after the other. Returns how far outside the worst
    /// of them was when it was visited.
    fn limit(
        &self,
        _x: &mut [Vec3],
        _inertia: Inertia<'_>,
        _range: [f64; 2],
        _backwards: bool,
    ) -> f64 {
        0.0
    }
}

/// Elements as constraints: rows `C(x) = 0` with a compliance.
pub trait ElementConstraints: ElementEnergy {
    /// The first rigid element, which has rows but no energy.
    fn rigid(&self) -> Option<usize> {
        None
    }
    /// The constraints of an element.
    fn rows(&self, element: usize, at: At<'_>) -> Vec<RowView>;
    /// Appends the constraints of all elements, the same number for each.
    fn constraints(&self, _at: At<'_>, _rows: &mut ConstraintRows) {}
    /// Adds the geometric stiffness `−Σ λ ∂²C/∂x²` (N/m) of all constraints into the slots found by
    /// [`ElementEnergy::slots`]; for a law without constraints, ∂²E/∂x².
    fn geometric(
        &self,
        at: At<'_>,
        _multipliers: &[f64],
        keep: f64,
        slots: &[u32],
        matrix: &mut Matrix<Mat3>,
    ) {
        self.hessian(at, keep, slots, matrix);
    }
    /// Projects the rows of all elements in the order of `colors`, with a multiplier per element and row. An
    /// element's rows are solved at once. Returns the sum over corners of `|Σ ∇C Δλ|²`.
    fn project(
        &self,
        _colors: &ElementColoring,
        _sweep: &Sweep<'_>,
        _lambda: &mut [f64],
        _slot: usize,
        _pool: &ThreadPool,
    ) -> f64 {
        0.0
    }
    /// Calls `each(corner, Σ ∇C λ)` for the corners of an element, given its multipliers.
    fn pull(
        &self,
        _element: usize,
        _at: At<'_>,
        _lambda: &[f64],
        _each: &mut dyn FnMut(u32, Vec3),
    ) {
    }
}
