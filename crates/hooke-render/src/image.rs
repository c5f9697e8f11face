//! The finished image; writing and reading PNG files.

use crate::RenderError;
use std::io::Write;

/// An image: rows from the top, pixels from the left, four sRGB bytes (red, green, blue, alpha) each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `4 · width · height` bytes.
    pub pixels: Vec<u8>,
}

impl Image {
    /// An image of one color.
    pub(crate) fn filled(width: u32, height: u32, rgb: [u8; 3]) -> Self {
        let pixel = [rgb[0], rgb[1], rgb[2], 255];
        Self { width, height, pixels: pixel.repeat(width as usize * height as usize) }
    }

    /// Red, green, blue and alpha at column `x` and row `y`, or `None` outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let start = 4 * (y as usize * self.width as usize + x as usize);
        let inside = x < self.width && y < self.height;
        let bytes = self.pixels.get(start..start + 4).filter(|_| inside)?;
        bytes.try_into().ok()
    }

    /// Writes the image as a PNG file.
    pub fn write_png(&self, out: impl Write) -> Result<(), RenderError> {
        self.check()?;
        let failed = |error: png::EncodingError| RenderError::Write(error.into());
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.pixels).map_err(failed)?;
        writer.finish().map_err(failed)
    }

    /// Reads what [`Image::write_png`] has written.
    pub fn read_png(bytes: &[u8]) -> Result<Self, RenderError> {
        let failed = |error: png::DecodingError| RenderError::Read(error.to_string());
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let mut reader = decoder.read_info().map_err(failed)?;
        let png::Info { width, height, color_type, bit_depth, .. } = *reader.info();
        if (color_type, bit_depth) != (png::ColorType::Rgba, png::BitDepth::Eight) {
            return Err(RenderError::Read("it has other colors".into()));
        }
        let size = reader.output_buffer_size();
        let size = size.ok_or_else(|| RenderError::Read("it is too large".into()))?;
        let mut pixels = vec![0; size];
        reader.next_frame(&mut pixels).map_err(failed)?;
        let image = Self { width, height, pixels };
        image.check()?;
        Ok(image)
    }

    /// Whether the fields, which are open to the caller, fit together.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let limit = u32::MAX / 4;
        let expected = (4 * u64::from(self.width)).saturating_mul(self.height.into()) as usize;
        if self.width == 0 || self.height == 0 || self.width > limit || self.height > limit {
            Err(RenderError::ImageSize { width: self.width, height: self.height, limit })
        } else if self.pixels.len() != expected {
            Err(RenderError::PixelCount { expected, found: self.pixels.len() })
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let mut image = Image::filled(3, 2, [10, 20, 30]);
        image.pixels[5] = 200;
        let mut bytes = Vec::new();
        image.write_png(&mut bytes).unwrap();
        assert_eq!(Image::read_png(&bytes).unwrap(), image);
        for broken in [&bytes[..bytes.len() / 2], b"no picture"] {
            assert!(matches!(Image::read_png(broken), Err(RenderError::Read(_))));
        }
    }
}
