//! Being asked to stop: by Ctrl-C, by the system (SIGTERM), by a terminal that closes (SIGHUP). The
//! first of these stops and saves; a second Ctrl-C ends the program at once.

use crate::failure::Failure;
use hooke_media::MediaError;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Listens from now on. Without a handler a signal ends the program at once, and the frames recorded so
/// far are still good.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    #[cfg(unix)]
    signals::listen();
}

/// Makes a file that would grow beyond the system's limit an error of its write, instead of the end of the
/// program.
pub(crate) fn survive_file_limit() {
    #[cfg(unix)]
    signals::survive_file_limit();
}

/// Whether to stop.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Fails where to stop.
pub(crate) fn check() -> Result<(), Failure> {
    if requested() {
        return Err(MediaError::Stopped.into());
    }
    Ok(())
}

/// What the standard library does not know of signals.
#[cfg(unix)]
mod signals {
    use super::REQUESTED;
    use std::sync::atomic::Ordering;

    extern "C" fn request(_: libc::c_int) {
        REQUESTED.store(true, Ordering::Relaxed);
    }

    /// Hears SIGTERM and SIGHUP, unless whoever started the program has it ignore them, as `nohup` does.
    pub(super) fn listen() {
        for signal in [libc::SIGTERM, libc::SIGHUP] {
            let handler = request as extern "C" fn(libc::c_int);
            // SAFETY: the handler does nothing but store to an atomic, which a handler may do.
            unsafe {
                if libc::signal(signal, handler as libc::sighandler_t) == libc::SIG_IGN {
                    libc::signal(signal, libc::SIG_IGN);
                }
            }
        }
    }

    pub(super) fn survive_file_limit() {
        // SAFETY: no handler is installed.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        }
    }
}
