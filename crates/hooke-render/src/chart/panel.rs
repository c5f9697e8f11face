//! One chart: its margins, axes, data and notes.

use super::{
    Axis, Chart, Scale,
    canvas::{Anchor, Area, Canvas, Lettering, Point2},
    curve::{self, Curve},
    legend::Legend,
    range::Range,
    style::{Page, Style},
    ticks::{Room, Ticks, power, ticks},
};

/// A chart that is ready to be laid out.
pub(crate) struct Panel<'a> {
    chart: &'a Chart,
    styles: &'a [Style],
    page: &'a Page,
    curves: Vec<Curve>,
    x: Range,
    y: Range,
    note: String,
    /// Names of the series, unless the figure lists them.
    legend: Legend,
}

/// Length of a tick, in sizes of the text.
const TICK: f64 = 0.35;
/// Distance from an axis to the labels of its ticks.
const LABEL: f64 = 0.6;
/// Height of a line of labels or notes.
const LINE: f64 = 1.5;

impl<'a> Panel<'a> {
    pub fn new(chart: &'a Chart, styles: &'a [Style], page: &'a Page, legend: Legend) -> Self {
        let curves: Vec<Curve> = chart.series.iter().map(|s| Curve::new(s, chart)).collect();
        // Lines alone may touch the ends of the horizontal axis; marks must not be cut.
        let margin = if styles.iter().any(|style| style.marked) { 0.04 } else { 0.0 };
        let coordinates = |axis: usize| curves.iter().flat_map(Curve::points).map(move |p| p[axis]);
        let x = Range::around(chart.x.scale, coordinates(0), margin);
        let y = Range::around(chart.y.scale, coordinates(1), 0.05);
        let note = curve::note(&curves);
        Self { chart, styles, page, curves, x, y, note, legend }
    }

    /// Room above the axes.
    pub fn top(&self) -> f64 {
        self.page.em * if self.chart.title.is_empty() { 0.6 } else { 1.9 }
    }

    /// Room below the axes of a panel of a size.
    pub fn bottom(&self, size: [f64; 2]) -> f64 {
        self.below() + self.legend.height(size, self.page)
    }

    /// Room for the words below the axes.
    fn below(&self) -> f64 {
        let words = [label(&self.chart.x, &self.x), self.note.clone()];
        let lines = 1 + words.iter().filter(|text| !text.is_empty()).count();
        (LABEL + LINE * lines as f64) * self.page.em
    }

    /// Room to the left of a vertical axis `height` long.
    pub fn left(&self, height: f64) -> f64 {
        let figures = self.page.quiet(Anchor::End).face;
        let ticks = self.y_ticks(height);
        let labels = ticks.labeled.iter().map(|tick| figures.width(&tick.label));
        let widest = labels.fold(0.0, f64::max);
        let label = if label(&self.chart.y, &self.y).is_empty() { 0.0 } else { LINE };
        widest + (LABEL + label) * self.page.em
    }

    /// How far a label of the horizontal axis, `width` long, reaches beyond its right end.
    pub fn right(&self, width: f64) -> f64 {
        let figures = self.page.quiet(Anchor::Middle).face;
        let ticks = self.x_ticks(width);
        let reach = ticks.labeled.last().map_or(0.0, |tick| {
            (self.x.part(tick.at) - 1.0) * width + 0.5 * figures.width(&tick.label)
        });
        reach.max(0.0)
    }

    fn x_ticks(&self, width: f64) -> Ticks {
        let face = self.page.quiet(Anchor::Middle).face;
        let (spacing, gap) = (3.5 * self.page.em, 1.1 * self.page.em);
        ticks(&self.x, &Room { length: width, spacing, gap, extent: &|label| face.width(label) })
    }

    fn y_ticks(&self, height: f64) -> Ticks {
        let (spacing, line) = (1.9 * self.page.em, self.page.em);
        ticks(&self.y, &Room { length: height, spacing, gap: 0.4 * line, extent: &|_| line })
    }

    /// Draws everything; `plot` is where the data go, `cell` the whole room of the panel.
    pub fn draw(&self, canvas: &mut dyn Canvas, plot: Area, cell: Area) {
        self.axes(canvas, plot);
        self.words(canvas, plot, cell);
        self.data(canvas, plot);
        let position = [plot.center()[0], plot.bottom + self.below()];
        self.legend.draw(canvas, cell, position, self.page);
    }

    fn axes(&self, canvas: &mut dyn Canvas, plot: Area) {
        let page = self.page;
        let (x_ticks, y_ticks) = (self.x_ticks(plot.width()), self.y_ticks(plot.height()));
        let x = |at: f64| page.crisp(plot.left + self.x.part(at) * plot.width());
        let y = |at: f64| page.crisp(plot.bottom - self.y.part(at) * plot.height());
        let (grid, axis) = (page.hair(page.grid), page.hair(page.axis));
        for at in x_ticks.labeled.iter().map(|tick| tick.at) {
            canvas.line(&[[x(at), plot.top], [x(at), plot.bottom]], &grid);
        }
        for at in y_ticks.labeled.iter().map(|tick| tick.at) {
            let zero = self.y.scale == Scale::Linear && at == 0.0;
            let pen = if zero { page.hair(page.zero) } else { grid };
            canvas.line(&[[plot.left, y(at)], [plot.right, y(at)]], &pen);
        }
        let corner = [plot.left, plot.bottom];
        canvas.line(&[[plot.left, plot.top], corner, [plot.right, plot.bottom]], &axis);

        let (long, short) = (TICK * page.em, 0.6 * TICK * page.em);
        let below = |at: f64, length: f64| [[x(at), plot.bottom], [x(at), plot.bottom + length]];
        let beside = |at: f64, length: f64| [[plot.left - length, y(at)], [plot.left, y(at)]];
        x_ticks.minor.iter().for_each(|&at| canvas.line(&below(at, short), &axis));
        y_ticks.minor.iter().for_each(|&at| canvas.line(&beside(at, short), &axis));
        let (under, left) = (page.quiet(Anchor::Middle), page.quiet(Anchor::End));
        let half = left.face.middle();
        for tick in &x_ticks.labeled {
            canvas.line(&below(tick.at, long), &axis);
            let baseline = plot.bottom + LABEL * page.em + 2.0 * half;
            canvas.text(&tick.label, [x(tick.at), baseline], &under);
        }
        for tick in &y_ticks.labeled {
            canvas.line(&beside(tick.at, long), &axis);
            let end = plot.left - LABEL * page.em;
            canvas.text(&tick.label, [end, y(tick.at) + half], &left);
        }
    }

    /// Title, labels of the axes and the note.
    fn words(&self, canvas: &mut dyn Canvas, plot: Area, cell: Area) {
        let (page, em) = (self.page, self.page.em);
        let [middle, center] = plot.center();
        let mut title = page.text(1.08, Anchor::Start);
        title.face.bold = true;
        let room = cell.right - plot.left;
        write(canvas, &self.chart.title, [plot.left, plot.top - 0.8 * em], &title, room);

        let lettering = page.text(1.0, Anchor::Middle);
        let upwards = Lettering { rotated: true, ..lettering };
        let start = [plot.left - self.left(plot.height()) + 0.85 * em, center];
        write(canvas, &label(&self.chart.y, &self.y), start, &upwards, plot.height() + 1.5 * em);
        let mut baseline = plot.bottom + (LABEL + 0.75) * em;
        let text = label(&self.chart.x, &self.x);
        if !text.is_empty() {
            baseline += LINE * em;
            write(canvas, &text, [middle, baseline], &lettering, plot.width());
        }
        let note = page.quiet(Anchor::Start);
        let position = [plot.left, baseline + LINE * em];
        write(canvas, &self.note, position, &note, room);
        if self.curves.iter().all(|curve| curve.runs.is_empty()) {
            let none = page.quiet(Anchor::Middle);
            write(canvas, "no data", plot.center(), &none, plot.width());
        }
    }

    fn data(&self, canvas: &mut dyn Canvas, plot: Area) {
        let position = |[x, y]: Point2| {
            let right = self.x.part(x) * plot.width();
            [plot.left + right, plot.bottom - self.y.part(y) * plot.height()]
        };
        let mut marks = Vec::new();
        for (number, (curve, style)) in self.curves.iter().zip(self.styles).enumerate() {
            let mut points = Vec::new();
            for run in &curve.runs {
                let line: Vec<Point2> = run.iter().copied().map(position).collect();
                match (&style.line, &line[..]) {
                    (Some(_), [_]) | (None, _) => points.extend(line),
                    (Some(pen), _) => {
                        canvas.line(&curve::thin(&line), pen);
                        if style.marked {
                            let start = (0.382 * number as f64 + 0.25).fract();
                            points.extend(curve::along(&line, self.page.em, start));
                        }
                    }
                }
            }
            marks.push((curve::sparse(points, style.marker.radius), style.marker));
        }
        for (points, marker) in marks.iter().filter(|(points, _)| !points.is_empty()) {
            canvas.marks(points, marker);
        }
    }
}

/// What stands along an axis: its label, with the power of ten that its figures leave out before
/// the unit, as in `energy (10⁻³ J)`.
fn label(axis: &Axis, range: &Range) -> String {
    let label = &axis.label;
    if range.factor() == 0 {
        return label.clone();
    }
    let power = power(range.factor());
    match label.strip_suffix(')').and_then(|label| label.rsplit_once(" (")) {
        Some((quantity, unit)) => format!("{quantity} ({power} {unit})"),
        None => format!("{label} ({power})").trim_start().to_owned(),
    }
}

/// A text, shortened to a width.
fn write(canvas: &mut dyn Canvas, text: &str, at: Point2, lettering: &Lettering, room: f64) {
    let text = lettering.face.shorten(text, room);
    if !text.is_empty() {
        canvas.text(&text, at, lettering);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_of_an_axis_holds_the_power_of_ten() {
        let say = |text: &str, high: f64| {
            label(&Axis::linear(text), &Range { scale: Scale::Linear, low: 0.0, high })
        };
        assert_eq!(say("energy (J)", 5.0), "energy (J)");
        assert_eq!(say("energy (J)", 5e-7), "energy (10⁻⁹ J)");
        assert_eq!(say("f(x)", 2e6), "f(x) (10⁶)");
        assert_eq!(say("", 2e6), "(10⁶)");
    }
}
