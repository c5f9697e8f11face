//! Runs a scene under a method and takes the times.

use crate::scene::Scene;
use hooke::settings::Value;
use hooke::{End, Method, Simulation, State, Substeps};
use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

/// What a run took and where it ended.
#[derive(Default)]
pub(crate) struct Report {
    /// Seconds of the set-up: what is done once for many steps.
    setup: f64,
    /// Seconds of every step.
    steps: Vec<f64>,
    /// Of these, seconds in the method, without the measuring for the report of the step.
    method: Vec<f64>,
    /// Of these, seconds of solving with a factor.
    solve: Vec<f64>,
    iterations: Vec<u32>,
    factorizations: Vec<u32>,
    converged: bool,
    /// Where the run ended.
    pub(crate) state: State,
}

/// Steps a scene; settings are written `name=value`.
pub(crate) fn run(
    scene: &Scene,
    method: &str,
    threads: usize,
    steps: usize,
    settings: &[&str],
) -> Result<Report, Box<dyn Error>> {
    let prefactored = method == "quasi-newton" || settings.contains(&"solver=pcg-prefactored");
    let method = self::method(method, settings)?;
    let model = scene.model()?;

    let clock = Instant::now();
    let mut simulation = Simulation::with_substeps(model, method, scene.h, Substeps::Fixed(1))?;
    simulation.set_threads(threads);
    let mut report = Report { setup: clock.elapsed().as_secs_f64(), ..Report::default() };
    simulation.set_state(scene.state())?;
    report.converged = true;
    for step in 0..steps {
        let clock = Instant::now();
        let done = simulation.step()?;
        let mut total = clock.elapsed().as_secs_f64();
        let mut within = done.seconds.method;
        // The factor that serves all steps is computed in the first.
        if prefactored && step == 0 {
            report.setup += done.seconds.factorization;
            total -= done.seconds.factorization;
            within -= done.seconds.factorization;
        }
        report.steps.push(total);
        report.method.push(within);
        report.solve.push(done.seconds.solution);
        if let Some(solve) = done.solve {
            report.iterations.push(solve.iterations);
            report.factorizations.push(solve.factorizations);
            report.converged &= solve.end == End::Converged;
        }
    }
    report.state = simulation.state().clone();
    Ok(report)
}

/// A method by its name, with settings written `name=value`.
pub(crate) fn method(name: &str, settings: &[&str]) -> Result<Box<dyn Method>, Box<dyn Error>> {
    let info = hooke::methods::find(name).ok_or("there is no such method")?;
    let settings = settings.iter().copied().map(setting).collect::<Option<Vec<_>>>();
    Ok((info.build)(&settings.ok_or("a setting is written name=value")?)?)
}

fn setting(text: &str) -> Option<(String, Value)> {
    let (name, value) = text.split_once('=')?;
    let value = match value.parse::<f64>() {
        Ok(number) => Value::Number(number),
        Err(_) => match value.parse::<bool>() {
            Ok(flag) => Value::Flag(flag),
            Err(_) => Value::Text(value.into()),
        },
    };
    Some((name.into(), value))
}

impl Report {
    /// One line of JSON, as the other programs print it.
    pub(crate) fn json(&self) -> String {
        let mut text = format!("{{\"setup\": {:e}", self.setup);
        let lists = [("steps", &self.steps), ("method", &self.method), ("solve", &self.solve)];
        for (name, seconds) in lists {
            let seconds: Vec<_> = seconds.iter().map(|value| format!("{value:e}")).collect();
            // Writing to a string cannot fail.
            let _ = write!(text, ", \"{name}\": [{}]", seconds.join(", "));
        }
        let _ = write!(text, ", \"iterations\": {:?}", self.iterations);
        let _ = write!(text, ", \"factorizations\": {:?}", self.factorizations);
        let _ = write!(text, ", \"converged\": {}}}", self.converged);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_told_as_json() {
        let scene = Scene::cloth(4, 1.0 / 30.0).unwrap();
        let report =
            run(&scene, "quasi-newton", 1, 2, &["iterations=3", "tolerance=0", "start=prediction"])
                .unwrap();
        assert_eq!(report.iterations, [3, 3]);
        assert_eq!(report.state.step, 2);
        let text = report.json();
        assert!(text.contains("\"iterations\": [3, 3]"), "{text}");
        assert!(text.ends_with("\"converged\": false}"), "{text}");
    }

    #[test]
    fn settings_are_read() {
        assert_eq!(setting("line_search=false"), Some(("line_search".into(), Value::Flag(false))));
        assert_eq!(setting("tolerance=1e-8"), Some(("tolerance".into(), Value::Number(1e-8))));
        assert_eq!(setting("tolerance"), None);
    }
}
