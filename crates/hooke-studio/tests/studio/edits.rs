//! Edits that take a while: what runs goes on, and answers, until they are there.

use crate::client::{Heard, Socket, server};
use serde_json::{Value, json};

/// A cloth that takes some time to build and to factor.
const CLOTH: &str = r#"format = 1
title = "Large cloth"

[time]
step = "1/60"
duration = 4.0

[method]
name = "quasi-newton"
iterations = 2

[[deformables]]
grid = { columns = 100, rows = 100, size = [1.0, 1.0] }
mass = 0.3
structural = { stiffness = 1000 }
shear = { stiffness = 500 }
bend = { stiffness = 10 }
"#;

/// The kinds of messages until one of the kind `last` comes, and that one.
fn kinds(socket: &mut Socket, last: &str) -> (Vec<String>, Value) {
    let mut heard = Vec::new();
    loop {
        match socket.next() {
            Heard::Text(text) if text["is"] == last => return (heard, text),
            Heard::Text(text) => {
                assert_ne!(text["is"], "problem", "{text}");
                heard.push(text["is"].as_str().unwrap_or_default().to_owned());
            }
            Heard::Frame(_) => {}
            Heard::Closed(code) => panic!("closed: {code}"),
        }
    }
}

#[test]
fn a_large_cloth_goes_on_and_answers_while_an_edit_is_built() {
    let server = server();
    let mut socket = server.socket();
    socket.say(json!({ "do": "open", "text": CLOTH }));
    socket.until("opened");
    for (count, edit) in [
        json!({ "do": "set", "what": "stiffness", "value": 2 }),
        json!({ "do": "set", "what": "h", "value": 0.01 }),
        json!({ "do": "method", "run": 0, "name": "newton" }),
    ]
    .into_iter()
    .enumerate()
    {
        let particle = 500 + count;
        socket.say(edit);
        socket.say(json!({ "do": "pin", "particle": particle }));
        socket.say(json!({ "do": "step" }));
        let (heard, changed) = kinds(&mut socket, "changed");
        assert!(heard.iter().any(|kind| kind == "busy"), "{heard:?}");
        assert!(heard.iter().any(|kind| kind == "pins"), "it was pinned meanwhile: {heard:?}");
        assert!(heard.iter().any(|kind| kind == "paused"), "it stepped meanwhile: {heard:?}");
        let pins = socket.until("pins");
        let pinned = pins["pins"].as_array().is_some_and(|pins| pins.contains(&json!(particle)));
        assert!(pinned, "what was pinned meanwhile stays pinned: {pins}");
        assert!(changed["text"].is_string());
        assert_eq!(socket.step().step as usize, 2 * (count + 1), "it goes on from where it was");
    }
    assert_eq!(server.get("/api/scene/flag").code, 200);
}

#[test]
fn edits_wait_for_each_other_and_the_last_wins() {
    let server = server();
    let mut socket = server.socket();
    socket.say(json!({ "do": "open", "text": CLOTH }));
    socket.until("opened");
    for factor in 2..9 {
        socket.say(json!({ "do": "set", "what": "stiffness", "value": factor }));
    }
    socket.say(json!({ "do": "set", "what": "gravity", "value": [0, -2.5, 0] }));
    let mut changes = 0;
    let text = loop {
        changes += 1;
        let text = socket.until("changed")["text"].as_str().expect("a text").to_owned();
        if text.contains("-2.5") {
            break text;
        }
    };
    assert!(text.contains("stiffness = 8000.0"), "{text}");
    assert!(changes < 8, "those that wait and are overtaken are not built: {changes}");
    assert_eq!(socket.step().step, 1);
}

#[test]
fn an_edit_that_does_not_run_changes_nothing() {
    let server = server();
    let mut socket = server.socket();
    socket.say(json!({ "do": "open", "text": CLOTH }));
    socket.until("opened");
    // Far above what a step is cut into at most.
    socket.say(json!({ "do": "set", "what": "stiffness", "value": 1e6 }));
    socket.until("changed");
    socket.say(json!({ "do": "method", "run": 0, "name": "symplectic-euler" }));
    let problem = socket.until("problem");
    assert!(
        problem["message"].as_str().is_some_and(|text| text.contains("sub-steps")),
        "{problem}"
    );
    assert_eq!(socket.step().step, 1);
}
