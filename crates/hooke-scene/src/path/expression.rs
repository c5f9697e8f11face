//! Expressions of one variable, such as `0.3 cos(2 pi t)`.
//!
//! Numbers, `t`, `pi`, `e` and the functions of [`FUNCTIONS`]; `+ − * / ^` and a product without a sign before a
//! name or a bracket; comparisons, which are 1 or 0 and bind least, so that pieces of a path add up:
//! `(t < 1)*t + (1 <= t)*(2 - t)`.

use std::fmt;

/// An expression, read once and computed often.
#[derive(Clone, Debug)]
pub(crate) struct Expression(Vec<Step>);

/// A step of a machine with a stack.
#[derive(Clone, Copy, Debug)]
enum Step {
    Number(f64),
    Variable,
    Call(Function),
}

/// A function, by how many numbers it takes.
#[derive(Clone, Copy, Debug)]
enum Function {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
}

impl Function {
    fn takes(self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Two(_) => 2,
            Self::Three(_) => 3,
        }
    }
}

/// What is wrong, at which character, and what to do where that is not plain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mistake {
    at: usize,
    sentence: String,
    hint: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at character {}{}", self.sentence, self.at + 1, self.hint)
    }
}

const FUNCTIONS: [(&str, Function); 17] = [
    ("sin", Function::One(libm::sin)),
    ("cos", Function::One(libm::cos)),
    ("tan", Function::One(libm::tan)),
    ("asin", Function::One(libm::asin)),
    ("acos", Function::One(libm::acos)),
    ("atan", Function::One(libm::atan)),
    ("atan2", Function::Two(libm::atan2)),
    ("sqrt", Function::One(f64::sqrt)),
    ("hypot", Function::Two(libm::hypot)),
    ("exp", Function::One(libm::exp)),
    ("ln", Function::One(libm::log)),
    ("abs", Function::One(f64::abs)),
    ("sign", Function::One(sign)),
    ("floor", Function::One(f64::floor)),
    ("min", Function::Two(f64::min)),
    ("max", Function::Two(f64::max)),
    ("clamp", Function::Three(clamp)),
];

const CONSTANTS: [(&str, f64); 2] = [("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

/// Comparisons, each before those it begins with.
const COMPARISONS: [(&str, fn(f64, f64) -> f64); 8] = [
    ("<=", |a, b| f64::from(a <= b)),
    ("≤", |a, b| f64::from(a <= b)),
    (">=", |a, b| f64::from(a >= b)),
    ("≥", |a, b| f64::from(a >= b)),
    ("==", |a, b| f64::from(a == b)),
    ("!=", |a, b| f64::from(a != b)),
    ("<", |a, b| f64::from(a < b)),
    (">", |a, b| f64::from(a > b)),
];

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// `x`, or the bound it is beyond; no number where the bounds are the wrong way round.
fn clamp(x: f64, low: f64, high: f64) -> f64 {
    if low <= high && !x.is_nan() { x.clamp(low, high) } else { f64::NAN }
}

/// The deepest nesting of brackets and signs.
const DEEPEST: u32 = 64;

impl Expression {
    /// Reads an expression.
    pub(crate) fn read(text: &str) -> Result<Self, Mistake> {
        let mut reader = Reader { text, at: 0, steps: Vec::new(), depth: 0 };
        reader.comparison()?;
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
                Step::Call(function) => {
                    let mut next = || stack.pop().unwrap_or(f64::NAN);
                    match function {
                        Function::One(f) => f(next()),
                        Function::Two(f) => {
                            let b = next();
                            f(next(), b)
                        }
                        Function::Three(f) => {
                            let (c, b) = (next(), next());
                            f(next(), b, c)
                        }
                    }
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
        self.mistake_with(sentence, String::new())
    }

    fn mistake_with<T>(&self, sentence: impl Into<String>, hint: String) -> Result<T, Mistake> {
        let at = self.text[..self.at].chars().count();
        Err(Mistake { at, sentence: sentence.into(), hint })
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

    fn call(&mut self, function: Function) {
        self.steps.push(Step::Call(function));
    }

    /// Takes a comparison sign if one comes next.
    fn compares(&mut self) -> Option<fn(f64, f64) -> f64> {
        self.skip();
        let (sign, compare) = COMPARISONS.iter().find(|(sign, _)| self.rest().starts_with(sign))?;
        self.at += sign.len();
        Some(*compare)
    }

    fn comparison(&mut self) -> Result<(), Mistake> {
        self.sum()?;
        let Some(compare) = self.compares() else { return Ok(()) };
        self.sum()?;
        self.call(Function::Two(compare));
        let at = self.at;
        if self.compares().is_some() {
            self.at = at;
            let hint = "; write (0 <= t)*(t < 1) for 0 <= t < 1".to_owned();
            return self.mistake_with("a third side of a comparison", hint);
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<(), Mistake> {
        self.product()?;
        loop {
            if self.take('+') {
                self.product()?;
                self.call(Function::Two(|a, b| a + b));
            } else if self.take('-') || self.take('−') {
                self.product()?;
                self.call(Function::Two(|a, b| a - b));
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
                self.call(Function::Two(|a, b| a * b));
            } else if self.take('/') {
                self.signed()?;
                self.call(Function::Two(|a, b| a / b));
            } else if next.is_some_and(|c| c == '(' || c.is_ascii_alphabetic()) {
                self.power()?;
                self.call(Function::Two(|a, b| a * b));
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
            self.call(Function::One(|a| -a));
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
            self.call(Function::Two(libm::pow));
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), Mistake> {
        if self.take('(') {
            self.deeper()?;
            self.comparison()?;
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
        let constant = CONSTANTS.iter().find(|(known, _)| *known == name);
        if let Some(step) = match constant {
            Some(&(_, value)) => Some(Step::Number(value)),
            None => (name == "t").then_some(Step::Variable),
        } {
            self.at += length;
            self.steps.push(step);
            return Ok(());
        }
        let Some(&(_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            let hint = format!("; there are {}", names().join(", "));
            return self.mistake_with(format!("there is no {name:?}"), hint);
        };
        self.at += length;
        if !self.take('(') {
            return self.mistake(format!("{name} needs brackets"));
        }
        self.deeper()?;
        self.comparison()?;
        for _ in 1..function.takes() {
            if !self.take(',') {
                let many = ["one number", "two numbers", "three numbers"][function.takes() - 1];
                return self.mistake(format!("{name} takes {many}"));
            }
            self.comparison()?;
        }
        self.depth -= 1;
        if !self.take(')') {
            return self.mistake("a bracket is not closed");
        }
        self.call(function);
        Ok(())
    }
}

/// Every name that an expression may hold.
pub(crate) fn names() -> Vec<&'static str> {
    let constants = CONSTANTS.iter().map(|(name, _)| *name);
    let functions = FUNCTIONS.iter().map(|(name, _)| *name);
    std::iter::once("t").chain(constants).chain(functions).collect()
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
            ("clamp(t, -1, 2)", 3.0, 2.0),
            ("clamp(t, -1, 2)", -3.0, -1.0),
            ("clamp(t, -1, 2)", 0.5, 0.5),
            ("1 < 2", 0.0, 1.0),
            ("t <= 1", 1.0, 1.0),
            ("t < 1", 1.0, 0.0),
            ("t >= 1", 1.0, 1.0),
            ("t > 1", 1.0, 0.0),
            ("t == 1", 1.0, 1.0),
            ("t != 1", 1.0, 0.0),
            ("1 ≤ t", 1.0, 1.0),
            ("2 ≥ t", 3.0, 0.0),
            ("1 + t < 2 + 1", 1.5, 1.0),
            ("max(t < 1, 0.5)", 2.0, 0.5),
            ("-(t < 1)", 0.0, -1.0),
            ("2 (t < 1) t", 0.5, 1.0),
        ] {
            let expression = Expression::read(text).expect(text);
            assert!((expression.at(t) - value).abs() < 1e-14, "{text}: {}", expression.at(t));
        }
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, expected) in [
            ("", "something is missing at character 1"),
            ("1 +", "something is missing at character 4"),
            ("sin t", "sin needs brackets at character 5"),
            ("(1", "a bracket is not closed at character 3"),
            ("1 $ 2", "'$' is not expected at character 3"),
            (
                "1 + x",
                "there is no \"x\" at character 5; there are t, pi, e, sin, cos, tan, asin, acos, \
                 atan, atan2, sqrt, hypot, exp, ln, abs, sign, floor, min, max, clamp",
            ),
            ("max(1)", "max takes two numbers at character 6"),
            ("clamp(1, 2)", "clamp takes three numbers at character 11"),
            ("1 <", "something is missing at character 4"),
            ("t = 1", "'=' is not expected at character 3"),
            (
                "0 <= t < 1",
                "a third side of a comparison at character 8; write (0 <= t)*(t < 1) for 0 <= t < 1",
            ),
            ("1.2.3", "\"1.2.3\" is not a number at character 1"),
        ] {
            assert_eq!(Expression::read(text).expect_err(text).to_string(), expected);
        }
        assert!(Expression::read("clamp(t, 2, 1)").expect("read").at(0.0).is_nan());
        let deep = "(".repeat(100_000);
        assert!(Expression::read(&deep).is_err());
        let long = "-".repeat(100_000);
        assert!(Expression::read(&long).is_err());
    }

    /// Two lines and two half arcs, as courses write them: one expression each, without a jump.
    #[test]
    fn pieces_of_a_path_add_up() {
        let x = "(0 <= t)*(t < pi)*(-4 + 2*t/pi) + (pi <= t)*(t < 2*pi)*(-2 + sin(t - pi)) \
                 + (2*pi <= t)*(t < 3*pi)*(-2 - 2*(t - 2*pi)/pi) + (3*pi <= t)*(t <= 4*pi)*(-4 - sin(t - 3*pi))";
        let y = "(t < pi)*0 + (pi <= t)*(t < 2*pi)*(1 - cos(t - pi)) + (2*pi <= t)*(t < 3*pi)*2 \
                 + (3*pi <= t)*(1 + cos(t - 3*pi))";
        let [x, y] = [x, y].map(|text| Expression::read(text).expect(text));
        let end = 4.0 * std::f64::consts::PI;
        let at = |k: u32| [&x, &y].map(|axis| axis.at(end * f64::from(k) / 4096.0));
        let mut length = 0.0;
        for k in 0..4096 {
            let ([a, b], [c, d]) = (at(k), at(k + 1));
            let samples = (c - a).hypot(d - b);
            assert!(samples < 0.01, "a jump of {samples} at {k}");
            length += samples;
        }
        assert!((length - 4.0 - std::f64::consts::TAU).abs() < 1e-3, "{length}");
        assert!((at(4096)[0] + 4.0).hypot(at(4096)[1]) < 1e-9, "closed: {:?}", at(4096));
    }

    #[test]
    fn every_name_is_documented() {
        let doc = <crate::format::Curve as crate::field::Fields>::info().doc;
        let known: Vec<_> = doc.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        for name in names() {
            assert!(known.contains(&name), "{name}: {doc}");
        }
        for (sign, _) in COMPARISONS.iter().filter(|(sign, _)| sign.is_ascii()) {
            assert!(doc.contains(&format!("`{sign}`")), "{sign}: {doc}");
        }
    }
}
