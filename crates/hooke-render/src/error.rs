//! Everything that can be wrong with a request for a picture, each in one sentence.

use std::fmt;

/// Why a picture, GIF or contact sheet could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum RenderError {
    /// Width or height is zero or beyond the limit.
    ImageSize {
        /// Width asked for, pixels.
        width: u32,
        /// Height asked for, pixels.
        height: u32,
        /// Largest allowed side, pixels.
        limit: u32,
    },
    /// The number of samples per axis of a pixel is outside `1..=8`.
    Samples(u32),
    /// The camera does not define a view; the text says why.
    Camera(&'static str),
    /// The direction toward the sun is not a finite vector that points above the horizon.
    Sun([f32; 3]),
    /// A triangle names a vertex that its mesh does not have.
    VertexIndex {
        /// Which mesh of the picture.
        mesh: usize,
        /// Which triangle of that mesh.
        triangle: usize,
        /// The index it names.
        index: u32,
        /// How many vertices the mesh has.
        vertices: usize,
    },
    /// A mesh has per-vertex colors, but not one for each vertex.
    ColorCount {
        /// Which mesh of the picture.
        mesh: usize,
        /// How many colors it has.
        colors: usize,
        /// How many vertices it has.
        vertices: usize,
    },
    /// A picture has more vertices or primitives than 32-bit indices can name.
    TooLarge,
    /// No image was given where at least one is needed.
    NoImages,
    /// An image's pixel buffer does not have `4 · width · height` bytes.
    PixelCount {
        /// Bytes the size calls for.
        expected: usize,
        /// Bytes there are.
        found: usize,
    },
    /// A frame of an animation has another size than the first.
    FrameSize {
        /// Width and height of the animation, pixels.
        expected: [u32; 2],
        /// Width and height of the frame, pixels.
        found: [u32; 2],
    },
    /// A frame rate that a GIF cannot play.
    FrameRate(f64),
    /// A contact sheet without columns.
    NoColumns,
    /// The bytes could not be written.
    Write(std::io::Error),
    /// The bytes are no PNG of red, green, blue and alpha; the text says why.
    Read(String),
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ImageSize { width, height, limit } => write!(
                f,
                "an image of {width} x {height} pixels cannot be made: each side must be between 1 and {limit}"
            ),
            Self::Samples(samples) => {
                write!(f, "{samples} samples per pixel axis are not possible: choose 1 to 8")
            }
            Self::Camera(why) => write!(f, "the camera shows nothing: {why}"),
            Self::Sun(sun) => write!(
                f,
                "the direction toward the sun {sun:?} must be finite and point above the horizon"
            ),
            Self::VertexIndex { mesh, triangle, index, vertices } => write!(
                f,
                "triangle {triangle} of mesh {mesh} names vertex {index}, but the mesh has {vertices} vertices"
            ),
            Self::ColorCount { mesh, colors, vertices } => write!(
                f,
                "mesh {mesh} has {colors} vertex colors for {vertices} vertices: give one for each or none"
            ),
            Self::TooLarge => {
                write!(f, "the picture has more than 2^32 vertices or primitives")
            }
            Self::NoImages => write!(f, "there is no image to work with: give at least one"),
            Self::PixelCount { expected, found } => write!(
                f,
                "the image's pixels take {found} bytes where its size calls for {expected}"
            ),
            Self::FrameSize { expected, found } => write!(
                f,
                "a frame of {} x {} pixels does not fit an animation of {} x {}",
                found[0], found[1], expected[0], expected[1]
            ),
            Self::FrameRate(fps) => write!(
                f,
                "a GIF cannot play {fps} frames per second: choose more than 0.002 and at most 50"
            ),
            Self::NoColumns => write!(f, "a contact sheet needs at least one column"),
            Self::Write(error) => write!(f, "the image could not be written: {error}"),
            Self::Read(why) => write!(f, "the image could not be read: {why}"),
        }
    }
}

impl std::error::Error for RenderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write(error) => Some(error),
            _ => None,
        }
    }
}

impl From<std::io::Error> for RenderError {
    fn from(error: std::io::Error) -> Self {
        Self::Write(error)
    }
}
