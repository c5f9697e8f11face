//! `hooke studio` as a person starts and ends it.
#![cfg(unix)]

mod common;

use common::{command, folder, hooke, stderr};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What is promised.
const END: Duration = Duration::from_secs(3);

/// A studio, and the address that it prints.
fn spawn(name: &str, arguments: &[&str]) -> (Child, String) {
    let folder = folder(name);
    let all = [&["studio", "--no-open", "--port", "0"], arguments].concat();
    let mut child = command(&folder, &all)
        .env("TMPDIR", &folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hooke starts");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("an address");
    (child, line)
}

/// Asks a studio to end by a signal, and waits for that: what it said on standard error.
fn end(mut child: Child, signal: &str) -> String {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    let status = child.wait().expect("an end");
    assert!(status.success(), "{status}");
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    said
}

/// A studio, its port, and the key that its address is exchanged for.
fn start(name: &str, arguments: &[&str]) -> (Child, u16, String) {
    let (child, line) = spawn(name, arguments);
    let rest = line.trim().strip_prefix("http://127.0.0.1:").expect("loopback");
    let (port, token) = rest.split_once("/?token=").expect("a token");
    let port = port.parse().expect("a port");
    (child, port, key(port, token))
}

/// The key that the token of an address is exchanged for.
fn key(port: u16, token: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let body = format!("{{\"token\":\"{token}\"}}");
    let request = format!(
        "POST /api/key HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\norigin: http://127.0.0.1:{port}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (_, rest) = answer.split_once("{\"key\":\"").expect("a key");
    rest.split('"').next().expect("a key").to_owned()
}

/// A socket on which a scene was opened and these messages were sent; the last starts it.
fn play(port: u16, key: &str, messages: &[&str]) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let request = format!(
        "GET /api/socket HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\norigin: http://127.0.0.1:{port}\r\n\
         sec-websocket-protocol: hooke, hooke.key.{key}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("sent");
    for message in messages {
        let mut frame = vec![0x81, 0x80 | message.len() as u8, 0, 0, 0, 0];
        frame.extend(message.as_bytes());
        stream.write_all(&frame).expect("sent");
    }
    let mut seen = Vec::new();
    let mut part = [0; 4096];
    while !seen.windows(9).any(|window| window == b"\"playing\"") {
        let count = stream.read(&mut part).expect("the scene plays");
        assert!(count > 0, "{}", String::from_utf8_lossy(&seen));
        seen.extend(&part[..count]);
    }
    stream
}

/// S15: Ctrl-C tells the pages, leaves nothing behind and ends.
#[test]
fn ctrl_c_ends_the_studio() {
    for signal in ["-INT", "-TERM"] {
        let name = format!("studio{signal}");
        let (child, port, key) = start(&name, &[]);
        let messages = [r#"{"do":"open","scene":"curtain"}"#, r#"{"do":"play"}"#];
        let mut tab = play(port, &key, &messages);
        let idle = TcpStream::connect(("127.0.0.1", port)).expect("a connection that says nothing");
        let clock = Instant::now();
        assert_eq!(end(child, signal), "");
        assert!(clock.elapsed() < END, "{:?}", clock.elapsed());
        let mut rest = Vec::new();
        let _ = tab.read_to_end(&mut rest);
        assert!(rest.windows(9).any(|window| window == b"\"closing\""), "the page is told");
        let path =
            std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}"));
        assert_eq!(common::files(&path), Vec::<String>::new(), "nothing is left behind");
        drop(idle);
    }
}

/// S15: Ctrl-C saves what was changed and stands in no file, over nothing that is there.
#[test]
fn ctrl_c_saves_what_was_changed() {
    let open = r#"{"do":"open","scene":"spring"}"#;
    let change = r#"{"do":"set","what":"gravity","value":[0,-2.5,0]}"#;
    let play_on = r#"{"do":"play"}"#;
    let (child, port, key) = start("studio-saves", &[]);
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("command-studio-saves");
    let saves = path.join("hooke-studio");
    std::fs::create_dir(&saves).expect("a folder");
    std::fs::write(saves.join("spring.toml"), "mine").expect("a file");
    let tabs = [play(port, &key, &[open, change, play_on]), play(port, &key, &[open, play_on])];
    // The messages of a tab are obeyed in order: what plays was changed before.
    end(child, "-INT");
    drop(tabs);
    assert_eq!(std::fs::read_to_string(saves.join("spring.toml")).expect("a file"), "mine");
    let files = common::files(&saves);
    assert_eq!(files.len(), 2, "one tab changed something: {files:?}");
    let saved = files.iter().find(|name| *name != "spring.toml").expect("another");
    let text = std::fs::read_to_string(saves.join(saved)).expect("a scene");
    assert!(text.contains("-2.5"), "{text}");
    let output = hooke(&path, &["check", &format!("hooke-studio/{saved}")]);
    assert!(output.status.success(), "{}", stderr(&output));
}

/// S1: another address is taken on request only, and with a warning.
#[test]
fn another_address_is_warned_of() {
    let (child, _) = spawn("studio-exposed", &["--host", "0.0.0.0"]);
    let said = end(child, "-INT");
    assert!(said.starts_with("warning: other machines"), "{said}");
}

#[test]
fn what_cannot_be_opened_is_told_before_anything_listens() {
    let folder = folder("studio-wrong");
    for (arguments, code, sentence) in [
        (&["studio", "--no-open", "hanging-clot"][..], 2, "hanging-cloth"),
        (&["studio", "--no-open", "missing.toml"], 5, "missing.toml"),
        (&["studio", "--no-open", "--host", "192.0.2.1"], 5, "192.0.2.1"),
        (&["studio", "--no-open", "--port", "65536"], 2, "65536"),
    ] {
        let output = hooke(&folder, arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(sentence), "{arguments:?}: {}", stderr(&output));
    }
}

/// What a studio that was killed has left is gone once the next one has started, and its memory has a limit.
#[test]
fn a_killed_studio_leaves_nothing_behind() {
    let (mut child, _) = spawn("studio-killed", &[]);
    child.kill().expect("killed");
    child.wait().expect("an end");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("command-studio-killed");
    let left = || common::files(&path).iter().filter(|name| name.contains("hooke-studio-")).count();
    assert!(left() > 0, "a killed program cannot tidy up");
    let all = ["studio", "--no-open", "--port", "0", "--memory", "8"];
    let mut next = command(&path, &all)
        .env("TMPDIR", &path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hooke starts");
    let mut line = String::new();
    BufReader::new(next.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
    assert_eq!(end(next, "-INT"), "");
    assert_eq!(common::files(&path), Vec::<String>::new());
}
