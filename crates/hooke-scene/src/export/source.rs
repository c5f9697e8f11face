//! Frames for an export: read one at a time, checked, with progress reported.

use super::error::{ExportError, Result};
use super::shape::{Cells, Shape};
use super::{Frame, Frames, LARGEST_SINGLE};

pub(super) struct Source<'a> {
    frames: &'a mut dyn Frames,
    progress: &'a mut dyn FnMut(usize, usize),
    frame: Frame,
    previous: Option<(usize, f64)>,
    steps_done: usize,
    steps: usize,
    pub(super) name: String,
    pub(super) cells: Cells,
    pub(super) fps: f64,
    pub(super) particles: usize,
    /// Whether coordinates must fit 32-bit floats.
    pub(super) single: bool,
}

impl<'a> Source<'a> {
    pub(super) fn new(
        frames: &'a mut dyn Frames,
        progress: &'a mut dyn FnMut(usize, usize),
    ) -> Result<Self> {
        let (particles, fps, steps) = (frames.particles(), frames.fps(), frames.len());
        if particles == 0 || steps == 0 {
            let message = "there is nothing to export: the recording is empty";
            return Err(ExportError::Content(message.to_owned()));
        }
        if u32::try_from(particles).is_err() || i32::try_from(steps).is_err() {
            return Err(ExportError::Content("the recording is too large to export".to_owned()));
        }
        if !(fps.is_finite() && fps > 0.0) {
            return Err(ExportError::Content(format!("{fps} frames a second are impossible")));
        }
        let cells = Cells::new(&frames.topology(), particles)?;
        let name = one_line(frames.name());
        Ok(Self {
            frames,
            progress,
            frame: Frame::default(),
            previous: None,
            steps_done: 0,
            steps,
            name,
            cells,
            fps,
            particles,
            single: false,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// What a reader of any file should know, for comments: one line each.
    pub(super) fn remarks(&self) -> [String; 2] {
        let Self { name, fps, .. } = self;
        [format!("Hooke: {name}"), format!("meters, y up, {fps:?} frames per second")]
    }

    pub(super) fn shape(&self) -> Shape {
        self.cells.shape()
    }

    /// Announces how many frames will be read in all.
    pub(super) fn expect_reads(&mut self, steps: usize) {
        self.steps = steps;
    }

    /// Reads and checks a frame.
    pub(super) fn read(&mut self, index: usize) -> Result<&Frame> {
        self.frames.read(index, &mut self.frame)?;
        self.check(index).map_err(|message| ExportError::Frame { frame: index, message })?;
        self.previous = Some((index, self.frame.time));
        self.steps_done = (self.steps_done + 1).min(self.steps);
        (self.progress)(self.steps_done, self.steps);
        Ok(&self.frame)
    }

    /// The frame read last.
    pub(super) fn frame(&self) -> &Frame {
        &self.frame
    }

    fn check(&self, index: usize) -> std::result::Result<(), String> {
        let Frame { time, positions, velocities, rigid_bodies } = &self.frame;
        if !time.is_finite() {
            return Err(format!("the time is not finite ({time})"));
        }
        if let Some((earlier, before)) = self.previous
            && earlier < index
            && before >= *time
        {
            return Err(format!("the time {time} s does not follow {before} s of frame {earlier}"));
        }
        let largest = if self.single { LARGEST_SINGLE } else { f64::MAX };
        check_values("position", positions.as_flattened(), 3, self.particles, largest)?;
        check_values("velocity", velocities.as_flattened(), 3, self.particles, f64::MAX)?;
        let (have, wanted) = (rigid_bodies.len(), self.cells.rigid_bodies.len());
        if have != wanted {
            return Err(format!("there are {have} rigid bodies of {wanted}"));
        }
        if let Some(body) = rigid_bodies.iter().position(|body| !body.is_finite()) {
            return Err(format!("rigid body {body} is not finite"));
        }
        Ok(())
    }
}

fn check_values(
    what: &str,
    values: &[f64],
    width: usize,
    particles: usize,
    largest: f64,
) -> std::result::Result<(), String> {
    if values.len() != particles * width {
        let have = values.len() / width;
        return Err(format!("{what} is given for {have} particles, but there are {particles}"));
    }
    let fits = |value: &f64| value.is_finite() && value.abs() <= largest;
    match values.iter().position(|value| !fits(value)) {
        Some(at) => {
            let value = values.get(at).copied().unwrap_or_default();
            let particle = at / width;
            let problem = if value.is_finite() { "too large for the format" } else { "not finite" };
            Err(format!("the {what} of particle {particle} is {problem} ({value})"))
        }
        None => Ok(()),
    }
}

/// A name without line breaks and control characters, for headers and comments.
pub(super) fn one_line(name: &str) -> String {
    name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// A name of ASCII letters, digits and underscores, for formats that ask for an identifier.
pub(super) fn identifier(name: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() { letter } else { '_' }
    };
    let name: String = name.chars().map(plain).collect();
    match name.chars().next() {
        None => "Hooke".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{name}"),
        Some(_) => name,
    }
}
