//! The plots of a comparison: what accuracy costs, how it is reached, where the energy goes.

use super::{rows, write};
use crate::failure::Failure;
use crate::media::write_png;
use hooke_render::chart::{Axis, Chart, Figure, Mark, Series};
use hooke_scene::compare::{Comparison, Mode, Sample};
use std::path::Path;

/// Pixels of a plot in SVG; the PNG has twice as many.
const SIZE: [u32; 2] = [960, 440];

/// What is smaller is rounding, and drawn here.
const ROUNDING: f64 = 1e-16;

pub(super) fn draw(comparison: &Comparison, folder: &Path) -> Result<(), Failure> {
    let figures = [
        ("cost", cost(comparison)),
        ("residual", residual(comparison)),
        ("ledger", ledger(comparison)),
    ];
    for (name, figure) in figures {
        let Some(figure) = figure else { continue };
        let [width, height] = SIZE;
        write(&folder.join(format!("{name}.svg")), figure.svg(width, height).as_bytes())?;
        let double = Figure { text: 2.0 * figure.text, ..figure };
        let image = double.image(2 * width, 2 * height)?;
        write_png(&image, &folder.join(format!("{name}.png")))?;
    }
    Ok(())
}

/// Error and energy gap against milliseconds.
fn cost(comparison: &Comparison) -> Option<Figure> {
    let rows = rows(comparison);
    let panel = |title: &str, label: &str, value: &dyn Fn(&super::Row<'_>) -> Option<f64>| {
        let series: Vec<Series> = rows
            .iter()
            .filter_map(|row| {
                let value = value(row)?;
                let shown = if value.abs() < ROUNDING { ROUNDING } else { value };
                Some(Series::new(row.label, Mark::Dots, vec![[row.milliseconds?, shown]]))
            })
            .collect();
        let chart = Chart {
            title: title.into(),
            x: Axis::log("milliseconds per step"),
            y: Axis::log(label),
            series,
        };
        (!chart.series.is_empty()).then_some(chart)
    };
    let title = match comparison.mode {
        Mode::Step => "Error of one step",
        Mode::Run | Mode::Time => "Error at the end",
    };
    let title = format!("{title} (mode {})", comparison.mode.name());
    let error = panel(&title, "relative error", &|row| row.error);
    let gap = panel("Energy gap", "(g − g*)/(g₀ − g*)", &|row| row.gap);
    let charts: Vec<Chart> = error.into_iter().chain(gap).collect();
    (!charts.is_empty()).then(|| Figure { columns: charts.len(), charts, ..Figure::default() })
}

/// The residual per iteration of the last step.
fn residual(comparison: &Comparison) -> Option<Figure> {
    let series: Vec<Series> = comparison
        .outcomes
        .iter()
        .filter(|outcome| outcome.residuals.len() > 1)
        .map(|outcome| {
            let points = outcome.residuals.iter().enumerate();
            let points = points.map(|(k, value)| [k as f64, *value]).collect();
            Series::new(&*outcome.label, Mark::Both, points)
        })
        .collect();
    (!series.is_empty()).then(|| {
        Figure::from(Chart {
            title: "Residual per iteration, last frame".into(),
            x: Axis::linear("iteration"),
            y: Axis::log("‖∇g‖ / scale"),
            series,
        })
    })
}

/// The reference's energies over time, and what each method loses besides its dampers.
fn ledger(comparison: &Comparison) -> Option<Figure> {
    if comparison.truth.is_empty() {
        return None;
    }
    let over_time = |samples: &[Sample], value: &dyn Fn(&Sample) -> f64| -> Vec<[f64; 2]> {
        samples.iter().map(|sample| [sample.time, value(sample)]).collect()
    };
    let summed = |samples: &[Sample], value: &dyn Fn(&Sample) -> f64| -> Vec<[f64; 2]> {
        let mut sum = 0.0;
        let add = |sample: &Sample| {
            sum += value(sample);
            [sample.time, sum]
        };
        samples.iter().map(add).collect()
    };
    let truth = &comparison.truth;
    let parts: [(&str, &dyn Fn(&Sample) -> f64); 5] = [
        ("kinetic", &|s| s.energy.kinetic),
        ("elastic", &|s| s.energy.elastic),
        ("gravitational", &|s| s.energy.gravitational),
        ("field", &|s| s.energy.field),
        ("total", &|s| s.energy.total()),
    ];
    let mut energies: Vec<Series> = parts
        .into_iter()
        .map(|(name, value)| Series::new(name, Mark::Line, over_time(truth, value)))
        .collect();
    let sums: [(&str, &dyn Fn(&Sample) -> f64); 4] = [
        ("damping", &|s| s.work.damping),
        ("external work", &|s| s.work.external),
        ("contact work", &|s| s.work.contact),
        ("limit work", &|s| s.work.limit),
    ];
    energies.extend(
        sums.into_iter().map(|(name, value)| Series::new(name, Mark::Line, summed(truth, value))),
    );
    let flat = |series: &Series| series.points.iter().all(|[_, y]| *y == 0.0);
    energies.retain(|series| !flat(series));
    let axis = || Axis::linear("time (s)");
    let mut charts = vec![Chart {
        title: "Energy of the reference".into(),
        x: axis(),
        y: Axis::linear("energy (J)"),
        series: energies,
    }];
    let per_method = |value: &dyn Fn(&[Sample]) -> Vec<[f64; 2]>| -> Vec<Series> {
        comparison
            .outcomes
            .iter()
            .filter(|outcome| !outcome.samples.is_empty())
            .map(|outcome| Series::new(&*outcome.label, Mark::Line, value(&outcome.samples)))
            .collect()
    };
    let (title, series) = match comparison.mode {
        Mode::Step => (
            "Numerical energy of single steps",
            per_method(&|samples| over_time(samples, &|s| s.numerical)),
        ),
        _ => ("Numerical energy, summed", per_method(&|samples| summed(samples, &|s| s.numerical))),
    };
    if !series.is_empty() {
        charts.push(Chart {
            title: title.into(),
            x: axis(),
            y: Axis::linear("energy (J)"),
            series,
        });
    }
    Some(Figure { columns: charts.len(), charts, ..Figure::default() })
}
