//! Chains: the problems that every program reads, and Hooke's solves of them.
//!
//! A file holds the lengths of the bones (m) in one line, the axes of the joints in the next (`ball`, or a
//! letter for each hinge), and a target (m) in each line after them. All of them can be reached.

use hooke::Vec3;
use hooke::chains::{Chain, Joint, JointLimits, Settings, Solver, Target};
use hooke::math::{Quat, noise::mix};
use std::error::Error;
use std::f64::consts::PI;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// How long solves are repeated (s).
const SECONDS: f64 = 0.5;

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 += 1;
        low + (high - low) * (mix(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The text of a problem of so many bones and targets; hinges turn about z and y in turn.
pub fn problem(kind: &str, bones: usize, targets: usize) -> Result<String, Box<dyn Error>> {
    let mut dice = Dice(bones as u64);
    let lengths: Vec<f64> = (0..bones).map(|_| dice.between(0.3, 1.0)).collect();
    let words: Vec<_> = lengths.iter().map(f64::to_string).collect();
    let axes: String = match kind {
        "ball" => "ball".into(),
        "hinges" => (0..bones).map(|k| if k % 2 == 0 { 'z' } else { 'y' }).collect(),
        other => return Err(format!("there are no chains of {other}").into()),
    };
    let mut text = format!("{}\n{axes}\n", words.join(" "));
    let chain = chain(&lengths, &axes)?;
    let mut pose = chain.rest();
    let far = lengths.iter().sum::<f64>();
    let mut found = 0;
    while found < targets {
        for joint in 0..bones {
            let axis: Vec3 = [0, 1, 2].map(|_| dice.between(-1.0, 1.0)).into();
            let angle = dice.between(-1.0, 1.0);
            pose.set_rotation(
                &chain,
                joint,
                Quat::about(axis, if kind == "ball" { PI } else { 2.0 } * angle),
            );
        }
        let x = pose.positions()[bones];
        // At the very ends of its reach every solver is slow.
        if (0.2 * far..0.9 * far).contains(&x.norm()) {
            writeln!(text, "{} {} {}", x.x, x.y, x.z)?;
            found += 1;
        }
    }
    Ok(text)
}

fn chain(lengths: &[f64], axes: &str) -> Result<Chain, Box<dyn Error>> {
    let limits = |joint: usize| match axes.as_bytes().get(joint) {
        _ if axes == "ball" => JointLimits::FREE,
        Some(b'y') => JointLimits::Hinge { axis: Vec3::AXES[1], limits: [-PI, PI] },
        _ => JointLimits::Hinge { axis: Vec3::AXES[2], limits: [-PI, PI] },
    };
    let offsets = std::iter::once(0.0).chain(lengths.iter().copied());
    let joint = |(j, length): (usize, f64)| Joint {
        parent: j.checked_sub(1),
        offset: Vec3::new(length, 0.0, 0.0),
        rest: Quat::IDENTITY,
        limits: limits(j),
    };
    Ok(Chain::new(offsets.enumerate().map(joint).collect())?)
}

/// Solves every problem of a file from rest, to a distance relative to the length of the chain; one line of
/// JSON.
pub fn solve(path: &Path, solver: &str, tolerance: f64) -> Result<String, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let numbers = |line: &str| line.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>();
    let lengths = numbers(lines.next().ok_or("there are no bones")?)?;
    let chain = chain(&lengths, lines.next().ok_or("there are no axes")?)?;
    let targets = lines
        .map(|line| match numbers(line)?[..] {
            [x, y, z] => Ok(Target::new(lengths.len(), Vec3::new(x, y, z))),
            _ => Err("a target has three numbers".into()),
        })
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let settings = Settings { iterations: 1000, tolerance, ..Settings::default() };
    let mut solver = Solver::new(solver, settings)?;
    let (rest, mut pose) = (chain.rest(), chain.rest());
    let (mut errors, mut iterations, mut reached) = (Vec::new(), 0, 0_u32);
    let (clock, mut solves) = (Instant::now(), 0_u64);
    while clock.elapsed().as_secs_f64() < SECONDS {
        for target in &targets {
            pose.copy_from(&rest);
            let reach = solver.solve(&chain, &mut pose, std::slice::from_ref(target))?;
            if solves < targets.len() as u64 {
                iterations += reach.iterations;
                reached += u32::from(reach.end == hooke::chains::End::Converged);
                errors.push(reach.distance);
            }
            solves += 1;
        }
    }
    let seconds = clock.elapsed().as_secs_f64() / solves as f64;
    errors.sort_by(f64::total_cmp);
    let count = errors.len();
    let median = errors.get(count / 2).copied().unwrap_or_default();
    let iterations = f64::from(iterations) / count as f64;
    Ok(format!(
        "{{\"seconds\": {seconds:e}, \"error\": {median:e}, \"reached\": {reached}, \"of\": {count}, \
         \"iterations\": {iterations}}}"
    ))
}
