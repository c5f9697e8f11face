//! The programs that are measured: Hooke's, built by cargo, and the C++ ones, built by g++ where
//! it and the libraries are there.

use super::peers;
use crate::stage::{Outcome, passes, root, target};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Debian packages of the C++ programs.
const PACKAGES: [&str; 4] = ["g++", "libeigen3-dev", "libsuitesparse-dev", "libopenblas-dev"];

/// Every instruction of the machine for the others; Hooke's build has no such flag.
pub(crate) const FLAGS: &str = "-O3 -DNDEBUG -march=native";
/// Where no time is asked for, the compiler shall be quick.
const SMOKE_FLAGS: &str = "-O0";

const CPP: [&str; 5] = [
    "eigen/fast_mass_spring_3n",
    "eigen/fast_mass_spring",
    "eigen/newton",
    "eigen/explicit",
    "cholmod",
];

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// A method and its number of threads.
    Hooke(&'static str, &'static str),
    /// A C++ file in `benchmarks/`, without its ending.
    Cpp(&'static str),
    /// A Python file in `benchmarks/peers/`, without its ending, and its number of threads.
    Python(&'static str, &'static str),
}

impl Program {
    pub(crate) fn is_hooke(self) -> bool {
        matches!(self, Self::Hooke(..))
    }
}

/// A scene: its file and the positions at its start.
pub(crate) struct Scene {
    path: PathBuf,
    pub(crate) start: Vec<f64>,
}

/// What a result of one step is worth.
pub(crate) struct Worth {
    /// What the step minimizes (J).
    pub(crate) objective: f64,
    /// The greatest relative stretch of a spring.
    pub(crate) stretch: f64,
    /// The distance to the best result of one step, relative to that of the prediction, where there
    /// is one; and how much higher the objective is, relative to that of the prediction.
    pub(crate) error: f64,
    pub(crate) gap: f64,
}

/// The built programs and their folder.
pub(crate) struct Programs {
    work: PathBuf,
    hooke: PathBuf,
    /// Whether the C++ programs are there.
    pub(crate) others: bool,
}

/// What a run told and where it ended.
pub(crate) struct Run {
    pub(crate) setup: f64,
    pub(crate) steps: Vec<f64>,
    /// Empty where the steps are nothing else.
    pub(crate) method: Vec<f64>,
    pub(crate) solve: Vec<f64>,
    pub(crate) iterations: Vec<f64>,
    /// Of the positions and velocities at its end.
    pub(crate) digest: String,
    pub(crate) positions: Vec<f64>,
}

impl Programs {
    /// Builds Hooke's own program as a user would.
    pub(crate) fn hooke_alone() -> Result<Self, String> {
        Self::built(&["--package", "hooke-bench", "--release"], "release")
    }

    /// With rapier3d beside Hooke.
    pub(crate) fn with_rapier() -> Result<Self, String> {
        Self::built(&["--package", "hooke-bench", "--release", "--features", "rapier3d"], "release")
    }

    /// Builds what can be built: at least Hooke's own program.
    pub(crate) fn build(smoke: bool) -> Result<Self, String> {
        let mut programs = if smoke {
            // The tests have built the whole workspace, whose features the smoke run shares.
            let what = ["--workspace", "--bins", "--examples", "--profile", "checked"];
            Self::built(&what, "checked")
        } else {
            Self::hooke_alone()
        }?;
        if !found() {
            println!(
                "g++, Eigen or CHOLMOD is missing (`cargo xtask bench --install` installs them): \
                 Hooke runs alone"
            );
            return Ok(programs);
        }
        let flags = if smoke { SMOKE_FLAGS } else { FLAGS };
        programs.work.push(flags.replace([' ', '-'], ""));
        programs.others = programs.compile(flags);
        if programs.others { Ok(programs) } else { Err("a C++ program does not build".into()) }
    }

    fn built(what: &[&str], profile: &str) -> Result<Self, String> {
        let work = root().join("target/bench");
        std::fs::create_dir_all(&work)
            .map_err(|error| format!("could not create target/bench: {error}"))?;
        let mut cargo = Command::new(env!("CARGO"));
        if passes(cargo.args(["build", "--quiet"]).args(what)) != Outcome::Passed {
            return Err("hooke-bench does not build".into());
        }
        let name = format!("hooke-bench{}", std::env::consts::EXE_SUFFIX);
        Ok(Self { hooke: target().join(profile).join(name), work, others: false })
    }

    /// Compiles the C++ programs side by side, those whose source is newer.
    fn compile(&self, flags: &str) -> bool {
        let sources = root().join("benchmarks");
        let newest = |paths: &[PathBuf]| paths.iter().filter_map(|path| modified(path)).max();
        std::thread::scope(|scope| {
            let jobs = CPP.map(|name| {
                let source = sources.join(name).with_extension("cpp");
                let binary = self.cpp(name);
                scope.spawn(move || {
                    let paths = [source.clone(), root().join("benchmarks/scene.hpp")];
                    if modified(&binary) > newest(&paths) {
                        return true;
                    }
                    if binary.parent().is_some_and(|to| std::fs::create_dir_all(to).is_err()) {
                        return false;
                    }
                    let mut compiler = compiler();
                    compiler.args(flags.split(' ')).arg(source).arg("-o").arg(&binary);
                    if name == "cholmod" {
                        compiler.arg("-lcholmod");
                    }
                    passes(&mut compiler) == Outcome::Passed
                })
            });
            jobs.into_iter().all(|job| job.join().unwrap_or(false))
        })
    }

    fn cpp(&self, name: &str) -> PathBuf {
        self.work.join(name).with_extension(std::env::consts::EXE_EXTENSION)
    }

    /// A file of this run alone, as another may go on beside it.
    fn file(&self, name: &str) -> PathBuf {
        self.work.join(format!("{name}-{}.bin", std::process::id()))
    }

    /// Writes the scene of a cloth at its start.
    pub(crate) fn scene(&self, n: u32, h: &str) -> Result<Scene, String> {
        self.scene_after(n, h, 0)
    }

    /// Writes the scene of a cloth that has fallen for some steps.
    pub(crate) fn scene_after(&self, n: u32, h: &str, steps: u32) -> Result<Scene, String> {
        std::fs::create_dir_all(&self.work).map_err(|error| error.to_string())?;
        let path = self.file(&format!("scene-{n}-{h}-{steps}"));
        let mut write = self.hooke();
        output(write.args(["write", &n.to_string(), h]).arg(&path).arg(steps.to_string()))?;
        let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
        // Three counts, the step and gravity, the masses, then the positions.
        let (numbers, _) = bytes.as_chunks::<8>();
        let particles = (n * n) as usize;
        let start = numbers.iter().skip(7 + particles).take(3 * particles);
        Ok(Scene { path, start: start.map(|&number| f64::from_le_bytes(number)).collect() })
    }

    /// Hooke's program.
    pub(crate) fn hooke(&self) -> Command {
        Command::new(&self.hooke)
    }

    /// What Hooke's program tells.
    pub(crate) fn ask(&self, words: &[&str]) -> Result<Value, String> {
        told(&output(self.hooke().args(words))?)
    }

    /// Keeps the last result as the best of one step.
    pub(crate) fn keep_best(&self) -> Result<(), String> {
        let kept = std::fs::rename(self.file("result"), self.file("best"));
        kept.map_err(|error| error.to_string())
    }

    /// What the last result is worth.
    pub(crate) fn judge(&self, scene: &Scene) -> Result<Worth, String> {
        let mut command = self.hooke();
        command.arg("judge").arg(&scene.path).arg(self.file("result"));
        if self.file("best").exists() {
            command.arg(self.file("best"));
        }
        let told = told(&output(&mut command)?)?;
        let number = |name: &str| told[name].as_f64().unwrap_or(f64::NAN);
        Ok(Worth {
            objective: number("objective"),
            stretch: number("stretch"),
            error: number("error"),
            gap: number("gap"),
        })
    }

    /// Runs some steps of a scene.
    pub(crate) fn run(
        &self,
        program: Program,
        scene: &Scene,
        steps: u32,
        arguments: &[impl AsRef<std::ffi::OsStr>],
    ) -> Result<Run, String> {
        let result = self.file("result");
        let mut command = match program {
            Program::Hooke(method, threads) => {
                let mut command = self.hooke();
                command.args(["run", method, threads]);
                command
            }
            // The C++ programs use one thread; a pool of idle ones would only disturb.
            Program::Cpp(name) => {
                let mut command = Command::new(self.cpp(name));
                command.envs([("OPENBLAS_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "1")]);
                command
            }
            Program::Python(name, threads) => {
                let mut command = Command::new(peers::python());
                command.arg(root().join("benchmarks/peers").join(name).with_extension("py"));
                // Some leave a log where they run.
                command.env("OMP_NUM_THREADS", threads).current_dir(&self.work);
                command
            }
        };
        command.arg(&scene.path).arg(&result).arg(steps.to_string());
        let text = output(command.args(arguments))?;
        let bytes = std::fs::read(&result).map_err(|error| error.to_string())?;
        Run::read(&told(&text)?, &bytes).ok_or_else(|| format!("cannot read: {text}"))
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // Not there where another scene of the same cloth ended first.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        for name in ["best", "result"] {
            // Not there where nothing ran.
            let _ = std::fs::remove_file(self.file(name));
        }
    }
}

impl Run {
    /// The mean, or zero where a step has none.
    pub(crate) fn iterations_a_step(&self) -> f64 {
        self.iterations.iter().sum::<f64>() / (self.iterations.len().max(1) as f64)
    }

    /// Reads what was told and the bytes of positions and velocities.
    fn read(told: &Value, bytes: &[u8]) -> Option<Self> {
        let list = |name: &str| -> Option<Vec<f64>> {
            told[name].as_array()?.iter().map(Value::as_f64).collect()
        };
        let (numbers, _) = bytes.as_chunks::<8>();
        let positions = &numbers[..numbers.len() / 2];
        Some(Self {
            setup: told["setup"].as_f64()?,
            steps: list("steps")?,
            method: list("method").unwrap_or_default(),
            solve: list("solve")?,
            iterations: list("iterations")?,
            digest: digest(bytes),
            positions: positions.iter().map(|&number| f64::from_le_bytes(number)).collect(),
        })
    }
}

/// FNV-1a of some bytes.
fn digest(bytes: &[u8]) -> String {
    let step = |digest: u64, &byte| (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

/// The last line of what a program printed, which is JSON: some peers talk before.
fn told(text: &str) -> Result<Value, String> {
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    serde_json::from_str(last).map_err(|error| format!("cannot read what was told: {error}"))
}

/// Installs what the C++ programs need.
pub(crate) fn install() {
    if !found() {
        install_packages(&PACKAGES);
    }
}

/// Installs Debian packages; says in one line where that does not work.
pub(crate) fn install_packages(packages: &[&str]) {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let apt = |arguments: &[&str]| {
        let mut command = Command::new(if root { "apt-get" } else { "sudo" });
        if !root {
            command.args(["-n", "apt-get"]);
        }
        // A machine without a network shall say so soon.
        command.args(["-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20"]);
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        command.output().is_ok_and(|output| output.status.success())
    };
    let install = [&["install", "-y", "-qq", "--no-install-recommends"][..], packages].concat();
    let installed = apt(&install) || apt(&["update", "-qq"]) && apt(&install);
    if !installed {
        println!("could not install {} with apt-get", packages.join(", "));
    }
}

/// Whether the compiler finds the libraries.
fn found() -> bool {
    ["Eigen/Sparse", "suitesparse/cholmod.h"].iter().all(|header| {
        let null = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let mut compiler = compiler();
        compiler.args(["-E", "-include", header, "-x", "c++", null, "-o", null]);
        compiler.output().is_ok_and(|output| output.status.success())
    })
}

fn compiler() -> Command {
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-I/usr/include/eigen3"]);
    compiler
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// What a command prints; its complaint where it fails.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| {
        format!("could not start {}: {error}", command.get_program().to_string_lossy())
    })?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_tell_bytes_apart() {
        assert_eq!(digest(b""), "cbf29ce484222325");
        assert_eq!(digest(b"a"), "af63dc4c8601ec8c");
    }

    #[test]
    fn only_the_last_line_is_told() {
        assert_eq!(told("hello\n[1]\n"), Ok(serde_json::json!([1])));
        assert!(told("").is_err());
    }

    #[test]
    fn a_run_is_read() {
        let told = serde_json::from_str(
            r#"{"setup": 1e-3, "steps": [0.5, 0.25], "solve": [], "iterations": [3, 4]}"#,
        )
        .unwrap();
        let bytes: Vec<u8> =
            [1.0_f64, 2.0, 8.0, 9.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let run = Run::read(&told, &bytes).unwrap();
        assert_eq!(run.steps, [0.5, 0.25]);
        assert_eq!(run.iterations, [3.0, 4.0]);
        assert_eq!(run.positions, [1.0, 2.0]);
        assert!(Run::read(&Value::Null, &bytes).is_none());
    }
}
