//! TetGen's pair of text files: `.node` with the points, `.ele` with the tetrahedra.
//!
//! Both start with a line of counts, then have one row a line; `#` starts a comment. Points are
//! numbered from 0 or from 1, which the first row decides (H. Si, *TetGen User's Manual 1.6*, §5).
//! Boundary markers of points become groups `marker-N`, region attributes groups `region-N`.

use std::path::{Path, PathBuf};

use super::builder::Builder;
use super::error::{ImportError, Result, count};
use super::reader::{Encoding, Reader, float, integer, text, unmarked, words};
use super::{Limits, Mesh, load};

/// Reads the pair of files of which `path` names either.
pub(super) fn read(path: &Path, limits: &Limits) -> Result<Mesh> {
    let node_path = sibling(path, "node", "NODE");
    let ele_path = sibling(path, "ele", "ELE");
    let nodes = load(&node_path, limits.bytes)?;
    let elements = match ele_path.exists() || path == ele_path {
        true => Some(load(&ele_path, limits.bytes.saturating_sub(nodes.len() as u64))?),
        false => None,
    };
    let mut parser = Parser::new(limits);
    parser.nodes(&nodes).map_err(|error| error.in_file(&node_path))?;
    if let Some(elements) = elements {
        parser.elements(&elements).map_err(|error| error.in_file(&ele_path))?;
    }
    parser.builder.finish().map_err(|error| error.in_file(path))
}

/// The other file of the pair, where it is there.
pub(super) fn companions(path: &Path) -> Vec<PathBuf> {
    let pair = [sibling(path, "node", "NODE"), sibling(path, "ele", "ELE")];
    pair.into_iter().filter(|other| other != path && other.is_file()).collect()
}

/// The other file of the pair, its extension in the case the user's has.
fn sibling(path: &Path, lower: &str, upper: &str) -> PathBuf {
    let capital = path.extension().is_some_and(|extension| {
        extension.to_string_lossy().chars().all(|letter| letter.is_ascii_uppercase())
    });
    path.with_extension(if capital { upper } else { lower })
}

/// Reads the bytes of a `.node` file and, if there is one, of its `.ele` file.
pub fn parse(
    nodes: &[u8],
    elements: Option<&[u8]>,
    limits: &Limits,
) -> std::result::Result<Mesh, ImportError> {
    let mut parser = Parser::new(limits);
    parser.nodes(nodes)?;
    if let Some(elements) = elements {
        parser.elements(elements)?;
    }
    parser.builder.finish()
}

struct Parser<'l> {
    builder: Builder<'l>,
    /// The number of the first point.
    first: i64,
}

impl<'l> Parser<'l> {
    fn new(limits: &'l Limits) -> Self {
        Self { builder: Builder::new(limits), first: 0 }
    }

    fn nodes(&mut self, bytes: &[u8]) -> Result<()> {
        let mut rows = Rows(Reader::new(unmarked(bytes)?, Encoding::Text));
        let [declared, dimension, attributes, markers] = rows.header([0, 3, 0, 0])?;
        if dimension != 3 {
            return Err(rows.0.error(format!("the points have {dimension} dimensions, not 3")));
        }
        for row in 0..declared {
            let line = rows.row("point", row, declared)?;
            let location = rows.0.location();
            let mut words = words(line);
            let number = rows.integer(words.next())?;
            if row == 0 {
                self.first = number;
            }
            if !(0..=1).contains(&self.first) || number != self.first + row {
                let message = "points must be numbered in sequence from 0 or 1";
                return Err(rows.0.error(format!("this point has the number {number}; {message}")));
            }
            let mut position = [0.0; 3];
            for coordinate in &mut position {
                let missing = || rows.0.error("a point needs 3 coordinates");
                *coordinate = float(words.next().ok_or_else(missing)?, location)?;
            }
            let vertex = self.builder.vertex(location, position)?;
            if markers != 0 {
                let skipped = usize::try_from(attributes).unwrap_or(usize::MAX);
                let marker = rows.integer(words.nth(skipped))?;
                if marker != 0 {
                    let group = self.builder.group(location, format!("marker-{marker}"))?;
                    self.builder.enter_groups(location, vec![group])?;
                    self.builder.add_to_groups(location, &[vertex])?;
                }
            }
        }
        rows.end("point", declared)?;
        self.builder.enter_groups(rows.0.location(), Vec::new())
    }

    fn elements(&mut self, bytes: &[u8]) -> Result<()> {
        let mut rows = Rows(Reader::new(unmarked(bytes)?, Encoding::Text));
        let [declared, corners_each, attributes, _] = rows.header([0, 4, 0, 0])?;
        match corners_each {
            4 => {}
            10 => self.builder.note("quadratic tetrahedra were read by their 4 corners"),
            other => {
                let message = format!("elements have {other} corners, but tetrahedra have 4 or 10");
                return Err(rows.0.error(message));
            }
        }
        for row in 0..declared {
            let line = rows.row("tetrahedron", row, declared)?;
            let location = rows.0.location();
            let mut words = words(line).skip(1);
            let mut corners = [0; 4];
            for corner in &mut corners {
                let named = rows.integer(words.next())?;
                let index = named.checked_sub(self.first);
                *corner = self.builder.corner(location, "tetrahedron", named, index)?;
            }
            if attributes > 0 {
                let region = words.nth((corners_each - 4) as usize);
                let region = text(region.ok_or_else(|| rows.0.error("the region is missing"))?);
                let group = self.builder.group(location, format!("region-{region}"))?;
                self.builder.enter_groups(location, vec![group])?;
            }
            self.builder.tet(location, corners)?;
        }
        rows.end("tetrahedron", declared)
    }
}

/// Lines without comments.
struct Rows<'a>(Reader<'a>);

impl<'a> Rows<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.0.line()?;
            let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
            let line = line.get(..end).unwrap_or_default().trim_ascii();
            if !line.is_empty() {
                return Some(line);
            }
        }
    }

    /// The counts of the first line, with defaults for those left out.
    fn header(&mut self, mut counts: [i64; 4]) -> Result<[i64; 4]> {
        let line = self.next().ok_or_else(|| self.0.error("the file is empty"))?;
        for (value, word) in counts.iter_mut().zip(words(line)) {
            *value = integer(word, self.0.location())?;
            if *value < 0 {
                return Err(self.0.error(format!("{value} is not a count")));
            }
        }
        Ok(counts)
    }

    fn row(&mut self, what: &str, row: i64, declared: i64) -> Result<&'a [u8]> {
        self.next().ok_or_else(|| {
            let have = count(row.unsigned_abs(), "row", "rows");
            self.0.error(format!("the file ends after {have}, but declares {declared} ({what})"))
        })
    }

    /// Nothing may come after the declared rows.
    fn end(&mut self, what: &str, declared: i64) -> Result<()> {
        match self.next() {
            None => Ok(()),
            Some(_) => {
                let rows = count(declared.unsigned_abs(), "row", "rows");
                Err(self.0.error(format!("a {what} beyond the {rows} that the file declares")))
            }
        }
    }

    fn integer(&self, word: Option<&[u8]>) -> Result<i64> {
        integer(word.ok_or_else(|| self.0.error("the row is too short"))?, self.0.location())
    }
}
