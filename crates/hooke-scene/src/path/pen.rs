//! The way of a pen along strokes, at constant speed.

use super::Stroke;

/// How a pen moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    /// Along strokes and between them (m/s).
    pub(crate) speed: f64,
    /// How far it is lifted between strokes (m).
    pub(crate) lift: f64,
    /// The length between two points of its way (m).
    pub(crate) spacing: f64,
}

/// Where a pen is: along both axes of the plane and above it (m), and when (s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) time: f64,
    pub(crate) place: [f64; 3],
    /// Whether it draws from here on.
    pub(crate) down: bool,
}

impl Pen {
    /// The way over all strokes; at most `most` points, more of which are told as an error.
    pub(crate) fn way(&self, strokes: &[Stroke], most: usize) -> Result<Vec<Way>, String> {
        let mut way: Vec<Way> = Vec::new();
        let mut time = 0.0;
        for stroke in strokes.iter().filter(|stroke| !stroke.is_empty()) {
            let points = sampled(stroke, self.spacing, most)?;
            let above = |[x, y]: [f64; 2]| [x, y, self.lift];
            if let Some(last) = way.last().copied() {
                let first = points[0];
                let [x, y, _] = last.place;
                let across = (first[0] - x).hypot(first[1] - y);
                for (place, length) in [
                    (above([x, y]), self.lift),
                    (above(first), across),
                    ([first[0], first[1], 0.0], self.lift),
                ] {
                    time += length / self.speed;
                    way.push(Way { time, place, down: false });
                }
                way.pop();
            }
            let mut before = points[0];
            for &[x, y] in &points {
                time += (x - before[0]).hypot(y - before[1]) / self.speed;
                way.push(Way { time, place: [x, y, 0.0], down: true });
                before = [x, y];
            }
            if let Some(last) = way.last_mut() {
                last.down = false;
            }
            if way.len() > most {
                return Err(format!(
                    "takes more than {most} points: draw it larger or more coarsely"
                ));
            }
        }
        Ok(way)
    }
}

/// Points of a stroke that are `spacing` apart along it, with its corners kept.
fn sampled(stroke: &Stroke, spacing: f64, most: usize) -> Result<Stroke, String> {
    let mut out = vec![stroke[0]];
    for pair in stroke.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let parts = (length / spacing).ceil().max(1.0);
        if !parts.is_finite() || parts > most as f64 {
            return Err(format!("takes more than {most} points: draw it larger or more coarsely"));
        }
        if length > 0.0 {
            let at = |k: f64, axis: usize| a[axis] + (b[axis] - a[axis]) * (k / parts);
            out.extend((1..=parts as usize).map(|k| [at(k as f64, 0), at(k as f64, 1)]));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pen_keeps_its_speed_and_lifts_between_strokes() {
        let strokes = vec![vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.5]], vec![[2.0, 0.0], [2.0, 1.0]]];
        let pen = Pen { speed: 0.5, lift: 0.1, spacing: 0.1 };
        let way = pen.way(&strokes, 1000).expect("a way");
        for pair in way.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            let squares: f64 = (0..3).map(|k| (b.place[k] - a.place[k]).powi(2)).sum();
            assert!((squares.sqrt() - 0.5 * (b.time - a.time)).abs() < 1e-12, "{a:?} {b:?}");
            assert_eq!(a.down, a.place[2] == 0.0 && b.place[2] == 0.0, "{a:?} {b:?}");
        }
        assert!(way.iter().any(|way| way.place == [2.0, 0.0, 0.1]));
        assert!(
            (way[way.len() - 1].time - (1.5 + 0.1 + 1.25_f64.sqrt() + 0.1 + 1.0) / 0.5).abs()
                < 1e-12
        );
        assert!(pen.way(&strokes, 10).is_err());
    }
}
