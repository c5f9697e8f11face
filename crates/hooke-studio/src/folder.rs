//! The private folder for files that come and go. It is removed at the end; what a studio that was
//! killed has left is removed when the next one starts.

use crate::{Failure, guard};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the names of such folders begin with.
const PREFIX: &str = "hooke-studio-";

/// A file in the folder that its studio keeps locked as long as it runs.
const LOCK: &str = "lock";

/// A folder without a lock is that of a studio that has just started, or was killed then.
const STARTING: Duration = Duration::from_secs(60);

/// A folder that only this user can enter.
pub(crate) struct Folder {
    /// Canonical.
    path: PathBuf,
    _lock: File,
}

impl Folder {
    pub(crate) fn new() -> Result<Self, Failure> {
        let name = format!("{PREFIX}{}", guard::secret()?);
        Self::make(&std::env::temp_dir(), &name).map_err(Failure::Folder)
    }

    fn make(within: &Path, name: &str) -> io::Result<Self> {
        make_private(&within.join(name))?;
        let path = within.join(name).canonicalize()?;
        // Locked before anyone can find it.
        let fresh = path.join("lock.new");
        let lock = File::create_new(&fresh)?;
        lock.try_lock()?;
        fs::rename(&fresh, path.join(LOCK))?;
        let folder = Self { path, _lock: lock };
        clear_left(within, &folder.path);
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it.
    pub(crate) fn clear(&self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the folders of studios that no longer run.
fn clear_left(within: &Path, own: &Path) {
    for entry in within.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !named || path.file_name() == own.file_name() || !is_ours(&path, own) {
            continue;
        }
        match File::open(path.join(LOCK)) {
            Ok(lock) if lock.try_lock().is_ok() => _ = fs::remove_dir_all(&path),
            Ok(_) => {}
            // Only where it is empty, or has nothing but a lock that nobody could have seen.
            Err(_) if is_old(&path) => {
                let _ = fs::remove_file(path.join("lock.new"));
                let _ = fs::remove_dir(&path);
            }
            Err(_) => {}
        }
    }
}

/// Whether something is a folder, no link to one, and of the user who made `own`.
fn is_ours(path: &Path, own: &Path) -> bool {
    let Ok(found) = path.symlink_metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let same = own.symlink_metadata().is_ok_and(|own| own.uid() == found.uid());
        found.is_dir() && same
    }
    #[cfg(not(unix))]
    {
        let _ = own;
        found.is_dir()
    }
}

fn is_old(path: &Path) -> bool {
    let made = path.symlink_metadata().and_then(|data| data.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > STARTING))
}

/// Makes a folder that nobody else can enter.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_studio_left_is_removed_and_nothing_else() {
        let temp = std::env::temp_dir().join(format!("hooke-left-{}", std::process::id()));
        let _ = fs::remove_dir_all(&temp);
        fs::create_dir_all(&temp).expect("a folder");
        let make = |name: &str| Folder::make(&temp, name).expect("a folder");
        let killed = make("hooke-studio-killed");
        fs::write(killed.path().join("top.obj"), "v 0 0 0").expect("a file");
        let left = killed.path().to_owned();
        drop(killed);
        let running = make("hooke-studio-running");
        assert!(!left.exists(), "its lock is free");
        // Folders of other names, files, links, and those of another version with something in them.
        let others = ["hooke-studies", "mine", "hooke-studio-old"].map(|name| temp.join(name));
        for other in &others {
            fs::create_dir(other).expect("a folder");
            fs::write(other.join("x"), "").expect("a file");
        }
        fs::write(temp.join("hooke-studio-file"), "").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&others[1], temp.join("hooke-studio-link")).expect("a link");
        let next = make("hooke-studio-next");
        assert!(running.path().join(LOCK).exists() && next.path().exists());
        assert!(others.iter().all(|other| other.join("x").exists()));
        assert!(temp.join("hooke-studio-file").exists());
        next.clear();
        assert!(!next.path().exists() && running.path().exists());
        let _ = fs::remove_dir_all(&temp);
    }
}
