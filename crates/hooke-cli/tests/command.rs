//! The command as a person meets it: what it prints, what it leaves behind, how it ends.

mod common;

use common::{command, files, folder, hooke, page, stderr, stdout};
use std::process::{Command, Stdio};

const SPRING: &str = "format = 1\ntitle = \"Two masses\"\n[time]\nstep = 0.01\nduration = 0.1\n\
    [method]\nname = \"newton\"\n[[deformables]]\npositions = [[0, 0, 0], [1, 0, 0]]\nmasses = 1\n\
    springs = [{ between = [0, 1], stiffness = 100, rest_length = 0.5 }]\npins = [{ at = 0 }]\n";

#[test]
fn a_run_leaves_its_files_and_says_what_it_was_worth() {
    let folder = folder("run");
    let run = hooke(&folder, &["run", "pendulum", "--frames", "4"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let told = stdout(&run);
    for words in [
        "Pendulum: 4 particles, 3 elements, 0 triangles; implicit-midpoint\n",
        "4 frames of 4 steps of 4.1667 ms\n",
        "stable at every step of a linear model; may gain energy on a nonlinear one; no \
         sub-steps\n",
        "frames     5 (16 steps)\n",
        "; every step converged\n",
        "files      runs/pendulum-001/\n",
    ] {
        assert!(told.contains(words), "{words:?} is not in:\n{told}");
    }
    let left = folder.join("runs/pendulum-001");
    assert_eq!(
        files(&left),
        [
            "animation.gif",
            "animation.glb",
            "checkpoint.hooke",
            "preview.png",
            "recording.hooke",
            "report.csv",
            "scene.toml",
            "timing.csv"
        ]
    );
    let report = std::fs::read_to_string(left.join("report.csv")).expect("the report");
    let rows: Vec<_> = report.lines().collect();
    assert_eq!(rows.len(), 6, "a heading and five frames");
    assert!(rows[0].starts_with("frame,step,time_s,substeps,iterations,end,residual_N,"));
    assert!(rows[5].starts_with("4,16,"), "{}", rows[5]);
    let cells = |row: &str| row.split(',').count();
    assert!(rows.iter().all(|row| cells(row) == cells(rows[0])));
    let reader = hooke_scene::recording::Reader::open(&left.join("recording.hooke"));
    let mut reader = reader.expect("the recording");
    assert_eq!((reader.frames(), reader.header().fps.round()), (5, 60.0));
    assert!(reader.frame(4).is_ok_and(|frame| (frame.time - 4.0 / 60.0).abs() < 1e-12));
    assert_eq!(
        reader.header().scene,
        std::fs::read_to_string(left.join("scene.toml")).expect("it")
    );

    hooke(&folder, &["run", "pendulum", "--frames", "4", "--export", "none"]);
    assert_eq!(files(&folder.join("runs")), ["pendulum-001", "pendulum-002"]);
    let again = std::fs::read(folder.join("runs/pendulum-002/recording.hooke")).expect("bytes");
    assert_eq!(again, std::fs::read(left.join("recording.hooke")).expect("bytes"), "the same bits");
}

#[test]
fn a_run_says_what_its_limit_did() {
    let folder = folder("limit");
    let scene = format!("{SPRING}[strain_limit]\nmax = 1.5\n");
    std::fs::write(folder.join("scene.toml"), scene).expect("a scene");
    let run = hooke(&folder, &["run", "scene.toml", "--export", "none", "--out", "limited"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let told = stdout(&run);
    assert!(told.contains("limit      exceeded by "), "{told}");
    assert!(told.contains(" % at worst, none left\n"), "{told}");
    assert!(told.contains(" J, limit "), "{told}");
    let report = std::fs::read_to_string(folder.join("limited/report.csv")).expect("the report");
    let mut rows = report.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let heading = rows.next().expect("a heading");
    let column = |name: &str| heading.iter().position(|cell| *cell == name).expect(name);
    let [before, after, sweeps] = ["limit_before", "limit_after", "limit_sweeps"].map(column);
    let first = rows.nth(1).expect("the first step");
    assert!(first[before].parse::<f64>().is_ok_and(|excess| excess > 0.1), "{first:?}");
    assert!(first[after].parse::<f64>().is_ok_and(|excess| excess < 1e-9), "{first:?}");
    assert_eq!(first[sweeps], "1");
}

#[test]
fn a_run_says_how_its_constraints_held() {
    let folder = folder("constraints");
    let run = hooke(&folder, &["run", "chain", "--frames", "6", "--export", "none"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let told = stdout(&run);
    let held = told.lines().find_map(|row| row.strip_prefix("constraints")).expect("a row");
    assert!(held.contains(" rigid rows, violated by "), "{held}");
    assert!(!held.contains("redundant"), "{held}");
}

#[test]
fn a_run_can_be_run_again_from_what_it_left() {
    let folder = folder("again");
    let first = hooke(
        &folder,
        &["run", "rope", "--frames", "3", "--method", "rk4", "--set", "deformables[0].drag=0.002"],
    );
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    let again = hooke(&folder, &["run", "runs/rope-001/scene.toml", "--out", "again", "--json"]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert!(
        stdout(&again).contains("\"folder\": \"again\",\n  \"frames\": 4,"),
        "{}",
        stdout(&again)
    );
    let read = |path: &str| std::fs::read(folder.join(path).join("report.csv")).expect("a report");
    assert_eq!(read("runs/rope-001"), read("again"));
}

#[test]
fn nothing_is_overwritten_unasked() {
    let folder = folder("overwrite");
    std::fs::create_dir(folder.join("full")).expect("a folder");
    std::fs::write(folder.join("full/note.txt"), "mine").expect("a file");
    let refused = hooke(&folder, &["run", "spring", "--frames", "1", "--out", "full"]);
    assert_eq!(refused.status.code(), Some(5));
    assert_eq!(stderr(&refused), "error: full: is not empty; --force writes into it\n");
    assert_eq!(files(&folder.join("full")), ["note.txt"]);
    let forced =
        hooke(&folder, &["run", "spring", "--frames", "1", "--out", "full", "--force", "-q"]);
    assert_eq!((forced.status.code(), stdout(&forced)), (Some(0), String::new()));
    assert_eq!(files(&folder.join("full")).len(), 9);
    let again = hooke(&folder, &["run", "spring", "--frames", "1", "--out", "full"]);
    assert_eq!(
        stderr(&again),
        "error: full: contains a run; hooke resume continues it, --force starts again\n"
    );

    assert_eq!(hooke(&folder, &["new"]).status.code(), Some(0));
    let second = hooke(&folder, &["new"]);
    assert_eq!(second.status.code(), Some(5));
    assert_eq!(stderr(&second), "error: scene.toml: already exists; --force overwrites it\n");
}

#[test]
fn two_runs_into_one_folder() {
    let folder = folder("two");
    let header = hooke_scene::recording::Header { fps: 1.0, ..Default::default() };
    std::fs::create_dir(folder.join("out")).expect("a folder");
    let path = folder.join("out/recording.hooke");
    let first = hooke_scene::recording::Writer::create(&path, &header, false).expect("the first");
    let second = hooke(&folder, &["run", "spring", "--frames", "1", "--out", "out", "--force"]);
    assert_eq!(second.status.code(), Some(5));
    assert_eq!(stderr(&second), "error: out/recording.hooke: another run is writing it\n");
    drop(first);
}

#[test]
fn bad_scenes_are_told_with_their_lines() {
    let folder = folder("bad");
    let text =
        SPRING.replace("rest_length = 0.5", "rest_lenght = 0.5").replace("masses", "massses");
    std::fs::write(folder.join("scene.toml"), text).expect("a scene");
    let run = hooke(&folder, &["run", "scene.toml"]);
    assert_eq!(run.status.code(), Some(3));
    assert_eq!(
        stderr(&run),
        "error: scene.toml:10: deformables[0].massses: there is no such field; did you mean masses?\n  \
         10 | massses = 1\n     |           ^\n\
         error: scene.toml:8: deformables[0]: one of these must be given: mass, density, masses, material\n  \
         8 | [[deformables]]\n    | ^^^^^^^^^^^^^^^\n\
         error: scene.toml:11: deformables[0].springs[0].rest_lenght: there is no such field; did you \
         mean rest_length?\n  \
         11 | springs = [{ between = [0, 1], stiffness = 100, rest_lenght = 0.5 }]\n     \
         |                                                               ^^^\n"
    );
    let json = hooke(&folder, &["run", "scene.toml", "--json-errors"]);
    assert_eq!(json.status.code(), Some(3));
    assert!(stderr(&json).starts_with(
        "[\n  {\n    \"severity\": \"error\",\n    \"file\": \"scene.toml\",\n    \"line\": 10,\n    \
         \"column\": 11,\n    \"path\": \"deformables[0].massses\",\n    \"message\": \"there is no such \
         field; did you mean masses?\",\n    \"code\": 3\n  },\n"
    ));
    assert_eq!(files(&folder), ["scene.toml"], "nothing is left behind");
}

#[test]
fn every_exit_code() {
    let folder = folder("codes");
    std::fs::write(folder.join("spring.toml"), SPRING).expect("a scene");
    std::fs::write(folder.join("latin.toml"), b"format = 1\ntitle = \"caf\xe9\"\n")
        .expect("a scene");
    std::fs::write(folder.join("file"), "").expect("a file");
    for (arguments, code, message) in [
        (&["run", "spring.toml", "--out", "a"][..], 0, ""),
        (
            &["run", "spring.toml", "--frames", "0"],
            2,
            "error: invalid value '0' for '--frames <N>'",
        ),
        (
            &["run", "hanging-clot"],
            2,
            "error: there is no file and no scene of the gallery named hanging-clot; did you mean \
             hanging-cloth?\n",
        ),
        (
            &["run", "spring.toml", "--method", "newtun"],
            3,
            "error: --method newtun: method.name: there is no method \"newtun\"; did you mean \
             newton?\n",
        ),
        (&["run", "latin.toml"], 3, "error: latin.toml:2: is not text in UTF-8\n"),
        (
            &["run", "spring.toml", "--method", "forward-euler"],
            3,
            "error: forward Euler without damping grows at every step: add drag, set substeps to a \
             number to watch it grow, or use symplectic-euler\n",
        ),
        (
            &[
                "run",
                "course-stiffness",
                "--set",
                "time.step=0.033",
                "--out",
                "diverged",
                "--export",
                "png",
            ],
            4,
            "more than 1e12 m away; the step of 3.300e-2 s is above the method's limit of 2.2",
        ),
        (&["run", "missing.toml"], 5, "error: missing.toml: there is no such file\n"),
        (&["run", "spring.toml", "--out", "file"], 5, "error: file: "),
        (
            &[
                "run",
                "spring.toml",
                "--set",
                "deformables[0].positions=[]",
                "--set",
                "time.duration=1e9",
            ],
            6,
            "error: --set time.duration=1e9: 1e9 s in steps of 0.01 s are 1e11 steps, the limit is \
             1e9\n",
        ),
    ] {
        let run = hooke(&folder, arguments);
        assert_eq!(run.status.code(), Some(code), "{arguments:?}: {}", stderr(&run));
        assert!(stderr(&run).contains(message), "{arguments:?}: {}", stderr(&run));
    }
    let reader = hooke_scene::recording::Reader::open(&folder.join("diverged/recording.hooke"));
    let mut reader = reader.expect("the frames before");
    assert!(reader.frames() > 5);
    for index in 0..reader.frames() {
        let frame = reader.frame(index).expect("a good frame");
        assert!(frame.positions.iter().all(|x| x.is_finite()));
    }
}

#[cfg(unix)]
#[test]
fn an_interruption_saves_and_says_where() {
    let folder = folder("interrupt");
    let child = command(&folder, &["run", "hanging-cloth", "--out", "out", "-v"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hooke starts");
    let recording = folder.join("out/recording.hooke");
    let begun = || std::fs::metadata(&recording).is_ok_and(|data| data.len() > 200_000);
    while !begun() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    let mut reader = hooke_scene::recording::Reader::open(&recording).expect("a recording");
    let frames = reader.frames();
    let message = format!(
        "error: stopped; {frames} frames are saved in out: hooke resume out continues it\n"
    );
    assert!(stderr(&ended).ends_with(&message), "{}", stderr(&ended));
    assert!((0..frames).all(|index| reader.frame(index).is_ok()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_is_quiet_and_a_full_disk_is_not() {
    let folder = folder("pipe");
    let mut child = command(&folder, &["schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hooke starts");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), stderr(&ended)), (Some(0), String::new()));

    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
    let ended = command(&folder, &["schema"]).stdout(full).output().expect("hooke starts");
    assert_eq!(ended.status.code(), Some(5));
    assert!(stderr(&ended).starts_with("error: standard output: "), "{}", stderr(&ended));
}

#[test]
fn the_probe_tells_numbers_that_can_be_checked() {
    let folder = folder("eval");
    std::fs::write(folder.join("scene.toml"), SPRING).expect("a scene");
    let what = "energy,forces,gradient,hessian,constraint";
    let told = stdout(&hooke(&folder, &["eval", "scene.toml", "--what", what]));
    // Stretched by half a meter: E = ½·100·0.25, f = 50 N.
    for part in [
        "\"elastic\": 1.2500000000000000e1,",
        "\"gradient\": [\n    [-5.0000000000000000e1, ",
        "[-5.0000000000000000e1, -9.8100000000000005e0, ",
        "\"size\": 6,",
        "[1.0000000000000000e2, 0.0000000000000000e0, 0.0000000000000000e0, -1.0000000000000000e2, ",
        "\"law\": \"spring\",",
        "\"value\": 5.0000000000000000e-1,",
        "\"compliance\": 1.0000000000000000e-2",
    ] {
        assert!(told.contains(part), "{part} is not in:\n{told}");
    }
    let step =
        hooke(&folder, &["eval", "scene.toml", "--steps", "1", "--method", "symplectic-euler"]);
    // x' = 1 − h² 50, the force of the start.
    assert!(stdout(&step).contains("[9.9500000000000000e-1, "), "{}", stdout(&step));
    assert!(stdout(&step).contains("\"step\": 1,"));
}

#[test]
fn the_probe_tells_multipliers_and_chains_under_either_kernels() {
    let folder = folder("eval-more");
    std::fs::write(folder.join("scene.toml"), SPRING).expect("a scene");
    let read = |options: &[&str]| -> serde_json::Value {
        let told = stdout(&hooke(&folder, &[&["eval"], options].concat()));
        serde_json::from_str(&told).expect("JSON")
    };
    let step = ["scene.toml", "--method", "xpbd", "--what", "constraint", "--steps"];
    let row = |steps: &str| read(&[&step[..], &[steps]].concat())["constraint"][0].clone();
    let before = row("0")["multiplier"].as_f64();
    assert!(before.is_none_or(|lambda| lambda == 0.0), "nothing is applied before a step");
    // One spring is exact after one sweep: C + α̃ λ = 0, α̃ = 1/(k h²).
    let row = row("3");
    let [value, multiplier] = ["value", "multiplier"].map(|name| row[name].as_f64().expect(name));
    assert!((value + multiplier / (100.0 * 1e-4)).abs() < 1e-12 && multiplier != 0.0, "{row}");

    let chain = "format = 1\n[time]\nstep = 0.01\n[[chains]]\nbones = [0.5, 0.5]\n\
                 targets = [{ position = [0.3, 0.6, 0.1] }]\n[[chains]]\nbones = [1]\n";
    std::fs::write(folder.join("chain.toml"), chain).expect("a scene");
    let told = read(&["chain.toml", "--steps", "1"]);
    let [followed, still] = [0, 1].map(|k| told["report"]["chains"][k].clone());
    assert_eq!(followed["end"], "converged");
    assert!(followed["distance"].as_f64().is_some_and(|d| d < 1e-6));
    let errors = followed["errors"].as_array().expect("errors").len() as u64;
    assert_eq!(followed["iterations"].as_u64(), Some(errors - 1));
    assert!(still["end"].is_null());
    assert_eq!(told["joints"].as_array().map(Vec::len), Some(5));

    let portable = read(&["hanging-cloth", "--steps", "2", "--portable"]);
    let scene = hooke_scene::Scene::gallery("hanging-cloth").expect("a scene");
    let mut simulation = scene.simulation(1).expect("it runs");
    simulation.set_kernels(hooke::Kernels::Portable);
    for _ in 0..2 {
        simulation.step().expect("a step");
    }
    let positions = simulation.state().positions.iter();
    for (told, x) in portable["positions"].as_array().expect("positions").iter().zip(positions) {
        // The reader of numbers here is right to the last bit but one.
        let off = (0..3).map(|axis| (told[axis].as_f64().expect("a number") - x[axis]).abs());
        assert!(off.fold(0.0, f64::max) < 1e-15, "{told} {x:?}");
    }
}

/// A cube turned inside out at its start, which comes back.
#[test]
fn inverted_elements_are_told() {
    let folder = folder("inverted");
    let cube = "format = 1\n[time]\nstep = 0.01\nduration = 1\n[world]\ngravity = [0, 0, 0]\n\
                [[deformables]]\npositions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\n\
                tetrahedra = [[0, 1, 2, 3]]\ndensity = 100\nsolid = { young = 1e5 }\n\
                start = { positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -0.3]] }\n";
    std::fs::write(folder.join("scene.toml"), cube).expect("a scene");
    let told = stdout(&hooke(&folder, &["eval", "scene.toml"]));
    assert!(told.contains("\"inverted\": 1,"), "{told}");
    let told = stdout(&hooke(&folder, &["eval", "scene.toml", "--steps", "100"]));
    assert!(told.contains("\"inverted\": 0,"), "{told}");

    let run = hooke(&folder, &["run", "scene.toml", "--out", "run"]);
    let remarks = stdout(&run) + &stderr(&run);
    assert!(remarks.contains("inverted   1 element at step 0; none at the end"), "{remarks}");
    let table = std::fs::read_to_string(folder.join("run/report.csv")).expect("a table");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "inverted").expect("a column");
    assert_eq!((rows[1][column], rows[rows.len() - 1][column]), ("1", "0"));
    let json = stdout(&hooke(&folder, &["run", "scene.toml", "--out", "again", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("a summary");
    assert_eq!(json["most_inverted"], 1);
    assert_eq!((&json["most_inverted_at_step"], &json["inverted_at_end"]), (&0.into(), &0.into()));
    // What never inverts says nothing about it.
    std::fs::write(folder.join("spring.toml"), SPRING).expect("a scene");
    let run = hooke(&folder, &["run", "spring.toml", "--out", "spring"]);
    assert!(!(stdout(&run) + &stderr(&run)).contains("inverted"));
}

#[test]
fn lists_come_from_the_registries() {
    let folder = folder("lists");
    let methods = stdout(&hooke(&folder, &["methods"]));
    for method in hooke::methods::METHODS {
        assert!(methods.contains(method.name) && methods.contains(method.cost), "{}", method.name);
        let one = stdout(&hooke(&folder, &["methods", method.name]));
        assert!(one.contains(method.doc) && one.contains(method.reference), "{one}");
    }
    let laws = stdout(&hooke(&folder, &["laws"]));
    assert!(hooke::laws::LAWS.iter().all(|law| laws.contains(law.equation)));
    let spring = stdout(&hooke(&folder, &["laws", "spring"]));
    for words in ["E = ½ k (|x_i − x_j| − l)²", "stiffness [N/m]", "1000", "from 0e0 to 1e15"]
    {
        assert!(spring.contains(words), "{words} is not in:\n{spring}");
    }
    let ring = stdout(&hooke(&folder, &["laws", "vertex-bending"]));
    assert!(ring.contains("4 or more"), "{ring}");
    let ring = stdout(&hooke(&folder, &["laws", "vertex-bending", "--json"]));
    let ring: serde_json::Value = serde_json::from_str(&ring).expect("a law");
    let ring = &ring["laws"][0];
    assert_eq!((&ring["corners"], &ring["more_corners"]), (&4.into(), &true.into()));
    let wrong = hooke(&folder, &["laws", "sprin"]);
    assert_eq!(stderr(&wrong), "error: there is no law or damper sprin; did you mean spring?\n");
    assert!(hooke::dampers::DAMPERS.iter().all(|damper| laws.contains(damper.equation)));
    let scenes = stdout(&hooke(&folder, &["scenes"]));
    assert!(hooke_scene::gallery().iter().all(|entry| scenes.contains(entry.name)));
    let materials = stdout(&hooke(&folder, &["materials"]));
    for material in hooke_scene::materials::MATERIALS {
        assert!(materials.contains(material.about), "{}", material.name);
        let one = stdout(&hooke(&folder, &["materials", material.name]));
        assert!(one.contains(material.source), "{one}");
    }
    let denim = stdout(&hooke(&folder, &["materials", "denim", "--json"]));
    let denim: serde_json::Value = serde_json::from_str(&denim).expect("a material");
    assert_eq!((&denim[0]["rigidity"], &denim[0]["cloth"]), (&6.4e-5.into(), &true.into()));
    let wrong = hooke(&folder, &["materials", "deni"]);
    assert_eq!(stderr(&wrong), "error: there is no material deni; did you mean denim?\n");
    assert_eq!(
        stdout(&hooke(&folder, &["materials", "--markdown"])),
        hooke_scene::materials::page()
    );
    for list in ["methods", "laws", "materials", "scenes"] {
        let json = stdout(&hooke(&folder, &[list, "--json"]));
        serde_json::from_str::<serde_json::Value>(&json).expect(list);
    }
}

#[test]
fn pages_for_other_programs() {
    let folder = folder("pages");
    let schema = stdout(&hooke(&folder, &["schema"]));
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("a schema");
    assert!(
        schema["properties"]["deformables"]["items"]["$ref"].as_str() == Some("#/$defs/deformable")
    );
    let refs = schema.to_string();
    for part in refs.split("#/$defs/").skip(1) {
        let name = part.split('"').next().unwrap_or_default();
        assert!(schema["$defs"][name].is_object(), "{name}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let completions = stdout(&hooke(&folder, &["completions", shell]));
        assert!(completions.contains("json-errors"), "{shell}: {completions}");
    }
    assert!(stdout(&hooke(&folder, &["man"])).contains(".TH hooke 1"));
    assert!(stdout(&hooke(&folder, &["man", "run"])).contains("\\-\\-frames"));
    let template = stdout(&hooke(&folder, &["new", "-"]));
    std::fs::write(folder.join("new.toml"), template).expect("a scene");
    let run = hooke(&folder, &["run", "new.toml", "--frames", "1"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
}

#[test]
fn a_recording_is_drawn_and_exported_without_simulating() {
    let folder = folder("media");
    let run =
        hooke(&folder, &["run", "curtain", "--frames", "2", "--out", "run", "--export", "none"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    assert!(!folder.join("run/preview.png").exists());
    let draw = |arguments: &[&str]| {
        hooke(&folder, &[&["render", "run", "--size", "96x54"], arguments].concat())
    };
    for arguments in [
        &["--out", "a.png"][..],
        &["--out", "first.png", "--frame", "0"],
        &["--out", "b.png", "--time", "0.03", "--style", "strain", "--theme", "dark"],
        &["--out", "c.gif"],
    ] {
        let drawn = draw(arguments);
        assert_eq!(drawn.status.code(), Some(0), "{}", stderr(&drawn));
        assert_eq!(stdout(&drawn).trim(), arguments[1]);
    }
    let bytes = |name: &str| std::fs::read(folder.join(name)).expect("a file");
    assert!(bytes("a.png").starts_with(b"\x89PNG") && bytes("c.gif").starts_with(b"GIF89a"));
    assert_ne!(bytes("a.png"), bytes("first.png"), "another moment is another picture");
    for (arguments, code, said) in [
        (&["--out", "a.png"][..], 5, "error: a.png: already exists; --force overwrites it\n"),
        (
            &["--out", "a.jpg"],
            2,
            "error: a.jpg: a picture must be a .png, an animation a .gif or .mp4\n",
        ),
        (
            &["--out", "d.png", "--frame", "9"],
            2,
            "error: there is no frame 9: the recording has frames 0 to 2, 0.067 s\n",
        ),
    ] {
        let refused = draw(arguments);
        assert_eq!((refused.status.code(), stderr(&refused)), (Some(code), said.to_owned()));
    }

    let export = |arguments: &[&str]| hooke(&folder, &[&["export", "run"], arguments].concat());
    let exported = export(&["--to", "glb,usda,pc2,pvd,npz,obj,ply", "--out", "files"]);
    assert_eq!(exported.status.code(), Some(0), "{}", stderr(&exported));
    for name in ["glb", "usda", "pc2", "pvd", "npz"] {
        let file = folder.join(format!("files/animation.{name}"));
        assert!(file.metadata().is_ok_and(|file| file.len() > 100), "{name}");
    }
    let again = export(&["--to", "glb", "--out", "files"]);
    assert_eq!(again.status.code(), Some(5));
    assert!(stderr(&again).ends_with("already exists; --force overwrites it\n"));
    assert_eq!(export(&["--to", "png"]).status.code(), Some(2));
    let missing = hooke(&folder, &["render", "nowhere"]);
    assert_eq!(missing.status.code(), Some(5));
    assert!(stderr(&missing).starts_with("error: nowhere: "), "{}", stderr(&missing));
}

/// A film goes to ffmpeg as raw frames; a stand-in counts them.
#[cfg(unix)]
#[test]
fn films_are_piped_to_ffmpeg() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("film");
    let run =
        hooke(&folder, &["run", "spring", "--frames", "3", "--out", "run", "--export", "none"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let stand_in = folder.join("ffmpeg");
    std::fs::write(&stand_in, "#!/bin/sh\nfor last; do :; done\nwc -c > \"$last\"\n").expect("it");
    let mut permissions = stand_in.metadata().expect("it").permissions();
    permissions.set_mode(0o755);
    std::fs::set_permissions(&stand_in, permissions).expect("it");
    let render = ["render", "run", "--out", "film.mp4", "--size", "64x36"];
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let film = command(&folder, &render).env("PATH", path).output().expect("hooke starts");
    assert_eq!(film.status.code(), Some(0), "{}", stderr(&film));
    let piped = std::fs::read_to_string(folder.join("film.mp4")).expect("a film");
    assert_eq!(piped.trim(), (4 * 64 * 36 * 4).to_string());

    let without = command(&folder, &[&render[..], &["--force"]].concat())
        .env("PATH", folder.join("run"))
        .output()
        .expect("hooke starts");
    assert_eq!(without.status.code(), Some(5));
    assert!(stderr(&without).contains("install it, or write a .gif"), "{}", stderr(&without));
}

/// The numbers of the reference case `particle_contacts`, through the probe.
#[test]
fn the_probe_tells_one_contact() {
    let folder = folder("contact");
    let scene = "format = 1\ntitle = \"One contact\"\n[time]\nstep = 0.0333\nduration = 0.0333\n\
        [method]\nname = \"symplectic-euler\"\n[[deformables]]\npositions = [[0, -0.1, 0]]\nmasses = 1\n\
        start = { velocity = [3, -2, 1] }\n[[obstacles]]\nfloor = { height = 0 }\n\
        restitution = 0.5\nfriction = 0.2\nthickness = 0.2\n";
    std::fs::write(folder.join("contact.toml"), scene).expect("a scene");
    let told = hooke(&folder, &["eval", "contact.toml", "--what", "contact"]);
    assert_eq!(told.status.code(), Some(0), "{}", stderr(&told));
    let told: serde_json::Value = serde_json::from_str(&stdout(&told)).expect("JSON");
    let contact = &told["contact"][0];
    assert_eq!(contact["particle"], 0);
    assert!((contact["distance"].as_f64().expect("a number") + 0.1).abs() < 1e-15);
    let expected = [2.430790021169692, 1.0, 0.8102633403898972];
    for (k, expected) in expected.into_iter().enumerate() {
        let got = contact["velocity_after"][k].as_f64().expect("a number");
        assert!((got - expected).abs() < 1e-13, "{got} {expected}");
    }
}

/// The page on messages, and what it says a run that gained energy says.
fn gained() -> String {
    let page = page("messages.md");
    let mut blocks = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.find(|block| block.contains("without work")).expect("an example").to_owned()
}

#[test]
fn a_run_that_gained_energy_says_so_at_its_end() {
    let folder = folder("gain");
    let cantilever = ["run", "cantilever", "--method", "beta", "--portable", "--export", "none"];
    let run = |more: &[&str]| hooke(&folder, &[&cantilever, more].concat());
    let whole = run(&["--frames", "40", "--out", "whole"]);
    assert_eq!((whole.status.code(), stderr(&whole)), (Some(0), gained()));

    // Strictly, that is a failure with nothing lost; a run that is resumed remembers.
    let strict = run(&["--frames", "40", "--out", "strict", "--strict"]);
    assert_eq!(strict.status.code(), Some(4));
    let gained = gained();
    let sentence = gained.trim_end().strip_prefix("warning: ").expect("a warning");
    let told = format!("error: {sentence}; all 41 frames are kept in strict\n");
    assert_eq!(stderr(&strict), told);
    assert_eq!(files(&folder.join("strict")), files(&folder.join("whole")));
    run(&["--frames", "20", "--out", "resumed"]);
    let strict = ["resume", "resumed", "--frames", "40", "--export", "none", "--strict"];
    let resumed = hooke(&folder, &strict);
    assert_eq!(
        (resumed.status.code(), stderr(&resumed)),
        (Some(4), told.replace("strict", "resumed"))
    );

    // For tools.
    let json = run(&["--frames", "40", "--out", "json", "--json", "--json-errors"]);
    assert!(stdout(&json).contains("\"energy_gained_from_step\": "), "{}", stdout(&json));
    assert!(stderr(&json).contains("\"severity\": \"warning\""), "{}", stderr(&json));
    let quiet = run(&["--frames", "40", "--out", "quiet", "--quiet"]);
    assert_eq!((quiet.status.code(), stderr(&quiet).as_str()), (Some(0), ""));
}

#[test]
fn strictly_a_step_that_did_not_converge_is_a_failure() {
    let folder = folder("strict");
    let rough = ["--set", "method.iterations=1", "--frames", "2", "--export", "none", "--strict"];
    let run = hooke(&folder, &[&["run", "hanging-cloth"], &rough[..]].concat());
    assert_eq!(run.status.code(), Some(4));
    let told = stderr(&run);
    assert!(told.contains(" steps did not converge; all 3 frames are kept in "), "{told}");
    let fine =
        hooke(&folder, &["run", "pendulum", "--frames", "9", "--export", "none", "--strict"]);
    assert_eq!((fine.status.code(), stderr(&fine).as_str()), (Some(0), ""));
}

#[test]
fn check_and_run_say_the_same_of_stability() {
    let folder = folder("stability");
    for (arguments, problems, line) in [
        (
            &["stiff-cloth", "--set", "time.substeps=1", "--method", "rk4"][..],
            "it may diverge: the step",
            "it may diverge",
        ),
        (
            &["cantilever", "--method", "beta"],
            "it may gain energy if forces are not linear",
            "may gain energy on a nonlinear one",
        ),
        (&["cantilever", "--method", "newton"], "none", "stable at every step; "),
    ] {
        let check = hooke(&folder, &[&["check"], arguments].concat());
        let told = stdout(&check);
        let row = told.lines().find_map(|row| row.strip_prefix("problems")).expect("a row");
        assert!(row.trim().starts_with(problems), "{row}");
        let said = told.lines().nth(2).expect("a line on stability");
        assert!(said.contains(line), "{said}");
        let run = hooke(&folder, &[&["run", "--dry-run"], arguments].concat());
        assert!(stdout(&run).contains(said), "{}", stdout(&run));
    }
}
