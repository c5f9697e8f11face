//! Why a picture or an animation was not made.

use hooke::StepError;
use hooke_render::RenderError;
use hooke_scene::recording::RecordingError;
use hooke_scene::{NotRunnable, Problems};
use std::fmt;
use std::path::PathBuf;

/// Why a picture or an animation was not made.
#[derive(Debug)]
pub enum MediaError {
    /// It could not be drawn or written.
    Render(RenderError),
    /// The recording could not be read.
    Recording(RecordingError),
    /// A file is not what it should be: one sentence.
    Unfit(PathBuf, String),
    /// The scene does not run.
    Scene(NotRunnable),
    /// A value became NaN or infinite.
    Step(StepError),
    /// It was stopped.
    Stopped,
}

impl fmt::Display for MediaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Render(error) => error.fmt(f),
            Self::Recording(error) => error.fmt(f),
            Self::Unfit(path, sentence) => write!(f, "{}: {sentence}", path.display()),
            Self::Scene(reason) => reason.fmt(f),
            Self::Step(error) => error.fmt(f),
            Self::Stopped => f.write_str("stopped; what was being made is left out"),
        }
    }
}

impl std::error::Error for MediaError {}

impl From<RenderError> for MediaError {
    fn from(error: RenderError) -> Self {
        Self::Render(error)
    }
}

impl From<RecordingError> for MediaError {
    fn from(error: RecordingError) -> Self {
        Self::Recording(error)
    }
}

impl From<Problems> for MediaError {
    fn from(problems: Problems) -> Self {
        Self::Scene(problems.into())
    }
}

impl From<NotRunnable> for MediaError {
    fn from(reason: NotRunnable) -> Self {
        Self::Scene(reason)
    }
}

impl From<StepError> for MediaError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}
