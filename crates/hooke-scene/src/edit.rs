//! Changing one field of a scene by its path, in the text itself: comments and order stay.

use crate::field::{FieldInfo, Kind, TableInfo};
use crate::format::{Document, method_settings};
use crate::source::{Node, Source, child};
use crate::words::{count, hint};
use hooke::methods::{METHODS, MethodInfo};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// `.name`
    Key(String),
    /// `[3]`
    Index(usize),
}

/// The steps of a path such as `deformables[0].structural.stiffness`.
pub(crate) fn segments(path: &str) -> Option<Vec<Segment>> {
    let mut out = Vec::new();
    if path.is_empty() {
        return Some(out);
    }
    for part in path.split('.') {
        let (key, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        if key.is_empty() {
            return None;
        }
        out.push(Segment::Key(key.to_owned()));
        for index in indices.split_inclusive(']') {
            let index = index.strip_prefix('[')?.strip_suffix(']')?;
            out.push(Segment::Index(index.parse().ok()?));
        }
    }
    Some(out)
}

impl Source {
    /// Sets the field at `path` to what `value` says: TOML, or text without its quotes. `option`
    /// is how that was asked for.
    pub(crate) fn set(&mut self, path: &str, value: &str, option: &str) -> Result<(), String> {
        let Some(path) = segments(path).filter(|path| !path.is_empty()) else {
            return Err("is not a path like deformables[0].structural.stiffness".into());
        };
        check(&path)?;
        let value = match DeValue::parse(value) {
            Ok(_) => value.to_owned(),
            Err(_) => quoted(value),
        };
        let (at, text) = self.edit(&path, &value)?;
        self.changing(path, option);
        self.text.replace_range(at, &text);
        Ok(())
    }

    /// Makes values that are there already other texts, all in one pass.
    pub(crate) fn replace(&mut self, changes: &[(Vec<Segment>, String)]) {
        let tree = DeTable::parse_recoverable(&self.text).0;
        let root = Spanned::new(tree.span(), DeValue::Table(tree.into_inner()));
        let find = |path: &[Segment]| path.iter().try_fold(&root, child).map(Spanned::span);
        let mut found: Vec<_> =
            changes.iter().filter_map(|(path, value)| Some((find(path)?, value))).collect();
        found.sort_by_key(|(span, _)| span.start);
        let (mut text, mut behind) = (String::with_capacity(self.text.len()), 0);
        for (span, value) in found {
            text.push_str(self.text.get(behind..span.start).unwrap_or_default());
            text.push_str(&quoted(value));
            behind = span.end;
        }
        text.push_str(self.text.get(behind..).unwrap_or_default());
        for (path, _) in changes {
            self.changing(path.clone(), "");
        }
        self.text = text;
    }

    /// Names another method; settings that it does not have are taken out. `option` is how that
    /// was asked for.
    pub(crate) fn use_method(&mut self, info: &MethodInfo, option: &str) -> Result<(), String> {
        self.changing(vec![Segment::Key("method".into()), Segment::Key("name".into())], option);
        let known: Vec<_> = method_settings(info).iter().map(|(setting, _)| setting.name).collect();
        loop {
            let tree = DeTable::parse_recoverable(&self.text).0;
            let Some(method) = tree.get_ref().get("method") else { break };
            let Some(table) = method.get_ref().as_table() else { break };
            let strange = table.iter().find(|(key, _)| {
                let key = key.get_ref().as_ref();
                key != "name" && !known.contains(&key)
            });
            let Some((key, value)) = strange else { break };
            let (start, end) = (key.span().start, value.span().end);
            let range = if self.is_inline(method) {
                // With the comma before it, or else the one behind.
                let before = self.text.get(..start).unwrap_or_default().trim_end();
                let behind = self.text.get(end..).unwrap_or_default();
                match before.strip_suffix(',') {
                    Some(before) => before.len()..end,
                    None if behind.trim_start().starts_with(',') => {
                        start..end + behind.find(',').map_or(0, |comma| comma + 1)
                    }
                    None => start..end,
                }
            } else {
                let before = self.text.get(..start).unwrap_or_default();
                let line = before.rfind('\n').map_or(0, |newline| newline + 1);
                line..(self.line_end(end) + 1).min(self.text.len())
            };
            drop(tree);
            self.text.replace_range(range, "");
        }
        self.set("method.name", &quoted(info.name), option)
    }

    /// What to put where.
    fn edit(
        &self,
        path: &[Segment],
        value: &str,
    ) -> Result<(std::ops::Range<usize>, String), String> {
        let tree = DeTable::parse_recoverable(&self.text).0;
        let root = Spanned::new(tree.span(), DeValue::Table(tree.into_inner()));
        let mut node = &root;
        for (depth, segment) in path.iter().enumerate() {
            match child(node, segment) {
                Some(next) => node = next,
                None => return self.insert(node, depth, path, value),
            }
        }
        match node.get_ref() {
            DeValue::Table(_) | DeValue::Array(_) if !self.is_inline(node) => {
                Err("is written as sections of its own; set its fields one by one".into())
            }
            _ => Ok((node.span(), value.to_owned())),
        }
    }

    /// Adds the field that `path` lacks from `depth` on to the table `node`.
    fn insert(
        &self,
        node: &Node<'_>,
        depth: usize,
        path: &[Segment],
        value: &str,
    ) -> Result<(std::ops::Range<usize>, String), String> {
        let Some((Segment::Key(key), deeper)) = path.get(depth..).and_then(<[_]>::split_first)
        else {
            let items = node.get_ref().as_array().map_or(0, |list| list.len());
            let items = count(items as u64, "item", "items");
            return Err(format!("the scene's list has {items} there"));
        };
        let mut text = value.to_owned();
        for segment in deeper.iter().rev() {
            match segment {
                Segment::Key(key) => text = format!("{{ {key} = {text} }}"),
                Segment::Index(0) => text = format!("[{text}]"),
                Segment::Index(_) => return Err("the scene has no such list".into()),
            }
        }
        let line = format!("{key} = {text}");
        let span = node.span();
        if depth == 0 {
            // Fields of the scene itself stand before the first section: after `format`.
            let format = node.get_ref().as_table().and_then(|table| table.get("format"));
            let at = format.map_or(0, |format| self.line_end(format.span().end));
            let text = if format.is_some() { format!("\n{line}") } else { format!("{line}\n") };
            return Ok((at..at, text));
        }
        match node.get_ref() {
            DeValue::Table(table) if self.is_inline(node) => {
                let at = span.end.saturating_sub(1);
                let inside = self.text.get(span.start + 1..at).unwrap_or_default();
                let kept = span.start + 1 + inside.trim_end().len();
                let comma = if table.is_empty() { " " } else { ", " };
                Ok((kept..at, format!("{comma}{line} ")))
            }
            DeValue::Table(_)
                if self.text.get(span.clone()).is_some_and(|t| t.starts_with('[')) =>
            {
                let at = self.line_end(span.end);
                Ok((at..at, format!("\n{line}")))
            }
            DeValue::Table(_) => {
                Err("is written with dotted keys; give it a section of its own first".into())
            }
            _ => Err("stands below something that is not a table".into()),
        }
    }

    fn is_inline(&self, node: &Node<'_>) -> bool {
        let text = self.text.get(node.span()).unwrap_or_default();
        match node.get_ref() {
            DeValue::Table(_) => text.starts_with('{'),
            DeValue::Array(_) => {
                text.starts_with('[') && !text.starts_with("[[") || {
                    // A list of lists also starts with two brackets, but is not the name of a section.
                    node.get_ref()
                        .as_array()
                        .is_some_and(|list| !list.iter().any(|item| item.span() == node.span()))
                }
            }
            _ => true,
        }
    }

    fn line_end(&self, at: usize) -> usize {
        self.text.get(at..).and_then(|rest| rest.find('\n')).map_or(self.text.len(), |n| at + n)
    }
}

/// Text in the quotes of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Follows a path through the declarations.
fn check(path: &[Segment]) -> Result<(), String> {
    let mut kinds = vec![Kind::Table(<Document as crate::field::Fields>::info)];
    for segment in path {
        let mut next = Vec::new();
        let mut known: Vec<&str> = Vec::new();
        for kind in kinds {
            step(&kind, segment, &mut next, &mut known);
        }
        if next.is_empty() {
            return Err(match segment {
                Segment::Index(index) => format!("there is no list to take [{index}] of"),
                Segment::Key(key) => {
                    format!("there is no field {key}{}", hint(key, known.iter().copied()))
                }
            });
        }
        kinds = next;
    }
    Ok(())
}

/// What a segment leads to from a kind; the names there are go to `known`.
fn step(kind: &Kind, segment: &Segment, next: &mut Vec<Kind>, known: &mut Vec<&'static str>) {
    match (kind, segment) {
        (Kind::Table(info), Segment::Key(key)) => {
            let TableInfo { fields, .. } = info();
            known.extend(fields.iter().map(|field: &FieldInfo| field.name));
            next.extend(fields.into_iter().find(|field| field.name == key).map(|field| field.kind));
        }
        (Kind::Method, Segment::Key(key)) => {
            known.push("name");
            if key == "name" {
                next.push(Kind::Text);
            }
            for (setting, kind) in METHODS.iter().flat_map(method_settings) {
                if !known.contains(&setting.name) {
                    known.push(setting.name);
                }
                if setting.name == key {
                    next.push(kind);
                }
            }
        }
        (Kind::Named(kind), Segment::Key(_)) => next.push(kind.as_ref().clone()),
        (Kind::List(kind), Segment::Index(_)) => next.push(kind.as_ref().clone()),
        (Kind::Tuple(count, kind), Segment::Index(index)) if index < count => {
            next.push(kind.as_ref().clone());
        }
        (Kind::Either(kinds), segment) => {
            for kind in kinds {
                step(kind, segment, next, known);
            }
        }
        _ => {}
    }
}
