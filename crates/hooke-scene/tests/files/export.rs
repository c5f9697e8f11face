//! What the exporters promise beyond the numbers, which `readers.py` and `readers.mjs` compare.

use std::fs;

use crate::common::Folder;
use hooke_scene::export::{ExportError, Format, Frame, Frames, Topology, export};
use hooke_scene::import::{Limits, read};

/// A square that rises; `edit` spoils frames.
struct Square {
    frames: usize,
    fps: f64,
    name: &'static str,
    triangles: Vec<[u32; 3]>,
    edit: fn(usize, &mut Frame),
}

impl Default for Square {
    fn default() -> Self {
        let triangles = vec![[0, 1, 2], [0, 2, 3]];
        Self { frames: 4, fps: 30.0, name: "square", triangles, edit: |_, _| {} }
    }
}

const UVS: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

impl Frames for Square {
    fn len(&self) -> usize {
        self.frames
    }
    fn particles(&self) -> usize {
        4
    }
    fn fps(&self) -> f64 {
        self.fps
    }
    fn topology(&self) -> Topology<'_> {
        Topology { triangles: &self.triangles, uvs: Some(&UVS), ..Topology::default() }
    }
    fn read(&mut self, index: usize, frame: &mut Frame) -> Result<(), ExportError> {
        frame.time = index as f64 / self.fps;
        frame.positions = UVS.map(|[u, v]| [u, 0.1 * index as f64, -v]).to_vec();
        frame.velocities = vec![[0.0, 3.0, 0.0]; 4];
        (self.edit)(index, frame);
        Ok(())
    }
    fn name(&self) -> &str {
        self.name
    }
}

/// A format by its name.
fn named(name: &str) -> Format {
    Format::named(name).expect("a format")
}

fn message(mut frames: Square, format: Format) -> String {
    let folder = Folder::new(&format!("message-{format}-{:?}", std::thread::current().id()));
    let target = folder.0.join(format.file_name("square"));
    let error = export(&mut frames, format, &target, &mut |_, _| {}).unwrap_err().to_string();
    assert_eq!(folder.names(), Vec::<String>::new(), "{format} left something behind");
    error
}

#[test]
fn what_is_written_can_be_imported_again() {
    let folder = Folder::new("again");
    let mut frames = Square::default();
    for (format, file) in
        [(named("glb"), ""), (named("obj"), "frame_00000.obj"), (named("ply"), "frame_00000.ply")]
    {
        let target = folder.0.join(format.file_name("square"));
        export(&mut frames, format, &target, &mut |_, _| {}).unwrap();
        let path = if file.is_empty() { target } else { target.join(file) };
        let mesh = read(&path, &Limits::default()).unwrap();
        assert_eq!(mesh.positions, UVS.map(|[u, v]| [u, 0.0, -v]), "{format}");
        assert_eq!(mesh.triangles, frames.triangles, "{format}");
        assert_eq!(mesh.uvs.as_deref(), Some(&UVS[..]), "{format}");
    }
}

#[test]
fn only_complete_files_appear_and_all_are_reported() {
    for &format in Format::ALL {
        let folder = Folder::new(&format!("complete-{format}"));
        let target = folder.0.join(format.file_name("square"));
        for replacing in [false, true] {
            let mut steps = Vec::new();
            let report = export(&mut Square::default(), format, &target, &mut |done, all| {
                steps.push((done, all));
                assert_eq!(target.exists(), replacing, "{format}");
            })
            .unwrap();
            assert!(report.files.iter().all(|file| file.is_file()), "{format}");
            assert_eq!(report.notes, Vec::<String>::new());
            assert!(steps.is_sorted());
            assert!(steps.last().is_some_and(|(done, all)| done == all), "{format}: {steps:?}");
        }
        assert!(folder.names().iter().all(|name| !name.ends_with(".part")), "{format}");
    }
}

#[test]
fn spoiled_frames_leave_no_file() {
    for &format in Format::ALL {
        let nan = Square {
            edit: |i, frame| frame.positions[2][1] /= 2.0 - i as f64,
            ..Default::default()
        };
        assert_eq!(
            message(nan, format),
            "frame 2: the position of particle 2 is not finite (inf)",
            "{format}"
        );
    }
    let short = Square { edit: |_, frame| frame.velocities.truncate(3), ..Default::default() };
    assert_eq!(
        message(short, named("npz")),
        "frame 0: velocity is given for 3 particles, but there are 4"
    );
    let still = Square { edit: |_, frame| frame.time = 1.0, ..Default::default() };
    assert_eq!(
        message(still, named("pvd")),
        "frame 1: the time 1 s does not follow 1 s of frame 0"
    );
    let huge = Square { edit: |_, frame| frame.positions[0][0] = 1e39, ..Default::default() };
    assert_eq!(
        message(huge, named("pc2")),
        "frame 0: the position of particle 0 is too large for the format (1e39)"
            .replace("1e39", &1e39_f64.to_string())
    );
    let bad = Square { triangles: vec![[0, 1, 4]], ..Default::default() };
    assert_eq!(message(bad, named("obj")), "an element refers to particle 4 of 4");
    let empty = Square { frames: 0, ..Default::default() };
    assert_eq!(message(empty, named("glb")), "there is nothing to export: the recording is empty");
    let rate = Square { fps: 0.0, ..Default::default() };
    assert_eq!(message(rate, named("usda")), "0 frames a second are impossible");
}

#[test]
fn one_frame_is_enough() {
    for &format in Format::ALL {
        let folder = Folder::new(&format!("one-{format}"));
        let target = folder.0.join(format.file_name("square"));
        export(&mut Square { frames: 1, ..Default::default() }, format, &target, &mut |_, _| {})
            .unwrap_or_else(|error| panic!("{format}: {error}"));
    }
}

#[test]
fn long_recordings_are_thinned_for_glb_only() {
    let folder = Folder::new("thin");
    let mut frames = Square { frames: 600, ..Default::default() };
    let report =
        export(&mut frames, named("glb"), &folder.0.join("a.glb"), &mut |_, _| {}).unwrap();
    assert_eq!(
        report.notes,
        ["250 of 600 frames were kept, evenly spaced at their true times: \
          glTF players hold all of them in memory"]
    );
}

#[test]
fn late_and_early_starts_are_shifted_for_glb() {
    for (shift, note) in [
        (|_, frame: &mut Frame| frame.time -= 1.0, "the animation starts at 0 s instead of -1 s"),
        (
            |_, frame: &mut Frame| frame.time += 1e7,
            "the animation starts at 0 s instead of 10000000 s",
        ),
    ] as [(fn(usize, &mut Frame), &str); 2]
    {
        let folder = Folder::new("shift");
        let mut frames = Square { edit: shift, ..Default::default() };
        let target = folder.0.join("a.glb");
        assert_eq!(
            export(&mut frames, named("glb"), &target, &mut |_, _| {}).unwrap().notes,
            [note]
        );
    }
}

#[test]
fn other_peoples_folders_are_left_alone() {
    let folder = Folder::new("foreign");
    let target = folder.0.join("square_obj");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("thesis.txt"), "years of work").unwrap();
    let error = export(&mut Square::default(), named("obj"), &target, &mut |_, _| {}).unwrap_err();
    assert!(error.to_string().ends_with("is a folder with other files in it; choose another name"));
    assert_eq!(fs::read_to_string(target.join("thesis.txt")).unwrap(), "years of work");
    assert_eq!(folder.names(), ["square_obj"]);
}

#[test]
fn a_shorter_export_replaces_a_longer_one() {
    let folder = Folder::new("shorter");
    let target = folder.0.join("square_ply");
    for frames in [9, 3] {
        let mut frames = Square { frames, ..Default::default() };
        export(&mut frames, named("ply"), &target, &mut |_, _| {}).unwrap();
    }
    assert_eq!(fs::read_dir(&target).unwrap().count(), 3);
}

#[test]
fn a_failed_export_keeps_the_older_file() {
    let folder = Folder::new("older");
    let target = folder.0.join("square.npz");
    fs::write(&target, "older").unwrap();
    let mut frames = Square { edit: |_, frame| frame.time = f64::NAN, ..Default::default() };
    assert!(export(&mut frames, named("npz"), &target, &mut |_, _| {}).is_err());
    assert_eq!(fs::read_to_string(&target).unwrap(), "older");
    assert_eq!(folder.names(), ["square.npz"]);
}

#[test]
fn targets_that_cannot_be_written() {
    let folder = Folder::new("target");
    for &format in Format::ALL {
        let target = folder.0.join("missing").join(format.file_name("square"));
        let error = export(&mut Square::default(), format, &target, &mut |_, _| {}).unwrap_err();
        assert!(error.to_string().contains("cannot be created"), "{format}: {error}");
        let root = std::path::Path::new("/");
        assert!(export(&mut Square::default(), format, root, &mut |_, _| {}).is_err(), "{format}");
    }
}

#[test]
fn names_cannot_break_a_file() {
    let folder = Folder::new("names");
    for &format in Format::ALL {
        let mut frames = Square { name: "a\nv 9 9 9\"<&>\\", ..Default::default() };
        let target = folder.0.join(format.file_name("a"));
        let report = export(&mut frames, format, &target, &mut |_, _| {}).unwrap();
        if ["obj", "ply", "glb"].contains(&format.name) {
            let mesh = read(&report.files[0], &Limits::default()).unwrap();
            assert_eq!(mesh.positions.len(), 4);
        }
    }
}

#[test]
fn format_names() {
    for &format in Format::ALL {
        assert_eq!(Format::named(format.name), Some(format));
    }
    assert_eq!(Format::named("gbl"), None);
    assert_eq!(named("glb").file_name("cloth"), "cloth.glb");
    assert_eq!(named("obj").file_name("cloth"), "cloth_obj");
}

#[test]
fn the_readme_lists_every_format() {
    let readme = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let row =
        |format: &Format| format!("| {} | {} |\n", format.name.to_uppercase(), format.readers);
    let table = Format::ALL.iter().map(row).collect::<String>();
    assert!(readme.contains(&format!("| format | for |\n|---|---|\n{table}\n")), "{table}");
}
