//! Every number of the format, found by walking its declarations: what is not finite or just out
//! of its bounds is told at exactly its path and line; what is just inside is taken.

use hooke::methods::METHODS;
use hooke::settings::Kind as Setting;
use hooke_scene::Scene;
use hooke_scene::field::{Bounds, Kind, TableInfo};
use hooke_scene::format::describe;

/// What is done with each number: its path, its kind, and how a value of it becomes a scene's text.
type Each<'a> = dyn FnMut(&str, &Kind, &dyn Fn(&str) -> String) + 'a;

/// A table with the given field and those it cannot do without.
fn table(info: &TableInfo, name: &str, value: &str) -> String {
    let mut fields = vec![format!("{name} = {value}")];
    let mut add = |other: &str| {
        let known = info.fields.iter().find(|field| field.name == other).expect("a field");
        let text = known.example.or(known.default.as_deref()).expect("an example");
        fields.push(format!("{other} = {text}"));
    };
    for field in info.fields.iter().filter(|field| field.required && field.name != name) {
        add(field.name);
    }
    for names in info.one_of.iter().chain(&info.least_one_of).filter(|names| !names.contains(&name))
    {
        add(names[0]);
    }
    format!("{{ {} }}", fields.join(", "))
}

/// A value of a kind that is surely fine.
fn sample(kind: &Kind) -> String {
    match kind {
        Kind::Number(bounds) | Kind::Count(bounds) => {
            let fine = [1.0, bounds.low, bounds.high].into_iter().find(|x| bounds.contains(*x));
            format!("{}", fine.expect("a number within the bounds"))
        }
        Kind::Tuple(count, kind) => format!("[{}]", vec![sample(kind); *count].join(", ")),
        _ => panic!("lists of fixed length hold numbers"),
    }
}

fn walk_table(info: &TableInfo, path: &str, wrap: &dyn Fn(&str) -> String, each: &mut Each<'_>) {
    for field in &info.fields {
        let inner = |value: &str| wrap(&table(info, field.name, value));
        walk_kind(&field.kind, &format!("{path}.{}", field.name), &inner, each);
    }
}

fn walk_kind(kind: &Kind, path: &str, wrap: &dyn Fn(&str) -> String, each: &mut Each<'_>) {
    match kind {
        Kind::Number(_) | Kind::Count(_) => each(path, kind, wrap),
        Kind::Tuple(count, kind) => {
            for index in 0..*count {
                let list = |value: &str| {
                    let mut items = vec![sample(kind); *count];
                    items[index] = value.to_owned();
                    wrap(&format!("[{}]", items.join(", ")))
                };
                walk_kind(kind, &format!("{path}[{index}]"), &list, each);
            }
        }
        Kind::List(kind) => {
            let list = |value: &str| wrap(&format!("[{value}]"));
            walk_kind(kind, &format!("{path}[0]"), &list, each);
        }
        Kind::Named(kind) => {
            let named = |value: &str| wrap(&format!("{{ some = {value} }}"));
            walk_kind(kind, &format!("{path}.some"), &named, each);
        }
        Kind::Table(info) => walk_table(&info(), path, wrap, each),
        Kind::Method => {
            for method in METHODS {
                for setting in (method.settings)() {
                    let kind = match setting.kind {
                        Setting::Number([low, high]) => bounded(Kind::Number, low, high),
                        Setting::Count([low, high]) => bounded(Kind::Count, low, high),
                        Setting::Flag | Setting::Choice(_) => continue,
                    };
                    let own = |value: &str| {
                        wrap(&format!(
                            "{{ name = \"{}\", {} = {value} }}",
                            method.name, setting.name
                        ))
                    };
                    walk_kind(&kind, &format!("{path}.{}", setting.name), &own, each);
                }
            }
        }
        Kind::Either(kinds) => kinds.iter().for_each(|kind| walk_kind(kind, path, wrap, each)),
        Kind::Flag | Kind::Text | Kind::File | Kind::Choice(_) | Kind::Form(_) => {}
    }
}

fn bounded(kind: fn(Bounds) -> Kind, low: f64, high: f64) -> Kind {
    kind(hooke_scene::field::between(low, high))
}

/// Calls `each` for every number of the format; a text has the number on the line given to it.
fn walk(mut each: impl FnMut(&str, &Kind, usize, &dyn Fn(&str) -> String)) {
    let mut number = 0;
    for field in describe().fields {
        let name = field.name;
        walk_kind(&field.kind, name, &|value| value.to_owned(), &mut |path, kind, inner| {
            number += 1;
            // Each on a line of its own.
            let above = "# a comment\n".repeat(number % 7);
            let format = if name == "format" { "" } else { "format = 1\n" };
            let text = |value: &str| format!("{format}{above}{name} = {}\n", inner(value));
            let line = 1 + number % 7 + format.lines().count();
            each(path, kind, line, &text);
        });
    }
}

/// The one problem of a text.
#[track_caller]
fn only(text: &str, path: &str, line: usize, sentence: &str) {
    let problems = Scene::parse(text, "scene.toml").expect_err(text);
    let [problem] = &problems.list[..] else { panic!("{text}\n{problems}") };
    let told = (problem.path.as_str(), problem.line, problem.sentence.as_str());
    assert_eq!(told, (path, line, sentence), "{text}");
    assert!(problem.column > 0 && problem.excerpt.contains('^'), "{problem}");
}

#[test]
fn what_is_not_finite_is_told_at_every_number() {
    let mut tried = 0;
    walk(|path, kind, line, text| {
        for value in ["nan", "inf", "-inf", "1e999"] {
            let must = match kind {
                Kind::Number(_) => "finite".into(),
                kind => kind.to_string(),
            };
            only(&text(value), path, line, &format!("must be {must} (got {value})"));
            tried += 1;
        }
    });
    assert!(tried > 600, "{tried} numbers");
}

#[test]
fn what_is_just_out_of_bounds_is_told_at_every_number() {
    let mut tried = 0;
    walk(|path, kind, line, text| {
        let (bounds, step) = match kind {
            Kind::Number(bounds) => (bounds, None),
            Kind::Count(bounds) => (bounds, Some(1.0)),
            _ => return,
        };
        let Bounds { low, high, open } = *bounds;
        let mut bad = Vec::new();
        if low.is_finite() {
            bad.push(match step {
                _ if open => low,
                Some(step) => low - step,
                None => low.next_down(),
            });
        }
        if high.is_finite() {
            bad.push(step.map_or(high.next_up(), |step| high + step));
        }
        for value in bad {
            let value = if step.is_some() { format!("{value}") } else { format!("{value:?}") };
            only(&text(&value), path, line, &format!("must be {bounds} (got {value})"));
            tried += 1;
        }
        if step.is_some() {
            only(&text("1.5"), path, line, &format!("must be {kind} (got 1.5)"));
            if high > f64::from(u32::MAX) {
                let sentence = format!("must be from {low} to 4294967295 (got 4294967296)");
                only(&text("4294967296"), path, line, &sentence);
            }
        }
    });
    assert!(tried > 150, "{tried} numbers");
}

#[test]
fn what_is_just_inside_is_taken() {
    walk(|path, kind, _, text| {
        let (Kind::Number(bounds) | Kind::Count(bounds)) = kind else { return };
        let Bounds { low, high, open } = *bounds;
        let lowest = if open { low.next_up() } else { low };
        for value in [lowest, high].into_iter().filter(|value| value.is_finite()) {
            let value = if matches!(kind, Kind::Count(_)) {
                format!("{value}")
            } else {
                format!("{value:?}")
            };
            if let Err(problems) = Scene::parse(text(&value), "scene.toml") {
                // The shortest step asks for too many of them; its value itself is fine.
                let own = problems
                    .list
                    .iter()
                    .any(|problem| problem.path == path && problem.sentence.starts_with("must be"));
                assert!(!own, "{path} = {value}: {problems}");
            }
        }
    });
}
