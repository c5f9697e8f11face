//! The arguments of the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use hooke_render::{Quality, Theme};
use hooke_scene::export::Format;
use hooke_scene::format::Style;
use serde_json::Value;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Runs scenes of masses, springs and cloth; every step says how true it is.
#[derive(Parser)]
#[command(name = "hooke", version, after_help = EXITS)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) output: Output,
}

const EXITS: &str = "Exit codes: 0 done, 2 usage, 3 bad input, 4 numerical failure, 5 input or \
                     output, 6 limit, 130 interrupted.";

/// How results and errors are shown.
#[derive(ClapArgs)]
pub(crate) struct Output {
    /// Print only errors and requested results; do not list written files
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print a line for every recorded frame
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print results as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print errors and warnings as JSON: one array, at the end
    #[arg(long, global = true)]
    pub(crate) json_errors: bool,
    /// The content of that array so far.
    #[arg(skip)]
    pub(crate) messages: RefCell<Vec<Value>>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a scene and record it
    Run(Run),
    /// Compare methods on one scene, or solvers on its chains: error, iterations, time
    Compare(Compare),
    /// Check a scene without running it: size, memory, stability, surface, problems
    Check(Check),
    /// Continue a stopped run with the same bits
    Resume(Resume),
    /// Evaluate a scene at its start or after some steps, as JSON
    Eval(Eval),
    /// List the methods, or one of them with its settings
    Methods {
        /// Only this one, with its settings
        name: Option<String>,
    },
    /// List the laws and dampers, or one of them with its ranges
    Laws {
        /// Only this one, with its ranges and defaults
        name: Option<String>,
    },
    /// List the materials of deformables, or one of them with its source
    Materials {
        /// Only this one, with its source
        #[arg(conflicts_with = "markdown")]
        name: Option<String>,
        /// Print the documentation page instead
        #[arg(long)]
        markdown: bool,
    },
    /// List the scenes of the gallery
    Scenes {
        /// Draw pictures of all of them on one sheet instead
        #[arg(long, value_name = "PNG")]
        sheet: Option<PathBuf>,
        /// Overwrite the picture
        #[arg(long, requires = "sheet")]
        force: bool,
    },
    /// Draw a recording: a picture, a GIF, or a film through ffmpeg
    Render(Render),
    /// Write a recording for other programs
    Export(Export),
    /// Open scenes in the browser: watch, grab, edit, compare
    Studio(Studio),
    /// Write a commented first scene
    New {
        /// The file; - prints the scene
        #[arg(default_value = "scene.toml")]
        file: PathBuf,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
    /// Print the JSON Schema of scenes, for editors
    Schema {
        /// Print the documentation page instead
        #[arg(long)]
        markdown: bool,
    },
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Print the manual page
    Man {
        /// The page of this command
        command: Option<String>,
    },
}

/// The scene and its changes.
#[derive(ClapArgs)]
pub(crate) struct Choice {
    /// A scene file, or a name of the gallery
    #[arg(default_value = "hanging-cloth")]
    pub(crate) scene: String,
    /// Use this method; settings that it does not have are ignored
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Change a field, such as deformables[0].structural.stiffness=2000
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
    /// Draw texts of chains as outlines of this font (TTF or OTF)
    #[arg(long, value_name = "FILE")]
    pub(crate) font: Option<PathBuf>,
    /// Refuse to use more memory than this (GiB) [default: four fifths of the machine's]
    #[arg(long, value_name = "GIB", value_parser = gibibytes)]
    pub(crate) memory: Option<u64>,
}

#[derive(ClapArgs)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Record this many frames after the start
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) frames: Option<u64>,
    /// Write into this folder [default: a new one, runs/SCENE-001]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Write into a folder that has files
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the setup and the memory estimate, without running
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Use kernels that give the same bits on every machine
    #[arg(long)]
    pub(crate) portable: bool,
    #[command(flatten)]
    pub(crate) work: Work,
}

#[derive(ClapArgs)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Methods with optional settings: newton,quasi-newton:iterations=10 [default: all]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub(crate) methods: Vec<String>,
    /// Compare one method under several iteration counts, with a picture for each
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub(crate) iterations: Vec<u32>,
    /// What is compared
    #[arg(long, value_enum, default_value_t = Mode::Step)]
    pub(crate) mode: Mode,
    /// Random targets of each kind, for scenes of chains only
    #[arg(long, value_name = "N", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) targets: u32,
    /// Compare this many frames [default: 5, or 120 for rigid bodies]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) frames: Option<u64>,
    /// Threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Write into this folder [default: a new one, compare/SCENE-001]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Write into a folder that has files
    #[arg(long)]
    pub(crate) force: bool,
}

/// What is compared.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Mode {
    /// Single steps, each from a state of the converged reference
    Step,
    /// Whole runs, against converged backward Euler
    Run,
    /// Whole runs, against a trajectory of much finer steps
    Time,
}

impl From<Mode> for hooke_scene::compare::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Step => Self::Step,
            Mode::Run => Self::Run,
            Mode::Time => Self::Time,
        }
    }
}

#[derive(ClapArgs)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) choice: Choice,
}

#[derive(ClapArgs)]
pub(crate) struct Resume {
    /// The folder of a run
    pub(crate) folder: PathBuf,
    /// Continue to this many frames after the start [default: those of the scene]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) frames: Option<u64>,
    #[command(flatten)]
    pub(crate) work: Work,
}

/// The execution of a run.
#[derive(ClapArgs)]
pub(crate) struct Work {
    /// Threads; the result is the same for any number [default: by the size of the scene]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", hide_default_value = true,
          default_values_t = Product::USUAL,
          help = format!("What to make of the recording, such as png,mp4 [default: png,gif,{}]",
                         Format::ALL[0]))]
    pub(crate) export: Vec<Product>,
    /// The longest time between checkpoints (s); 0 saves one after every frame
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = moment)]
    pub(crate) checkpoint: f64,
    /// Compute every frame three times, from saved states and on other threads, and compare the bits
    #[arg(long)]
    pub(crate) check_determinism: bool,
    /// End with code 4 if the run gained energy without work or a step did not converge
    #[arg(long)]
    pub(crate) strict: bool,
}

/// The files that can be made from a recording.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Product {
    /// A picture.
    Png,
    /// An animated picture.
    Gif,
    /// A film, through ffmpeg.
    Mp4,
    /// Files for other programs.
    Files(Format),
    /// Nothing: only the recording and the tables.
    None,
}

impl Product {
    /// What is made where nobody chooses.
    const USUAL: [Self; 3] = [Self::Png, Self::Gif, Self::Files(Format::ALL[0])];
}

impl ValueEnum for Product {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Product>> = LazyLock::new(|| {
            let mut all = vec![Product::Png, Product::Gif, Product::Mp4];
            all.extend(Format::ALL.iter().copied().map(Product::Files));
            all.push(Product::None);
            all
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Png => ("png", "A picture".into()),
            Self::Gif => ("gif", "An animated picture".into()),
            Self::Mp4 => ("mp4", "A film, through ffmpeg".into()),
            Self::Files(format) => (format.name, format!("{}: {}", format.title, format.readers)),
            Self::None => ("none", "Nothing: only the recording and the tables".into()),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// The names of formats, with commas between them.
fn names(formats: &[Format]) -> String {
    formats.iter().map(|format| format.name).collect::<Vec<_>>().join(",")
}

#[derive(ClapArgs)]
pub(crate) struct Render {
    /// A recording, or the folder of a run
    pub(crate) recording: PathBuf,
    /// The output: a .png, .gif or .mp4 [default: picture.png beside the recording]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Frame of a picture [default: that of the scene, or the last]
    #[arg(long, value_name = "N")]
    pub(crate) frame: Option<u64>,
    /// Time of a picture (s)
    #[arg(long, value_name = "S", conflicts_with = "frame", value_parser = moment)]
    pub(crate) time: Option<f64>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub(crate) size: (u32, u32),
    /// Samples per pixel, along each side
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) samples: u32,
    /// Quality of the light
    #[arg(long, default_value = "draft", value_parser = choices(Quality::ALL))]
    pub(crate) quality: Quality,
    /// Background and floor
    #[arg(long, default_value = "light", value_parser = choices(Theme::ALL))]
    pub(crate) theme: Theme,
    /// Style [default: that of the scene]
    #[arg(long, value_parser = choices(Style::ALL))]
    pub(crate) style: Option<Style>,
    /// Largest number of frames per second of an animation
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = frame_rate)]
    pub(crate) fps: f64,
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(ClapArgs)]
pub(crate) struct Export {
    /// A recording, or the folder of a run
    pub(crate) recording: PathBuf,
    #[arg(long, value_parser = formats(), value_delimiter = ',', required = true,
          value_name = "LIST",
          help = format!("The formats, such as {}", names(&Format::ALL[..2])))]
    pub(crate) to: Vec<Product>,
    /// The folder to write into [default: beside the recording]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(ClapArgs)]
pub(crate) struct Studio {
    /// A scene file, or a name of the gallery, to open first
    pub(crate) scene: Option<String>,
    /// Listen on this port [default: 8017, or another if it is taken]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Listen on this address; any other than the default is open to the network
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: String,
    /// Only print the address
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Memory of all tabs together (GiB), each an eighth [default: four fifths of the machine's]
    #[arg(long, value_name = "GIB", value_parser = gibibytes)]
    pub(crate) memory: Option<u64>,
}

#[derive(ClapArgs)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// The quantities to print
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) what: Vec<What>,
    /// First take this many steps; also print the state and the last report
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) steps: u64,
    /// Use kernels that give the same bits on every machine
    #[arg(long)]
    pub(crate) portable: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum What {
    /// Energies (J)
    Energy,
    /// Forces on every particle (N)
    Forces,
    /// ∇E of all elements (N)
    Gradient,
    /// ∇²E of all elements (N/m)
    Hessian,
    /// Every element as constraints: value, gradient, compliance, and the multiplier of xpbd after steps
    Constraint,
    /// Particles inside obstacles: distance, normal, velocity before and after
    Contact,
}

/// Products that are files for other programs; the help omits those of `hooke render`.
fn formats() -> impl TypedValueParser<Value = Product> {
    let shown = |product: &Product| {
        let value = product.to_possible_value()?;
        Some(value.hide(product.format().is_none()))
    };
    let values: Vec<PossibleValue> = Product::value_variants().iter().filter_map(shown).collect();
    PossibleValuesParser::new(values)
        .try_map(|name| Product::from_str(&name, false).map_err(std::io::Error::other))
}

/// One of a list of choices, each with its name and what it means.
fn choices<T: Copy + Send + Sync>(
    all: &'static [(T, &str, &str)],
) -> impl TypedValueParser<Value = T> {
    let shown = |(_, name, doc): &(T, &'static str, &'static str)| {
        PossibleValue::new(*name).help(doc.trim().trim_end_matches('.'))
    };
    PossibleValuesParser::new(all.iter().map(shown)).try_map(move |text| {
        let chosen = all.iter().find(|(_, name, _)| *name == text);
        chosen.map(|(choice, ..)| *choice).ok_or_else(|| std::io::Error::other("no such choice"))
    })
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once('x').ok_or("must be WIDTHxHEIGHT")?;
    match (width.parse(), height.parse()) {
        (Ok(width @ 1..=16384), Ok(height @ 1..=16384)) => Ok((width, height)),
        _ => Err("must be WIDTHxHEIGHT, each from 1 to 16384".into()),
    }
}

fn gibibytes(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(gib) if (1e-3..=1e6).contains(&gib) => Ok((gib * (1u64 << 30) as f64) as u64),
        _ => Err("must be a number of GiB from 0.001 to 1000000".into()),
    }
}

fn moment(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(time) if time.is_finite() && time >= 0.0 => Ok(time),
        _ => Err("must be a number of seconds ≥ 0".into()),
    }
}

fn frame_rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(fps) if (1.0..=240.0).contains(&fps) => Ok(fps),
        _ => Err("must be a number from 1 to 240".into()),
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) => Ok((path.trim().into(), value.trim().into())),
        None => Err("must be PATH=VALUE".into()),
    }
}
