//! A scene's text, and how a location in it becomes a line and a path.

use crate::edit::{Segment, segments};
use crate::problem::{
    Cause, Problem, Problems, Raw, Severity, Sink, SourceOffset, printable, visible,
};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its location in the text.
pub(crate) type Node<'a> = Spanned<DeValue<'a>>;

/// The name and text of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The text as it was read, where it was changed since: lines are counted in it.
    written: Option<Box<str>>,
    changes: Vec<Change>,
}

/// A field that was changed after reading.
#[derive(Clone, Debug)]
struct Change {
    path: Vec<Segment>,
    /// How it was asked for, such as `--set time.step=0`; empty where nobody asked.
    option: String,
}

/// Where a value starts.
pub(crate) fn location(node: &Node<'_>) -> SourceOffset {
    SourceOffset(u32::try_from(node.span().start).unwrap_or(u32::MAX))
}

/// A text as a tree of values.
fn tree(text: &str) -> Node<'_> {
    let tree = DeTable::parse_recoverable(text).0;
    Spanned::new(tree.span(), DeValue::Table(tree.into_inner()))
}

impl Source {
    /// Some editors put a mark before a text, which is no part of it.
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        Self { name: name.into(), text, written: None, changes: Vec::new() }
    }

    /// Notes that the field at `path` is about to be changed, because of `option`.
    pub(crate) fn changing(&mut self, path: Vec<Segment>, option: impl Into<String>) {
        self.written.get_or_insert_with(|| self.text.as_str().into());
        self.changes.push(Change { path, option: option.into() });
    }

    /// Whether the field at `path` was changed since the text was read.
    pub(crate) fn changed(&self, path: &str) -> bool {
        self.changes.iter().any(|change| write_path(&change.path) == path)
    }

    /// Looks up lines and paths; errors come first.
    pub(crate) fn resolve(&self, sink: Sink) -> Problems {
        let Sink { list, more, .. } = sink;
        let root = tree(&self.text);
        let written = self.written.as_deref().map(tree);
        let look_up = |raw: Raw| self.resolve_one(&root, written.as_ref(), raw);
        let mut list: Vec<_> = list.into_iter().map(look_up).collect();
        list.sort_by_key(|problem| problem.severity == Severity::Warning);
        Problems { list, more }
    }

    /// `written` is the tree of the text before any change.
    fn resolve_one(&self, root: &Node<'_>, written: Option<&Node<'_>>, raw: Raw) -> Problem {
        let Raw { severity, cause, location, tail, sentence } = raw;
        let mut path = Vec::new();
        let found = if location == SourceOffset::ROOT {
            Some(root)
        } else {
            let mut best = None;
            locate(root, location, &mut Vec::new(), &mut best);
            best.map(|(node, found)| {
                path = found;
                node
            })
        };
        let mut span = match found {
            Some(node) if location != SourceOffset::ROOT => Some(node.span()),
            Some(_) => None,
            None => Some(location.0 as usize..location.0 as usize),
        };
        let mut node = found;
        for segment in segments(&tail).unwrap_or_else(|| vec![Segment::Key(tail.clone())]) {
            node = node.and_then(|node| child(node, &segment));
            if let Some(node) = node {
                span = Some(node.span());
            }
            path.push(segment);
        }
        let Some(written) = written else {
            return self.problem(severity, cause, span, write_path(&path), sentence);
        };
        let matches =
            |change: &&Change| !change.option.is_empty() && path.starts_with(&change.path);
        let option = self.changes.iter().rfind(matches).map(|change| change.option.clone());
        // What is as it was written has the line it was written on.
        let (mut node, mut span) = (Some(written), None);
        for segment in path.iter().filter(|_| option.is_none()) {
            node = node.and_then(|node| child(node, segment));
            span = node.map(|node| node.span()).or(span);
        }
        let text = self.written.as_deref().unwrap_or_default();
        let (line, column, excerpt) =
            span.map_or_else(Default::default, |span| excerpt(text, span));
        let (file, option) = (self.name.clone(), option.unwrap_or_default());
        let path = write_path(&path);
        Problem { severity, cause, file, option, line, column, path, sentence, excerpt }
    }

    /// A problem at a span of the text.
    pub(crate) fn problem(
        &self,
        severity: Severity,
        cause: Cause,
        span: Option<Range<usize>>,
        path: String,
        sentence: String,
    ) -> Problem {
        let (file, option) = (self.name.clone(), String::new());
        let (line, column, excerpt) =
            span.map_or_else(Default::default, |span| excerpt(&self.text, span));
        Problem { severity, cause, file, option, line, column, path, sentence, excerpt }
    }
}

/// The line and column of a span, and the line with a mark below it.
fn excerpt(text: &str, span: Range<usize>) -> (usize, usize, String) {
    const WIDTH: usize = 90;
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let before = text.get(..start).unwrap_or_default();
    let number = before.matches('\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let rest = text.get(line_start..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    let column = before.get(line_start..).unwrap_or_default().chars().count();
    // A long line is shown around the mark.
    let long = line.chars().nth(WIDTH).is_some();
    let first = if long { column.saturating_sub(WIDTH / 2) } else { 0 };
    let shown: String = line.chars().skip(first).take(WIDTH).map(visible).collect();
    let spanned = text.get(start..span.end).unwrap_or_default();
    let length = spanned.lines().next().unwrap_or_default().chars().take(WIDTH).count();
    let length = length.clamp(1, (WIDTH + first).saturating_sub(column).max(1));
    let gutter = " ".repeat(number.to_string().len());
    let indent: String = line
        .chars()
        .skip(first)
        .take(column - first.min(column))
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let mark = "^".repeat(length);
    (number, column + 1, format!("  {number} | {shown}\n  {gutter} | {indent}{mark}"))
}

/// The child of a table or list that a segment names.
pub(crate) fn child<'t, 'a>(node: &'t Node<'a>, segment: &Segment) -> Option<&'t Node<'a>> {
    match (segment, node.get_ref()) {
        (Segment::Key(key), DeValue::Table(table)) => table.get(key.as_str()),
        (Segment::Index(index), DeValue::Array(list)) => list.get(*index),
        _ => None,
    }
}

/// Finds the deepest value that starts at `location`, and its path.
fn locate<'t, 'a>(
    node: &'t Node<'a>,
    location: SourceOffset,
    path: &mut Vec<Segment>,
    best: &mut Option<(&'t Node<'a>, Vec<Segment>)>,
) {
    if node.span().start == location.0 as usize && !path.is_empty() {
        *best = Some((node, path.clone()));
    }
    match node.get_ref() {
        DeValue::Table(table) => {
            for (key, value) in table.iter() {
                path.push(Segment::Key(key.get_ref().to_string()));
                locate(value, location, path, best);
                path.pop();
            }
        }
        DeValue::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                path.push(Segment::Index(index));
                locate(value, location, path, best);
                path.pop();
            }
        }
        _ => {}
    }
}

pub(crate) fn write_path(path: &[Segment]) -> String {
    let mut out = String::new();
    for segment in path {
        match segment {
            Segment::Key(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(&printable(key, 40));
            }
            Segment::Index(index) => out.push_str(&format!("[{index}]")),
        }
    }
    out
}
