//! `hooke studio`: scenes in the browser.

use crate::args::{Output, Studio};
use crate::failure::Failure;
use crate::out::Out;
use crate::{message, scene};
use hooke_scene::json::description;
use hooke_studio::{First, News, Options, serve};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) fn studio(options: &Studio, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let first = match &options.scene {
        None => None,
        Some(name) => Some(first(name)?),
    };
    let (host, port, memory) = (options.host.clone(), options.port, options.memory);
    let mut printed_all = Ok(());
    let served = serve(Options { host, port, first, saves: SAVES.into(), memory }, |news| {
        let printed = tell(&news, output, out);
        if printed.is_err() && printed_all.is_ok() {
            printed_all = printed;
        }
        if let (News::Listening { url, .. }, false) = (&news, options.no_open) {
            open(url);
        }
    });
    served.map_err(|failure| Failure::Io(failure.to_string())).and(printed_all)
}

/// Where scenes are saved that were changed in the page and stand in no file.
const SAVES: &str = "hooke-studio";

/// What the page opens first.
fn first(name: &str) -> Result<First, Failure> {
    let path = Path::new(name);
    match scene::named(name)? {
        (scene, true) => Ok(First::File(Box::new(scene), path.to_owned())),
        (_, false) => Ok(First::Gallery(name.into())),
    }
}

fn tell(news: &News, output: &Output, out: &mut Out) -> Result<(), Failure> {
    let (key, value, words) = match news {
        News::Listening { url, exposed } => {
            if *exposed && !output.quiet {
                message::error_line(
                    "warning: other machines can reach this studio, and what is sent is not \
                     encrypted: whoever learns the address can use it",
                );
            }
            ("url", url.clone(), format!("{url}\nCtrl-C ends the studio"))
        }
        News::Fresh(url) => {
            ("url", url.clone(), format!("{url}\nThe previous address was already used"))
        }
        News::Saved(path) => {
            let path = path.display().to_string();
            ("saved", path.clone(), format!("saved {path}"))
        }
    };
    match output.json {
        true => {
            out.result(&description(&Value::from_iter([(key, Value::from(value.as_str()))])))?
        }
        false => out.result(&words)?,
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
