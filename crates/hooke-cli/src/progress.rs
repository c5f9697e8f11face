//! Progress on a terminal: a bar with the time left, on standard error.

use crate::args::Output;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// A bar over `count` of something; hidden where nobody watches.
pub(crate) fn bar(count: u64, what: &str, output: &Output) -> ProgressBar {
    if output.quiet || output.json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(count);
    let template = format!("{{wide_bar}} {{pos}}/{{len}} {what}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}
