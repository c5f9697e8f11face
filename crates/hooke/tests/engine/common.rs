//! Models and runs that several tests share.

use hooke::methods::{self, Method};
use hooke::settings::Value;
use hooke::{Model, Simulation, State, Substeps, Vec3};

pub fn p(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A method with settings `name=value`, numbers, flags or names.
pub fn method(name: &str, settings: &[(&str, &str)]) -> Box<dyn Method> {
    let values: Vec<(String, Value)> = settings
        .iter()
        .map(|&(name, text)| {
            let value = match (text.parse::<f64>(), text.parse::<bool>()) {
                (Ok(number), _) => number.into(),
                (_, Ok(flag)) => flag.into(),
                _ => text.into(),
            };
            (name.to_string(), value)
        })
        .collect();
    (methods::find(name).unwrap().build)(&values).unwrap()
}

/// The tightest settings of a method: every solve goes to round-off.
pub fn exact(name: &str) -> Box<dyn Method> {
    match name {
        "newton" | "implicit-midpoint" | "bdf2" | "constrained" => {
            method(name, &[("tolerance", "0"), ("iterations", "400")])
        }
        "quasi-newton" | "pbd" | "xpbd" | "hierarchical-pbd" => {
            method(name, &[("tolerance", "0"), ("iterations", "4000")])
        }
        "vbd" => method(name, &[("tolerance", "0"), ("iterations", "20000")]),
        "auto" => method(name, &[("tolerance", "0")]),
        "beta" => method(name, &[("beta", "0.5")]),
        _ => method(name, &[]),
    }
}

/// A simulation with one sub-step that starts at `state`.
pub fn simulation(model: Model, method: Box<dyn Method>, h: f64, state: State) -> Simulation {
    let mut simulation = Simulation::with_substeps(model, method, h, Substeps::Fixed(1)).unwrap();
    simulation.set_state(state).unwrap();
    simulation
}

pub fn run(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step().unwrap();
    }
}

/// The greatest distance between two lists of points.
pub fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max)
}

/// A cloth of `n × n` pinned at two corners.
pub fn cloth(n: u32) -> Model {
    let mut model = Model::new();
    let grid = hooke::Grid::square(n).add_to(&mut model).unwrap();
    model.pin_at_rest(grid.at(0, 0)).unwrap();
    model.pin_at_rest(grid.at(n - 1, 0)).unwrap();
    model
}

/// Every method's name.
pub fn names() -> impl Iterator<Item = &'static str> {
    methods::METHODS.iter().map(|method| method.name)
}

/// Repeatable numbers in [−1, 1).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = hooke::math::noise::mix(self.0);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn point(&mut self) -> Vec3 {
        p(self.next(), self.next(), self.next())
    }
}
