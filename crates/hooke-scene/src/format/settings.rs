//! Settings of the engine as tables and fields of a scene: names, bounds, defaults and documentation
//! are the engine's.

use crate::field::{Bounds, FieldInfo, Fields, Kind, TableInfo, Value, between, got, mismatch};
use crate::problem::{Sink, SourceOffset};
use crate::source::{Node, location};
use hooke::model::{Diagonals, Interpolation, SweepOrder};
use hooke::rigid::impulse::Rule;
use hooke::rigid::shape_matching::Polar;
use hooke::rigid::{RigidBodyMethod, RigidBodySettings};
use hooke::settings::{self as engine, Configure, Setting, SettingInfo};
use std::borrow::Cow;
use toml::de::{DeTable, DeValue};

/// Settings of the engine that are a table of a scene.
pub(crate) trait Table: Configure {
    /// Its title in the documentation.
    const TITLE: &'static str;
    /// What it says.
    const DOC: &'static str;
}

impl Table for RigidBodySettings {
    const TITLE: &'static str = "rigid method";
    const DOC: &'static str = "The method of rigid bodies; `[method]` is that of deformables.";
}

/// A table of the engine's settings.
#[derive(Clone, Debug)]
pub struct Settings<T> {
    /// Where it stands in the file.
    pub source_offset: SourceOffset,
    /// What is chosen.
    pub chosen: T,
    written: Vec<&'static str>,
}

impl<T> Settings<T> {
    /// Whether a field is written in the file; its default is taken otherwise.
    pub fn writes(&self, field: &str) -> bool {
        self.written.contains(&field)
    }
}

/// A setting as a kind of field.
pub(crate) fn kind(setting: &SettingInfo) -> Kind {
    match setting.kind {
        engine::Kind::Number([low, high]) => Kind::Number(between(low, high)),
        engine::Kind::Count([low, high]) => Kind::Count(between(low, high)),
        engine::Kind::Flag => Kind::Flag,
        engine::Kind::Choice(names) => Kind::Choice(names),
    }
}

/// Reads what was written for a setting.
pub(crate) fn read(node: &Node<'_>, kind: &Kind, sink: &mut Sink) -> Option<engine::Value> {
    match (kind, node.get_ref()) {
        (Kind::Number(bounds), DeValue::Integer(_) | DeValue::Float(_)) => {
            <f64 as Value>::read(node, *bounds, sink).map(engine::Value::Number)
        }
        (Kind::Count(bounds), DeValue::Integer(_) | DeValue::Float(_)) => {
            <u32 as Value>::read(node, *bounds, sink)
                .map(|count| engine::Value::Number(f64::from(count)))
        }
        (Kind::Flag, DeValue::Boolean(flag)) => Some(engine::Value::Flag(*flag)),
        (Kind::Choice(names), DeValue::String(text)) if names.contains(&text.as_ref()) => {
            Some(engine::Value::Text(text.to_string()))
        }
        _ => {
            sink.error(location(node), format!("must be {kind} (got {})", got(node)));
            None
        }
    }
}

impl<T: Table> Fields for Settings<T> {
    fn info() -> TableInfo {
        let field = |setting: SettingInfo| FieldInfo {
            name: setting.name,
            doc: setting.doc.to_owned(),
            unit: setting.unit,
            kind: kind(&setting),
            required: false,
            default: Some(Cow::Owned(setting.default.to_string())),
            example: None,
        };
        TableInfo {
            title: T::TITLE,
            doc: T::DOC.to_owned(),
            fields: T::describe().into_iter().map(field).collect(),
            one_of: Vec::new(),
            most_one_of: Vec::new(),
            least_one_of: Vec::new(),
        }
    }

    fn knows(name: &str) -> bool {
        T::describe().iter().any(|setting| setting.name == name)
    }

    fn read_fields(table: &DeTable<'_>, location: SourceOffset, sink: &mut Sink) -> Option<Self> {
        let mut read_all =
            Self { source_offset: location, chosen: T::default(), written: Vec::new() };
        let mut fine = true;
        for setting in T::describe() {
            let Some(node) = table.get(setting.name) else { continue };
            let value = read(node, &kind(&setting), sink);
            fine &= value.is_some_and(|value| read_all.chosen.set(setting.name, &value).is_ok());
            read_all.written.push(setting.name);
        }
        fine.then_some(read_all)
    }
}

/// Choices of the engine as fields of a scene.
macro_rules! choices {
    ($($name:ty,)*) => {
        $(impl Value for $name {
            fn kind(_: Bounds) -> Kind {
                Kind::Choice(Self::NAMES)
            }

            fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
                let text = node.get_ref().as_str().map(engine::Value::from);
                match text.and_then(|text| <Self as Setting>::read(&text, [0.0; 2])) {
                    Some(choice) => Some(choice),
                    None => mismatch::<Self>(node, bounds, sink),
                }
            }
        })*
    };
}
choices! { RigidBodyMethod, Rule, Polar, Diagonals, Interpolation, SweepOrder, }
