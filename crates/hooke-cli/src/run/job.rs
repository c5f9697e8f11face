//! A run at work: steps, frames, checkpoints.

use super::summary::Summary;
use super::table::{Frame, Tables};
use super::twin::Twin;
use crate::failure::Failure;
use crate::interrupt;
use hooke::{Simulation, Snapshot, StabilityLimit};
use hooke_scene::Scene;
use hooke_scene::recording::{self, Checkpoint, Reader, Writer};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A run at work. While it lives, no other run can write into its folder.
pub(super) struct Job {
    pub(super) scene: Scene,
    pub(super) simulation: Simulation,
    /// Stands for the scene and its model in checkpoints.
    pub(super) fingerprint: u64,
    pub(super) folder: PathBuf,
    pub(super) writer: Writer,
    pub(super) tables: Tables,
    pub(super) summary: Summary,
    /// Steps everything again, where that was asked for.
    pub(super) twin: Option<Twin>,
    /// The longest time between checkpoints.
    pub(super) pause: Duration,
    /// Frames that the last checkpoint holds.
    pub(super) safe: u64,
}

impl Job {
    /// Records the start.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        self.writer.append(self.simulation.state())?;
        self.tables.append(&Frame::start(self.simulation.report()))?;
        self.summary.frames = 1;
        self.save()
    }

    /// Steps and records up to frame `last`, or until stopped; `each` is called after every frame.
    pub(super) fn go_on(&mut self, last: u64, mut each: impl FnMut(&Frame)) -> Result<(), Failure> {
        let mut saved = Instant::now();
        while self.summary.frames <= last {
            match self.frame() {
                Ok(frame) => each(&frame),
                Err(Failure::Interrupted(_)) => break,
                Err(failure) => return Err(failure),
            }
            if saved.elapsed() >= self.pause {
                self.save()?;
                saved = Instant::now();
            }
        }
        self.save()
    }

    /// Steps to the next frame and records it; one that is interrupted is not begun.
    fn frame(&mut self) -> Result<Frame, Failure> {
        let before = self.simulation.snapshot();
        let made = self.make_frame(&before);
        if let Err(Failure::Interrupted(_)) = made {
            let rewound = self.simulation.restore(&before);
            rewound.map_err(|invalid| Failure::Numerical(invalid.to_string()))?;
        }
        made
    }

    fn make_frame(&mut self, before: &Snapshot) -> Result<Frame, Failure> {
        let clock = Instant::now();
        let index = self.summary.frames;
        let mut frame = Frame::new(index);
        // What a frame that fails has added is not kept.
        let mut summary = self.summary.clone();
        for _ in 0..self.scene.steps_per_frame() {
            self.simulation.step_unless(&interrupt::requested)?;
            if let Some(sentence) = hooke_scene::runaway(&mut self.simulation) {
                return Err(Failure::Numerical(sentence));
            }
            frame.add(self.simulation.report());
            summary.add(self.simulation.report());
        }
        if let Some(twin) = &mut self.twin {
            twin.check(index, before, self.scene.steps_per_frame(), &mut self.simulation)?;
        }
        self.writer.append(self.simulation.state())?;
        frame.seconds = clock.elapsed().as_secs_f64();
        self.tables.append(&frame)?;
        summary.frames += 1;
        self.summary = summary;
        Ok(frame)
    }

    /// What there is to say about energy that the run gained by no work.
    pub(super) fn gained(&mut self) -> Option<String> {
        let gain = self.summary.gain()?;
        let (limit, parts) = self.simulation.stability().unwrap_or((StabilityLimit::None, 1));
        Some(gain.tell(limit, self.simulation.step_length() / f64::from(parts)))
    }

    /// How many frames a resumed run would find, whatever was saved: the folder may have been deleted.
    pub(super) fn left(&self) -> u64 {
        let reader = Reader::open(&self.folder.join(recording::FILE));
        let recorded = reader.map_or(0, |reader| reader.frames());
        let found = Checkpoint::load(&self.folder, |checkpoint| checkpoint.frame < recorded);
        found.map_or(0, |found| found.checkpoint.frame + 1).min(self.safe)
    }

    /// Writes a checkpoint of the last frame, once that is on the disk itself.
    fn save(&mut self) -> Result<(), Failure> {
        if self.safe == self.summary.frames {
            return Ok(());
        }
        self.writer.sync()?;
        let tables = self.tables.sync()?;
        let checkpoint = Checkpoint {
            program: env!("CARGO_PKG_VERSION").into(),
            kernels: self.simulation.kernels().name().into(),
            method: self.scene.document().method.info.name.into(),
            scene: self.fingerprint,
            frame: self.summary.frames - 1,
            tables,
            totals: self.summary.totals(),
            snapshot: self.simulation.snapshot(),
        };
        checkpoint.save(&self.folder)?;
        self.safe = self.summary.frames;
        Ok(())
    }
}
