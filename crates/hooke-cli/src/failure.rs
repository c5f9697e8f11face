//! How a command ends when it does not succeed, and with which exit code.

use crate::args::Output;
use crate::message::{flush, tell_error};
use hooke::{Refusal, StepError};
use hooke_media::MediaError;
use hooke_scene::export::ExportError;
use hooke_scene::recording::{RecordingCause, RecordingError};
use hooke_scene::{Cause, NotRunnable, Problems, words};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) use crate::message::{error_line, tell_problems};

/// Why a command ends early.
pub(crate) enum Failure {
    /// What was asked makes no sense.
    Usage(String),
    /// The scene has problems.
    Problems(Problems),
    /// The method refuses the scene.
    Refused(String),
    /// The numbers left the finite range.
    Numerical(String),
    /// Reading or writing failed.
    Io(String),
    /// A file cannot be read or written, or is not what it should be.
    File {
        /// Which.
        path: PathBuf,
        /// What kind of failure.
        cause: Cause,
        /// What is wrong with it.
        sentence: String,
    },
    /// The user stopped it.
    Interrupted(String),
    /// Nobody reads the output any more.
    ClosedPipe,
}

impl Failure {
    /// Tells why, and gives the exit code.
    pub(crate) fn tell(&self, output: &Output) -> ExitCode {
        let (code, file, sentence) = match self {
            Self::ClosedPipe => {
                flush(output);
                return ExitCode::SUCCESS;
            }
            Self::Problems(problems) => {
                tell_problems(problems, output);
                flush(output);
                return ExitCode::from(code(problems.cause()));
            }
            Self::File { path, cause, sentence } => {
                (code(*cause), path.display().to_string(), sentence)
            }
            Self::Usage(sentence) => (2, String::new(), sentence),
            Self::Refused(sentence) => (3, String::new(), sentence),
            Self::Numerical(sentence) => (4, String::new(), sentence),
            Self::Io(sentence) => (5, String::new(), sentence),
            Self::Interrupted(sentence) => (130, String::new(), sentence),
        };
        tell_error(&file, sentence, code, output);
        flush(output);
        ExitCode::from(code)
    }

    /// A file operation that failed.
    pub(crate) fn file(path: &Path) -> impl Fn(std::io::Error) -> Self + '_ {
        |error| {
            let sentence = match error.kind() {
                // Only a folder is made where something may be already.
                ErrorKind::AlreadyExists => "already exists and is not a folder".into(),
                _ => words::io(&error),
            };
            Self::unfit(path, Cause::File, sentence)
        }
    }

    /// The same with more to say about it.
    pub(crate) fn adding(mut self, more: &str) -> Self {
        if let Self::Io(sentence) | Self::File { sentence, .. } = &mut self {
            sentence.push_str("; ");
            sentence.push_str(more);
        }
        self
    }

    /// A file that is not overwritten unasked.
    pub(crate) fn existing(path: &Path) -> Self {
        Self::unfit(path, Cause::File, "already exists; --force overwrites it")
    }

    /// A file with something wrong about it.
    pub(crate) fn unfit(path: &Path, cause: Cause, sentence: impl Into<String>) -> Self {
        Self::File { path: path.to_owned(), cause, sentence: sentence.into() }
    }
}

/// The exit code of a problem.
pub(crate) fn code(cause: Cause) -> u8 {
    match cause {
        Cause::Input => 3,
        Cause::File => 5,
        Cause::Limit => 6,
    }
}

/// What to say where results cannot be printed.
pub(crate) fn out_failed(error: &std::io::Error) -> String {
    format!("standard output: {}", words::io(error))
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Io(out_failed(&error)),
        }
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Problems(problems)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.to_string())
    }
}

impl From<NotRunnable> for Failure {
    fn from(reason: NotRunnable) -> Self {
        match reason {
            NotRunnable::Problems(problems) => problems.into(),
            NotRunnable::Refused(refusal) => refusal.into(),
            NotRunnable::NotComparable(sentence) => Self::Refused(sentence),
        }
    }
}

impl From<StepError> for Failure {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Refused(refusal) => refusal.into(),
            StepError::Diverged(diverged) => Self::Numerical(diverged.to_string()),
            too_fast @ StepError::TooFast { .. } => Self::Numerical(too_fast.to_string()),
            StepError::Stopped => MediaError::Stopped.into(),
        }
    }
}

impl From<hooke_render::RenderError> for Failure {
    fn from(error: hooke_render::RenderError) -> Self {
        Self::Io(error.to_string())
    }
}

impl From<MediaError> for Failure {
    fn from(error: MediaError) -> Self {
        match error {
            MediaError::Render(error) => error.into(),
            MediaError::Recording(error) => error.into(),
            MediaError::Unfit(path, sentence) => Self::unfit(&path, Cause::File, sentence),
            MediaError::Scene(reason) => reason.into(),
            MediaError::Step(error) => error.into(),
            MediaError::Stopped => Self::Interrupted(error.to_string()),
        }
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Recording(error) => error.into(),
            ExportError::Io { path, source, .. } => Self::file(&path)(source),
            error => Self::Io(error.to_string()),
        }
    }
}

impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Self {
        let whole = error.to_string();
        let path = format!("{}: ", error.path.display());
        let (cause, sentence) = match &error.cause {
            RecordingCause::Damaged(_) => (Cause::Input, None),
            RecordingCause::Io(error) => (Cause::File, Some(words::io(error))),
            _ => (Cause::File, None),
        };
        let sentence =
            sentence.unwrap_or_else(|| whole.strip_prefix(&path).unwrap_or(&whole).into());
        Self::unfit(&error.path, cause, sentence)
    }
}
