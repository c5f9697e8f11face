//! Expressions of one variable, such as `0.3 cos(2 pi t)`.
//!
//! Numbers, `t`, `pi`, `e`; `+ − * / ^` and a product without a sign before a name or a bracket; `sin cos
//! tan asin acos atan sqrt abs exp ln floor` of one and `min max atan2 hypot` of two.

use std::fmt;

/// An expression, read once and computed often.
#[derive(Clone, Debug)]
pub(crate) struct Expression(Vec<Step>);

/// A step of a machine with a stack.
#[derive(Clone, Copy, Debug)]
enum Step {
    Number(f64),
    Variable,
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
}

/// What is wrong, and at which character.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mistake {
    pub(crate) at: usize,
    pub(crate) sentence: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at character {}", self.sentence, self.at + 1)
    }
}

const ONES: [(&str, fn(f64) -> f64); 12] = [
    ("sin", libm::sin),
    ("cos", libm::cos),
    ("tan", libm::tan),
    ("asin", libm::asin),
    ("acos", libm::acos),
    ("atan", libm::atan),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
    ("exp", libm::exp),
    ("ln", libm::log),
    ("floor", f64::floor),
    ("sign", sign),
];

const TWOS: [(&str, fn(f64, f64) -> f64); 4] =
    [("min", f64::min), ("max", f64::max), ("atan2", libm::atan2), ("hypot", libm::hypot)];

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// The deepest nesting of brackets and signs.
const DEEPEST: u32 = 64;

impl Expression {
    /// Reads an expression.
    pub(crate) fn read(text: &str) -> Result<Self, Mistake> {
        let mut reader = Reader { text, at: 0, steps: Vec::new(), depth: 0 };
        reader.sum()?;
        reader.skip();
        match reader.rest().chars().next() {
            None => Ok(Self(reader.steps)),
            Some(c) => reader.mistake(format!("{c:?} is not expected")),
        }
    }

    /// Its value where the variable is `t`.
    pub(crate) fn at(&self, t: f64) -> f64 {
        let mut stack: Vec<f64> = Vec::with_capacity(8);
        for step in &self.0 {
            let value = match *step {
                Step::Number(value) => value,
                Step::Variable => t,
                Step::One(f) => f(stack.pop().unwrap_or(f64::NAN)),
                Step::Two(f) => {
                    let b = stack.pop().unwrap_or(f64::NAN);
                    f(stack.pop().unwrap_or(f64::NAN), b)
                }
            };
            stack.push(value);
        }
        stack.pop().unwrap_or(f64::NAN)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    steps: Vec<Step>,
    depth: u32,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn mistake<T>(&self, sentence: impl Into<String>) -> Result<T, Mistake> {
        let at = self.text[..self.at].chars().count();
        Err(Mistake { at, sentence: sentence.into() })
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Takes a character if it comes next.
    fn take(&mut self, c: char) -> bool {
        self.skip();
        let taken = self.rest().starts_with(c);
        self.at += if taken { c.len_utf8() } else { 0 };
        taken
    }

    fn deeper(&mut self) -> Result<(), Mistake> {
        self.depth += 1;
        if self.depth > DEEPEST { self.mistake("brackets are nested too deep") } else { Ok(()) }
    }

    fn sum(&mut self) -> Result<(), Mistake> {
        self.product()?;
        loop {
            if self.take('+') {
                self.product()?;
                self.steps.push(Step::Two(|a, b| a + b));
            } else if self.take('-') || self.take('−') {
                self.product()?;
                self.steps.push(Step::Two(|a, b| a - b));
            } else {
                return Ok(());
            }
        }
    }

    fn product(&mut self) -> Result<(), Mistake> {
        self.signed()?;
        loop {
            self.skip();
            let next = self.rest().chars().next();
            if self.take('*') {
                self.signed()?;
                self.steps.push(Step::Two(|a, b| a * b));
            } else if self.take('/') {
                self.signed()?;
                self.steps.push(Step::Two(|a, b| a / b));
            } else if next.is_some_and(|c| c == '(' || c.is_ascii_alphabetic()) {
                self.power()?;
                self.steps.push(Step::Two(|a, b| a * b));
            } else {
                return Ok(());
            }
        }
    }

    fn signed(&mut self) -> Result<(), Mistake> {
        if self.take('-') || self.take('−') {
            self.deeper()?;
            self.signed()?;
            self.depth -= 1;
            self.steps.push(Step::One(|a| -a));
            return Ok(());
        }
        self.power()
    }

    fn power(&mut self) -> Result<(), Mistake> {
        self.atom()?;
        if self.take('^') {
            self.deeper()?;
            self.signed()?;
            self.depth -= 1;
            self.steps.push(Step::Two(libm::pow));
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), Mistake> {
        if self.take('(') {
            self.deeper()?;
            self.sum()?;
            self.depth -= 1;
            return if self.take(')') { Ok(()) } else { self.mistake("a bracket is not closed") };
        }
        self.skip();
        match self.rest().chars().next() {
            None => self.mistake("something is missing"),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            Some(c) => self.mistake(format!("{c:?} is not expected")),
        }
    }

    fn number(&mut self) -> Result<(), Mistake> {
        let rest = self.rest();
        let digits =
            |text: &str| text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let mut length = digits(rest);
        // `2e-3` is a number, `2 e` a product.
        if let Some(power) = rest[length..].strip_prefix(['e', 'E']) {
            let sign = usize::from(power.starts_with(['+', '-']));
            let more = digits(&power[sign..]);
            if more > 0 {
                length += 1 + sign + more;
            }
        }
        match rest[..length].parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.steps.push(Step::Number(value));
                self.at += length;
                Ok(())
            }
            _ => self.mistake(format!("{:?} is not a number", &rest[..length])),
        }
    }

    fn name(&mut self) -> Result<(), Mistake> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        let constant = match name.as_str() {
            "t" => Some(Step::Variable),
            "pi" => Some(Step::Number(std::f64::consts::PI)),
            "e" => Some(Step::Number(std::f64::consts::E)),
            _ => None,
        };
        if let Some(step) = constant {
            self.at += length;
            self.steps.push(step);
            return Ok(());
        }
        let one = ONES.iter().find(|(known, _)| *known == name);
        let two = TWOS.iter().find(|(known, _)| *known == name);
        if one.is_none() && two.is_none() {
            return self.mistake(format!("there is no {name:?}; the variable is t"));
        }
        self.at += length;
        if !self.take('(') {
            return self.mistake(format!("{name} needs brackets"));
        }
        self.deeper()?;
        self.sum()?;
        if two.is_some() {
            if !self.take(',') {
                return self.mistake(format!("{name} takes two numbers"));
            }
            self.sum()?;
        }
        self.depth -= 1;
        if !self.take(')') {
            return self.mistake("a bracket is not closed");
        }
        self.steps.extend(one.map(|&(_, f)| Step::One(f)));
        self.steps.extend(two.map(|&(_, f)| Step::Two(f)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_computed() {
        for (text, t, value) in [
            ("1 + 2*3", 0.0, 7.0),
            ("2^3^2", 0.0, 512.0),
            ("-2^2", 0.0, -4.0),
            ("2^-1", 0.0, 0.5),
            ("1 - 2 - 3", 0.0, -4.0),
            ("8/4/2", 0.0, 1.0),
            ("2 pi t", 0.5, std::f64::consts::PI),
            ("3(t+1)", 1.0, 6.0),
            ("0.5 cos(pi t)", 1.0, -0.5),
            ("max(t, 2) min(3, 4)", 1.0, 6.0),
            ("1e-3 + 2.5E+2", 0.0, 250.001),
            ("sqrt(abs(-9))", 0.0, 3.0),
            ("2e", 0.0, 2.0 * std::f64::consts::E),
        ] {
            let expression = Expression::read(text).expect(text);
            assert!((expression.at(t) - value).abs() < 1e-14, "{text}: {}", expression.at(t));
        }
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, told) in [
            ("", "something is missing at character 1"),
            ("1 +", "something is missing at character 4"),
            ("sin t", "sin needs brackets at character 5"),
            ("(1", "a bracket is not closed at character 3"),
            ("1 $ 2", "'$' is not expected at character 3"),
            ("x + 1", "there is no \"x\"; the variable is t at character 1"),
            ("max(1)", "max takes two numbers at character 6"),
            ("1.2.3", "\"1.2.3\" is not a number at character 1"),
        ] {
            assert_eq!(Expression::read(text).expect_err(text).to_string(), told);
        }
        let deep = "(".repeat(100_000);
        assert!(Expression::read(&deep).is_err());
        let long = "-".repeat(100_000);
        assert!(Expression::read(&long).is_err());
    }
}
