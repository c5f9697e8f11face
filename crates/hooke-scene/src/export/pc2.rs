//! PC2, the point cache of 3ds Max that Blender's Mesh Cache modifier and Cinema 4D read.
//!
//! A header of 32 bytes (`POINTCACHE2`, a zero byte, version 1, number of points, start frame,
//! frames per sample, number of samples; little endian), then each sample's positions as 32-bit
//! floats. A cache moves a mesh with the same vertices in the same order, so an OBJ of the first
//! frame is written beside it. PC2 stores no rate: sample `i` is frame `i`, and the scene's frame
//! rate must be set to the one in the OBJ's comments.
//!
//! Axes: the cache is y up like all of Hooke's files, while Blender is z up. Import the OBJ with
//! Blender's default axes (forward −Z, up Y): the importer turns the object, not its vertices, so
//! the modifier's default axes (forward +Y, up +Z, which mean "as stored") fit and the cloth
//! stands upright, with sample `i` at frame `i`. If the object's rotation was applied to the mesh,
//! set the modifier to forward +Z and up −Y instead.

use std::path::Path;

use super::error::{ExportError, Result};
use super::files::StagedFile;
use super::obj::{header, write_elements, write_positions};
use super::shape::single;
use super::source::Source;
use super::{Files, Format, Report};

pub(super) const FORMAT: Format = Format {
    name: "pc2",
    title: "Point cache",
    readers: "Blender's Mesh Cache",
    files: Files::Several,
    write,
};

fn write(source: &mut Source, target: &Path) -> Result<Report> {
    let mesh_path = target.with_extension("obj");
    if mesh_path == target {
        let message = format!("{} must end in .pc2", target.display());
        return Err(ExportError::Content(message));
    }
    source.single = true;
    let mut cache = StagedFile::create(target)?;
    let mut mesh = StagedFile::create(&mesh_path)?;
    mesh.put(header(source).as_bytes())?;

    cache.put(b"POINTCACHE2\0")?;
    cache.put(&1_i32.to_le_bytes())?;
    cache.put(&(source.particles as u32).to_le_bytes())?;
    cache.put(&0_f32.to_le_bytes())?;
    cache.put(&1_f32.to_le_bytes())?;
    cache.put(&(source.len() as u32).to_le_bytes())?;
    for index in 0..source.len() {
        let frame = source.read(index)?;
        if index == 0 {
            write_positions(&mut mesh, &frame.positions)?;
        }
        let values = frame.positions.iter().flat_map(|&position| single(position));
        cache.put_all(values.map(f32::to_le_bytes))?;
    }
    write_elements(&mut mesh, &source.shape(), &source.cells, source.particles)?;
    let mesh = mesh.commit()?;
    Ok(Report { files: vec![cache.commit()?, mesh], notes: Vec::new() })
}
