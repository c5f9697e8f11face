//! What of a scene can be changed while it runs. Every change is a change of the scene's text, which
//! therefore always says what runs; names, units and meanings come from the format's declarations.

use super::Refusal;
use super::fields::{MOST, damping, resolution, stiffness};
use crate::message::{Amount, What};
use hooke::{Substeps, Vec3};
use hooke_scene::Scene;
use hooke_scene::field::{Kind, TableInfo};
use hooke_scene::format::{Course, describe};
use serde_json::{Value, json};

/// What was changed about a scene since it was opened.
#[derive(Clone)]
pub(super) struct Controls {
    /// The scene as it was opened.
    original: Scene,
    h: Option<f64>,
    substeps: Option<Substeps>,
    gravity: Option<[f64; 3]>,
    wind: Option<[f64; 3]>,
    /// Factors on what the scene says.
    stiffness: f64,
    damping: f64,
    resolution: f64,
}

impl Controls {
    pub(super) fn of(scene: &Scene) -> Self {
        Self {
            original: scene.clone(),
            h: None,
            substeps: None,
            gravity: None,
            wind: None,
            stiffness: 1.0,
            damping: 1.0,
            resolution: 1.0,
        }
    }

    /// With one of them changed: the scene that says so.
    pub(super) fn with(&self, what: What, amount: &Amount) -> Result<(Self, Scene), Refusal> {
        let mut own = self.clone();
        let factor = || match amount {
            Amount::Number(factor) if (1e-6..=1e6).contains(factor) => Ok(*factor),
            _ => Err(Refusal::from("the factor must be a number from 0.000001 to 1000000")),
        };
        match (what, amount) {
            (What::H, Amount::Number(h)) => own.h = Some(*h),
            (What::Substeps, Amount::Text(text)) if text == "auto" => {
                own.substeps = Some(Substeps::Auto);
            }
            (What::Substeps, Amount::Number(n)) if n.fract() == 0.0 && (1.0..=1e5).contains(n) => {
                own.substeps = Some(Substeps::Fixed(*n as u32));
            }
            (What::Gravity, Amount::Vector(vector)) => own.gravity = Some(*vector),
            (What::Wind, Amount::Vector(vector)) => own.wind = Some(*vector),
            (What::Stiffness, _) => own.stiffness = factor()?,
            (What::Damping, _) => own.damping = factor()?,
            (What::Resolution, _) => own.resolution = factor()?,
            _ => return Err("invalid value".into()),
        }
        let changes = own.changes();
        let mut scene = own.original.clone();
        scene.set_all(changes.iter().map(|(path, value)| (path.as_str(), value.as_str())))?;
        Ok((own, scene))
    }

    /// About how many particles a scene has in which `shown` are now, where bodies get finer.
    pub(super) fn expected(&self, shown: usize) -> usize {
        (shown as f64 * self.resolution.powi(3).max(1.0)) as usize
    }

    /// The fields that are not as they were opened, and what they are.
    fn changes(&self) -> Vec<(String, String)> {
        let document = self.original.document();
        let mut changes = Vec::new();
        let mut change = |path: &str, value: String| changes.push((path.to_owned(), value));
        if let Some(h) = self.h {
            // A recorded frame is a whole number of steps, about 30 a second.
            let steps = (1.0 / (30.0 * h)).round().max(1.0);
            change("time.step", number(h));
            change("time.fps", number(1.0 / (h * steps)));
        }
        match self.substeps {
            Some(Substeps::Auto) => change("time.substeps", "\"auto\"".into()),
            Some(Substeps::Fixed(n)) => change("time.substeps", n.to_string()),
            None => {}
        }
        if let Some(gravity) = self.gravity {
            change("world.gravity", vector(gravity));
        }
        if let Some(wind) = self.wind {
            change("world.wind.velocity", vector(wind));
        }
        for (factor, fields) in
            [(self.stiffness, stiffness(document)), (self.damping, damping(document))]
        {
            if factor != 1.0 {
                let scaled = |(path, value, inverse): (String, f64, bool)| {
                    (path, number(if inverse { value / factor } else { value * factor }))
                };
                changes.extend(fields.into_iter().map(scaled));
            }
        }
        if self.resolution != 1.0 {
            changes.extend(resolution(document, self.resolution));
        }
        changes
    }

    /// What there is to change, for the page.
    pub(super) fn outgoing(&self, scene: &Scene) -> Value {
        let (original, document) = (self.original.document(), scene.document());
        let h = scene.step_length();
        let given = self.original.step_length();
        let mut list = vec![
            outgoing(
                What::H,
                "step",
                "time.step",
                json!({
                    "kind": "number", "min": given / 100.0, "max": given * 10.0, "value": h, "log": true,
                }),
            ),
            outgoing(
                What::Substeps,
                "sub-steps",
                "time.substeps",
                json!({
                    "kind": "integer", "min": 1, "max": 1000, "auto": true,
                    "value": match document.time.substeps {
                        Substeps::Auto => json!("auto"),
                        Substeps::Fixed(n) => json!(n),
                    },
                }),
            ),
            outgoing(
                What::Gravity,
                "gravity",
                "world.gravity",
                json!({
                    "kind": "vector", "min": -20, "max": 20,
                    "value": document.world.gravity.to_array(),
                }),
            ),
        ];
        if original.deformables.iter().any(|body| body.wind.is_some()) {
            let wind =
                document.world.wind.as_ref().map_or(Vec3::ZERO, |wind| match &wind.velocity {
                    Course::Still(velocity) => *velocity,
                    Course::Along(keys) => keys.points.first().copied().unwrap_or(Vec3::ZERO),
                });
            list.push(outgoing(What::Wind, "wind", "world.wind", json!({
                "kind": "vector", "min": -15, "max": 15, "unit": "m/s", "value": wind.to_array(),
            })));
        }
        let mut factor = |what: What, label: &str, doc: &str, value: f64, range: [f64; 2]| {
            list.push(json!({
                "what": name(what), "label": label, "doc": doc, "unit": "×", "kind": "number",
                "min": range[0], "max": range[1], "value": value, "log": true,
            }));
        };
        let some = |count: usize| (1..=MOST).contains(&count);
        if some(stiffness(original).len()) {
            let doc = "Stiffness of all elements, relative to the opened scene.";
            factor(What::Stiffness, "stiffness", doc, self.stiffness, [0.01, 100.0]);
        }
        if some(damping(original).len()) {
            let doc = "Damping of all dampers, relative to the opened scene.";
            factor(What::Damping, "damping", doc, self.damping, [0.01, 100.0]);
        }
        if some(resolution(original, 2.0).len()) {
            let doc = "Resolution of deformables, relative to the opened scene.";
            factor(What::Resolution, "resolution", doc, self.resolution, [0.25, 4.0]);
        }
        Value::Array(list)
    }
}

/// A control over a field of the format, with the field's own meaning and unit.
fn outgoing(what: What, label: &str, path: &str, mut facts: Value) -> Value {
    let (doc, unit) = declared(path).unwrap_or_default();
    facts["what"] = json!(name(what));
    facts["label"] = json!(label);
    facts["doc"] = json!(doc);
    if facts["unit"].is_null() {
        facts["unit"] = json!(unit);
    }
    facts
}

/// What the format says of a field.
fn declared(path: &str) -> Option<(String, &'static str)> {
    let mut table: TableInfo = describe();
    let mut steps = path.split('.').peekable();
    while let Some(step) = steps.next() {
        let field = table.fields.into_iter().find(|field| field.name == step)?;
        if steps.peek().is_none() {
            return Some((field.doc, field.unit));
        }
        let Kind::Table(info) = field.kind else { return None };
        table = info();
    }
    None
}

fn name(what: What) -> &'static str {
    match what {
        What::H => "h",
        What::Substeps => "substeps",
        What::Gravity => "gravity",
        What::Wind => "wind",
        What::Stiffness => "stiffness",
        What::Damping => "damping",
        What::Resolution => "resolution",
    }
}

/// A number as TOML writes it.
fn number(value: f64) -> String {
    format!("{value:?}")
}

fn vector([x, y, z]: [f64; 3]) -> String {
    format!("[{x:?}, {y:?}, {z:?}]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooke_scene::gallery;

    #[test]
    fn every_control_of_every_scene_changes_it() {
        let mut tried = 0;
        for entry in gallery() {
            let scene = Scene::gallery(entry.name).expect("a scene");
            let controls = Controls::of(&scene);
            let Value::Array(list) = controls.outgoing(&scene) else { panic!("a list") };
            for control in list {
                let what: What = serde_json::from_value(control["what"].clone()).expect("known");
                assert!(control["doc"].as_str().is_some_and(|doc| !doc.is_empty()), "{control}");
                let amount = match control["kind"].as_str() {
                    Some("vector") => Amount::Vector([1.0, -2.0, 0.5]),
                    Some("integer") => Amount::Number(3.0),
                    _ => Amount::Number(control["value"].as_f64().expect("a number") * 0.5),
                };
                let changed = controls.with(what, &amount);
                let Ok((_, changed)) = changed else { panic!("{}: {control}", entry.name) };
                assert_ne!(changed.text(), scene.text(), "{}: {control}", entry.name);
                tried += 1;
            }
        }
        assert!(tried > 100, "{tried}");
    }

    #[test]
    fn a_factor_is_of_what_was_opened() {
        let scene = Scene::gallery("hanging-cloth").expect("a scene");
        let controls = Controls::of(&scene);
        let stiffness = |scene: &Scene| {
            scene.document().deformables[0].structural.as_ref().and_then(|family| family.stiffness)
        };
        let Ok((controls, twice)) = controls.with(What::Stiffness, &Amount::Number(2.0)) else {
            panic!("refused")
        };
        let Ok((_, thrice)) = controls.with(What::Stiffness, &Amount::Number(3.0)) else {
            panic!("refused")
        };
        assert_eq!([&scene, &twice, &thrice].map(stiffness), [1000.0, 2000.0, 3000.0].map(Some));
    }
}
