//! What is too much, too long or no message at all (S8, S9, S10, S13, S14).

use crate::client::{Heard, PATIENCE, server};
use serde_json::json;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// S8: heads, bodies and messages have limits; a connection that says nothing is let go.
#[test]
fn what_is_too_long_is_refused() {
    let server = server();
    let (host, bearer) = (server.host(), server.bearer());
    let long = "x".repeat(64 << 10);
    let answer =
        server.raw(format!("GET / HTTP/1.1\r\nhost: {host}\r\nx-long: {long}\r\n\r\n").as_bytes());
    assert!(answer.is_none_or(|answer| answer.code >= 400));
    let many = (0..1000).map(|k| format!("x-{k}: 1\r\n")).collect::<String>();
    let answer = server.raw(format!("GET / HTTP/1.1\r\nhost: {host}\r\n{many}\r\n").as_bytes());
    assert!(answer.is_none_or(|answer| answer.code >= 400));

    let origin = format!("http://{host}");
    let head = format!(
        "POST /api/check HTTP/1.1\r\nhost: {host}\r\nauthorization: {bearer}\r\norigin: {origin}\r\n\
         content-type: application/json\r\nconnection: close\r\ncontent-length: 99999999999\r\n\r\n"
    );
    let answer = server.raw(head.as_bytes()).expect("an answer");
    assert_eq!(answer.code, 413);
    let text = json!({ "text": "#".repeat(5 << 20) });
    let problems = server.post("/api/check", &text).json();
    assert_eq!(problems["problems"][0]["kind"], "error", "{problems}");

    let mut socket = server.socket();
    socket.send(1, &vec![b'x'; 9 << 20]);
    assert!([0, 1009].contains(&socket.close_code()));
    assert_eq!(server.get("/api/catalog").code, 200);
}

/// S8: more connections than fit are closed, and those that are open go on.
#[test]
fn connections_are_counted() {
    let server = server();
    let mut tabs: Vec<_> = (0..8).map(|_| server.socket()).collect();
    let (host, protocols) = (server.host(), server.protocols());
    let origin = format!("http://{host}");
    let headers =
        [("host", host.as_str()), ("sec-websocket-protocol", &protocols), ("origin", &origin)];
    let (code, _) = server.upgrade(&headers);
    assert_eq!(code, 503);
    let idle: Vec<_> = (0..100).map(|_| server.connect()).collect();
    tabs[0].say(json!({ "do": "open", "scene": "pendulum" }));
    assert_eq!(tabs[0].until("opened")["title"], "Pendulum");
    drop(idle);
    drop(tabs);
    let clock = Instant::now();
    while server.upgrade(&headers).0 != 101 {
        assert!(clock.elapsed() < PATIENCE, "tabs that have gone make room");
    }
}

/// S8: whoever opens connections without the key shuts nobody out who has it, however many.
#[test]
fn half_open_requests_shut_nobody_out() {
    let server = server();
    let (host, bearer) = (server.host(), server.bearer());
    let kept = format!(
        "GET /api/scene/pendulum HTTP/1.1\r\nhost: {host}\r\nauthorization: {bearer}\r\n\r\n"
    );
    let mut known = server.connect();
    let mut ask_again = || {
        known.write_all(kept.as_bytes()).expect("sent");
        let mut answer = vec![0; 4096];
        let count = known.read(&mut answer).expect("an answer");
        assert!(answer[..count].starts_with(b"HTTP/1.1 200"), "a kept connection goes on");
    };
    ask_again();
    let begun = |_| {
        let mut stream = server.connect();
        // The server may let go of it at once.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: ");
        stream
    };
    let mut half: Vec<_> = (0..400).map(begun).collect();
    // A busy machine may delay one answer; strangers would delay them all.
    let mut waits = Vec::new();
    for _ in 0..11 {
        let clock = Instant::now();
        assert_eq!(server.get("/api/scene/pendulum").code, 200);
        waits.push(clock.elapsed());
        half.extend((0..40).map(begun));
    }
    waits.sort();
    assert!(waits[5] < Duration::from_secs(1), "{waits:?}");
    ask_again();
    server.open("pendulum").step();
    // None of them stays for long.
    let clock = Instant::now();
    for stream in &mut half {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    assert!(clock.elapsed() < Duration::from_secs(6), "{:?}", clock.elapsed());
}

/// S8: a connection without the key is let go after two seconds, one with it stays.
#[test]
fn strangers_are_let_go_soon() {
    let server = server();
    let clock = Instant::now();
    let mut silent = server.connect();
    let mut rest = Vec::new();
    let _ = silent.read_to_end(&mut rest);
    let taken = clock.elapsed();
    assert!(taken > Duration::from_secs(1) && taken < Duration::from_secs(5), "{taken:?}");
    // What a stranger asked for is answered, and the connection ends with it.
    let page = server.ask("GET /", &[("host", &server.host())], b"");
    assert_eq!((page.code, page.header("connection")), (200, Some("close")));
}

/// S8: a page that reads nothing misses frames; the simulation goes on, and memory does not grow.
#[test]
fn a_slow_page_gets_the_newest_frame() {
    let server = server();
    let mut slow = server.open("hanging-cloth");
    slow.say(json!({ "do": "play" }));
    let mut last = 0;
    while last < 20 {
        let report = slow.until("report");
        last = report["step"].as_u64().expect("a step");
    }
    // No credit was given: no frame came, and the first that comes is a late one.
    let frame = slow.frame();
    assert!(u64::from(frame.step) + 5 > last, "{} {last}", frame.step);
}

/// S9: what a scene asks for is weighed before anything is allocated.
#[test]
fn a_scene_that_is_too_large_is_refused() {
    let server = server();
    let mut socket = server.socket();
    let text = "format = 1\n[[deformables]]\ngrid = { columns = 4000, rows = 4000 }\nmass = 1\n\
                structural = { stiffness = 100 }\n";
    let clock = Instant::now();
    socket.say(json!({ "do": "open", "text": text }));
    let problem = socket.until("problem");
    assert!(problem["message"].as_str().expect("a sentence").contains("limit"), "{problem}");
    assert!(clock.elapsed() < PATIENCE);
    let checked = server.post("/api/check", &json!({ "text": text })).json();
    assert_eq!(checked["problems"][0]["kind"], "error", "{checked}");
    let four = json!([{ "name": "newton" }, { "name": "newton" }, { "name": "newton" },
                      { "name": "newton" }, { "name": "newton" }]);
    socket.say(json!({ "do": "open", "scene": "flag", "methods": four }));
    socket.until("problem");
}

/// S13: messages that are none get one sentence, and the tab goes on.
#[test]
fn anything_else_than_a_message_is_refused() {
    let server = server();
    let mut socket = server.open("pendulum");
    for text in [
        "",
        "{",
        "null",
        "[]",
        "{}",
        "\u{0}",
        r#"{"do":"fly"}"#,
        r#"{"do":"drag","at":[0,0,NaN]}"#,
        r#"{"do":"drag","at":[1e999,0,0]}"#,
        r#"{"do":"pin","particle":-1}"#,
        r#"{"do":"pin","particle":4294967295}"#,
        r#"{"do":"grab","particle":9999,"at":[0,0,0]}"#,
        r#"{"do":"seek","frame":99999999}"#,
        r#"{"do":"method","run":7,"name":"newton"}"#,
        r#"{"do":"method","name":"magic"}"#,
        r#"{"do":"method","name":"newton","settings":{"a.b[0]":1}}"#,
        r#"{"do":"set","what":"h","value":-1}"#,
        r#"{"do":"set","what":"h","value":"soon"}"#,
        r#"{"do":"set","what":"substeps","value":0}"#,
        r#"{"do":"speed","factor":0}"#,
        r#"{"do":"open"}"#,
        r#"{"do":"open","scene":"../flag"}"#,
        r#"{"do":"reference","run":3,"on":true}"#,
        r#"{"do":"set","what":"gravity","value":[1e200,1e200,1e200]}"#,
    ] {
        socket.send(1, text.as_bytes());
        if text.contains("1e200") {
            // What comes of such a gravity is told as an explosion.
            socket.until("changed");
            continue;
        }
        let problem = socket.until("problem");
        let sentence = problem["message"].as_str().expect("a sentence");
        assert!(!sentence.is_empty() && sentence.lines().count() == 1, "{text}: {sentence}");
    }
    socket.say(json!({ "do": "play" }));
    socket.until("exploded");
    socket.say(json!({ "do": "open", "scene": "pendulum" }));
    socket.until("opened");
    socket.frame();
}

/// S13: bytes that are no text close the tab, and nothing else.
#[test]
fn broken_frames_close_their_socket() {
    let server = server();
    let mut other = server.open("pendulum");
    let mut socket = server.socket();
    socket.send(2, &[0; 100]);
    assert!([0, 1003].contains(&socket.close_code()));
    let mut socket = server.socket();
    socket.send(1, &[0xff, 0xfe]);
    assert!([0, 1007].contains(&socket.close_code()));
    let mut socket = server.socket();
    socket.stream.write_all(&[0xff; 64]).expect("sent");
    let mut all = Vec::new();
    let _ = socket.stream.read_to_end(&mut all);
    other.step();
}

/// S14: what explodes in one tab is told there; another steps on undisturbed.
#[test]
fn an_explosion_stays_in_its_tab() {
    let server = server();
    let mut calm = server.open("pendulum");
    let first = calm.step();
    let mut wild = server.socket();
    wild.say(json!({ "do": "open", "scene": "hanging-cloth", "methods": [{ "name": "rk4" }] }));
    wild.until("opened");
    wild.say(json!({ "do": "set", "what": "substeps", "value": 1 }));
    wild.until("changed");
    wild.say(json!({ "do": "set", "what": "h", "value": 0.1 }));
    wild.until("changed");
    wild.say(json!({ "do": "play" }));
    let told = wild.until("exploded");
    assert!(told["particle"].is_u64() || told["quantity"] != "position", "{told}");
    assert!(told["limit"]["below"].as_f64().is_some_and(|limit| limit < 0.1), "{told}");
    let fixes = told["fixes"].as_array().expect("fixes").clone();
    assert!(fixes.len() >= 2, "{told}");
    let second = calm.step();
    assert_eq!(second.step, first.step + 1);
    // The first fix, sent back as it is, runs.
    wild.say(fixes[0]["do"].clone());
    wild.until("playing");
    loop {
        match wild.next() {
            Heard::Text(text) => {
                assert_ne!(text["is"], "exploded", "{text}");
                if text["is"] == "report" && text["step"].as_u64().is_some_and(|step| step > 5) {
                    break;
                }
            }
            Heard::Frame(_) => {}
            Heard::Closed(code) => panic!("closed: {code}"),
        }
    }
}
