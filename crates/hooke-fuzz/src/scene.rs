//! Scene files: problems with a place, or a scene that compiles, is edited and runs.

use crate::check_message;
use hooke::methods::METHODS;
use hooke::settings::Value;
use hooke_scene::format::Document;
use hooke_scene::{Compiled, NotRunnable, Probe, Problems, Scene, What};

/// Scenes that ask for more of anything are only read.
const SMALL: u64 = 2000;
/// Steps cut into more parts than this, and solves of more iterations, take too long to be tried.
const MOST_SUBSTEPS: u32 = 50;
const MOST_ITERATIONS: f64 = 100.0;

/// A scene file.
pub fn parse_scene(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let scene = match Scene::parse(text, "scene.toml") {
        Ok(scene) => scene,
        Err(problems) => return check(&problems, text),
    };
    assert!(scene.fps().is_finite() && scene.fps() > 0.0);
    assert!(scene.frames() >= 1 && scene.steps_per_frame() >= 1);
    if !is_small(scene.document()) {
        return;
    }
    match scene.compile() {
        Ok(compiled) => {
            check_compiled(&compiled);
            check(&compiled.warnings, text);
            run(&scene);
        }
        Err(problems) => {
            assert!(problems.stop(), "a scene that does not compile has an error");
            check(&problems, text);
        }
    }
    edit(scene, bytes.len());
}

/// Whether a scene compiles and steps quickly. One that names files is not tried at all.
fn is_small(document: &Document) -> bool {
    let size = |count: usize| count as u64;
    if document.obstacles.iter().any(|obstacle| obstacle.shape.mesh.is_some()) {
        return false;
    }
    let mut asked = size(document.obstacles.len());
    let mut particles = 0;
    for body in &document.deformables {
        if body.mesh.is_some() {
            return false;
        }
        let grid = body.grid.as_ref().map(|grid| u64::from(grid.columns) * u64::from(grid.rows));
        let rope = body.rope.as_ref().map(|rope| u64::from(rope.links) + 1);
        let given = body.positions.as_ref().map_or(0, |positions| size(positions.len()));
        let own = grid.or(rope).unwrap_or(given);
        let chosen = body.groups.len() + body.pins.len() + body.forces.len() + body.materials.len();
        particles += own.min(SMALL + 1);
        asked += size(body.springs.len() + body.elements.len());
        asked += own.min(SMALL + 1) * size(1 + chosen);
    }
    asked += particles * size(document.attractors.len());
    asked <= SMALL
}

/// Problems are few, in order, and where they say.
fn check(problems: &Problems, text: &str) {
    assert!(problems.list.len() <= 20);
    let lines = text.split('\n').count();
    for problem in &problems.list {
        assert!(problem.line <= lines, "line {} of {lines}", problem.line);
        check_message(&problem.to_string());
    }
}

fn check_compiled(compiled: &Compiled) {
    let particles = compiled.model.particles();
    let inside = |particle: &u32| (*particle as usize) < particles;
    assert_eq!(compiled.start.positions.len(), particles);
    assert_eq!(compiled.start.velocities.len(), particles);
    assert!(compiled.edges.as_flattened().iter().all(inside));
    assert!(compiled.deformables.iter().all(|body| body.particles.end as usize <= particles));
}

/// Three steps, and everything `hooke eval` can tell before and after them.
fn run(scene: &Scene) {
    const ALL: [What; 6] = [
        What::Energy,
        What::Forces,
        What::Gradient,
        What::Hessian,
        What::Constraint,
        What::Contact,
    ];
    let long = |(name, value): &(String, Value)| {
        name.ends_with("iterations")
            && matches!(value, Value::Number(number) if *number > MOST_ITERATIONS)
    };
    if scene.document().method.settings.iter().any(long) {
        return;
    }
    let mut simulation = match scene.simulation(1) {
        Ok(simulation) => simulation,
        Err(NotRunnable::Problems(problems)) => return check(&problems, scene.text()),
        Err(reason) => return check_message(&reason.to_string()),
    };
    if simulation.stability().is_ok_and(|(_, substeps)| substeps > MOST_SUBSTEPS) {
        return;
    }
    let Ok(mut probe) = Probe::new(scene) else { return };
    let _ = probe.tell(&ALL).to_string();
    for _ in 0..3 {
        match simulation.step() {
            Ok(report) => assert!(report.energy.total().is_finite()),
            Err(error) => check_message(&error.to_string()),
        }
        assert_eq!(simulation.state().first_not_finite(), None);
        if let Some(sentence) = hooke_scene::runaway(&mut simulation) {
            check_message(&sentence);
        }
    }
    if probe.step().is_ok() {
        let _ = probe.tell(&ALL).to_string();
    }
}

/// Changes that the command makes to scenes: another method, a field by its path. What reads as a
/// scene still does afterwards.
fn edit(mut scene: Scene, which: usize) {
    let Some(method) = METHODS.get(which % METHODS.len()) else { return };
    if let Err(problems) = scene.use_method(method.name) {
        panic!("another method makes it no scene: {problems}");
    }
    for (path, value) in [
        ("time.duration", "0.5"),
        ("deformables[0].structural.stiffness", "7"),
        ("world.wind.gust.strength", "1"),
        ("view", "{}"),
    ] {
        if let Err(problems) = scene.set(path, value) {
            check_message(&problems.to_string());
        }
    }
}
