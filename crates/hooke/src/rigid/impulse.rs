//! The impulse of one impact at one point, by two rules.
//!
//! With v the relative velocity at the point, N the direction in which they part, `v_N = (v·N)N`,
//! `v_T = v − v_N`, and `K = 1₃/m − [r]× 𝕀⁻¹ [r]×` of each body added up, an impulse j changes v by `K j`.
//!
//! **Classic**, as courses teach it (Bridson, Fedkiw & Anderson 2002 for its friction): the velocity after it is
//! prescribed, `v' = −e v_N + max(1 − μ(1+e)|v_N|/|v_T|, 0) v_T`, and `j = K⁻¹(v' − v)`. Off the center it acts
//! along the surface even without friction, and may lose or create energy.
//!
//! **Physical** (Guendelman, Bridson & Fedkiw 2003, *Nonconvex rigid bodies with stacking*): the impulse that
//! sticks, `j = K⁻¹(−e v_N − v)`, where it is within the cone `|j_T| ≤ μ j_n`; otherwise the one that slides,
//! `j = j_n (N − μT)`, `T = v_T/|v_T|`, `j_n = −(1+e)v_n/(NᵀK(N − μT))`. Where friction would carry more than the
//! normal (that denominator is not positive), `j_n = −(1+e)v_n/(NᵀKN)` and the tangent is cut to the cone. Where
//! energy would rise or they would not part, e is lowered until it does not, and μ where that does not help.

use crate::math::{Mat3, Vec3};
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
    pub normal: Vec3,
    /// Restitution e.
    pub restitution: f64,
    /// Friction μ.
    pub friction: f64,
}

/// K (1/kg) of a body at an arm (m) from its center.
#[inline]
pub fn contact_matrix(inverse_mass: f64, inverse_inertia: &Mat3, arm: Vec3) -> Mat3 {
    let cross = Mat3::cross(arm);
    Mat3::diagonal(inverse_mass) - cross * *inverse_inertia * cross
}

/// The impulse (N·s) of a rule on the first body; none where they part already.
pub fn impulse(rule: Rule, v: Vec3, k: &Mat3, manifolds: &Surfaces) -> Vec3 {
    if v.dot(manifolds.normal) >= 0.0 {
        return Vec3::ZERO;
    }
    match rule {
        Rule::Classic => classic(v, k, manifolds),
        Rule::Physical => physical(v, k, manifolds),
    }
}

fn classic(v: Vec3, k: &Mat3, manifolds: &Surfaces) -> Vec3 {
    let Surfaces { normal, restitution, friction } = *manifolds;
    k.inverse() * (crate::contact::bounce(v, normal, restitution, friction) - v)
}

fn physical(v: Vec3, k: &Mat3, manifolds: &Surfaces) -> Vec3 {
    let inverse = k.inverse();
    let Surfaces { restitution, friction, .. } = *manifolds;
    let with = |restitution: f64, friction: f64| {
        let manifolds = Surfaces { restitution, friction, ..*manifolds };
        sticking_or_sliding(v, k, &inverse, &manifolds)
    };
    // The gain of energy: v·j + ½ jᵀK j.
    let gain = |j: Vec3| v.dot(j) + 0.5 * j.dot(*k * j);
    let size = 0.5 * v.dot(inverse * v);
    let fine = |j: &Vec3| {
        let parts = (v + *k * *j).dot(manifolds.normal) >= -1e-12 * v.norm();
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
fn greatest(most: f64, with: impl Fn(f64) -> Option<Vec3>) -> Vec3 {
    let (mut low, mut high) = (0.0, most);
    let mut best = with(0.0).unwrap_or(Vec3::ZERO);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        match with(middle) {
            Some(j) => (low, best) = (middle, j),
            None => high = middle,
        }
    }
    best
}

fn sticking_or_sliding(v: Vec3, k: &Mat3, inverse: &Mat3, manifolds: &Surfaces) -> Vec3 {
    let Surfaces { normal, restitution: e, friction } = *manifolds;
    let v_n = v.dot(normal);
    let v_t = v - normal * v_n;
    let sticking = *inverse * (normal * (-e * v_n) - v);
    let pressed = sticking.dot(normal);
    let drag = (sticking - normal * pressed).norm();
    if pressed >= 0.0 && drag <= friction * pressed {
        return sticking;
    }
    let along = v_t.unit();
    let direction = normal - along * friction;
    let give = normal.dot(*k * direction);
    let alone = normal.dot(*k * normal);
    if give > 1e-9 * alone {
        return direction * (-(1.0 + e) * v_n / give);
    }
    // The tangent that sticks, cut to the cone of the normal alone.
    let pressed = -(1.0 + e) * v_n / alone;
    let tangent = sticking - normal * sticking.dot(normal);
    let size = tangent.norm();
    let most = friction * pressed;
    normal * pressed + if size > most { tangent * (most / size) } else { tangent }
}
