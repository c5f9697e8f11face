//! The scene of a benchmark as a file that any language reads in a few lines.
//!
//! Little-endian: three counts as u64 (particles n, springs m, pins p), then f64 h (s) and gravity
//! (3), masses (n), positions (3n), velocities (3n), then per spring two u32 (its ends) and two f64
//! (rest length, stiffness), then the pinned particles as u32. A result is positions (3n) and
//! velocities (3n).

use crate::run;
use hooke::{Grid, Model, State, Vec3};
use std::error::Error;
use std::path::Path;

/// A physical problem: masses and springs, two pins, a start.
#[derive(Debug, PartialEq)]
pub(crate) struct Scene {
    pub(crate) h: f64,
    gravity: Vec3,
    masses: Vec<f64>,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    springs: Vec<Spring>,
    pins: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Spring {
    ends: [u32; 2],
    rest: f64,
    stiffness: f64,
}

impl Spring {
    fn length(&self, x: &[Vec3]) -> f64 {
        let [i, j] = self.ends.map(|end| x[end as usize]);
        (i - j).norm()
    }
}

impl Scene {
    /// A square cloth with the default springs that falls from the horizontal, held at two corners
    /// of one side, with a velocity that has no symmetry: no motion is decided by rounding.
    pub(crate) fn cloth(n: u32, h: f64) -> Result<Self, Box<dyn Error>> {
        if n < 2 {
            return Err("a cloth has at least 2 × 2 particles".into());
        }
        let mut model = Model::new();
        grid(n).add_to(&mut model)?;
        let pins = vec![0, n - 1];
        let motion = |i: usize, x: &Vec3| {
            let y = -1.5 * x.z + 0.4 * x.x * x.z + 0.3 * x.x * x.x;
            let held = pins.contains(&(i as u32));
            if held { Vec3::ZERO } else { Vec3::new(0.1 * x.z, y, -0.1 * x.x) }
        };
        Ok(Self {
            h,
            gravity: model.gravity(),
            masses: model.masses().to_vec(),
            velocities: model.rest().iter().enumerate().map(|(i, x)| motion(i, x)).collect(),
            positions: model.rest().to_vec(),
            springs: springs(&model)?,
            pins,
        })
    }

    /// The same after some steps.
    pub(crate) fn after(mut self, steps: usize) -> Result<Self, Box<dyn Error>> {
        let settings = ["accelerator=l-bfgs", "iterations=60", "tolerance=1e-4"];
        let state = run::run(&self, "quasi-newton", 1, steps, &settings)?.state;
        (self.positions, self.velocities) = (state.positions, state.velocities);
        Ok(self)
    }

    /// The model; springs keep the lengths of the file.
    pub(crate) fn model(&self) -> Result<Model, Box<dyn Error>> {
        let mut model = Model::new();
        model.set_gravity(self.gravity)?;
        for (&x, &mass) in self.positions.iter().zip(&self.masses) {
            model.add_particle(x, mass)?;
        }
        for spring in &self.springs {
            let [i, j] = spring.ends;
            model.add_spring(i, j, spring.stiffness, Some(spring.rest))?;
        }
        for &pin in &self.pins {
            model.pin_at_rest(pin)?;
        }
        Ok(model)
    }

    /// The state at the start.
    pub(crate) fn state(&self) -> State {
        State {
            positions: self.positions.clone(),
            velocities: self.velocities.clone(),
            ..State::default()
        }
    }

    /// y (m): where a step ends without springs.
    pub(crate) fn prediction(&self) -> Vec<Vec3> {
        let h = self.h;
        let free = |(x, v): (&Vec3, &Vec3)| *x + *v * h + self.gravity * (h * h);
        let mut y: Vec<_> = self.positions.iter().zip(&self.velocities).map(free).collect();
        for &pin in &self.pins {
            y[pin as usize] = self.positions[pin as usize];
        }
        y
    }

    /// g (J): what a step of backward Euler minimizes.
    pub(crate) fn objective(&self, x: &[Vec3]) -> f64 {
        let y = self.prediction();
        let inertia: f64 =
            (0..x.len()).map(|i| self.masses[i] * (x[i] - y[i]).norm2()).sum::<f64>();
        let elastic = self.springs.iter().map(|spring| {
            let stretch = spring.length(x) - spring.rest;
            0.5 * spring.stiffness * stretch * stretch
        });
        inertia / (2.0 * self.h * self.h) + elastic.sum::<f64>()
    }

    /// The greatest stretch of a spring, relative to its length at rest.
    pub(crate) fn stretch(&self, x: &[Vec3]) -> f64 {
        let stretches = self.springs.iter().map(|spring| spring.length(x) / spring.rest - 1.0);
        stretches.fold(0.0, f64::max)
    }

    pub(crate) fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        for count in [self.masses.len(), self.springs.len(), self.pins.len()] {
            bytes.extend((count as u64).to_le_bytes());
        }
        let mut number = |value: f64| bytes.extend(value.to_le_bytes());
        number(self.h);
        self.gravity.to_array().into_iter().for_each(&mut number);
        self.masses.iter().copied().for_each(&mut number);
        let points = self.positions.iter().chain(&self.velocities);
        points.flat_map(|x| x.to_array()).for_each(&mut number);
        for spring in &self.springs {
            spring.ends.iter().for_each(|end| bytes.extend(end.to_le_bytes()));
            bytes.extend(spring.rest.to_le_bytes());
            bytes.extend(spring.stiffness.to_le_bytes());
        }
        self.pins.iter().for_each(|pin| bytes.extend(pin.to_le_bytes()));
        std::fs::write(path, bytes)
    }

    pub(crate) fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let bytes = std::fs::read(path)?;
        let mut rest = &bytes[..];
        let scene = Self::parse(&mut rest).ok_or("the scene ends too early")?;
        if rest.is_empty() { Ok(scene) } else { Err("the scene is too long".into()) }
    }

    /// The positions of a result of this scene.
    pub(crate) fn positions_in(&self, path: &Path) -> Result<Vec<Vec3>, Box<dyn Error>> {
        let bytes = std::fs::read(path)?;
        let n = self.positions.len();
        if bytes.len() != 48 * n {
            return Err("the result is not of this scene".into());
        }
        let mut rest = &bytes[..24 * n];
        Ok(std::iter::from_fn(|| point(&mut rest)).collect())
    }

    fn parse(bytes: &mut &[u8]) -> Option<Self> {
        let [n, m, p] = [count(bytes)?, count(bytes)?, count(bytes)?];
        let h = number(bytes)?;
        let gravity = point(bytes)?;
        Some(Self {
            h,
            gravity,
            masses: (0..n).map(|_| number(bytes)).collect::<Option<_>>()?,
            positions: (0..n).map(|_| point(bytes)).collect::<Option<_>>()?,
            velocities: (0..n).map(|_| point(bytes)).collect::<Option<_>>()?,
            springs: (0..m).map(|_| spring(bytes)).collect::<Option<_>>()?,
            pins: (0..p).map(|_| index(bytes)).collect::<Option<_>>()?,
        })
    }
}

/// A horizontal square of n × n particles.
pub(crate) fn grid(n: u32) -> Grid {
    Grid {
        origin: Vec3::new(-0.5, 0.0, 0.0),
        across: Vec3::new(1.0, 0.0, 0.0),
        down: Vec3::new(0.0, 0.0, 1.0),
        ..Grid::square(n)
    }
}

/// The springs of a model, all of which are springs by stiffness.
fn springs(model: &Model) -> Result<Vec<Spring>, Box<dyn Error>> {
    let mut springs = Vec::new();
    for batch in model.elements() {
        for e in 0..batch.len() {
            let element = batch.view(e);
            let (&[i, j], &[rest], &[stiffness]) =
                (&element.corners[..], &element.rest[..], &element.material[..])
            else {
                return Err("an element of the cloth is not a spring".into());
            };
            springs.push(Spring { ends: [i, j], rest, stiffness });
        }
    }
    Ok(springs)
}

/// Writes positions and velocities.
pub(crate) fn write_state(path: &Path, state: &State) -> std::io::Result<()> {
    let points = state.positions.iter().chain(&state.velocities);
    let bytes: Vec<u8> =
        points.flat_map(|x| x.to_array()).flat_map(|value| value.to_le_bytes()).collect();
    std::fs::write(path, bytes)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

fn count(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes).map(u64::from_le_bytes)
}

fn index(bytes: &mut &[u8]) -> Option<u32> {
    take(bytes).map(u32::from_le_bytes)
}

fn number(bytes: &mut &[u8]) -> Option<f64> {
    take(bytes).map(f64::from_le_bytes)
}

fn point(bytes: &mut &[u8]) -> Option<Vec3> {
    Some(Vec3::new(number(bytes)?, number(bytes)?, number(bytes)?))
}

fn spring(bytes: &mut &[u8]) -> Option<Spring> {
    let ends = [index(bytes)?, index(bytes)?];
    Some(Spring { ends, rest: number(bytes)?, stiffness: number(bytes)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_survives_its_file() {
        let scene = Scene::cloth(5, 1.0 / 30.0).unwrap();
        let path = std::env::temp_dir().join(format!("hooke-bench-{}.scene", std::process::id()));
        scene.write(&path).unwrap();
        let read = Scene::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read, scene);
        // Structural, diagonal and skip-one springs.
        assert_eq!(scene.springs.len(), 40 + 32 + 30);
        assert_eq!(scene.pins, [0, 4]);
    }

    #[test]
    fn a_cloth_falls_between_its_pins() {
        let [start, later] =
            [0, 4].map(|steps| Scene::cloth(5, 0.02).unwrap().after(steps).unwrap());
        assert_eq!(start, Scene::cloth(5, 0.02).unwrap());
        assert_eq!(later.springs, start.springs);
        assert_eq!(later.positions[4], start.positions[4]);
        assert!(later.positions[24].y < start.positions[24].y - 0.02);
    }

    #[test]
    fn a_file_cut_short_is_refused() {
        let path = std::env::temp_dir().join(format!("hooke-bench-{}.cut", std::process::id()));
        std::fs::write(&path, [7; 100]).unwrap();
        let read = Scene::read(&path);
        std::fs::remove_file(&path).unwrap();
        assert!(read.is_err());
    }

    #[test]
    fn the_model_is_the_scene() {
        let scene = Scene::cloth(4, 0.01).unwrap();
        let model = scene.model().unwrap();
        assert_eq!(springs(&model).unwrap(), scene.springs);
        assert_eq!(model.masses(), scene.masses);
        assert_eq!(model.pins().len(), 2);
    }
}
