//! The path of a pen along strokes, at constant speed.

use super::Stroke;

/// How a pen moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    /// Along strokes and between them (m/s).
    pub(crate) speed: f64,
    /// How far it is lifted between strokes (m).
    pub(crate) lift: f64,
    /// The length between two points of its path (m).
    pub(crate) spacing: f64,
}

/// Where a pen is: along both axes of the plane and above it (m), and when (s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PenSample {
    pub(crate) time: f64,
    pub(crate) location: [f64; 3],
    /// Whether it draws from here on.
    pub(crate) down: bool,
}

/// The path of a pen over strokes in order, with at most `most` points in memory.
pub(crate) struct Trace {
    pen: Pen,
    most: usize,
    samples: Vec<PenSample>,
}

impl Trace {
    /// A path of at most `most` points.
    pub(crate) fn new(pen: Pen, most: usize) -> Self {
        Self { pen, most, samples: Vec::new() }
    }

    /// The path so far.
    pub(crate) fn samples(&self) -> &[PenSample] {
        &self.samples
    }

    /// Draws a stroke, with the pen lifted before it; an error where that takes too many points.
    pub(crate) fn draw(&mut self, stroke: &Stroke) -> Result<(), String> {
        let Some(&first) = stroke.first() else { return Ok(()) };
        if let Some(PenSample { location: [x, y, _], .. }) = self.samples.last().copied() {
            let lift = self.pen.lift;
            self.go([x, y, lift], false)?;
            self.go([first[0], first[1], lift], false)?;
        }
        self.go([first[0], first[1], 0.0], true)?;
        for pair in stroke.windows(2) {
            self.line(pair[0], pair[1])?;
        }
        if let Some(last) = self.samples.last_mut() {
            last.down = false;
        }
        Ok(())
    }

    /// A line in points that are no more than the spacing apart, its end included.
    fn line(&mut self, a: [f64; 2], b: [f64; 2]) -> Result<(), String> {
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let parts = (length / self.pen.spacing).ceil().max(1.0);
        if length == 0.0 {
            return Ok(());
        }
        if !parts.is_finite() || parts > self.most as f64 {
            return Err(self.too_many());
        }
        let at = |k: f64, axis: usize| a[axis] + (b[axis] - a[axis]) * (k / parts);
        (1..=parts as usize)
            .try_for_each(|k| self.go([at(k as f64, 0), at(k as f64, 1), 0.0], true))
    }

    /// Goes straight to a point, at the pen's speed.
    fn go(&mut self, location: [f64; 3], down: bool) -> Result<(), String> {
        if self.samples.len() >= self.most {
            return Err(self.too_many());
        }
        let time = self.samples.last().map_or(0.0, |last| {
            let [x, y, z] = [0, 1, 2].map(|axis| location[axis] - last.location[axis]);
            last.time + x.hypot(y).hypot(z) / self.pen.speed
        });
        self.samples.push(PenSample { time, location, down });
        Ok(())
    }

    fn too_many(&self) -> String {
        format!("takes more than {} points: draw it larger or more coarsely", self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pen_keeps_its_speed_and_lifts_between_strokes() {
        let strokes = [vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.5]], vec![[2.0, 0.0], [2.0, 1.0]]];
        let pen = Pen { speed: 0.5, lift: 0.1, spacing: 0.1 };
        let mut trace = Trace::new(pen, 1000);
        strokes.iter().for_each(|stroke| trace.draw(stroke).expect("a path"));
        let samples = trace.samples();
        for pair in samples.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            let squares: f64 = (0..3).map(|k| (b.location[k] - a.location[k]).powi(2)).sum();
            assert!((squares.sqrt() - 0.5 * (b.time - a.time)).abs() < 1e-12, "{a:?} {b:?}");
            assert_eq!(a.down, a.location[2] == 0.0 && b.location[2] == 0.0, "{a:?} {b:?}");
        }
        assert!(samples.iter().any(|samples| samples.location == [2.0, 0.0, 0.1]));
        assert!(
            (samples[samples.len() - 1].time - (1.5 + 0.1 + 1.25_f64.sqrt() + 0.1 + 1.0) / 0.5)
                .abs()
                < 1e-12
        );
        let mut short = Trace::new(pen, 10);
        assert!(strokes.iter().any(|stroke| short.draw(stroke).is_err()));
        assert_eq!(short.samples().len(), 10);
    }
}
