//! Bad input gets one sentence, and nothing panics on a finite model.

use crate::common::*;
use hooke::model::{Interpolation, Motion, Obstacle, ObstacleMotion, Response, Shape, Track};
use hooke::{Model, Simulation, State, Vec3};

fn pair() -> Model {
    let mut model = Model::new();
    model.add_particle(Vec3::ZERO, 1.0).unwrap();
    model.add_particle(p(1.0, 0.0, 0.0), 1.0).unwrap();
    model
}

#[track_caller]
fn says<T>(result: Result<T, hooke::ModelError>, sentence: &str) {
    assert_eq!(result.err().expect("this must be refused").to_string(), sentence);
}

#[test]
fn sentences() {
    let mut model = pair();
    says(model.add_particle(p(f64::NAN, 0.0, 0.0), 1.0), "particle 2: its position must be finite");
    says(
        model.add_particle(Vec3::ZERO, 0.0),
        "particle 2: mass must be a finite number > 0 (got 0)",
    );
    says(
        model.add_particle(Vec3::ZERO, f64::INFINITY),
        "particle 2: mass must be a finite number > 0 (got inf)",
    );
    says(model.add_spring(0, 7, 1.0, None), "there is no particle 7: the model has 2 particles");
    says(model.add_spring(1, 1, 1.0, None), "a spring joins particle 1 to itself");
    says(
        model.add_spring(0, 1, -3.0, None),
        "stiffness of a spring must be from 0e0 to 1e15 N/m (got -3)",
    );
    says(model.add_spring(0, 1, 1.0, Some(-0.1)), "spring: rest_length must be ≥ 0");
    says(
        model.add_spring(0, 1, 1.0, Some(f64::NAN)),
        "the rest values of a spring must be finite (got NaN)",
    );
    model.pin_at_rest(0).unwrap();
    says(model.pin_at_rest(0), "particle 0 is pinned twice");
    says(model.pin(1, [false; 3], Motion::default()), "the pin of particle 1 holds no axis");
    let sphere = |radius, friction| Obstacle {
        shape: Shape::Sphere { radius },
        pose: ObstacleMotion::default(),
        response: Response::Bounce { restitution: 0.0, friction },
        thickness: 0.0,
    };
    says(model.add_obstacle(sphere(0.0, 0.0)), "the radius of a sphere must be > 0 m (got 0)");
    says(model.add_obstacle(sphere(1.0, -0.5)), "friction must be ≥ 0 (got -0.5)");
    says(
        Track::new(vec![1.0, 1.0], vec![Vec3::ZERO; 2], Interpolation::Linear, false),
        "the times of keyframes must be finite and ascending",
    );
    let far = Track::new(vec![0.0, 1.0], vec![p(0.0, 1e308, 0.0); 2], Interpolation::Linear, true);
    let beyond = Motion::along(far.unwrap()).shifted(p(0.0, 1e308, 0.0));
    says(
        model.pin(1, [true; 3], beyond.clone()),
        "the position of the pin of particle 1 must be finite",
    );
    says(
        model.add_obstacle(Obstacle { pose: beyond.into(), ..sphere(1.0, 0.0) }),
        "the position of a sphere must be finite",
    );
    let place = model.add_anchor(Motion::default()).unwrap();
    for (law, material) in [("weight", &[0.0; 3][..]), ("spring", &[1.0])] {
        let law = hooke::laws::find(law).unwrap();
        says(
            model.add_anchored(law, 1, place, material),
            &format!("the law {} does not refer to an anchor", law.name),
        );
    }
    let refusal = Simulation::new(pair(), "newtonn", 0.01).err().unwrap();
    assert!(
        refusal.to_string().starts_with("there is no method 'newtonn'; there are: forward-euler")
    );
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refusal = Simulation::new(pair(), "newton", h).err().unwrap();
        assert_eq!(
            refusal.to_string(),
            format!("the step must be a finite number > 0 s (got {h})")
        );
    }
    let info = hooke::methods::find("newton").unwrap();
    let build = |name: &str, value: f64| {
        (info.build)(&[(name.to_string(), value.into())]).err().unwrap().to_string()
    };
    assert_eq!(
        build("tolerance", -1.0),
        "the setting 'tolerance' must be a number from 0 to 1 (got -1)"
    );
    assert_eq!(
        build("iterations", 1.5),
        "the setting 'iterations' must be a whole number from 0 to 1000000 (got 1.5)"
    );
    assert!(build("iteration", 1.0).starts_with("the method has no setting 'iteration'; it has:"));
}

#[test]
fn a_state_at_no_time() {
    let mut simulation = Simulation::new(pair(), "symplectic-euler", 1e308).unwrap();
    let start = State::at_rest(simulation.model());
    says(
        simulation.set_state(State { time: f64::NAN, ..start.clone() }),
        "the time of a state must be finite (got NaN)",
    );
    says(
        simulation.set_state(State { step: u64::MAX, ..start.clone() }),
        "a state is at most at step 9007199254740992",
    );
    simulation.set_state(State { step: (1 << 53) - 1, ..start.clone() }).unwrap();
    simulation.set_step(0.01).unwrap();
    assert_eq!(simulation.step().unwrap().step, 1 << 53);
    simulation.model_mut().set_gravity(Vec3::ZERO).unwrap();
    simulation.set_step(1e308).unwrap();
    simulation.set_state(State { time: 1e308, ..start }).unwrap();
    let error = simulation.step().unwrap_err().to_string();
    assert!(error.starts_with("step 1: the time is no longer finite"), "{error}");
    assert_eq!(simulation.state().time, 1e308);
}

/// Strange but finite models: every method steps or refuses, and no state is ever non-finite.
#[test]
fn strange_models_never_panic() {
    let mut strange: Vec<(&str, Model)> = Vec::new();
    strange.push(("empty", Model::new()));
    let mut one = Model::new();
    one.add_particle(Vec3::ZERO, 1.0).unwrap();
    strange.push(("one particle", one));
    let mut pinned = cloth(3);
    for i in 0..9 {
        pinned.unpin(i);
        pinned.pin_at_rest(i).unwrap();
    }
    strange.push(("all pinned", pinned));
    strange.push(("no springs", pair()));
    let mut point = Model::new();
    for _ in 0..3 {
        point.add_particle(Vec3::ZERO, 1.0).unwrap();
    }
    point.add_spring(0, 1, 100.0, Some(0.0)).unwrap();
    point.add_spring(1, 2, 100.0, Some(1.0)).unwrap();
    strange.push(("coincident", point));
    for (name, m) in [("feather", 1e-300), ("star", 1e300)] {
        let mut model = Model::new();
        model.add_particle(Vec3::ZERO, m).unwrap();
        model.add_particle(p(1.0, 0.0, 0.0), 1.0).unwrap();
        model.add_spring(0, 1, 100.0, None).unwrap();
        strange.push((name, model));
    }
    let mut twice = pair();
    twice.add_spring(0, 1, 10.0, None).unwrap();
    twice.add_spring(0, 1, 10.0, None).unwrap();
    strange.push(("duplicate springs", twice));
    let mut far = Model::new();
    far.add_particle(p(1e140, 0.0, 0.0), 1.0).unwrap();
    far.add_particle(p(-1e140, 0.0, 0.0), 1.0).unwrap();
    far.add_spring(0, 1, 1e6, Some(1.0)).unwrap();
    strange.push(("far apart", far));
    let mut repelled = pair();
    let place = repelled.add_anchor(Motion::still(p(0.2, 0.1, 0.0))).unwrap();
    let law = hooke::laws::find("linear-attractor").unwrap();
    for i in 0..2 {
        repelled.add_anchored(law, i, place, &[-1e6]).unwrap();
    }
    strange.push(("repelled", repelled));

    for (what, model) in strange {
        let particles = model.particles();
        // Models do not clone: rebuild the plan by moving one model through all methods.
        let mut simulation = Simulation::with_substeps(
            model,
            method("newton", &[]),
            0.01,
            hooke::Substeps::Fixed(1),
        )
        .unwrap();
        let start = State::at_rest(simulation.model());
        for name in names() {
            for h in [1e-12, 0.01, 1e3] {
                simulation.set_step(h).unwrap();
                simulation.set_method(method(name, &[])).unwrap();
                simulation.set_state(start.clone()).unwrap();
                for _ in 0..3 {
                    if simulation.step().is_err() {
                        break;
                    }
                }
                let state = simulation.state();
                assert_eq!(state.first_not_finite(), None, "{what} under {name} at {h}");
                assert_eq!(state.positions.len(), particles);
            }
        }
    }
}

#[test]
fn a_singular_start_is_no_obstacle() {
    // A straight rope under compression: the Hessian is indefinite, the minimum is not unique.
    let mut model = Model::new();
    for i in 0..6 {
        model.add_particle(p(f64::from(i) * 0.1, 0.0, 0.0), 0.1).unwrap();
    }
    for i in 0..5 {
        model.add_spring(i, i + 1, 1e4, Some(0.2)).unwrap();
    }
    model.pin_at_rest(0).unwrap();
    model.pin_at_rest(5).unwrap();
    let mut simulation = Simulation::new(model, "newton", 0.1).unwrap();
    run(&mut simulation, 20);
    assert!(simulation.report().energy.total().is_finite());
}

#[test]
fn forces_beyond_the_finite_are_refused() {
    let mut model = pair();
    let nan = p(f64::NAN, 0.0, 0.0);
    says(model.set_gravity(nan), "gravity must be finite");
    says(model.add_force(0, nan), "the force on particle 0 must be finite");
    says(
        model.pin(0, [true; 3], Motion::still(nan)),
        "the position of the pin of particle 0 must be finite",
    );
    says(model.add_anchor(Motion::still(nan)), "the position of an anchor must be finite");
    let global_damping = |global_damping| Some(global_damping);
    says(
        model.set_global_damping(global_damping(hooke::model::GlobalDamping::Factor(1.5))),
        "the factor of global_damping drag must be from 0 to 1 (got 1.5)",
    );
    says(
        model.set_global_damping(global_damping(hooke::model::GlobalDamping::Rate(-1.0))),
        "the rate of global_damping drag must be ≥ 0 per second (got -1)",
    );
    let gust = hooke::model::Gust { strength: 1.0, length: 0.0, period: 1.0, seed: 1 };
    let air = hooke::model::Air { mean: Motion::default(), gust: Some(gust) };
    says(model.set_air(air), "the length of a gust must be > 0 (got 0)");
    let weight = hooke::laws::find("weight").unwrap();
    says(
        model.add_element(weight, &[0], None, &[0.0, -9.8, 0.0]),
        "the weight between particles [0] is degenerate at rest, or needs its rest values given",
    );
}

#[test]
fn meshes() {
    use hooke::model::{TetrahedronMesh, TriangleMesh};
    let square = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0), p(1.0, 1.0, 0.0)];
    let cloth = |positions: &[Vec3], triangles: &[[u32; 3]]| {
        let mesh = TriangleMesh { positions, triangles, mass: 1.0, structural: None, bend: None };
        mesh.add_to(&mut Model::new())
    };
    let line = [p(0.0, 0.0, 0.0), p(0.1, 0.1, 0.0), p(0.3, 0.3, 0.0)];
    let far = square.map(|x| x * 1e200);
    let wing = [square[0], square[1], square[2], p(0.0, -1.0, 0.0), p(0.0, 0.0, 1.0)];
    assert!(cloth(&square, &[[0, 1, 2], [1, 3, 2]]).is_ok());
    says(cloth(&square, &[[0, 1, 1]]), "triangle 0 names vertex 1 twice");
    says(
        cloth(&square, &[[0, 1, 4]]),
        "triangle 0 refers to vertex 4, but the mesh has 4 vertices",
    );
    says(cloth(&line, &[[0, 1, 2]]), "triangle 0 [0, 1, 2] has no area");
    says(cloth(&far, &[[0, 1, 2]]), "triangle 0 [0, 1, 2] is too large for its area");
    says(cloth(&square, &[[0, 1, 2], [2, 0, 1]]), "triangle 1 [2, 0, 1] is there twice");
    says(
        cloth(&wing, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]),
        "the edge between vertices 0 and 1 belongs to three triangles; a cloth's edges have at most \
         two",
    );
    says(cloth(&square, &[[0, 1, 2]]), "vertex 3 belongs to no element and would have no mass");

    let solid = |positions: &[Vec3], tetrahedra: &[[u32; 4]]| {
        let mesh = TetrahedronMesh { positions, tetrahedra, mass: 1.0, structural: None };
        mesh.add_to(&mut Model::new())
    };
    let corner = [square[0], square[1], square[2], p(0.0, 0.0, 1.0)];
    assert!(solid(&corner, &[[0, 1, 2, 3]]).is_ok());
    assert!(solid(&corner, &[[0, 2, 1, 3]]).is_ok(), "inside out is as good for springs");
    assert!(solid(&corner.map(|x| x * 1e-90), &[[0, 1, 2, 3]]).is_ok(), "tiny");
    says(solid(&square, &[[0, 1, 2, 3]]), "tetrahedron 0 [0, 1, 2, 3] has no volume");
    says(
        solid(&corner.map(|x| x * 1e-200), &[[0, 1, 2, 3]]),
        "tetrahedron 0 [0, 1, 2, 3] has no volume",
    );
    says(
        solid(&corner.map(|x| x * 1e200), &[[0, 1, 2, 3]]),
        "tetrahedron 0 [0, 1, 2, 3] is too large for its volume",
    );
    says(
        solid(&corner, &[[0, 1, 2, 3], [3, 1, 2, 0]]),
        "tetrahedron 1 [3, 1, 2, 0] is there twice",
    );
    let three = [corner[0], corner[1], corner[2], corner[3], p(0.0, 0.0, -1.0), p(0.1, 0.1, 2.0)];
    says(
        solid(&three, &[[0, 1, 2, 3], [0, 2, 1, 4], [0, 1, 2, 5]]),
        "the face of vertices 0, 1 and 2 belongs to three tetrahedra; a body's faces have at most \
         two",
    );
}

/// Where the tolerance asks for less than rounding leaves, a solve is not called converged.
#[test]
fn a_tolerance_of_zero() {
    for name in ["newton", "implicit-midpoint", "bdf2", "quasi-newton"] {
        let exact =
            [("tolerance".to_string(), 0.0.into()), ("iterations".to_string(), 100.0.into())];
        let build = hooke::methods::find(name).unwrap().build;
        let mut simulation = Simulation::new(cloth(4), build(&exact).unwrap(), 0.01).unwrap();
        let solve = simulation.step().unwrap().solve.unwrap();
        assert_eq!(solve.end, hooke::End::Rounding, "{name}: {solve:?}");
        assert!(solve.relative() < 1e-10, "{name}: {solve:?}");
    }
}

/// What a method would need is told in few digits.
#[test]
fn a_feather_on_a_spring() {
    let mut model = Model::new();
    model.add_particle(Vec3::ZERO, 1e-300).unwrap();
    model.add_particle(p(1.0, 0.0, 0.0), 1e-300).unwrap();
    model.add_spring(0, 1, 100.0, None).unwrap();
    let refusal = Simulation::new(model, "rk4", 0.01).err().unwrap();
    assert_eq!(
        refusal.to_string(),
        "the method needs 5.6e148 sub-steps of a step of 0.01 s (its limit is 2.00e-151 s, at most \
         100000 are taken); newton or quasi-newton would do"
    );
}
