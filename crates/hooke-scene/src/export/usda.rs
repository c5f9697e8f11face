//! USDA, the text form of Universal Scene Description, for film and visual-effects programs.
//!
//! A `Mesh`, `BasisCurves` or `Points` prim under one `Xform`, with `points`, `extent` and
//! `normals` sampled over time (Pixar, *OpenUSD: UsdGeom*; Alliance for OpenUSD, *Core
//! Specification 1.0*). A time code is a frame: `timeCodesPerSecond` is the recording's rate and
//! each sample stands at its true time. Values are 32-bit floats, as the schemas prescribe.

use std::fmt::{self, Display, Write};
use std::path::Path;

use super::error::Result;
use super::files::StagedFile;
use super::shape::{Shape, bounds, normals, single, subtract};
use super::source::{Source, identifier};
use super::{Files, Format, Frame, Report};

pub(super) const FORMAT: Format = Format {
    name: "usda",
    title: "USD as text",
    readers: "Blender, Houdini, Maya",
    files: Files::One,
    write,
};

fn write(source: &mut Source, target: &Path) -> Result<Report> {
    source.single = true;
    let shape = source.shape();
    let frames = source.len();
    let passes = if matches!(shape, Shape::Triangles(_)) { 2 } else { 1 };
    source.expect_reads(frames * passes + 2);
    let last = time_code(source.read(frames - 1)?.time, source.fps);
    let first = time_code(source.read(0)?.time, source.fps);
    let thickness = thickness(source.frame(), &shape);

    let mut file = StagedFile::create(target)?;
    let (name, fps) = (identifier(&source.name), source.fps);
    file.print(format_args!(
        "#usda 1.0\n(\n    defaultPrim = \"{name}\"\n    endTimeCode = {last}\n    \
         framesPerSecond = {fps}\n    metersPerUnit = 1\n    startTimeCode = {first}\n    \
         timeCodesPerSecond = {fps}\n    upAxis = \"Y\"\n)\n\n\
         def Xform \"{name}\" (\n    kind = \"component\"\n)\n{{\n"
    ))?;
    write_constants(&mut file, source, &shape, thickness)?;
    write_points(&mut file, source, &shape, thickness)?;
    if let Shape::Triangles(triangles) = &shape {
        file.print(format_args!("        normal3f[] normals{}", interpolation("vertex")))?;
        write_samples(&mut file, source, "normal3f[] normals", |frame, text| {
            let normals = normals(&frame.positions, triangles);
            write!(text, "{}", List(normals.iter().map(|&normal| Tuple(single(normal)))))
        })?;
    }
    file.put(b"    }\n}\n")?;
    Ok(Report { files: vec![file.commit()?], notes: Vec::new() })
}

/// Opens the prim and writes what does not change over time.
fn write_constants(
    file: &mut StagedFile,
    source: &Source,
    shape: &Shape,
    thickness: f32,
) -> Result<()> {
    let prim = match shape {
        Shape::Triangles(_) => "Mesh",
        Shape::Lines(_) => "BasisCurves",
        Shape::Points => "Points",
    };
    file.print(format_args!("    def {prim} \"Geometry\"\n    {{\n"))?;
    match shape {
        Shape::Triangles(triangles) => {
            let counts = List(triangles.iter().map(|_| 3));
            let corners = List(triangles.as_flattened().iter());
            file.print(format_args!(
                "        uniform bool doubleSided = 1\n        \
                 int[] faceVertexCounts = {counts}\n        \
                 int[] faceVertexIndices = {corners}\n        \
                 uniform token subdivisionScheme = \"none\"\n"
            ))?;
            if let Some(uvs) = &source.cells.uvs {
                let uvs = List(uvs.iter().map(|uv| Tuple(uv.map(|value| value as f32))));
                let vertex = interpolation("vertex");
                file.print(format_args!("        texCoord2f[] primvars:st = {uvs}{vertex}"))?;
            }
        }
        Shape::Lines(lines) => {
            let counts = List(lines.iter().map(|_| 2));
            let constant = interpolation("constant");
            file.print(format_args!(
                "        uniform token type = \"linear\"\n        \
                 int[] curveVertexCounts = {counts}\n        \
                 float[] widths = [{thickness:?}]{constant}"
            ))?;
        }
        Shape::Points => {
            let widths = List((0..source.particles).map(|_| thickness));
            let vertex = interpolation("vertex");
            file.print(format_args!("        float[] widths = {widths}{vertex}"))?;
        }
    }
    file.put(b"        color3f[] primvars:displayColor = [(0.6, 0.65, 0.75)]\n")
}

/// Positions, and the box around what is drawn of them.
fn write_points(
    file: &mut StagedFile,
    source: &mut Source,
    shape: &Shape,
    thickness: f32,
) -> Result<()> {
    let fps = source.fps;
    let margin = if matches!(shape, Shape::Triangles(_)) { 0.0 } else { thickness / 2.0 };
    let mut extents = Vec::with_capacity(source.len());
    write_samples(file, source, "point3f[] points", |frame, text| {
        let points = drawn_points(frame, shape);
        if let Some([low, high]) = bounds(points.iter().copied()) {
            extents.push((frame.time, [low.map(|x| x - margin), high.map(|x| x + margin)]));
        }
        write!(text, "{}", List(points.iter().map(|&point| Tuple(point))))
    })?;
    file.put(b"        float3[] extent.timeSamples = {\n")?;
    for (time, corners) in &extents {
        let code = time_code(*time, fps);
        let corners = List(corners.iter().map(|&corner| Tuple(corner)));
        file.print(format_args!("            {code}: {corners},\n"))?;
    }
    file.put(b"        }\n")
}

/// How an attribute varies over a prim, as the metadata that follows it.
fn interpolation(kind: &str) -> String {
    format!(" (\n            interpolation = \"{kind}\"\n        )\n")
}

/// One attribute over all frames, one frame in memory at a time.
fn write_samples(
    file: &mut StagedFile,
    source: &mut Source,
    attribute: &str,
    mut value: impl FnMut(&Frame, &mut String) -> fmt::Result,
) -> Result<()> {
    file.print(format_args!("        {attribute}.timeSamples = {{\n"))?;
    let fps = source.fps;
    let mut text = String::new();
    for index in 0..source.len() {
        let frame = source.read(index)?;
        text.clear();
        // Writing to a string cannot fail.
        let _ = value(frame, &mut text);
        file.print(format_args!("            {}: {text},\n", time_code(frame.time, fps)))?;
    }
    file.put(b"        }\n")
}

/// The points of a prim: all particles, or the two ends of each spring since curves have no indices.
fn drawn_points(frame: &Frame, shape: &Shape) -> Vec<[f32; 3]> {
    match shape {
        Shape::Lines(lines) => (lines.as_flattened().iter())
            .filter_map(|&end| frame.positions.get(end as usize))
            .map(|&position| single(position))
            .collect(),
        _ => frame.positions.iter().map(|&position| single(position)).collect(),
    }
}

/// How thick springs and particles are drawn, in meters: a twentieth of the mean spring.
fn thickness(frame: &Frame, shape: &Shape) -> f32 {
    const WITHOUT_SPRINGS: f64 = 0.02;
    let Shape::Lines(lines) = shape else {
        return WITHOUT_SPRINGS as f32;
    };
    let length = |line: &[u32; 2]| match line.map(|end| frame.positions.get(end as usize)) {
        [Some(a), Some(b)] => {
            subtract(*a, *b).iter().map(|value| value * value).sum::<f64>().sqrt()
        }
        _ => 0.0,
    };
    let mean = lines.iter().map(length).sum::<f64>() / lines.len() as f64;
    (if mean > 0.0 { mean / 20.0 } else { WITHOUT_SPRINGS }) as f32
}

/// Time in frames; free of rounding errors where it is meant to be whole.
fn time_code(time: f64, fps: f64) -> f64 {
    let code = time * fps;
    let whole = code.round();
    if (code - whole).abs() < 1e-6 { whole } else { code }
}

/// `[a, b, c]`
struct List<I>(I);

impl<I: Iterator<Item: Display> + Clone> Display for List<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (i, item) in self.0.clone().enumerate() {
            write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
        }
        f.write_char(']')
    }
}

/// `(x, y, z)`
struct Tuple<const N: usize>([f32; N]);

impl<const N: usize> Display for Tuple<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('(')?;
        for (i, value) in self.0.iter().enumerate() {
            write!(f, "{}{value:?}", if i == 0 { "" } else { ", " })?;
        }
        f.write_char(')')
    }
}
