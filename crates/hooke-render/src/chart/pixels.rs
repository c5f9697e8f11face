//! A canvas of pixels.

use super::canvas::{Area, Canvas, Lettering, Marker, Pen, Point2, Rgb};
use crate::{
    Image,
    ink::{Ink, fill},
};

/// An image in the making.
pub(crate) struct Pixels {
    image: Image,
}

impl Pixels {
    pub fn new(width: u32, height: u32) -> Self {
        Self { image: Image::filled(width, height, [255; 3]) }
    }

    pub fn finish(self) -> Image {
        self.image
    }
}

impl Canvas for Pixels {
    fn rectangle(&mut self, area: Area, color: Rgb) {
        fill(&mut self.image, [area.left, area.top], [area.right, area.bottom], color);
    }

    fn line(&mut self, points: &[Point2], pen: &Pen) {
        let mut ink = Ink::default();
        for stroke in dashes(points, pen) {
            ink.stroke(&stroke, pen.width);
        }
        ink.blend(&mut self.image, pen.color);
    }

    fn marks(&mut self, points: &[Point2], marker: &Marker) {
        const ROUND: usize = 32;
        let Marker { shape, radius, fill, edge } = *marker;
        for &[x, y] in points {
            let corner = |[dx, dy]: Point2| [x + radius * dx, y + radius * dy];
            let mut outline: Vec<Point2> = if shape.corners().is_empty() {
                let rotation = |k| std::f64::consts::TAU * k as f64 / ROUND as f64;
                (0..ROUND).map(|k| corner([rotation(k).cos(), rotation(k).sin()])).collect()
            } else {
                shape.corners().iter().copied().map(corner).collect()
            };
            let mut ink = Ink::default();
            ink.polygon(&outline);
            ink.blend(&mut self.image, fill);
            outline.extend(outline.first().copied());
            self.line(&outline, &edge);
        }
    }

    fn text(&mut self, text: &str, at: Point2, lettering: &Lettering) {
        let Lettering { face, color, anchor, rotated } = *lettering;
        let before = anchor.part() * face.width(text);
        let start = if rotated { [at[0], at[1] + before] } else { [at[0] - before, at[1]] };
        let mut ink = Ink::default();
        face.write(&mut ink, text, start, rotated);
        ink.blend(&mut self.image, color);
    }
}

/// The strokes of a dashed line.
fn dashes(points: &[Point2], pen: &Pen) -> Vec<Vec<Point2>> {
    let Some((&first, rest)) = points.split_first() else { return Vec::new() };
    let lengths = pen.dash.iter().map(|length| length * pen.width);
    if pen.dash.is_empty() || lengths.clone().sum::<f64>() <= 0.0 {
        return vec![points.to_vec()];
    }
    let mut lengths = lengths.cycle();
    let mut left = lengths.next().unwrap_or(f64::INFINITY);
    let (mut strokes, mut drawing, mut at) = (vec![vec![first]], true, first);
    for &to in rest {
        loop {
            let [dx, dy] = [to[0] - at[0], to[1] - at[1]];
            let length = (dx * dx + dy * dy).sqrt();
            let ends = left <= length;
            at = if ends && length > 0.0 {
                [at[0] + dx * left / length, at[1] + dy * left / length]
            } else {
                to
            };
            if let Some(stroke) = strokes.last_mut().filter(|_| drawing) {
                stroke.push(at);
            }
            if !ends {
                left -= length;
                break;
            }
            drawing = !drawing;
            left = lengths.next().unwrap_or(f64::INFINITY);
            if drawing {
                strokes.push(vec![at]);
            }
        }
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_around_corners() {
        let pen = Pen { color: [0; 3], width: 2.0, dash: &[1.5, 1.0] };
        let line = [[0.0, 0.0], [4.0, 0.0], [4.0, 8.0]];
        let found = dashes(&line, &pen);
        let wanted = [
            vec![[0.0, 0.0], [3.0, 0.0]],
            vec![[4.0, 1.0], [4.0, 4.0]],
            vec![[4.0, 6.0], [4.0, 8.0]],
        ];
        assert_eq!(found, wanted);
        let dots = Pen { dash: &[0.0, 2.0], ..pen };
        assert_eq!(dashes(&line, &dots).len(), 4);
        let plain = Pen { dash: &[], ..pen };
        assert_eq!(dashes(&line, &plain), [line.to_vec()]);
        assert!(dashes(&[], &pen).is_empty());
    }
}
