//! How a command ends when it does not succeed, and with which exit code.

use crate::args::Output;
use hooke::{Refusal, StepError};
use hooke_scene::json::Json;
use hooke_scene::recording::{RecordingCause, RecordingError};
use hooke_scene::{Cause, NotRunnable, Problems};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

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
    /// The user stopped it.
    Interrupted(String),
    /// Nobody reads the output any more.
    ClosedPipe,
}

impl Failure {
    /// Tells why, and gives the exit code.
    pub(crate) fn tell(&self, output: &Output) -> ExitCode {
        let (code, sentence) = match self {
            Self::ClosedPipe => return ExitCode::SUCCESS,
            Self::Problems(problems) => {
                tell_problems(problems, output);
                return ExitCode::from(match problems.cause() {
                    Cause::Input => 3,
                    Cause::File => 5,
                    Cause::Limit => 6,
                });
            }
            Self::Usage(sentence) => (2, sentence),
            Self::Refused(sentence) => (3, sentence),
            Self::Numerical(sentence) => (4, sentence),
            Self::Io(sentence) => (5, sentence),
            Self::Interrupted(sentence) => (130, sentence),
        };
        if output.json_errors {
            let error = [("severity", Json::text("error")), ("message", Json::text(sentence))];
            error_line(&Json::list([Json::object(error)]).to_string());
        } else {
            error_line(&format!("{} {sentence}", mark("error:")));
        }
        ExitCode::from(code)
    }

    /// A file operation that failed.
    pub(crate) fn file(path: &Path) -> impl Fn(std::io::Error) -> Self + '_ {
        |error| Self::Io(format!("{}: {error}", path.display()))
    }
}

/// Prints problems; warnings alone stop nothing.
pub(crate) fn tell_problems(problems: &Problems, output: &Output) {
    if output.json_errors {
        error_line(&problems.json().to_string());
        return;
    }
    let mut text = problems.to_string();
    for word in ["error:", "warning:"] {
        let painted = mark(word);
        text = text.replace(&format!("\n{word}"), &format!("\n{painted}"));
        if let Some(rest) = text.strip_prefix(word) {
            text = format!("{painted}{rest}");
        }
    }
    error_line(&text);
}

/// A severity, in colour on a terminal.
fn mark(word: &str) -> String {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if plain || !std::io::stderr().is_terminal() {
        return word.to_owned();
    }
    let colour = if word.starts_with("error") { 31 } else { 33 };
    format!("\u{1b}[1;{colour}m{word}\u{1b}[0m")
}

/// Writes to standard error; where that is closed there is nobody left to tell.
pub(crate) fn error_line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Io(format!("standard output: {error}")),
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
        Self::Refused(refusal.0)
    }
}

impl From<NotRunnable> for Failure {
    fn from(reason: NotRunnable) -> Self {
        match reason {
            NotRunnable::Problems(problems) => problems.into(),
            NotRunnable::Refused(refusal) => refusal.into(),
        }
    }
}

impl From<StepError> for Failure {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Refused(refusal) => refusal.into(),
            StepError::Diverged(diverged) => Self::Numerical(diverged.to_string()),
        }
    }
}

impl From<hooke_render::RenderError> for Failure {
    fn from(error: hooke_render::RenderError) -> Self {
        Self::Io(error.to_string())
    }
}

impl From<hooke_scene::export::ExportError> for Failure {
    fn from(error: hooke_scene::export::ExportError) -> Self {
        Self::Io(error.to_string())
    }
}

impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Self {
        match error.cause {
            RecordingCause::Damaged(_) => Self::Refused(error.to_string()),
            _ => Self::Io(error.to_string()),
        }
    }
}
