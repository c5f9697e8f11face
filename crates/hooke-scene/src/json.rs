//! JSON, written: values with their order kept, numbers with 17 significant digits.

use std::fmt;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A number, written so that it reads back to the same bits; `null` where not finite.
    Number(f64),
    /// A number, written as short as it reads back to the same bits.
    Short(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object, in the given order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A string.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A whole number.
    pub fn count(count: u64) -> Self {
        Self::Count(count)
    }

    /// An array.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(items.into_iter().collect())
    }

    /// An array of numbers.
    pub fn numbers(items: impl IntoIterator<Item = f64>) -> Self {
        Self::list(items.into_iter().map(Self::Number))
    }

    /// A vector as an array of three numbers.
    pub fn point(point: hooke::Point) -> Self {
        Self::numbers(point.to_array())
    }

    /// An array of vectors.
    pub fn points(points: &[hooke::Point]) -> Self {
        Self::list(points.iter().copied().map(Self::point))
    }

    /// An object.
    pub fn object<K: Into<String>>(fields: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Object(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// Whether a value stands on one line.
    fn is_flat(&self) -> bool {
        match self {
            Self::List(items) => {
                items.iter().all(|item| !matches!(item, Self::List(_) | Self::Object(_)))
            }
            Self::Object(fields) => fields.is_empty(),
            _ => true,
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Flag(value) => write!(f, "{value}"),
            Self::Count(value) => write!(f, "{value}"),
            Self::Number(value) | Self::Short(value) if !value.is_finite() => f.write_str("null"),
            Self::Number(value) => write!(f, "{value:.16e}"),
            Self::Short(value) if value.abs() >= 1e16 || (*value != 0.0 && value.abs() < 1e-5) => {
                write!(f, "{value:e}")
            }
            Self::Short(value) => write!(f, "{value}"),
            Self::Text(text) => write_text(f, text),
            Self::List(items) if self.is_flat() => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    item.write(f, depth)?;
                }
                f.write_str("]")
            }
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    new_line(f, index, depth + 1)?;
                    item.write(f, depth + 1)?;
                }
                new_line(f, 0, depth)?;
                f.write_str("]")
            }
            Self::Object(fields) if fields.is_empty() => f.write_str("{}"),
            Self::Object(fields) => {
                f.write_str("{")?;
                for (index, (key, value)) in fields.iter().enumerate() {
                    new_line(f, index, depth + 1)?;
                    write_text(f, key)?;
                    f.write_str(": ")?;
                    value.write(f, depth + 1)?;
                }
                new_line(f, 0, depth)?;
                f.write_str("}")
            }
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

fn new_line(f: &mut fmt::Formatter<'_>, index: usize, depth: usize) -> fmt::Result {
    if index > 0 {
        f.write_str(",")?;
    }
    write!(f, "\n{:width$}", "", width = 2 * depth)
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            c if (c as u32) < 0x20 || c == '\u{7f}' => write!(f, "\\u{:04x}", c as u32)?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_to_the_same_bits() {
        for value in [0.1, -1.0 / 3.0, 1e-300, 6.02e23, 5e-324, f64::MAX] {
            let written = Json::Number(value).to_string();
            assert_eq!(written.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()), "{written}");
        }
        assert_eq!(Json::Number(f64::NAN).to_string(), "null");
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(Json::text("a\"\\\n\u{1}é").to_string(), r#""a\"\\\n\u0001é""#);
    }
}
