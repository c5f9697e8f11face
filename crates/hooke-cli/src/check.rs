//! `hooke check`: what a scene would do, said before it runs.

use crate::args::{Check, Output};
use crate::failure::{Failure, tell_problems};
use crate::out::{Out, columns};
use crate::scene;
use hooke::methods::METHODS;
use hooke::model::Locking;
use hooke::model::solid::{dihedral_cosines, volume};
use hooke::rigid::RigidBodyMethod;
use hooke::stability::Stability;
use hooke::{Intersections, Simulation, StabilityLimit, Vec3};
use hooke_scene::estimate::bytes;
use hooke_scene::json::description;
use hooke_scene::words::{count, short};
use hooke_scene::{Compiled, Scene};
use serde_json::Value;

pub(crate) fn check(options: &Check, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let (scene, _) = scene::open(&options.choice)?;
    let compiled = scene.compile()?;
    if !compiled.warnings.is_empty() && !output.quiet {
        tell_problems(&compiled.warnings, output);
    }
    let mut facts = Facts::of(&scene, &compiled);
    let introduction = introduce(&scene, &compiled);
    let mut simulation = scene.simulation_of(compiled, 1)?;
    let stability = stability(&scene, &mut simulation)?;
    let (limit, parts) = simulation.stability()?;
    facts.chosen = Some((limit, scene.step_length() / f64::from(parts)));
    match output.json {
        true => out.result(&description(&facts.json(&scene))),
        false => out.result(&format!("{introduction}\n{stability}\n\n{}", facts.text(&scene))),
    }
}

/// What a scene is about to do.
pub(crate) fn introduce(scene: &Scene, compiled: &Compiled) -> String {
    let document = scene.document();
    let elements: usize = compiled.model.elements().iter().map(|batch| batch.len()).sum();
    let particles = compiled.model.particles();
    let mut parts = Vec::new();
    if !compiled.model.rigid_bodies().is_empty() {
        let bodies =
            count(compiled.model.rigid_bodies().len() as u64, "rigid body", "rigid bodies");
        let by = match document.rigid_method.chosen.name {
            RigidBodyMethod::Impulse => "impulses",
            RigidBodyMethod::ShapeMatching => "shape matching",
        };
        parts.push(format!("{bodies} by {by}"));
    }
    if particles > 0 || parts.is_empty() {
        let triangles = compiled.model.triangles().len();
        let method = document.method.info.name;
        parts.push(format!(
            "{particles} particles, {elements} elements, {triangles} triangles; {method}"
        ));
    }
    format!(
        "{}: {}\n{} of {} of {:.4} ms",
        document.title,
        parts.join("; "),
        count(scene.frames(), "frame", "frames"),
        count(scene.steps_per_frame(), "step", "steps"),
        1e3 * scene.step_length(),
    )
}

/// The method's limit, and what is done about it.
pub(crate) fn stability(scene: &Scene, simulation: &mut Simulation) -> Result<String, Failure> {
    let (limit, substeps) = simulation.stability()?;
    let part = scene.step_length() / f64::from(substeps);
    let parts = match substeps {
        1 => "no sub-steps".to_owned(),
        n => format!("{n} sub-steps of {part:.3e} s"),
    };
    let model = simulation.model();
    if model.particles() == 0 && !model.rigid_bodies().is_empty() {
        return Ok(parts);
    }
    let warning = if limit.exceeded(part) { ": it may diverge" } else { "" };
    Ok(format!("{limit}; {parts}{warning}"))
}

/// What a run takes of memory and disk.
pub(crate) fn needs(scene: &Scene, compiled: &Compiled) -> String {
    columns(&Facts::of(scene, compiled).needs(scene))
}

/// What is known of a scene without a step.
struct Facts {
    memory: u64,
    disk: u64,
    /// The surface of each body that has one and is not filled.
    surfaces: Vec<(String, Locking)>,
    solids: Vec<Solid>,
    /// The method of the particles, where there are any.
    method: Option<&'static str>,
    /// Every method with its limit, where there are particles.
    limits: Vec<(&'static str, StabilityLimit)>,
    /// The limit of the scene's own method, and the length of a part of its steps (s).
    chosen: Option<(StabilityLimit, f64)>,
    warnings: usize,
    /// What of the deformables intersects at the start.
    intersections: Intersections,
    /// Whether deformables touch each other or themselves.
    touches: bool,
}

/// A body of tetrahedra.
struct Solid {
    name: String,
    vertices: usize,
    tetrahedra: usize,
    triangles: usize,
    /// In m³ and kg.
    volume: f64,
    mass: f64,
    /// The sharpest angle between two faces of a tetrahedron (degrees).
    sharpest: f64,
}

impl Solid {
    /// A body, where it has tetrahedra.
    fn of(name: String, particles: &std::ops::Range<u32>, model: &hooke::Model) -> Option<Self> {
        let tetrahedra: Vec<[Vec3; 4]> = model
            .tetrahedra()
            .iter()
            .filter(|corners| particles.contains(&corners[0]))
            .map(|corners| corners.map(|corner| model.rest()[corner as usize]))
            .collect();
        let cosine =
            tetrahedra.iter().map(|corners| dihedral_cosines(*corners)[0]).reduce(f64::max)?;
        let own = particles.start as usize..particles.end as usize;
        let inside = |triangle: &&[u32; 3]| particles.contains(&triangle[0]);
        Some(Self {
            name,
            vertices: particles.len(),
            tetrahedra: tetrahedra.len(),
            triangles: model.triangles().iter().filter(inside).count(),
            volume: tetrahedra.iter().map(|corners| volume(*corners)).sum(),
            mass: model.masses()[own].iter().sum(),
            sharpest: cosine.clamp(-1.0, 1.0).acos().to_degrees(),
        })
    }

    fn text(&self) -> String {
        format!(
            "{}: {} vertices, {} tetrahedra, {} triangles outside; {} m³, {} kg; sharpest angle {:.1}°",
            self.name,
            self.vertices,
            self.tetrahedra,
            self.triangles,
            short(self.volume),
            short(self.mass),
            self.sharpest
        )
    }

    fn json(&self) -> Value {
        Value::from_iter([
            ("body", Value::from(self.name.as_str())),
            ("vertices", Value::from(self.vertices as u64)),
            ("tetrahedra", Value::from(self.tetrahedra as u64)),
            ("triangles", Value::from(self.triangles as u64)),
            ("volume", Value::from(self.volume)),
            ("mass", Value::from(self.mass)),
            ("sharpest_angle", Value::from(self.sharpest)),
        ])
    }
}

impl Facts {
    fn of(scene: &Scene, compiled: &Compiled) -> Self {
        let model = &compiled.model;
        let (mut surfaces, mut solids) = (Vec::new(), Vec::new());
        for (index, body) in compiled.deformables.iter().enumerate() {
            let name = match body.name.as_str() {
                "" => format!("deformables[{index}]"),
                name => name.to_owned(),
            };
            if let Some(solid) = Solid::of(name.clone(), &body.particles, model) {
                solids.push(solid);
                continue;
            }
            let inside = |triangle: &&[u32; 3]| body.particles.contains(&triangle[0]);
            let triangles: Vec<_> = model.triangles().iter().filter(inside).copied().collect();
            if !triangles.is_empty() {
                surfaces.push((name, Locking::of(&triangles)));
            }
        }
        // The limits are those of the start: winds and speeds change them during a run.
        let speed = compiled.start.velocities.iter().map(|v| v.norm()).fold(0.0, f64::max);
        let air = speed + model.air().greatest();
        let stability = Stability::of(model, air.max(1.0), scene.step_length());
        let limit = |info: &hooke::methods::MethodInfo| {
            Some((info.name, (info.build)(&[]).ok()?.limit(&stability)))
        };
        Self {
            memory: compiled.memory,
            disk: (scene.frames() + 1)
                * (20 + 48 * model.particles() as u64 + 104 * model.rigid_bodies().len() as u64),
            surfaces,
            solids,
            limits: match compiled.is_rigid_alone() {
                true => Vec::new(),
                false => METHODS.iter().filter_map(limit).collect(),
            },
            method: (!compiled.is_rigid_alone()).then_some(scene.document().method.info.name),
            chosen: None,
            warnings: compiled.warnings.list.len() + compiled.warnings.more,
            intersections: model.intersections(&compiled.start.positions, 0),
            touches: model.surfaces_touch(),
        }
    }

    /// What may go wrong, each in a few words.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.warnings > 0 {
            problems.push(count(self.warnings as u64, "warning", "warnings"));
        }
        match self.chosen {
            Some((limit, h)) if limit.exceeded(h) => {
                problems.push(format!("it may diverge: {}", limit.blame(h)));
            }
            Some((StabilityLimit::Linear, _)) => {
                problems.push("it may gain energy if forces are not linear; run reports it".into());
            }
            _ => {}
        }
        if problems.is_empty() {
            problems.push("none".into());
        }
        problems
    }

    /// How many intersections the start has, where deformables touch each other.
    fn intersections(&self) -> Option<Vec<String>> {
        if !self.touches {
            return None;
        }
        let Intersections { count, pinned, .. } = self.intersections;
        let mut text = match count {
            0 => "none at the start".to_owned(),
            _ => format!("{count} at the start"),
        };
        if pinned > 0 {
            text.push_str(&format!("; {pinned} more where all particles are pinned"));
        }
        Some(vec!["intersections".into(), text])
    }

    fn needs(&self, scene: &Scene) -> Vec<Vec<String>> {
        let limit = scene.memory_limit();
        let limit = limit.map_or(String::new(), |limit| format!(" (limit {})", bytes(limit)));
        let [memory, disk] = [self.memory, self.disk].map(bytes);
        vec![
            vec!["memory".into(), format!("about {memory}{limit}")],
            vec!["disk".into(), format!("{disk} for the recording")],
        ]
    }

    fn text(&self, scene: &Scene) -> String {
        let mut rows = self.needs(scene);
        for (name, locking) in &self.surfaces {
            rows.push(vec![
                "surface".into(),
                format!(
                    "{name}: {} vertices, {} edges ({} on the boundary), {} triangles, χ = {}; \
                     inextensible edges would leave {} of {} degrees of freedom ({:.1} %)",
                    locking.vertices,
                    locking.edges,
                    locking.boundary,
                    locking.triangles,
                    locking.euler(),
                    locking.limits(),
                    3 * locking.vertices,
                    100.0 * locking.ratio()
                ),
            ]);
        }
        rows.extend(self.solids.iter().map(|solid| vec!["solid".into(), solid.text()]));
        rows.extend(self.intersections());
        rows.push(vec!["problems".into(), self.problems().join("; ")]);
        let facts = columns(&rows);
        if self.limits.is_empty() {
            return facts;
        }
        let h = scene.step_length();
        let mut rows = vec![["method", "stable below", "sub-steps"].map(String::from).to_vec()];
        for (name, limit) in &self.limits {
            let (below, parts) = match limit {
                StabilityLimit::None => ("every step".into(), "1".into()),
                StabilityLimit::Linear => ("every step of a linear model".into(), "1".into()),
                StabilityLimit::Below(limit) => {
                    (format!("{limit:.3e} s"), format!("{:.0}", (h / (0.9 * limit)).ceil()))
                }
                StabilityLimit::Never => ("no step".into(), "-".into()),
            };
            rows.push(vec![(*name).to_owned(), below, parts]);
        }
        format!("{facts}\n{}", columns(&rows))
    }

    fn json(&self, scene: &Scene) -> Value {
        let surfaces = self.surfaces.iter().map(|(name, locking)| {
            Value::from_iter([
                ("body", Value::from(name.as_str())),
                ("vertices", Value::from(locking.vertices as u64)),
                ("edges", Value::from(locking.edges as u64)),
                ("boundary_edges", Value::from(locking.boundary as u64)),
                ("triangles", Value::from(locking.triangles as u64)),
                ("euler", Value::from(locking.euler() as f64)),
                ("limits", Value::from(locking.limits() as f64)),
                ("freedom_ratio", Value::from(locking.ratio())),
            ])
        });
        let limits = self.limits.iter().map(|(name, limit)| {
            let limit = match limit {
                StabilityLimit::None | StabilityLimit::Linear => Value::Null,
                StabilityLimit::Below(limit) => Value::from(*limit),
                StabilityLimit::Never => Value::from(0.0),
            };
            (*name, limit)
        });
        Value::from_iter([
            ("title", Value::from(scene.document().title.as_str())),
            ("method", self.method.map_or(Value::Null, Value::from)),
            ("frames", Value::from(scene.frames())),
            ("steps_per_frame", Value::from(scene.steps_per_frame())),
            ("step", Value::from(scene.step_length())),
            ("memory_bytes", Value::from(self.memory)),
            ("memory_limit_bytes", scene.memory_limit().map_or(Value::Null, Value::from)),
            ("recording_bytes", Value::from(self.disk)),
            ("warnings", Value::from(self.warnings as u64)),
            ("intersections", Value::from(self.intersections.count as u64)),
            ("pinned_intersections", Value::from(self.intersections.pinned as u64)),
            (
                "stability",
                self.chosen.map_or(Value::Null, |(limit, _)| Value::from(limit.to_string())),
            ),
            ("may_diverge", Value::Bool(self.chosen.is_some_and(|(limit, h)| limit.exceeded(h)))),
            ("surfaces", Value::from_iter(surfaces)),
            ("solids", Value::from_iter(self.solids.iter().map(Solid::json))),
            ("stable_below", Value::from_iter(limits)),
        ])
    }
}
