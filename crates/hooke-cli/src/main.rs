//! The `hooke` command: runs scenes of masses, springs and cloth.
//!
//! One file per command; [`failure`] holds the exit codes, [`out`] prints results, [`message`]
//! errors and warnings; [`memory`] tells where there is none left.

mod args;
mod check;
mod compare;
mod eval;
mod failure;
mod folder;
mod interrupt;
mod lists;
mod materials;
mod media;
mod memory;
mod message;
mod new;
mod out;
mod pages;
mod progress;
mod render;
mod run;
mod scene;
mod sheet;
mod studio;

use args::{Args, Command};
use clap::Parser;
use out::Out;
use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::survive_file_limit();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return message::tell_usage(&error),
    };
    let mut out = Out::new(&args.output);
    let done = match &args.command {
        Command::Run(options) => run::run(options, &args.output, &mut out),
        Command::Compare(options) => compare::compare(options, &args.output, &mut out),
        Command::Check(options) => check::check(options, &args.output, &mut out),
        Command::Resume(options) => run::resume(options, &args.output, &mut out),
        Command::Eval(options) => eval::eval(options, &args.output, &mut out),
        Command::Methods { name } => lists::methods(name.as_deref(), &args.output, &mut out),
        Command::Laws { name } => lists::laws(name.as_deref(), &args.output, &mut out),
        Command::Materials { name, markdown } => {
            materials::materials(name.as_deref(), *markdown, &args.output, &mut out)
        }
        Command::Scenes { sheet: None, .. } => lists::scenes(&args.output, &mut out),
        Command::Scenes { sheet: Some(path), force } => sheet::sheet(path, *force, &mut out),
        Command::Render(options) => render::render(options, &args.output, &mut out),
        Command::Export(options) => render::export(options, &args.output, &mut out),
        Command::Studio(options) => studio::studio(options, &args.output, &mut out),
        Command::New { file, force } => new::new(file, *force, &args.output, &mut out),
        Command::Schema { markdown } => pages::schema(*markdown, &mut out),
        Command::Completions { shell } => pages::completions(*shell, &mut out),
        Command::Man { command } => pages::man(command.as_deref(), &mut out),
    };
    match done.and_then(|()| out.finish()) {
        Ok(()) => {
            message::flush(&args.output);
            ExitCode::SUCCESS
        }
        Err(failure) => failure.tell(&args.output),
    }
}
