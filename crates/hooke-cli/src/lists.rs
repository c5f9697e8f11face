//! `hooke methods`, `hooke laws`, `hooke scenes`: what there is, from the registries.

use crate::args::Output;
use crate::failure::Failure;
use crate::out::{Out, columns};
use hooke::dampers::DAMPERS;
use hooke::laws::{LAWS, Param};
use hooke::methods::{METHODS, MethodInfo, find};
use hooke_scene::json::Json;
use hooke_scene::words::{hint, hint_method};
use hooke_scene::{Scene, gallery};

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
        return out.result(&Json::list(chosen.into_iter().map(method_json)).to_string());
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
    out.result("\n`hooke methods NAME` tells one with its settings.")
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
        out.result("\nIt takes the first of these that fits:\n")?;
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

fn method_json(method: &MethodInfo) -> Json {
    let settings = (method.settings)().into_iter().map(|setting| {
        Json::object([
            ("name", Json::text(setting.name)),
            ("takes", Json::text(setting.kind.to_string())),
            ("unit", Json::text(setting.unit)),
            ("default", Json::text(setting.default.to_string())),
            ("doc", Json::text(setting.doc)),
        ])
    });
    Json::object([
        ("name", Json::text(method.name)),
        ("aliases", Json::list(method.aliases.iter().map(|alias| Json::text(*alias)))),
        ("doc", Json::text(method.doc)),
        ("order", Json::count(u64::from(method.order))),
        ("cost", Json::text(method.cost)),
        ("stable", Json::text(method.stable)),
        ("contact", Json::text(contact(method))),
        ("good", Json::text(method.good)),
        ("bad", Json::text(method.bad)),
        ("reference", Json::text(method.reference)),
        ("settings", Json::list(settings)),
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
            Json::list(chosen.iter().filter(|entry| entry.damper == damper).map(Entry::json))
        };
        let both = [("laws", of(false)), ("dampers", of(true))];
        return out.result(&Json::object(both).to_string());
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
    out.result("\n`hooke laws NAME` tells one with its ranges and defaults.")
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

    fn json(&self) -> Json {
        let params = self.params.iter().map(|param| {
            Json::object([
                ("name", Json::text(param.name)),
                ("unit", Json::text(param.unit)),
                ("doc", Json::text(param.doc)),
                ("range", Json::list(param.range.map(Json::Short))),
                ("default", Json::Short(param.default)),
            ])
        });
        Json::object([
            ("name", Json::text(self.name)),
            ("equation", Json::text(self.equation)),
            ("doc", Json::text(self.doc)),
            ("corners", Json::count(self.corners as u64)),
            ("more_corners", Json::Flag(self.more)),
            ("material", Json::list(params)),
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
        let method = document.method.info.name;
        rows.push(row([entry.name, method, &about]));
        list.push(Json::object([
            ("name", Json::text(entry.name)),
            ("title", Json::text(&document.title)),
            ("about", Json::text(about)),
            ("method", Json::text(method)),
        ]));
    }
    if output.json {
        return out.result(&Json::List(list).to_string());
    }
    out.result(&columns(&rows))
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}
