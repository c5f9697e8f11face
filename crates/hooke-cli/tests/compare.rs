//! `hooke compare` and `hooke check`: numbers that must be as they are for a reason.

mod common;

use common::{files, folder, hooke, stderr, stdout};
use serde_json::Value;

fn compared(folder: &std::path::Path, arguments: &[&str]) -> Value {
    let arguments = [&["compare"], arguments, &["--json", "--out", "out", "--force"]].concat();
    let output = hooke(folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).expect("JSON")
}

fn of<'a>(json: &'a Value, method: &str) -> &'a Value {
    let all = json["methods"].as_array().expect("methods");
    all.iter().find(|row| row["method"] == method).expect("the method")
}

fn number(row: &Value, field: &str) -> f64 {
    row[field].as_f64().unwrap_or_else(|| panic!("{field} of {row}"))
}

#[test]
fn more_iterations_come_nearer_to_the_common_minimum() {
    let folder = folder("compare");
    let methods = "newton,quasi-newton:iterations=5,quasi-newton:iterations=80,\
                   implicit-midpoint,bdf2,linearized,rk4:substeps=64";
    let json = compared(&folder, &["hanging-cloth", "--methods", methods, "--frames", "6"]);
    let error = |method: &str| number(of(&json, method), "error");
    let gap = |method: &str| number(of(&json, method), "energy_gap");
    // What is converged stands on the reference, each on that of its own objective.
    for (method, objective) in
        [("newton", "backward Euler"), ("implicit-midpoint", "midpoint"), ("bdf2", "BDF2")]
    {
        assert!(error(method) < 1e-6, "{method}: {}", error(method));
        assert_eq!(of(&json, method)["minimizes"], objective);
        assert_eq!(of(&json, method)["frames_converged"], 6);
    }
    let (few, many) = ("quasi-newton:iterations=5", "quasi-newton:iterations=80");
    assert!(error(many) < error(few) && error(few) < 0.5, "{} {}", error(few), error(many));
    assert!(gap(many) < gap(few) && gap(many) > 0.0 && gap(few) < 1.0);
    assert!(gap("linearized") > gap("newton"));
    let explicit = of(&json, "rk4:substeps=64");
    assert!(explicit["minimizes"].is_null() && explicit["energy_gap"].is_null());
    assert_eq!(
        files(&folder.join("out")),
        [
            "compare.json",
            "cost.png",
            "cost.svg",
            "frames.csv",
            "ledger.png",
            "ledger.svg",
            "residual.png",
            "residual.svg"
        ]
    );
    let csv = std::fs::read_to_string(folder.join("out/frames.csv")).expect("the frames");
    assert_eq!(csv.lines().count(), 1 + 6 * 8, "a heading, the reference and seven methods");
    assert!(csv.starts_with("mode,method,") && csv.lines().skip(1).all(|l| l.starts_with("step,")));
    assert_eq!(json["mode"], "step");
}

#[test]
fn runs_in_time_show_the_order_of_a_method() {
    let folder = folder("compare-time");
    let methods = "symplectic-euler:substeps=4,newton:substeps=4,newton:substeps=8,\
                   velocity-verlet:substeps=4,velocity-verlet:substeps=8,rk4:substeps=4";
    let json =
        compared(&folder, &["pendulum", "--mode", "time", "--methods", methods, "--frames", "8"]);
    let error = |method: &str| number(of(&json, method), "error");
    // Twice the sub-steps: half the error at order 1, a quarter at order 2.
    let first = error("newton:substeps=4") / error("newton:substeps=8");
    assert!((1.8..2.3).contains(&first), "{first}");
    let second = error("velocity-verlet:substeps=4") / error("velocity-verlet:substeps=8");
    assert!((3.5..5.5).contains(&second), "{second}");
    assert!(error("velocity-verlet:substeps=4") < 0.1 * error("newton:substeps=4"));
    assert!(number(&json, "uncertainty_m") < 1e-4);
    assert_eq!(json["mode"], "time");
}

#[test]
fn whole_runs_drift_apart_and_say_when_they_stop() {
    let folder = folder("compare-run");
    let methods = "newton,quasi-newton:iterations=3,symplectic-euler:substeps=1,forward-euler";
    let arguments = ["hanging-cloth", "--mode", "run", "--methods", methods, "--frames", "10"];
    let json = compared(&folder, &arguments);
    assert_eq!(json["mode"], "run");
    assert!(number(of(&json, "newton"), "error") < 1e-6);
    let loose = of(&json, "quasi-newton:iterations=3");
    assert!(number(loose, "error") > 1e-4 && loose["stopped"].is_null());
    let stopped = of(&json, "symplectic-euler:substeps=1")["stopped"].as_str().expect("diverged");
    assert!(stopped.contains("above the method's limit"), "{stopped}");
    let refused = of(&json, "forward-euler")["stopped"].as_str().expect("refused");
    assert!(refused.starts_with("the method needs "), "{refused}");
}

#[test]
fn iteration_counts_as_pictures() {
    let folder = folder("compare-iterations");
    let arguments = ["compare", "hanging-cloth", "--iterations", "2,20", "--frames", "4"];
    let output = hooke(&folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("quasi-newton:iterations=20"));
    assert!(files(&folder.join("compare/hanging-cloth-001")).contains(&"iterations.png".into()));
    for (arguments, message) in [
        (
            &["compare", "rope", "--methods", "newton,bdf2", "--iterations", "3"][..],
            "error: --iterations requires one method; --methods names several\n",
        ),
        (
            &["compare", "rope", "--methods", "newtn"],
            "there is no method \"newtn\"; did you mean newton?",
        ),
        (
            &["compare", "rope", "--methods", "newton:iteration=3"],
            "error: --methods newton:iteration=3: there is no field iteration; did you mean \
             iterations?\n",
        ),
    ] {
        let output = hooke(&folder, arguments);
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
        assert!(!output.status.success());
    }
}

#[test]
fn a_check_says_what_a_run_would_take() {
    let folder = folder("check");
    let told = stdout(&hooke(&folder, &["check", "hanging-cloth"]));
    for words in [
        "Hanging cloth: 676 particles, 3798 elements, 1250 triangles; newton\n",
        "stable at every step; no sub-steps\n",
        "cloth: 676 vertices, 1925 edges (100 on the boundary), 1250 triangles, χ = 1; \
         inextensible edges would leave 103 of 2028 degrees of freedom (5.1 %)\n",
        "problems  none\n",
        "newton                     every step                    1\n",
    ] {
        assert!(told.contains(words), "{words:?} is not in:\n{told}");
    }
    assert!(files(&folder).is_empty(), "a check writes nothing");
    let json = stdout(&hooke(&folder, &["check", "hanging-cloth", "--json"]));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["surfaces"][0]["limits"], 103);
    assert!(json["stable_below"]["newton"].is_null());
    assert!(number(&json["stable_below"], "rk4") > number(&json["stable_below"], "forward-euler"));
    let solid = stdout(&hooke(&folder, &["check", "jelly"]));
    let words = "jelly: 343 vertices, 1080 tetrahedra, 432 triangles outside; 1e-3 m³, 1.02 kg; \
                 sharpest angle 54.7°\n";
    assert!(solid.contains(words) && !solid.contains("surface"), "{solid}");
    let dry = hooke(&folder, &["run", "hanging-cloth", "--dry-run"]);
    assert!(stdout(&dry).contains("\nmemory  about ") && files(&folder).is_empty());
}

#[test]
fn solids_take_more_memory_than_cloths() {
    let folder = folder("solids");
    let bytes = |shape: &str| {
        let text = format!("format = 1\n[[deformables]]\n{shape}\nmass = 1\n");
        std::fs::write(folder.join("scene.toml"), text).expect("a scene");
        let json = stdout(&hooke(&folder, &["check", "scene.toml", "--json"]));
        number(&serde_json::from_str(&json).expect("JSON"), "memory_bytes")
    };
    let cloth = bytes("grid = { columns = 64, rows = 77 }\nmembrane = { stiffness = 1 }");
    let solid = bytes("box = { cells = [16, 16, 16] }\nsolid = { young = 1 }");
    assert!(solid > 1.3 * cloth, "{solid} {cloth}");
}

#[test]
fn too_much_is_refused_before_it_is_allocated() {
    let folder = folder("memory");
    std::fs::write(
        folder.join("huge.toml"),
        "format = 1\n[[deformables]]\ngrid = { columns = 5000, rows = 2000 }\nmass = 1\n\
         [deformables.structural]\nstiffness = 100\n",
    )
    .expect("a scene");
    for command in ["run", "check", "eval", "compare"] {
        let refused = hooke(&folder, &[command, "huge.toml", "--memory", "12"]);
        assert_eq!(refused.status.code(), Some(6), "{command}");
        let told = stderr(&refused);
        assert!(
            told.starts_with("error: huge.toml:2: deformables[0]: needs about ")
                && told.contains(
                    " GiB for 10000000 particles under newton, the limit is 12.0 GiB; --memory \
                     changes it\n"
                ),
            "{told}"
        );
    }
}

#[test]
fn solvers_are_compared_on_chains() {
    let folder = folder("compare-chains");
    let json = compared(&folder, &["out-of-reach", "--targets", "60"]);
    let chains = json["chains"].as_array().expect("chains");
    assert_eq!(chains.len(), 3);
    for chain in chains {
        let trials = chain["trials"].as_array().expect("trials");
        assert_eq!(trials.len(), 4 * 3, "four kinds of targets, three solvers");
        for trial in trials {
            let known = trial["targets"] == "unreachable";
            let iterations = number(trial, "median_iterations");
            // Near the boundary CCD may take more sweeps than it has.
            if known || trial["targets"] == "reachable" {
                assert_eq!(known, number(trial, "reached") == 0.0, "{trial}");
            }
            assert!(if known { iterations == 0.0 } else { iterations > 0.0 }, "{trial}");
            assert!(number(trial, "median_error") <= number(trial, "worst_error"));
        }
        assert!(chain["fewest_iterations"].is_string());
    }
    let made = files(&folder.join("out"));
    assert!(made.contains(&"iterations.svg".into()) && made.contains(&"iterations.png".into()));
    let output = hooke(&folder, &["compare", "out-of-reach", "--methods", "newton"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("their solvers are compared, not methods"));
}

#[test]
fn rigid_bodies_are_compared_by_method() {
    let folder = folder("rigid");
    let text = "format = 1\n[time]\nstep = \"1/120\"\nduration = 0.5\nfps = 20\n[[rigid_bodies]]\n\
                box = { size = [0.2, 0.2, 0.2] }\nposition = [0, 0.3, 0]\nrestitution = 0.5\n\
                [[obstacles]]\nfloor = {}\nrestitution = 0.5\n";
    std::fs::write(folder.join("drop.toml"), text).expect("a file");
    let output = hooke(&folder, &["compare", "drop.toml", "--json", "--out", "out"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let told: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let variants = told["rigid_methods"].as_array().expect("rows");
    let names: Vec<_> =
        variants.iter().filter_map(|variant| variant["rigid_method"].as_str()).collect();
    assert_eq!(
        names,
        ["impulse", "impulse, classic rule", "shape-matching", "shape-matching, polar map"]
    );
    for variant in variants {
        let [start, end] = ["energy_start_j", "energy_end_j"].map(|field| number(variant, field));
        assert!(end < 0.7 * start && end > 0.2 * start, "{variant}");
        assert!(number(variant, "energy_gained_j") < 1e-2 * start, "{variant}");
    }
    assert!(files(&folder.join("out")).contains(&"rigid.gif".into()));

    let joined = format!("{text}[[joints]]\nbetween = [\"box\"]\nball = {{}}\nat = [0, 0.6, 0]\n")
        .replace("[[rigid_bodies]]\n", "[[rigid_bodies]]\nname = \"box\"\n");
    std::fs::write(folder.join("joined.toml"), joined).expect("a file");
    let output = hooke(&folder, &["compare", "joined.toml", "--frames", "2"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("shape matching has no joints"), "{}", stdout(&output));

    let output = hooke(&folder, &["compare", "drop.toml", "--methods", "newton"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output)
            .contains("methods for rigid bodies are compared, not methods for particles")
    );
}
