//! Fields: what a table of a scene may hold. Each is declared once, by `table!`; reading with
//! its messages, the schema, the documentation and the commented scene follow from it.

use crate::problem::{Sink, SourceOffset};
use crate::source::{Node, location};
use crate::words::{hint, number};
use hooke::laws::Param;
use std::borrow::Cow;
use std::fmt;
use toml::de::{DeTable, DeValue};

/// The numbers a field takes: finite, and from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The lower end.
    pub low: f64,
    /// Whether the lower end itself is left out.
    pub open: bool,
    /// The upper end.
    pub high: f64,
}

/// Any finite number.
pub const fn any() -> Bounds {
    Bounds { low: f64::NEG_INFINITY, open: false, high: f64::INFINITY }
}

/// `low` or more.
pub const fn at_least(low: f64) -> Bounds {
    Bounds { low, ..any() }
}

/// More than `low`.
pub const fn above(low: f64) -> Bounds {
    Bounds { low, open: true, ..any() }
}

/// More than `low`, up to `high`.
pub const fn above_up_to(low: f64, high: f64) -> Bounds {
    Bounds { low, open: true, high }
}

/// From `low` to `high`.
pub const fn between(low: f64, high: f64) -> Bounds {
    Bounds { low, open: false, high }
}

/// What a law or damper allows.
pub const fn of(param: Param) -> Bounds {
    between(param.range[0], param.range[1])
}

impl Bounds {
    /// Whether a number lies within.
    pub fn contains(&self, value: f64) -> bool {
        value.is_finite()
            && value <= self.high
            && if self.open { value > self.low } else { value >= self.low }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low.is_finite(), self.high.is_finite()) {
            (false, false) => f.write_str("finite"),
            (true, false) if self.open => write!(f, "> {}", number(self.low)),
            (true, false) => write!(f, "≥ {}", number(self.low)),
            (false, true) => write!(f, "≤ {}", number(self.high)),
            (true, true) if self.low == self.high => write!(f, "{}", number(self.low)),
            (true, true) if self.open => {
                write!(f, "> {} and ≤ {}", number(self.low), number(self.high))
            }
            (true, true) => write!(f, "from {} to {}", number(self.low), number(self.high)),
        }
    }
}

/// What a person may write for a field.
#[derive(Clone)]
pub enum Kind {
    /// A number.
    Number(Bounds),
    /// A whole number.
    Count(Bounds),
    /// `true` or `false`.
    Flag,
    /// Text in quotes.
    Text,
    /// The name of a file in quotes.
    File,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// Text of a form that words describe.
    Form(&'static str),
    /// A list of exactly so many.
    Tuple(usize, Box<Kind>),
    /// A list.
    List(Box<Kind>),
    /// A table whose keys are names of one's own.
    Named(Box<Kind>),
    /// A table with known fields.
    Table(fn() -> TableInfo),
    /// The method: its name, and the settings of that method.
    Method,
    /// Any of these.
    Either(Vec<Kind>),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounded = |f: &mut fmt::Formatter<'_>, what: &str, bounds: &Bounds| match bounds {
            Bounds { low, high, .. } if low == high => write!(f, "{low}"),
            bounds if *bounds == any() => write!(f, "{what}"),
            bounds => write!(f, "{what} {bounds}"),
        };
        match self {
            Self::Number(bounds) => bounded(f, "a number", bounds),
            Self::Count(bounds) => bounded(f, "a whole number", bounds),
            Self::Flag => f.write_str("true or false"),
            Self::Text => f.write_str("text in quotes"),
            Self::File => f.write_str("the name of a file in quotes"),
            Self::Choice([only]) => write!(f, "\"{only}\""),
            Self::Choice(names) => write!(f, "one of \"{}\"", names.join("\", \"")),
            Self::Form(words) => f.write_str(words),
            Self::Tuple(count, kind) => match kind.as_ref() {
                Self::Number(bounds) if *bounds == any() => write!(f, "a list of {count} numbers"),
                kind => write!(f, "a list of {count}, each {kind}"),
            },
            Self::List(kind) => write!(f, "a list, each {kind}"),
            Self::Named(kind) => write!(f, "a table of names, each {kind}"),
            Self::Table(info) => write!(f, "a table ({})", info().title),
            Self::Method => f.write_str("a table (method)"),
            Self::Either(kinds) => {
                for (index, kind) in kinds.iter().enumerate() {
                    write!(f, "{}{kind}", if index > 0 { ", or " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

/// One field of a table.
#[derive(Clone)]
pub struct FieldInfo {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub doc: String,
    /// The SI unit, empty where it has none.
    pub unit: &'static str,
    /// What may be written.
    pub kind: Kind,
    /// Whether it must be given.
    pub required: bool,
    /// What is taken when it is not given, as it would be written.
    pub default: Option<Cow<'static, str>>,
    /// How it may look, where there is no default.
    pub example: Option<&'static str>,
}

/// A table.
#[derive(Clone)]
pub struct TableInfo {
    /// Its title in the documentation.
    pub title: &'static str,
    /// What it says.
    pub doc: String,
    /// Its fields.
    pub fields: Vec<FieldInfo>,
    /// Sets of fields of which exactly one is given.
    pub one_of: Vec<&'static [&'static str]>,
    /// Sets of fields of which at most one is given.
    pub most_one_of: Vec<&'static [&'static str]>,
    /// Sets of fields of which at least one is given.
    pub least_one_of: Vec<&'static [&'static str]>,
}

/// Which fields of a table are written in the file: a bit for each, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written(u64);

impl Written {
    pub(crate) fn of(names: &[&str], table: &DeTable<'_>) -> Self {
        let there = names.iter().map(|name| u64::from(table.contains_key(*name)));
        Self(there.enumerate().fold(0, |all, (index, there)| all | there << index))
    }

    pub(crate) fn has(self, names: &[&str], field: &str) -> bool {
        names.iter().position(|name| *name == field).is_some_and(|index| self.0 >> index & 1 == 1)
    }
}

/// Something a field can hold.
pub(crate) trait Value: Sized {
    /// Whether it may be left out.
    const OPTIONAL: bool = false;
    /// What may be written.
    fn kind(bounds: Bounds) -> Kind;
    /// Reads what was written; problems go to the sink.
    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self>;
    /// The value where nothing was written.
    fn absent() -> Option<Self> {
        None
    }
    /// That value as it would be written.
    fn usual() -> Option<Cow<'static, str>> {
        None
    }
}

/// A table declared by [`table!`].
pub(crate) trait Fields: Sized {
    fn info() -> TableInfo;
    /// Whether it has a field of this name.
    fn knows(name: &str) -> bool;
    /// Reads the fields of a table that starts at `location`.
    fn read_fields(table: &DeTable<'_>, location: SourceOffset, sink: &mut Sink) -> Option<Self>;
    /// Checks which fields are there, then reads them.
    fn read_table(table: &DeTable<'_>, at: SourceOffset, sink: &mut Sink) -> Option<Self> {
        let fine = check_names::<Self>(table, at, sink);
        Self::read_fields(table, at, sink).filter(|_| fine)
    }
}

impl<T: Fields> Value for T {
    fn kind(_: Bounds) -> Kind {
        Kind::Table(T::info)
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref() {
            DeValue::Table(table) => T::read_table(table, location(node), sink),
            _ => mismatch::<Self>(node, bounds, sink),
        }
    }
}

/// Tells that a value is of another kind than the field's.
pub(crate) fn mismatch<T: Value>(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<T> {
    if sink.enough() {
        return None;
    }
    sink.error(location(node), format!("must be {} (got {})", T::kind(bounds), got(node)));
    None
}

/// A value as a person would name it.
pub(crate) fn got(node: &Node<'_>) -> String {
    match node.get_ref() {
        DeValue::String(text) => {
            let short: String = text.chars().take(40).collect();
            let dots = if short.len() < text.len() { "…" } else { "" };
            format!("{:?}", format!("{short}{dots}"))
        }
        DeValue::Integer(value) => value.to_string().chars().take(40).collect(),
        DeValue::Float(value) => value.as_str().chars().take(40).collect(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(list) => format!("a list of {}", list.len()),
        DeValue::Table(_) => "a table".into(),
    }
}

/// Reads one field of a table.
pub(crate) fn read_field<T: Value>(
    table: &DeTable<'_>,
    at: SourceOffset,
    name: &'static str,
    bounds: Bounds,
    default: Option<&str>,
    sink: &mut Sink,
) -> Option<T> {
    if let Some(node) = table.get(name) {
        return T::read(node, bounds, sink);
    }
    match default.map(DeValue::parse) {
        Some(Ok(node)) => T::read(&node, bounds, sink),
        _ => T::absent().or_else(|| {
            if sink.enough() {
                return None;
            }
            sink.error_in(at, name, format!("is missing; it takes {}", T::kind(bounds)));
            None
        }),
    }
}

/// Tells unknown fields, and broken choices between fields.
fn check_names<T: Fields>(table: &DeTable<'_>, at: SourceOffset, sink: &mut Sink) -> bool {
    let mut fine = true;
    for key in table.keys().filter(|key| !T::knows(key.get_ref())) {
        fine = false;
        if sink.enough() {
            continue;
        }
        let info = T::info();
        let names: Vec<_> = info.fields.iter().map(|field| field.name).collect();
        sink.error_in(at, key.get_ref().as_ref(), unknown(key.get_ref(), &names));
    }
    fine
}

/// Tells sets of fields of which too many, or none, are given.
pub(crate) fn check_choice(
    table: &DeTable<'_>,
    at: SourceOffset,
    names: &'static [&'static str],
    needed: bool,
    sink: &mut Sink,
) -> bool {
    let mut given = names.iter().filter(|name| table.contains_key(**name));
    let all = || names.join(", ");
    match (given.next(), given.next()) {
        (Some(first), Some(second)) => {
            sink.error_in(at, *second, format!("stands beside {first}; give one of {}", all()));
            false
        }
        (None, _) if needed => {
            sink.error(at, format!("one of these must be given: {}", all()));
            false
        }
        _ => true,
    }
}

/// What to say about a name that is not known.
pub(crate) fn unknown(name: &str, known: &[&str]) -> String {
    format!("there is no such field{}", hint(name, known.iter().copied()))
}

/// Tells sets of fields of which none is given.
pub(crate) fn check_any(
    table: &DeTable<'_>,
    at: SourceOffset,
    names: &'static [&'static str],
    sink: &mut Sink,
) -> bool {
    let given = names.iter().any(|name| table.contains_key(*name));
    if !given {
        sink.error(at, format!("one of these must be given: {}", names.join(", ")));
    }
    given
}

/// A field's name without the mark Rust puts before its keywords.
pub(crate) const fn plain(name: &'static str) -> &'static str {
    if let [b'r', b'#', ..] = name.as_bytes() { name.split_at(2).1 } else { name }
}

/// The text of doc comments as one line.
pub(crate) fn doc(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// Declares a table of the format as a struct: per field
/// `name: type, unit "…", within bounds, eg "…", or "default";`, each part but the type optional;
/// `with name: Struct;` for the fields of a part in the same table; `exactly one of […];` and
/// `at most one of […];` and `at least one of […];` for choices between fields.
macro_rules! table {
    ($(#[doc = $outer:literal])+ pub struct $name:ident as $title:literal {
        $($(#[doc = $doc:literal])+ $field:ident: $ty:ty
            $(, unit $unit:literal)? $(, within $bounds:expr)?
            $(, eg $eg:literal)? $(, or $default:literal)?;)*
        $(with $with:ident: $wty:ty;)*
        $(exactly one of [$($one:ident),+];)*
        $(at most one of [$($most:ident),+];)*
        $(at least one of [$($least:ident),+];)*
    }) => {
        $(#[doc = $outer])+
        #[derive(Clone, Debug)]
        pub struct $name {
            /// Where it stands in the file.
            pub source_offset: $crate::problem::SourceOffset,
            /// Which of its fields are written there.
            pub written: $crate::field::Written,
            $($(#[doc = $doc])+ $(#[doc = concat!(" (", $unit, ")")])? pub $field: $ty,)*
            $(#[doc = concat!("The fields of the part `", stringify!($with), "`.")] pub $with: $wty,)*
        }

        impl $name {
            const NAMES: &'static [&'static str] = &[$($crate::field::plain(stringify!($field))),*];

            /// Whether a field is written in the file; its default is taken otherwise.
            pub fn writes(&self, field: &str) -> bool {
                self.written.has(Self::NAMES, field)
            }
        }

        impl $crate::field::Fields for $name {
            fn info() -> $crate::field::TableInfo {
                #[allow(unused_imports)]
                use $crate::field::{FieldInfo, Fields, TableInfo, Value, any, doc};
                #[allow(unused_imports)]
                use std::borrow::Cow;
                #[allow(unused_mut)]
                let mut info = TableInfo {
                    title: $title,
                    doc: doc(&[$($outer),+]),
                    fields: vec![$({
                        #[allow(unused_mut, unused_assignments)]
                        let mut bounds = any();
                        $(bounds = $bounds;)?
                        let default = Some([$($default,)? ""][0]).filter(|text| !text.is_empty());
                        let default = default.map(Cow::Borrowed).or_else(<$ty>::usual);
                        let example = Some([$($eg,)? ""][0]).filter(|text| !text.is_empty());
                        FieldInfo {
                            name: $crate::field::plain(stringify!($field)),
                            doc: doc(&[$($doc),+]),
                            unit: concat!("" $(, $unit)?),
                            kind: <$ty>::kind(bounds),
                            required: !<$ty>::OPTIONAL && default.is_none(),
                            default,
                            example,
                        }
                    }),*],
                    one_of: vec![$({
                        const NAMES: &[&str] = &[$($crate::field::plain(stringify!($one))),+];
                        NAMES
                    }),*],
                    most_one_of: vec![$({
                        const NAMES: &[&str] = &[$($crate::field::plain(stringify!($most))),+];
                        NAMES
                    }),*],
                    least_one_of: vec![$({
                        const NAMES: &[&str] = &[$($crate::field::plain(stringify!($least))),+];
                        NAMES
                    }),*],
                };
                $({
                    let part = <$wty>::info();
                    info.fields.extend(part.fields);
                    info.one_of.extend(part.one_of);
                    info.most_one_of.extend(part.most_one_of);
                    info.least_one_of.extend(part.least_one_of);
                })*
                info
            }

            fn knows(name: &str) -> bool {
                Self::NAMES.contains(&name) $(|| <$wty as $crate::field::Fields>::knows(name))*
            }

            #[allow(unused_variables)]
            fn read_fields(
                table: &toml::de::DeTable<'_>,
                location: $crate::problem::SourceOffset,
                sink: &mut $crate::problem::Sink,
            ) -> Option<Self> {
                #[allow(unused_mut)]
                let mut fine = true;
                $({
                    const NAMES: &[&str] = &[$($crate::field::plain(stringify!($one))),+];
                    fine &= $crate::field::check_choice(table, location, NAMES, true, sink);
                })*
                $({
                    const NAMES: &[&str] = &[$($crate::field::plain(stringify!($most))),+];
                    fine &= $crate::field::check_choice(table, location, NAMES, false, sink);
                })*
                $({
                    const NAMES: &[&str] = &[$($crate::field::plain(stringify!($least))),+];
                    fine &= $crate::field::check_any(table, location, NAMES, sink);
                })*
                $(let $field = {
                    #[allow(unused_mut, unused_assignments)]
                    let mut bounds = $crate::field::any();
                    $(bounds = $bounds;)?
                    let default = Some([$($default,)? ""][0]).filter(|text| !text.is_empty());
                    $crate::field::read_field::<$ty>(
                        table, location, $crate::field::plain(stringify!($field)), bounds, default, sink)
                };)*
                $(let $with = <$wty as $crate::field::Fields>::read_fields(table, location, sink);)*
                let written = $crate::field::Written::of(Self::NAMES, table);
                Some(Self { source_offset: location, written, $($field: $field?,)* $($with: $with?,)* })
                    .filter(|_| fine)
            }
        }
    };
}

/// Declares a field that is one of several names; the first is the default where one is needed.
macro_rules! choice {
    ($(#[doc = $outer:literal])+ pub enum $name:ident {
        $($(#[doc = $inner:literal])+ $variant:ident = $text:literal,)+
    }) => {
        $(#[doc = $outer])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $inner])+ $variant,)+ }

        impl $name {
            /// Every choice, with its name and what it means.
            pub const ALL: &[(Self, &str, &str)] =
                &[$((Self::$variant, $text, concat!($($inner),+)),)+];
        }

        impl $crate::field::Value for $name {
            fn kind(_: $crate::field::Bounds) -> $crate::field::Kind {
                $crate::field::Kind::Choice(&[$($text),+])
            }

            fn read(
                node: &$crate::source::Node<'_>,
                bounds: $crate::field::Bounds,
                sink: &mut $crate::problem::Sink,
            ) -> Option<Self> {
                match node.get_ref().as_str() {
                    $(Some($text) => Some(Self::$variant),)+
                    _ => $crate::field::mismatch::<Self>(node, bounds, sink),
                }
            }
        }
    };
}

/// Declares a field that is a name of one of the engine's registries; the first is the default.
macro_rules! registered {
    ($(#[doc = $doc:literal])+ pub struct $name:ident: $names:expr;) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            /// Its name in the registry.
            pub name: &'static str,
        }

        impl $name {
            fn names() -> &'static [&'static str] {
                static NAMES: std::sync::LazyLock<Vec<&'static str>> =
                    std::sync::LazyLock::new(|| $names.collect());
                &NAMES
            }
        }

        impl $crate::field::Value for $name {
            fn kind(_: $crate::field::Bounds) -> $crate::field::Kind {
                $crate::field::Kind::Choice(Self::names())
            }

            fn read(
                node: &$crate::source::Node<'_>,
                bounds: $crate::field::Bounds,
                sink: &mut $crate::problem::Sink,
            ) -> Option<Self> {
                let text = node.get_ref().as_str();
                match Self::names().iter().find(|name| Some(**name) == text) {
                    Some(name) => Some(Self { name }),
                    None => $crate::field::mismatch::<Self>(node, bounds, sink),
                }
            }

            fn absent() -> Option<Self> {
                Self::names().first().map(|name| Self { name })
            }

            fn usual() -> Option<std::borrow::Cow<'static, str>> {
                Self::names().first().map(|name| format!("{name:?}").into())
            }
        }
    };
}

pub(crate) use {choice, registered, table};
