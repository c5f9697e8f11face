//! Bending by the mean curvature at a vertex: stiffness that is a material constant.
//!
//! `E = ½ D |Σ_j c_j (x_j − x_i)|²/A`: the cotangent Laplacian of the rest shape at the vertex i, squared, over its
//! share of the area. Summed over all vertices inside a surface it is `½ D xᵀ Lᵀ M⁻¹ L x`, the integral of
//! the squared mean curvature, so D is the flexural rigidity of a plate, `D = E t³/(12(1−ν²))`, whatever the
//! mesh and whichever way it folds. `c_j = ½(cot α_j + cot β_j)` at the two corners opposite the
//! edge to x_j; A is a third of the triangles at i. The Hessian is constant.
//!
//! An element is a vertex and the ring of its neighbors, in their order around it. Vertices on the
//! boundary have no closed ring and no element. Wardetzky et al. 2007, *Discrete quadratic curvature
//! energies*.

use super::role::Bending;
use super::{Param, Role, Stencil};
use crate::math::Vec3;

/// `E = ½ D |L_i x|²/A_i`, D in N·m.
pub struct VertexBending;

impl Stencil for VertexBending {
    const NAME: &'static str = "vertex-bending";
    const EQUATION: &'static str = "E = ½ D |Σ_j c_j (x_j − x_i)|²/A, c_j = ½(cot α_j + cot β_j)";
    const DOC: &'static str =
        "Bending by the mean curvature at a vertex with its ring of neighbors.";
    const PARAM: Param = Param {
        name: "rigidity",
        unit: "N·m",
        doc: "flexural rigidity, D = E t³/(12(1−ν²))",
        range: [0.0, 1e15],
        default: 1e-4,
    };
    const ROLE: Option<Role> = Some(Role::Bending(Bending::Rings));
    const LEAST: usize = 4;

    fn weights(x: &[Vec3]) -> Result<Vec<f64>, &'static str> {
        let [center, ring @ ..] = x else { return Err("has no ring") };
        let center = *center;
        let mut weights = vec![0.0; x.len()];
        let mut area = 0.0;
        for (k, &a) in ring.iter().enumerate() {
            let next = (k + 1) % ring.len();
            let b = ring[next];
            let twice = (a - center).cross(b - center).norm();
            let longest = (a - center).norm2().max((b - center).norm2()).max((b - a).norm2());
            if twice <= 1e-12 * longest || !twice.is_finite() {
                return Err("has a triangle without area");
            }
            area += twice / 6.0;
            // The corner at a lies opposite the edge to b, and the other way round.
            weights[1 + next] += 0.5 * (center - a).dot(b - a) / twice;
            weights[1 + k] += 0.5 * (center - b).dot(a - b) / twice;
        }
        let scale = 1.0 / area.sqrt();
        for weight in &mut weights[1..] {
            *weight *= scale;
        }
        weights[0] = -weights[1..].iter().sum::<f64>();
        Ok(weights)
    }
}
