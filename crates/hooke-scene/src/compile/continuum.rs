//! The elements of a body's material: on its tetrahedra, its triangles and its hinges.

use super::deformable::Parts;
use super::materials::{Part, acts};
use crate::format::of_bending;
use hooke::Vec3;
use hooke::dampers::{DAMPERS, DamperInfo, Role};
use hooke::laws;
use hooke::laws::role::Bending;
use hooke::model::surface::{hinges, parts, rings, volume};
use std::collections::BTreeMap;

/// Hinges whose angle has a cosine above this, of one degree, are flat.
const FLAT: f64 = 0.99985;

impl Parts<'_> {
    /// Adds what the body is made of.
    pub(super) fn continuum(&mut self) {
        if let Some(solid) = self.material.solid.take() {
            let tetrahedra = std::mem::take(&mut self.shape.tetrahedra);
            self.add_to_each(&tetrahedra, &solid);
            self.shape.tetrahedra = tetrahedra;
        }
        let triangles = std::mem::take(&mut self.shape.triangles);
        for membrane in std::mem::take(&mut self.material.membrane) {
            match membrane.condition {
                true => self.conditions(&triangles, &membrane),
                false => self.add_to_each(&triangles, &membrane),
            }
        }
        if let Some(damping) = self.body.membrane.as_ref().and_then(|own| own.damping) {
            self.damp_membrane(&triangles, damping);
        }
        if let Some(bending) = self.material.bending.take() {
            self.bend(&triangles, &bending);
        }
        if let Some(pressure) = self.body.pressure
            && self.enclosed(&triangles, "pressure").is_some()
        {
            self.add_to_each(&triangles, &Part::new("pressure", vec![pressure], "pressure"));
        }
        if let Some(modulus) = self.body.bulk_modulus
            && let Some(parts) = self.enclosed(&triangles, "bulk_modulus")
        {
            let whole: Vec<&[u32]> = parts.iter().map(|part| part.as_flattened()).collect();
            self.add_to_each(&whole, &Part::new("volume", vec![modulus], "bulk_modulus"));
        }
        self.shape.triangles = triangles;
    }

    /// The parts of a surface that hang together, where each is closed and turned outwards; or a message.
    fn enclosed(&mut self, triangles: &[[u32; 3]], field: &str) -> Option<Vec<Vec<[u32; 3]>>> {
        let parts = parts(triangles);
        let inside_out = |part: &Vec<[u32; 3]>| volume(&self.shape.positions, part) <= 0.0;
        let sentence = if let Some([i, j]) = open_edge(triangles) {
            format!(
                "needs a closed surface; the edge between vertices {i} and {j} has one triangle only"
            )
        } else if let Some(part) = parts.iter().find(|part| inside_out(part)) {
            format!(
                "needs a surface that is not inside out; the triangles of the part with vertex {} must run \
                 counter-clockwise seen from outside",
                part[0][0]
            )
        } else {
            return Some(parts);
        };
        self.sink.error_in(self.body.source_offset, field, sentence);
        None
    }

    /// Adds what resists bending: on rings around vertices or on hinges between triangles.
    fn bend(&mut self, triangles: &[[u32; 3]], part: &Part) {
        let hinges = match hinges(triangles) {
            Ok(hinges) => hinges,
            Err(invalid) => {
                return self.sink.error_in(
                    self.body.source_offset,
                    part.field,
                    invalid.to_string(),
                );
            }
        };
        if hinges.is_empty() {
            let sentence = "has no effect on bending: no two triangles share an edge";
            return self.sink.warning_in(self.body.source_offset, part.field, sentence);
        }
        if let Some(damping) = self.body.bending.as_ref().and_then(|own| own.damping) {
            for kind in DAMPERS.iter().filter(|damper| damper.role == Some(Role::Bending)) {
                for hinge in &hinges {
                    let corners = hinge.map(|corner| self.first + corner);
                    if !self.add_damper(kind, &corners, None, damping, part.field) {
                        return;
                    }
                }
            }
        }
        if acts(part.law) != Some(Bending::Rings) {
            return self.add_to_each(&hinges, part);
        }
        if let Some(degrees) = self.most_bent(&hinges) {
            let curved = of_bending().find(|(_, on)| *on == Bending::Hinges { curved: true });
            let sentence = format!(
                "{} rests flat, but the deformable is bent by {degrees:.0}° between two of its triangles and \
                 will unbend; {} keeps its shape",
                part.law,
                curved.map_or("a law for curved shapes", |(law, _)| law.name)
            );
            self.sink.warning_in(self.body.source_offset, part.field, sentence);
        }
        self.add_to_each(&rings(triangles), part);
    }

    /// The greatest angle (degrees) of a hinge at rest, where one is not flat.
    fn most_bent(&self, hinges: &[[u32; 4]]) -> Option<f64> {
        let cosine = |&hinge: &[u32; 4]| {
            let [a, b, c, d] = hinge.map(|corner| self.shape.positions[corner as usize]);
            let [first, second] = [(b - a).cross(c - a).unit(), (a - b).cross(d - b).unit()];
            first.dot(second)
        };
        let least = hinges.iter().map(cosine).fold(1.0, f64::min);
        (least < FLAT).then(|| libm::acos(least.max(-1.0)).to_degrees())
    }

    /// Adds conditions to triangles. Their energy grows with the square of the area: the stiffness
    /// of cloth is divided by it, so that it does not depend on the mesh.
    fn conditions(&mut self, triangles: &[[u32; 3]], part: &Part) {
        let Some(law) = laws::find(part.law) else { return };
        let warp = self.warp();
        for triangle in triangles {
            let x = triangle.map(|corner| self.shape.positions[corner as usize]);
            let rest = along_warp(x, warp);
            let mut values = part.values.clone();
            values[0] /= rest[4];
            let corners = triangle.map(|corner| self.first + corner);
            let added = self.compiled.model.add_element(law, &corners, Some(&rest), &values);
            if let Err(invalid) = added {
                return self.sink.error_in(
                    self.body.source_offset,
                    part.field,
                    invalid.to_string(),
                );
            }
        }
    }

    /// Damps strain along warp and weft, divided by the area for the same reason as stiffness.
    fn damp_membrane(&mut self, triangles: &[[u32; 3]], damping: f64) {
        let part = |kind: &'static DamperInfo| match kind.role {
            Some(Role::Membrane { part }) => Some((kind, part)),
            _ => None,
        };
        let warp = self.warp();
        for triangle in triangles {
            let rest =
                along_warp(triangle.map(|corner| self.shape.positions[corner as usize]), warp);
            let corners = triangle.map(|corner| self.first + corner);
            for (kind, part) in DAMPERS.iter().filter_map(part) {
                let damping = part * damping / rest[4];
                if !self.add_damper(kind, &corners, Some(&rest), damping, "membrane") {
                    return;
                }
            }
        }
    }

    /// Adds a damper; whether the engine would have it.
    fn add_damper(
        &mut self,
        kind: &DamperInfo,
        corners: &[u32],
        rest: Option<&[f64]>,
        damping: f64,
        field: &str,
    ) -> bool {
        let added = self.compiled.model.add_damper(kind, corners, rest, &[damping]);
        let Err(invalid) = added else { return true };
        self.sink.error_in(self.body.source_offset, field, invalid.to_string());
        false
    }

    /// The direction of the warp: that of a grid's rows.
    fn warp(&self) -> Vec3 {
        self.body.grid.as_ref().map_or(Vec3::AXES[0], |grid| grid.across)
    }

    /// Adds an element of a law to each set of corners, until the engine will not have one.
    fn add_to_each<C: AsRef<[u32]>>(&mut self, elements: &[C], part: &Part) {
        let Some(law) = laws::find(part.law) else {
            let sentence = format!("there is no law {:?}", part.law);
            return self.sink.error_in(self.body.source_offset, part.field, sentence);
        };
        for corners in elements {
            let corners: Vec<u32> =
                corners.as_ref().iter().map(|corner| self.first + corner).collect();
            let added = self.compiled.model.add_element(law, &corners, None, &part.values);
            if let Err(invalid) = added {
                return self.sink.error_in(
                    self.body.source_offset,
                    part.field,
                    invalid.to_string(),
                );
            }
        }
    }
}

/// The rest values of a triangle whose first axis is the warp, laid into its plane: the inverse of
/// its edges by rows, and its area.
fn along_warp([a, b, c]: [Vec3; 3], warp: Vec3) -> [f64; 5] {
    let (p, q) = (b - a, c - a);
    let normal = p.cross(q).unit();
    let across = normal.cross(warp.unit());
    // Where the triangle stands across the warp, any axis will do.
    let v = if across.norm() > 0.04 { across.unit() } else { normal.cross(p.unit()) };
    let u = v.cross(normal);
    let [pu, pv, qu, qv] = [p.dot(u), p.dot(v), q.dot(u), q.dot(v)];
    let determinant = pu * qv - pv * qu;
    let area = 0.5 * determinant.abs();
    [qv / determinant, -qu / determinant, -pv / determinant, pu / determinant, area]
}

/// The first edge of one triangle only: there a surface is open.
fn open_edge(triangles: &[[u32; 3]]) -> Option<[u32; 2]> {
    let mut edges: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for [i, j] in [[a, b], [b, c], [c, a]] {
            *edges.entry([i.min(j), i.max(j)]).or_default() += 1;
        }
    }
    edges.into_iter().find(|(_, count)| *count == 1).map(|(edge, _)| edge)
}
