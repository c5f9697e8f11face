//! Ctrl-C: the first asks to stop and save, the second ends the program at once.

use crate::failure::Failure;
use hooke_media::MediaError;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C from now on. Without a handler it ends the program at once, and the frames
/// recorded so far are still good.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Fails where to stop.
pub(crate) fn check() -> Result<(), Failure> {
    if asked() {
        return Err(MediaError::Stopped.into());
    }
    Ok(())
}
