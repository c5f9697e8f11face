//! Writes small recordings in every export format, and the numbers they hold as `expected.json`,
//! for the readers in `tests/readers.py` and `tests/readers.mjs` to compare.
//!
//! Usage: `cargo run --example export_sample -- FOLDER`

use std::error::Error;
use std::path::Path;

use hooke_scene::export::{ExportError, Format, Frame, Frames, Topology, export};
use serde_json::{Value, json};

/// A motion given by a formula, different along every axis.
struct Sample {
    name: &'static str,
    rest: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    tets: Vec<[u32; 4]>,
    uvs: Option<Vec<[f64; 2]>>,
    frames: usize,
    fps: f64,
}

impl Frames for Sample {
    fn len(&self) -> usize {
        self.frames
    }

    fn particles(&self) -> usize {
        self.rest.len()
    }

    fn fps(&self) -> f64 {
        self.fps
    }

    fn topology(&self) -> Topology<'_> {
        Topology {
            triangles: &self.triangles,
            edges: &self.edges,
            tets: &self.tets,
            uvs: self.uvs.as_deref(),
            rigid_bodies: &[],
        }
    }

    fn read(&mut self, index: usize, frame: &mut Frame) -> Result<(), ExportError> {
        let t = index as f64 / self.fps;
        let phase = |x: f64, z: f64| 3.0 * x + 2.0 * z - 5.0 * t;
        frame.time = t;
        frame.positions.clear();
        frame.velocities.clear();
        for &[x, y, z] in &self.rest {
            frame.positions.push([x, y + 0.1 * phase(x, z).sin(), z + 0.25 * t]);
            frame.velocities.push([0.0, -0.5 * phase(x, z).cos(), 0.25]);
        }
        Ok(())
    }

    fn name(&self) -> &str {
        self.name
    }
}

/// A hanging grid of `width` × `height` particles, 0.1 m apart.
fn cloth(name: &'static str, frames: usize, fps: f64) -> Sample {
    let (width, height) = (6_u32, 5_u32);
    let mut sample = Sample {
        name,
        rest: Vec::new(),
        triangles: Vec::new(),
        edges: Vec::new(),
        tets: Vec::new(),
        uvs: None,
        frames,
        fps,
    };
    let mut uvs = Vec::new();
    for j in 0..height {
        for i in 0..width {
            sample.rest.push([
                0.1 * f64::from(i),
                1.0 - 0.1 * f64::from(j),
                0.02 * f64::from(i * j),
            ]);
            uvs.push([
                f64::from(i) / f64::from(width - 1),
                1.0 - f64::from(j) / f64::from(height - 1),
            ]);
            let a = j * width + i;
            if i + 1 < width {
                sample.edges.push([a, a + 1]);
            }
            if j + 1 < height {
                sample.edges.push([a, a + width]);
            }
            if i + 1 < width && j + 1 < height {
                sample.triangles.push([a, a + width, a + 1]);
                sample.triangles.push([a + 1, a + width, a + width + 1]);
            }
        }
    }
    sample.uvs = Some(uvs);
    sample
}

fn samples() -> [Sample; 5] {
    let still = || Sample { uvs: None, triangles: Vec::new(), ..cloth("", 8, 60.0) };
    let corners = [[0.0; 3], [0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3], [0.3, 0.3, 0.3]];
    [
        cloth("cloth", 12, 24.0),
        Sample { name: "rope & knot", ..still() },
        Sample { name: "dust", edges: Vec::new(), ..still() },
        Sample {
            name: "jelly",
            rest: corners.to_vec(),
            edges: Vec::new(),
            tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
            ..still()
        },
        Sample { name: "long", ..cloth("long", 601, 120.0) },
    ]
}

fn expected(sample: &mut Sample) -> Result<Value, ExportError> {
    let (mut times, mut positions, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
    let mut frame = Frame::default();
    for index in 0..sample.len() {
        sample.read(index, &mut frame)?;
        times.push(frame.time);
        positions.push(frame.positions.clone());
        velocities.push(frame.velocities.clone());
    }
    Ok(json!({
        "name": sample.name, "fps": sample.fps, "times": times,
        "positions": positions, "velocities": velocities,
        "triangles": sample.triangles, "edges": sample.edges, "tets": sample.tets,
        "uvs": sample.uvs,
    }))
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: export_sample FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let mut all = Vec::new();
    for mut sample in samples() {
        for &format in Format::ALL {
            let target = folder.join(format.file_name(sample.name));
            export(&mut sample, format, &target, &mut |_, _| {})?;
        }
        all.push(expected(&mut sample)?);
    }
    std::fs::write(folder.join("expected.json"), serde_json::to_string(&all)?)?;
    Ok(())
}
