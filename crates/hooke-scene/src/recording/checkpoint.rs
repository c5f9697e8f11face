//! Checkpoints: a run's last saved moment, from which it goes on to the same bits.
//!
//! A checkpoint is written under a temporary name, synced, and renamed; the one before stays as
//! `.prev`. Whenever a run is stopped, at least one of the two is whole. All numbers are little
//! endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `HOOKECHK` |
//! | 4 | version of the format, 1 |
//! | 8 | length of the body |
//! | | the body: program, kernels and method (length and text each); scene, frame, lengths of the tables, totals; the rest is the engine's snapshot |
//! | 4 | CRC-32 of everything before |

use super::bytes::{put_text, take_text, take_u64};
use super::{Header, RecordingError};
use hooke::{Model, Snapshot};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The usual name of a checkpoint within the folder of a run.
pub const CHECKPOINT: &str = "checkpoint.hooke";

const MAGIC: &[u8; 8] = b"HOOKECHK";
const VERSION: u32 = 1;

/// Bytes before the body: magic, version, length.
const PREFIX: usize = 20;

/// A run's saved moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The version of the program that wrote it.
    pub program: String,
    /// The kernels it computed with.
    pub kernels: String,
    /// The method.
    pub method: String,
    /// The scene and its model: see [`fingerprint`].
    pub scene: u64,
    /// The last recorded frame.
    pub frame: u64,
    /// How long the run's tables were (bytes).
    pub tables: Vec<u64>,
    /// Sums over the run so far.
    pub totals: Vec<f64>,
    /// The moment itself.
    pub snapshot: Snapshot,
}

/// A checkpoint that was found, and where.
#[derive(Debug)]
pub struct Found {
    /// It.
    pub checkpoint: Checkpoint,
    /// Its file.
    pub path: PathBuf,
    /// Why a newer file was passed over.
    pub passed_over: Option<RecordingError>,
}

impl Checkpoint {
    /// Writes it into the folder of a run; what was there before becomes `.prev`.
    pub fn save(&self, folder: &Path) -> Result<(), RecordingError> {
        let path = folder.join(CHECKPOINT);
        let io = RecordingError::io(&path);
        let temporary = folder.join(format!(".{CHECKPOINT}.part"));
        let saved = self.write(&temporary).and_then(|()| {
            match std::fs::rename(&path, previous(folder)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            std::fs::rename(&temporary, &path).inspect_err(|_| {
                let _ = std::fs::rename(previous(folder), &path);
            })?;
            sync_folder(folder)
        });
        if saved.is_err() {
            // What is half written only takes the room that is missing.
            let _ = std::fs::remove_file(&temporary);
        }
        saved.map_err(io)
    }

    /// Writes it into a new file, and makes sure that it is on the disk.
    fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(&self.encode())?;
        file.sync_all()
    }

    /// The newest whole checkpoint in the folder of a run that `fits`; the error is that of the
    /// newest file.
    pub fn load(folder: &Path, fits: impl Fn(&Self) -> bool) -> Result<Found, RecordingError> {
        let path = folder.join(CHECKPOINT);
        let newest = Self::read(&path).and_then(|checkpoint| match fits(&checkpoint) {
            true => Ok(checkpoint),
            false => Err(RecordingError::damaged(&path, "is ahead of the recording")),
        });
        match newest {
            Ok(checkpoint) => Ok(Found { checkpoint, path, passed_over: None }),
            Err(error) => {
                let path = previous(folder);
                match Self::read(&path) {
                    Ok(checkpoint) if fits(&checkpoint) => {
                        Ok(Found { checkpoint, path, passed_over: Some(error) })
                    }
                    _ => Err(error),
                }
            }
        }
    }

    /// Removes the checkpoints of an earlier run.
    pub fn clear(folder: &Path) -> Result<(), RecordingError> {
        for path in [folder.join(CHECKPOINT), previous(folder)] {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(RecordingError::io(&path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes the one before the last, which a run that ended well no longer needs.
    pub fn settle(folder: &Path) {
        let _ = std::fs::remove_file(previous(folder));
    }

    /// Reads one file.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        let io = RecordingError::io(path);
        let damaged = |sentence: &str| RecordingError::damaged(path, sentence);
        let mut file = File::open(path).map_err(&io)?;
        let mut prefix = [0; PREFIX];
        let mut read = 0;
        while read < PREFIX {
            match file.read(&mut prefix[read..]).map_err(&io)? {
                0 => return Err(damaged("is not a checkpoint, or its beginning is missing")),
                n => read += n,
            }
        }
        let (magic, rest) = prefix.split_at(MAGIC.len());
        let (version, size) = rest.split_at(4);
        if magic != MAGIC {
            return Err(damaged("is not a checkpoint"));
        }
        let version = version.try_into().map_or(0, u32::from_le_bytes);
        if version != VERSION {
            let sentence = format!("is of version {version}; this program reads version {VERSION}");
            return Err(RecordingError::damaged(path, sentence));
        }
        let size = size.try_into().map_or(u64::MAX, u64::from_le_bytes);
        let length = file.metadata().map_err(&io)?.len();
        // Nothing is allocated for more than the file really holds.
        if size.checked_add(PREFIX as u64 + 4) != Some(length) {
            return Err(damaged("is cut short"));
        }
        let mut bytes = Vec::from(prefix);
        file.take(size + 4).read_to_end(&mut bytes).map_err(&io)?;
        Self::decode(&bytes).ok_or_else(|| damaged("is damaged"))
    }

    fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        for text in [&self.program, &self.kernels, &self.method] {
            put_text(text, &mut body);
        }
        body.extend(self.scene.to_le_bytes());
        body.extend(self.frame.to_le_bytes());
        body.extend((self.tables.len() as u64).to_le_bytes());
        self.tables.iter().for_each(|length| body.extend(length.to_le_bytes()));
        body.extend((self.totals.len() as u64).to_le_bytes());
        self.totals.iter().for_each(|total| body.extend(total.to_le_bytes()));
        body.extend(self.snapshot.to_bytes());
        let mut out = Vec::with_capacity(body.len() + PREFIX + 4);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend((body.len() as u64).to_le_bytes());
        out.extend(body);
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// Reads a whole file's bytes; `None` where anything is amiss.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (bytes, checksum) = bytes.split_last_chunk::<4>()?;
        if crc32fast::hash(bytes) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let mut body = bytes.get(PREFIX..)?;
        let body = &mut body;
        let [program, kernels, method] = [take_text(body)?, take_text(body)?, take_text(body)?];
        let (scene, frame) = (take_u64(body)?, take_u64(body)?);
        let tables = take_words(body)?;
        let totals = take_words(body)?.into_iter().map(f64::from_bits).collect();
        let snapshot = Snapshot::from_bytes(body)?;
        Some(Self { program, kernels, method, scene, frame, tables, totals, snapshot })
    }
}

/// A number that stands for a scene and its model: text, surface, springs, rest positions, masses.
pub fn fingerprint(header: &Header, model: &Model) -> u64 {
    let rest = model.rest().iter().flat_map(|x| x.to_array());
    let numbers = rest.chain(model.masses().iter().copied());
    let bytes = header.encode().into_iter().chain(numbers.flat_map(f64::to_le_bytes));
    // FNV-1a
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn take_words(bytes: &mut &[u8]) -> Option<Vec<u64>> {
    let count = usize::try_from(take_u64(bytes)?).ok()?;
    if count > bytes.len() / 8 {
        return None;
    }
    (0..count).map(|_| take_u64(bytes)).collect()
}

fn previous(folder: &Path) -> PathBuf {
    folder.join(format!("{CHECKPOINT}.prev"))
}

/// Makes renames last. Only some systems can sync a folder; elsewhere a rename is lasting anyway.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { OpenOptions::new().read(true).open(folder)?.sync_all() } else { Ok(()) }
}
