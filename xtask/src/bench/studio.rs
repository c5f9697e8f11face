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
    /// Seconds of the processor per second: to make frames and reports on the thread that steps, to
    /// send them on the server's threads, and to simulate.
    making: f64,
    sending: f64,
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
            making: number("making")?,
            sending: number("sending")?,
            simulation: number("simulation")?,
            step: number("step")?,
            bytes: number("bytes")?,
        })
    }

    fn server(&self) -> f64 {
        self.making + self.sending
    }

    fn is_met(&self) -> bool {
        self.frames_per_second >= RATE - ROUNDING && self.server() <= SHARE
    }
}

/// What a page in a browser without a graphics card does with the stream: frames a second, and
/// milliseconds of its script for each.
struct Rate {
    frames_per_second: f64,
    taking: f64,
    drawing: f64,
}

impl Rate {
    fn read(told: &Value) -> Option<Self> {
        let number = |name: &str| told[name].as_f64();
        Some(Self {
            frames_per_second: number("framesPerSecond")?,
            taking: number("taking")?,
            drawing: number("drawing")?,
        })
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
    let rates = ["taken", "drawn"].map(|name| Rate::read(&told["rates"][name]));
    let json = json!({"machine": machine.json(), "stream": told["stream"], "page": told["rates"],
        "latency": {"socket": socket, "page": page}});
    save("-studio", &markdown(&machine, &stream, &rates, [&socket, &page]), &json)?;
    if !stream.is_met() {
        println!("not met: {RATE} frames a second with at most {SHARE} of a core");
        return Ok(Outcome::Failed);
    }
    Ok(Outcome::Passed)
}

fn markdown(
    machine: &Machine,
    stream: &Stream,
    rates: &[Option<Rate>; 2],
    latencies: [&[f64]; 2],
) -> String {
    let mut text = machine.head();
    line(
        &mut text,
        "A cloth of 100 × 100 under fast mass-spring in `hooke studio`, streamed to a client on the \
         same machine that reads every frame and draws nothing. The server's share is what making \
         frames and reports takes of the thread that steps, and all that other threads do but those \
         that simulate.\n",
    );
    line(&mut text, "| | |\n|---|---|");
    let Stream { frames_per_second, making, sending, simulation, step, bytes } = stream;
    for (name, value) in [
        ("frames a second", *frames_per_second),
        ("server, share of a core (%)", 100.0 * stream.server()),
        ("– making frames and reports", 100.0 * making),
        ("– sending them", 100.0 * sending),
        ("simulation, share of a core (%)", 100.0 * simulation),
        ("step (ms)", *step),
        ("frame (kB)", 1e-3 * bytes),
    ] {
        line(&mut text, &format!("| {name} | {} |", significant(value)));
    }
    line(
        &mut text,
        "\nThe page in headless Chromium, which draws on the processor as there is no graphics card: with \
         pictures the drawing decides, without them the stream and the page's script do. Milliseconds \
         are those of the script, for each frame.\n",
    );
    line(&mut text, "| page | frames a second | taking (ms) | drawing (ms) |\n|---|---|---|---|");
    for (name, rate) in ["without pictures", "with pictures"].into_iter().zip(rates) {
        let Some(Rate { frames_per_second, taking, drawing }) = rate else { continue };
        let [rate, taking, drawing] = [*frames_per_second, *taking, *drawing].map(significant);
        line(&mut text, &format!("| {name} | {rate} | {taking} | {drawing} |"));
    }
    line(
        &mut text,
        "\nMilliseconds from a grabbed particle's new place to the first frame in which it has moved: \
         median (quartiles). On the socket from the message to the frame; in the page from the mouse \
         to the drawn picture, in headless Chromium without a graphics card.\n",
    );
    line(&mut text, "| grab to screen | ms |\n|---|---|");
    for (name, times) in ["socket", "page"].into_iter().zip(latencies) {
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
        let (making, sending) = (0.5 * server, 0.5 * server);
        Stream { frames_per_second, making, sending, simulation: 0.5, step: 8.0, bytes: 160_016.0 }
    }

    #[test]
    fn the_promise_has_two_sides() {
        assert!(stream(59.9, 0.02).is_met());
        assert!(!stream(45.0, 0.02).is_met());
        assert!(!stream(60.0, 0.2).is_met());
    }

    #[test]
    fn what_was_measured_is_told() {
        let told = json!({"framesPerSecond": 60.0, "making": 0.015, "sending": 0.005,
            "simulation": 0.5, "step": 8.0, "bytes": 160_016.0});
        let stream = Stream::read(&told).expect("numbers");
        let rate = Rate::read(&json!({"framesPerSecond": 55.0, "taking": 2.0, "drawing": 0.0}));
        let rates = [rate, None];
        let text = markdown(&Machine::here(false), &stream, &rates, [&[1.0, 3.0, 2.0], &[]]);
        assert!(text.contains("| server, share of a core (%) | 2.00 |\n"), "{text}");
        assert!(text.contains("| without pictures | 55.0 | 2.00 |"), "{text}");
        assert!(text.ends_with("| socket | 2.00 (1.50–2.50) |\n| page | – |\n"), "{text}");
        assert!(Stream::read(&Value::Null).is_none());
    }
}
