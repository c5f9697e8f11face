//! What an answer is worth, whoever found it: how near it is to the minimum that a step of
//! backward Euler looks for, and how far the cloth is stretched.

use crate::run;
use crate::scene::Scene;
use hooke::Point;
use std::error::Error;

/// `(g(x) − g*)/(g(y) − g*)` for positions after one step: 0 is the minimum that Newton's method
/// finds, 1 is the prediction y, from which a solve starts.
pub(crate) fn gap(scene: &Scene, positions: &[Point]) -> Result<f64, Box<dyn Error>> {
    let settings = ["iterations=1000", "tolerance=1e-8", "start=prediction"];
    let best = run::run(scene, "newton", 1, 1, &settings)?.state.positions;
    let g = |x: &[Point]| scene.objective(x);
    let least = g(&best);
    Ok((g(positions) - least) / (g(&scene.prediction()) - least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_has_no_gap_and_the_prediction_all_of_it() {
        let scene = Scene::cloth(6, 0.01).unwrap();
        assert!((gap(&scene, &scene.prediction()).unwrap() - 1.0).abs() < 1e-12);
        let settings = ["iterations=2000", "tolerance=1e-9", "start=prediction"];
        let near = run::run(&scene, "quasi-newton", 1, 1, &settings).unwrap().state.positions;
        assert!(gap(&scene, &near).unwrap().abs() < 1e-6);
        let settings = ["iterations=2", "tolerance=0", "start=prediction"];
        let on_the_way = run::run(&scene, "quasi-newton", 1, 1, &settings).unwrap().state.positions;
        let gap = gap(&scene, &on_the_way).unwrap();
        assert!(gap > 1e-4 && gap < 1.0, "{gap}");
    }
}
