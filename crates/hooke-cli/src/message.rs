//! Messages on standard error: for people as they come, for tools (`--json-errors`) as one array
//! at the end.

use crate::args::Output;
use crate::failure::{code, out_failed};
use hooke_scene::json::description;
use hooke_scene::{Problem, Problems, Severity, words};
use serde_json::Value;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// Prints problems, or keeps them for [`flush`]; warnings alone stop nothing.
pub(crate) fn tell_problems(problems: &Problems, output: &Output) {
    if output.json_errors {
        let mut messages = output.messages.borrow_mut();
        messages.extend(problems.list.iter().map(problem_json));
        if problems.more > 0 {
            let more = words::count(problems.more as u64, "more problem", "more problems");
            messages.push(entry("note", [], &format!("{more} not listed"), None));
        }
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

/// Tells a warning that is of no file, unless quiet.
pub(crate) fn tell_warning(sentence: &str, output: &Output) {
    if output.json_errors {
        output.messages.borrow_mut().push(entry("warning", [], sentence, None));
    } else if !output.quiet {
        error_line(&format!("{} {sentence}", mark("warning:")));
    }
}

/// Tells the error that ends a command, of a file where one is named.
pub(crate) fn tell_error(file: &str, sentence: &str, code: u8, output: &Output) {
    if output.json_errors {
        output.messages.borrow_mut().push(error_json(file, sentence, code));
    } else if file.is_empty() {
        error_line(&format!("{} {sentence}", mark("error:")));
    } else {
        error_line(&format!("{} {file}: {sentence}", mark("error:")));
    }
}

/// Prints what was told as JSON, all of it in one array.
pub(crate) fn flush(output: &Output) {
    let messages = output.messages.take();
    if !messages.is_empty() {
        error_line(&description(&Value::Array(messages)));
    }
}

/// What clap has to say: help and versions, which are results, and mistakes in what was asked.
pub(crate) fn tell_usage(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json-errors");
    if error.use_stderr() && json {
        error_line(&description(&Value::from_iter([error_json("", &usage(error), 2)])));
        return ExitCode::from(2);
    }
    match error.print() {
        Ok(()) if error.use_stderr() => ExitCode::from(2),
        Err(failed) if !error.use_stderr() && failed.kind() != ErrorKind::BrokenPipe => {
            error_line(&format!("{} {}", mark("error:"), out_failed(&failed)));
            ExitCode::from(5)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// A mistake in what was asked, in one line, without the usage that follows.
fn usage(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.strip_prefix("error: ").unwrap_or(&text).lines().map(str::trim);
    let said =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let mut out = String::new();
    for line in said.filter(|line| !line.is_empty()) {
        let goes_on = out.is_empty() || out.ends_with(':') || line.starts_with('[');
        let join = if goes_on { " " } else { "; " };
        out.push_str(join);
        out.push_str(line);
    }
    out.trim().to_owned()
}

/// A problem for tools; an error has the exit code it would lead to.
fn problem_json(problem: &Problem) -> Value {
    let Problem { severity, cause, file, option, line, column, path, sentence, .. } = problem;
    let code = (*severity == Severity::Error).then(|| code(*cause));
    let option = Some(("option", Value::from(option.as_str()))).filter(|_| !option.is_empty());
    let location = [
        ("file", Value::from(file.as_str())),
        ("line", Value::from(*line as u64)),
        ("column", Value::from(*column as u64)),
        ("path", Value::from(path.as_str())),
    ];
    entry(&severity.to_string(), location.into_iter().chain(option), sentence, code)
}

/// An error that is not of a scene, for tools.
fn error_json(file: &str, sentence: &str, code: u8) -> Value {
    entry("error", [("file", Value::from(file))], sentence, Some(code))
}

/// One entry of what is told as JSON: whatever is not known is empty or 0.
fn entry(
    severity: &str,
    known: impl IntoIterator<Item = (&'static str, Value)>,
    sentence: &str,
    code: Option<u8>,
) -> Value {
    let mut fields = vec![
        ("severity", Value::from(severity)),
        ("file", Value::from("")),
        ("line", Value::from(0)),
        ("column", Value::from(0)),
        ("path", Value::from("")),
    ];
    for (name, value) in known {
        match fields.iter_mut().find(|(field, _)| *field == name) {
            Some(field) => field.1 = value,
            None => fields.push((name, value)),
        }
    }
    fields.push(("message", Value::from(sentence)));
    fields.extend(code.map(|code| ("code", Value::from(u64::from(code)))));
    Value::from_iter(fields)
}

/// A severity, in color on a terminal.
fn mark(word: &str) -> String {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if plain || !std::io::stderr().is_terminal() {
        return word.to_owned();
    }
    let color = if word.starts_with("error") { 31 } else { 33 };
    format!("\u{1b}[1;{color}m{word}\u{1b}[0m")
}

/// Writes to standard error; where that is closed there is nobody left to tell.
pub(crate) fn error_line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
