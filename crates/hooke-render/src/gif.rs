//! Animations as GIF files that are small and play at the right speed.

use crate::{Image, RenderError, palette::Palette};
use gif::{Encoder, Frame, Repeat};
use std::{borrow::Cow, io::Write, ops::Range};

/// Difference of a byte up to which a pixel keeps what it shows.
const UNSEEN: u8 = 2;
/// Color number that means "as before"; the palette ends before it.
const SAME: u8 = u8::MAX;

/// Writes an endless GIF, frame by frame.
///
/// All frames share one palette and a dither that stays still, and each frame holds only the
/// rectangle that changed, with what did not change left transparent.
pub struct GifWriter<W: Write> {
    encoder: Encoder<W>,
    palette: Palette,
    size: [u16; 2],
    fps: f64,
    frames: u64,
    /// Per pixel the color it was last painted for, and the number of the color it shows.
    shown: Vec<([u8; 3], u8)>,
}

impl<W: Write> GifWriter<W> {
    /// Starts a GIF that plays `fps` frames per second (at most 50: browsers slow down faster
    /// ones). Its size and palette are those of `typical`: a few frames from all over the
    /// animation.
    pub fn new<'a>(
        out: W,
        fps: f64,
        typical: impl IntoIterator<Item = &'a Image>,
    ) -> Result<Self, RenderError> {
        if !(fps > 0.002 && fps <= 50.0) {
            return Err(RenderError::FrameRate(fps));
        }
        let typical: Vec<&Image> = typical.into_iter().collect();
        let first = typical.first().ok_or(RenderError::NoImages)?;
        let [Ok(width), Ok(height)] = [first.width, first.height].map(u16::try_from) else {
            let (width, height, limit) = (first.width, first.height, u16::MAX.into());
            return Err(RenderError::ImageSize { width, height, limit });
        };
        for image in &typical {
            fits(image, [width, height])?;
        }
        let palette = Palette::new(typical);
        let mut encoder = Encoder::new(out, width, height, &palette.flat()).map_err(failed)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        Ok(Self { encoder, palette, size: [width, height], fps, frames: 0, shown: Vec::new() })
    }

    /// Appends a frame.
    pub fn add(&mut self, image: &Image) -> Result<(), RenderError> {
        fits(image, self.size)?;
        let numbers = self.repaint(image);
        let [columns, rows] = changed(&numbers, self.size);
        let width = usize::from(self.size[0]);
        let mut buffer = Vec::with_capacity(columns.len() * rows.len());
        for y in rows.clone() {
            buffer.extend_from_slice(&numbers[y * width..][columns.clone()]);
        }
        let frame = Frame {
            delay: self.delay(),
            transparent: Some(SAME),
            left: columns.start as u16,
            top: rows.start as u16,
            width: columns.len() as u16,
            height: rows.len() as u16,
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        };
        self.frames += 1;
        self.encoder.write_frame(&frame).map_err(failed)
    }

    /// Ends the file and gives back where it was written to.
    pub fn finish(self) -> Result<W, RenderError> {
        let mut out = self.encoder.into_inner().map_err(failed)?;
        out.flush()?;
        Ok(out)
    }

    /// The new color numbers of all pixels, [`SAME`] where nothing changes.
    fn repaint(&mut self, image: &Image) -> Vec<u8> {
        let width = usize::from(self.size[0]);
        let first = self.shown.is_empty();
        self.shown.resize(image.pixels.len() / 4, ([0; 3], SAME));
        let pixels = image.pixels.chunks_exact(4).zip(&mut self.shown).enumerate();
        pixels
            .map(|(i, (pixel, (painted, number)))| {
                let rgb = [pixel[0], pixel[1], pixel[2]];
                let near = rgb.iter().zip(&*painted).all(|(a, b)| a.abs_diff(*b) <= UNSEEN);
                if near && !first {
                    return SAME;
                }
                *painted = rgb;
                let before =
                    std::mem::replace(number, self.palette.pick(rgb, i % width, i / width));
                if before == *number { SAME } else { *number }
            })
            .collect()
    }

    /// Hundredths of a second for the next frame, rounded so that they add up.
    fn delay(&self) -> u16 {
        let end = |frame: u64| (frame as f64 * 100.0 / self.fps).round();
        (end(self.frames + 1) - end(self.frames)) as u16
    }
}

fn fits(image: &Image, size: [u16; 2]) -> Result<(), RenderError> {
    let (expected, found) = (size.map(u32::from), [image.width, image.height]);
    if expected == found { image.check() } else { Err(RenderError::FrameSize { expected, found }) }
}

/// Columns and rows that hold all changes; one pixel if there are none.
fn changed(numbers: &[u8], size: [u16; 2]) -> [Range<usize>; 2] {
    let width = usize::from(size[0]);
    let mut low = size.map(usize::from);
    let mut high = [0; 2];
    for (i, _) in numbers.iter().enumerate().filter(|(_, number)| **number != SAME) {
        for (axis, at) in [i % width, i / width].into_iter().enumerate() {
            low[axis] = low[axis].min(at);
            high[axis] = high[axis].max(at + 1);
        }
    }
    [0, 1].map(|axis| if high[axis] == 0 { 0..1 } else { low[axis]..high[axis] })
}

fn failed(error: gif::EncodingError) -> RenderError {
    RenderError::Write(match error {
        gif::EncodingError::Io(error) => error,
        other => std::io::Error::other(other),
    })
}
