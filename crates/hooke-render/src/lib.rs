//! Pictures and GIFs of cloth, springs and particles, and [charts](chart), drawn in software.
//!
//! There is no GPU, window or system package behind this crate: a picture is a pure function of
//! what it shows, the camera and the settings, and has the same bits for any number of threads.
//! Lengths are meters, Y points up, axes are right-handed, colors are sRGB in `0..=1`.
//!
//! ```
//! use hooke_render::{Ball, Camera, Picture, Settings, render};
//!
//! let picture = Picture {
//!     balls: vec![Ball { center: [0.0, 0.5, 0.0], radius: 0.5, color: [0.85, 0.35, 0.2] }],
//!     ground: Some(0.0),
//!     ..Picture::default()
//! };
//! let settings = Settings { width: 160, height: 90, ..Settings::default() };
//! let camera = Camera::framing(&picture.bounds(), picture.ground, settings.aspect(), 30.0);
//! let image = render(&picture, &camera, &settings)?;
//! let mut file = Vec::new();
//! image.write_png(&mut file)?;
//! # Ok::<(), hooke_render::RenderError>(())
//! ```
//!
//! How a picture comes about, one module per idea: `scene` checks the input and computes smooth
//! normals, `raster` finds what each sample of a pixel sees, `shade` lights it, asking either
//! `shadow` (a shadow map, [`Quality::Draft`]) or `trace` (rays, [`Quality::High`]) how much of the
//! sun and the sky arrives, and `ground` draws the floor. Text comes from `font`, which draws the
//! strokes of `glyphs` with `ink`.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bvh;
mod camera;
pub mod chart;
mod color;
mod error;
mod font;
mod gif;
mod glyphs;
mod ground;
mod image;
mod ink;
mod occlusion;
mod palette;
mod picture;
mod raster;
mod scan;
mod scene;
mod settings;
mod shade;
mod shadow;
mod shape;
mod sheet;
mod trace;

pub use camera::Camera;
pub use color::strain_color;
pub use error::RenderError;
pub use gif::GifWriter;
pub use image::Image;
pub use picture::{Ball, Bounds, Color, Mesh, Picture, Point3, Tube};
pub use settings::{Quality, Settings, Theme};
pub use sheet::contact_sheet;

/// Draws `picture` as `camera` sees it.
///
/// Primitives with a non-finite number, a coordinate beyond 10⁹ m, no extent, or a length of more
/// than ten times the camera's distance from what it looks at are left out; an
/// empty picture shows the background. Tubes and balls thinner than a pixel are drawn about one
/// pixel wide, so that they never break up.
pub fn render(
    picture: &Picture,
    camera: &Camera,
    settings: &Settings,
) -> Result<Image, RenderError> {
    let view = settings.check().and_then(|()| camera.view(settings))?;
    let scene = scene::Scene::new(picture, &view)?;
    let mood = settings.mood();
    Ok(match settings.quality {
        Quality::Draft => {
            let shadows = shadow::Shadows::new(&scene, &view, &mood);
            raster::draw(&scene, &view, &mood, settings.samples, &shadows)
        }
        Quality::High => {
            let rays = trace::Rays::new(&scene, &view, &mood);
            raster::draw(&scene, &view, &mood, settings.samples, &rays)
        }
    })
}
