//! How JSON is laid out for people: lists of plain values on one line, everything else on a line of
//! its own; results with 17 significant digits, so that they read back to the same bits and stand
//! in columns.

use hooke::Vec3;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// A vector as a list of three numbers.
pub fn point(point: Vec3) -> Value {
    Value::from(point.to_array())
}

/// A list of vectors.
pub fn points(points: &[Vec3]) -> Value {
    points.iter().copied().map(point).collect()
}

/// A computed result as text: all numbers with 17 significant digits.
pub fn results(value: &Value) -> String {
    print(value, |number| format!("{number:.16e}"))
}

/// A description as text: numbers as short as they read back to the same bits.
pub fn description(value: &Value) -> String {
    print(value, |number| match number.abs() {
        size if size >= 1e16 || (size != 0.0 && size < 1e-5) => format!("{number:e}"),
        _ => number.to_string(),
    })
}

fn print(value: &Value, number: fn(f64) -> String) -> String {
    let layout = Layout { number, open: Vec::new(), waiting: None };
    let mut text = Vec::new();
    // Neither a value nor memory refuses to be written.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut text, layout));
    String::from_utf8_lossy(&text).into_owned()
}

struct Layout {
    /// How a number is written.
    number: fn(f64) -> String,
    /// For every list and object around: whether its parts stand on lines of their own.
    open: Vec<bool>,
    /// The next value is an item of a list, the first or a later one; whether it goes on a line of
    /// its own is known when its kind is.
    waiting: Option<bool>,
}

impl Layout {
    /// What stands before a value.
    fn lead<W: ?Sized + Write>(&mut self, to: &mut W, plain: bool) -> io::Result<()> {
        let Some(first) = self.waiting.take() else { return Ok(()) };
        if !first {
            to.write_all(b",")?;
        }
        if let (false, Some(lines)) = (plain, self.open.last_mut()) {
            *lines = true;
        }
        match self.open.last() {
            Some(true) => self.new_line(to),
            _ if first => Ok(()),
            _ => to.write_all(b" "),
        }
    }

    fn new_line<W: ?Sized + Write>(&self, to: &mut W) -> io::Result<()> {
        write!(to, "\n{:width$}", "", width = 2 * self.open.len())
    }

    fn begin<W: ?Sized + Write>(&mut self, to: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.lead(to, false)?;
        self.open.push(false);
        to.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, to: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.open.pop() == Some(true) {
            self.new_line(to)?;
        }
        to.write_all(bracket)
    }
}

impl Formatter for Layout {
    fn write_null<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.lead(to, true)?;
        to.write_all(b"null")
    }

    fn write_bool<W: ?Sized + Write>(&mut self, to: &mut W, value: bool) -> io::Result<()> {
        self.lead(to, true)?;
        write!(to, "{value}")
    }

    fn write_i64<W: ?Sized + Write>(&mut self, to: &mut W, value: i64) -> io::Result<()> {
        self.lead(to, true)?;
        write!(to, "{value}")
    }

    fn write_u64<W: ?Sized + Write>(&mut self, to: &mut W, value: u64) -> io::Result<()> {
        self.lead(to, true)?;
        write!(to, "{value}")
    }

    fn write_f64<W: ?Sized + Write>(&mut self, to: &mut W, value: f64) -> io::Result<()> {
        self.lead(to, true)?;
        to.write_all((self.number)(value).as_bytes())
    }

    fn begin_string<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.lead(to, true)?;
        to.write_all(b"\"")
    }

    fn begin_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.begin(to, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.end(to, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, _: &mut W, first: bool) -> io::Result<()> {
        self.waiting = Some(first);
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.begin(to, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.end(to, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.waiting = Some(first);
        self.lead(to, false)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_read_back_to_the_same_bits() {
        for value in [0.1, -1.0 / 3.0, 1e-300, 6.02e23, 5e-324, f64::MAX] {
            for written in [results(&json!(value)), description(&json!(value))] {
                let read = written.parse::<f64>().map(f64::to_bits);
                assert_eq!(read, Ok(value.to_bits()), "{written}");
            }
        }
        assert_eq!(results(&json!(f64::NAN)), "null");
    }

    #[test]
    fn plain_lists_stand_on_one_line_and_keys_in_their_order() {
        let value = json!({ "b": [1, 0.5, null, "x"], "a": { "empty": {}, "none": [] }, "list": [[1, 2], [{}]] });
        let expected = r#"{
  "b": [1, 0.5, null, "x"],
  "a": {
    "empty": {},
    "none": []
  },
  "list": [
    [1, 2],
    [
      {}
    ]
  ]
}"#;
        assert_eq!(description(&value), expected);
        assert_eq!(results(&json!([0.5, 1])), "[5.0000000000000000e-1, 1]");
    }
}
