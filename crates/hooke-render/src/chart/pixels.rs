//! A canvas of pixels.

use super::canvas::{Area, Canvas, Lettering, Marker, Pen, Place, Rgb};
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
    fn rectangle(&mut self, area: Area, colour: Rgb) {
        fill(&mut self.image, [area.left, area.top], [area.right, area.bottom], colour);
    }

    fn line(&mut self, points: &[Place], pen: &Pen) {
        let mut ink = Ink::default();
        for stroke in dashes(points, pen) {
            ink.stroke(&stroke, pen.width);
        }
        ink.blend(&mut self.image, pen.colour);
    }

    fn marks(&mut self, places: &[Place], marker: &Marker) {
        const ROUND: usize = 32;
        let Marker { shape, radius, fill, edge } = *marker;
        for &[x, y] in places {
            let corner = |[dx, dy]: Place| [x + radius * dx, y + radius * dy];
            let mut outline: Vec<Place> = if shape.corners().is_empty() {
                let turn = |k| std::f64::consts::TAU * k as f64 / ROUND as f64;
                (0..ROUND).map(|k| corner([turn(k).cos(), turn(k).sin()])).collect()
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

    fn text(&mut self, text: &str, at: Place, lettering: &Lettering) {
        let Lettering { face, colour, anchor, turned } = *lettering;
        let before = anchor.part() * face.width(text);
        let start = if turned { [at[0], at[1] + before] } else { [at[0] - before, at[1]] };
        let mut ink = Ink::default();
        face.write(&mut ink, text, start, turned);
        ink.blend(&mut self.image, colour);
    }
}

/// The strokes of a dashed line.
fn dashes(points: &[Place], pen: &Pen) -> Vec<Vec<Place>> {
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
        let pen = Pen { colour: [0; 3], width: 2.0, dash: &[1.5, 1.0] };
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
