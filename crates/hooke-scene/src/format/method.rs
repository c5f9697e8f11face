//! The method and its settings, as the engine's registry lists them.

use super::settings::{kind, read};
use crate::field::{Bounds, Kind, Value, mismatch, unknown};
use crate::problem::{Sink, SourceOffset};
use crate::source::{Node, location};
use crate::words::hint_method;
use hooke::methods::{MethodInfo, find};
use hooke::settings as engine;

/// A method of the registry with settings.
#[derive(Clone)]
pub struct MethodChoice {
    /// Where it stands in the file.
    pub source_offset: SourceOffset,
    /// Which method.
    pub info: &'static MethodInfo,
    /// The settings that are given.
    pub settings: Vec<(String, engine::Value)>,
}

impl std::fmt::Debug for MethodChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.info.name, self.settings)
    }
}

/// The method where none is named.
pub(crate) const DEFAULT: &str = "newton";

/// The settings of a method as kinds of fields.
pub(crate) fn settings(info: &MethodInfo) -> Vec<(engine::SettingInfo, Kind)> {
    (info.settings)().into_iter().map(|setting| (setting.clone(), kind(&setting))).collect()
}

impl Value for MethodChoice {
    fn kind(_: Bounds) -> Kind {
        Kind::Method
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        let Some(table) = node.get_ref().as_table() else {
            return mismatch::<Self>(node, bounds, sink);
        };
        let name = match table.get("name") {
            Some(name) => String::read(name, bounds, sink)?,
            None => DEFAULT.to_owned(),
        };
        let Some(info) = find(&name) else {
            let sentence = format!("there is no method {name:?}{}", hint_method(&name));
            sink.error_in(location(node), "name", sentence);
            return None;
        };
        let known = settings(info);
        let mut given = Vec::new();
        let mut fine = true;
        for (key, value) in table.iter().filter(|(key, _)| key.get_ref() != "name") {
            let key = key.get_ref();
            let Some((_, kind)) = known.iter().find(|(setting, _)| setting.name == *key) else {
                let names: Vec<_> = known.iter().map(|(setting, _)| setting.name).collect();
                let sentence = match names.as_slice() {
                    [] => format!("the method {} has no settings", info.name),
                    names => unknown(key, names),
                };
                sink.error_in(location(node), key.as_ref(), sentence);
                fine = false;
                continue;
            };
            match read(value, kind, sink) {
                Some(value) => given.push((key.to_string(), value)),
                None => fine = false,
            }
        }
        fine.then_some(Self { source_offset: location(node), info, settings: given })
    }
}
