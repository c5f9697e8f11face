//! A sparse matrix and a few dense ones of rank one: `A + Σ c g gᵀ`.
//!
//! A product adds `c (g·x) g`. A solve takes the solves with A and corrects them by the formula of Sherman,
//! Morrison & Woodbury: with `z = A⁻¹ g` the columns of Z, `(A + G C Gᵀ)⁻¹ b = x − Z τ`, `x = A⁻¹ b`,
//! `τ = C^½ u`, `(1 + C^½ Gᵀ Z C^½) u = C^½ Zᵀ b`.

use super::{Matrix, small};
use crate::math::{Mat3, Vec3};
use crate::thread_pool::ThreadPool;

/// One matrix `c g gᵀ`: g is zero but for some particles.
#[derive(Clone, Debug, Default)]
struct Term {
    c: f64,
    /// Ascending.
    particles: Vec<u32>,
    g: Vec<Vec3>,
}

impl Term {
    /// `g·x`.
    fn dot(&self, x: &[Vec3]) -> f64 {
        self.particles.iter().zip(&self.g).map(|(&i, g)| g.dot(x[i as usize])).sum()
    }
}

/// `Σ c g gᵀ`.
#[derive(Clone, Debug, Default)]
pub struct LowRank {
    terms: Vec<Term>,
}

impl LowRank {
    /// None at all.
    pub const NONE: Self = Self { terms: Vec::new() };

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Makes it of `count` terms; what they were stays until it is [set](LowRank::set).
    pub fn resize(&mut self, count: usize) {
        self.terms.resize_with(count, Term::default);
    }

    /// Sets a term: its particles, ascending, and what `write` returns as c ≥ 0 and writes as g.
    pub fn set(&mut self, term: usize, particles: &[u32], write: impl FnOnce(&mut [Vec3]) -> f64) {
        let term = &mut self.terms[term];
        term.particles.clear();
        term.particles.extend_from_slice(particles);
        term.g.resize(particles.len(), Vec3::ZERO);
        term.c = write(&mut term.g);
    }

    /// Multiplies all of it.
    pub fn scale(&mut self, factor: f64) {
        for term in &mut self.terms {
            term.c *= factor;
        }
    }

    /// Sets g to zero on fixed coordinates.
    pub fn fix(&mut self, fixed: &[[bool; 3]]) {
        for term in &mut self.terms {
            for (&i, g) in term.particles.iter().zip(&mut term.g) {
                for axis in (0..3).filter(|&axis| fixed[i as usize][axis]) {
                    g[axis] = 0.0;
                }
            }
        }
    }

    /// `y += Σ c g (g·x)`.
    pub fn add_product(&self, x: &[Vec3], y: &mut [Vec3]) {
        for term in &self.terms {
            let along = term.c * term.dot(x);
            for (&i, &g) in term.particles.iter().zip(&term.g) {
                y[i as usize] += g * along;
            }
        }
    }

    /// The columns `c g_i` of one particle's rows, term by term.
    pub fn rows(&self, particle: u32) -> impl Iterator<Item = Vec3> + '_ {
        self.terms.iter().map(move |term| match term.particles.binary_search(&particle) {
            Ok(index) => term.g[index] * term.c,
            Err(_) => Vec3::ZERO,
        })
    }

    /// `g·x`, term by term.
    pub fn along<'a>(&'a self, x: &'a [Vec3]) -> impl Iterator<Item = f64> + 'a {
        self.terms.iter().map(|term| term.dot(x))
    }
}

/// `A + Σ c g gᵀ`.
#[derive(Clone, Copy)]
pub struct Operator<'a> {
    /// A.
    pub sparse: &'a Matrix<Mat3>,
    /// The rest.
    pub dense: &'a LowRank,
}

impl<'a> From<&'a Matrix<Mat3>> for Operator<'a> {
    fn from(sparse: &'a Matrix<Mat3>) -> Self {
        static NONE: LowRank = LowRank::NONE;
        Self { sparse, dense: &NONE }
    }
}

impl Operator<'_> {
    /// `y = (A + Σ c g gᵀ) x`.
    pub fn multiply(&self, x: &[Vec3], y: &mut [Vec3], pool: &ThreadPool) {
        self.sparse.multiply(x, y, pool);
        self.dense.add_product(x, y);
    }
}

/// What turns solves with A into solves with `A + Σ c g gᵀ`.
#[derive(Default)]
pub struct Woodbury {
    /// z = A⁻¹ g, one after the other.
    z: Vec<Vec<Vec3>>,
    scatter: Vec<Vec3>,
    /// The Cholesky factor of `1 + C^½ Gᵀ Z C^½` by rows, and room for u.
    factor: Vec<f64>,
    u: Vec<f64>,
    /// `g·z` of each term.
    own: Vec<f64>,
}

impl Woodbury {
    /// Takes `z = A⁻¹ g` by `solve(g, z)`.
    pub fn fit(
        &mut self,
        dense: &LowRank,
        size: usize,
        mut solve: impl FnMut(&[Vec3], &mut [Vec3]),
    ) {
        let k = dense.len();
        self.z.resize_with(k, Vec::new);
        self.scatter.resize(size, Vec3::ZERO);
        for (term, z) in dense.terms.iter().zip(&mut self.z) {
            self.scatter.fill(Vec3::ZERO);
            for (&i, &g) in term.particles.iter().zip(&term.g) {
                self.scatter[i as usize] = g;
            }
            z.resize(size, Vec3::ZERO);
            solve(&self.scatter, z);
        }
        self.factor.clear();
        self.factor.resize(k * k, 0.0);
        self.own.clear();
        for (i, term) in dense.terms.iter().enumerate() {
            self.own.push(term.dot(&self.z[i]));
            for j in 0..=i {
                let entry = (term.c * dense.terms[j].c).sqrt() * term.dot(&self.z[j]);
                self.factor[i * k + j] = entry + f64::from(u8::from(i == j));
            }
        }
        small::factor(&mut self.factor, k, f64::EPSILON);
    }

    /// `x = A⁻¹ b` becomes `(A + Σ c g gᵀ)⁻¹ b`. Where the solves with A are rough, so is x; but along
    /// each z it is made to have the `g·x` it should, for there the matrix may be stiffest.
    pub fn correct(&mut self, dense: &LowRank, b: &[Vec3], x: &mut [Vec3], pool: &ThreadPool) {
        let Self { z, factor, u, own, .. } = self;
        u.clear();
        for (term, z) in dense.terms.iter().zip(&*z) {
            u.push(term.c.sqrt() * pool.sum(b.len(), |range| range.map(|i| z[i].dot(b[i])).sum()));
        }
        small::solve(factor, u);
        for ((term, z), u) in dense.terms.iter().zip(&*z).zip(&*u) {
            add(-term.c.sqrt() * u, z, x, pool);
        }
        // C^½ Gᵀ x should be what C^½ was just multiplied by.
        for (((term, z), u), own) in dense.terms.iter().zip(&*z).zip(&*u).zip(&*own) {
            if term.c > 0.0 && *own > 0.0 {
                let off = term.dot(x) - u / term.c.sqrt();
                add(-off / own, z, x, pool);
            }
        }
    }
}

fn add(s: f64, z: &[Vec3], x: &mut [Vec3], pool: &ThreadPool) {
    pool.for_each(x, |first, part| {
        for (x, &z) in part.iter_mut().zip(&z[first..]) {
            *x += z * s;
        }
    });
}
