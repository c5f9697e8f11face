//! `hooke methods`, `hooke laws`, `hooke scenes`: what there is, from the registries.

use crate::args::Output;
use crate::failure::Failure;
use crate::out::{Out, columns};
use hooke::dampers::DAMPERS;
use hooke::laws::{LAWS, Param};
use hooke::methods::{METHODS, MethodInfo, find};
use hooke_scene::json::description;
use hooke_scene::words::{hint, hint_method};
use hooke_scene::{Scene, gallery};
use serde_json::Value;

/// `hooke methods`.
pub(crate) fn methods(name: Option<&str>, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let chosen: Vec<&MethodInfo> = match name {
        None => METHODS.iter().collect(),
        Some(name) => match find(name) {
            Some(method) => vec![method],
            None => {
                let hint = hint_method(name);
                return Err(Failure::Usage(format!("there is no method {name}{hint}")));
            }
        },
    };
    if output.json {
        return out.result(&description(&Value::from_iter(chosen.into_iter().map(method_json))));
    }
    if let (Some(_), [method]) = (name, &chosen[..]) {
        return one_method(method, out);
    }
    let mut rows = vec![row(["method", "order", "cost of a step", "stable", "also called"])];
    for method in chosen {
        rows.push(row([
            method.name,
            &method.order.to_string(),
            method.cost,
            method.stable,
            &method.aliases.join(", "),
        ]));
    }
    out.result(&columns(&rows))?;
    out.result("\n`hooke methods NAME` shows one method with its settings.")
}

fn one_method(method: &MethodInfo, out: &mut Out) -> Result<(), Failure> {
    out.result(&format!("{}: {}\n", method.name, method.doc))?;
    let facts = [
        row(["also called", &method.aliases.join(", ")]),
        row(["order", &method.order.to_string()]),
        row(["cost of a step", method.cost]),
        row(["stable", method.stable]),
        row(["contact", contact(method)]),
        row(["good at", method.good]),
        row(["bad at", method.bad]),
        row(["reference", method.reference]),
    ];
    out.result(&columns(&facts))?;
    if method.name == "auto" {
        out.result("\nThe first of these that fits is used:\n")?;
        for sentence in hooke::methods::Auto::choices() {
            out.result(&format!("- {sentence}"))?;
        }
    }
    let settings = (method.settings)();
    if settings.is_empty() {
        return out.result("\nIt has no settings.");
    }
    let mut rows = vec![row(["setting", "default", "takes", ""])];
    for setting in settings {
        let (default, kind) = (setting.default.to_string(), setting.kind.to_string());
        rows.push(row([setting.name, &default, &kind, setting.doc]));
    }
    out.result(&format!("\n{}", columns(&rows)))
}

/// How a method holds contact with obstacles.
fn contact(method: &MethodInfo) -> &'static str {
    if method.contact_in_solve() { "in the solve" } else { "by projection" }
}

fn method_json(method: &MethodInfo) -> Value {
    let settings = (method.settings)().into_iter().map(|setting| {
        Value::from_iter([
            ("name", Value::from(setting.name)),
            ("takes", Value::from(setting.kind.to_string())),
            ("unit", Value::from(setting.unit)),
            ("default", Value::from(setting.default.to_string())),
            ("doc", Value::from(setting.doc)),
        ])
    });
    Value::from_iter([
        ("name", Value::from(method.name)),
        ("aliases", Value::from_iter(method.aliases.iter().map(|alias| Value::from(*alias)))),
        ("doc", Value::from(method.doc)),
        ("order", Value::from(u64::from(method.order))),
        ("cost", Value::from(method.cost)),
        ("stable", Value::from(method.stable)),
        ("contact", Value::from(contact(method))),
        ("good", Value::from(method.good)),
        ("bad", Value::from(method.bad)),
        ("reference", Value::from(method.reference)),
        ("settings", Value::from_iter(settings)),
    ])
}

/// A law or a damper, as it is told.
struct Entry {
    damper: bool,
    name: &'static str,
    equation: &'static str,
    doc: &'static str,
    corners: usize,
    /// Whether an element may have more corners, and whether they are triangles.
    more: bool,
    triangles: bool,
    params: &'static [Param],
}

/// Every law, then every damper.
fn entries() -> impl Iterator<Item = Entry> {
    let laws = LAWS.iter().map(|law| Entry {
        damper: false,
        name: law.name,
        equation: law.equation,
        doc: law.doc,
        corners: law.corners,
        more: law.more_corners,
        triangles: law.surface,
        params: law.params,
    });
    laws.chain(DAMPERS.iter().map(|damper| Entry {
        damper: true,
        name: damper.name,
        equation: damper.equation,
        doc: damper.doc,
        corners: damper.corners,
        more: false,
        triangles: false,
        params: damper.params,
    }))
}

/// `hooke laws`.
pub(crate) fn laws(name: Option<&str>, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let chosen: Vec<Entry> =
        entries().filter(|entry| name.is_none_or(|name| name == entry.name)).collect();
    if let (Some(name), []) = (name, &chosen[..]) {
        let hint = hint(name, entries().map(|entry| entry.name));
        return Err(Failure::Usage(format!("there is no law or damper {name}{hint}")));
    }
    if output.json {
        let of = |damper| {
            Value::from_iter(chosen.iter().filter(|entry| entry.damper == damper).map(Entry::json))
        };
        let both = [("laws", of(false)), ("dampers", of(true))];
        return out.result(&description(&Value::from_iter(both)));
    }
    if let (Some(_), [entry]) = (name, &chosen[..]) {
        return entry.tell(out);
    }
    let mut rows = vec![row(["law", "energy", "material", ""])];
    for (index, entry) in chosen.iter().enumerate() {
        if index == LAWS.len() {
            rows.push(Vec::new());
            rows.push(row(["damper", "potential", "material", ""]));
        }
        let named = |param: &Param| unit(param.name, param.unit);
        let material = entry.params.iter().map(named).collect::<Vec<_>>().join(", ");
        rows.push(row([entry.name, entry.equation, &material, entry.doc]));
    }
    out.result(&columns(&rows))?;
    out.result("\n`hooke laws NAME` shows one law or damper with its ranges and defaults.")
}

impl Entry {
    fn tell(&self, out: &mut Out) -> Result<(), Failure> {
        out.result(&format!("{}: {}\n", self.name, self.doc))?;
        let what = if self.damper { "potential" } else { "energy" };
        let more = match (self.more, self.triangles) {
            (_, true) => " or more, as triangles of a closed surface",
            (true, false) => " or more",
            (false, false) => "",
        };
        let corners = format!("{}{more}", self.corners);
        out.result(&columns(&[row([what, self.equation]), row(["corners", &corners])]))?;
        let mut rows = vec![row(["material", "default", "takes", ""])];
        for param in self.params {
            let [low, high] = param.range;
            let takes = format!("from {low:e} to {high:e}");
            let default = param.default.to_string();
            rows.push(row([&unit(param.name, param.unit), &default, &takes, param.doc]));
        }
        out.result(&format!("\n{}", columns(&rows)))
    }

    fn json(&self) -> Value {
        let params = self.params.iter().map(|param| {
            Value::from_iter([
                ("name", Value::from(param.name)),
                ("unit", Value::from(param.unit)),
                ("doc", Value::from(param.doc)),
                ("range", Value::from_iter(param.range.map(Value::from))),
                ("default", Value::from(param.default)),
            ])
        });
        Value::from_iter([
            ("name", Value::from(self.name)),
            ("equation", Value::from(self.equation)),
            ("doc", Value::from(self.doc)),
            ("corners", Value::from(self.corners as u64)),
            ("more_corners", Value::Bool(self.more)),
            ("material", Value::from_iter(params)),
        ])
    }
}

/// A name with its unit, where it has one.
fn unit(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
}

/// `hooke scenes`.
pub(crate) fn scenes(output: &Output, out: &mut Out) -> Result<(), Failure> {
    let mut rows = vec![row(["scene", "method", ""])];
    let mut list = Vec::new();
    for entry in gallery() {
        let scene = Scene::parse(entry.text, entry.name)?;
        let document = scene.document();
        let about = document.about.clone().unwrap_or_default();
        let method = document.method_name();
        rows.push(row([entry.name, method.unwrap_or("-"), &about]));
        list.push(Value::from_iter([
            ("name", Value::from(entry.name)),
            ("title", Value::from(document.title.as_str())),
            ("about", Value::from(about)),
            ("method", method.map_or(Value::Null, Value::from)),
        ]));
    }
    if output.json {
        return out.result(&description(&Value::Array(list)));
    }
    out.result(&columns(&rows))
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}
