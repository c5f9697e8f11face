//! PLY, the Stanford polygon format of scanners and point-cloud tools, text and binary.
//!
//! A text header declares elements and the type of each of their properties; the rows follow as
//! text or as binary of either byte order (G. Turk, *The PLY Polygon File Format*, 1994). Hooke
//! takes `x y z` and texture coordinates of `vertex`, the index list of `face` and the two ends
//! of `edge`; everything else is stepped over by its declared types.

use super::builder::Builder;
use super::error::{ImportError, Result, quote};
use super::reader::{Encoding, Reader, Scalar, integer, unmarked, words};
use super::{Limits, Mesh};

/// More kinds of elements than this are an error.
const MAX_ELEMENTS: usize = 256;

/// Reads a PLY file, text or binary, from its bytes.
pub fn parse(bytes: &[u8], limits: &Limits) -> std::result::Result<Mesh, ImportError> {
    let mut reader = Reader::new(unmarked(bytes)?, Encoding::Text);
    let elements = read_header(&mut reader)?;
    let mut rows = Rows { reader, builder: Builder::new(limits), list: Vec::new() };
    for element in &elements {
        rows.read(element)?;
    }
    rows.builder.finish()
}

struct Element {
    name: Vec<u8>,
    rows: u64,
    properties: Vec<Property>,
}

struct Property {
    /// The type of a list's length, if the property is a list.
    length: Option<Scalar>,
    scalar: Scalar,
    role: Role,
}

/// What a property means to Hooke.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Coordinate(usize),
    Texture(usize),
    Corners,
    End(usize),
    None,
}

impl Role {
    fn of(element: &[u8], property: &[u8], is_list: bool) -> Self {
        match (element, property, is_list) {
            (b"vertex", b"x", false) => Self::Coordinate(0),
            (b"vertex", b"y", false) => Self::Coordinate(1),
            (b"vertex", b"z", false) => Self::Coordinate(2),
            (b"vertex", b"s" | b"u" | b"texture_u", false) => Self::Texture(0),
            (b"vertex", b"t" | b"v" | b"texture_v", false) => Self::Texture(1),
            (b"face", b"vertex_indices" | b"vertex_index", true) => Self::Corners,
            (b"edge", b"vertex1", false) => Self::End(0),
            (b"edge", b"vertex2", false) => Self::End(1),
            _ => Self::None,
        }
    }
}

/// Reads up to `end_header` and sets the reader's encoding for what follows.
fn read_header(reader: &mut Reader) -> Result<Vec<Element>> {
    if reader.line() != Some(b"ply") {
        return Err(reader.error("the first line of a PLY file is `ply`, this one is not"));
    }
    let mut elements: Vec<Element> = Vec::new();
    let mut encoding = None;
    while let Some(line) = reader.line() {
        let words: Vec<&[u8]> = words(line).take(6).collect();
        match *words.as_slice() {
            [b"format", b"ascii", ..] => encoding = Some(Encoding::Text),
            [b"format", b"binary_little_endian", ..] => encoding = Some(Encoding::Little),
            [b"format", b"binary_big_endian", ..] => encoding = Some(Encoding::Big),
            [b"element", name, rows] => {
                let rows = integer(rows, reader.location())?;
                let rows = u64::try_from(rows)
                    .map_err(|_| reader.error(format!("{rows} is not a number of rows")))?;
                if elements.len() >= MAX_ELEMENTS {
                    let message = format!("more than {MAX_ELEMENTS} kinds of elements");
                    return Err(ImportError::limit(reader.location(), message));
                }
                elements.push(Element { name: name.to_vec(), rows, properties: Vec::new() });
            }
            [b"property", b"list", length, scalar, name] => {
                let length = Some(scalar_type(length, reader)?);
                add_property(&mut elements, length, scalar, name, reader)?;
            }
            [b"property", scalar, name] => {
                add_property(&mut elements, None, scalar, name, reader)?;
            }
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"end_header"] => {
                reader.encoding =
                    encoding.ok_or_else(|| reader.error("the header has no `format` line"))?;
                return Ok(elements);
            }
            _ => {
                return Err(reader.error(format!("{} is not a line of a PLY header", quote(line))));
            }
        }
    }
    Err(reader.error("the file ends before `end_header`"))
}

fn add_property(
    elements: &mut [Element],
    length: Option<Scalar>,
    scalar: &[u8],
    name: &[u8],
    reader: &Reader,
) -> Result<()> {
    let scalar = scalar_type(scalar, reader)?;
    let element = elements
        .last_mut()
        .ok_or_else(|| reader.error("a `property` comes before the first `element`"))?;
    let role = Role::of(&element.name, name, length.is_some());
    element.properties.push(Property { length, scalar, role });
    Ok(())
}

fn scalar_type(name: &[u8], reader: &Reader) -> Result<Scalar> {
    Ok(match name {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        other => return Err(reader.error(format!("{} is not a type of PLY", quote(other)))),
    })
}

struct Rows<'a, 'l> {
    reader: Reader<'a>,
    builder: Builder<'l>,
    list: Vec<u32>,
}

impl Rows<'_, '_> {
    fn read(&mut self, element: &Element) -> Result<()> {
        let has = |role| element.properties.iter().any(|property| property.role == role);
        let is_vertex = element.name == b"vertex";
        if is_vertex && !(0..3).all(|axis| has(Role::Coordinate(axis))) {
            return Err(self.reader.error("the vertices have no properties `x`, `y` and `z`"));
        }
        let textured = has(Role::Texture(0)) && has(Role::Texture(1));
        let is_edge = has(Role::End(0)) && has(Role::End(1));
        if element.name == b"tristrips" {
            self.builder.note("triangle strips were passed over; save the mesh with plain faces");
        }
        if element.properties.is_empty() {
            return Ok(());
        }
        for row in 0..element.rows {
            let mut position = [0.0; 3];
            let mut uv = [0.0; 2];
            let mut ends = [0; 2];
            for property in &element.properties {
                self.property(property, &mut position, &mut uv, &mut ends).map_err(|error| {
                    if !self.reader.ended {
                        return error;
                    }
                    let name = quote(&element.name);
                    self.reader.error(format!(
                        "the file ends in row {} of the {} declared rows of {name}",
                        row + 1,
                        element.rows
                    ))
                })?;
            }
            let location = self.reader.location();
            if is_vertex {
                let vertex = self.builder.vertex(location, position)?;
                if textured {
                    self.builder.uv(location, vertex, uv)?;
                }
            } else if is_edge {
                self.builder.edge(location, ends)?;
            }
        }
        Ok(())
    }

    fn property(
        &mut self,
        property: &Property,
        position: &mut [f64; 3],
        uv: &mut [f64; 2],
        ends: &mut [u32; 2],
    ) -> Result<()> {
        let Some(length) = property.length else {
            match property.role {
                Role::Coordinate(axis) => set(position, axis, self.reader.float(property.scalar)?),
                Role::Texture(axis) => set(uv, axis, self.reader.float(property.scalar)?),
                Role::End(end) => set(ends, end, self.corner("edge", property.scalar)?),
                Role::Corners | Role::None => {
                    self.reader.float(property.scalar)?;
                }
            }
            return Ok(());
        };
        let length = self.reader.integer(length)?;
        if length < 0 {
            return Err(self.reader.error(format!("a list has the length {length}")));
        }
        self.list.clear();
        for _ in 0..length {
            if property.role == Role::Corners {
                let corner = self.corner("face", property.scalar)?;
                self.list.push(corner);
            } else {
                self.reader.float(property.scalar)?;
            }
        }
        if property.role == Role::Corners {
            self.builder.polygon(self.reader.location(), &self.list)?;
        }
        Ok(())
    }

    fn corner(&mut self, element: &str, scalar: Scalar) -> Result<u32> {
        let named = self.reader.integer(scalar)?;
        self.builder.corner(self.reader.location(), element, named, Some(named))
    }
}

fn set<T>(values: &mut [T], index: usize, value: T) {
    if let Some(slot) = values.get_mut(index) {
        *slot = value;
    }
}
