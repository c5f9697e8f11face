//! A comparison as text, CSV and JSON.

use super::{Row, rows};
use crate::out::columns;
use hooke_scene::Scene;
use hooke_scene::compare::{Comparison, Mode};
use serde_json::Value;
use std::fmt::Write;

/// For people.
pub(super) fn text(comparison: &Comparison, scene: &Scene) -> String {
    let frames = comparison.truth.len();
    let question = match comparison.mode {
        Mode::Step => "one step from each of",
        Mode::Run | Mode::Time => "runs of",
    };
    let mut out = format!(
        "{}: mode {}, {question} {frames} frames, against {}\n",
        scene.document().title,
        comparison.mode.name(),
        comparison.reference
    );
    if let Some(uncertainty) = comparison.uncertainty {
        let _ = writeln!(out, "the reference may be off by {uncertainty:.1e} m at the end");
    }
    out.push('\n');
    let error = if comparison.mode == Mode::Step { "error" } else { "error at end" };
    let heads = [
        "method",
        "minimizes",
        error,
        "worst",
        "energy gap",
        "residual",
        if comparison.mode == Mode::Step { "iterations" } else { "iterations a frame" },
        "ms a step",
        "converged",
        "numerical (J)",
        "contacts",
        "deepest (m)",
    ];
    let mut lines = vec![heads.map(String::from).to_vec()];
    let rows = rows(comparison);
    lines.extend(rows.iter().map(line));
    // A column that nobody fills is left out.
    let filled: Vec<usize> = (0..heads.len())
        .filter(|&column| lines[1..].iter().any(|line| line[column] != "-"))
        .collect();
    let lines: Vec<Vec<String>> = lines
        .iter()
        .map(|line| filled.iter().map(|&column| line[column].clone()).collect())
        .collect();
    out.push_str(&columns(&lines));
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in &rows {
        for why in row.stopped.into_iter().chain(row.gained) {
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, labels)) => labels.push(row.label),
                None => reasons.push((why, vec![row.label])),
            }
        }
    }
    for (why, labels) in reasons {
        let _ = write!(out, "\n{}: {why}", labels.join(", "));
    }
    if rows.iter().any(|row| row.gap.is_some_and(|gap| gap < -1e-9)) {
        out.push_str("\na negative energy gap means a lower minimum than that of the reference");
    }
    if comparison.mode == Mode::Step
        && rows.iter().any(|row| row.objective.is_none() && row.error.is_some())
    {
        out.push_str(
            "\nexplicit methods minimize nothing: their error is the distance from backward Euler",
        );
    }
    out
}

fn line(row: &Row<'_>) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.1e}"));
    vec![
        row.label.to_owned(),
        row.objective.unwrap_or("-").to_owned(),
        number(row.error),
        number(row.worst),
        number(row.gap),
        number(row.residual),
        row.iterations.map_or("-".into(), |count| format!("{count:.0}")),
        row.milliseconds.map_or("-".into(), |ms| format!("{ms:.3}")),
        row.converged.map_or("-".into(), |(done, of)| format!("{done} of {of}")),
        if row.error.is_some() { format!("{:.2e}", row.numerical) } else { "-".into() },
        row.contact.map_or("-".into(), |(pairs, _)| pairs.to_string()),
        number(row.contact.map(|(_, deepest)| deepest)),
    ]
}

/// Every frame of every method.
pub(super) fn csv(comparison: &Comparison) -> String {
    let mut out = String::from(
        "mode,method,frame,time_s,error,distance_m,energy_gap,relative_residual,iterations,converged,\
         milliseconds,kinetic_J,elastic_J,gravitational_J,field_J,work_damping_J,work_external_J,\
         work_contact_J,work_limit_J,numerical_J,contacts,deepest_m,\
         contact_milliseconds\n",
    );
    let mode = comparison.mode.name();
    let reference = ("reference", &comparison.truth);
    let all = comparison.outcomes.iter().map(|outcome| (&*outcome.label, &outcome.samples));
    for (label, samples) in std::iter::once(reference).chain(all) {
        for (index, s) in samples.iter().enumerate() {
            let option = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:e}"));
            let converged = s.converged.map_or("", |done| if done { "yes" } else { "no" });
            let numbers = [
                s.milliseconds,
                s.energy.kinetic,
                s.energy.elastic,
                s.energy.gravitational,
                s.energy.field,
                s.work.damping,
                s.work.external,
                s.work.contact,
                s.work.limit,
                s.numerical,
            ]
            .map(|value| format!("{value:e}"))
            .join(",");
            let contact = s.contact.map_or(",,".to_owned(), |contact| {
                format!("{},{:e},{:e}", contact.pairs, contact.deepest, s.contact_milliseconds)
            });
            let _ = writeln!(
                out,
                "{mode},{label},{},{:e},{:e},{:e},{},{},{},{converged},{numbers},{contact}",
                index + 1,
                s.time,
                s.error,
                s.distance,
                option(s.gap),
                option(s.residual),
                s.iterations,
            );
        }
    }
    out
}

/// For programs.
pub(super) fn json(comparison: &Comparison, scene: &Scene) -> Value {
    let option = |value: Option<f64>| value.map_or(Value::Null, Value::from);
    let count = |value: usize| Value::from(value as u64);
    let methods = rows(comparison).into_iter().map(|row| {
        Value::from_iter([
            ("method", Value::from(row.label)),
            ("minimizes", row.objective.map_or(Value::Null, Value::from)),
            ("error", option(row.error)),
            ("worst_error", option(row.worst)),
            ("energy_gap", option(row.gap)),
            ("relative_residual", option(row.residual)),
            ("iterations", option(row.iterations)),
            ("milliseconds_per_step", option(row.milliseconds)),
            ("frames_converged", row.converged.map_or(Value::Null, |(done, _)| count(done))),
            ("numerical", Value::from(row.numerical)),
            ("contacts", row.contact.map_or(Value::Null, |(pairs, _)| count(pairs))),
            ("deepest_m", option(row.contact.map(|(_, deepest)| deepest))),
            ("stopped", row.stopped.map_or(Value::Null, Value::from)),
            ("gained", row.gained.map_or(Value::Null, Value::from)),
        ])
    });
    Value::from_iter([
        ("title", Value::from(scene.document().title.as_str())),
        ("mode", Value::from(comparison.mode.name())),
        ("reference", Value::from(comparison.reference.as_str())),
        ("uncertainty_m", option(comparison.uncertainty)),
        ("frames", count(comparison.truth.len())),
        ("methods", Value::from_iter(methods)),
    ])
}
