//! Wind on a triangle: drag and lift from the air that meets it.
//!
//! With the relative velocity `u = wind(x, t) − v̄`, current area A and normal n:
//! linear `f = c_n A (u·n) n + c_t A (u − (u·n) n)`,
//! quadratic `f = ½ ρ A |u| (C_n (u·n) n + C_t (u − (u·n) n))`, a third to each corner, both faces.
//! The potential is `D = ½ A (c_n (u·n)² + c_t |u_T|²)`; in the quadratic law `½ρ|u|` stands in the
//! coefficient and is taken at the start of a step by implicit methods.

use super::Damper;
use crate::laws::{Param, Proxy};
use crate::math::{Mat3, Vec3};

/// Force proportional to the relative velocity.
pub struct Wind;

/// Force proportional to its square.
pub struct QuadraticWind;

const THIRD: f64 = 1.0 / 3.0;

fn area(x: [Vec3; 3]) -> Option<[f64; 1]> {
    let doubled = (x[1] - x[0]).cross(x[2] - x[0]).norm();
    (doubled > 0.0).then_some([0.5 * doubled])
}

/// `A (c_n n nᵀ + c_t (1₃ − n nᵀ))`.
fn matrix(x: [Vec3; 3], normal: f64, tangential: f64) -> Mat3 {
    let doubled = (x[1] - x[0]).cross(x[2] - x[0]);
    let area = 0.5 * doubled.norm();
    let n = doubled.unit();
    (n.outer(n) * (normal - tangential) + Mat3::diagonal(tangential)) * area
}

impl Damper<3, 1, 2> for Wind {
    const NAME: &'static str = "wind";
    const EQUATION: &'static str = "D = ½ A (c_n (u·n)² + c_t |u_T|²), u = wind − v̄";
    const DOC: &'static str = "Wind on a triangle, linear in the relative velocity.";
    const PARAMS: [Param; 2] = [
        Param {
            name: "normal",
            unit: "N·s/m³",
            doc: "pressure per velocity across the surface, c_n",
            range: [0.0, 1e9],
            default: 1.0,
        },
        Param {
            name: "tangential",
            unit: "N·s/m³",
            doc: "shear per velocity along the surface, c_t",
            range: [0.0, 1e9],
            default: 0.05,
        },
    ];
    const WEIGHTS: [f64; 3] = [THIRD; 3];
    const BOUND: Proxy = Proxy::Estimate;
    const LAGGED: &'static str = "triangle area and normal in the wind";

    fn rest(x: [Vec3; 3]) -> Option<[f64; 1]> {
        area(x)
    }

    fn freeze(
        x: [Vec3; 3],
        _: [Vec3; 3],
        _: [f64; 1],
        [normal, tangential]: [f64; 2],
        air: Vec3,
    ) -> (Mat3, Vec3) {
        (matrix(x, normal, tangential), air)
    }

    fn bound([area]: [f64; 1], [normal, tangential]: [f64; 2], _: f64) -> f64 {
        area * normal.max(tangential)
    }
}

impl Damper<3, 1, 3> for QuadraticWind {
    const NAME: &'static str = "quadratic-wind";
    const EQUATION: &'static str =
        "D = ¼ ρ A |u| (C_n (u·n)² + C_t |u_T|²), u = wind − v̄, |u| held fixed";
    const DOC: &'static str = "Wind on a triangle, quadratic in the relative velocity.";
    const PARAMS: [Param; 3] = [
        Param {
            name: "density",
            unit: "kg/m³",
            doc: "density of the air, ρ",
            range: [0.0, 1e5],
            default: 1.2,
        },
        Param {
            name: "normal",
            unit: "",
            doc: "coefficient across the surface, C_n",
            range: [0.0, 1e3],
            default: 1.28,
        },
        Param {
            name: "tangential",
            unit: "",
            doc: "coefficient along the surface, C_t",
            range: [0.0, 1e3],
            default: 0.05,
        },
    ];
    const WEIGHTS: [f64; 3] = [THIRD; 3];
    const BOUND: Proxy = Proxy::Estimate;
    const LAGGED: &'static str = "wind speed, triangle area and normal in the wind";

    fn rest(x: [Vec3; 3]) -> Option<[f64; 1]> {
        area(x)
    }

    fn freeze(
        x: [Vec3; 3],
        v: [Vec3; 3],
        _: [f64; 1],
        [density, normal, tangential]: [f64; 3],
        air: Vec3,
    ) -> (Mat3, Vec3) {
        let speed = (air - (v[0] + v[1] + v[2]) * THIRD).norm();
        let pressure = 0.5 * density * speed;
        (matrix(x, pressure * normal, pressure * tangential), air)
    }

    fn bound([area]: [f64; 1], [density, normal, tangential]: [f64; 3], air: f64) -> f64 {
        0.5 * density * air * area * normal.max(tangential)
    }
}
