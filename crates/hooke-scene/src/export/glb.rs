//! GLB, binary glTF 2.0, for browsers, game engines and Blender.
//!
//! The first frame is the mesh; every later frame is a morph target, the difference to the first;
//! an animation of the weights fades each target into the next at the frames' true times
//! (Khronos, *glTF 2.0 Specification*, §3.7.2.2 and §3.11). glTF prescribes meters and y up.
//! Players keep all targets in memory, so longer recordings are thinned to [`MAX_FRAMES`].
//!
//! The JSON at the start must state the bounds of data that come after it, so the frames are read
//! twice: once for bounds and times, once to write.

mod document;

use std::path::Path;

use document::{Summary, describe};
use serde_json::Value;

use super::error::{ExportError, Result};
use super::files::StagedFile;
use super::shape::{Shape, bounds, normals, single, subtract};
use super::source::Source;
use super::{Files, Format, Report};

/// Frames a file holds at most.
const MAX_FRAMES: usize = 250;
/// Bytes of vertex data a file holds at most; its length is a 32-bit number.
const MAX_BYTES: u64 = 0xF000_0000;
/// Bytes of a position or normal.
const VECTOR: usize = 12;

pub(super) const FORMAT: Format = Format {
    name: "glb",
    title: "glTF, animated",
    readers: "Blender, three.js, game engines",
    files: Files::One,
    write,
};

fn write(source: &mut Source, target: &Path) -> Result<Report> {
    source.single = true;
    let shape = source.shape();
    let vectors = if matches!(shape, Shape::Triangles(_)) { 2 } else { 1 };
    let chosen = choose_frames(source.len(), source.particles, vectors)?;
    source.expect_reads(2 * chosen.len() - 1);
    let mut notes = Vec::new();
    if chosen.len() < source.len() {
        notes.push(format!(
            "{} of {} frames were kept, evenly spaced at their true times: \
             glTF players hold all of them in memory",
            chosen.len(),
            source.len()
        ));
    }

    let (base, summary) = survey(source, &shape, &chosen)?;
    let (times, note) = key_times(&summary)?;
    notes.extend(note);
    let (json, length) = describe(source, &shape, &summary, &times);
    let mut file = StagedFile::create(target)?;
    write_container_start(&mut file, &json, length)?;
    write_chunk(&mut file, source, &shape, &base, &chosen, &times)?;
    Ok(Report { files: vec![file.commit()?], notes })
}

/// Evenly spaced frames, first and last included, as many as fit.
fn choose_frames(frames: usize, particles: usize, vectors: usize) -> Result<Vec<usize>> {
    let fit = MAX_BYTES / (particles as u64 * vectors as u64 * VECTOR as u64);
    let kept = frames.min(MAX_FRAMES).min(usize::try_from(fit).unwrap_or(MAX_FRAMES));
    if kept < frames.min(2) {
        let message = "the mesh is too large for a GLB file; export it in another format";
        return Err(ExportError::Content(message.to_owned()));
    }
    Ok((0..kept).map(|i| if kept > 1 { i * (frames - 1) / (kept - 1) } else { 0 }).collect())
}

/// The first frame.
struct Base {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl Base {
    fn new(positions: &[[f64; 3]], shape: &Shape) -> Self {
        let positions: Vec<[f32; 3]> = positions.iter().copied().map(single).collect();
        let normals = smooth(&positions, shape);
        Self { positions, normals }
    }

    /// What a morph target adds to the first frame: positions, then normals.
    fn differences(&self, positions: &[[f64; 3]], shape: &Shape) -> [Vec<[f32; 3]>; 2] {
        let positions: Vec<[f32; 3]> = positions.iter().copied().map(single).collect();
        let normals = smooth(&positions, shape);
        [differences(&positions, &self.positions), differences(&normals, &self.normals)]
    }
}

fn smooth(positions: &[[f32; 3]], shape: &Shape) -> Vec<[f32; 3]> {
    let Shape::Triangles(triangles) = shape else {
        return Vec::new();
    };
    let positions: Vec<[f64; 3]> = positions.iter().copied().map(double).collect();
    normals(&positions, triangles).into_iter().map(single).collect()
}

fn differences(later: &[[f32; 3]], first: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let difference = |(a, b): (&[f32; 3], &[f32; 3])| single(subtract(double(*a), double(*b)));
    later.iter().zip(first).map(difference).collect()
}

fn double(vector: [f32; 3]) -> [f64; 3] {
    vector.map(f64::from)
}

/// The first pass: times, and the bounds of the first frame and of each target.
fn survey(source: &mut Source, shape: &Shape, chosen: &[usize]) -> Result<(Base, Vec<Summary>)> {
    let mut base = None;
    let mut summary = Vec::with_capacity(chosen.len());
    for &index in chosen {
        let frame = source.read(index)?;
        let time = frame.time;
        let bounds = match &base {
            None => {
                let first = Base::new(&frame.positions, shape);
                let bounds = bounds(first.positions.iter().copied());
                base = Some(first);
                bounds
            }
            Some(base) => {
                let positions = frame.positions.iter().copied().map(single);
                let moved = positions.zip(&base.positions);
                bounds(moved.map(|(a, &b)| single(subtract(double(a), double(b)))))
            }
        };
        summary.push(Summary { time, bounds: bounds.unwrap_or_default() });
    }
    let base = base.ok_or_else(|| ExportError::Content("the recording is empty".to_owned()))?;
    Ok((base, summary))
}

/// The times as glTF wants them: not negative and increasing even as 32-bit floats.
fn key_times(summary: &[Summary]) -> Result<(Vec<f32>, Option<String>)> {
    let start = summary.first().map_or(0.0, |frame| frame.time);
    for shift in [0.0, start] {
        let times: Vec<f32> = summary.iter().map(|frame| (frame.time - shift) as f32).collect();
        let increasing = times.iter().zip(times.iter().skip(1)).all(|(a, b)| a < b);
        if increasing && times.iter().all(|time| *time >= 0.0 && time.is_finite()) {
            let note = format!("the animation starts at 0 s instead of {start} s");
            return Ok((times, (shift != 0.0).then_some(note)));
        }
    }
    Err(ExportError::Content("the frames are too close in time for a GLB file".to_owned()))
}

/// The header of the file, the JSON chunk, and the header of the binary chunk.
fn write_container_start(file: &mut StagedFile, json: &Value, length: usize) -> Result<()> {
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = u32::try_from(12 + 8 + json.len() + 8 + length)
        .map_err(|_| ExportError::Content("the mesh is too large for a GLB file".to_owned()))?;
    file.put(b"glTF")?;
    file.put(&2_u32.to_le_bytes())?;
    file.put(&total.to_le_bytes())?;
    file.put(&(json.len() as u32).to_le_bytes())?;
    file.put(b"JSON")?;
    file.put(&json)?;
    file.put(&(length as u32).to_le_bytes())?;
    file.put(b"BIN\0")
}

/// The second pass: the numbers, in the order that [`describe`] laid out.
fn write_chunk(
    file: &mut StagedFile,
    source: &mut Source,
    shape: &Shape,
    base: &Base,
    chosen: &[usize],
    times: &[f32],
) -> Result<()> {
    let indices = match shape {
        Shape::Triangles(triangles) => triangles.as_flattened(),
        Shape::Lines(lines) => lines.as_flattened(),
        Shape::Points => &[],
    };
    file.put_all(indices.iter().map(|index| index.to_le_bytes()))?;
    put_floats(file, base.positions.as_flattened())?;
    put_floats(file, base.normals.as_flattened())?;
    for [u, v] in source.cells.uvs.iter().flatten() {
        // glTF counts v from the top.
        put_floats(file, &[*u as f32, (1.0 - v) as f32])?;
    }
    for &index in chosen.iter().skip(1) {
        let frame = source.read(index)?;
        let [positions, normals] = base.differences(&frame.positions, shape);
        put_floats(file, positions.as_flattened())?;
        put_floats(file, normals.as_flattened())?;
    }
    let targets = times.len() - 1;
    if targets > 0 {
        put_floats(file, times)?;
    }
    let keys = (0..times.len()).flat_map(|key| (1..=targets).map(move |target| key == target));
    file.put_all(keys.map(|full| (if full { 1.0_f32 } else { 0.0 }).to_le_bytes()))
}

fn put_floats(file: &mut StagedFile, values: &[f32]) -> Result<()> {
    file.put_all(values.iter().map(|value| value.to_le_bytes()))
}
