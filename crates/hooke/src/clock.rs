//! The engine's one clock. Wall times go into [`crate::Seconds`] and nowhere else: no result depends on them.
//!
//! Natively it is the monotonic clock of the system. On `wasm32` the standard library has none: the host gives
//! one with `set_clock`, and without it every wall time is 0.

#[cfg(any(test, target_arch = "wasm32"))]
use std::sync::OnceLock;

/// The wall time since it was started.
#[derive(Clone, Copy)]
pub(crate) struct Stopwatch {
    #[cfg(not(target_arch = "wasm32"))]
    start: std::time::Instant,
    /// The host's time at the start (s).
    #[cfg(target_arch = "wasm32")]
    start: f64,
}

impl Stopwatch {
    /// Starts one.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn start() -> Self {
        Self { start: std::time::Instant::now() }
    }

    /// The wall time since the start (s).
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn seconds(self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Starts one.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn start() -> Self {
        Self { start: HOST.now() }
    }

    /// The wall time since the start (s).
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn seconds(self) -> f64 {
        HOST.since(self.start)
    }
}

/// Takes the host's clock, which gives seconds since any fixed moment. The first one given stays.
#[cfg(target_arch = "wasm32")]
pub fn set_clock(now: fn() -> f64) {
    HOST.set(now);
}

#[cfg(target_arch = "wasm32")]
static HOST: HostClock = HostClock(OnceLock::new());

/// A clock that comes from outside, or none.
#[cfg(any(test, target_arch = "wasm32"))]
struct HostClock(OnceLock<fn() -> f64>);

#[cfg(any(test, target_arch = "wasm32"))]
impl HostClock {
    fn set(&self, now: fn() -> f64) {
        self.0.get_or_init(|| now);
    }

    /// The host's time (s); 0 without a clock.
    fn now(&self) -> f64 {
        self.0.get().map_or(0.0, |now| now())
    }

    /// The time (s) since `start`: never negative, and 0 where the clock gives no number.
    fn since(&self, start: f64) -> f64 {
        let seconds = self.now() - start;
        if seconds > 0.0 && seconds.is_finite() { seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_without_a_clock_takes_no_time() {
        let host = HostClock(OnceLock::new());
        let start = host.now();
        assert_eq!(host.since(start), 0.0);
    }

    #[test]
    fn the_first_clock_of_the_host_stays() {
        let host = HostClock(OnceLock::new());
        host.set(|| 12.5);
        host.set(|| 99.0);
        assert_eq!(host.now(), 12.5);
        assert_eq!(host.since(10.0), 2.5);
        assert_eq!(host.since(13.0), 0.0, "it went back");
        assert_eq!(host.since(f64::NAN), 0.0);
        assert_eq!(host.since(f64::NEG_INFINITY), 0.0);
    }
}
