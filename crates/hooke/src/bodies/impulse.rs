//! The impulse of one impact at one point, by two rules.
//!
//! With v the relative velocity at the point, N the direction in which they part, `v_N = (v·N)N`,
//! `v_T = v − v_N`, and `K = 1₃/m − [r]× 𝕀⁻¹ [r]×` of each body added up, an impulse j changes v by `K j`.
//!
//! **Classic**, as courses teach it (Bridson, Fedkiw & Anderson 2002 for its friction): the velocity after it is
//! prescribed, `v' = −e v_N + max(1 − μ(1+e)|v_N|/|v_T|, 0) v_T`, and `j = K⁻¹(v' − v)`. Off the centre it acts
//! along the surface even without friction, and may lose or create energy.
//!
//! **Physical** (Guendelman, Bridson & Fedkiw 2003, *Nonconvex rigid bodies with stacking*): the impulse that
//! sticks, `j = K⁻¹(−e v_N − v)`, where it is within the cone `|j_T| ≤ μ j_n`; otherwise the one that slides,
//! `j = j_n (N − μT)`, `T = v_T/|v_T|`, `j_n = −(1+e)v_n/(NᵀK(N − μT))`. Where friction would carry more than the
//! normal (that denominator is not positive), `j_n = −(1+e)v_n/(NᵀKN)` and the tangent is cut to the cone. Where
//! energy would rise or they would not part, e is lowered until it does not, and μ where that does not help.

use crate::math::{Mat3, Point};
use crate::settings::choice;

choice! {
    /// The rule of an impact.
    pub enum Rule {
        /// Sticking or sliding, never with a gain of energy.
        Physical = "physical",
        /// The whole velocity at the point is prescribed.
        Classic = "classic",
    }
}

/// Two surfaces that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surfaces {
    /// N, of unit length: the direction in which the first leaves the second.
    pub normal: Point,
    /// Restitution e.
    pub restitution: f64,
    /// Friction μ.
    pub friction: f64,
}

/// K (1/kg) of a body at an arm (m) from its centre.
#[inline]
pub fn contact_matrix(inverse_mass: f64, inverse_inertia: &Mat3, arm: Point) -> Mat3 {
    let cross = Mat3::cross(arm);
    Mat3::diagonal(inverse_mass) - cross * *inverse_inertia * cross
}

/// The impulse (N·s) of a rule on the first body; none where they part already.
pub fn impulse(rule: Rule, v: Point, k: &Mat3, surfaces: &Surfaces) -> Point {
    if v.dot(surfaces.normal) >= 0.0 {
        return Point::ZERO;
    }
    match rule {
        Rule::Classic => classic(v, k, surfaces),
        Rule::Physical => physical(v, k, surfaces),
    }
}

fn classic(v: Point, k: &Mat3, surfaces: &Surfaces) -> Point {
    let Surfaces { normal, restitution, friction } = *surfaces;
    k.inverse() * (crate::contact::bounce(v, normal, restitution, friction) - v)
}

fn physical(v: Point, k: &Mat3, surfaces: &Surfaces) -> Point {
    let inverse = k.inverse();
    let Surfaces { restitution, friction, .. } = *surfaces;
    let with = |restitution: f64, friction: f64| {
        let surfaces = Surfaces { restitution, friction, ..*surfaces };
        sticking_or_sliding(v, k, &inverse, &surfaces)
    };
    // The gain of energy: v·j + ½ jᵀK j.
    let gain = |j: Point| v.dot(j) + 0.5 * j.dot(*k * j);
    let size = 0.5 * v.dot(inverse * v);
    let fine = |j: &Point| {
        let parts = (v + *k * *j).dot(surfaces.normal) >= -1e-12 * v.norm();
        parts && gain(*j) <= 1e-15 * size
    };
    let whole = with(restitution, friction);
    if fine(&whole) {
        return whole;
    }
    // Without friction they part and gain nothing, so one of the two searches ends well.
    match fine(&with(0.0, friction)) {
        true => greatest(restitution, |e| Some(with(e, friction)).filter(fine)),
        false => greatest(friction, |mu| Some(with(restitution, mu)).filter(fine)),
    }
}

/// The impulse at the greatest number up to `most` that has one, about.
fn greatest(most: f64, with: impl Fn(f64) -> Option<Point>) -> Point {
    let (mut low, mut high) = (0.0, most);
    let mut best = with(0.0).unwrap_or(Point::ZERO);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        match with(middle) {
            Some(j) => (low, best) = (middle, j),
            None => high = middle,
        }
    }
    best
}

fn sticking_or_sliding(v: Point, k: &Mat3, inverse: &Mat3, surfaces: &Surfaces) -> Point {
    let Surfaces { normal, restitution: e, friction } = *surfaces;
    let v_n = v.dot(normal);
    let v_t = v - normal * v_n;
    let sticking = *inverse * (normal * (-e * v_n) - v);
    let pressed = sticking.dot(normal);
    let drag = (sticking - normal * pressed).norm();
    if pressed >= 0.0 && drag <= friction * pressed {
        return sticking;
    }
    let along = v_t.unit();
    let way = normal - along * friction;
    let give = normal.dot(*k * way);
    let alone = normal.dot(*k * normal);
    if give > 1e-9 * alone {
        return way * (-(1.0 + e) * v_n / give);
    }
    // The tangent that sticks, cut to the cone of the normal alone.
    let pressed = -(1.0 + e) * v_n / alone;
    let tangent = sticking - normal * sticking.dot(normal);
    let size = tangent.norm();
    let most = friction * pressed;
    normal * pressed + if size > most { tangent * (most / size) } else { tangent }
}
