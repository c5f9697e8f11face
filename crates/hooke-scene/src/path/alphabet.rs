//! Letters of one stroke or a few, for pens: no outlines to fill.
//!
//! A letter stands on the line y = 0 and is 6 high and up to 4 wide. Strokes are written as points
//! `x,y` one after the other, a `;` lifts the pen. A point may be followed by `~`: the path to the next one
//! is then a quarter of an ellipse that leaves upright, or by `-`: one that leaves along the line.

use super::{ROUND, Stroke};

/// A character, how wide it is, and its strokes.
const LETTERS: [(char, f64, &str); 48] = [
    ('A', 4.0, "0,0 2,6 4,0 ; 0.7,2 3.3,2"),
    ('B', 3.6, "0,0 0,6 2,6- 3.4,4.6~ 2,3.2 0,3.2 ; 2,3.2- 3.6,1.6~ 2,0 0,0"),
    ('C', 4.0, "4,5- 2.3,6- 0,3~ 2.3,0- 4,1"),
    ('D', 4.0, "0,0 0,6 1.6,6- 4,3~ 1.6,0 0,0"),
    ('E', 3.4, "3.4,6 0,6 0,0 3.4,0 ; 0,3.1 2.7,3.1"),
    ('F', 3.4, "3.4,6 0,6 0,0 ; 0,3.1 2.7,3.1"),
    ('G', 4.0, "4,5- 2.3,6- 0,3~ 2.3,0- 4,1.4 4,2.8 2.4,2.8"),
    ('H', 4.0, "0,6 0,0 ; 4,6 4,0 ; 0,3.1 4,3.1"),
    ('I', 0.0, "0,6 0,0"),
    ('J', 3.0, "3,6 3,1.6~ 1.5,0- 0,1.5"),
    ('K', 3.8, "0,6 0,0 ; 3.6,6 0,2.4 ; 1.3,3.6 3.8,0"),
    ('L', 3.2, "0,6 0,0 3.2,0"),
    ('M', 4.6, "0,0 0,6 2.3,1.6 4.6,6 4.6,0"),
    ('N', 4.0, "0,0 0,6 4,0 4,6"),
    ('O', 4.4, "2.2,6- 0,3~ 2.2,0- 4.4,3~ 2.2,6"),
    ('P', 3.6, "0,0 0,6 2,6- 3.6,4.4~ 2,2.8 0,2.8"),
    ('Q', 4.4, "2.2,6- 0,3~ 2.2,0- 4.4,3~ 2.2,6 ; 2.7,1.6 4.4,-0.4"),
    ('R', 3.8, "0,0 0,6 2,6- 3.6,4.4~ 2,2.8 0,2.8 ; 1.8,2.8 3.8,0"),
    ('S', 3.6, "3.4,5.1- 1.8,6- 0.1,4.5~ 1.8,3.1- 3.6,1.5~ 1.8,0- 0,1"),
    ('T', 4.0, "0,6 4,6 ; 2,6 2,0"),
    ('U', 4.0, "0,6 0,2~ 2,0- 4,2 4,6"),
    ('V', 4.0, "0,6 2,0 4,6"),
    ('W', 5.6, "0,6 1.4,0 2.8,4.6 4.2,0 5.6,6"),
    ('X', 4.0, "0,6 4,0 ; 4,6 0,0"),
    ('Y', 4.0, "0,6 2,3 4,6 ; 2,3 2,0"),
    ('Z', 3.8, "0,6 3.8,6 0,0 3.8,0"),
    ('0', 3.8, "1.9,6- 0,3~ 1.9,0- 3.8,3~ 1.9,6"),
    ('1', 1.6, "0,4.6 1.6,6 1.6,0"),
    ('2', 3.6, "0,4.4~ 1.8,6- 3.6,4.4~ 3,3 0,0 3.6,0"),
    ('3', 3.6, "0.2,5.2- 1.8,6- 3.4,4.6~ 1.8,3.2- 3.6,1.6~ 1.8,0- 0,1"),
    ('4', 4.0, "3,0 3,6 0,1.8 4,1.8"),
    ('5', 3.6, "3.3,6 0.5,6 0.3,3.3- 1.8,3.8- 3.6,1.9~ 1.8,0- 0,0.9"),
    ('6', 3.6, "3.2,5.4- 2,6- 0,2.4 0,1.9~ 1.8,0- 3.6,1.9~ 1.8,3.8- 0,1.9"),
    ('7', 3.6, "0,6 3.6,6 1.2,0"),
    ('8', 3.6, "1.8,3.2- 0.2,4.6~ 1.8,6- 3.4,4.6~ 1.8,3.2- 0,1.6~ 1.8,0- 3.6,1.6~ 1.8,3.2"),
    ('9', 3.6, "3.6,4.1~ 1.8,2.2- 0,4.1~ 1.8,6- 3.6,4.1 3.4,2.4 1.4,0"),
    (' ', 2.2, ""),
    ('.', 0.0, "0,0 0,0.3"),
    (',', 0.4, "0.4,0.3 0,-0.8"),
    ('!', 0.0, "0,6 0,1.6 ; 0,0 0,0.3"),
    ('?', 3.2, "0,4.6~ 1.6,6- 3.2,4.6~ 1.6,3 1.6,1.6 ; 1.6,0 1.6,0.3"),
    ('-', 2.4, "0,3 2.4,3"),
    ('+', 3.0, "0,3 3,3 ; 1.5,4.5 1.5,1.5"),
    ('=', 3.0, "0,3.8 3,3.8 ; 0,2.2 3,2.2"),
    ('/', 3.0, "0,-0.4 3,6.4"),
    (':', 0.0, "0,0.8 0,1.1 ; 0,3.6 0,3.9"),
    ('(', 1.2, "1.2,6.6 0,4 0,2 1.2,-0.6"),
    (')', 1.2, "0,6.6 1.2,4 1.2,2 0,-0.6"),
];

/// How high letters are in their own units.
pub(crate) const HEIGHT: f64 = 6.0;

/// The width of a character and its strokes, one high; small letters are drawn as capitals. `None` where
/// there is no such character.
pub(crate) fn letter(c: char) -> Option<(f64, Vec<Stroke>)> {
    let c = c.to_ascii_uppercase();
    let &(_, width, text) = LETTERS.iter().find(|(known, ..)| *known == c)?;
    let strokes = text.split(';').map(stroke).filter(|stroke| !stroke.is_empty());
    Some((width / HEIGHT, strokes.collect()))
}

/// Reads a stroke, one high.
fn stroke(text: &str) -> Stroke {
    let mut out = Stroke::new();
    let mut bend = None;
    for word in text.split_whitespace() {
        let bare = word.trim_end_matches(['~', '-']);
        let Some((x, y)) = bare.split_once(',') else { continue };
        let (Ok(x), Ok(y)) = (x.parse::<f64>(), y.parse::<f64>()) else { continue };
        let location = [x / HEIGHT, y / HEIGHT];
        match (out.last().copied(), bend) {
            (Some(from), Some(upright)) => out.extend(quarter(from, location, upright)),
            _ => out.push(location),
        }
        bend = match word.chars().next_back() {
            Some('~') => Some(true),
            Some('-') => Some(false),
            _ => None,
        };
    }
    out
}

/// A quarter of an ellipse from `a` to `b` that leaves upright, or along the line; without its start.
fn quarter(a: [f64; 2], b: [f64; 2], upright: bool) -> impl Iterator<Item = [f64; 2]> {
    let parts = ROUND / 4;
    (1..=parts).map(move |k| {
        let (sin, cos) = libm::sincos(std::f64::consts::FRAC_PI_2 * k as f64 / parts as f64);
        let (across, along) = (1.0 - cos, sin);
        let [x, y] = if upright { [across, along] } else { [along, across] };
        [a[0] + (b[0] - a[0]) * x, a[1] + (b[1] - a[1]) * y]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_within_its_box() {
        for (c, width, _) in LETTERS {
            let (wide, strokes) = letter(c).expect("a letter");
            assert_eq!(wide, width / HEIGHT);
            assert_eq!(strokes.is_empty(), c == ' ', "{c}");
            for [x, y] in strokes.iter().flatten() {
                assert!((-1e-9..=wide + 1e-9).contains(x) && (-0.2..=1.2).contains(y), "{c}");
            }
            assert!(strokes.iter().all(|stroke| stroke.len() > 1), "{c}");
        }
        assert_eq!(letter('h'), letter('H'));
        assert_eq!(letter('ß'), None);
    }

    #[test]
    fn round_letters_are_smooth() {
        let (_, strokes) = letter('O').expect("a letter");
        for points in strokes[0].windows(3) {
            let [a, b, c] = [points[0], points[1], points[2]];
            let [u, v] = [[b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]];
            let rotation = (u[0] * v[1] - u[1] * v[0]).atan2(u[0] * v[0] + u[1] * v[1]);
            assert!(rotation.abs() < 0.3, "{rotation}");
        }
    }
}
