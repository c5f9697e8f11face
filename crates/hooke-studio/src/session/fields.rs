//! Which fields of a scene say how stiff, how damped and how fine it is: those that one slider
//! changes together.

use hooke_scene::format::{Deformable, Document, Family};

/// More fields than these are not changed together.
pub(super) const MOST: usize = 200;

/// A field that a factor multiplies: its path, its value, and whether it divides instead.
pub(super) type Scaled = (String, f64, bool);

/// The springs of a body that have coefficients of their own, by their paths.
fn families<'a>(index: usize, body: &'a Deformable) -> Vec<(String, &'a Family)> {
    let mut all = Vec::new();
    let mut add = |path: String, families: [&'a Option<Family>; 3]| {
        for (name, family) in ["structural", "shear", "bend"].into_iter().zip(families) {
            all.extend(family.as_ref().map(|family| (format!("{path}.{name}"), family)));
        }
    };
    add(format!("deformables[{index}]"), [&body.structural, &body.shear, &body.bend]);
    for (k, material) in body.materials.iter().enumerate() {
        let path = format!("deformables[{index}].materials[{k}]");
        add(path, [&material.structural, &material.shear, &material.bend]);
    }
    for (k, spring) in body.springs.iter().enumerate().take(MOST + 1) {
        all.push((format!("deformables[{index}].springs[{k}]"), &spring.family));
    }
    all
}

/// Everything that says how stiff a scene is.
pub(super) fn stiffness(document: &Document) -> Vec<Scaled> {
    let mut all = Vec::new();
    for (index, body) in document.deformables.iter().enumerate() {
        let mut add = |path: String, value: Option<f64>, inverse: bool| {
            all.extend(value.filter(|value| *value != 0.0).map(|value| (path, value, inverse)));
        };
        for (path, family) in families(index, body) {
            add(format!("{path}.stiffness"), family.stiffness, false);
            add(format!("{path}.tension"), family.tension, false);
            add(format!("{path}.modulus"), family.modulus, false);
            add(format!("{path}.compliance"), family.compliance, true);
        }
        let path = format!("deformables[{index}]");
        if let Some(membrane) = &body.membrane {
            add(format!("{path}.membrane.stiffness"), membrane.stiffness, false);
            add(format!("{path}.membrane.young"), membrane.young, false);
            add(format!("{path}.membrane.shear"), membrane.shear, false);
        }
        if let Some(bending) = &body.bending {
            add(format!("{path}.bending.rigidity"), bending.rigidity, false);
            add(format!("{path}.bending.stiffness"), bending.stiffness, false);
        }
        if let Some(solid) = &body.solid {
            add(format!("{path}.solid.young"), solid.young, false);
        }
    }
    all
}

/// Everything that says how damped a scene is.
pub(super) fn damping(document: &Document) -> Vec<Scaled> {
    let mut all = Vec::new();
    let mut add = |path: String, value: Option<f64>| {
        all.extend(value.filter(|value| *value != 0.0).map(|value| (path, value, false)));
    };
    for (index, body) in document.deformables.iter().enumerate() {
        for (path, family) in families(index, body) {
            add(format!("{path}.damping"), family.damping);
            add(format!("{path}.strain_damping"), family.strain_damping);
        }
        let path = format!("deformables[{index}]");
        add(format!("{path}.drag"), body.drag);
        let membrane = body.membrane.as_ref().and_then(|membrane| membrane.damping);
        add(format!("{path}.membrane.damping"), membrane);
        let bending = body.bending.as_ref().and_then(|bending| bending.damping);
        add(format!("{path}.bending.damping"), bending);
    }
    let global_damping =
        document.world.global_damping.as_ref().and_then(|global_damping| global_damping.rate);
    add("world.global_damping.rate".into(), global_damping);
    all
}

/// How fine bodies are, times a factor; nothing where vertices are named by their numbers.
pub(super) fn resolution(document: &Document, factor: f64) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (index, body) in document.deformables.iter().enumerate() {
        let numbered = body.pins.iter().any(|pin| pin.at.is_some())
            || body.forces.iter().any(|force| force.at.is_some())
            || body.groups.values().any(|group| group.vertices.is_some())
            || !body.springs.is_empty()
            || !body.elements.is_empty()
            || body.start.as_ref().is_some_and(|start| start.positions.is_some());
        if numbered {
            return Vec::new();
        }
        let path = format!("deformables[{index}]");
        let scaled = |cells: u32| ((f64::from(cells) * factor).round() as u32).max(1);
        let mut add = |name: &str, value: String| all.push((format!("{path}.{name}"), value));
        let three = |cells: [u32; 3]| {
            let [x, y, z] = cells.map(scaled);
            format!("[{x}, {y}, {z}]")
        };
        if let Some(grid) = &body.grid {
            // Cells are counted, not the particles between them.
            let points = |count: u32| (scaled(count.saturating_sub(1)) + 1).to_string();
            add("grid.columns", points(grid.columns));
            add("grid.rows", points(grid.rows));
        }
        if let Some(rope) = &body.rope {
            add("rope.links", scaled(rope.links).to_string());
        }
        if let Some(cuboid) = &body.r#box {
            add("box.cells", three(cuboid.cells));
        }
        if let Some(beam) = &body.beam {
            add("beam.cells", three(beam.cells));
        }
        if let Some(ball) = &body.ball {
            add("ball.layers", scaled(ball.layers).to_string());
        }
        if let Some(torus) = &body.torus {
            add("torus.slices", scaled(torus.slices).max(3).to_string());
            add("torus.layers", scaled(torus.layers).to_string());
        }
    }
    all
}
