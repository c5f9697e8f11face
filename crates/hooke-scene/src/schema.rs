//! The format as a JSON Schema, for completion and checks in editors.

use crate::field::{Bounds, Fields, Kind, TableInfo};
use crate::format::{Document, method_settings};
use crate::json::Json;
use hooke::methods::METHODS;
use hooke::settings::Value;
use std::collections::BTreeMap;

/// The JSON Schema of scenes.
pub fn schema() -> Json {
    let mut parts = BTreeMap::new();
    let Json::Object(mut root) = table(&Document::info(), &mut parts) else { return Json::Null };
    root.insert(0, ("$schema".into(), Json::text("https://json-schema.org/draft/2020-12/schema")));
    root.insert(1, ("title".into(), Json::text("A scene of Hooke")));
    root.push(("$defs".into(), Json::Object(parts.into_iter().collect())));
    Json::Object(root)
}

fn table(info: &TableInfo, parts: &mut BTreeMap<String, Json>) -> Json {
    let mut fields: Vec<(String, Json)> = info
        .fields
        .iter()
        .map(|field| {
            let mut about = match kind(&field.kind, parts) {
                Json::Object(about) => about,
                other => return (field.name.to_owned(), other),
            };
            let unit =
                if field.unit.is_empty() { String::new() } else { format!(" [{}]", field.unit) };
            let default = field.default.map_or(String::new(), |text| format!(" Default: {text}."));
            let description = format!("{}{unit}{default}", field.doc);
            about.push(("description".into(), Json::text(description)));
            (field.name.to_owned(), Json::Object(about))
        })
        .collect();
    if info.title == "scene" {
        // Editors write the address of the schema into the file.
        fields.push(("$schema".into(), Json::object([("type", Json::text("string"))])));
    }
    let required = info.fields.iter().filter(|field| field.required);
    let mut out = vec![
        ("type".to_owned(), Json::text("object")),
        ("description".to_owned(), Json::text(&info.doc)),
        ("properties".to_owned(), Json::Object(fields)),
        ("required".to_owned(), Json::list(required.map(|field| Json::text(field.name)))),
        ("additionalProperties".to_owned(), Json::Flag(false)),
    ];
    let mut rules = Vec::new();
    let with = |name: &&str| Json::object([("required", Json::list([Json::text(*name)]))]);
    for (rule, sets) in [("oneOf", &info.one_of), ("anyOf", &info.least_one_of)] {
        for names in sets {
            rules.push(Json::object([(rule, Json::list(names.iter().map(with)))]));
        }
    }
    for names in &info.most_one_of {
        for (index, first) in names.iter().enumerate() {
            for second in names.iter().skip(index + 1) {
                let both = Json::list([Json::text(*first), Json::text(*second)]);
                rules.push(Json::object([("not", Json::object([("required", both)]))]));
            }
        }
    }
    if !rules.is_empty() {
        out.push(("allOf".to_owned(), Json::List(rules)));
    }
    Json::Object(out)
}

fn kind(kind_: &Kind, parts: &mut BTreeMap<String, Json>) -> Json {
    let typed = |name: &str| Json::object([("type", Json::text(name))]);
    match kind_ {
        Kind::Number(bounds) => number("number", bounds),
        Kind::Count(bounds) => number("integer", bounds),
        Kind::Flag => typed("boolean"),
        Kind::Text => typed("string"),
        Kind::File => Json::object([
            ("type", Json::text("string")),
            ("title", Json::text("the name of a file")),
        ]),
        Kind::Form("true") => Json::object([("const", Json::Flag(true))]),
        Kind::Form(words) => {
            Json::object([("type", Json::text("string")), ("title", Json::text(*words))])
        }
        Kind::Choice(names) => {
            Json::object([("enum", Json::list(names.iter().map(|name| Json::text(*name))))])
        }
        Kind::Tuple(count, item) => Json::object([
            ("type", Json::text("array")),
            ("items", kind(item, parts)),
            ("minItems", Json::count(*count as u64)),
            ("maxItems", Json::count(*count as u64)),
        ]),
        Kind::List(item) => {
            Json::object([("type", Json::text("array")), ("items", kind(item, parts))])
        }
        Kind::Named(item) => Json::object([
            ("type", Json::text("object")),
            ("additionalProperties", kind(item, parts)),
        ]),
        Kind::Table(info) => {
            let info = info();
            let name = info.title.replace(' ', "-");
            if !parts.contains_key(&name) {
                parts.insert(name.clone(), Json::Null);
                let part = table(&info, parts);
                parts.insert(name.clone(), part);
            }
            Json::object([("$ref", Json::text(format!("#/$defs/{name}")))])
        }
        Kind::Method => method(parts),
        Kind::Either(kinds) => {
            let kinds: Vec<_> = kinds.iter().map(|each| kind(each, parts)).collect();
            Json::object([("anyOf", Json::List(kinds))])
        }
    }
}

fn number(name: &str, bounds: &Bounds) -> Json {
    let mut out = vec![("type", Json::text(name))];
    if bounds.low.is_finite() {
        let key = if bounds.open { "exclusiveMinimum" } else { "minimum" };
        out.push((key, Json::Short(bounds.low)));
    }
    if bounds.high.is_finite() {
        out.push(("maximum", Json::Short(bounds.high)));
    }
    Json::object(out)
}

/// One form per method, told apart by its name.
fn method(parts: &mut BTreeMap<String, Json>) -> Json {
    let form = |info: &hooke::methods::MethodInfo, parts: &mut BTreeMap<String, Json>| {
        let names = info.aliases.iter().copied().chain([info.name]).map(Json::text);
        let name =
            Json::object([("enum", Json::list(names)), ("description", Json::text(info.doc))]);
        let mut fields = vec![("name".to_owned(), name)];
        for (setting, setting_kind) in method_settings(info) {
            let Json::Object(mut about) = kind(&setting_kind, parts) else { continue };
            about.push(("description".into(), Json::text(setting.doc)));
            about.push((
                "default".into(),
                match setting.default {
                    Value::Number(value) => Json::Short(value),
                    Value::Flag(value) => Json::Flag(value),
                    Value::Text(value) => Json::Text(value),
                },
            ));
            fields.push((setting.name.to_owned(), Json::Object(about)));
        }
        let default = info.name == crate::format::DEFAULT_METHOD;
        let required = if default { vec![] } else { vec![Json::text("name")] };
        Json::object([
            ("type", Json::text("object")),
            ("properties", Json::Object(fields)),
            ("required", Json::List(required)),
            ("additionalProperties", Json::Flag(false)),
        ])
    };
    Json::object([("oneOf", Json::list(METHODS.iter().map(|info| form(info, parts))))])
}
