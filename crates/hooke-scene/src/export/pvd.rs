//! VTK time series for ParaView, VisIt and PyVista.
//!
//! A `.pvd` collection names one `.vtu` unstructured grid per frame with its time. In a VTU, XML
//! describes arrays whose bytes follow raw in one appended block, each after its length as a
//! 64-bit number (Kitware, *VTK File Formats*, "XML formats"). Positions and velocities
//! are doubles at the points; cells are triangles and tetrahedra, else springs, else
//! particles.

use std::fmt::Write;
use std::path::Path;

use super::error::{ExportError, Result};
use super::files::{StagedFile, StagedFolder};
use super::shape::Cells;
use super::source::{Source, one_line};
use super::{Files, Format, Frame, Report};

pub(super) const FORMAT: Format = Format {
    name: "pvd",
    title: "VTK",
    readers: "ParaView, pyvista",
    files: Files::Several,
    write,
};

fn write(source: &mut Source, target: &Path) -> Result<Report> {
    let stem = target.file_stem().and_then(|stem| stem.to_str()).ok_or_else(|| {
        ExportError::Content(format!("{} is no name that fits into a file", target.display()))
    })?;
    let folder_name = format!("{stem}_vtu");
    let mut collection = StagedFile::create(target)?;
    let mut folder =
        StagedFolder::create(&target.with_file_name(&folder_name), "vtu", source.len())?;
    let grid = Grid::new(&source.cells, source.particles);

    let [_, remark] = source.remarks();
    collection.print(format_args!(
        "<?xml version=\"1.0\"?>\n<!-- {remark} -->\n\
         <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n"
    ))?;
    for index in 0..source.len() {
        let mut file = folder.next_file()?;
        let frame = source.read(index)?;
        write_grid(&mut file, frame, &grid)?;
        file.commit()?;
        let name = folder.names().last().map(String::as_str).unwrap_or_default();
        collection.print(format_args!(
            "<DataSet timestep=\"{:?}\" group=\"\" part=\"0\" file=\"{}/{name}\"/>\n",
            frame.time,
            escape(&folder_name)
        ))?;
    }
    collection.put(b"</Collection>\n</VTKFile>\n")?;
    let frames = folder.commit()?;
    let mut files = vec![collection.commit()?];
    files.extend(frames);
    Ok(Report { files, notes: Vec::new() })
}

/// Cells as VTK wants them.
struct Grid {
    connectivity: Vec<i64>,
    /// For each cell the end of its corners in `connectivity`.
    offsets: Vec<i64>,
    types: Vec<u8>,
}

impl Grid {
    fn new(cells: &Cells, particles: usize) -> Self {
        const VERTEX: u8 = 1;
        const LINE: u8 = 3;
        const TRIANGLE: u8 = 5;
        const TETRAHEDRON: u8 = 10;
        let mut grid = Self { connectivity: Vec::new(), offsets: Vec::new(), types: Vec::new() };
        cells.triangles.iter().for_each(|corners| grid.push(TRIANGLE, corners));
        cells.tets.iter().for_each(|corners| grid.push(TETRAHEDRON, corners));
        if grid.types.is_empty() {
            cells.edges.iter().for_each(|corners| grid.push(LINE, corners));
        }
        if grid.types.is_empty() {
            (0..particles as u32).for_each(|particle| grid.push(VERTEX, &[particle]));
        }
        grid
    }

    fn push(&mut self, kind: u8, corners: &[u32]) {
        self.connectivity.extend(corners.iter().map(|&corner| i64::from(corner)));
        self.offsets.push(self.connectivity.len() as i64);
        self.types.push(kind);
    }
}

enum Values<'a> {
    Floats(&'a [f64]),
    Integers(&'a [i64]),
    Bytes(&'a [u8]),
}

/// An array of the appended block.
struct Array<'a> {
    name: &'a str,
    components: usize,
    values: Values<'a>,
}

impl Array<'_> {
    fn kind(&self) -> &'static str {
        match self.values {
            Values::Floats(_) => "Float64",
            Values::Integers(_) => "Int64",
            Values::Bytes(_) => "UInt8",
        }
    }

    fn size(&self) -> u64 {
        match self.values {
            Values::Floats(values) => size_of_val(values) as u64,
            Values::Integers(values) => size_of_val(values) as u64,
            Values::Bytes(values) => values.len() as u64,
        }
    }

    fn write(&self, file: &mut StagedFile) -> Result<()> {
        file.put(&self.size().to_le_bytes())?;
        match self.values {
            Values::Floats(values) => file.put_all(values.iter().map(|value| value.to_le_bytes())),
            Values::Integers(values) => {
                file.put_all(values.iter().map(|value| value.to_le_bytes()))
            }
            Values::Bytes(values) => file.put(values),
        }
    }
}

fn write_grid(file: &mut StagedFile, frame: &Frame, grid: &Grid) -> Result<()> {
    let positions = [Array {
        name: "Points",
        components: 3,
        values: Values::Floats(frame.positions.as_flattened()),
    }];
    let quantities = [Array {
        name: "velocity",
        components: 3,
        values: Values::Floats(frame.velocities.as_flattened()),
    }];
    let cells = [
        Array { name: "connectivity", components: 1, values: Values::Integers(&grid.connectivity) },
        Array { name: "offsets", components: 1, values: Values::Integers(&grid.offsets) },
        Array { name: "types", components: 1, values: Values::Bytes(&grid.types) },
    ];
    let sections =
        [("PointData", quantities.as_slice()), ("Points", &positions), ("Cells", &cells)];

    file.print(format_args!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <UnstructuredGrid>\n<FieldData>\n\
         <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{:?}</DataArray>\n\
         </FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
        frame.time,
        frame.positions.len(),
        grid.types.len()
    ))?;
    file.put(describe(&sections).as_bytes())?;
    file.put(b"</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_")?;
    sections.iter().flat_map(|(_, arrays)| *arrays).try_for_each(|array| array.write(file))?;
    file.put(b"\n</AppendedData>\n</VTKFile>\n")
}

/// The XML of all arrays, with their offsets into the appended block.
fn describe(sections: &[(&str, &[Array])]) -> String {
    let mut text = String::new();
    let mut offset = 0;
    for (section, arrays) in sections {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "<{section}>");
        for array in *arrays {
            let _ = writeln!(
                text,
                "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{offset}\"/>",
                array.kind(),
                escape(array.name),
                array.components
            );
            offset += size_of::<u64>() as u64 + array.size();
        }
        let _ = writeln!(text, "</{section}>");
    }
    text
}

fn escape(text: &str) -> String {
    one_line(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
