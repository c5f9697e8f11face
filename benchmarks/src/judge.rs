//! What an answer is worth, whoever found it: the objective that a step of backward Euler
//! minimizes, how near it is to the minimum, and how far the cloth is stretched.

use crate::scene::Scene;
use hooke::Vec3;

/// One line of JSON about positions after one step.
pub(crate) fn judge(scene: &Scene, positions: &[Vec3], best: Option<&[Vec3]>) -> String {
    let (g, stretch) = (scene.objective(positions), scene.stretch(positions));
    let against = |worth: fn(&Scene, &[Vec3], &[Vec3]) -> f64| {
        best.map_or("null".into(), |best| format!("{:e}", worth(scene, best, positions)))
    };
    let (gap, error) = (against(gap), against(error));
    format!(
        "{{\"objective\": {g:e}, \"stretch\": {stretch:e}, \"error\": {error}, \"gap\": {gap}}}"
    )
}

/// `‖x − x*‖/‖y − x*‖` for positions after one step, in the Euclidean norm over all particles: 0 is
/// the minimum `best`, 1 is as far from it as the prediction y, from which a solve starts.
fn error(scene: &Scene, best: &[Vec3], positions: &[Vec3]) -> f64 {
    let from =
        |x: &[Vec3]| x.iter().zip(best).map(|(x, best)| (*x - *best).norm2()).sum::<f64>().sqrt();
    from(positions) / from(&scene.prediction())
}

/// `(g(x) − g*)/(g(y) − g*)` for positions after one step: 0 is the minimum `best`, 1 is the
/// prediction y, from which a solve starts.
fn gap(scene: &Scene, best: &[Vec3], positions: &[Vec3]) -> f64 {
    let g = |x: &[Vec3]| scene.objective(x);
    let least = g(best);
    (g(positions) - least) / (g(&scene.prediction()) - least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run;

    #[test]
    fn the_minimum_has_no_gap_and_the_prediction_all_of_it() {
        let scene = Scene::cloth(6, 0.01).unwrap();
        let positions = |method, iterations: &str, tolerance| {
            let settings = [iterations, tolerance, "start=prediction"];
            run::run(&scene, method, 1, 1, &settings).unwrap().state.positions
        };
        let best = positions("newton", "iterations=1000", "tolerance=1e-8");
        let gap = |positions: &[Vec3]| gap(&scene, &best, positions);
        assert!((gap(&scene.prediction()) - 1.0).abs() < 1e-12);
        let near = positions("quasi-newton", "iterations=2000", "tolerance=1e-9");
        assert!(gap(&near).abs() < 1e-6);
        let on_the_way = gap(&positions("quasi-newton", "iterations=2", "tolerance=0"));
        assert!(on_the_way > 1e-4 && on_the_way < 1.0, "{on_the_way}");
        assert!(judge(&scene, &best, None).ends_with("\"gap\": null}"));
        assert!(judge(&scene, &best, Some(&best)).ends_with("\"error\": 0e0, \"gap\": 0e0}"));
        assert_eq!(error(&scene, &best, &scene.prediction()), 1.0);
        assert!(error(&scene, &best, &near) < 1e-3);
    }
}
