//! Draws the charts of a comparison of methods, from made-up numbers, for looking at.
//!
//! `cargo run --release --example charts -- [directory]`

use hooke_render::{
    RenderError, Theme,
    chart::{Axis, Chart, Figure, Mark, Series},
};
use std::{fs::File, io::BufWriter, path::Path, time::Instant};

/// Name, cost of a step in milliseconds, order, error at the largest step, gain per iteration.
const METHODS: [(&str, f64, f64, f64, f64); 6] = [
    ("newton", 9.0, 1.0, 2.1e-2, 3.2),
    ("projective dynamics", 1.4, 1.0, 3.0e-2, 0.42),
    ("xpbd", 0.6, 0.9, 5.5e-2, 0.10),
    ("symplectic euler", 0.05, 1.0, 1.6e-1, 0.0),
    ("bdf2", 11.0, 2.0, 9.0e-3, 2.6),
    ("vertex block descent", 0.9, 1.0, 3.4e-2, 0.24),
];

fn main() -> Result<(), RenderError> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| "charts".to_owned());
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    for (name, figure, [width, height]) in [
        ("cost", cost(), [960, 440]),
        ("residual", residual(), [720, 440]),
        ("ledger", ledger(), [960, 460]),
    ] {
        let start = Instant::now();
        let svg = figure.svg(width, height);
        let middle = Instant::now();
        let image = figure.image(width, height)?;
        let [a, b] = [middle - start, middle.elapsed()].map(|time| time.as_secs_f64() * 1e3);
        println!("{name}: SVG {a:.1} ms, {} kB; pixels {b:.1} ms", svg.len() / 1000);
        std::fs::write(directory.join(format!("{name}.svg")), svg)?;
        let file = File::create(directory.join(format!("{name}.png")))?;
        image.write_png(BufWriter::new(file))?;
    }
    Ok(())
}

/// Even numbers between -1 and 1 that look random.
fn noise(seed: usize) -> f64 {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Error and energy gap against time, one point per step size.
fn cost() -> Figure {
    let chart = |title: &str, label: &str, scale: f64, seed: usize| {
        let series = METHODS.iter().enumerate().map(|(m, &(name, ms, order, error, _))| {
            let point = |k: usize| {
                let finer = 2_f64.powi(k as i32);
                let wobble = 10_f64.powf(0.08 * noise(97 * m + 7 * k + seed));
                [ms * finer, scale * error * wobble * finer.powf(-order)]
            };
            Series::new(name, Mark::Dots, (0..5).map(point).collect())
        });
        Chart {
            title: title.into(),
            x: Axis::log("milliseconds per frame"),
            y: Axis::log(label),
            series: series.collect(),
        }
    };
    Figure {
        title: "Cloth on a sphere, five step sizes per method".into(),
        charts: vec![
            chart("Error against the reference", "error (m)", 1.0, 0),
            chart("Energy gap", "|E − E₀| / E₀", 0.35, 1000),
        ],
        columns: 2,
        ..Figure::default()
    }
}

/// Residual per iteration within one step, and the tolerance.
fn residual() -> Figure {
    let curve = |m: usize, gain: f64| {
        let value = |k: usize| {
            let wobble = 0.25 * noise(31 * m + k);
            [k as f64, 4.0e2 * (-(gain * k as f64) + wobble).exp().max(1e-13)]
        };
        (0..61).map(value).take_while(|point| point[1] > 1e-9).collect()
    };
    let methods = METHODS.iter().enumerate().filter(|(_, method)| method.4 > 0.0);
    let mut series: Vec<Series> = methods
        .map(|(m, &(name, .., gain))| Series::new(name, Mark::Both, curve(m, gain)))
        .collect();
    series.push(Series::new("tolerance", Mark::Guide, vec![[0.0, 1e-6], [60.0, 1e-6]]));
    Figure::from(Chart {
        title: "Residual within one step".into(),
        x: Axis::linear("iteration"),
        y: Axis::log("‖∇g‖ (N)"),
        series,
    })
}

/// Where the energy of a falling cloth goes, and how well each method keeps the sum.
fn ledger() -> Figure {
    let over_time = |energy: &dyn Fn(f64) -> f64| {
        (0..=600).map(|k| f64::from(k) / 200.0).map(|t| [t, energy(t)]).collect()
    };
    let fallen = |t: f64| 1.0 - (-0.9 * t * t).exp();
    let swing = |t: f64| (-0.7 * t).exp() * (7.0 * t).sin().powi(2);
    let kinetic = move |t: f64| 2.2 * fallen(t) * swing(t);
    let elastic = move |t: f64| 0.8 * fallen(t) * (0.4 + (-0.7 * t).exp() * (7.0 * t).cos());
    let gravity = move |t: f64| 3.4 - 3.4 * fallen(t) * (1.0 - 0.2 * swing(t));
    let field = move |t: f64| 0.25 * (1.3 * t).sin();
    let numerical = move |t: f64| 0.28 * t / (1.0 + 0.3 * t);
    let total = |_: f64| 3.72;
    let spent = move |t: f64| 3.72 - kinetic(t) - elastic(t) - gravity(t) - field(t) - numerical(t);
    let terms: [(&str, &dyn Fn(f64) -> f64); 7] = [
        ("total", &total),
        ("kinetic", &kinetic),
        ("elastic", &elastic),
        ("gravitational", &gravity),
        ("field", &field),
        ("dissipated", &spent),
        ("numerical", &numerical),
    ];
    let drifts = METHODS.iter().enumerate().map(|(m, &(name, _, order, error, _))| {
        let drift = move |t: f64| {
            let wave = (5.0 * t + m as f64).sin() * 0.1;
            -2.0e-3 * error / order * t * (1.0 + wave) * if m == 3 { -0.3 } else { 1.0 }
        };
        Series::new(name, Mark::Line, over_time(&drift))
    });
    Figure {
        charts: vec![
            Chart {
                title: "Energy ledger of newton".into(),
                x: Axis::linear("time (s)"),
                y: Axis::linear("energy (J)"),
                series: terms
                    .map(|(name, term)| Series::new(name, Mark::Both, over_time(term)))
                    .into(),
            },
            Chart {
                title: "Drift of the total".into(),
                x: Axis::linear("time (s)"),
                y: Axis::linear("energy (J)"),
                series: drifts.collect(),
            },
        ],
        columns: 2,
        theme: Theme::Paper,
        ..Figure::default()
    }
}
