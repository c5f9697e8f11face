//! Antialiased strokes and filled shapes on an image.
//!
//! Coverage is gathered in a mask first and blended once, so that a stroke which crosses itself, or
//! a letter made of several, has no darker spots. Coverage of a pixel follows from the distance of
//! its center to the shape: exact for straight edges along an axis, and close to it otherwise.

use crate::{Image, scan::pixels};
use std::ops::Range;

/// A point on an image: pixels to the right of and below its upper left corner.
pub(crate) type Point2 = [f64; 2];

/// Strokes and shapes to be drawn in one color.
#[derive(Default)]
pub(crate) struct Ink {
    strokes: Vec<Stroke>,
    polygons: Vec<Vec<Point2>>,
}

/// A straight piece of a stroke with round ends.
struct Stroke {
    ends: [Point2; 2],
    width: f64,
}

impl Ink {
    /// Adds a stroke with round ends and joints; a single point gives a disk.
    pub fn stroke(&mut self, points: &[Point2], width: f64) {
        if let [point] = points {
            self.strokes.push(Stroke { ends: [*point; 2], width });
        }
        let pairs = points.windows(2);
        self.strokes.extend(pairs.map(|pair| Stroke { ends: [pair[0], pair[1]], width }));
    }

    /// Adds the inside of a closed polygon, by the even-odd rule.
    pub fn polygon(&mut self, corners: &[Point2]) {
        self.polygons.push(corners.to_vec());
    }

    /// Lays everything over the image in the color `rgb`; what is outside is cut off.
    pub fn blend(&self, image: &mut Image, rgb: [u8; 3]) {
        let mut mask = self.mask(image);
        self.strokes.iter().for_each(|stroke| mask.stroke(stroke));
        self.polygons.iter().for_each(|corners| mask.polygon(corners));
        let width = mask.columns.len();
        for (row, line) in mask.rows.clone().zip(mask.coverage.chunks(width.max(1))) {
            let start = row as usize * image.width as usize + mask.columns.start as usize;
            let pixels = image.pixels[4 * start..4 * (start + width)].chunks_exact_mut(4);
            pixels.zip(line).for_each(|(pixel, &cover)| lay(pixel, rgb, cover));
        }
    }

    /// An empty mask that reaches as far as the ink within the image.
    fn mask(&self, image: &Image) -> Mask {
        let ends = self.strokes.iter().flat_map(|s| s.ends.map(|end| (end, 0.5 * s.width)));
        let corners = self.polygons.iter().flatten().map(|&corner| (corner, 0.0));
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for (point, radius) in ends.chain(corners) {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis] - radius - 1.0);
                high[axis] = high[axis].max(point[axis] + radius + 1.0);
            }
        }
        let columns = pixels(low[0], high[0], image.width);
        let rows = pixels(low[1], high[1], image.height);
        Mask { coverage: vec![0.0; columns.len() * rows.len()], columns, rows }
    }
}

/// Fills a rectangle along the axes.
pub(crate) fn fill(image: &mut Image, low: Point2, high: Point2, rgb: [u8; 3]) {
    let share = |axis: usize, pixel: u32| {
        let start = f64::from(pixel);
        ((start + 1.0).min(high[axis]) - start.max(low[axis])).clamp(0.0, 1.0)
    };
    for row in pixels(low[1], high[1], image.height) {
        for column in pixels(low[0], high[0], image.width) {
            let at = 4 * (row as usize * image.width as usize + column as usize);
            let cover = share(0, column) * share(1, row);
            lay(&mut image.pixels[at..at + 4], rgb, cover as f32);
        }
    }
}

/// Mixes a color into a pixel.
fn lay(pixel: &mut [u8], rgb: [u8; 3], cover: f32) {
    for (byte, new) in pixel.iter_mut().zip(rgb) {
        let old = f32::from(*byte);
        *byte = (old + (f32::from(new) - old) * cover + 0.5) as u8;
    }
}

/// How much of every pixel in some rows and columns of an image is covered, `0..=1`.
struct Mask {
    columns: Range<u32>,
    rows: Range<u32>,
    coverage: Vec<f32>,
}

impl Mask {
    fn stroke(&mut self, &Stroke { ends: [from, to], width }: &Stroke) {
        let reach = 0.5 * width + 1.0;
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let [top, bottom] = [from[1].min(to[1]), from[1].max(to[1])];
        for row in within(&self.rows, top - reach, bottom + reach) {
            let y = f64::from(row) + 0.5;
            let part = |side: f64| ((y + side - from[1]) / dy).clamp(0.0, 1.0);
            let parts = if dy == 0.0 { [0.0, 1.0] } else { [part(-reach), part(reach)] };
            let [a, b] = parts.map(|t| from[0] + t * dx);
            for column in within(&self.columns, a.min(b) - reach, a.max(b) + reach) {
                let away = distance([f64::from(column) + 0.5, y], from, to);
                self.cover(column, row, (0.5 * width + 0.5 - away).min(width));
            }
        }
    }

    fn polygon(&mut self, corners: &[Point2]) {
        let span = |axis: usize| {
            let low = corners.iter().fold(f64::INFINITY, |low, p| low.min(p[axis]));
            let high = corners.iter().fold(f64::NEG_INFINITY, |high, p| high.max(p[axis]));
            [low - 1.0, high + 1.0]
        };
        let [[left, right], [top, bottom]] = [span(0), span(1)];
        for row in within(&self.rows, top, bottom) {
            for column in within(&self.columns, left, right) {
                let at = [f64::from(column) + 0.5, f64::from(row) + 0.5];
                let next = corners.iter().cycle().skip(1);
                let (mut away, mut inside) = (f64::INFINITY, false);
                for (&from, &to) in corners.iter().zip(next) {
                    away = away.min(distance(at, from, to));
                    let crossing = (from[1] <= at[1]) != (to[1] <= at[1]);
                    let side = (to[0] - from[0]) * (at[1] - from[1])
                        - (at[0] - from[0]) * (to[1] - from[1]);
                    inside ^= crossing && (side > 0.0) == (to[1] > from[1]);
                }
                self.cover(column, row, if inside { 0.5 + away } else { 0.5 - away });
            }
        }
    }

    fn cover(&mut self, column: u32, row: u32, coverage: f64) {
        let line = (row - self.rows.start) as usize * self.columns.len();
        let old = &mut self.coverage[line + (column - self.columns.start) as usize];
        *old = old.max(coverage.clamp(0.0, 1.0) as f32);
    }
}

/// The part of `range` that the interval touches.
fn within(range: &Range<u32>, low: f64, high: f64) -> Range<u32> {
    let touched = pixels(low, high, range.end);
    touched.start.max(range.start)..touched.end
}

/// How far a point is from a straight line between two others.
fn distance(at: Point2, from: Point2, to: Point2) -> f64 {
    let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    let [px, py] = [at[0] - from[0], at[1] - from[1]];
    let length = dx * dx + dy * dy;
    let t = if length > 0.0 { ((px * dx + py * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    let [x, y] = [px - t * dx, py - t * dy];
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inked(draw: impl Fn(&mut Ink)) -> (Image, f64) {
        let mut image = Image::filled(40, 30, [255; 3]);
        let mut ink = Ink::default();
        draw(&mut ink);
        ink.blend(&mut image, [0; 3]);
        let sum = image.pixels.chunks(4).map(|p| 1.0 - f64::from(p[0]) / 255.0).sum();
        (image, sum)
    }

    #[test]
    fn ink_is_the_area_of_the_shape() {
        let square = [[10.25, 5.5], [20.25, 5.5], [20.25, 15.5], [10.25, 15.5]];
        let (image, sum) = inked(|ink| ink.polygon(&square));
        assert!((sum - 100.0).abs() < 1.0, "{sum}");
        assert_eq!(image.pixel(15, 10), Some([0, 0, 0, 255]));
        assert_eq!(image.pixel(8, 10), Some([255; 4]));
        let mut filled = Image::filled(40, 30, [255; 3]);
        fill(&mut filled, square[0], square[2], [0; 3]);
        let apart = filled.pixels.iter().zip(&image.pixels).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(apart <= Some(60), "the two differ at the corners only: {apart:?}");
        assert_eq!(filled.pixel(10, 10), Some([64, 64, 64, 255]));
        let (_, sum) = inked(|ink| ink.stroke(&[[20.0, 15.0]], 16.0));
        assert!((sum - std::f64::consts::PI * 64.0).abs() < 2.0, "{sum}");
        let (_, sum) = inked(|ink| ink.stroke(&[[5.0, 5.0], [35.0, 25.0]], 2.0));
        let area = 2.0 * (30.0_f64.powi(2) + 20.0_f64.powi(2)).sqrt() + std::f64::consts::PI;
        assert!((sum - area).abs() < 0.05 * area, "{sum} for {area}");
    }

    #[test]
    fn crossing_strokes_are_inked_once_and_what_is_outside_is_cut() {
        let cross = [[[10.0, 10.5], [30.0, 10.5]], [[20.5, 2.0], [20.5, 20.0]]];
        let (image, _) = inked(|ink| cross.iter().for_each(|line| ink.stroke(line, 0.5)));
        assert_eq!(image.pixel(20, 10), image.pixel(12, 10));
        let (_, sum) = inked(|ink| {
            ink.stroke(&[[-1e6, -3.0], [1e6, 40.0]], 1.0);
            ink.polygon(&[[-9.0, -9.0], [-9.0, -5.0], [-5.0, -9.0]]);
            ink.polygon(&[]);
            ink.stroke(&[], 1.0);
        });
        assert!(sum > 30.0 && sum < 80.0, "{sum}");
    }
}
