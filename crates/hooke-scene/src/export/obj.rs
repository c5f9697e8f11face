//! Wavefront OBJ, one text file per frame, readable everywhere.
//!
//! `v` positions, `vt` texture coordinates, `f` triangles, `l` springs and `p` particles, indices
//! from 1 (Wavefront, *Advanced Visualizer Manual*, appendix B1). Numbers are written with as many
//! digits as bring back the same double. OBJ has no place for time, units or axes; comments say them.

use std::path::Path;

use super::error::Result;
use super::files::{StagedFile, StagedFolder};
use super::shape::{Cells, Shape};
use super::source::Source;
use super::{Files, Format, Report};

pub(super) const FORMAT: Format = Format {
    name: "obj",
    title: "Wavefront OBJ, a file per frame",
    readers: "nearly every modeling program",
    files: Files::PerFrame,
    write,
};

fn write(source: &mut Source, target: &Path) -> Result<Report> {
    let mut folder = StagedFolder::create(target, "obj", source.len())?;
    let shape = source.shape();
    let header = header(source);
    for index in 0..source.len() {
        let mut file = folder.next_file()?;
        let frame = source.read(index)?;
        file.print(format_args!("{header}# time {:?} s\n", frame.time))?;
        write_positions(&mut file, &frame.positions)?;
        write_elements(&mut file, &shape, &source.cells, source.particles)?;
        file.commit()?;
    }
    Ok(Report { files: folder.commit()?, notes: Vec::new() })
}

/// The comments that begin every file.
pub(super) fn header(source: &Source) -> String {
    source.remarks().map(|remark| format!("# {remark}\n")).concat()
}

pub(super) fn write_positions(file: &mut StagedFile, positions: &[[f64; 3]]) -> Result<()> {
    positions.iter().try_for_each(|[x, y, z]| file.print(format_args!("v {x:?} {y:?} {z:?}\n")))
}

pub(super) fn write_elements(
    file: &mut StagedFile,
    shape: &Shape,
    cells: &Cells,
    particles: usize,
) -> Result<()> {
    for [u, v] in cells.uvs.iter().flatten() {
        file.print(format_args!("vt {u:?} {v:?}\n"))?;
    }
    let textured = cells.uvs.is_some();
    match shape {
        Shape::Triangles(triangles) => triangles.iter().try_for_each(|triangle| {
            let [a, b, c] = triangle.map(|corner| u64::from(corner) + 1);
            match textured {
                true => file.print(format_args!("f {a}/{a} {b}/{b} {c}/{c}\n")),
                false => file.print(format_args!("f {a} {b} {c}\n")),
            }
        }),
        Shape::Lines(lines) => lines.iter().try_for_each(|line| {
            let [a, b] = line.map(|end| u64::from(end) + 1);
            file.print(format_args!("l {a} {b}\n"))
        }),
        Shape::Points => {
            (1..=particles).try_for_each(|point| file.print(format_args!("p {point}\n")))
        }
    }
}
