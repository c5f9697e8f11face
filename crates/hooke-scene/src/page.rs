//! The documentation page of the format, written from the declarations.

use crate::field::{Fields, Kind, TableInfo};
use crate::format::{Document, method_settings};
use crate::words::wrap;
use hooke::dampers::DAMPERS;
use hooke::laws::{LAWS, Param};
use hooke::methods::METHODS;
use std::fmt::Write;

/// `docs/scenes.md`, the whole format in tables.
pub fn page() -> String {
    let mut out = String::from(
        "<!-- Written by `hooke schema --markdown`; a test keeps it up to date. -->\n\n\
         # Scenes\n\n\
         A scene is a TOML file: deformables, rigid bodies, obstacles and chains, forces, time and method.\n\
         Units are SI, y points up, axes are right-handed. `hooke new` writes a first scene, `hooke scenes`\n\
         lists the gallery, `hooke schema` prints a JSON Schema for editors. Change any field for one run by\n\
         an option: `--set deformables[0].structural.stiffness=2000`.\n",
    );
    let mut queue: Vec<fn() -> TableInfo> = vec![Document::info];
    let mut done: Vec<&'static str> = Vec::new();
    while let Some(info) = pop_front(&mut queue) {
        let info = info();
        if done.contains(&info.title) {
            continue;
        }
        done.push(info.title);
        section(&info, &mut out);
        for field in &info.fields {
            tables_of(&field.kind, &mut queue);
        }
    }
    methods(&mut out);
    laws(&mut out);
    out
}

fn pop_front<T>(queue: &mut Vec<T>) -> Option<T> {
    if queue.is_empty() { None } else { Some(queue.remove(0)) }
}

fn tables_of(kind: &Kind, queue: &mut Vec<fn() -> TableInfo>) {
    match kind {
        Kind::Table(info) => queue.push(*info),
        Kind::List(kind) | Kind::Named(kind) | Kind::Tuple(_, kind) => tables_of(kind, queue),
        Kind::Either(kinds) => kinds.iter().for_each(|kind| tables_of(kind, queue)),
        _ => {}
    }
}

fn capital(title: &str) -> String {
    let mut letters = title.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn section(info: &TableInfo, out: &mut String) {
    let _ = write!(out, "\n## {}\n\n{}\n\n", capital(info.title), wrap(&info.doc, ""));
    out.push_str("| field | unit | takes | default | |\n|---|---|---|---|---|\n");
    for field in &info.fields {
        let default = match &field.default {
            Some(default) => format!("`{default}`"),
            None if field.required => "required".into(),
            None => String::new(),
        };
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {default} | {} |",
            field.name,
            field.unit,
            takes(&field.kind),
            field.doc,
        );
    }
    for names in &info.one_of {
        let _ = write!(out, "\nExactly one of `{}` is given.\n", names.join("`, `"));
    }
    for names in &info.most_one_of {
        let _ = write!(out, "\nAt most one of `{}` is given.\n", names.join("`, `"));
    }
    for names in &info.least_one_of {
        let _ = write!(out, "\nAt least one of `{}` is given.\n", names.join("`, `"));
    }
}

/// What a field takes, with links to the tables.
fn takes(kind: &Kind) -> String {
    match kind {
        Kind::Table(info) => {
            let title = info().title;
            format!("[{title}](#{})", title.replace(' ', "-"))
        }
        Kind::Method => "[method](#methods)".into(),
        Kind::Tuple(count, kind) => format!("{count} × {}", takes(kind)),
        Kind::List(kind) => format!("list of {}", takes(kind)),
        Kind::Named(kind) => format!("names, each {}", takes(kind)),
        Kind::Choice(names) => format!("`\"{}\"`", names.join("\"`, `\"")),
        Kind::Either(kinds) => kinds.iter().map(takes).collect::<Vec<_>>().join(" or "),
        other => other.to_string(),
    }
}

fn methods(out: &mut String) {
    out.push_str(
        "\n## Methods\n\nThe table `method` has a `name`, and the settings of that method.\n",
    );
    for info in METHODS {
        let aliases: Vec<_> = info.aliases.iter().map(|alias| format!(", `{alias}`")).collect();
        let _ = write!(out, "\n### `{}`{}\n\n{}\n", info.name, aliases.concat(), info.doc);
        let facts = format!(
            "Order: {}. Cost of a step: {}. Stable: {}.",
            info.order, info.cost, info.stable
        );
        let _ = writeln!(out, "{}", wrap(&facts, ""));
        let settings = method_settings(info);
        if settings.is_empty() {
            continue;
        }
        out.push_str("\n| setting | takes | default | |\n|---|---|---|---|\n");
        for (setting, kind) in settings {
            let (name, default, doc) = (setting.name, setting.default, setting.doc);
            let _ = writeln!(out, "| `{name}` | {} | `{default}` | {doc} |", takes(&kind));
        }
    }
}

fn laws(out: &mut String) {
    out.push_str(
        "\n## Laws\n\nValues of `elements`: `corners` vertices, `rest` values, `material` values \
         in this order.\n\n| law | corners | rest | material | energy |\n|---|---|---|---|---|\n",
    );
    let params = |params: &[Param]| {
        let each = |param: &Param| match param.unit {
            "" => format!("`{}`", param.name),
            unit => format!("`{}` [{unit}]", param.name),
        };
        params.iter().map(each).collect::<Vec<_>>().join(", ")
    };
    for law in LAWS {
        let [more, more_rest] = match (law.more_corners, law.surface) {
            (_, true) => [" or more, as triangles", ""],
            (true, false) => [" or more"; 2],
            (false, false) => [""; 2],
        };
        let _ = writeln!(
            out,
            "| `{}` | {}{more} | {}{more_rest} | {} | {} |",
            law.name,
            law.corners,
            law.rest_values,
            params(law.params),
            law.equation.replace('|', "\\|"),
        );
    }
    out.push_str(
        "\n## Dampers\n\n| damper | corners | material | potential |\n|---|---|---|---|\n",
    );
    for damper in DAMPERS {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            damper.name,
            damper.corners,
            params(damper.params),
            damper.equation.replace('|', "\\|"),
        );
    }
}
