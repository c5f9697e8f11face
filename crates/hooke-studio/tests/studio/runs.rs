//! Scenes that run: stepping, grabbing, pinning, changing, comparing, going back.

use crate::client::{Frame, Heard, Socket, server};
use serde_json::{Value, json};

/// A particle of `free-fall` that nothing holds.
const FALLING: usize = 2;

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>().sqrt()
}

fn numbers(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

#[test]
fn every_scene_of_the_gallery_opens_and_steps() {
    let server = server();
    let mut socket = server.socket();
    for entry in hooke_scene::gallery() {
        socket.say(json!({ "do": "open", "scene": entry.name }));
        let opened = socket.until("opened");
        let points = opened["points"].as_u64().expect("a count") as usize;
        assert_eq!(numbers(&opened["bodies"]), points, "{}", entry.name);
        assert_eq!(numbers(&opened["springs"]), 2 * numbers(&opened["lengths"]), "{}", entry.name);
        assert!(numbers(&opened["controls"]) >= 3, "{}", entry.name);
        assert!(opened["camera"]["eye"].is_array() && opened["text"].is_string());
        let start = socket.frame();
        assert_eq!((start.step, start.positions.len()), (0, points), "{}", entry.name);
        let next = socket.step();
        assert_eq!(next.step, 1, "{}", entry.name);
        assert_ne!(start.positions, next.positions, "{}: nothing moves", entry.name);
    }
}

#[test]
fn a_dragged_particle_follows() {
    let server = server();
    let mut socket = server.open("hanging-cloth");
    let particle = 25 * 26 + 13;
    let start = socket.frame().positions[particle];
    let to = [start[0], start[1] + 0.3, start[2] - 0.2];
    socket.say(json!({ "do": "grab", "particle": particle, "at": start }));
    socket.say(json!({ "do": "drag", "at": to }));
    let mut held = socket.step();
    for _ in 0..60 {
        held = socket.step();
    }
    assert!(distance(held.positions[particle], to) < 0.05, "{:?}", held.positions[particle]);
    socket.say(json!({ "do": "release" }));
    let mut loose = socket.step();
    for _ in 0..30 {
        loose = socket.step();
    }
    assert!(distance(loose.positions[particle], to) > 0.1, "{:?}", loose.positions[particle]);
}

#[test]
fn a_dragged_rigid_body_follows() {
    let server = server();
    let mut socket = server.open("box-stack");
    // A vertex of the topmost box, which is the last body.
    let start = socket.frame().positions;
    let vertex = start.len() - 1;
    let to = [start[vertex][0], start[vertex][1] + 0.3, start[vertex][2] + 0.2];
    socket.say(json!({ "do": "grab", "particle": vertex, "at": start[vertex] }));
    socket.say(json!({ "do": "drag", "at": to }));
    let mut held = socket.step();
    for _ in 0..400 {
        held = socket.step();
    }
    assert!(distance(held.positions[vertex], to) < 0.05, "{:?}", held.positions[vertex]);
}

#[test]
fn rigid_bodies_alone_name_no_method_for_particles() {
    let server = server();
    let socket = server.open("box-stack");
    let runs = &socket.opened["runs"];
    assert!(runs[0]["method"].is_null(), "{runs}");
}

#[test]
fn a_pin_holds_until_it_is_taken_away() {
    let server = server();
    let mut socket = server.open("free-fall");
    let pinned = socket.frame().positions[FALLING];
    socket.say(json!({ "do": "pin", "particle": FALLING }));
    assert!(
        socket.until("pins")["pins"].as_array().is_some_and(|pins| pins.contains(&json!(FALLING)))
    );
    let mut last = socket.step();
    for _ in 0..5 {
        last = socket.step();
    }
    assert_eq!(last.positions[FALLING], pinned);
    socket.say(json!({ "do": "unpin", "particle": FALLING }));
    socket.until("pins");
    let mut last = socket.step();
    for _ in 0..5 {
        last = socket.step();
    }
    assert_ne!(last.positions[FALLING], pinned);
}

#[test]
fn an_attractor_pulls_until_it_is_taken_away() {
    let server = server();
    let mut socket = server.open("free-fall");
    socket.say(json!({ "do": "set", "what": "gravity", "value": [0, 0, 0] }));
    socket.until("changed");
    let start = socket.frame();
    let at = start.positions[FALLING];
    let place = [at[0] + 1.0, at[1], at[2]];
    socket.say(json!({ "do": "attractor", "at": place, "strength": 50 }));
    let mut last = socket.step();
    for _ in 0..5 {
        last = socket.step();
    }
    assert!(last.positions[FALLING][0] > at[0], "{:?} {:?}", last.positions[FALLING], at);
    socket.say(json!({ "do": "attractor", "at": null }));
    socket.step();
}

#[test]
fn methods_switch_and_the_state_goes_on() {
    let server = server();
    let mut socket = server.open("hanging-cloth");
    for (count, method) in ["quasi-newton", "velocity-verlet", "vbd", "newton"].iter().enumerate() {
        let before = socket.step();
        assert_eq!(before.step as usize, 2 * count + 1);
        socket.say(json!({ "do": "method", "run": 0, "name": method }));
        let changed = socket.until("changed");
        assert_eq!(changed["runs"][0]["method"], *method);
        assert!(changed["text"].as_str().is_some_and(|text| text.contains(method)), "{changed}");
        let after = socket.step();
        let far = before.positions.iter().zip(&after.positions).map(|(a, b)| distance(*a, *b));
        assert!(far.fold(0.0, f32::max) < 0.2, "{method}");
    }
    socket.say(json!({
        "do": "method", "run": 0, "name": "quasi-newton", "settings": { "iterations": 3 },
    }));
    assert_eq!(socket.until("changed")["runs"][0]["settings"]["iterations"], 3.0);
    socket.say(json!({ "do": "step" }));
    socket.until("paused");
    let report = socket.until("report");
    assert_eq!(report["iterations"], 3, "{report}");
}

#[test]
fn the_scene_changes_while_it_runs() {
    let server = server();
    let mut socket = server.open("hanging-cloth");
    let many = socket.opened["points"].as_u64().expect("a count");
    socket.say(json!({ "do": "set", "what": "stiffness", "value": 4 }));
    let text = socket.until("changed")["text"].as_str().expect("a text").to_owned();
    assert!(text.contains("stiffness = 4000.0"), "{text}");
    socket.say(json!({ "do": "set", "what": "h", "value": 0.005 }));
    assert_eq!(socket.until("changed")["h"], 0.005);
    socket.step();
    let report = {
        socket.say(json!({ "do": "step" }));
        socket.until("report")
    };
    assert!((report["time"].as_f64().expect("a time") - 0.01).abs() < 1e-12, "{report}");
    socket.say(json!({ "do": "set", "what": "resolution", "value": 0.5 }));
    let opened = socket.until("opened");
    assert!(opened["points"].as_u64().is_some_and(|few| few < many / 3), "{}", opened["points"]);
    socket.step();
}

/// The newest frame of every run.
fn all_runs(socket: &mut Socket, runs: usize) -> Vec<Frame> {
    socket.say(json!({ "do": "credit", "frames": runs }));
    let mut frames = Vec::new();
    while frames.len() < runs {
        match socket.next() {
            Heard::Frame(frame) => frames.push(frame),
            Heard::Text(text) => assert_ne!(text["is"], "problem", "{text}"),
            Heard::Closed(code) => panic!("closed: {code}"),
        }
    }
    frames.sort_by_key(|frame| frame.run);
    frames
}

#[test]
fn methods_run_side_by_side_in_lock_step() {
    let server = server();
    let mut socket = server.socket();
    let methods = json!([
        { "name": "symplectic-euler" },
        { "name": "newton" },
        { "name": "quasi-newton", "settings": { "iterations": 5 } },
    ]);
    socket.say(json!({ "do": "open", "scene": "hanging-cloth", "methods": methods }));
    let opened = socket.until("opened");
    assert_eq!(numbers(&opened["runs"]), 3);
    all_runs(&mut socket, 3);
    for run in 0..3 {
        socket.say(json!({ "do": "reference", "run": run, "on": true }));
    }
    for _ in 0..3 {
        socket.say(json!({ "do": "step" }));
        socket.until("paused");
    }
    let mut errors = [f64::NAN; 3];
    while errors.iter().any(|error| error.is_nan()) {
        let report = socket.until("report");
        assert_eq!(report["step"], 3);
        let run = report["run"].as_u64().expect("a run") as usize;
        errors[run] = report["error"].as_f64().expect("an error");
        assert!(report["seconds"]["total"].as_f64().is_some_and(|seconds| seconds > 0.0));
    }
    assert!(errors[1] < 1e-2 && errors[2] > errors[1], "{errors:?}");
    let frames = all_runs(&mut socket, 3);
    assert!(frames.iter().all(|frame| frame.step == 3));
    assert_ne!(frames[0].positions, frames[1].positions);
}

#[test]
fn the_timeline_goes_back_and_on_from_there() {
    let server = server();
    let mut socket = server.open("pendulum");
    let start = socket.frame();
    let first = socket.step();
    for _ in 0..20 {
        socket.step();
    }
    socket.say(json!({ "do": "seek", "frame": 0 }));
    socket.until("paused");
    let told = socket.until("timeline");
    assert_eq!(told["frame"], 0);
    assert!(told["frames"].as_u64().is_some_and(|kept| kept > 2), "{told}");
    socket.until("report");
    let frame = socket.frame();
    assert_eq!((frame.step, &frame.positions), (0, &start.positions));
    let again = socket.step();
    assert_eq!(again.positions, first.positions, "the same steps follow");
    socket.say(json!({ "do": "reset" }));
    socket.until("pins");
    assert_eq!(socket.until("timeline")["frames"], 1);
}

#[test]
fn a_text_is_checked_line_by_line() {
    let server = server();
    let text = "format = 1\n[[deformables]]\ngrid = { columns = 4, rows = 4 }\nmass = -1\n";
    let told = server.post("/api/check", &json!({ "text": text })).json();
    let problem = &told["problems"][0];
    assert_eq!((&problem["line"], &problem["kind"]), (&json!(4), &json!("error")), "{told}");
    assert_eq!(problem["field"], "deformables[0].mass");
    let fine = server.get("/api/scene/flag").text();
    let told = server.post("/api/check", &json!({ "text": fine })).json();
    assert_eq!(told["problems"], json!([]));
    assert_eq!(server.post("/api/check", &json!({ "other": 1 })).code, 400);
}

/// S12: what a scene is called is text, wherever it is told.
#[test]
fn names_of_scenes_are_text() {
    let server = server();
    let mut socket = server.socket();
    let title = "<img src=x onerror=alert(1)>\"</script>";
    let text = server.get("/api/scene/pendulum").text();
    let text: String = text
        .lines()
        .map(|line| match line.starts_with("title") {
            true => format!("title = {title:?}\n"),
            false => format!("{line}\n"),
        })
        .collect();
    socket.say(json!({ "do": "open", "text": text }));
    assert_eq!(socket.until("opened")["title"], title);
    socket.say(json!({ "do": "export", "kind": "recording" }));
    let url = loop {
        let told = socket.until("export");
        if let Some(url) = told["url"].as_str() {
            break url.to_owned();
        }
    };
    let answer = server.get(&url);
    let disposition = answer.header("content-disposition").expect("an attachment");
    assert!(!disposition.contains('<') && disposition.ends_with(".hooke\""), "{disposition}");
    assert_eq!(answer.header("content-type"), Some("application/octet-stream"));
}
