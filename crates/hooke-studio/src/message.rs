//! What a page may ask over its socket. Anything else is refused in one sentence, before anything
//! is done.

use hooke::Vec3;
use hooke::settings::Value as Given;
use hooke_scene::export::{Files, Format};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One message of a page.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Request {
    /// Run a scene, by its name or its text, under one to four methods.
    Open {
        scene: Option<String>,
        text: Option<String>,
        #[serde(default)]
        methods: Vec<Choice>,
    },
    Play {},
    Pause {},
    /// Take one step.
    Step {},
    /// Start over.
    Reset {},
    /// Speed of the simulation, 1 as in the world.
    Speed {
        factor: f64,
    },
    /// Return to a kept moment.
    Seek {
        frame: usize,
    },
    /// Change the method of a run.
    Method {
        #[serde(default)]
        run: usize,
        name: String,
        #[serde(default)]
        settings: BTreeMap<String, Setting>,
        /// Start over with it, and play.
        #[serde(default)]
        restart: bool,
    },
    /// Change what the scene says.
    Set {
        what: What,
        value: Amount,
        #[serde(default)]
        restart: bool,
    },
    Grab {
        #[serde(default)]
        run: usize,
        particle: u32,
        at: [f64; 3],
    },
    Drag {
        at: [f64; 3],
    },
    Release {},
    Pin {
        #[serde(default)]
        run: usize,
        particle: u32,
    },
    Unpin {
        #[serde(default)]
        run: usize,
        particle: u32,
    },
    /// Add an attractor, move it, or remove it.
    Attractor {
        at: Option<[f64; 3]>,
        strength: Option<f64>,
    },
    /// Measure the error of a run against a converged step.
    Reference {
        #[serde(default)]
        run: usize,
        on: bool,
    },
    /// Make a file of what was seen.
    Export {
        kind: Product,
        #[serde(default)]
        run: usize,
    },
    /// How many more frames may be sent.
    Credit {
        frames: u32,
    },
}

/// A method with settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choice {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, Setting>,
}

/// The value of a setting.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Setting {
    Flag(bool),
    Number(f64),
    Text(String),
}

impl Setting {
    pub(crate) fn given(&self) -> Given {
        match self {
            Self::Flag(flag) => Given::Flag(*flag),
            Self::Number(number) => Given::Number(*number),
            Self::Text(text) => Given::Text(text.clone()),
        }
    }
}

/// What of a scene can be changed while it runs.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum What {
    H,
    Substeps,
    Gravity,
    Wind,
    Stiffness,
    Damping,
    Resolution,
}

/// How much.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Amount {
    Number(f64),
    Vector([f64; 3]),
    Text(String),
}

/// What can be made of what was seen.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub(crate) enum Product {
    Gif,
    Png,
    Recording,
    /// A file for other programs.
    File(Format),
}

impl TryFrom<String> for Product {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        match name.as_str() {
            "gif" => Ok(Self::Gif),
            "png" => Ok(Self::Png),
            "recording" => Ok(Self::Recording),
            _ => formats()
                .find(|format| format.name == name)
                .map(Self::File)
                .ok_or_else(|| format!("there is no export format `{}`", name.escape_debug())),
        }
    }
}

/// The formats that are one file, which a browser can download.
pub(crate) fn formats() -> impl Iterator<Item = Format> {
    Format::ALL.iter().copied().filter(|format| format.files == Files::One)
}

impl Product {
    /// Its name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Png => "png",
            Self::Recording => "recording",
            Self::File(format) => format.name,
        }
    }
}

/// A message, or one sentence on what is wrong with it.
pub(crate) fn read(text: &str) -> Result<Request, String> {
    serde_json::from_str(text).map_err(|error| format!("invalid message: {error}"))
}

/// Three numbers as a vector.
pub(crate) fn point([x, y, z]: [f64; 3]) -> Vec3 {
    Vec3::new(x, y, z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        for text in [
            r#"{"do":"open","scene":"flag"}"#,
            r#"{"do":"open","text":"x","methods":[{"name":"newton","settings":{"iterations":3,"solver":"cholesky"}}]}"#,
            r#"{"do":"play"}"#,
            r#"{"do":"set","what":"substeps","value":"auto"}"#,
            r#"{"do":"set","what":"gravity","value":[0,-1,0]}"#,
            r#"{"do":"grab","run":0,"particle":3,"at":[0,1,2.5]}"#,
            r#"{"do":"attractor","at":null}"#,
            r#"{"do":"credit","frames":2}"#,
        ] {
            assert!(read(text).is_ok(), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"do":"fly"}"#,
            r#"{"do":"play","now":1}"#,
            r#"{"do":"grab","particle":-1,"at":[0,0,0]}"#,
            r#"{"do":"grab","particle":1,"at":[0,0]}"#,
            r#"{"do":"grab","particle":1,"at":[0,0,NaN]}"#,
            r#"{"do":"drag","at":[0,0,1e999]}"#,
            r#"{"do":"set","what":"title","value":1}"#,
            r#"{"do":"export","kind":"exe"}"#,
            r#"{"do":"seek","frame":1.5}"#,
            r#"{"do":"credit","frames":4294967296}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(read(&deep).is_err());
    }
}
