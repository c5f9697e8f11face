//! Scenes under contact do what they say: every step converges, what rests stays, and real fabric gains no energy at defaults.

use hooke_scene::Scene;

#[test]
fn every_step_of_the_jelly_on_stairs_converges() {
    let scene = Scene::gallery("jelly-stairs").unwrap();
    let mut simulation = scene.simulation(0).unwrap();
    for step in 0..150 {
        let solve = simulation.step().unwrap().solve.unwrap();
        assert!(solve.end.is_settled(), "step {step}: {solve:?}");
    }
}

/// A cloth of cotton that falls onto a ball.
fn cotton(method: &str) -> Scene {
    let text = format!(
        r#"
        format = 1
        title = "Cotton"
        [time]
        step = "1/60"
        duration = 1.0
        [method]
        {method}
        [[deformables]]
        name = "cloth"
        grid = {{ columns = 20, rows = 20, size = [0.8, 0.8], corner = [-0.4, 0.66, -0.4], across = [1, 0, 0], down = [0, 0, 1] }}
        material = "cotton"
        [[obstacles]]
        sphere = {{ center = [0, 0.32, 0], radius = 0.32 }}
        friction = 0.5
        "#
    );
    Scene::parse(text, "cotton").unwrap_or_else(|problems| panic!("{problems:?}"))
}

#[test]
fn cotton_on_a_ball_gains_no_energy_at_any_iteration_count() {
    let guarded = ["", "\niterations = 1", "\niterations = 5", "\niterations = 60"];
    for settings in guarded {
        let mut simulation = cotton(&format!("name = \"xpbd\"{settings}")).simulation(0).unwrap();
        let first = simulation.report().energy.total();
        for step in 0..40 {
            let total = simulation.step().unwrap().energy.total();
            assert!(total < 1.01 * first, "xpbd{settings}, step {step}: {first} J, then {total} J");
        }
    }
}
