//! How deep a scene's text is nested, told before it is read as a tree.
//!
//! Trees are read, searched and dropped level by level on the stack. The reader of TOML bounds the
//! levels of brackets and the parts of a dotted key, but not both together: `{ a.b = { a.b = …`.

/// The most levels, of brackets and of dotted keys before them. Scenes need about ten.
pub(crate) const MOST: usize = 100;

/// Where a text goes deeper than [`MOST`] levels, in bytes.
pub(crate) fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // Every open bracket: what closes it, and the levels down to it.
    let mut open: Vec<(u8, usize)> = Vec::new();
    // Whether nothing stands before `at` on its line, and whether the name of a section is open.
    let (mut fresh, mut section) = (true, false);
    let (mut dots, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let depth = open.last().map_or(0, |(_, depth)| *depth);
        match byte {
            b'"' | b'\'' => {
                at = string_end(bytes, at, byte);
                fresh = false;
                continue;
            }
            b'#' => {
                at = line_end(bytes, at);
                continue;
            }
            b'.' => dots += 1,
            b'[' | b'{' => {
                section |= byte == b'[' && fresh && open.is_empty();
                // ']' and '}' follow two places behind what they close.
                open.push((byte + 2, depth + dots + 1));
                dots = 0;
            }
            b'\n' if section => {
                // Even a name that was not closed ends with its line.
                open.clear();
                section = false;
                dots = 0;
            }
            b',' | b'\n' => dots = 0,
            _ if open.last().is_some_and(|(close, _)| *close == byte) => {
                open.pop();
                dots = 0;
            }
            _ => {}
        }
        if open.last().map_or(0, |(_, depth)| *depth) + dots > MOST {
            return Some(at);
        }
        fresh = byte == b'\n' || fresh && byte.is_ascii_whitespace();
        at += 1;
    }
    None
}

/// The end of the line around `at`.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

/// The end of the string that starts at `start`, as TOML has it: of one line, or within three
/// quotes of many.
fn string_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let many = bytes.get(start..start + 3) == Some(&[quote; 3]);
    let mut at = start + if many { 3 } else { 1 };
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if quote == b'"' => at += 1,
            b'\n' if !many => return at,
            byte if byte == quote && !many => return at + 1,
            byte if byte == quote && bytes.get(at..at + 3) == Some(&[quote; 3]) => {
                // Up to two quotes more are the last of the text.
                let more = bytes.get(at + 3..).unwrap_or_default();
                return at + 3 + more.iter().take(2).take_while(|byte| **byte == quote).count();
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize, inside: &str) -> String {
        format!("a = {}{inside}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn levels_are_counted_in_brackets_and_dots() {
        assert_eq!(too_deep(&nested(MOST, "")), None);
        assert_eq!(too_deep(&nested(MOST + 1, "")), Some(4 + MOST));
        let table = "{ a.b.c.d = ".repeat(20);
        assert_eq!(too_deep(&table), None);
        assert!(too_deep(&format!("{table}{table}")).is_some());
        assert_eq!(too_deep(&"a = [1.0, 2.0, [3.0]]\n[section.of.its.own]\n".repeat(100)), None);
        assert_eq!(too_deep(&"a.".repeat(MOST + 1)), Some(2 * MOST + 1));
        assert_eq!(too_deep(&"  [[not.closed\n".repeat(MOST + 1)), None);
        assert!(too_deep(&"a = [\n[".repeat(MOST)).is_some());
    }

    #[test]
    fn strings_and_comments_are_not() {
        let deep = "[".repeat(2 * MOST);
        for text in [
            format!("# {deep}\n"),
            format!("a = '{deep}'"),
            format!("a = \"\\\"{deep}\""),
            format!("a = \"\"\"\n\"{deep}\n\"\"\"\"\""),
            format!("a = '''\n'{deep}\n'''''"),
        ] {
            assert_eq!(too_deep(&text), None, "{text}");
            assert!(too_deep(&format!("{text}\nb = {deep}")).is_some(), "{text}");
        }
    }
}
