//! When a run leaves the numbers: where and when, the limit that was crossed, and what would do.

use hooke::methods::find;
use hooke::{Simulation, StabilityLimit, StepError};
use hooke_scene::limits::REACH;
use serde_json::{Value, json};

/// How much of the limit a step takes that is offered instead.
const MARGIN: f64 = 0.9;

pub(super) struct Explosion {
    step: u64,
    time: f64,
    particle: Option<usize>,
    quantity: &'static str,
    message: String,
    limit: StabilityLimit,
    /// The length of a part of the step (s).
    h: f64,
}

impl Explosion {
    /// What a step that was not taken says.
    pub(super) fn of(error: StepError, simulation: &mut Simulation) -> Self {
        let message = error.to_string();
        let (limit, parts) = simulation.stability().unwrap_or((StabilityLimit::None, 1));
        let state = simulation.state();
        let mut own = Self {
            step: state.step + 1,
            time: state.time,
            particle: None,
            quantity: "",
            message,
            limit,
            h: simulation.step_length() / f64::from(parts),
        };
        if let StepError::Diverged(diverged) = error {
            own.step = diverged.step;
            own.particle = diverged.particle.map(hooke::ParticleId::index);
            own.quantity = diverged.quantity;
            own.limit = diverged.limit;
            own.h = diverged.h;
        }
        own
    }

    /// Whether a run has diverged though its numbers are still finite.
    pub(super) fn runaway(simulation: &mut Simulation) -> Option<Self> {
        let message = hooke_scene::runaway(simulation)?;
        let (limit, parts) = simulation.stability().unwrap_or((StabilityLimit::None, 1));
        let state = simulation.state();
        let out = |x: &hooke::Vec3| x.to_array().iter().any(|value| value.abs() > REACH);
        Some(Self {
            step: state.step,
            time: state.time,
            particle: state.positions.iter().position(out),
            quantity: "position",
            message,
            limit,
            h: simulation.step_length() / f64::from(parts),
        })
    }

    /// The message for the page. Its fixes are requests that the page only has to send back.
    pub(super) fn outgoing(&self, run: usize, method: Option<&str>) -> Value {
        json!({
            "is": "exploded",
            "run": run,
            "step": self.step,
            "time": self.time,
            "particle": self.particle,
            "quantity": self.quantity,
            "message": self.message,
            "limit": limit(self.limit),
            "h": self.h,
            "fixes": self.fixes(run, method),
        })
    }

    fn fixes(&self, run: usize, method: Option<&str>) -> Vec<Value> {
        let take = |name: &str| {
            let request = json!({ "do": "method", "run": run, "name": name, "restart": true });
            json!({ "label": format!("Use {name}"), "do": request })
        };
        let set = |label: String, what: &str, value: Value| {
            let request = json!({ "do": "set", "what": what, "value": value, "restart": true });
            json!({ "label": label, "do": request })
        };
        let mut fixes = Vec::new();
        match self.limit {
            StabilityLimit::Below(limit) if self.h > limit => {
                let label = "Use as many sub-steps as stability needs".into();
                fixes.push(set(label, "substeps", json!("auto")));
                let h = MARGIN * limit;
                fixes.push(set(format!("Take steps of {:.3} ms", 1e3 * h), "h", json!(h)));
            }
            StabilityLimit::Never => fixes.push(take("symplectic-euler")),
            _ => {
                let h = 0.25 * self.h;
                fixes.push(set(format!("Take steps of {:.3} ms", 1e3 * h), "h", json!(h)));
            }
        }
        let implicit = ["newton", "quasi-newton"];
        if let Some(method) = method {
            let others = implicit.into_iter().filter(|name| *name != method);
            fixes.extend(others.filter(|name| find(name).is_some()).map(take));
        }
        fixes
    }
}

/// A stability limit, for the page.
pub(super) fn limit(limit: StabilityLimit) -> Value {
    match limit {
        StabilityLimit::None => Value::Null,
        StabilityLimit::Below(seconds) => json!({ "below": seconds }),
        StabilityLimit::Linear => json!({ "linear": true }),
        StabilityLimit::Never => json!({ "never": true }),
    }
}
