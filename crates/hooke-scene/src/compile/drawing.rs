//! What a pen draws, as the motion of an anchor and the times at which the pen is down.

use super::Counts;
use super::chains::tell;
use super::start::out_of_reach;
use crate::files::Files;
use crate::format::{Curve, Drawing};
use crate::path::{Expression, Font, Pen, Stroke, Trace, letter};
use crate::problem::{Cause, Sink};
use crate::words::number;
use hooke::model::{Interpolation, Motion, Track};

/// The most points of a pen's path.
const POINTS: usize = 200_000;

/// The most characters of a text.
const CHARACTERS: usize = 1000;

/// The most bytes of a font.
const FONT: u64 = 64 << 20;

/// Points of a curve before it is sampled by its length.
const SAMPLES: usize = 2048;

/// The gap between letters, in heights of a capital.
const GAP: f64 = 0.3;

/// The motion of a pen, and from when to when (s) it is down; or messages.
pub(super) fn motion(
    draw: &Drawing,
    files: &Files,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) -> Option<(Motion, Vec<[f64; 2]>)> {
    let (right, up) = (draw.right.unit(), draw.up.unit());
    let lift = right.cross(up);
    if lift.norm() < 1e-6 {
        sink.error_in(
            draw.source_offset,
            "up",
            "must point away from right, and neither may be zero",
        );
        return None;
    }
    for (field, goes) in [("font", "text"), ("size", "text")] {
        if draw.text.is_none() && draw.writes(field) {
            sink.error_in(draw.source_offset, field, format!("requires {goes}"));
            return None;
        }
    }
    let pen = Pen { speed: draw.speed, lift: draw.lift, spacing: draw.spacing };
    let mut trace = Trace::new(pen, POINTS);
    match (&draw.text, &draw.curves) {
        (Some(text), _) => written(text, draw, files, &mut trace, sink)?,
        (None, curves) => {
            for curve in curves.as_deref().unwrap_or_default() {
                let stroke = sampled(curve, sink)?;
                report_error(trace.draw(&stroke), draw, sink)?;
            }
        }
    }
    let samples = trace.samples();
    let field = if draw.text.is_some() { "text" } else { "curves" };
    if samples.is_empty() {
        sink.error_in(draw.source_offset, field, "draws nothing");
        return None;
    }
    if !counts.add_points(samples.len() as u64, draw.source_offset, sink) {
        return None;
    }
    let (mut times, mut points, mut down) = (Vec::new(), Vec::new(), Vec::<[f64; 2]>::new());
    for (k, at) in samples.iter().enumerate() {
        let time = draw.start + at.time;
        let [x, y, z] = at.location;
        if times.last().is_none_or(|last| *last < time) {
            times.push(time);
            points.push(draw.at + right * x + up * y + lift.unit() * z);
        }
        let before = k > 0 && samples[k - 1].down;
        match down.last_mut() {
            Some(span) if before => span[1] = time,
            _ if at.down => down.push([time, time]),
            _ => {}
        }
    }
    if let Some((_, sentence)) = out_of_reach(&points) {
        sink.error_in(draw.source_offset, field, format!("is drawn {sentence}"));
        return None;
    }
    match Track::new(times, points, Interpolation::Linear, false) {
        Ok(track) => Some((Motion::along(track), down)),
        Err(invalid) => {
            sink.error(draw.source_offset, invalid.to_string());
            None
        }
    }
}

/// Reports why a stroke could not be drawn.
fn report_error(drawn: Result<(), String>, draw: &Drawing, sink: &mut Sink) -> Option<()> {
    let field = if draw.text.is_some() { "text" } else { "curves" };
    drawn.map_err(|sentence| sink.error_of(Cause::Limit, draw.source_offset, field, sentence)).ok()
}

/// Draws a text, its capitals `size` high.
fn written(
    text: &str,
    draw: &Drawing,
    files: &Files,
    trace: &mut Trace,
    sink: &mut Sink,
) -> Option<()> {
    if text.chars().nth(CHARACTERS).is_some() {
        sink.error_in(
            draw.source_offset,
            "text",
            format!("is longer than {CHARACTERS} characters"),
        );
        return None;
    }
    let bytes = match &draw.font {
        Some(name) => Some(
            files
                .bytes(name, FONT)
                .map_err(|error| tell(&error, draw.source_offset, "font", sink))
                .ok()?,
        ),
        None => None,
    };
    let font = match bytes.as_deref().map(Font::read) {
        Some(Ok(font)) => Some(font),
        Some(Err(sentence)) => {
            sink.error_in(draw.source_offset, "font", sentence);
            return None;
        }
        None => None,
    };
    let mut from = 0.0;
    for c in text.chars() {
        let found = match &font {
            Some(font) => font.letter(c),
            None => letter(c).map(|(width, strokes)| (width + GAP, strokes)),
        };
        let Some((width, own)) = found else {
            let sentence = match font {
                Some(_) => format!("the font has no {c:?}; font takes another"),
                None => {
                    format!("the alphabet has no {c:?}; font = \"NAME.ttf\" draws what a font has")
                }
            };
            sink.error_in(draw.source_offset, "text", sentence);
            return None;
        };
        let location = |[x, y]: &[f64; 2]| [(from + x) * draw.size, y * draw.size];
        for stroke in own {
            report_error(trace.draw(&stroke.iter().map(location).collect()), draw, sink)?;
        }
        from += width;
    }
    Some(())
}

/// The points of a curve.
fn sampled(curve: &Curve, sink: &mut Sink) -> Option<Stroke> {
    let mut read = |field: &str, text: &str| {
        let expression = Expression::read(text);
        expression
            .map_err(|mistake| sink.error_in(curve.source_offset, field, mistake.to_string()))
            .ok()
    };
    let (x, y) = (read("x", &curve.x), read("y", &curve.y));
    let (x, y) = (x?, y?);
    let [from, to] = curve.range;
    let mut stroke = Stroke::with_capacity(SAMPLES + 1);
    for k in 0..=SAMPLES {
        let t = from + (to - from) * (k as f64 / SAMPLES as f64);
        let location = [x.at(t), y.at(t)];
        for (field, value) in ["x", "y"].into_iter().zip(location) {
            if !value.is_finite() {
                let sentence = format!("is not a number at t = {}", number(t));
                sink.error_in(curve.source_offset, field, sentence);
                return None;
            }
        }
        stroke.push([0, 1].map(|axis| curve.offset[axis] + curve.scale * location[axis]));
    }
    Some(stroke)
}
