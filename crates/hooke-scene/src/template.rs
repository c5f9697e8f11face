//! The commented scene that a person starts from, written from the declarations.

use crate::field::{FieldInfo, Fields, TableInfo};
use crate::format::{Deformable, Document, Obstacle, Pin, Time, View, World};
use std::fmt::Write;

/// A scene that runs, with every other field beside it as a comment.
pub fn template() -> String {
    let mut out = String::from(
        "#:schema hooke.schema.json\n\
         # A scene of Hooke. Units are SI, y points up. Lines behind # are what else may be said.\n\
         # The schema in the first line, for editors: hooke schema > hooke.schema.json\n",
    );
    let document = Document::info();
    let sections = [
        "time",
        "method",
        "world",
        "deformables",
        "chains",
        "rigid_bodies",
        "joints",
        "rigid_method",
        "attractors",
        "obstacles",
        "view",
    ];
    for field in document.fields.iter().filter(|field| !sections.contains(&field.name)) {
        let value = match field.name {
            "title" => "\"My cloth\"",
            "about" => "\"A square of cloth, held by two corners.\"",
            _ => field.example.unwrap_or_default(),
        };
        given(field, value, &mut out);
    }
    section(
        "[time]",
        &Time::info(),
        &[("step", "\"1/60\""), ("duration", "3.0"), ("fps", "30")],
        &mut out,
    );
    out.push_str(
        "\n[method]  # hooke methods lists them, with their settings\nname = \"newton\"\n",
    );
    section("[world]", &World::info(), &[("gravity", "[0, -9.81, 0]")], &mut out);
    let body = [
        ("name", "\"cloth\""),
        ("grid", "{ columns = 20, rows = 20, size = [1.0, 1.0], corner = [-0.5, 1.2, 0] }"),
        ("mass", "0.3"),
        ("structural", "{ stiffness = 1000, damping = 0.02 }"),
        ("shear", "{ stiffness = 500 }"),
        ("bend", "{ stiffness = 20 }"),
        ("drag", "0.001"),
        ("groups", "{ corners = { nearest = [[-0.5, 1.2, 0], [0.5, 1.2, 0]] } }"),
        ("start", "{ rotate = { axis = [1, 0, 0], degrees = -60 }, translate = [0, 0.2, 0.4] }"),
    ];
    section("[[deformables]]", &Deformable::info(), &body, &mut out);
    section("[[deformables.pins]]", &Pin::info(), &[("group", "\"corners\"")], &mut out);
    section("[[obstacles]]", &Obstacle::info(), &[("floor", "{ height = 0.0 }")], &mut out);
    section("[view]", &View::info(), &[], &mut out);
    out
}

/// A section: the given fields, the others as comments.
fn section(head: &str, info: &TableInfo, values: &[(&str, &str)], out: &mut String) {
    let _ = write!(out, "\n{head}  # {}\n", info.doc);
    for field in &info.fields {
        match values.iter().find(|(name, _)| *name == field.name) {
            Some((_, value)) => given(field, value, out),
            None if head == "[[deformables]]" && field.name == "pins" => {}
            None => {
                if let Some(value) = field.example.or(field.default.as_deref()) {
                    out.push_str("# ");
                    given(field, value, out);
                }
            }
        }
    }
}

fn given(field: &FieldInfo, value: &str, out: &mut String) {
    let unit = if field.unit.is_empty() { String::new() } else { format!(" [{}]", field.unit) };
    let _ = writeln!(out, "{} = {value}  # {}{unit}", field.name, field.doc);
}
