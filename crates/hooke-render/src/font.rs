//! Text without a font file: a proportional sans-serif whose letters are pen strokes.
//!
//! Baseline, small letters and capitals are moved to whole pixels, which keeps small text crisp.
//! Raised and lowered figures (`10⁻³`, `x₀`) are the ordinary ones, smaller.

use crate::{
    glyphs::{CAPITAL, SMALL, glyph},
    ink::{Ink, Point2},
};

/// How text is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Face {
    /// Size in pixels: about the distance of two lines of dense text.
    pub size: f64,
    /// Heavier strokes, for titles.
    pub bold: bool,
}

/// Size of raised and lowered text, as part of the size of the rest.
pub(crate) const SCRIPT: f64 = 0.7;
/// Whether a character stands on the line, above or below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    Line,
    Raised,
    Lowered,
}

impl Script {
    /// How far the text stands above the line, as part of the size of the text on the line.
    pub fn rise(self) -> f64 {
        match self {
            Self::Line => 0.0,
            Self::Raised => 0.33,
            Self::Lowered => -0.13,
        }
    }
}

/// A text as ordinary characters, each with its level.
pub(crate) fn levels(text: &str) -> impl Iterator<Item = (char, Script)> {
    text.chars().map(level)
}

fn level(character: char) -> (char, Script) {
    const LINE: &str = "0123456789+−nT";
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵀ";
    const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₊₋ₙ";
    let plain = |list: &str| {
        let index = list.chars().position(|other| other == character)?;
        LINE.chars().nth(index)
    };
    let raised = plain(RAISED).map(|c| (c, Script::Raised));
    let lowered = || plain(LOWERED).map(|c| (c, Script::Lowered));
    raised.or_else(lowered).unwrap_or((character, Script::Line))
}

impl Face {
    fn size(&self, level: Script) -> f64 {
        if level == Script::Line { self.size } else { SCRIPT * self.size }
    }

    /// Width of the pen, horizontal stretch, and space on either side of a letter, each as part of
    /// the size.
    fn weight(&self) -> [f64; 3] {
        if self.bold { [0.124, 1.02, 0.015] } else { [0.084, 1.0, 0.0] }
    }

    fn advance(&self, character: char, level: Script) -> f64 {
        let [_, stretch, space] = self.weight();
        self.size(level) * (0.01 * stretch * glyph(character).0 + 2.0 * space)
    }

    /// Width of a line of text in pixels.
    pub fn width(&self, text: &str) -> f64 {
        levels(text).map(|(character, level)| self.advance(character, level)).sum()
    }

    /// Half the height of a capital: how far a baseline is below the middle of its text.
    pub fn middle(&self) -> f64 {
        0.36 * self.size
    }

    /// The text on one line, or as much of it as fits into `width` pixels, followed by `…`.
    pub fn shorten(&self, text: &str, width: f64) -> String {
        const DOTS: char = '…';
        let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        let (mut all, mut kept, mut used) = (String::new(), 0, 0.0);
        for character in line {
            let (plain, level) = level(character);
            used += self.advance(plain, level);
            if used > width {
                all.truncate(kept);
                let text = all.trim_end();
                return if text.is_empty() { String::new() } else { format!("{text}{DOTS}") };
            }
            all.push(character);
            if used + self.advance(DOTS, Script::Line) <= width {
                kept = all.len();
            }
        }
        all
    }

    /// Adds a line of text to the ink. It starts at `start` on its baseline and runs to the right,
    /// or, if `turned`, upwards.
    pub fn write(&self, ink: &mut Ink, text: &str, start: Point2, rotated: bool) {
        let [pen, stretch, space] = self.weight();
        let mut along = 0.0;
        for (character, level) in levels(text) {
            let size = self.size(level);
            let pen = (size * pen).max(1.0);
            let rise = (level.rise() * self.size).round();
            for stroke in strokes(glyph(character).1) {
                let points: Vec<Point2> = stroke
                    .into_iter()
                    .map(|[x, y]| {
                        let x = along + size * (0.01 * stretch * x + space);
                        let y = rise + height(y, size, pen);
                        let [left, line] = start;
                        if rotated {
                            [left.round() - y, line - x]
                        } else {
                            [left + x, line.round() - y]
                        }
                    })
                    .collect();
                ink.stroke(&points, pen);
            }
            along += self.advance(character, level);
        }
    }
}

/// Pixels above the baseline of a height in a glyph: the lower edge of the pen on the baseline and
/// the upper edges of small letters and capitals lie between pixels.
fn height(y: f64, size: f64, pen: f64) -> f64 {
    let unit = 0.01 * size;
    let edge = |y: f64| (unit * (y + 8.4)).round() - 0.5 * pen;
    let (base, small, capital) = (0.5 * pen, edge(SMALL), edge(CAPITAL));
    if y <= 0.0 {
        base + unit * y
    } else if y <= SMALL {
        base + (small - base) * y / SMALL
    } else if y <= CAPITAL {
        small + (capital - small) * (y - SMALL) / (CAPITAL - SMALL)
    } else {
        capital + unit * (y - CAPITAL)
    }
}

/// The strokes of a path, curves as short straight lines.
fn strokes(path: &str) -> Vec<Vec<Point2>> {
    const PIECES: usize = 6;
    let mut strokes: Vec<Vec<Point2>> = Vec::new();
    let mut numbers = Vec::new();
    let mut command = ' ';
    for word in path.split(' ') {
        let digits = word.trim_start_matches(char::is_alphabetic);
        if let Some(letter) = word.chars().next().filter(|c| c.is_alphabetic()) {
            command = letter;
            numbers.clear();
        }
        numbers.extend(digits.parse::<f64>());
        let stroke = strokes.last_mut();
        match (command, &numbers[..], stroke) {
            ('M', &[x, y], _) => strokes.push(vec![[x, y]]),
            ('L', &[x, y], Some(stroke)) => stroke.push([x, y]),
            ('Q', &[cx, cy, x, y], Some(stroke)) => {
                let [ax, ay] = stroke.last().copied().unwrap_or([x, y]);
                for piece in 1..=PIECES {
                    let t = piece as f64 / PIECES as f64;
                    let [a, c, b] = [(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t];
                    stroke.push([a * ax + c * cx + b * x, a * ay + c * cy + b * y]);
                }
            }
            ('Z', &[], Some(stroke)) => stroke.extend(stroke.first().copied()),
            _ => {}
        }
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Image, glyphs::GLYPHS};

    const PLAIN: Face = Face { size: 26.0, bold: false };

    fn ink(text: &str, face: Face, rotated: bool) -> Image {
        let mut image = Image::filled(60, 60, [255; 3]);
        let mut ink = Ink::default();
        face.write(&mut ink, text, if rotated { [40.0, 50.0] } else { [10.0, 40.0] }, rotated);
        ink.blend(&mut image, [0; 3]);
        image
    }

    #[test]
    fn every_character_is_drawn_within_its_width_and_no_two_look_alike() {
        let all: Vec<Image> =
            GLYPHS.iter().map(|(c, ..)| ink(&c.to_string(), PLAIN, false)).collect();
        for (i, &(character, advance, path)) in GLYPHS.iter().enumerate() {
            assert_eq!(all[i].pixels.iter().all(|&byte| byte == 255), character == ' ');
            assert!(!all[..i].contains(&all[i]), "{character} looks like another");
            let commands = path.chars().filter(|c| c.is_alphabetic());
            let points: usize = commands.map(|c| [2, 4, 0]["LQZ".find(c).unwrap_or(0)]).sum();
            let numbers = path.split([' ', 'M', 'L', 'Q', 'Z']).filter(|w| !w.is_empty()).count();
            assert_eq!(numbers, points, "the path of {character}");
            for [x, y] in strokes(path).concat() {
                assert!(x >= 0.0 && x <= advance && (-26.0..=72.0).contains(&y), "{character}");
            }
        }
        assert_eq!(ink("\u{1f600}", PLAIN, false), ink("\u{10ffff}", PLAIN, false));
        for ascii in ' '..='~' {
            assert!(GLYPHS.iter().any(|(c, ..)| *c == ascii), "{ascii} is missing");
        }
    }

    #[test]
    fn figures_may_be_raised_and_lowered() {
        let all: Vec<_> = levels("m² 10⁻³ x₀").collect();
        let raised = |c| (c, Script::Raised);
        assert_eq!(all[1], raised('2'));
        assert_eq!(all[5..7], [raised('−'), raised('3')]);
        assert_eq!(all[9], ('0', Script::Lowered));
        assert!(PLAIN.width("10³") < PLAIN.width("103"));
    }

    #[test]
    fn long_text_is_shortened_to_the_room_there_is() {
        assert_eq!(PLAIN.shorten("short", 500.0), "short");
        assert_eq!(PLAIN.shorten("two\nlines", 500.0), "two lines");
        assert_eq!(PLAIN.shorten("anything", 3.0), "");
        let long = "a name that goes on ".repeat(1000);
        for room in 30..300 {
            let text = PLAIN.shorten(&long, f64::from(room));
            assert!(PLAIN.width(&text) <= f64::from(room) && !text.contains(" …"), "{text}");
            assert!(text.is_empty() || text.ends_with('…'));
        }
    }

    #[test]
    fn strokes_on_the_baseline_are_sharp_and_text_can_be_turned() {
        let image = ink("L", PLAIN, false);
        let [above, on, below] = [37, 39, 40].map(|row| image.pixel(20, row).unwrap_or_default());
        assert_eq!((on, below), ([0, 0, 0, 255], [255; 4]));
        assert!(above[0] > 100, "{above:?}");
        let rotated = ink("L", PLAIN, true);
        assert_eq!(rotated.pixel(39, 40), Some([0, 0, 0, 255]));
        assert_eq!(rotated.pixel(40, 40), Some([255; 4]));
        let heavy = Face { bold: true, ..PLAIN };
        let sum = |image: &Image| image.pixels.iter().map(|&byte| u64::from(byte)).sum::<u64>();
        assert!(sum(&ink("L", heavy, false)) < sum(&image), "bold has more ink");
    }
}
