//! `hooke materials`: what bodies may be made of, with sources.

use crate::args::Output;
use crate::failure::Failure;
use crate::out::{Out, columns};
use hooke_scene::json::description;
use hooke_scene::materials::{MATERIALS, Material, page};
use hooke_scene::words::{hint, short};
use serde_json::Value;

/// `hooke materials`.
pub(crate) fn materials(
    name: Option<&str>,
    markdown: bool,
    output: &Output,
    out: &mut Out,
) -> Result<(), Failure> {
    if markdown {
        return out.result(&page());
    }
    let chosen: Vec<&Material> =
        MATERIALS.iter().filter(|one| name.is_none_or(|name| name == one.name)).collect();
    if let (Some(name), []) = (name, &chosen[..]) {
        let hint = hint(name, MATERIALS.iter().map(|material| material.name));
        return Err(Failure::Usage(format!("there is no material {name}{hint}")));
    }
    if output.json {
        return out.result(&description(&Value::from_iter(chosen.into_iter().map(json))));
    }
    if let (Some(_), [material]) = (name, &chosen[..]) {
        return one(material, out);
    }
    let head = ["material", "kg/m³", "mm", "kg/m²", "E [Pa]", "ν", "E·t [N/m]", "D [N·m]", ""];
    let mut rows = vec![head.map(String::from).to_vec()];
    for material in chosen {
        let facts = Facts::of(material);
        rows.push(vec![
            material.name.into(),
            short(material.density),
            facts.of_sheet(1e3, material.thickness),
            facts.of_sheet(1.0, facts.area_density),
            young(material),
            short(material.poisson),
            facts.of_sheet(1.0, facts.stiffness),
            facts.of_sheet(1.0, facts.rigidity),
            material.about.into(),
        ]);
    }
    out.result(&columns(&rows))?;
    out.result("\n`hooke materials NAME` shows one material with its source.")
}

/// What follows from the thickness of a material.
struct Facts {
    area_density: Option<f64>,
    stiffness: Option<f64>,
    rigidity: Option<f64>,
}

impl Facts {
    fn of(material: &Material) -> Self {
        Self {
            area_density: material.thickness.map(|t| material.area_density(t)),
            stiffness: material.thickness.map(|t| material.stiffness(t)),
            rigidity: material.thickness.map(|t| material.rigidity(t)),
        }
    }

    /// A value that only sheets have, in some unit.
    fn of_sheet(&self, unit: f64, value: Option<f64>) -> String {
        value.map_or("-".into(), |value| short(unit * value))
    }
}

/// Young's modulus, along warp and weft where those differ.
fn young(material: &Material) -> String {
    match material.young {
        [warp, weft] if warp == weft => short(warp),
        young => young.map(short).join(", "),
    }
}

fn one(material: &Material, out: &mut Out) -> Result<(), Failure> {
    out.result(&format!("{}: {}\n", material.name, material.about))?;
    let facts = Facts::of(material);
    let mut rows = vec![
        ["density", &short(material.density), "kg/m³"].map(str::to_owned).to_vec(),
        ["Young's modulus", &young(material), "Pa"].map(str::to_owned).to_vec(),
        ["Poisson's ratio", &short(material.poisson), ""].map(str::to_owned).to_vec(),
    ];
    let measured = match material.is_cloth() {
        true => "N·m, measured, not that of a plate",
        false => "N·m, of a plate: E t³/(12 (1 − ν²))",
    };
    for (what, value, unit) in [
        ("thickness", material.thickness, "m"),
        ("mass per area", facts.area_density, "kg/m²"),
        ("membrane stiffness", facts.stiffness, "N/m"),
        ("flexural rigidity", facts.rigidity, measured),
    ] {
        if let Some(value) = value {
            rows.push([what, &short(value), unit].map(str::to_owned).to_vec());
        }
    }
    out.result(&columns(&rows))?;
    out.result(&format!("\n{}", material.source))
}

fn json(material: &Material) -> Value {
    let facts = Facts::of(material);
    let number = |value: Option<f64>| value.map_or(Value::Null, Value::from);
    Value::from_iter([
        ("name", Value::from(material.name)),
        ("about", Value::from(material.about)),
        ("cloth", Value::Bool(material.is_cloth())),
        ("density", Value::from(material.density)),
        ("young", Value::from_iter(material.young.map(Value::from))),
        ("poisson", Value::from(material.poisson)),
        ("thickness", number(material.thickness)),
        ("area_density", number(facts.area_density)),
        ("stiffness", number(facts.stiffness)),
        ("rigidity", number(facts.rigidity)),
        ("source", Value::from(material.source)),
    ])
}
