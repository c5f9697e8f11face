//! Why the studio does not start, or not end well.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why the studio does not start, or not end well, in one sentence each.
#[derive(Debug)]
pub enum Failure {
    /// The address is taken, or not of this machine.
    Address(SocketAddr, std::io::Error),
    /// The name given as host is not an address of this machine.
    Host(String),
    /// The system gives no random numbers.
    NoRandomness(String),
    /// What was changed in the page cannot be saved in this folder.
    NotSaved(PathBuf, std::io::Error),
    /// The scene of the command line is no longer there.
    Gone(PathBuf, std::io::Error),
    /// The folder for files that come and go cannot be made.
    Folder(std::io::Error),
    /// The system gives no threads.
    Threads(std::io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address, error) => {
                let error = hooke_scene::words::io(error);
                write!(f, "{address}: cannot listen there: {error}; --port 0 takes any free port")
            }
            Self::Host(host) => write!(f, "--host {host}: is not an address of this machine"),
            Self::NoRandomness(error) => {
                write!(f, "the system provides no random numbers: {error}")
            }
            Self::NotSaved(folder, error) => {
                let (folder, error) = (folder.display(), hooke_scene::words::io(error));
                write!(f, "{folder}: unsaved changes cannot be saved there: {error}")
            }
            Self::Gone(path, error) => {
                write!(f, "{}: cannot be read: {}", path.display(), hooke_scene::words::io(error))
            }
            Self::Folder(error) => {
                write!(f, "cannot create a private folder: {}", hooke_scene::words::io(error))
            }
            Self::Threads(error) => {
                write!(f, "cannot start threads: {}", hooke_scene::words::io(error))
            }
        }
    }
}

impl std::error::Error for Failure {}
