//! What can be asked on the command line.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

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
    /// Print nothing but errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Say more: a line for every recorded frame
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print results as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print errors and warnings as JSON
    #[arg(long, global = true)]
    pub(crate) json_errors: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a scene and record it
    Run(Run),
    /// Evaluate a scene, without stepping or after a few steps, as JSON
    Eval(Eval),
    /// List the methods, or one of them with its settings
    Methods {
        /// Only this one, with its settings
        name: Option<String>,
    },
    /// List the laws and dampers
    Laws,
    /// List the scenes of the gallery
    Scenes,
    /// Write a commented scene to start from
    New {
        /// Where to; - prints it
        #[arg(default_value = "scene.toml")]
        file: PathBuf,
        /// Overwrite what is there
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

/// Which scene, and what is changed about it.
#[derive(ClapArgs)]
pub(crate) struct Choice {
    /// A scene file, or a name of the gallery
    #[arg(default_value = "hanging-cloth")]
    pub(crate) scene: String,
    /// Take this method; settings it does not have are dropped
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Change a field, such as bodies[0].structural.stiffness=2000
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
}

#[derive(ClapArgs)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Record this many frames after the start
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) frames: Option<u64>,
    /// Threads; the result is the same for any number [default: by the size of the scene]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Write into this folder [default: a new one, runs/SCENE-001]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Write even where files are
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(ClapArgs)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// What to tell
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) what: Vec<What>,
    /// First take this many steps, and tell the state and the last report
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) steps: u64,
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
    /// Every element as constraints: value, gradient, compliance
    Constraint,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) => Ok((path.trim().into(), value.trim().into())),
        None => Err("it must be PATH=VALUE".into()),
    }
}
