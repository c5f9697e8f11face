//! The words of messages: counts, numbers, what was probably meant, why a file could not be read.

use hooke::methods::METHODS;
use std::io::{Error, ErrorKind};

/// The most names a message lists.
const LISTED: usize = 24;

/// `1 vertex`, `24 vertices`.
pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A number as a person would write it, never in hundreds of digits: `0.25`, `1e300`.
pub fn number(value: f64) -> String {
    let (plain, short) = (format!("{value}"), format!("{value:e}"));
    if plain.len() <= 6 || plain.len() <= short.len() { plain } else { short }
}

/// A number with three digits, as it stands in tables: `0.19`, `9.4e3`.
pub fn short(value: f64) -> String {
    if value == 0.0 || (0.01..10_000.0).contains(&value) {
        let digits = (2 - value.abs().max(1e-9).log10().floor() as i32).clamp(0, 4) as usize;
        let text = format!("{value:.digits$}");
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    let text = format!("{value:.2e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

/// What to add to "there is no …": the name that was probably meant, or those there are.
pub fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<_> = known.into_iter().filter(|name| !name.is_empty()).collect();
    if let Some(near) = nearest(name, names.iter().copied()) {
        return format!("; did you mean {near}?");
    }
    match names.get(..LISTED) {
        None if names.is_empty() => String::new(),
        None => format!("; there are: {}", names.join(", ")),
        Some(first) => format!("; there are: {}, …", first.join(", ")),
    }
}

/// What others call methods that go by another name here, or are several.
const CALLED: [(&str, &str); 12] = [
    ("explicit", "forward-euler or symplectic-euler"),
    ("euler", "forward-euler, symplectic-euler or newton"),
    ("semi-implicit", "symplectic-euler"),
    ("symplectic", "symplectic-euler"),
    ("leapfrog", "velocity-verlet"),
    ("stormer-verlet", "velocity-verlet"),
    ("implicit", "newton"),
    ("implicit-euler", "newton"),
    ("baraff-witkin", "linearized-backward-euler"),
    ("fms", "quasi-newton"),
    ("pd", "quasi-newton"),
    ("lagrange", "constrained"),
];

/// What to add to "there is no method …".
pub fn hint_method(name: &str) -> String {
    let called = name.to_ascii_lowercase().replace([' ', '_'], "-");
    if let Some((_, meant)) = CALLED.iter().find(|(other, _)| *other == called) {
        return format!("; did you mean {meant}?");
    }
    let aliases = METHODS.iter().flat_map(|method| method.aliases.iter().copied());
    hint(name, METHODS.iter().map(|method| method.name).chain(aliases))
}

/// The name nearest to a misspelt one, if any is near enough to be meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing takes the product of both lengths; nobody misspells a name this long.
    const LONGEST: usize = 100;
    let length = |name: &str| name.chars().take(LONGEST + 1).count();
    let own = length(name);
    known
        .into_iter()
        .filter_map(|known| {
            let other = length(known);
            let most = 1.max(own.max(other) / 3);
            let comparable = own.max(other) <= LONGEST && own.abs_diff(other) <= most;
            let wrong = comparable.then(|| strsim::damerau_levenshtein(name, known))?;
            Some((wrong, known)).filter(|_| wrong <= most)
        })
        .min()
        .map(|(_, known)| known)
}

/// Why the system could not read or write: the same words on every system.
pub fn io(error: &Error) -> String {
    let words = match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder",
        ErrorKind::PermissionDenied => "permission is denied",
        ErrorKind::AlreadyExists => "already exists",
        ErrorKind::IsADirectory => "is a folder",
        ErrorKind::NotADirectory => "a part of its path is a file, not a folder",
        ErrorKind::StorageFull => "the disk is full",
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        ErrorKind::FileTooLarge => "the file would be larger than the system allows",
        _ => {
            let text = error.to_string();
            let end = text.rfind(" (os error").unwrap_or(text.len());
            return text.get(..end).unwrap_or_default().to_owned();
        }
    };
    words.to_owned()
}

/// The longest line of a page, in characters.
const LINE: usize = 120;

/// A paragraph in lines of at most 120 characters where words allow it; all but the first start with `indent`.
pub fn wrap(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    // Code keeps its spaces.
    let mut quoted = false;
    let words = text.split(|c: char| {
        quoted ^= c == '`';
        c == ' ' && !quoted
    });
    for word in words.filter(|word| !word.is_empty()) {
        let size = word.chars().count();
        if length > 0 && length + 1 + size > LINE {
            out.push('\n');
            out.push_str(indent);
            length = indent.chars().count();
        } else if length > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += size;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.1, "0.1"),
            (100_000.0, "100000"),
            (1e6, "1e6"),
            (1e300, "1e300"),
            (-2.5e-9, "-2.5e-9"),
            (4_294_967_295.0, "4294967295"),
            (1.0 / 3.0, "0.3333333333333333"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn lines_of_pages_are_short_and_keep_their_words() {
        let text = "- `a b`: ".to_owned() + &"word ".repeat(100);
        let wrapped = wrap(text.trim_end(), "  ");
        assert!(wrapped.lines().all(|line| line.chars().count() <= LINE));
        assert!(wrapped.lines().skip(1).all(|line| line.starts_with("  word")));
        assert_eq!(wrapped.split_whitespace().count(), 103);
        assert_eq!(wrap("short", "  "), "short");
    }

    #[test]
    fn three_digits_will_do() {
        for (value, text) in [
            (0.19, "0.19"),
            (0.3 * 1e3 * 1e-3, "0.3"),
            (9400.0, "9400"),
            (10_250.0, "1.02e4"),
            (930.0, "930"),
            (5e-6, "5e-6"),
            (2.5972e-4, "2.6e-4"),
            (0.0, "0"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn what_was_probably_meant() {
        let known = ["newton", "rk4", "quasi-newton"];
        assert_eq!(hint("newtn", known), "; did you mean newton?");
        assert_eq!(hint("banana", known), "; there are: newton, rk4, quasi-newton");
        assert_eq!(hint("banana", []), "");
        let many: Vec<String> = (0..30).map(|n| format!("name-{n:02}")).collect();
        let list = hint("banana", many.iter().map(String::as_str));
        assert!(
            list.starts_with("; there are: name-00, ") && list.ends_with("name-23, …"),
            "{list}"
        );
    }

    #[test]
    fn every_other_name_of_a_method_leads_to_methods() {
        for (other, meant) in CALLED {
            assert!(hooke::methods::find(other).is_none(), "{other} is a name itself");
            for name in meant.split([',', ' ']).filter(|word| !["", "or"].contains(word)) {
                assert!(hooke::methods::find(name).is_some(), "{other}: there is no {name}");
            }
            assert_eq!(hint_method(other), format!("; did you mean {meant}?"));
        }
        assert_eq!(hint_method("Implicit"), "; did you mean newton?");
        assert_eq!(hint_method("newtn"), "; did you mean newton?");
    }

    #[test]
    fn systems_are_quoted_without_their_numbers() {
        assert_eq!(io(&ErrorKind::NotFound.into()), "there is no such file or folder");
        assert_eq!(io(&ErrorKind::StorageFull.into()), "the disk is full");
        assert_eq!(io(&Error::other("strange")), "strange");
    }
}
