//! Problems of a scene file: where, what, and what to do, one sentence each.

use crate::words::count;
use std::fmt;

/// The most problems told of one file.
pub(crate) const MOST: usize = 20;

/// The longest sentence (characters): names in it may be of any length.
const LONGEST: usize = 600;

/// What a file says, made fit to be shown: cut to so many characters, and without those that
/// command a terminal.
pub(crate) fn printable(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().take(most).map(visible).collect();
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

/// A character, or a sign that there is one which cannot be shown.
pub(crate) fn visible(c: char) -> char {
    if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }
}

/// Where a value starts in a scene's text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceOffset(pub(crate) u32);

impl SourceOffset {
    /// The file as a whole.
    pub const ROOT: Self = Self(u32::MAX);
}

/// Whether a problem stops a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The scene runs, though perhaps not as meant.
    Warning,
    /// The scene does not run.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// What kind of failure an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The file says something that makes no sense.
    Input,
    /// The file could not be read.
    File,
    /// The file asks for more than is allowed.
    Limit,
}

/// One problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether it stops the scene.
    pub severity: Severity,
    /// What kind of failure.
    pub cause: Cause,
    /// The file's name.
    pub file: String,
    /// Where the problem lies in what was asked beside the file: that, such as
    /// `--set time.step=0`; empty otherwise.
    pub option: String,
    /// The line, counted from 1; 0 where no line is meant.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The field, such as `deformables[0].springs[17].rest_length`; empty for the whole file.
    pub path: String,
    /// What is wrong.
    pub sentence: String,
    /// The line itself with a mark below, ready to print; empty where no line is meant.
    pub excerpt: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = self.severity;
        let source = if self.option.is_empty() { &self.file } else { &self.option };
        let source: String = source.chars().map(visible).collect();
        write!(f, "{severity}: {source}")?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        // An option that names the field need not name it twice.
        if !self.path.is_empty() && !self.option.contains(&format!(" {}=", self.path)) {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.sentence)?;
        if !self.excerpt.is_empty() {
            write!(f, "\n{}", self.excerpt)?;
        }
        Ok(())
    }
}

/// The problems of a file, in the order they were found: the first twenty, and how many more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// The first of them.
    pub list: Vec<Problem>,
    /// How many there are beyond.
    pub more: usize,
}

impl Problems {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether any stops the scene.
    pub fn stop(&self) -> bool {
        self.list.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// The kind of failure of the first error.
    pub fn cause(&self) -> Cause {
        self.list
            .iter()
            .find(|problem| problem.severity == Severity::Error)
            .map_or(Cause::Input, |problem| problem.cause)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.list.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        if self.more > 0 {
            write!(f, "\n… and {}", count(self.more as u64, "more problem", "more problems"))?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// A problem before its line is looked up: at a value, or at a field of the table there.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub(crate) severity: Severity,
    pub(crate) cause: Cause,
    pub(crate) location: SourceOffset,
    /// The path from there: empty, `mass`, `springs[3].between`.
    pub(crate) tail: String,
    pub(crate) sentence: String,
}

/// Gathers problems while a scene is read or compiled.
#[derive(Default)]
pub(crate) struct Sink {
    pub(crate) list: Vec<Raw>,
    pub(crate) more: usize,
    errors: usize,
}

impl Sink {
    /// An error at a value.
    pub(crate) fn error(&mut self, location: SourceOffset, sentence: impl Into<String>) {
        self.error_in(location, "", sentence);
    }

    /// An error at a field of the table at `location`.
    pub(crate) fn error_in(
        &mut self,
        location: SourceOffset,
        tail: impl Into<String>,
        sentence: impl Into<String>,
    ) {
        self.error_of(Cause::Input, location, tail, sentence);
    }

    /// More was asked for than is allowed.
    pub(crate) fn limit(&mut self, location: SourceOffset, sentence: impl Into<String>) {
        self.error_of(Cause::Limit, location, "", sentence);
    }

    /// An error of a given kind at a field of the table at `location`.
    pub(crate) fn error_of(
        &mut self,
        cause: Cause,
        location: SourceOffset,
        tail: impl Into<String>,
        sentence: impl Into<String>,
    ) {
        self.errors += 1;
        self.push(Severity::Error, cause, location, tail.into(), sentence.into());
    }

    /// A warning at a field of the table at `location`.
    pub(crate) fn warning_in(
        &mut self,
        location: SourceOffset,
        tail: impl Into<String>,
        sentence: impl Into<String>,
    ) {
        self.push(Severity::Warning, Cause::Input, location, tail.into(), sentence.into());
    }

    /// Whether there are as many errors as are told: then one more is counted, and what it would
    /// say need not be worked out.
    pub(crate) fn enough(&mut self) -> bool {
        let enough = self.errors >= MOST;
        if enough {
            self.errors += 1;
            self.more += 1;
        }
        enough
    }

    /// Whether any error was found.
    pub(crate) fn failed(&self) -> bool {
        self.errors > 0
    }

    fn push(
        &mut self,
        severity: Severity,
        cause: Cause,
        location: SourceOffset,
        tail: String,
        sentence: String,
    ) {
        let sentence = printable(&sentence, LONGEST);
        if self.list.len() < MOST {
            self.list.push(Raw { severity, cause, location, tail, sentence });
        } else if severity == Severity::Error
            && let Some(warning) =
                self.list.iter_mut().rfind(|raw| raw.severity == Severity::Warning)
        {
            *warning = Raw { severity, cause, location, tail, sentence };
            self.more += 1;
        } else {
            self.more += 1;
        }
    }
}
