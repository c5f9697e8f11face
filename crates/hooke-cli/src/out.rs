//! Standard output: one handle, through which everything is printed, so that a closed pipe ends
//! the command quietly and a full disk is noticed.

use crate::args::Output;
use crate::failure::Failure;
use hooke_scene::json::description;
use serde_json::Value;
use std::io::{BufWriter, Stdout, Write};
use std::path::PathBuf;

/// Where results go.
pub(crate) struct Out {
    to: BufWriter<Stdout>,
    quiet: bool,
    json: bool,
}

impl Out {
    pub(crate) fn new(output: &Output) -> Self {
        let to = BufWriter::new(std::io::stdout());
        Self { to, quiet: output.quiet, json: output.json }
    }

    /// Prints a result: what the command was asked for.
    pub(crate) fn result(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.to, "{}", text.trim_end())?)
    }

    /// Prints a remark, unless quiet; at once.
    pub(crate) fn remark(&mut self, text: &str) -> Result<(), Failure> {
        if !self.quiet {
            writeln!(self.to, "{text}")?;
            self.to.flush()?;
        }
        Ok(())
    }

    /// Prints which files were written, and what there is to say about them; unless quiet.
    pub(crate) fn files(&mut self, files: &[PathBuf], notes: &[String]) -> Result<(), Failure> {
        let names = || files.iter().map(|file| file.display().to_string());
        if self.json {
            let made = [
                ("files", Value::from_iter(names().map(Value::from))),
                ("notes", Value::from_iter(notes.iter().map(|text| Value::from(text.as_str())))),
            ];
            return self.result(&description(&Value::from_iter(made)));
        }
        for note in notes {
            self.remark(&format!("note: {note}"))?;
        }
        names().try_for_each(|name| self.remark(&name))
    }

    /// Makes sure everything was printed.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.to.flush()?)
    }
}

/// Rows as columns side by side; a column of numbers leans to the right.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
    let width =
        |column: usize| rows.iter().map(|row| cell(row, column).chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, width) in widths.iter().enumerate() {
            let text = cell(row, column);
            let fill = " ".repeat(width - text.chars().count());
            line.push_str(&text);
            line.push_str(&fill);
            line.push_str("  ");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
