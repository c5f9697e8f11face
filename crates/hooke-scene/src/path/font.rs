//! The outlines of a font's letters, as strokes.

use super::{ROUND, Stroke};
use ttf_parser::{Face, OutlineBuilder};

/// A font whose capital letters are one high.
pub(crate) struct Font<'a> {
    face: Face<'a>,
    /// From the font's units.
    scale: f64,
}

/// The most points of a letter: parts of letters may be put together without end.
const MOST: usize = 1 << 20;

/// How high capital letters are where a font does not say (em).
const CAPITALS: f64 = 0.7;

impl<'a> Font<'a> {
    /// Reads the bytes of a font.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let face = Face::parse(bytes, 0).map_err(|error| format!("is not a font: {error}"))?;
        let em = f64::from(face.units_per_em());
        let high = face.capital_height().map(f64::from).filter(|high| *high > 0.1 * em);
        Ok(Self { scale: 1.0 / high.unwrap_or(CAPITALS * em), face })
    }

    /// The width of a character and its outlines; `None` where there is no such character.
    pub(crate) fn letter(&self, c: char) -> Option<(f64, Vec<Stroke>)> {
        let glyph = self.face.glyph_index(c)?;
        let width = self.face.glyph_hor_advance(glyph).unwrap_or_default();
        let mut outlines = Outlines { scale: self.scale, strokes: Vec::new(), room: MOST };
        self.face.outline_glyph(glyph, &mut outlines);
        outlines.strokes.retain(|stroke| stroke.len() > 1);
        Some((f64::from(width) * self.scale, outlines.strokes))
    }
}

struct Outlines {
    scale: f64,
    strokes: Vec<Stroke>,
    /// How many more points there may be.
    room: usize,
}

impl Outlines {
    /// Takes room for points; `false` where there is none left.
    fn takes(&mut self, points: usize) -> bool {
        let left = self.room.checked_sub(points);
        self.room = left.unwrap_or(0);
        left.is_some()
    }

    fn location(&self, x: f32, y: f32) -> [f64; 2] {
        [f64::from(x) * self.scale, f64::from(y) * self.scale]
    }

    /// Goes along a curve of control points, the first of which is where the pen is.
    fn bend<const N: usize>(&mut self, rest: [[f64; 2]; N]) {
        if !self.takes(ROUND / 8) {
            return;
        }
        let Some(stroke) = self.strokes.last_mut() else { return };
        let Some(&from) = stroke.last() else { return };
        let parts = ROUND / 8;
        for k in 1..=parts {
            let t = k as f64 / parts as f64;
            // De Casteljau
            let mut points = [from; 4];
            points[1..=N].copy_from_slice(&rest);
            for level in (0..N).rev() {
                for i in 0..=level {
                    points[i] = [0, 1]
                        .map(|axis| points[i][axis] + (points[i + 1][axis] - points[i][axis]) * t);
                }
            }
            stroke.push(points[0]);
        }
    }
}

impl OutlineBuilder for Outlines {
    fn move_to(&mut self, x: f32, y: f32) {
        if !self.takes(4) {
            return;
        }
        self.strokes.push(vec![self.location(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        if !self.takes(1) {
            return;
        }
        let location = self.location(x, y);
        if let Some(stroke) = self.strokes.last_mut() {
            stroke.push(location);
        }
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.bend([self.location(x1, y1), self.location(x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.bend([self.location(x1, y1), self.location(x2, y2), self.location(x, y)]);
    }

    fn close(&mut self) {
        if let Some(stroke) = self.strokes.last_mut()
            && let Some(&first) = stroke.first()
        {
            stroke.push(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_font_is_told() {
        for bytes in [&b""[..], b"OTTO", b"\0\x01\0\0\0\x01", &[0xff; 300]] {
            assert!(
                Font::read(bytes).err().is_some_and(|error| error.starts_with("is not a font"))
            );
        }
    }

    #[test]
    fn curves_go_through_their_ends() {
        let mut outlines = Outlines { scale: 0.5, strokes: Vec::new(), room: 100 };
        outlines.move_to(0.0, 0.0);
        outlines.quad_to(1.0, 2.0, 2.0, 0.0);
        outlines.curve_to(2.0, -1.0, 0.0, -1.0, 0.0, 0.0);
        outlines.close();
        let stroke = &outlines.strokes[0];
        assert_eq!(stroke[8], [1.0, 0.0]);
        assert_eq!(stroke[16], [0.0, 0.0]);
        assert!((stroke[4][0] - 0.5).abs() < 1e-12 && (stroke[4][1] - 0.5).abs() < 1e-12);
        assert!((stroke[12][1] + 0.375).abs() < 1e-12);
    }
}
