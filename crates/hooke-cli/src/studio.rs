//! `hooke studio`: scenes in the browser.

use crate::args::{Output, Studio};
use crate::failure::Failure;
use crate::out::Out;
use crate::{message, scene};
use hooke_scene::json::Json;
use hooke_studio::{First, Listening, Options, serve};
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) fn studio(options: &Studio, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let first = match &options.scene {
        None => None,
        Some(name) => Some(first(name)?),
    };
    let (host, port) = (options.host.clone(), options.port);
    let mut told = Ok(());
    let served = serve(Options { host, port, first }, |listening| {
        told = tell(listening, output, out);
        if !options.no_open {
            open(&listening.url);
        }
    });
    served.map_err(|failure| Failure::Io(failure.to_string())).and(told)
}

/// What the page opens first.
fn first(name: &str) -> Result<First, Failure> {
    let path = Path::new(name);
    match scene::named(name)? {
        (scene, true) => {
            let folder = path.parent().map(Path::to_owned).unwrap_or_default();
            Ok(First::File(Box::new(scene), folder))
        }
        (_, false) => Ok(First::Gallery(name.into())),
    }
}

fn tell(listening: &Listening, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let url = &listening.url;
    if listening.exposed && !output.quiet {
        message::error_line(
            "warning: other machines can reach this studio, and what is sent is not encrypted: \
             whoever learns the address can use it",
        );
    }
    match output.json {
        true => out.result(&Json::object([("url", Json::text(url))]).to_string())?,
        false => out.result(&format!("{url}\nCtrl-C ends the studio"))?,
    }
    out.finish()
}

/// Opens the page in the person's browser, where there is one. The address goes to the program as
/// one argument: no shell reads it.
fn open(url: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        Command::new("xdg-open")
    };
    // Without a browser the address on the terminal is enough.
    let _ =
        command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
