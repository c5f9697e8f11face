//! Reading a recording: any frame by its index.

use super::{Header, MAGIC, PREFIX, RecordingError, VERSIONS, frame_size};
use hooke::math::Quat;
use hooke::rigid::{Pose, RigidBodyState, Twist};
use hooke::{State, Vec3};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// One recorded moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Its index; 0 is the start.
    pub index: u64,
    /// Time (s).
    pub time: f64,
    /// Positions (m).
    pub positions: Vec<Vec3>,
    /// Velocities (m/s).
    pub velocities: Vec<Vec3>,
    /// Where rigid bodies are, and how they move.
    pub rigid_bodies: Vec<RigidBodyState>,
}

impl Frame {
    /// A state as a frame.
    pub fn of(index: u64, state: &State) -> Self {
        Self {
            index,
            time: state.time,
            positions: state.positions.clone(),
            velocities: state.velocities.clone(),
            rigid_bodies: state.rigid_bodies.clone(),
        }
    }
}

/// A recording being read: from a file, or from any bytes.
pub struct Reader<S = File> {
    path: PathBuf,
    source: S,
    header: Header,
    first: u64,
    frames: u64,
    buffer: Vec<u8>,
}

impl Reader {
    /// Opens a recording; one whose end is missing gives the whole frames before it.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        Self::read(File::open(path).map_err(RecordingError::io(path))?, path)
    }
}

impl<S: Read + Seek> Reader<S> {
    /// As [`Reader::open`], from where the bytes are; `path` is what messages call it.
    pub fn read(mut source: S, path: &Path) -> Result<Self, RecordingError> {
        let io = RecordingError::io(path);
        let damaged = |sentence: &str| RecordingError::damaged(path, sentence);
        let length = source.seek(SeekFrom::End(0)).map_err(&io)?;
        source.seek(SeekFrom::Start(0)).map_err(&io)?;
        let mut prefix = [0; PREFIX as usize];
        if length < PREFIX {
            return Err(damaged("is not a recording, or its beginning is missing"));
        }
        source.read_exact(&mut prefix).map_err(&io)?;
        let (magic, rest) = prefix.split_at(MAGIC.len());
        let (version, size) = rest.split_at(4);
        if magic != MAGIC {
            return Err(damaged("is not a recording"));
        }
        let version = version.try_into().map_or(0, u32::from_le_bytes);
        if !VERSIONS.contains(&version) {
            let [old, new] = VERSIONS;
            let sentence =
                format!("is of version {version}; this program reads versions {old} and {new}");
            return Err(RecordingError::damaged(path, sentence));
        }
        let size = size.try_into().map_or(u64::MAX, u64::from_le_bytes);
        // Nothing is allocated for more than the file really holds.
        let Some(first) = size.checked_add(PREFIX + 4).filter(|first| *first <= length) else {
            return Err(damaged("its header is cut short"));
        };
        let mut bytes = Vec::from(prefix);
        (&mut source).take(size + 4).read_to_end(&mut bytes).map_err(&io)?;
        let header = bytes.split_last_chunk::<4>().and_then(|(bytes, checksum)| {
            let fine = crc32fast::hash(bytes) == u32::from_le_bytes(*checksum);
            bytes.get(PREFIX as usize..).filter(|_| fine).and_then(Header::decode)
        });
        let Some(header) = header else { return Err(damaged("its header is damaged")) };
        let frames = (length - first) / frame_size(&header);
        Ok(Self { path: path.to_owned(), source, header, first, frames, buffer: Vec::new() })
    }

    /// What the recording says once.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many whole frames there are.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Where in the file the first `frames` end.
    pub(super) fn end_of(&self, frames: u64) -> u64 {
        self.first + frames * frame_size(&self.header)
    }

    /// Reads the first `frames`; an error names the first that is damaged.
    pub fn verify(&mut self, frames: u64) -> Result<(), RecordingError> {
        (0..frames).try_for_each(|index| self.frame(index).map(drop))
    }

    /// One frame; an error where it is damaged or not there.
    pub fn frame(&mut self, index: u64) -> Result<Frame, RecordingError> {
        if index >= self.frames {
            let sentence = format!("there is no frame {index}: it has {} frames", self.frames);
            return Err(RecordingError::damaged(&self.path, sentence));
        }
        let io = RecordingError::io(&self.path);
        let size = frame_size(&self.header);
        self.source.seek(SeekFrom::Start(self.end_of(index))).map_err(&io)?;
        self.buffer.resize(size as usize, 0);
        self.source.read_exact(&mut self.buffer).map_err(&io)?;
        let decoded = decode(&self.buffer, self.header.rigid_bodies.len())
            .filter(|frame| frame.index == index);
        decoded
            .ok_or_else(|| RecordingError::damaged(&self.path, format!("frame {index} is damaged")))
    }
}

fn decode(bytes: &[u8], rigid_bodies: usize) -> Option<Frame> {
    let (bytes, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(bytes) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let (words, _) = bytes.as_chunks::<8>();
    let (&[index, time], values) = words.split_first_chunk::<2>()?;
    let (values, moving) = values.split_at_checked(values.len().checked_sub(13 * rigid_bodies)?)?;
    let (vectors, _) = values.as_chunks::<3>();
    let points: Vec<Vec3> = vectors.iter().map(|v| Vec3::from(v.map(f64::from_le_bytes))).collect();
    let time = f64::from_le_bytes(time);
    if !time.is_finite() || !points.iter().all(|point| point.is_finite()) {
        return None;
    }
    let (moving, _) = moving.as_chunks::<13>();
    let rigid_bodies: Vec<_> =
        moving.iter().map(|body| body_of(&body.map(f64::from_le_bytes))).collect();
    if !rigid_bodies.iter().all(RigidBodyState::is_finite) {
        return None;
    }
    let (positions, velocities) = points.split_at(points.len() / 2);
    Some(Frame {
        index: u64::from_le_bytes(index),
        time,
        positions: positions.to_vec(),
        velocities: velocities.to_vec(),
        rigid_bodies,
    })
}

/// A rigid body: position, turn, velocity and angular velocity.
fn body_of(n: &[f64; 13]) -> RigidBodyState {
    let at = |k: usize| Vec3::new(n[k], n[k + 1], n[k + 2]);
    let pose = Pose { position: at(0), rotation: Quat { w: n[3], v: at(4) } };
    RigidBodyState { pose, twist: Twist { linear: at(7), angular: at(10) } }
}

/// What [`Reader::frame`] reads of a rigid body.
pub(super) fn numbers_of(body: &RigidBodyState) -> impl Iterator<Item = f64> {
    let RigidBodyState { pose, twist } = body;
    let rotation = [pose.rotation.w].into_iter().chain(pose.rotation.v.to_array());
    let moves = twist.linear.to_array().into_iter().chain(twist.angular.to_array());
    pose.position.to_array().into_iter().chain(rotation).chain(moves)
}
