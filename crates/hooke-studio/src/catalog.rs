//! What there is, straight from the registries: the page has no list of its own.

use crate::message::formats;
use crate::routes::{Shared, outgoing};
use axum::extract::State;
use axum::response::Response;
use hooke::methods::{METHODS, MethodInfo};
use hooke::settings::{Kind, SettingInfo, Value as Given};
use hooke_scene::export::Format;
use hooke_scene::materials::{MATERIALS, Material};
use hooke_scene::{Entry, Scene, gallery};
use serde_json::{Value, json};

pub(crate) async fn answer(State(studio): Shared) -> Response {
    outgoing(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "scenes": gallery().iter().filter_map(scene).collect::<Vec<_>>(),
        "methods": METHODS.iter().map(method).collect::<Vec<_>>(),
        "materials": MATERIALS.iter().map(material).collect::<Vec<_>>(),
        "formats": formats().map(format).collect::<Vec<_>>(),
        "session": { "scene": studio.library.first() },
        "schema": hooke_scene::schema(),
    }))
}

fn scene(entry: &Entry) -> Option<Value> {
    let scene = Scene::gallery(entry.name)?;
    let document = scene.document();
    Some(json!({
        "name": entry.name,
        "group": entry.group,
        "title": document.title,
        "doc": document.about.as_deref().unwrap_or_default(),
        "method": document.method_name(),
        "h": scene.step_length(),
    }))
}

fn method(info: &MethodInfo) -> Value {
    json!({
        "name": info.name,
        "aliases": info.aliases,
        "doc": info.doc,
        "order": info.order,
        "cost": info.cost,
        "stable": info.stable,
        "reference": info.reference,
        "settings": (info.settings)().iter().map(setting).collect::<Vec<_>>(),
    })
}

fn setting(info: &SettingInfo) -> Value {
    let (kind, range, choices) = match info.kind {
        Kind::Number(range) => ("number", Some(range), None),
        Kind::Count(range) => ("integer", Some(range), None),
        Kind::Flag => ("flag", None, None),
        Kind::Choice(names) => ("choice", None, Some(names)),
    };
    json!({
        "name": info.name,
        "kind": kind,
        "unit": info.unit,
        "doc": info.doc,
        "min": range.map(|range| range[0]),
        "max": range.map(|range| range[1]),
        "default": value(&info.default),
        "choices": choices,
    })
}

/// The value of a setting.
pub(crate) fn value(given: &Given) -> Value {
    match given {
        Given::Number(number) => json!(number),
        Given::Flag(flag) => json!(flag),
        Given::Text(text) => json!(text),
    }
}

fn format(format: Format) -> Value {
    json!({ "name": format.name, "title": format.title, "doc": format.readers })
}

fn material(material: &Material) -> Value {
    json!({
        "name": material.name,
        "doc": material.about,
        "density": material.density,
        "young": material.young,
        "poisson": material.poisson,
        "thickness": material.thickness,
        "rigidity": material.measured_rigidity,
        "source": material.source,
    })
}
