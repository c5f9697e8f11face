//! A scene: read from a file, changed by paths, compiled, run.

use crate::compile::{Compiled, compile};
use crate::edit::Segment;
use crate::field::Fields;
use crate::files::{self, Allowed, Files, Named};
use crate::format::Document;
use crate::gallery::MESHES;
use crate::load::{self, NotText};
use crate::problem::{Cause, MOST, Problem, Problems, Severity, Sink, SourceOffset};
use crate::source::{Source, write_path};
use crate::words::number;
use crate::{gallery, limits, nesting};
use hooke::methods::NoParticles;
use hooke::{Method, Refusal, Simulation};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::de::DeTable;

/// A scene as a person wrote it.
#[derive(Clone, Debug)]
pub struct Scene {
    source: Source,
    files: Files,
    /// The files it names.
    named: Vec<Named>,
    document: Document,
    schedule: Schedule,
    /// The memory a run may take (bytes).
    memory: Option<u64>,
}

/// How much of a value of `--set` messages quote (characters).
const OPTION: usize = 40;

/// A file that a scene names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// The field that names it, such as `deformables[0].mesh`.
    pub field: String,
    /// As it is written.
    pub name: String,
    /// Where it is read from; `None` where it is in the program.
    pub path: Option<PathBuf>,
}

/// How many steps make a frame, and how many frames a run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Schedule {
    steps_per_frame: u64,
    frames: u64,
}

/// Why a scene does not run.
#[derive(Clone, Debug)]
pub enum NotRunnable {
    /// The file has problems.
    Problems(Problems),
    /// The method refuses the scene, in one sentence.
    Refused(Refusal),
    /// There is nothing to compare it with, in one sentence.
    NotComparable(String),
}

impl std::fmt::Display for NotRunnable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Problems(problems) => problems.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::NotComparable(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for NotRunnable {}

impl From<Problems> for NotRunnable {
    fn from(problems: Problems) -> Self {
        Self::Problems(problems)
    }
}

impl From<Refusal> for NotRunnable {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Scene {
    /// Reads a scene; `name` is what messages call it.
    pub fn parse(text: impl Into<String>, name: impl Into<String>) -> Result<Self, Problems> {
        Self::parse_in(text, name, Path::new(""))
    }

    /// As [`Scene::parse`]; no other files than those allowed can be named, by this text or what it is changed to.
    pub fn parse_within(
        text: impl Into<String>,
        name: impl Into<String>,
        allowed: &Arc<Allowed>,
    ) -> Result<Self, Problems> {
        Self::read(Source::new(name, text), Files::Allowed(Arc::clone(allowed)))
    }

    /// As [`Scene::parse`]; files it names are looked for in `folder`.
    pub fn parse_in(
        text: impl Into<String>,
        name: impl Into<String>,
        folder: &Path,
    ) -> Result<Self, Problems> {
        Self::read(Source::new(name, text), Files::Folder(folder.to_owned()))
    }

    /// Reads a scene file; files it names are looked for beside it.
    pub fn load(path: &Path) -> Result<Self, Problems> {
        let name = path.display().to_string();
        match load::text(path) {
            Ok(text) => {
                let folder = path.parent().map(Path::to_owned).unwrap_or_default();
                Self::read(Source::new(name, text), Files::Folder(folder))
            }
            Err(NotText { cause, line, sentence }) => {
                let source = Source::new(name, "");
                let problem = source.problem(Severity::Error, cause, None, String::new(), sentence);
                Err(Problems { list: vec![Problem { line, ..problem }], more: 0 })
            }
        }
    }

    /// A scene of the gallery.
    pub fn gallery(name: &str) -> Option<Self> {
        let entry = gallery().iter().find(|entry| entry.name == name)?;
        Self::read(Source::new(format!("{name}.toml"), entry.text), Files::Gallery).ok()
    }

    fn read(source: Source, files: Files) -> Result<Self, Problems> {
        if source.text.len() as u64 > limits::TEXT {
            let mut sink = Sink::default();
            sink.limit(SourceOffset::ROOT, load::too_long());
            return Err(Source::new(source.name, "").resolve(sink));
        }
        let mut sink = Sink::default();
        if let Some(deep) = nesting::too_deep(&source.text) {
            let sentence = format!("is nested more than {} levels deep here", nesting::MOST);
            let span = Some(deep..deep + 1);
            let problem =
                source.problem(Severity::Error, Cause::Limit, span, String::new(), sentence);
            return Err(Problems { list: vec![problem], more: 0 });
        }
        let (document, named) = {
            let (tree, errors) = DeTable::parse_recoverable(&source.text);
            if !errors.is_empty() {
                return Err(not_toml(&source, &errors));
            }
            let named = files::named(tree.get_ref());
            (Document::read_table(tree.get_ref(), SourceOffset::ROOT, &mut sink), named)
        };
        files.check(&named, &mut sink);
        let schedule = document.as_ref().and_then(|document| schedule(document, &mut sink));
        match (document, schedule) {
            (Some(document), Some(schedule)) if !sink.failed() => {
                Ok(Self { source, files, named, document, schedule, memory: limits::memory() })
            }
            _ => Err(source.resolve(sink)),
        }
    }

    /// Changes one field by its path, such as `deformables[0].structural.stiffness`, to a value as it
    /// would be written in the file (text may be given without quotes).
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), Problems> {
        self.set_all([(path, value)])
    }

    /// Changes several fields at once; only the result needs to make sense.
    pub fn set_all<'a>(
        &mut self,
        changes: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), Problems> {
        self.change(changes, |path, value| {
            let short: String = value.chars().take(OPTION).collect();
            let dots = if short.len() < value.len() { "…" } else { "" };
            format!("--set {path}={short}{dots}")
        })
    }

    /// Changes fields; `option` is how each was asked for.
    pub(crate) fn change<'a>(
        &mut self,
        changes: impl IntoIterator<Item = (&'a str, &'a str)>,
        option: impl Fn(&str, &str) -> String,
    ) -> Result<(), Problems> {
        let mut source = self.source.clone();
        for (path, value) in changes {
            let option = option(path, value);
            source.set(path, value, &option).map_err(|sentence| self.outside(&option, sentence))?;
        }
        self.reread(source)
    }

    /// A problem of what was asked beside the file.
    fn outside(&self, option: &str, sentence: String) -> Problems {
        let source = Source::new(self.source.name.as_str(), "");
        let problem = source.problem(Severity::Error, Cause::Input, None, String::new(), sentence);
        Problems { list: vec![Problem { option: option.into(), ..problem }], more: 0 }
    }

    /// The problem of asking for more than is allowed.
    pub(crate) fn too_much(&self, sentence: String) -> Problems {
        let source = Source::new(self.source.name.as_str(), "");
        let problem = source.problem(Severity::Error, Cause::Limit, None, String::new(), sentence);
        Problems { list: vec![problem], more: 0 }
    }

    /// Takes another method by name or alias; settings that it does not have are dropped.
    pub fn use_method(&mut self, name: &str) -> Result<(), Problems> {
        self.change_method(name, &format!("--method {name}"))
    }

    /// Takes another method; `option` is how it was asked for.
    pub(crate) fn change_method(&mut self, name: &str, option: &str) -> Result<(), Problems> {
        let Some(info) = hooke::methods::find(name) else {
            return self.change([("method.name", name)], |_, _| option.to_owned());
        };
        let mut source = self.source.clone();
        source.use_method(info, option).map_err(|sentence| self.outside(option, sentence))?;
        self.reread(source)
    }

    /// Draws every text of a chain as outlines of a font.
    pub fn use_font(&mut self, font: &Path) -> Result<(), Problems> {
        let path = std::path::absolute(font).unwrap_or_else(|_| font.to_owned());
        let value = format!("{:?}", path.display().to_string());
        let option = format!("--font {}", font.display());
        let mut fields = Vec::new();
        for (c, chain) in self.document.chains.iter().enumerate() {
            for (t, target) in chain.targets.iter().enumerate() {
                if target.draw.as_ref().is_some_and(|draw| draw.text.is_some()) {
                    fields.push(format!("chains[{c}].targets[{t}].draw.font"));
                }
            }
        }
        if fields.is_empty() {
            return Err(self.outside(&option, "no chain of the scene draws a text".into()));
        }
        self.change(fields.iter().map(|field| (field.as_str(), value.as_str())), |_, _| {
            option.clone()
        })
    }

    fn reread(&mut self, source: Source) -> Result<(), Problems> {
        let memory = self.memory;
        *self = Self { memory, ..Self::read(source, self.files.clone())? };
        Ok(())
    }

    /// Refuses, before anything is allocated, what would take more memory than this (bytes). The
    /// default is [`limits::memory`].
    pub fn set_memory_limit(&mut self, bytes: u64) {
        self.memory = Some(bytes);
    }

    /// The memory a run may take (bytes), where it is limited.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory
    }

    /// Every file that it names: meshes, skeletons, fonts.
    pub fn files(&self) -> Vec<NamedFile> {
        let file = |file: &Named| NamedFile {
            field: write_path(&file.path),
            name: file.name.clone(),
            path: self.files.path(&file.name),
        };
        self.named.iter().map(file).collect()
    }

    /// Names files otherwise, where `rename` says so; names are looked for in `folder` from then on.
    pub fn rename_files(
        &mut self,
        folder: &Path,
        rename: impl Fn(&NamedFile) -> Option<String>,
    ) -> Result<(), Problems> {
        let paths = self.named.iter().map(|file| file.path.clone());
        let all: Vec<(Vec<Segment>, String)> = paths
            .zip(self.files())
            .filter_map(|(path, file)| Some((path, rename(&file)?)))
            .collect();
        let mut source = self.source.clone();
        source.replace(&all);
        let memory = self.memory;
        *self = Self { memory, ..Self::read(source, Files::Folder(folder.to_owned()))? };
        Ok(())
    }

    /// Writes the files it names with their full paths, so that the scene can be read again from anywhere.
    pub fn resolve_meshes(&mut self) -> Result<(), Problems> {
        let folder = match &self.files {
            Files::Gallery => return Ok(()),
            Files::Folder(folder) => folder.clone(),
            Files::Allowed(_) => PathBuf::new(),
        };
        self.rename_files(&folder, |file| {
            Some(file.path.as_ref()?.canonicalize().ok()?.to_str()?.to_owned())
        })
    }

    /// The mesh files of a scene of the gallery: name and content.
    pub fn embedded_meshes(&self) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        let gallery = matches!(self.files, Files::Gallery);
        let named = |name: &str| self.named.iter().any(|file| file.name == name);
        MESHES.iter().copied().filter(move |(name, _)| gallery && named(name))
    }

    /// Records this many frames after the start.
    pub fn set_frames(&mut self, frames: u64) -> Result<(), Problems> {
        let duration = frames.max(1) as f64 * self.steps_per_frame() as f64 * self.step_length();
        let option = format!("--frames {frames}");
        self.change([("time.duration", format!("{duration:?}").as_str())], |_, _| option.clone())
    }

    /// The text, with every change.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// What it says, as data.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The length of a step (s).
    pub fn step_length(&self) -> f64 {
        self.document.time.step.0
    }

    /// How many steps make a recorded frame.
    pub fn steps_per_frame(&self) -> u64 {
        self.schedule.steps_per_frame
    }

    /// How many frames are recorded after the start.
    pub fn frames(&self) -> u64 {
        self.schedule.frames
    }

    /// Recorded frames per second.
    pub fn fps(&self) -> f64 {
        1.0 / (self.step_length() * self.schedule.steps_per_frame as f64)
    }

    /// The model and its start.
    pub fn compile(&self) -> Result<Compiled, Problems> {
        let mut sink = Sink::default();
        let end = (self.frames() as f64 / self.fps()).max(self.document.time.duration);
        let end = Some(end).filter(|_| !self.source.changed("time.duration"));
        let compiled = compile(
            &self.document,
            self.source.text.len() as u64,
            &self.files,
            self.memory,
            end,
            &mut sink,
        );
        match compiled.filter(|_| !sink.failed()) {
            Some(mut compiled) => {
                if !sink.list.is_empty() {
                    compiled.warnings = self.source.resolve(sink);
                }
                Ok(compiled)
            }
            None => Err(self.source.resolve(sink)),
        }
    }

    /// The scene, ready to step on this many threads.
    pub fn simulation(&self, threads: usize) -> Result<Simulation, NotRunnable> {
        self.simulation_of(self.compile()?, threads)
    }

    /// As [`Scene::simulation`], from what [`Scene::compile`] gave.
    pub fn simulation_of(
        &self,
        compiled: Compiled,
        threads: usize,
    ) -> Result<Simulation, NotRunnable> {
        let (choice, needed) = (&self.document.method, compiled.memory);
        let method: Box<dyn Method> = match compiled.is_rigid_alone() {
            true => Box::new(NoParticles),
            false => (choice.info.build)(&choice.settings)?,
        };
        let substeps = self.document.time.substeps;
        let h = self.step_length();
        let mut simulation = Simulation::with_substeps(compiled.model, method, h, substeps)?;
        simulation.set_threads(threads);
        simulation.set_bodies(self.document.rigid_method.chosen.clone())?;
        if let Some(memory) = self.memory {
            let left = memory.saturating_sub(needed) / crate::estimate::CONTACT;
            simulation.set_contact_limit(usize::try_from(left).unwrap_or(usize::MAX));
        }
        simulation.set_state(compiled.start).map_err(Refusal::from)?;
        Ok(simulation)
    }
}

/// The problems of a text that is not TOML.
fn not_toml(source: &Source, errors: &[toml::de::Error]) -> Problems {
    let mut errors: Vec<_> = errors.iter().collect();
    errors.sort_by_key(|error| error.span().map(|span| span.start));
    let (mut line, mut behind, mut reported) = (1, 0, None);
    let (mut list, mut more) = (Vec::new(), 0);
    for error in errors {
        let line = error.span().map_or(0, |span| {
            let start = span.start.min(source.text.len());
            let passed = source.text.as_bytes().get(behind..start).unwrap_or_default();
            line += passed.iter().filter(|byte| **byte == b'\n').count();
            behind = start;
            line
        });
        // One mistake often breaks the grammar several times: one message per line.
        if reported.replace(line) == Some(line) {
            continue;
        }
        if list.len() == MOST {
            more += 1;
            continue;
        }
        let sentence = format!("is not TOML: {}", error.message());
        let span = error.span();
        list.push(source.problem(Severity::Error, Cause::Input, span, String::new(), sentence));
    }
    Problems { list, more }
}

/// Steps per frame and frames, or what is wrong with them.
fn schedule(document: &Document, sink: &mut Sink) -> Option<Schedule> {
    let time = &document.time;
    let step = time.step.0;
    let exact = time.fps.map_or(1.0, |fps| 1.0 / (fps * step));
    let steps_per_frame = exact.round();
    if steps_per_frame < 1.0 || (exact - steps_per_frame).abs() > 1e-6 * exact {
        let near = number(1.0 / (step * steps_per_frame.max(1.0)));
        let step = number(step);
        // Enough digits to see what is not whole.
        let exact = if exact < 1e4 { format!("{exact:.4}") } else { number(exact) };
        sink.error_in(
            time.source_offset,
            "fps",
            format!(
                "a frame must be a whole number of steps (a step of {step} s gives {exact}); \
                 fps = {near} would do"
            ),
        );
        return None;
    }
    let frame = step * steps_per_frame;
    if !(frame.is_finite() && frame.recip().is_finite()) {
        sink.error_in(
            time.source_offset,
            "step",
            format!("makes frames of {frame:e} s: no rate is right"),
        );
        return None;
    }
    let frames = (time.duration / frame).round().max(1.0);
    let steps = frames * steps_per_frame;
    if steps > limits::STEPS as f64 {
        let [duration, step, steps] = [time.duration, step, steps].map(number);
        let most = number(limits::STEPS as f64);
        let sentence =
            format!("{duration} s in steps of {step} s are {steps} steps, the limit is {most}");
        sink.error_of(Cause::Limit, time.source_offset, "duration", sentence);
        return None;
    }
    Some(Schedule { steps_per_frame: steps_per_frame as u64, frames: frames as u64 })
}
