//! The format as a JSON Schema, for completion and checks in editors.

use crate::field::{Bounds, Fields, Kind, TableInfo};
use crate::format::{Document, method_settings};
use hooke::methods::METHODS;
use hooke::settings::Value as Given;
use serde_json::{Map, Value, json};

/// The JSON Schema of scenes.
pub fn schema() -> Value {
    let mut parts = Map::new();
    let root = table(&Document::info(), &mut parts);
    let mut out = Map::new();
    out.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    out.insert("title".into(), json!("A scene of Hooke"));
    out.extend(root);
    parts.sort_keys();
    out.insert("$defs".into(), Value::Object(parts));
    Value::Object(out)
}

fn table(info: &TableInfo, parts: &mut Map<String, Value>) -> Map<String, Value> {
    let mut fields = Map::new();
    for field in &info.fields {
        let unit = if field.unit.is_empty() { String::new() } else { format!(" [{}]", field.unit) };
        let default =
            field.default.as_ref().map_or(String::new(), |text| format!(" Default: {text}."));
        let mut about = kind(&field.kind, parts);
        about.insert("description".into(), json!(format!("{}{unit}{default}", field.doc)));
        fields.insert(field.name.to_owned(), Value::Object(about));
    }
    if info.title == "scene" {
        // Editors write the address of the schema into the file.
        fields.insert("$schema".into(), json!({ "type": "string" }));
    }
    let required = info.fields.iter().filter(|field| field.required).map(|field| field.name);
    let mut out = object(json!({
        "type": "object",
        "description": info.doc,
        "properties": fields,
        "required": required.collect::<Vec<_>>(),
        "additionalProperties": false,
    }));
    let mut rules = Vec::new();
    let with = |name: &&str| json!({ "required": [name] });
    for (rule, sets) in [("oneOf", &info.one_of), ("anyOf", &info.least_one_of)] {
        for names in sets {
            rules.push(json!({ rule: names.iter().map(with).collect::<Vec<_>>() }));
        }
    }
    for names in &info.most_one_of {
        for (index, first) in names.iter().enumerate() {
            for second in names.iter().skip(index + 1) {
                rules.push(json!({ "not": { "required": [first, second] } }));
            }
        }
    }
    if !rules.is_empty() {
        out.insert("allOf".into(), Value::Array(rules));
    }
    out
}

/// The fields of an object.
fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn kind(kind_: &Kind, parts: &mut Map<String, Value>) -> Map<String, Value> {
    object(match kind_ {
        Kind::Number(bounds) => number("number", bounds),
        Kind::Count(bounds) => number("integer", bounds),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::File => json!({ "type": "string", "title": "the name of a file" }),
        Kind::Form("true") => json!({ "const": true }),
        Kind::Form(words) => json!({ "type": "string", "title": words }),
        Kind::Choice(names) => json!({ "enum": names }),
        Kind::Tuple(count, item) => {
            let items = kind(item, parts);
            json!({ "type": "array", "items": items, "minItems": count, "maxItems": count })
        }
        Kind::List(item) => json!({ "type": "array", "items": kind(item, parts) }),
        Kind::Named(item) => json!({ "type": "object", "additionalProperties": kind(item, parts) }),
        Kind::Table(info) => {
            let info = info();
            let name = info.title.replace(' ', "-");
            if !parts.contains_key(&name) {
                parts.insert(name.clone(), Value::Null);
                let part = table(&info, parts);
                parts.insert(name.clone(), Value::Object(part));
            }
            json!({ "$ref": format!("#/$defs/{name}") })
        }
        Kind::Method => method(parts),
        Kind::Either(kinds) => {
            json!({ "anyOf": kinds.iter().map(|each| kind(each, parts)).collect::<Vec<_>>() })
        }
    })
}

fn number(name: &str, bounds: &Bounds) -> Value {
    let mut out = Map::new();
    out.insert("type".into(), json!(name));
    if bounds.low.is_finite() {
        let key = if bounds.open { "exclusiveMinimum" } else { "minimum" };
        out.insert(key.into(), json!(bounds.low));
    }
    if bounds.high.is_finite() {
        out.insert("maximum".into(), json!(bounds.high));
    }
    Value::Object(out)
}

/// One form per method, told apart by its name.
fn method(parts: &mut Map<String, Value>) -> Value {
    let form = |info: &hooke::methods::MethodInfo| {
        let names: Vec<_> = info.aliases.iter().copied().chain([info.name]).collect();
        let mut fields = Map::new();
        fields.insert("name".into(), json!({ "enum": names, "description": info.doc }));
        for (setting, setting_kind) in method_settings(info) {
            let mut about = kind(&setting_kind, parts);
            about.insert("description".into(), json!(setting.doc));
            let default = match setting.default {
                Given::Number(value) => json!(value),
                Given::Flag(value) => json!(value),
                Given::Text(value) => json!(value),
            };
            about.insert("default".into(), default);
            fields.insert(setting.name.to_owned(), Value::Object(about));
        }
        let default = info.name == crate::format::DEFAULT_METHOD;
        let required = if default { &[][..] } else { &["name"] };
        json!({
            "type": "object",
            "properties": fields,
            "required": required,
            "additionalProperties": false,
        })
    };
    json!({ "oneOf": METHODS.iter().map(form).collect::<Vec<_>>() })
}
