//! From scenes and recordings to pictures and animations.
//!
//! A [`Stage`] knows how a scene is shown: what is drawn as cloth and what as springs, and where the
//! camera stands. A [`Clip`] is a recording on its stage; an [`Animation`] draws all of it; a
//! [`thumbnail`] is a scene at the moment it is best seen.

mod animation;
mod bones;
mod clip;
mod error;
mod props;
mod rigid;
mod skin;
mod stage;
mod thumbnail;

pub use animation::{Animation, Pace};
pub use clip::Clip;
pub use error::MediaError;
pub use stage::Stage;
pub use thumbnail::thumbnail;
