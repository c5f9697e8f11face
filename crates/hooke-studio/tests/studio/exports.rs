//! Files that leave the studio and files that come into it.

use crate::client::{server, server_with};
use hooke_scene::Scene;
use hooke_studio::First;
use serde_json::json;

/// Base64 of a text, by the book.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= chunk.len() { letter as char } else { '=' });
        }
    }
    out
}

#[test]
fn what_was_seen_can_be_taken_away() {
    let server = server();
    let mut socket = server.open("pendulum");
    for _ in 0..4 {
        socket.step();
    }
    for (kind, magic) in
        [("recording", &b"HOOKEREC"[..]), ("png", b"\x89PNG"), ("gif", b"GIF89a"), ("glb", b"glTF")]
    {
        socket.say(json!({ "do": "export", "kind": kind }));
        let (url, name) = loop {
            let told = socket.until("export");
            assert_eq!(told["kind"], kind);
            assert!(told["done"].as_u64() <= told["total"].as_u64(), "{told}");
            if let Some(url) = told["url"].as_str() {
                break (url.to_owned(), told["name"].as_str().expect("a name").to_owned());
            }
        };
        let file = server.get(&url);
        assert_eq!(file.code, 200);
        assert!(file.body.starts_with(magic), "{kind}: {:?}", &file.body[..8]);
        let attachment = format!("attachment; filename=\"{name}\"");
        assert_eq!(file.header("content-disposition"), Some(attachment.as_str()));
    }
}

#[test]
fn dropped_files_become_scenes() {
    let server = server();
    let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";
    let dropped = json!({ "name": "square.obj", "base64": base64(square) });
    let made = server.post("/api/import", &dropped).json();
    let text = made["text"].as_str().expect("a scene").to_owned();
    let mut socket = server.socket();
    socket.say(json!({ "do": "open", "text": text }));
    assert_eq!(socket.until("opened")["points"], 4);
    socket.step();
    let scene = server.get("/api/scene/spring").body;
    let dropped = json!({ "name": "mine.toml", "base64": base64(&scene) });
    let made = server.post("/api/import", &dropped).json();
    assert_eq!(made["text"].as_str().map(str::as_bytes), Some(&scene[..]));
    for (name, content) in [("x.obj", &b"v 1 2\n"[..]), ("x.exe", b"MZ"), ("x.glb", b"glTF")] {
        let dropped = json!({ "name": name, "base64": base64(content) });
        let made = server.post("/api/import", &dropped).json();
        let sentence = made["problem"].as_str().expect("a sentence");
        assert!(sentence.starts_with("x.") || sentence.contains("x."), "{sentence}");
    }
    assert_eq!(server.post("/api/import", &json!({ "name": "x.obj" })).code, 400);
    let broken = server.post("/api/import", &json!({ "name": "x.obj", "base64": "?" })).json();
    assert!(broken["problem"].is_string());
}

#[test]
fn the_scene_of_the_command_line_opens_with_its_files() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("studio-first");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("meshes")).expect("a folder");
    std::fs::write(folder.join("meshes/t.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        .expect("a mesh");
    let text = "format = 1\ntitle = \"Mine\"\n[[deformables]]\nmesh = \"meshes/t.obj\"\nmass = 1\n\
                structural = { stiffness = 10 }\n";
    std::fs::write(folder.join("mine.toml"), text).expect("a scene");
    let scene = Scene::load(&folder.join("mine.toml")).expect("a scene");
    let server = server_with(Some(First::File(Box::new(scene), folder.join("mine.toml"))));
    let session = &server.get("/api/catalog").json()["session"];
    assert_eq!(*session, json!({ "scene": { "name": "@", "title": "Mine", "file": true } }));
    assert_eq!(server.get("/api/scene/@").text(), text);
    let mut socket = server.open("@");
    socket.step();
    socket.say(json!({ "do": "open", "text": format!("{text}drag = 0.1\n") }));
    socket.until("opened");
    socket.step();
    let outside = text.replace("meshes/t.obj", "meshes/../../studio-first/meshes/t.obj");
    socket.say(json!({ "do": "open", "text": outside }));
    assert_eq!(socket.until("problem")["field"], "deformables[0].mesh");
}

#[test]
fn a_text_is_saved_to_the_file_it_came_from() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("studio-save");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("mine.toml");
    let text = |title: &str| {
        let spring = Scene::gallery("spring").expect("a scene");
        let title_line = format!("title = {:?}", spring.document().title);
        spring.text().replace(&title_line, &format!("title = {title:?}"))
    };
    std::fs::write(&path, text("First")).expect("a scene");
    let scene = Scene::load(&path).expect("a scene");
    let server = server_with(Some(First::File(Box::new(scene), path.clone())));
    let save = |text: &str| server.post("/api/save", &json!({ "text": text })).json();
    assert_eq!(save(&text("Second")), json!({ "saved": "mine.toml" }));
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), text("Second"));
    assert_eq!(server.get("/api/scene/@").text(), text("Second"));
    assert_eq!(save("not yet a scene"), json!({ "saved": "mine.toml" }), "work goes on later");
    let names: Vec<_> = std::fs::read_dir(&folder).expect("a folder").collect();
    assert_eq!(names.len(), 1, "nothing else is left there");

    std::fs::write(&path, text("Another's")).expect("written by another program");
    let refused = save(&text("Third"));
    let sentence = refused["problem"].as_str().expect("a sentence");
    assert!(sentence.starts_with("mine.toml: was changed elsewhere"), "{sentence}");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), text("Another's"));
    let paths = json!({ "text": "x", "path": "/etc/passwd" });
    assert_eq!(server.post("/api/save", &paths).code, 400, "no request names a file");

    let refused = crate::client::server().post("/api/save", &json!({ "text": "x" })).json();
    assert!(refused["problem"].is_string(), "{refused}");
}

#[test]
fn thumbnails_are_pictures() {
    let server = server();
    let first = server.get("/api/thumbnail/pendulum");
    assert_eq!((first.code, first.header("content-type")), (200, Some("image/png")));
    assert!(first.body.starts_with(b"\x89PNG"));
    assert_eq!(server.get("/api/thumbnail/pendulum").body, first.body);
    assert_eq!(server.get("/api/thumbnail/nothing").code, 404);
}
