//! STL, the format of printers and scanners: loose triangles without shared vertices.
//!
//! Binary: 80 bytes of header, a 32-bit count, then 50 bytes a triangle (normal, three corners
//! as 32-bit floats, two bytes unused), little endian. Text: `facet … outer loop … vertex x y z`
//! between `solid` and `endsolid` (3D Systems, *StereoLithography Interface Specification*, 1989).
//! Corners with exactly equal coordinates are welded, since a cloth needs shared vertices.

use super::builder::{Builder, Welder};
use super::error::{ImportError, Result, count, quote};
use super::reader::{Encoding, Reader, Scalar, name_after, unmarked, words};
use super::{Limits, Mesh};

const HEADER: usize = 80;
const START: usize = 84;
const TRIANGLE: usize = 50;

/// Reads an STL file, text or binary, from its bytes.
pub fn parse(bytes: &[u8], limits: &Limits) -> std::result::Result<Mesh, ImportError> {
    let mut solid = Solid { builder: Builder::new(limits), welder: Welder::default() };
    let declared = declared_triangles(bytes);
    let text = unmarked(bytes).unwrap_or(bytes);
    let is_text = text.trim_ascii_start().get(..5).is_some_and(|start| start == b"solid");
    if is_text && declared != Some(stored_triangles(bytes)) {
        solid.read_text(Reader::new(text, Encoding::Text))?;
    } else {
        solid.read_binary(bytes).map_err(|error| unmarked(bytes).err().unwrap_or(error))?;
    }
    Welder::note(solid.welder.welded, &mut solid.builder);
    solid.builder.finish()
}

fn declared_triangles(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(HEADER..START)?.try_into().ok()?;
    Some(u64::from(u32::from_le_bytes(count)))
}

fn stored_triangles(bytes: &[u8]) -> u64 {
    (bytes.len().saturating_sub(START) / TRIANGLE) as u64
}

struct Solid<'l> {
    builder: Builder<'l>,
    welder: Welder,
}

impl Solid<'_> {
    fn read_binary(&mut self, bytes: &[u8]) -> Result<()> {
        let mut reader = Reader::new(bytes, Encoding::Little);
        reader.take(HEADER).map_err(|_| {
            reader.error("neither text (it does not start with `solid`) nor binary STL (too short)")
        })?;
        let declared = reader.integer(Scalar::U32)? as u64;
        let location = reader.location();
        let stored = stored_triangles(bytes);
        if declared > stored {
            let message = format!(
                "the header declares {}, but the file has room for {stored}",
                count(declared, "triangle", "triangles")
            );
            return Err(ImportError::content(location, message));
        }
        if START + declared as usize * TRIANGLE < bytes.len() {
            self.builder.note("bytes after the declared triangles were passed over");
        }
        for _ in 0..declared {
            reader.take(12)?;
            let mut corners = [0; 3];
            for corner in &mut corners {
                *corner = self.corner(&mut reader)?;
            }
            self.builder.triangle(reader.location(), corners)?;
            reader.take(2)?;
        }
        Ok(())
    }

    fn read_text(&mut self, mut reader: Reader) -> Result<()> {
        let mut corners = Vec::new();
        let mut open = false;
        while let Some(line) = reader.filled_line() {
            let location = reader.location();
            let keyword = words(line).next().unwrap_or_default();
            match keyword.to_ascii_lowercase().as_slice() {
                b"solid" => {
                    open = true;
                    let name = name_after(keyword, line);
                    let group = match name.as_str() {
                        "" => Vec::new(),
                        _ => vec![self.builder.group(location, name)?],
                    };
                    self.builder.enter_groups(location, group)?;
                }
                b"vertex" => {
                    let coordinates = line.get(keyword.len()..).unwrap_or_default();
                    if corners.len() == 3 {
                        return Err(reader.error("a facet has more than 3 vertices"));
                    }
                    let mut numbers = Reader::new(coordinates, Encoding::Text);
                    let corner = self.corner(&mut numbers).map_err(|mut error| {
                        error.location = location;
                        error
                    })?;
                    corners.push(corner);
                }
                b"endfacet" => {
                    let Ok(triangle) = <[u32; 3]>::try_from(corners.as_slice()) else {
                        let have = count(corners.len() as u64, "vertex", "vertices");
                        return Err(
                            reader.error(format!("a facet needs 3 vertices, this has {have}"))
                        );
                    };
                    self.builder.triangle(location, triangle)?;
                    corners.clear();
                }
                b"endsolid" => open = false,
                b"facet" | b"outer" | b"endloop" => {}
                other => {
                    return Err(reader.error(format!("{} is not an STL keyword", quote(other))));
                }
            }
        }
        if open || !corners.is_empty() {
            return Err(reader.error("the file ends before `endsolid`; it seems to be cut off"));
        }
        Ok(())
    }

    fn corner(&mut self, reader: &mut Reader) -> Result<u32> {
        let mut position = [0.0; 3];
        for coordinate in &mut position {
            *coordinate = reader.float(Scalar::F32)?;
        }
        if let Some(vertex) = self.welder.find(position) {
            return Ok(vertex);
        }
        let vertex = self.builder.vertex(reader.location(), position)?;
        self.welder.remember(position, vertex);
        Ok(vertex)
    }
}
