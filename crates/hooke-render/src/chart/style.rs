//! What tells series apart: colors, marks and dashes, and the grays around them.
//!
//! The colors are those of Okabe and Ito (2008, *Color Universal Design*), which people with any
//! kind of color vision can tell apart; of the eight, each paper leaves out the one that is too
//! close to it.

use super::{
    Chart, Figure, Mark, Series,
    canvas::{Anchor, Lettering, Marker, Pen, Rgb, Shape},
};
use crate::{Theme, font::Face};

const BLUE: Rgb = [0, 114, 178];
const VERMILION: Rgb = [213, 94, 0];
const GREEN: Rgb = [0, 158, 115];
const PURPLE: Rgb = [204, 121, 167];
const ORANGE: Rgb = [230, 159, 0];
const SKY: Rgb = [86, 180, 233];
const YELLOW: Rgb = [240, 228, 66];

/// Shapes of marks, and whether they are hollow.
const SHAPES: [(Shape, bool); 12] = [
    (Shape::Circle, false),
    (Shape::Square, false),
    (Shape::Up, false),
    (Shape::Diamond, false),
    (Shape::Down, false),
    (Shape::Cross, false),
    (Shape::Circle, true),
    (Shape::Square, true),
    (Shape::Up, true),
    (Shape::Diamond, true),
    (Shape::Down, true),
    (Shape::Plus, false),
];

/// Strokes and gaps in turn, in widths of the line.
const DASHES: [&[f64]; 12] = [
    &[],
    &[4.0, 3.0],
    &[0.0, 2.5],
    &[5.0, 3.0, 0.0, 3.0],
    &[9.0, 3.5],
    &[5.0, 3.0, 0.0, 3.0, 0.0, 3.0],
    &[1.5, 3.0],
    &[9.0, 3.0, 0.0, 3.0],
    &[0.0, 5.0],
    &[9.0, 3.0, 3.0, 3.0],
    &[3.0, 6.0],
    &[5.0, 3.0, 5.0, 3.0, 0.0, 3.0],
];

/// Text size and colors of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// Size of the text in pixels, by which everything else is measured.
    pub em: f64,
    pub paper: Rgb,
    /// Titles and labels.
    pub ink: Rgb,
    /// Axes.
    pub axis: Rgb,
    quiet: Rgb,
    pub grid: Rgb,
    /// The grid line at zero.
    pub zero: Rgb,
    series: [Rgb; 7],
}

impl Page {
    pub fn new(theme: Theme, em: f64) -> Self {
        let (paper, ink) = theme.page();
        let mix = |part: f64| {
            std::array::from_fn(|k| {
                let [from, to] = [f64::from(paper[k]), f64::from(ink[k])];
                (from + part * (to - from)).round() as u8
            })
        };
        let series = match theme {
            Theme::Light | Theme::Paper => {
                [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, [20, 20, 24]]
            }
            Theme::Dark => [SKY, VERMILION, GREEN, PURPLE, ORANGE, YELLOW, [235, 238, 244]],
        };
        let [axis, quiet, grid, zero] = [0.7, 0.85, 0.12, 0.4].map(mix);
        Self { em, paper, ink, axis, quiet, grid, zero, series }
    }

    /// Titles and labels, `size` times as large as the text.
    pub fn text(&self, size: f64, anchor: Anchor) -> Lettering {
        let face = Face { size: size * self.em, bold: false };
        Lettering { face, color: self.ink, anchor, rotated: false }
    }

    /// Figures along the axes and notes.
    pub fn quiet(&self, anchor: Anchor) -> Lettering {
        Lettering { color: self.quiet, ..self.text(0.92, anchor) }
    }

    /// Axes and grid: whole pixels wide.
    pub fn hair(&self, color: Rgb) -> Pen {
        Pen { color, width: (self.em / 13.0).round().max(1.0), dash: &[] }
    }

    /// The point nearest to `x` at which such a line fills whole pixels.
    pub fn crisp(&self, x: f64) -> f64 {
        let middle = 0.5 * (self.hair(self.axis).width % 2.0);
        (x - middle).round() + middle
    }
}

/// How one series looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    pub line: Option<Pen>,
    /// The mark of a point; a line alone uses it for a point without neighbors.
    pub marker: Marker,
    pub marked: bool,
}

impl Style {
    /// The looks of the series with a number among those of its kind.
    fn new(number: usize, mark: Mark, page: &Page) -> Self {
        let em = page.em;
        let guide = mark == Mark::Guide;
        let color = if guide { page.quiet } else { page.series[number % page.series.len()] };
        let dash: &[f64] = match mark {
            Mark::Line => DASHES[number % DASHES.len()],
            Mark::Guide => DASHES[1 + number % (DASHES.len() - 1)],
            Mark::Dots | Mark::Both => &[],
        };
        let width = em * if guide { 0.075 } else { 0.125 };
        let line = (mark != Mark::Dots).then_some(Pen { color, width, dash });
        let (shape, hollow) = SHAPES[number % SHAPES.len()];
        let (fill, edge) = if hollow { (page.paper, color) } else { (color, page.paper) };
        let width = em * if hollow { 0.11 } else { 0.06 };
        let radius = em * if hollow { 0.27 } else { 0.31 };
        let marker = Marker { shape, radius, fill, edge: Pen { color: edge, width, dash: &[] } };
        Self { line, marker, marked: matches!(mark, Mark::Dots | Mark::Both) }
    }

    /// The looks of every series of every chart: equal names look alike. A chart that shares no
    /// name with those before it starts anew.
    pub fn all(figure: &Figure, page: &Page) -> Vec<Vec<Self>> {
        let (mut names, mut guides) = (Names::default(), Names::default());
        let of_chart = |chart: &Chart| {
            names.meet(chart, |series| series.mark != Mark::Guide);
            guides.meet(chart, |series| series.mark == Mark::Guide);
            let all = chart.series.iter().enumerate().map(|(index, series)| {
                let names = if series.mark == Mark::Guide { &guides } else { &names };
                let number = names.number(&series.name).unwrap_or(index);
                Self::new(number, series.mark, page)
            });
            all.collect()
        };
        figure.charts.iter().map(of_chart).collect()
    }
}

/// Which number, and so which looks, a name has.
#[derive(Default)]
struct Names(Vec<(String, usize)>);

impl Names {
    fn number(&self, name: &str) -> Option<usize> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }

    /// Gives a number to every new name of a chart among the series of a kind.
    fn meet(&mut self, chart: &Chart, kind: impl Fn(&Series) -> bool) {
        let named = chart.series.iter().filter(|s| kind(s) && !s.name.is_empty());
        let shares = named.clone().any(|series| self.number(&series.name).is_some());
        let known = self.0.iter().map(|(_, number)| *number);
        let mut taken: Vec<usize> = if shares { known.collect() } else { Vec::new() };
        for series in named {
            if self.number(&series.name).is_none() {
                let number = (0..).find(|number| !taken.contains(number)).unwrap_or(0);
                taken.push(number);
                self.0.push((series.name.clone(), number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(names: &[&str], mark: Mark) -> Chart {
        let series = names.iter().map(|name| Series::new(*name, mark, Vec::new()));
        Chart { series: series.collect(), ..Chart::default() }
    }

    fn styles(charts: Vec<Chart>) -> Vec<Vec<Style>> {
        let figure = Figure { charts, ..Figure::default() };
        Style::all(&figure, &Page::new(Theme::Light, 13.0))
    }

    #[test]
    fn twelve_series_differ_without_color() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let lines = styles(vec![chart(&names, Mark::Line)]).remove(0);
        let marks = styles(vec![chart(&names, Mark::Both)]).remove(0);
        let dash = |k: usize| lines[k].line.map(|pen| pen.dash);
        let appearance = |k: usize| (marks[k].marker.shape, marks[k].marker.fill == [255; 3]);
        for (i, j) in (0..12).flat_map(|i| (0..i).map(move |j| (i, j))) {
            assert_ne!(dash(i), dash(j));
            assert_ne!(appearance(i), appearance(j));
        }
    }

    #[test]
    fn equal_names_look_alike_in_all_charts_and_new_lists_start_anew() {
        let lists = [["a", "b"], ["b", "c"], ["x", "y"]];
        let found = styles(lists.map(|names| chart(&names, Mark::Both)).into());
        assert_eq!(found[0][1], found[1][0]);
        assert!(found[1][1] != found[0][0] && found[1][1] != found[0][1]);
        assert_eq!(found[2], found[0]);
        let unnamed = styles(vec![chart(&["", ""], Mark::Line), chart(&[""], Mark::Line)]);
        assert_ne!(unnamed[0][0], unnamed[0][1]);
        assert_eq!(unnamed[0][0], unnamed[1][0]);
    }

    #[test]
    fn guides_do_not_use_up_colors() {
        let mut mixed = chart(&["limit", "a"], Mark::Both);
        mixed.series[0].mark = Mark::Guide;
        let found = styles(vec![mixed, chart(&["a"], Mark::Both)]);
        assert_eq!(found[0][1].marker.fill, BLUE);
        assert_eq!(found[0][1], found[1][0]);
    }
}
