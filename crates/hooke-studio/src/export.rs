//! Files made of what was seen: the recording itself, and pictures, animations and meshes of it.
//! Each is made on a thread of its own, with its progress told, and can then be downloaded.

use crate::drafts::plain_name;
use crate::library::Library;
use crate::limits;
use crate::mailbox::Outbox;
use crate::message::Product;
use crate::routes::Studio;
use hooke::State;
use hooke_media::{Animation, Clip, MediaError, Pace};
use hooke_render::Settings;
use hooke_scene::Scene;
use hooke_scene::export::export;
use hooke_scene::recording::{Header, Writer};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Frames per second of a GIF, at most.
const GIF_FPS: f64 = 30.0;

/// The size of a GIF.
const GIF_SIZE: [u32; 2] = [640, 360];

/// A file that can be downloaded.
#[derive(Clone)]
pub(crate) struct Made {
    pub(crate) path: PathBuf,
    /// What the download is called.
    pub(crate) name: String,
    bytes: u64,
}

/// The files that were made, by the part of their address that nobody can guess.
pub(crate) struct Exports {
    folder: PathBuf,
    made: Mutex<Vec<(String, Made)>>,
    jobs: AtomicU64,
    working: AtomicUsize,
}

impl Exports {
    pub(crate) fn new(library: &Library) -> Self {
        Self {
            folder: library.folder().to_owned(),
            made: Mutex::default(),
            jobs: AtomicU64::new(1),
            working: AtomicUsize::new(0),
        }
    }

    /// A file by its id.
    pub(crate) fn find(&self, id: &str) -> Option<Made> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.iter().find(|(known, _)| known == id).map(|(_, made)| made.clone())
    }

    /// Offers a file; the oldest go where all take too much room.
    fn offer(&self, id: String, file: Made) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.push((id, file));
        while made.len() > 1 && made.iter().map(|(_, made)| made.bytes).sum::<u64>() > limits::FILES
        {
            let (_, oldest) = made.remove(0);
            let _ = std::fs::remove_file(oldest.path);
        }
    }
}

/// What a job needs to know.
struct Job {
    studio: Arc<Studio>,
    outbox: Arc<Outbox>,
    number: u64,
    kind: Product,
    scene: Scene,
    moments: Vec<Arc<State>>,
    fps: f64,
}

/// Starts making a file of a run: its scene, its moments, and how many of them make a second.
pub(crate) fn start(
    studio: &Arc<Studio>,
    outbox: &Arc<Outbox>,
    kind: Product,
    scene: Scene,
    moments: Vec<Arc<State>>,
    fps: f64,
) -> Result<(), &'static str> {
    let document = scene.document();
    let empty = document.deformables.is_empty()
        && document.chains.is_empty()
        && document.rigid_bodies.is_empty();
    if moments.is_empty() || empty {
        return Err("there is nothing to export yet");
    }
    let exports = &studio.exports;
    if exports.working.fetch_add(1, Ordering::Relaxed) >= limits::EXPORTS {
        exports.working.fetch_sub(1, Ordering::Relaxed);
        return Err("other exports are still running: wait for one to finish");
    }
    let number = exports.jobs.fetch_add(1, Ordering::Relaxed);
    let (studio, outbox) = (Arc::clone(studio), Arc::clone(outbox));
    let job = Job { studio, outbox, number, kind, scene, moments, fps };
    let thread = std::thread::Builder::new().name("export".into());
    let started = thread.spawn(move || {
        let outcome = job.work();
        job.studio.exports.working.fetch_sub(1, Ordering::Relaxed);
        if let Err(sentence) = outcome {
            let sentence = job.studio.library.bare(&sentence);
            let message = format!("the {} was not made: {sentence}", job.kind.name());
            job.outbox.event(&json!({ "is": "problem", "job": job.number, "message": message }));
        }
    });
    started.map(|_| ()).map_err(|_| "cannot start a thread for it")
}

impl Job {
    fn work(&self) -> Result<(), String> {
        let folder = &self.studio.exports.folder;
        let recording = folder.join(format!("export-{}.hooke", self.number));
        self.tell(0, self.moments.len() as u64, None);
        self.record(&recording)?;
        let path = match self.kind {
            Product::Recording => recording,
            kind => {
                let path = folder.join(format!("export-{}.{}", self.number, kind.name()));
                let made = self.make(&recording, &path);
                let _ = std::fs::remove_file(&recording);
                if let Err(error) = made {
                    let _ = std::fs::remove_file(&path);
                    return Err(error.to_string());
                }
                path
            }
        };
        let bytes = path.metadata().map_or(0, |data| data.len());
        let id = crate::guard::secret().map_err(|failure| failure.to_string())?;
        let url = format!("/api/download/{id}");
        let name = self.name();
        self.studio.exports.offer(id, Made { path, name, bytes });
        let total = self.moments.len() as u64;
        self.tell(total, total, Some(&url));
        Ok(())
    }

    /// What the download is called: letters of the title, and an ending.
    fn name(&self) -> String {
        let plain = plain_name(&self.scene.document().title);
        let ending = match self.kind {
            Product::Recording => "hooke",
            kind => kind.name(),
        };
        format!("{plain}.{ending}")
    }

    fn record(&self, path: &Path) -> Result<(), String> {
        let mut scene = self.scene.clone();
        self.studio.library.settle(&mut scene).map_err(|problems| problems.to_string())?;
        let compiled = scene.compile().map_err(|problems| problems.to_string())?;
        let header = Header { fps: self.fps, ..Header::of(&scene, &compiled) };
        let failed = |error: hooke_scene::recording::RecordingError| error.to_string();
        let mut writer = Writer::create(path, &header, false).map_err(failed)?;
        for state in &self.moments {
            writer.append(state).map_err(failed)?;
        }
        writer.finish().map_err(failed)
    }

    fn make(&self, recording: &Path, path: &Path) -> Result<(), MediaError> {
        let mut clip = Clip::open(recording)?;
        let unfit = |sentence: String| MediaError::Unfit(path.to_owned(), sentence);
        if let Product::File(format) = self.kind {
            let mut progress = |done: usize, of: usize| self.tell(done as u64, of as u64, None);
            let written = export(&mut clip, format, path, &mut progress);
            return written.map(|_| ()).map_err(|error| unfit(error.to_string()));
        }
        let failed = |error: std::io::Error| unfit(hooke_scene::words::io(&error));
        let mut file = BufWriter::new(File::create(path).map_err(failed)?);
        if self.kind == Product::Png {
            let image = clip.image(clip.frames().saturating_sub(1), &Settings::default())?;
            image.write_png(&mut file)?;
        } else {
            let [width, height] = GIF_SIZE;
            let settings = Settings { width, height, ..Settings::default() };
            let pace = Pace::new(&clip, GIF_FPS);
            let total = pace.frames();
            let each = |done| {
                self.tell(done, total, None);
                !self.outbox.is_closed() && !*self.studio.stopped.borrow()
            };
            Animation { clip: &mut clip, pace, settings }.gif(&mut file, &each)?;
        }
        file.flush().map_err(failed)
    }

    fn tell(&self, done: u64, total: u64, url: Option<&str>) {
        let mut outgoing = json!({
            "is": "export",
            "job": self.number,
            "kind": self.kind.name(),
            "done": done,
            "total": total,
        });
        if let Some(url) = url {
            outgoing["url"] = Value::from(url);
            outgoing["name"] = Value::from(self.name());
        }
        self.outbox.event(&outgoing);
    }
}
