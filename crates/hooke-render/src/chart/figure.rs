//! The page: where the title, the panels and the legend are.

use super::{
    Figure,
    canvas::{Anchor, Area, Canvas},
    legend::Legend,
    panel::Panel,
    style::{Page, Style},
};

impl Figure {
    /// Draws the figure on a canvas of `size` pixels.
    pub(super) fn draw(&self, canvas: &mut dyn Canvas, size: [u32; 2]) {
        let em = if self.text.is_nan() { 13.0 } else { self.text.clamp(4.0, 200.0) };
        let page = &Page::new(self.theme, em);
        let [width, height] = size.map(f64::from);
        canvas.rectangle(Area { left: 0.0, top: 0.0, right: width, bottom: height }, page.paper);

        let styles = Style::all(self, page);
        let charts = || self.charts.iter().zip(&styles);
        let mut legends: Vec<Legend> = charts().map(|(c, s)| Legend::new(c, s)).collect();
        let mut shared = Legend::of_all(&legends);
        // One legend says it all if one chart has the names of all others.
        if legends.iter().any(|legend| legend.len() == shared.len()) {
            legends.fill_with(Legend::default);
        } else {
            shared = Legend::default();
        }
        let panels: Vec<Panel> = charts()
            .zip(legends)
            .map(|((chart, styles), legend)| Panel::new(chart, styles, page, legend))
            .collect();

        let edge = 0.9 * em;
        let inner = Area { left: edge, top: edge, right: width - edge, bottom: height - edge };
        let mut grid = inner;
        if !self.title.is_empty() {
            grid.top += 1.9 * em;
        }
        grid.bottom -= shared.height([inner.width(), inner.height()], page);

        let columns = self.columns.clamp(1, panels.len().max(1));
        let rows = panels.len().div_ceil(columns).max(1);
        let gap = [1.8 * em, 1.2 * em];
        let share =
            |length: f64, count: usize, gap: f64| ((length + gap) / count as f64 - gap).max(1.0);
        let cell = [share(grid.width(), columns, gap[0]), share(grid.height(), rows, gap[1])];
        let margins = Margins::new(&panels, cell, em);
        for (k, panel) in panels.iter().enumerate() {
            let left = grid.left + (k % columns) as f64 * (cell[0] + gap[0]);
            let top = grid.top + (k / columns) as f64 * (cell[1] + gap[1]);
            let area = Area { left, top, right: left + cell[0], bottom: top + cell[1] };
            panel.draw(canvas, margins.inside(area, page), area);
        }

        let start = (grid.left + margins.left).min(inner.right);
        let middle = if columns == 1 { 0.5 * (start + inner.right) } else { 0.5 * width };
        shared.draw(canvas, inner, [middle, grid.bottom], page);
        let mut title = page.text(1.25, Anchor::Start);
        title.face.bold = true;
        let text = title.face.shorten(&self.title, inner.right - start);
        if !text.is_empty() {
            canvas.text(&text, [start, inner.top + em], &title);
        }
    }
}

/// Room around the axes, the same in every panel, so that axes line up.
struct Margins {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Margins {
    fn new(panels: &[Panel], cell: [f64; 2], em: f64) -> Self {
        let [width, height] = cell;
        let largest = |size: &dyn Fn(&Panel) -> f64| panels.iter().map(size).fold(0.0, f64::max);
        let top = largest(&|panel| panel.top());
        let bottom = largest(&|panel| panel.bottom(cell));
        let left = largest(&|panel| panel.left((height - top - bottom).max(1.0)));
        let guess = 0.6 * em;
        let right = guess + largest(&|panel| panel.right((width - left - guess).max(1.0)));
        Self { left, right, top, bottom }
    }

    /// What is left of a cell for the data, at least a pixel.
    fn inside(&self, cell: Area, page: &Page) -> Area {
        let left = page.crisp(cell.left + self.left);
        let top = page.crisp(cell.top + self.top);
        let right = page.crisp(cell.right - self.right).max(left + 1.0);
        let bottom = page.crisp(cell.bottom - self.bottom).max(top + 1.0);
        Area { left, top, right, bottom }
    }
}
