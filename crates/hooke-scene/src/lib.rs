//! Scene files, the gallery and recordings of Hooke.
//!
//! A [`Scene`] is what a person writes: a TOML file that says bodies, pins, forces, time and
//! method. It compiles into the engine's [`Model`](hooke::Model) and its starting
//! [`State`](hooke::State), and runs as a [`Simulation`](hooke::Simulation):
//!
//! ```
//! use hooke_scene::Scene;
//!
//! let mut scene = Scene::gallery("hanging-cloth").ok_or("not in the gallery")?;
//! scene.set("method.name", "quasi-newton")?;
//! let mut simulation = scene.simulation(1)?;
//! let report = simulation.step()?;
//! assert!(report.energy.total().is_finite());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every field of the format is declared once, in [`mod@format`]: the reader with its messages, the
//! JSON Schema ([`schema`]), the documentation ([`page`]) and the commented scene ([`template`])
//! all follow from those declarations. A [`recording`] is what a run leaves behind; a
//! [`Probe`] evaluates a scene without stepping.

pub mod compare;
mod compile;
mod edit;
pub mod estimate;
pub mod export;
pub mod field;
mod files;
pub mod format;
mod gallery;
pub mod import;
pub mod json;
pub mod limits;
mod load;
pub mod materials;
mod nesting;
mod page;
mod path;
mod probe;
mod problem;
pub mod recording;
mod scene;
mod schema;
mod source;
mod template;
mod values;
pub mod words;

pub use compile::{ChainParts, Compiled, DeformableParts, EndParts, RigidParts};
pub use files::{Allowed, FileName};
pub use gallery::{Entry, gallery};
pub use page::page;
pub use probe::{Probe, What};
pub use problem::{Cause, Problem, Problems, Severity, SourceOffset};
pub use scene::{NamedFile, NotRunnable, Scene};
pub use schema::schema;
pub use template::template;
pub use words::nearest;

/// Whether a run has diverged, though its numbers are still finite: one sentence that says which
/// particle or rigid body is out of reach, and the method's limit.
pub fn runaway(simulation: &mut hooke::Simulation) -> Option<String> {
    let state = simulation.state();
    let out = |x: &hooke::Vec3| x.to_array().iter().any(|value| value.abs() > limits::REACH);
    let particle = state.positions.iter().position(out);
    let body = || state.rigid_bodies.iter().position(|body| out(&body.pose.position));
    let what = match particle {
        Some(particle) => format!("particle {particle}"),
        None => format!("rigid body {}", body()?),
    };
    let (step, h) = (state.step, simulation.step_length());
    let (limit, parts) = simulation.stability().ok()?;
    let part = h / f64::from(parts);
    let why = match particle {
        Some(_) => limit.blame(part),
        None => hooke::StabilityLimit::None.blame(part),
    };
    Some(format!("step {step}: {what} is more than {:e} m away; {why}", limits::REACH))
}
