//! PLY, one binary file per frame, for tools of geometry processing.
//!
//! A text header declares the elements and their properties, little-endian rows follow (G. Turk,
//! *The PLY Polygon File Format*, 1994). Positions and velocities are doubles at
//! the vertices; faces are index lists, springs are `edge` elements.

use std::fmt::Write;
use std::path::Path;

use super::error::Result;
use super::files::StagedFolder;
use super::shape::{Cells, Shape};
use super::source::Source;
use super::{Files, Format, Frame, Report};

pub(super) const FORMAT: Format = Format {
    name: "ply",
    title: "PLY, a file per frame",
    readers: "MeshLab, Open3D, trimesh",
    files: Files::PerFrame,
    write,
};

fn write(source: &mut Source, target: &Path) -> Result<Report> {
    let mut folder = StagedFolder::create(target, "ply", source.len())?;
    let shape = source.shape();
    let comments = source.remarks().map(|remark| format!("comment {remark}\n")).concat();
    for index in 0..source.len() {
        let mut file = folder.next_file()?;
        source.read(index)?;
        let (frame, cells) = (source.frame(), &source.cells);
        file.put(header(&comments, frame, cells, &shape).as_bytes())?;
        let values = (0..source.particles).flat_map(|particle| vertex(frame, cells, particle));
        file.put_all(values.map(f64::to_le_bytes))?;
        match &shape {
            Shape::Triangles(triangles) => file.put_all(triangles.iter().map(face))?,
            Shape::Lines(lines) => {
                file.put_all(lines.as_flattened().iter().map(|end| end.to_le_bytes()))?;
            }
            Shape::Points => {}
        }
        file.commit()?;
    }
    Ok(Report { files: folder.commit()?, notes: Vec::new() })
}

/// The numbers of one particle, in the order of the header.
fn vertex<'a>(
    frame: &'a Frame,
    cells: &'a Cells,
    particle: usize,
) -> impl Iterator<Item = f64> + 'a {
    let vectors = [frame.positions.get(particle), frame.velocities.get(particle)];
    let uv = cells.uvs.as_ref().and_then(|uvs| uvs.get(particle));
    vectors.into_iter().flatten().flatten().chain(uv.into_iter().flatten()).copied()
}

/// A list of three indices with its length.
fn face(corners: &[u32; 3]) -> [u8; 13] {
    let [[a, b, c, d], [e, f, g, h], [i, j, k, l]] = corners.map(u32::to_le_bytes);
    [3, a, b, c, d, e, f, g, h, i, j, k, l]
}

fn header(comments: &str, frame: &Frame, cells: &Cells, shape: &Shape) -> String {
    let mut names = vec!["x", "y", "z", "vx", "vy", "vz"];
    if cells.uvs.is_some() {
        names.extend(["s", "t"]);
    }
    let mut text = format!("ply\nformat binary_little_endian 1.0\n{comments}");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "comment time {:?} s", frame.time);
    let _ = writeln!(text, "element vertex {}", frame.positions.len());
    for name in names {
        let _ = writeln!(text, "property double {name}");
    }
    let _ = match shape {
        Shape::Triangles(triangles) => writeln!(
            text,
            "element face {}\nproperty list uchar uint vertex_indices",
            triangles.len()
        ),
        Shape::Lines(lines) => writeln!(
            text,
            "element edge {}\nproperty uint vertex1\nproperty uint vertex2",
            lines.len()
        ),
        Shape::Points => Ok(()),
    };
    text.push_str("end_header\n");
    text
}
