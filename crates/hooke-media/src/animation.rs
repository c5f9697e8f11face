//! Animations of a recording: which of its frames are shown, and as a GIF.

use crate::{Clip, MediaError};
use hooke_render::{GifWriter, Image, Settings};
use std::io::Write;

/// Which frames of a recording an animation shows.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    stride: u64,
    frames: u64,
    fps: f64,
}

/// Where frames are farther apart than this (1/s), an animation is faster than the recording.
const SLOWEST: f64 = 0.5;

impl Pace {
    /// As many frames as `most` per second allows, in real time.
    pub fn new(clip: &Clip, most: f64) -> Self {
        // A rate a trifle above the limit is not worth every other frame.
        let stride = (clip.fps() / most - 0.05).ceil().max(1.0) as u64;
        let fps = (clip.fps() / stride as f64).max(SLOWEST);
        Self { stride, frames: clip.frames().div_ceil(stride), fps }
    }

    /// How many frames are shown.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Frames per second shown.
    pub fn fps(&self) -> f64 {
        self.fps
    }
}

/// An animation being made.
pub struct Animation<'a> {
    /// The recording.
    pub clip: &'a mut Clip,
    /// Which of its frames.
    pub pace: Pace,
    /// How they are drawn.
    pub settings: Settings,
}

impl Animation<'_> {
    /// Writes a GIF; `each` is called with the number of frames drawn, and stops it by `false`.
    pub fn gif(&mut self, out: impl Write, each: &dyn Fn(u64) -> bool) -> Result<(), MediaError> {
        // The palette is taken from moments spread over the whole.
        let last = self.pace.frames.saturating_sub(1);
        let mut typical = Vec::new();
        for k in 0..=last.min(5) {
            typical.push(self.frame(last * k / last.clamp(1, 5))?);
            if !each(0) {
                return Err(MediaError::Stopped);
            }
        }
        let mut gif = GifWriter::new(out, self.pace.fps, &typical)?;
        for index in 0..self.pace.frames {
            gif.add(&self.frame(index)?)?;
            if !each(index + 1) {
                return Err(MediaError::Stopped);
            }
        }
        gif.finish()?;
        Ok(())
    }

    /// One of the frames that are shown.
    pub fn frame(&mut self, index: u64) -> Result<Image, MediaError> {
        self.clip.image(index * self.pace.stride, &self.settings)
    }
}
