//! Scientific charts: lines and marks over linear or logarithmic axes, as SVG text or as pixels.
//!
//! A [`Figure`] describes one or several [`Chart`]s once; [`Figure::svg`] and [`Figure::image`] draw
//! the same picture. Everything that is not data follows from it: ranges, ticks, margins, colors
//! and the position of the legend. Series differ by color, mark and dash at the same time,
//! and a name looks the same in every chart of a figure.
//!
//! ```
//! use hooke_render::chart::{Axis, Chart, Figure, Mark, Series};
//!
//! let decay = |rate: f64| (0..40).map(|k| [f64::from(k), (-rate * f64::from(k)).exp()]).collect();
//! let figure = Figure::from(Chart {
//!     title: "Residual of one step".into(),
//!     x: Axis::linear("iteration"),
//!     y: Axis::log("‖∇g‖ (N)"),
//!     series: vec![
//!         Series::new("newton", Mark::Both, decay(0.9)),
//!         Series::new("projective dynamics", Mark::Both, decay(0.2)),
//!     ],
//! });
//! let svg = figure.svg(480, 320);
//! assert!(svg.starts_with("<svg") && svg.contains("projective dynamics"));
//! let image = figure.image(480, 320)?;
//! assert_eq!((image.width, image.height), (480, 320));
//! # Ok::<(), hooke_render::RenderError>(())
//! ```
//!
//! How a figure comes about, one module per idea: `curve` sorts out what can be shown, `range` and
//! `ticks` make the axes, `style` gives each series its looks, `panel` lays out and draws one chart,
//! `legend` explains it, and `figure` puts the panels on a page. They all draw on a `canvas`, which
//! is either `svg` or `pixels`.

mod canvas;
mod curve;
mod figure;
mod legend;
mod panel;
mod pixels;
mod range;
mod style;
mod svg;
mod ticks;

use crate::{Image, RenderError, Theme, settings::LARGEST_SIDE};

/// One or several charts in one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// A line over all charts; empty for none.
    pub title: String,
    /// The charts, row by row from the upper left.
    pub charts: Vec<Chart>,
    /// How many charts stand side by side; 0 counts as 1.
    pub columns: usize,
    /// Light or dark paper.
    pub theme: Theme,
    /// Size of the text in pixels, 4 to 200. Margins, lines and marks go with it: for the same
    /// figure at twice the resolution, double it together with width and height.
    pub text: f64,
}

/// One pair of axes and what they show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// A line above the axes; empty for none.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, from back to front. The first twelve names of a figure look different from
    /// each other; after that looks repeat.
    pub series: Vec<Series>,
}

/// What an axis measures, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Quantity and unit, `error (m)` for example; empty for none.
    pub label: String,
    /// How values become lengths.
    pub scale: Scale,
}

/// How values become lengths along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equal lengths.
    #[default]
    Linear,
    /// Equal ratios are equal lengths. Values that are not above zero cannot be shown.
    Log,
}

/// Points that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// What the legend calls it; a series without a name is not in the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Horizontal and vertical value of each point. A point with a NaN is a gap in a line. Points
    /// that are infinite, beyond 10³⁰⁰ or not positive on a logarithmic axis are gaps, too, and the
    /// chart says how many there are.
    pub points: Vec<[f64; 2]>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// A line with a dash of its own.
    #[default]
    Line,
    /// A mark at every point.
    Dots,
    /// A plain line with marks: at every point, or at some of them where they would touch.
    Both,
    /// A thin gray dashed line for comparison: a tolerance, a slope.
    Guide,
}

impl Axis {
    /// An axis on which equal differences are equal lengths.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear }
    }

    /// An axis on which equal ratios are equal lengths.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log }
    }
}

impl Series {
    /// A series of points.
    pub fn new(name: impl Into<String>, mark: Mark, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.into(), mark, points }
    }
}

impl Default for Figure {
    fn default() -> Self {
        Self {
            title: String::new(),
            charts: Vec::new(),
            columns: 1,
            theme: Theme::Light,
            text: 13.0,
        }
    }
}

impl From<Chart> for Figure {
    /// A figure of one chart.
    fn from(chart: Chart) -> Self {
        Self { charts: vec![chart], ..Self::default() }
    }
}

impl Figure {
    /// The figure as an SVG file of `width` × `height` pixels, with text that can be searched.
    pub fn svg(&self, width: u32, height: u32) -> String {
        let mut canvas = svg::Svg::new(width, height, self.name());
        self.draw(&mut canvas, [width, height]);
        canvas.finish()
    }

    /// The figure as an image of `width` × `height` pixels, 1 to 16384 each.
    pub fn image(&self, width: u32, height: u32) -> Result<Image, RenderError> {
        let sides = 1..=LARGEST_SIDE;
        if !sides.contains(&width) || !sides.contains(&height) {
            return Err(RenderError::ImageSize { width, height, limit: LARGEST_SIDE });
        }
        let mut canvas = pixels::Pixels::new(width, height);
        self.draw(&mut canvas, [width, height]);
        Ok(canvas.finish())
    }

    /// What a screen reader calls the figure: its title, or that of its first chart with one.
    fn name(&self) -> &str {
        let titles = self.charts.iter().map(|chart| chart.title.as_str());
        let mut all = std::iter::once(self.title.as_str()).chain(titles);
        all.find(|title| !title.is_empty()).unwrap_or("chart")
    }
}
