//! `hooke eval`: a scene evaluated, every number with 17 digits.

use crate::args::{Eval, Output, What};
use crate::failure::{Failure, tell_problems};
use crate::out::Out;
use crate::scene;
use hooke::Kernels;
use hooke_scene::json::results;
use hooke_scene::{Probe, What as Part};

pub(crate) fn eval(options: &Eval, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let (scene, _) = scene::open(&options.choice)?;
    let mut probe = Probe::new(&scene)?;
    if options.portable {
        probe.set_kernels(Kernels::Portable);
    }
    if !probe.warnings().is_empty() && !output.quiet {
        tell_problems(probe.warnings(), output);
    }
    for _ in 0..options.steps {
        probe.step()?;
    }
    let what: Vec<Part> = options
        .what
        .iter()
        .map(|what| match what {
            What::Energy => Part::Energy,
            What::Forces => Part::Forces,
            What::Gradient => Part::Gradient,
            What::Hessian => Part::Hessian,
            What::Constraint => Part::Constraint,
            What::Contact => Part::Contact,
        })
        .collect();
    let what = if what.is_empty() && options.steps == 0 { vec![Part::Energy] } else { what };
    out.result(&results(&probe.tell(&what)))
}
