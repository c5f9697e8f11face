//! One cursor over the bytes of a mesh file, for text and binary formats alike.
//!
//! Several formats (PLY, STL, msh) come both as text and as binary with the same content, and
//! start as text in either case. A [`Reader`] hands out lines, words, numbers and raw bytes from
//! the same position and knows what to call the location for an error: a line or a byte offset.

use super::error::{FileLocation, ImportError, Result, quote};

/// How numbers are written from the current position on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Little,
    Big,
}

/// The type of one number in a binary file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    U64,
    F32,
    F64,
}

pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Offset of what was handed out last.
    start: usize,
    /// Line of the word or line handed out last.
    line: u64,
    /// Line at `position`.
    next_line: u64,
    pub(super) encoding: Encoding,
    /// Whether something was asked for beyond the end of the file.
    pub(super) ended: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], encoding: Encoding) -> Self {
        Self { bytes, position: 0, start: 0, line: 1, next_line: 1, encoding, ended: false }
    }

    /// The location of what was handed out last.
    pub(super) fn location(&self) -> FileLocation {
        match self.encoding {
            Encoding::Text => FileLocation::Line(self.line),
            Encoding::Little | Encoding::Big => FileLocation::Byte(self.start as u64),
        }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ImportError {
        ImportError::content(self.location(), message)
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// The next line without its end, trimmed of white space; `None` at the end of the file.
    pub(super) fn line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        self.start = self.position;
        let length = rest.iter().position(|&byte| byte == b'\n');
        let line = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
        self.position += length.map_or(rest.len(), |length| length + 1);
        self.line = self.next_line;
        self.next_line += 1;
        Some(line.trim_ascii())
    }

    /// The next line that holds more than white space.
    pub(super) fn filled_line(&mut self) -> Option<&'a [u8]> {
        loop {
            match self.line() {
                Some([]) => {}
                other => return other,
            }
        }
    }

    /// The next run of bytes without white space; `None` at the end of the file.
    pub(super) fn word(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let (blank, rest) = rest.split_at(start);
        self.next_line += blank.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.line = self.next_line;
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.start = self.position + start;
        self.position = self.start + length;
        rest.get(..length)
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        self.start = self.position;
        let rest = self.rest();
        let Some(taken) = rest.get(..length) else {
            self.ended = true;
            let left = rest.len();
            return Err(self
                .error(format!("the file ends: {length} more bytes are needed, {left} are left")));
        };
        self.position += length;
        Ok(taken)
    }

    /// The next number as a float; in text it may be written in any way, in binary it has `scalar`.
    pub(super) fn float(&mut self, scalar: Scalar) -> Result<f64> {
        if self.encoding == Encoding::Text {
            let word = self.number_word()?;
            return float(word, self.location());
        }
        Ok(match scalar {
            Scalar::F32 => f64::from(f32::from_bits(self.bits(4)? as u32)),
            Scalar::F64 => f64::from_bits(self.bits(8)?),
            _ => self.integer(scalar)? as f64,
        })
    }

    /// The next number as an integer; a float instead must be whole.
    pub(super) fn integer(&mut self, scalar: Scalar) -> Result<i64> {
        if self.encoding == Encoding::Text {
            let word = self.number_word()?;
            return integer(word, self.location());
        }
        Ok(match scalar {
            Scalar::I8 => i64::from(self.bits(1)? as i8),
            Scalar::U8 => self.bits(1)? as i64,
            Scalar::I16 => i64::from(self.bits(2)? as i16),
            Scalar::U16 => self.bits(2)? as i64,
            Scalar::I32 => i64::from(self.bits(4)? as i32),
            Scalar::U32 => self.bits(4)? as i64,
            Scalar::U64 => {
                let value = self.bits(8)?;
                i64::try_from(value)
                    .map_err(|_| self.error(format!("{value} is too large a number")))?
            }
            Scalar::F32 | Scalar::F64 => {
                let value = self.float(scalar)?;
                let whole = value as i64;
                if whole as f64 != value {
                    return Err(self.error(format!("{value} is not a whole number")));
                }
                whole
            }
        })
    }

    /// Up to eight bytes as an unsigned number in the file's byte order.
    fn bits(&mut self, length: usize) -> Result<u64> {
        let taken = self.take(length)?;
        let shift = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        Ok(match self.encoding {
            Encoding::Big => taken.iter().fold(0, shift),
            Encoding::Little | Encoding::Text => taken.iter().rev().fold(0, shift),
        })
    }

    fn number_word(&mut self) -> Result<&'a [u8]> {
        self.word().ok_or_else(|| {
            self.ended = true;
            self.error("the file ends where a number was expected")
        })
    }
}

/// A text without the mark of UTF-8 that some editors put before it; one in UTF-16 is refused.
pub(super) fn unmarked(bytes: &[u8]) -> Result<&[u8]> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(ImportError::content(
            FileLocation::File,
            "is text in UTF-16; save it as UTF-8",
        ));
    }
    Ok(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// The words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A word read as a float; infinities and NaN are left for the caller to judge.
pub(super) fn float(word: &[u8], location: FileLocation) -> Result<f64> {
    str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| ImportError::content(location, format!("{} is not a number", quote(word))))
}

/// A word read as a whole number.
pub(super) fn integer(word: &[u8], location: FileLocation) -> Result<i64> {
    str::from_utf8(word).ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        ImportError::content(location, format!("{} is not a whole number", quote(word)))
    })
}

/// A name as text, cut to 1 kB; bytes that are not UTF-8 become replacement characters.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..1024).unwrap_or(bytes)).into_owned()
}

/// What follows the first word of a line, as a name.
pub(super) fn name_after(keyword: &[u8], line: &[u8]) -> String {
    text(line.trim_ascii_start().get(keyword.len()..).unwrap_or_default().trim_ascii())
}
