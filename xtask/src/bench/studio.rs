//! `cargo xtask bench studio`: how many frames a second reach a page on the same machine, what the
//! server takes of the processor for it, and how long after the mouse moves its particle is seen to.

use super::programs::output;
use super::report::{Machine, line, significant};
use super::save;
use super::statistics::Summary;
use crate::stage::{Outcome, passes, target};
use crate::studio;
use serde_json::{Value, json};
use std::process::Command;

/// What the studio promises for a cloth of 100 × 100: frames a second, and the share of a core that
/// the server takes beside the simulation.
const RATE: f64 = 60.0;
const SHARE: f64 = 0.10;

/// Frames come in whole steps of the clock: this much less is the same.
const ROUNDING: f64 = 0.5;

/// What was measured of the stream.
struct Stream {
    frames_per_second: f64,
    /// Seconds of the processor per second: the server's own threads, and those that simulate.
    server: f64,
    simulation: f64,
    /// Milliseconds of a step.
    step: f64,
    bytes: f64,
}

impl Stream {
    fn read(told: &Value) -> Option<Self> {
        let number = |name: &str| told[name].as_f64();
        Some(Self {
            frames_per_second: number("framesPerSecond")?,
            server: number("server")?,
            simulation: number("simulation")?,
            step: number("step")?,
            bytes: number("bytes")?,
        })
    }

    fn is_met(&self) -> bool {
        self.frames_per_second >= RATE - ROUNDING && self.server <= SHARE
    }
}

/// Measures; fails where the promise is not kept.
pub(super) fn measure(install: bool) -> Result<Outcome, String> {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--release", "--package", "hooke-cli"]);
    if passes(&mut build) != Outcome::Passed {
        return Err("hooke could not be built".into());
    }
    if let Err(missing) = studio::ready(install) {
        println!("skipped: {missing}");
        return Ok(Outcome::Skipped);
    }
    let machine = Machine::here(false);
    let mut script = Command::new("node");
    script.arg("tests/bench/studio.mjs").current_dir(studio::page());
    script.env("HOOKE", target().join("release/hooke"));
    let told = output(&mut script)?;
    let told: Value = serde_json::from_str(told.trim().lines().next_back().unwrap_or_default())
        .map_err(|error| format!("cannot read what was told: {error}"))?;
    let stream = Stream::read(&told["stream"]).ok_or("cannot read what was told")?;
    let list = |name: &str| -> Vec<f64> {
        told[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let (socket, page) = (list("socket"), list("page"));
    let json = json!({"machine": machine.json(), "stream": told["stream"],
        "latency": {"socket": socket, "page": page}});
    save("-studio", &markdown(&machine, &stream, &socket, &page), &json)?;
    if !stream.is_met() {
        println!("not met: {RATE} frames a second with at most {SHARE} of a core");
        return Ok(Outcome::Failed);
    }
    Ok(Outcome::Passed)
}

fn markdown(machine: &Machine, stream: &Stream, socket: &[f64], page: &[f64]) -> String {
    let mut text = machine.head();
    line(
        &mut text,
        "A cloth of 100 × 100 under fast mass-spring in `hooke studio`, streamed to a client on the \
         same machine that reads every frame. The server's threads are all of the process but those \
         that simulate.\n",
    );
    line(&mut text, "| | |\n|---|---|");
    let Stream { frames_per_second, server, simulation, step, bytes } = stream;
    for (name, value) in [
        ("frames a second", significant(*frames_per_second)),
        ("server, share of a core (%)", significant(100.0 * server)),
        ("simulation, share of a core (%)", significant(100.0 * simulation)),
        ("step (ms)", significant(*step)),
        ("frame (kB)", significant(1e-3 * bytes)),
    ] {
        line(&mut text, &format!("| {name} | {value} |"));
    }
    line(
        &mut text,
        "\nMilliseconds from a grabbed particle's new place to the first frame in which it has moved: \
         median (quartiles). On the socket from the message to the frame; in the page from the mouse \
         to the drawn picture, in headless Chromium without a graphics card.\n",
    );
    line(&mut text, "| grab to screen | ms |\n|---|---|");
    for (name, times) in [("socket", socket), ("page", page)] {
        let cell = Summary::of(times).map_or("–".into(), |s| {
            let [lower, middle, upper] = [s.lower, s.median, s.upper].map(significant);
            format!("{middle} ({lower}–{upper})")
        });
        line(&mut text, &format!("| {name} | {cell} |"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(frames_per_second: f64, server: f64) -> Stream {
        Stream { frames_per_second, server, simulation: 0.5, step: 8.0, bytes: 160_016.0 }
    }

    #[test]
    fn the_promise_has_two_sides() {
        assert!(stream(59.9, 0.02).is_met());
        assert!(!stream(45.0, 0.02).is_met());
        assert!(!stream(60.0, 0.2).is_met());
    }

    #[test]
    fn what_was_measured_is_told() {
        let told = json!({"framesPerSecond": 60.0, "server": 0.02, "simulation": 0.5, "step": 8.0,
            "bytes": 160_016.0});
        let stream = Stream::read(&told).expect("numbers");
        let text = markdown(&Machine::here(false), &stream, &[1.0, 3.0, 2.0], &[]);
        assert!(text.contains("| server, share of a core (%) | 2.00 |\n"), "{text}");
        assert!(text.ends_with("| socket | 2.00 (1.50–2.50) |\n| page | – |\n"), "{text}");
        assert!(Stream::read(&Value::Null).is_none());
    }
}
