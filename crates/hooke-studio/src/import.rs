//! A file dropped on the page becomes a scene: a scene file as it is, a mesh as a body of cloth that
//! hangs from its top, or as a soft solid that falls.

use crate::library::Library;
use crate::limits;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hooke_scene::import::{self, EXTENSIONS, ImportError, Limits, Mesh};
use serde_json::{Value, json};
use std::path::PathBuf;

/// How much of its height a mesh is held by, from the top down.
const HELD: f64 = 0.02;

/// The scene that a file makes, or one sentence on why it makes none.
pub(crate) fn scene_of(library: &Library, name: &str, base64: &str) -> Result<Value, String> {
    let bytes = BASE64_STANDARD.decode(base64).map_err(|_| "the file arrived incomplete")?;
    if bytes.len() > limits::FILE {
        return Err(format!("a dropped file has at most {} MiB", limits::FILE >> 20));
    }
    let shown: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = extension.to_ascii_lowercase();
    if extension == "toml" {
        let text = String::from_utf8(bytes).map_err(|_| format!("{shown}: is not text"))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        library.note(text);
        return Ok(json!({ "name": shown, "text": text }));
    }
    if !EXTENSIONS.contains(&extension.as_str()) {
        let known = EXTENSIONS.join(", .");
        return Err(format!("{shown}: drop a scene (.toml) or a mesh (.{known})"));
    }
    let file = library.store(name, &bytes)?;
    let within = Limits { vertices: 1_000_000, elements: 5_000_000, bytes: limits::FILE as u64 };
    let path = library.folder().join(&file);
    let mesh = import::read(&path, &within).map_err(|error| {
        // A file that this one names has its own name.
        let own = error.file.file_name().filter(|_| error.file != path);
        let file = own.map_or_else(|| shown.as_str().into(), PathBuf::from);
        ImportError { file, ..error }.to_string()
    })?;
    let text = write(&shown, &file, &mesh)?;
    match library.read(&text).and_then(|scene| scene.compile()) {
        Ok(_) => {
            library.note(&text);
            Ok(json!({ "name": shown, "text": text }))
        }
        Err(problems) => {
            let first = problems.list.first();
            let sentence = first.map_or("is not a scene", |problem| &problem.sentence);
            Err(format!("{shown}: {sentence}"))
        }
    }
}

/// The text of a scene with one mesh.
fn write(title: &str, file: &str, mesh: &Mesh) -> Result<String, String> {
    let (mut low, mut high) = ([f64::MAX; 3], [f64::MIN; 3]);
    for point in &mesh.positions {
        for axis in 0..3 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    let size = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
    if mesh.positions.is_empty() || size <= 0.0 {
        return Err(format!("{title}: contains no shape"));
    }
    // Text in JSON is text in TOML.
    let title = json!(title);
    let head = format!(
        "format = 1\ntitle = {title}\n\n[time]\nstep = \"1/60\"\nduration = 4.0\nfps = 30\n\n\
         [method]\nname = \"newton\"\n\n[[deformables]]\nname = \"mesh\"\nmesh = \"{file}\"\n"
    );
    if !mesh.tets.is_empty() {
        let floor = low[1] - 0.5 * size;
        return Ok(format!(
            "{head}density = 1000\nsolid = {{ young = 1e5, poisson = 0.4 }}\n\n\
             [[obstacles]]\nfloor = {{ height = {floor:?} }}\n"
        ));
    }
    let top = high[1] - HELD * (high[1] - low[1]).max(1e-9 * size);
    let [a, b] = [low, high].map(|corner| corner.map(|value| value.clamp(-1e9, 1e9)));
    let margin = 1e-6 * size;
    let corners = format!(
        "[[{:?}, {:?}, {:?}], [{:?}, {:?}, {:?}]]",
        a[0] - margin,
        top - margin,
        a[2] - margin,
        b[0] + margin,
        b[1] + margin,
        b[2] + margin
    );
    Ok(format!(
        "{head}density = 0.3\nstructural = {{ stiffness = 500, damping = 0.01 }}\n\
         bend = {{ stiffness = 5 }}\ndrag = 0.0002\n\n[deformables.groups]\n\
         top = {{ box = {corners} }}\n\n[[deformables.pins]]\ngroup = \"top\"\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

    fn drop(name: &str, bytes: &[u8]) -> Result<Value, String> {
        let library = Library::new(None, None).expect("a folder");
        let made = scene_of(&library, name, &BASE64_STANDARD.encode(bytes)).map(|made| {
            let text = made["text"].as_str().expect("a text").to_owned();
            assert!(library.read(&text).is_ok(), "{text}");
            made
        });
        library.clear();
        made
    }

    #[test]
    fn a_mesh_becomes_a_scene() {
        let made = drop("a \"tri\\angle\n.OBJ", TRIANGLE.as_bytes()).expect("a scene");
        let text = made["text"].as_str().expect("a text");
        assert!(text.contains("mesh = \"atriangle.obj\""), "{text}");
    }

    #[test]
    fn a_mesh_may_have_any_name() {
        for (name, file) in [
            ("裙子.obj", "裙子.obj"),
            ("Röckchen 2.obj", "Röckchen2.obj"),
            ("юбка.OBJ", "юбка.obj"),
            ("🩱.obj", "mesh.obj"),
            (".obj", "mesh.obj"),
            ("../..//.obj", "mesh.obj"),
        ] {
            let made = drop(name, TRIANGLE.as_bytes()).expect(name);
            let text = made["text"].as_str().expect("a text");
            assert!(text.contains(&format!("mesh = \"{file}\"")), "{name}: {text}");
        }
    }

    #[test]
    fn what_is_no_mesh_gets_one_sentence() {
        for (name, bytes) in [
            ("x.obj", &b"v 0 0 0\nf 1 2 9\n"[..]),
            ("x.obj", b""),
            ("x.exe", b"MZ"),
            ("x", b"?"),
            ("../../x.stl", b"solid"),
            ("x.glb", b"glTF\xff\xff\xff\xff"),
            ("x.toml", b"\xff"),
            (
                "x.gltf",
                br#"{"asset":{"version":"2.0"},"buffers":[{"uri":"no.bin","byteLength":4}]}"#,
            ),
        ] {
            let sentence = drop(name, bytes).expect_err(name);
            assert!(!sentence.is_empty() && sentence.lines().count() == 1, "{sentence}");
            assert!(!sentence.contains("hooke-studio-"), "{sentence}");
        }
    }
}
