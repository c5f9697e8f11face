//! How a picture is made, and the light and colors that come with a theme.

use crate::{RenderError, color::linear};
use glam::Vec3;

/// Largest side of an image in pixels.
pub(crate) const LARGEST_SIDE: u32 = 16_384;

/// How a picture is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Width in pixels, 1 to 16384.
    pub width: u32,
    /// Height in pixels, 1 to 16384.
    pub height: u32,
    /// Antialiasing samples per axis of a pixel, 1 to 8; a pixel has `samples²`.
    pub samples: u32,
    /// How shadows are made.
    pub quality: Quality,
    /// Background, floor and mood of the light.
    pub theme: Theme,
    /// Direction toward the sun, of any length; it must point above the horizon.
    pub sun: [f32; 3],
}

/// Declares a choice with the names of its variants; the first is the default.
macro_rules! choice {
    ($(#[doc = $outer:literal])+ pub enum $name:ident {
        $($(#[doc = $inner:literal])+ $variant:ident = $text:literal,)+
    }) => {
        $(#[doc = $outer])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $inner])+ $variant,)+ }

        impl $name {
            /// Every choice, with its name and what it means.
            pub const ALL: &[(Self, &str, &str)] =
                &[$((Self::$variant, $text, concat!($($inner),+)),)+];
        }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0].0
            }
        }
    };
}

choice! {
    /// How shadows are made.
    pub enum Quality {
        /// A shadow map and an even sky: for previews and animations.
        Draft = "draft",
        /// Rays to a sun with an extent and to the whole sky: for figures.
        High = "high",
    }
}

choice! {
    /// Background, floor and mood of the light.
    pub enum Theme {
        /// A bright studio in cool gray.
        Light = "light",
        /// A dark studio.
        Dark = "dark",
        /// A bright studio on pure white, for the page of a paper.
        Paper = "paper",
    }
}

impl Theme {
    /// Paper and ink of a page with text.
    pub(crate) fn page(self) -> ([u8; 3], [u8; 3]) {
        match self {
            Self::Light | Self::Paper => ([255; 3], [52, 56, 64]),
            Self::Dark => ([18, 20, 24], [205, 210, 220]),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            samples: 2,
            quality: Quality::Draft,
            theme: Theme::Light,
            sun: [-0.46, 0.82, 0.36],
        }
    }
}

impl Settings {
    /// Width over height.
    pub fn aspect(&self) -> f32 {
        self.width as f32 / self.height.max(1) as f32
    }

    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let Self { width, height, samples, sun, .. } = *self;
        let sides = 1..=LARGEST_SIDE;
        if !sides.contains(&width) || !sides.contains(&height) {
            return Err(RenderError::ImageSize { width, height, limit: LARGEST_SIDE });
        }
        if !(1..=8).contains(&samples) {
            return Err(RenderError::Samples(samples));
        }
        let above = Vec3::from(sun).try_normalize().is_some_and(|sun| sun.y > 0.01);
        if above { Ok(()) } else { Err(RenderError::Sun(sun)) }
    }

    pub(crate) fn mood(&self) -> Mood {
        let sun = Vec3::from(self.sun).normalize_or(Vec3::Y);
        let day = Mood {
            sun,
            sunlight: Vec3::new(1.0, 0.98, 0.95) * 0.80,
            sky: Vec3::new(0.95, 0.975, 1.0) * 0.46,
            bounce: Vec3::new(1.0, 0.985, 0.965) * 0.27,
            horizon: linear([0.925, 0.932, 0.942]),
            zenith: linear([0.780, 0.825, 0.872]),
            tiles: [linear([0.862, 0.872, 0.884]), linear([0.802, 0.816, 0.834])],
        };
        match self.theme {
            Theme::Light => day,
            Theme::Paper => Mood {
                horizon: Vec3::ONE,
                zenith: Vec3::ONE,
                tiles: [linear([0.955; 3]), linear([0.915; 3])],
                ..day
            },
            Theme::Dark => Mood {
                sky: Vec3::new(0.88, 0.94, 1.0) * 0.34,
                bounce: Vec3::new(0.92, 0.96, 1.0) * 0.12,
                horizon: linear([0.115, 0.125, 0.145]),
                zenith: linear([0.060, 0.066, 0.080]),
                tiles: [linear([0.255, 0.268, 0.295]), linear([0.205, 0.216, 0.240])],
                ..day
            },
        }
    }
}

/// Light and colors of a theme; linear light, where 1 is what a white floor in the sun sends back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mood {
    /// Unit vector toward the sun.
    pub sun: Vec3,
    /// What the sun adds to a white surface that faces it.
    pub sunlight: Vec3,
    /// What the open sky adds to a white surface that faces up.
    pub sky: Vec3,
    /// What the surroundings below add to a white surface that faces down.
    pub bounce: Vec3,
    /// Background at and below the horizon, as displayed.
    pub horizon: Vec3,
    /// Background straight up, as displayed.
    pub zenith: Vec3,
    /// Reflectance of the two kinds of floor tile.
    pub tiles: [Vec3; 2],
}

impl Mood {
    /// Background in the unit direction `to`, as displayed.
    pub fn background(&self, to: Vec3) -> Vec3 {
        let rise = to.y.clamp(0.0, 1.0);
        self.horizon.lerp(self.zenith, rise * (2.0 - rise))
    }
}
