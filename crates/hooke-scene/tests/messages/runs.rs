//! Strange scenes that make sense: they run under every method, or are refused in one sentence,
//! and the report says how far a solve came.

use hooke::methods::METHODS;
use hooke::{End, Simulation};
use hooke_scene::{Probe, Scene, What, runaway};

/// The methods that solve.
const IMPLICIT: [&str; 6] =
    ["beta", "linearized-backward-euler", "newton", "implicit-midpoint", "bdf2", "quasi-newton"];

/// Methods that iterate until a tolerance is reached.
const ITERATIVE: [&str; 4] = ["newton", "implicit-midpoint", "bdf2", "quasi-newton"];

/// Three masses at the corners of a triangle.
const POINTS: &str = "[[deformables]]\npositions = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]\n";

fn springs(stiffness: &str) -> String {
    let spring = |i: u32, j: u32| format!("{{ between = [{i}, {j}], stiffness = {stiffness} }}");
    format!("springs = [{}, {}, {}]\n", spring(0, 1), spring(1, 2), spring(2, 0))
}

fn scene(text: &str, method: &str) -> Scene {
    let mut scene = Scene::parse(format!("format = 1\n{text}"), "scene.toml")
        .unwrap_or_else(|problems| panic!("{text}\n{problems}"));
    scene.use_method(method).expect(method);
    scene
}

/// Three steps under a method, or why not.
fn run(text: &str, method: &str) -> Result<Simulation, String> {
    let mut simulation = scene(text, method).simulation(1).map_err(|why| why.to_string())?;
    for _ in 0..3 {
        simulation.step().map_err(|why| why.to_string())?;
        assert_eq!(simulation.state().first_not_finite(), None, "{method}: {text}");
        if let Some(sentence) = runaway(&mut simulation) {
            return Err(sentence);
        }
    }
    Ok(simulation)
}

const UNDAMPED: &str = "forward Euler without damping grows at every step: add drag, set substeps to \
                        a number to watch it grow, or use symplectic-euler";

#[test]
fn scenes_in_which_little_happens() {
    let one = "[[deformables]]\npositions = [[0, 2, 0]]\nmass = 1\n".to_owned();
    let pinned = format!("{POINTS}mass = 1\n{}pins = [{{ at = [0, 1, 2] }}]\n", springs("100"));
    let nothing = "[[deformables]]\npositions = []\nmass = 1\n".to_owned();
    for text in [String::new(), one, format!("{POINTS}mass = 1\n"), pinned.clone(), nothing] {
        for method in METHODS {
            let simulation = run(&text, method.name);
            let simulation = simulation.unwrap_or_else(|why| panic!("{}: {why}", method.name));
            if let Some(solve) = simulation.report().solve {
                assert_eq!(solve.end, End::Converged, "{} {text}", method.name);
            }
        }
    }
    for method in METHODS {
        let simulation = run(&pinned, method.name).expect(method.name);
        let moved = simulation.state().velocities.iter().any(|v| v.norm() > 0.0);
        assert!(!moved, "{} moves what is held", method.name);
    }
}

/// Masses from 1e-300 to 1e30 kg, and side by side in a ratio of 1e12.
#[test]
fn masses() {
    for (masses, explicit) in [
        (
            "1e-300",
            [
                Err(
                    "the method needs 9.6e148 sub-steps of a step of 0.01 s (its limit is 1.15e-151 \
                     s, at most 100000 are taken); newton or quasi-newton would do",
                ),
                Err(
                    "the method needs 6.8e148 sub-steps of a step of 0.01 s (its limit is 1.63e-151 \
                     s, at most 100000 are taken); newton or quasi-newton would do",
                ),
            ],
        ),
        ("1e30", [Ok(()), Ok(())]),
        ("[1, 1e-6, 1e6]", [Ok(()), Ok(())]),
    ] {
        let text = format!(
            "time = {{ step = 0.01 }}\n{POINTS}masses = {masses}\n{}pins = [{{ at = 0 }}]\n",
            springs("100")
        );
        let told = |method: &str| run(&text, method).map(|_| ());
        assert_eq!(told("forward-euler"), Err(UNDAMPED.into()));
        let [verlet, rk4] = explicit.map(|told| told.map_err(str::to_owned));
        assert_eq!((told("velocity-verlet"), told("rk4")), (verlet, rk4), "{masses}");
        for method in IMPLICIT {
            let solve = run(&text, method).unwrap_or_else(|why| panic!("{method}: {why}"));
            let solve = solve.report().solve.expect("a solve");
            assert_eq!(solve.end, End::Converged, "{method} with {masses}: {solve:?}");
            assert!(solve.relative() < 1e-6, "{method} with {masses}: {solve:?}");
        }
    }
}

/// Steps of 1e-12 s and 1e3 s. So short a step is lost in the rounding of positions, which the
/// methods that iterate say.
#[test]
fn steps() {
    let text = |step: &str, duration: &str| {
        format!(
            "time = {{ step = {step}, duration = {duration} }}\n{POINTS}mass = 1\n{}\
             pins = [{{ at = 0 }}]\n",
            springs("100")
        )
    };
    let (short, long) = (text("1e-12", "1e-11"), text("1e3", "1e4"));
    for method in METHODS {
        for text in [&short, &long] {
            match run(text, method.name) {
                Ok(_) => {}
                Err(why) => assert_eq!((method.name, why.as_str()), ("forward-euler", UNDAMPED)),
            }
        }
    }
    for method in ITERATIVE {
        let simulation = run(&short, method).expect(method);
        assert_eq!(simulation.report().solve.expect("a solve").end, End::Rounding, "{method}");
    }
}

/// The stiffest spring there may be: implicit methods run and say how far they came, explicit ones
/// say what they would need.
#[test]
fn stiffness_1e15() {
    let text = format!(
        "time = {{ step = 0.01 }}\n{POINTS}mass = 1\n{}pins = [{{ at = 0 }}]\n",
        springs("1e15")
    );
    for method in IMPLICIT {
        let simulation = run(&text, method).unwrap_or_else(|why| panic!("{method}: {why}"));
        let solve = simulation.report().solve.expect("a solve");
        let honest = match solve.end {
            End::Converged => solve.relative() <= 1e-6,
            _ => solve.relative() > 1e-8,
        };
        assert!(honest, "{method}: {solve:?}");
    }
    for method in ["symplectic-euler", "velocity-verlet"] {
        assert_eq!(
            run(&text, method).err().as_deref(),
            Some(
                "the method needs 527047 sub-steps of a step of 0.01 s (its limit is 2.11e-8 s, at \
                 most 100000 are taken); newton or quasi-newton would do"
            )
        );
    }
}

/// An explicit method that is told to step past its limit ends with the step, the particle and the
/// limit.
#[test]
fn explicit_past_the_limit() {
    let text = format!(
        "time = {{ step = 0.01, substeps = 1 }}\n{POINTS}mass = 1\n{}pins = [{{ at = 0 }}]\n\
         start = {{ noise = 0.01 }}\n",
        springs("1e6")
    );
    let why = |method: &str| {
        let mut simulation = scene(&text, method).simulation(1).expect(method);
        for _ in 0..100 {
            simulation.step().unwrap_or_else(|why| panic!("{method}: {why}"));
            if let Some(sentence) = runaway(&mut simulation) {
                return sentence;
            }
        }
        panic!("{method} did not diverge");
    };
    for (method, sentence) in [
        (
            "symplectic-euler",
            "step 5: particle 1 is more than 1e12 m away; the step of 1.000e-2 s is above the \
             method's limit of 6.667e-4 s: use substeps = \"auto\" or an implicit method",
        ),
        (
            "rk4",
            "step 4: particle 1 is more than 1e12 m away; the step of 1.000e-2 s is above the \
             method's limit of 9.428e-4 s: use substeps = \"auto\" or an implicit method",
        ),
        (
            "forward-euler",
            "step 10: particle 1 is more than 1e12 m away; the method grows at every step without \
             damping",
        ),
    ] {
        assert_eq!(why(method), sentence);
    }
}

/// No iterations, one, and a tolerance nobody reaches: the report does not call it converged.
#[test]
fn solves_that_are_cut_short() {
    for method in ITERATIVE {
        let solve = |settings: &str| {
            let text = format!(
                "method = {{ name = \"{method}\", {settings} }}\ntime = {{ step = 0.01 }}\n{POINTS}\
                 mass = 1\n{}pins = [{{ at = 0 }}]\n",
                springs("100")
            );
            let scene = Scene::parse(format!("format = 1\n{text}"), "scene.toml").expect("a scene");
            let mut simulation = scene.simulation(1).expect(method);
            simulation.step().expect("a step").solve.expect("a solve")
        };
        let none = solve("iterations = 0");
        assert_eq!((none.end, none.iterations), (End::Cap, 0), "{method}: {none:?}");
        assert!(none.relative() > 0.5, "{method}: {none:?}");
        let one = solve("iterations = 1");
        assert_eq!((one.end, one.iterations), (End::Cap, 1), "{method}: {one:?}");
        assert!(one.relative() < none.relative() && one.relative() > 1e-8, "{method}: {one:?}");
        let never = solve("tolerance = 0, iterations = 30");
        assert!(never.end != End::Converged && never.relative() < 1e-11, "{method}: {never:?}");
        assert_eq!(End::Rounding.to_string(), "rounding");
    }
}

/// A body that nothing holds has zero modes (three of translation, three of rotation), but with
/// masses no system of a step is singular: it falls freely, and its springs stay at rest.
#[test]
fn zero_modes() {
    let text = format!("time = {{ step = 0.01 }}\n{POINTS}mass = 3\n{}", springs("1e9"));
    for method in IMPLICIT {
        let simulation = run(&text, method).unwrap_or_else(|why| panic!("{method}: {why}"));
        let report = simulation.report();
        let fallen = report.momentum.y / (-3.0 * 9.81 * 0.03);
        assert!((fallen - 1.0).abs() < 1e-6, "{method}: {fallen}");
        assert!(report.momentum.x.abs() < 1e-6 && report.momentum.z.abs() < 1e-6, "{method}");
        assert!(report.strain.is_some_and(|strain| strain.value.abs() < 1e-9), "{method}");
        let solve = report.solve.expect("a solve");
        assert!(!solve.indefinite, "{method}: {solve:?}");
    }
}

/// A spring of no length whose ends meet: no force, a Hessian of k times the identity.
#[test]
fn no_length_and_no_distance() {
    let text = "[[deformables]]\npositions = [[1, 2, 3], [1, 2, 3]]\nmasses = 1\n\
                springs = [{ between = [0, 1], stiffness = 250, rest_length = 0 }]\n";
    let probe = Probe::new(&scene(text, "newton")).expect("a probe");
    let told = hooke_scene::json::results(&probe.tell(&[What::Gradient, What::Hessian]));
    let gradient = told.split("\"hessian\"").next().expect("the gradient");
    assert!(gradient.matches("0.0000000000000000e0").count() >= 6, "{gradient}");
    assert_eq!(
        told.matches(" 2.5000000000000000e2").count()
            + told.matches("[2.5000000000000000e2").count(),
        6
    );
    assert_eq!(told.matches("-2.5000000000000000e2").count(), 6);
    for method in METHODS {
        let simulation = run(text, method.name);
        assert!(simulation.is_ok() || method.name == "forward-euler", "{}", method.name);
    }
}
