//! The files that scenes name (S7, S10): every field of the format that names one is found in its
//! declarations and tried.

use crate::client::{Server, server, server_with};
use hooke_scene::field::{Kind, TableInfo};
use hooke_scene::format::describe;
use hooke_scene::{Scene, gallery};
use hooke_studio::First;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Calls `each` for every field that names a file: its path, and a text that names `file` there.
fn walk(each: &mut dyn FnMut(&str, &dyn Fn(&str) -> String)) {
    for field in describe().fields {
        let wrap = |value: &str| format!("format = 1\n{} = {value}\n", field.name);
        walk_kind(&field.kind, field.name, &wrap, each);
    }
}

fn walk_table(
    info: &TableInfo,
    path: &str,
    wrap: &dyn Fn(&str) -> String,
    each: &mut dyn FnMut(&str, &dyn Fn(&str) -> String),
) {
    for field in &info.fields {
        let inner = |value: &str| {
            let mut parts = vec![format!("{} = {value}", field.name)];
            let needs = |other: &&hooke_scene::field::FieldInfo| other.required;
            for other in info.fields.iter().filter(needs).filter(|other| other.name != field.name) {
                parts.push(format!("{} = {}", other.name, other.example.expect("an example")));
            }
            // What a file makes no sense without.
            match (info.title, field.name) {
                ("deformable", _) => parts.push("mass = 1, structural = { stiffness = 1 }".into()),
                ("drawing", _) => parts.push("text = \"A\"".into()),
                ("chain", "targets") => parts.push("bones = [1, 1]".into()),
                _ => {}
            }
            wrap(&format!("{{ {} }}", parts.join(", ")))
        };
        walk_kind(&field.kind, &format!("{path}.{}", field.name), &inner, each);
    }
}

fn walk_kind(
    kind: &Kind,
    path: &str,
    wrap: &dyn Fn(&str) -> String,
    each: &mut dyn FnMut(&str, &dyn Fn(&str) -> String),
) {
    match kind {
        Kind::File => each(path, &|file| wrap(&format!("{file:?}"))),
        Kind::Table(info) => walk_table(&info(), path, wrap, each),
        Kind::List(kind) => {
            let list = |value: &str| wrap(&format!("[{value}]"));
            walk_kind(kind, &format!("{path}[0]"), &list, each);
        }
        Kind::Tuple(..) | Kind::Named(_) | Kind::Either(_) => {
            let mut deeper = Vec::new();
            inner_kinds(kind, &mut deeper);
            assert!(deeper.iter().all(|kind| !matches!(kind, Kind::File)), "{path}: try it here");
        }
        _ => {}
    }
}

fn inner_kinds(kind: &Kind, all: &mut Vec<Kind>) {
    match kind {
        Kind::Tuple(_, kind) | Kind::Named(kind) | Kind::List(kind) => inner_kinds(kind, all),
        Kind::Either(kinds) => kinds.iter().for_each(|kind| inner_kinds(kind, all)),
        Kind::Table(info) => info().fields.iter().for_each(|field| inner_kinds(&field.kind, all)),
        kind => all.push(kind.clone()),
    }
}

/// A folder of this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.canonicalize().expect("a folder")
}

/// What is wrong with a text: field and sentence of the first problem.
fn first_problem(server: &Server, text: &str) -> (String, String) {
    let checked = server.post("/api/check", &json!({ "text": text })).json();
    let problem = &checked["problems"][0];
    let words = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    (words("field"), words("message"))
}

/// S10: no field names a file outside, and what such a file holds is not told.
#[test]
fn no_path_of_a_scene_is_followed() {
    let outside = folder("studio-outside");
    let secret = "hunter2";
    let names = ["x.obj", "x.urdf", "x.bvh", "x.ttf", "x.gltf", "x"];
    for name in names {
        std::fs::write(outside.join(name), format!("{secret} {secret}\n")).expect("a file");
    }
    let beside = folder("studio-beside");
    let path = beside.join("mine.toml");
    std::fs::write(&path, "format = 1\n").expect("a scene");
    #[cfg(unix)]
    for name in names {
        std::os::unix::fs::symlink(outside.join(name), beside.join(format!("link-{name}")))
            .expect("a link");
    }
    let first = || Some(First::File(Box::new(Scene::load(&path).expect("a scene")), path.clone()));
    for server in [server(), server_with(first())] {
        let mut socket = server.socket();
        let mut tried = 0;
        walk(&mut |field, text| {
            let mut all: Vec<String> =
                ["/etc/passwd", "../../../etc/passwd", "https://evil.example/x.obj", "a/b.obj", ""]
                    .map(str::to_owned)
                    .into();
            for name in names {
                all.push(outside.join(name).display().to_string());
                all.push(format!("../studio-outside/{name}"));
                all.push(format!("link-{name}"));
            }
            for file in &all {
                let text = text(file);
                socket.say(json!({ "do": "open", "text": text }));
                let problem = socket.until("problem");
                assert_eq!(problem["field"], field, "{file}: {problem}");
                let (checked, sentence) = first_problem(&server, &text);
                assert_eq!(checked, field, "{file}: {sentence}");
                assert!(
                    sentence.starts_with("is not among the files of this studio"),
                    "{sentence}"
                );
                assert!(!sentence.contains(secret), "{sentence}");
                tried += 1;
            }
        });
        assert!(tried >= 5 * 23, "{tried}");
        // What is saved from the page is no more trusted than what is opened from it.
        walk(&mut |field, text| {
            let outside = text(&outside.join("x.obj").display().to_string());
            let saved = server.post("/api/save", &json!({ "text": outside })).json();
            if saved["saved"].is_null() {
                return;
            }
            socket.say(json!({ "do": "open", "scene": "@" }));
            loop {
                let told = socket.next_text();
                assert_ne!(told["field"], field, "{told}");
                if told["is"] == "opened" || told["is"] == "problem" {
                    assert!(!told.to_string().contains(secret), "{told}");
                    break;
                }
            }
        });
    }
}

/// Messages name files as the scene does, and no folder of the machine.
#[test]
fn no_message_names_a_folder() {
    let beside = folder("studio-messages");
    let path = beside.join("mine.toml");
    for name in ["x.obj", "x.urdf", "x.ttf"] {
        std::fs::write(beside.join(name), "what is this\n").expect("a file");
    }
    std::fs::write(
        beside.join("x.gltf"),
        r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"gone.bin","byteLength":4}],"skins":[]}"#,
    )
    .expect("a file");
    let temp = std::env::temp_dir().display().to_string();
    let mut tried = 0;
    walk(&mut |field, text| {
        for file in ["x.obj", "x.urdf", "x.ttf", "x.gltf"] {
            let text = text(file);
            std::fs::write(&path, &text).expect("a scene");
            let scene = Scene::load(&path).expect("a scene");
            let server = server_with(Some(First::File(Box::new(scene), path.clone())));
            let (checked, sentence) = first_problem(&server, &text);
            assert_eq!(checked, field, "{file}: {sentence}");
            let mut socket = server.socket();
            socket.say(json!({ "do": "open", "scene": "@" }));
            let told = socket.until("problem").to_string();
            for told in [&told, &sentence] {
                let bare = !told.contains(&temp) && !told.contains("studio-messages");
                assert!(bare, "{field}: {told}");
            }
            tried += 1;
        }
    });
    assert!(tried >= 20, "{tried}");
}

/// A scene that names files runs, is edited, is run again from its text, and is exported: every one of
/// the gallery, and each as a file of one's own with its files beside it.
#[test]
fn scenes_with_files_run_again_after_an_edit() {
    let with_files: Vec<_> = gallery()
        .iter()
        .filter_map(|entry| Scene::gallery(entry.name))
        .filter(|scene| !scene.files().is_empty())
        .collect();
    assert!(with_files.len() >= 3);
    let server = server();
    for scene in &with_files {
        let own = folder("studio-own");
        for (name, bytes) in scene.embedded_meshes() {
            std::fs::write(own.join(name), bytes).expect("a file");
        }
        let path = own.join("own.toml");
        std::fs::write(&path, scene.text()).expect("a scene");
        let loaded = Scene::load(&path).expect("a scene");
        let own_server = server_with(Some(First::File(Box::new(loaded), path)));
        let name = scene.name().trim_end_matches(".toml").to_owned();
        for (server, name) in [(&server, name.as_str()), (&own_server, "@")] {
            let mut socket = server.open(name);
            socket.step();
            socket.say(json!({ "do": "set", "what": "gravity", "value": [0, -5, 0] }));
            let text = socket.until("changed")["text"].as_str().expect("a text").to_owned();
            socket.say(json!({ "do": "open", "text": text }));
            socket.until("opened");
            socket.step();
            socket.say(json!({ "do": "export", "kind": "png" }));
            while socket.until("export")["url"].is_null() {}
        }
    }
}

/// A scene of the command line may name files anywhere, as `hooke run` reads them; its text still does
/// after an edit, and no other text names more.
#[test]
fn the_file_of_the_command_line_keeps_its_own_names() {
    let folder = folder("studio-names");
    std::fs::create_dir_all(folder.join("scenes")).expect("a folder");
    std::fs::write(folder.join("t.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("a mesh");
    std::fs::copy(folder.join("t.obj"), folder.join("u.obj")).expect("a mesh");
    let path = folder.join("scenes/mine.toml");
    let text = "format = 1\n[[deformables]]\nmesh = \"../t.obj\"\nmass = 1\nstructural = { stiffness = 9 }\n";
    std::fs::write(&path, text).expect("a scene");
    let scene = Scene::load(&path).expect("a scene");
    let server = server_with(Some(First::File(Box::new(scene), path)));
    let mut socket = server.open("@");
    socket.step();
    socket.say(json!({ "do": "open", "text": format!("{text}drag = 0.1\n") }));
    socket.until("opened");
    socket.step();
    socket.say(json!({ "do": "open", "text": text.replace("t.obj", "u.obj") }));
    assert_eq!(socket.until("problem")["field"], "deformables[0].mesh");
}

/// A file that the scene of the command line names is its own, also where the gallery has one of that name.
#[test]
fn a_file_of_ones_own_comes_first() {
    let folder = folder("studio-shadow");
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    std::fs::write(folder.join("skirt.obj"), triangle).expect("a mesh");
    std::fs::write(folder.join("other.obj"), triangle).expect("a mesh");
    let path = folder.join("mine.toml");
    let text = "format = 1\n[[deformables]]\nmesh = \"skirt.obj\"\nmass = 1\nstructural = { stiffness = 9 }\n";
    std::fs::write(&path, text).expect("a scene");
    let scene = Scene::load(&path).expect("a scene");
    let server = server_with(Some(First::File(Box::new(scene), path)));
    let mut socket = server.socket();
    socket.say(json!({ "do": "open", "text": format!("{text}drag = 0.1\n") }));
    assert_eq!(socket.until("opened")["points"], 3);
    // What is dropped gets another name than what lies there.
    let base64 = "diAwIDAgMAp2IDEgMCAwCnYgMCAxIDAKZiAxIDIgMwo=";
    let made = server.post("/api/import", &json!({ "name": "other.obj", "base64": base64 })).json();
    let made = made["text"].as_str().expect("a scene");
    assert!(made.contains("mesh = \"other-1.obj\""), "{made}");
}
