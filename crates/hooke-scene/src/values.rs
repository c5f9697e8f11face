//! The values fields hold: numbers, vectors, lists and the few forms that have two spellings.

use crate::field::{Bounds, Kind, Value, any, at_least, between, got, mismatch};
use crate::problem::Sink;
use crate::source::{Node, location};
use hooke::Vec3;
use std::collections::BTreeMap;
use toml::de::DeValue;

/// The number a node holds, where it is one.
fn number(node: &Node<'_>) -> Option<f64> {
    match node.get_ref() {
        DeValue::Integer(value) => {
            i128::from_str_radix(value.as_str(), value.radix()).ok().map(|value| value as f64)
        }
        DeValue::Float(value) => value.as_str().parse().ok(),
        _ => None,
    }
}

/// Tells that a number is out of bounds.
fn out_of_bounds<T>(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<T> {
    if sink.enough() {
        return None;
    }
    let value = number(node).unwrap_or(f64::NAN);
    let must = if value.is_finite() { bounds } else { any() };
    sink.error(location(node), format!("must be {must} (got {})", got(node)));
    None
}

impl Value for f64 {
    fn kind(bounds: Bounds) -> Kind {
        Kind::Number(bounds)
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match number(node) {
            Some(value) if bounds.contains(value) => Some(value),
            Some(_) => out_of_bounds(node, bounds, sink),
            None => mismatch::<Self>(node, bounds, sink),
        }
    }
}

impl Value for u32 {
    fn kind(bounds: Bounds) -> Kind {
        Kind::Count(if bounds == any() { at_least(0.0) } else { bounds })
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        let inside = if bounds == any() { at_least(0.0) } else { bounds };
        match number(node) {
            Some(value) if value.fract() != 0.0 => mismatch::<Self>(node, bounds, sink),
            Some(value) if !inside.contains(value) => out_of_bounds(node, inside, sink),
            Some(value) if value > f64::from(Self::MAX) => {
                out_of_bounds(node, between(inside.low, f64::from(Self::MAX)), sink)
            }
            Some(value) => Some(value as Self),
            None => mismatch::<Self>(node, bounds, sink),
        }
    }
}

impl Value for bool {
    fn kind(_: Bounds) -> Kind {
        Kind::Flag
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        node.get_ref().as_bool().or_else(|| mismatch::<Self>(node, bounds, sink))
    }
}

impl Value for String {
    fn kind(_: Bounds) -> Kind {
        Kind::Text
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref().as_str() {
            Some(text) => Some(text.to_owned()),
            None => mismatch::<Self>(node, bounds, sink),
        }
    }
}

impl<T: Value> Value for Option<T> {
    const OPTIONAL: bool = true;

    fn kind(bounds: Bounds) -> Kind {
        T::kind(bounds)
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        T::read(node, bounds, sink).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Value> Value for Vec<T> {
    fn kind(bounds: Bounds) -> Kind {
        Kind::List(Box::new(T::kind(bounds)))
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        let Some(list) = node.get_ref().as_array() else {
            return mismatch::<Self>(node, bounds, sink);
        };
        // Grown by what makes sense: a short text can list many items that do not.
        let mut out = Self::new();
        out.extend(list.iter().filter_map(|item| T::read(item, bounds, sink)));
        (out.len() == list.len()).then_some(out)
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    fn kind(bounds: Bounds) -> Kind {
        Kind::Tuple(N, Box::new(T::kind(bounds)))
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref().as_array() {
            Some(list) if list.len() == N => Vec::read(node, bounds, sink)?.try_into().ok(),
            _ => mismatch::<Self>(node, bounds, sink),
        }
    }
}

impl Value for Vec3 {
    fn kind(bounds: Bounds) -> Kind {
        <[f64; 3]>::kind(bounds)
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref().as_array() {
            Some(list) if list.len() == 3 => <[f64; 3]>::read(node, bounds, sink).map(Self::from),
            _ => mismatch::<Self>(node, bounds, sink),
        }
    }
}

impl<T: Value> Value for BTreeMap<String, T> {
    fn kind(bounds: Bounds) -> Kind {
        Kind::Named(Box::new(T::kind(bounds)))
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        let Some(table) = node.get_ref().as_table() else {
            return mismatch::<Self>(node, bounds, sink);
        };
        let read = |(key, value): (&toml::Spanned<_>, _)| {
            let key: &std::borrow::Cow<'_, str> = key.get_ref();
            T::read(value, bounds, sink).map(|value| (key.to_string(), value))
        };
        let out: Self = table.iter().filter_map(read).collect();
        (out.len() == table.len()).then_some(out)
    }
}

/// A time (s), as a number or as a fraction in quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds(pub f64);

impl Value for Seconds {
    fn kind(bounds: Bounds) -> Kind {
        Kind::Either(vec![Kind::Number(bounds), Kind::Form("a fraction in quotes like \"1/60\"")])
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        let Some(text) = node.get_ref().as_str() else {
            if number(node).is_none() {
                return mismatch::<Self>(node, bounds, sink);
            }
            return f64::read(node, bounds, sink).map(Self);
        };
        let part = |part: &str| part.trim().parse::<f64>().ok();
        let fraction = text.split_once('/').and_then(|(a, b)| Some(part(a)? / part(b)?));
        match fraction.filter(|value| bounds.contains(*value)) {
            Some(value) => Some(Self(value)),
            None => mismatch::<Self>(node, bounds, sink),
        }
    }
}

impl Value for hooke::Substeps {
    fn kind(_: Bounds) -> Kind {
        let most = f64::from(hooke::MOST_SUBSTEPS);
        Kind::Either(vec![Kind::Choice(&["auto"]), Kind::Count(between(1.0, most))])
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref() {
            DeValue::String(text) if text == "auto" => Some(Self::Auto),
            DeValue::Integer(_) | DeValue::Float(_) => {
                let inside = between(1.0, f64::from(hooke::MOST_SUBSTEPS));
                u32::read(node, inside, sink).map(Self::Fixed)
            }
            _ => mismatch::<Self>(node, bounds, sink),
        }
    }
}

/// One vertex or several.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertices(pub Vec<u32>);

impl Value for Vertices {
    fn kind(_: Bounds) -> Kind {
        Kind::Either(vec![u32::kind(any()), Vec::<u32>::kind(any())])
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref() {
            DeValue::Array(_) => Vec::read(node, bounds, sink).map(Self),
            DeValue::Integer(_) | DeValue::Float(_) => {
                u32::read(node, bounds, sink).map(|vertex| Self(vec![vertex]))
            }
            _ => mismatch::<Self>(node, bounds, sink),
        }
    }
}

/// One number for all, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum Each {
    /// The same for all.
    All(f64),
    /// In order.
    List(Vec<f64>),
}

impl Value for Each {
    fn kind(bounds: Bounds) -> Kind {
        Kind::Either(vec![f64::kind(bounds), Vec::<f64>::kind(bounds)])
    }

    fn read(node: &Node<'_>, bounds: Bounds, sink: &mut Sink) -> Option<Self> {
        match node.get_ref() {
            DeValue::Array(_) => Vec::read(node, bounds, sink).map(Self::List),
            DeValue::Integer(_) | DeValue::Float(_) => f64::read(node, bounds, sink).map(Self::All),
            _ => mismatch::<Self>(node, bounds, sink),
        }
    }
}
