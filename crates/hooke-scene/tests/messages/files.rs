//! Files that are no scenes: each is told for what it is.

use crate::{folder, lines};
use hooke_scene::recording::{Header, Writer};
use hooke_scene::{Cause, Scene};
use std::path::Path;

#[track_caller]
fn told(path: &Path, cause: Cause, sentence: &str) {
    let problems = Scene::load(path).expect_err("no scene");
    assert_eq!(lines(&problems), [format!("error: {}{sentence}", path.display())]);
    assert_eq!(problems.cause(), cause);
}

#[test]
fn files_that_are_no_scenes() {
    let folder = folder("files");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).expect("a file");
        folder.join(name)
    };
    write("scene.toml", b"format = 1\n");
    let near = |name: &str| {
        format!(": there is no such file; did you mean {}?", folder.join(name).display())
    };
    told(&folder.join("scen.toml"), Cause::File, &near("scene.toml"));
    told(&folder.join("nothing-like-this.xyz"), Cause::File, ": there is no such file");
    told(&folder.join("nowhere/at/all"), Cause::File, ": there is no such file");
    let below = folder.join("scene.toml/below.toml");
    let sentence = ": cannot be read: a part of its path is a file, not a folder";
    told(&below, Cause::File, if cfg!(unix) { sentence } else { ": there is no such file" });
    let scene = folder.join("scene.toml");
    let sentence = format!(": is a folder; did you mean {}?", scene.display());
    told(&folder, Cause::File, &sentence);
    std::fs::create_dir(folder.join("empty")).expect("a folder");
    told(&folder.join("empty"), Cause::File, ": is a folder; name a scene file");

    let path = write("picture.toml", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    told(&path, Cause::Input, ": is not a text file; a scene is written in TOML");
    let path = write("wide.toml", b"\xff\xfef\0o\0r\0");
    told(&path, Cause::Input, ": is text in UTF-16; save it as UTF-8");
    let path = write("latin.toml", b"format = 1\ntitle = \"caf\xe9\"\n");
    told(&path, Cause::Input, ":2: is not text in UTF-8");
    let path = write("dress.obj", b"v 0 0 0\n");
    told(
        &path,
        Cause::Input,
        ": is a mesh, not a scene; a body of a scene may say mesh = \"dress.obj\"",
    );
    let path = folder.join("recording.hooke");
    let header = Header { fps: 1.0, ..Header::default() };
    Writer::create(&path, &header, false).expect("a recording").finish().expect("a recording");
    told(&path, Cause::Input, ": is a recording, not a scene; hooke render draws it");
    let path = write("long.toml", " ".repeat((32 << 20) + 1).as_bytes());
    told(&path, Cause::Limit, ": is longer than 32 MiB; put large geometry into a mesh file");
    let path = write("empty.toml", b"");
    told(&path, Cause::Input, ": format: is missing; it takes 1");
}

#[test]
fn a_scene_of_the_gallery_has_no_file() {
    told(
        Path::new("hanging-cloth.toml"),
        Cause::File,
        ": there is no such file; did you mean hanging-cloth?",
    );
}

/// A mark of UTF-8 before a scene is no part of it: lines and columns stay.
#[test]
fn a_mark_before_a_scene_changes_nothing() {
    let folder = folder("mark");
    let path = folder.join("marked.toml");
    std::fs::write(&path, "\u{feff}format = 1\n").expect("a file");
    assert_eq!(Scene::load(&path).expect("a scene").text(), "format = 1\n");
    std::fs::write(&path, "\u{feff}formt = 1\n").expect("a file");
    let problems = Scene::load(&path).expect_err("a problem");
    let [first, plain] = [problems, Scene::parse("formt = 1\n", "x").expect_err("a problem")]
        .map(|p| p.list[0].clone());
    assert_eq!((first.line, first.column), (plain.line, plain.column));
    let _ = std::fs::remove_dir_all(folder);
}
