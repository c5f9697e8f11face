//! When steps are due: as time passes in the world, times a factor, and never in arrears.

use super::Refusal;
use std::time::{Duration, Instant};

/// How often frames are shown, at most.
const FRAME: Duration = Duration::from_millis(15);

/// How often reports are told, at most: 30 times a second.
const REPORT: Duration = Duration::from_millis(33);

/// How far behind (s) the clock may fall before the rest is dropped.
const ARREARS: Duration = Duration::from_millis(100);

/// The factors that are taken.
const SPEEDS: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

pub(super) struct Pace {
    speed: f64,
    due: Instant,
    shown: Option<Instant>,
    outgoing: Option<Instant>,
    /// Wall time that frames and reports have taken since the last report, and steps since then.
    reporting: Duration,
    steps: u32,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            speed: 1.0,
            due: Instant::now(),
            shown: None,
            outgoing: None,
            reporting: Duration::ZERO,
            steps: 0,
        }
    }

    pub(super) fn set_speed(&mut self, factor: f64) -> Result<(), Refusal> {
        if !SPEEDS.contains(&factor) {
            return Err("the speed is a factor from 0.001 to 1000".into());
        }
        self.speed = factor;
        Ok(())
    }

    /// Time passes from now on.
    pub(super) fn start(&mut self) {
        self.due = Instant::now();
    }

    /// How long until the next step is due.
    pub(super) fn wait(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// A step of `h` (s) was taken.
    pub(super) fn stepped(&mut self, h: f64) {
        let length = Duration::try_from_secs_f64(h / self.speed).unwrap_or(Duration::MAX);
        let now = Instant::now();
        self.steps += 1;
        self.due = self.due.checked_add(length).unwrap_or(now + Duration::from_secs(3600));
        if self.due + ARREARS < now {
            self.due = now;
        }
    }

    /// Whether to show a frame now.
    pub(super) fn open_scene(&mut self) -> bool {
        Self::due(&mut self.shown, FRAME)
    }

    /// Whether to send a report now.
    pub(super) fn report_due(&mut self) -> bool {
        Self::due(&mut self.outgoing, REPORT)
    }

    /// Frames or reports were made since `clock`.
    pub(super) fn spent(&mut self, clock: Instant) {
        self.reporting += clock.elapsed();
    }

    /// What frames and reports took of each step (s) since this was last asked.
    pub(super) fn reporting(&mut self) -> f64 {
        let steps = std::mem::take(&mut self.steps).max(1);
        std::mem::take(&mut self.reporting).as_secs_f64() / f64::from(steps)
    }

    /// The next frame and report are due at once.
    pub(super) fn refresh(&mut self) {
        (self.shown, self.outgoing) = (None, None);
    }

    /// Whether a pause has passed since the last turn, which is then the beat and not the moment now: one that
    /// came late does not cost the next.
    fn due(last: &mut Option<Instant>, pause: Duration) -> bool {
        let now = Instant::now();
        let late = last.map_or(pause, |last| now.saturating_duration_since(last));
        let due = late >= pause;
        if due {
            *last = now.checked_sub((late - pause).min(pause));
        }
        due
    }
}
