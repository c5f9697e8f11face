//! The list of names and looks under a chart or a figure.

use super::{
    Chart,
    canvas::{Anchor, Area, Canvas, Lettering, Point2},
    style::{Page, Style},
};

/// Gap above a legend, in sizes of the text.
const GAP: f64 = 0.7;

/// Names and looks, each name once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Legend {
    entries: Vec<(String, Style)>,
}

impl Legend {
    pub fn new(chart: &Chart, styles: &[Style]) -> Self {
        let all = chart.series.iter().zip(styles);
        let named = all.filter(|(series, _)| !series.name.is_empty());
        Self::once(named.map(|(series, style)| (series.name.as_str(), *style)))
    }

    /// What is in any of several legends.
    pub fn of_all(legends: &[Self]) -> Self {
        let entries = legends.iter().flat_map(|legend| &legend.entries);
        Self::once(entries.map(|(name, style)| (name.as_str(), *style)))
    }

    fn once<'a>(all: impl Iterator<Item = (&'a str, Style)>) -> Self {
        let mut entries: Vec<(String, Style)> = Vec::new();
        for (name, style) in all {
            match entries.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => {
                    known.line = known.line.or(style.line);
                    known.marked |= style.marked;
                }
                None => entries.push((name.to_owned(), style)),
            }
        }
        Self { entries }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Height in pixels that the legend takes of an area of a size, with the gap above it.
    pub fn height(&self, size: [f64; 2], page: &Page) -> f64 {
        let Some(table) = Table::new(self, size, page) else { return 0.0 };
        GAP * page.em + table.rows as f64 * table.line
    }

    /// Draws the legend within the width of an area, with its gap from `top` on, and as far as it
    /// can around `middle`.
    pub fn draw(&self, canvas: &mut dyn Canvas, area: Area, [middle, top]: Point2, page: &Page) {
        let size = [area.width(), area.height()];
        let Some(table) = Table::new(self, size, page) else { return };
        let width: f64 = table.widths.iter().sum::<f64>() - table.gap;
        let left = (middle - 0.5 * width).min(area.right - width).max(area.left);
        let top = top + GAP * page.em;
        for (k, (_, style)) in self.entries.iter().enumerate() {
            let (row, column) = (k / table.columns, k % table.columns);
            let x = left + table.widths[..column].iter().sum::<f64>();
            let y = top + (row as f64 + 0.5) * table.line;
            let middle = x + 0.5 * table.sample;
            if let Some(pen) = &style.line {
                canvas.line(&[[x, y], [x + table.sample, y]], pen);
            }
            if style.marked {
                canvas.marks(&[[middle, y]], &style.marker);
            }
            let text = table.lettering;
            let start = x + table.sample + table.space;
            canvas.text(&table.names[k], [start, y + text.face.middle()], &text);
        }
    }
}

/// How the entries stand in rows and columns.
struct Table {
    lettering: Lettering,
    names: Vec<String>,
    rows: usize,
    columns: usize,
    /// Width of each column, gap included.
    widths: Vec<f64>,
    /// Height of a row.
    line: f64,
    /// Length of the sample before a name.
    sample: f64,
    /// Space between a sample and its name.
    space: f64,
    /// Gap between two columns.
    gap: f64,
}

impl Table {
    /// The table with the longest names that leaves room for the data; none if there is nothing to
    /// list, or no room for it.
    fn new(legend: &Legend, size: [f64; 2], page: &Page) -> Option<Self> {
        const NAMES: [f64; 3] = [22.0, 14.0, 9.0];
        let part = |table: &Self| table.rows as f64 * table.line / size[1];
        let tables =
            NAMES.map(|longest| Self::with_names(legend, size[0], longest * page.em, page));
        let best = tables.iter().position(|table| part(table) <= 0.3);
        let table = tables.into_iter().nth(best.unwrap_or(NAMES.len() - 1))?;
        (table.rows > 0 && part(&table) <= 0.5).then_some(table)
    }

    /// The table of a width in which no name is wider than `longest`.
    fn with_names(legend: &Legend, width: f64, longest: f64, page: &Page) -> Self {
        let em = page.em;
        let (space, gap, line) = (0.55 * em, 1.8 * em, 1.55 * em);
        let marks_alone = legend.entries.iter().all(|(_, style)| style.line.is_none());
        let sample = em * if marks_alone { 0.7 } else { 2.6 };
        let lettering = page.text(1.0, Anchor::Start);
        let longest = longest.min(width - sample - space);
        let shorten = |(name, _): &(String, Style)| lettering.face.shorten(name, longest);
        let names: Vec<String> = legend.entries.iter().map(shorten).collect();
        let widths = |columns: usize| -> Vec<f64> {
            let entry = |name: &String| sample + space + lettering.face.width(name) + gap;
            let column = |k: usize| names.iter().skip(k).step_by(columns).map(entry);
            (0..columns).map(|k| column(k).fold(0.0, f64::max)).collect()
        };
        let fits = |columns: &usize| widths(*columns).iter().sum::<f64>() - gap <= width;
        let most = (1..=names.len()).rev().find(fits).unwrap_or(1);
        let rows = names.len().div_ceil(most);
        // Even columns, if the names that then meet in one leave room for them.
        let even = names.len().div_ceil(rows.max(1)).max(1);
        let columns = if fits(&even) { even } else { most };
        let widths = widths(columns);
        Self { lettering, names, rows, columns, widths, line, sample, space, gap }
    }
}
