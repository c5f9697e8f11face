//! A recording survives: every cut and every flipped bit.

use super::{
    CHECKPOINT, Checkpoint, Frame, Header, PREFIX, Reader, RecordingCause, RecordingError, Writer,
    frame_size,
};
use hooke::rigid::{Pose, RigidBodyState, Twist};
use hooke::{State, Vec3};
use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("hooke-recording-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn header() -> Header {
    Header {
        title: "Test".into(),
        scene: "format = 1\n".into(),
        fps: 30.0,
        particles: 2,
        triangles: vec![],
        edges: vec![[0, 1]],
        ..Header::default()
    }
}

fn state(frame: u64) -> State {
    let value = |k: u64| (frame * 10 + k) as f64 * 0.1;
    State {
        step: frame,
        time: frame as f64 / 30.0,
        positions: vec![Vec3::new(value(0), value(1), value(2)), Vec3::new(0.0, -1.0, value(3))],
        velocities: vec![Vec3::new(value(4), 0.0, 0.0), Vec3::ZERO],
        ..State::default()
    }
}

fn record(folder: &std::path::Path) -> PathBuf {
    let path = folder.join(super::FILE);
    let mut writer = Writer::create(&path, &header(), false).expect("a new recording");
    for frame in 0..3 {
        writer.append(&state(frame)).expect("a frame");
    }
    writer.finish().expect("the end");
    path
}

/// The bytes of a recording.
fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(record(&folder(name))).expect("the bytes")
}

fn open(bytes: &[u8]) -> Result<Reader<Cursor<&[u8]>>, RecordingError> {
    Reader::read(Cursor::new(bytes), Path::new("a.hooke"))
}

/// Every frame that can be read must be one that was written.
fn check<S: Read + Seek>(reader: &mut Reader<S>) -> u64 {
    assert_eq!(reader.header(), &header());
    let mut good = 0;
    for index in 0..reader.frames() {
        if let Ok(frame) = reader.frame(index) {
            let state = state(index);
            assert_eq!((frame.time, frame.positions), (state.time, state.positions));
            assert_eq!(frame.velocities, state.velocities);
            good += 1;
        }
    }
    good
}

#[test]
fn reads_back_what_was_written() {
    let folder = folder("whole");
    let mut reader = Reader::open(&record(&folder)).expect("a recording");
    assert_eq!((reader.frames(), check(&mut reader)), (3, 3));
    assert!(reader.frame(3).is_err());
}

#[test]
fn any_cut_leaves_the_frames_before_it() {
    let bytes = bytes("cut");
    let mut most = 0;
    for length in 0..bytes.len() {
        if let Ok(mut reader) = open(&bytes[..length]) {
            let good = check(&mut reader);
            assert_eq!(good, reader.frames());
            assert!(good >= most, "a longer file has no fewer frames");
            most = good;
        }
    }
    assert_eq!(most, 2);
}

#[test]
fn any_flipped_bit_is_noticed() {
    let mut bytes = bytes("flip");
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(mut reader) = open(&bytes) {
            assert_eq!(check(&mut reader), 2, "bit {bit}: one frame of three is lost");
        }
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

/// Changes some bytes of a part of a recording, and sets the checksum behind that part right.
fn forge(bytes: &mut [u8], part: std::ops::Range<usize>, at: usize, new: &[u8]) {
    bytes[at..at + new.len()].copy_from_slice(new);
    let checksum = crc32fast::hash(&bytes[part.clone()]).to_le_bytes();
    bytes[part.end..part.end + 4].copy_from_slice(&checksum);
}

#[test]
fn right_checksums_do_not_make_it_true() {
    let bytes = bytes("forged");
    let frame = frame_size(&header()) as usize;
    let header = bytes.len() - 3 * frame - 4;
    let text = PREFIX as usize;
    // The counts before the title, the scene and the three lists, and the rate and the particles.
    let title = text + 8 + 4;
    let rate = title + 8 + 11;
    for (at, new) in [
        (text, u64::MAX.to_le_bytes()),
        (title, (u64::MAX - 7).to_le_bytes()),
        (rate, f64::NAN.to_le_bytes()),
        (rate, 0.0_f64.to_le_bytes()),
        (rate + 8, 1_u64.to_le_bytes()),
        (rate + 8, u64::MAX.to_le_bytes()),
        (rate + 16, (u64::MAX / 12 + 1).to_le_bytes()),
        (rate + 24, 2_u64.to_le_bytes()),
    ] {
        let mut forged = bytes.clone();
        forge(&mut forged, 0..header, at, &new);
        let expected = open(&forged).map(|_| ()).expect_err("no header").to_string();
        assert_eq!(expected, "a.hooke: its header is damaged", "byte {at}");
    }
    let mut forged = bytes.clone();
    forged[12..text].copy_from_slice(&u64::MAX.to_le_bytes());
    let expected = open(&forged).map(|_| ()).expect_err("no header").to_string();
    assert_eq!(expected, "a.hooke: its header is cut short");

    let second = header + 4 + frame;
    let last = second + frame - 12;
    for (at, value) in [(second + 8, f64::NAN), (second + 16, f64::INFINITY), (last, f64::NAN)] {
        let mut forged = bytes.clone();
        forge(&mut forged, second..second + frame - 4, at, &value.to_le_bytes());
        let mut reader = open(&forged).expect("a recording");
        assert_eq!(check(&mut reader), 2);
        let expected = reader.frame(1).expect_err("not finite").to_string();
        assert_eq!(expected, "a.hooke: frame 1 is damaged");
    }
}

#[test]
fn one_writer_at_a_time_and_nothing_overwritten() {
    let folder = folder("lock");
    let path = record(&folder);
    let again = Writer::create(&path, &header(), false).map(|_| ()).map_err(|error| error.cause);
    assert!(matches!(again, Err(RecordingCause::Exists)));
    let first = Writer::create(&path, &header(), true).expect("forced");
    let second = Writer::create(&path, &header(), true).map(|_| ()).map_err(|error| error.cause);
    assert!(matches!(second, Err(RecordingCause::Locked)));
    drop(first);
    assert!(Writer::create(&path, &header(), true).is_ok());
}

fn checkpoint(frame: u64) -> Checkpoint {
    let mut model = hooke::Model::new();
    model.add_particle(Vec3::new(0.1, 0.2, 0.3), 1.0).expect("a particle");
    model.pin_at_rest(0).expect("a pin");
    let mut simulation = hooke::Simulation::new(model, "bdf2", 0.01).expect("a simulation");
    (0..frame).for_each(|_| drop(simulation.step().expect("a step").clone()));
    Checkpoint {
        program: "0.1.0".into(),
        kernels: "native".into(),
        method: "bdf2".into(),
        scene: 7,
        frame,
        tables: vec![120, 80],
        totals: vec![1.5, f64::NAN, -0.0],
        snapshot: simulation.snapshot(),
    }
}

/// The same in every bit, totals that are not finite included.
fn same(a: &Checkpoint, b: &Checkpoint) -> bool {
    let bits = |c: &Checkpoint| c.totals.iter().map(|t| t.to_bits()).collect::<Vec<_>>();
    let rest = |c: &Checkpoint| Checkpoint { totals: vec![], ..c.clone() };
    bits(a) == bits(b) && rest(a) == rest(b)
}

#[test]
fn a_checkpoint_reads_back_and_the_one_before_stays() {
    let folder = folder("checkpoint");
    assert!(Checkpoint::load(&folder, |_| true).is_err());
    for frame in 1..4 {
        checkpoint(frame).save(&folder).expect("a checkpoint");
        let found = Checkpoint::load(&folder, |_| true).expect("the newest");
        assert!(same(&found.checkpoint, &checkpoint(frame)) && found.passed_over.is_none());
        if frame > 1 {
            let before = Checkpoint::load(&folder, |c| c.frame < frame).expect("the one before");
            assert!(same(&before.checkpoint, &checkpoint(frame - 1)));
            assert!(before.path.ends_with("checkpoint.hooke.prev"));
            let newer = before.passed_over.expect("the newest does not fit").to_string();
            assert!(newer.ends_with("checkpoint.hooke: is ahead of the recording"), "{newer}");
        }
    }
    Checkpoint::clear(&folder).expect("both gone");
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
}

#[test]
fn a_checkpoint_that_cannot_be_renamed_leaves_the_last_one_and_nothing_else() {
    let folder = folder("checkpoint-renamed");
    checkpoint(1).save(&folder).expect("a checkpoint");
    // Nothing can take the name of a folder that is not empty.
    let taken = folder.join("checkpoint.hooke.prev");
    std::fs::create_dir_all(taken.join("full")).expect("a folder");
    assert!(checkpoint(2).save(&folder).is_err());
    let found = Checkpoint::load(&folder, |_| true).expect("the last one");
    assert!(same(&found.checkpoint, &checkpoint(1)) && found.passed_over.is_none());
    std::fs::remove_dir_all(&taken).expect("gone");
    let left: Vec<_> = std::fs::read_dir(&folder).expect("a folder").flatten().collect();
    assert!(left.len() == 1 && left[0].file_name() == CHECKPOINT, "{left:?}");
    checkpoint(2).save(&folder).expect("a checkpoint");
}

#[test]
fn a_damaged_checkpoint_is_noticed() {
    let folder = folder("checkpoint-damaged");
    checkpoint(2).save(&folder).expect("a checkpoint");
    let path = folder.join(CHECKPOINT);
    let bytes = std::fs::read(&path).expect("the bytes");
    let expected = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("a file");
        let error = Checkpoint::read(&path).expect_err("damaged").to_string();
        error.split_once("checkpoint.hooke: ").expect("the file is named").1.to_owned()
    };
    for length in 0..bytes.len() {
        let sentence = expected(&bytes[..length]);
        let short = if length < 20 {
            "is not a checkpoint, or its beginning is missing"
        } else {
            "is cut short"
        };
        assert_eq!(sentence, short, "{length} bytes");
    }
    for bit in 0..8 * bytes.len() {
        let mut copy = bytes.clone();
        copy[bit / 8] ^= 1 << (bit % 8);
        let sentence = expected(&copy);
        let known =
            ["is not a checkpoint", "is cut short", "is damaged"].contains(&sentence.as_str());
        assert!(known || sentence.starts_with("is of version "), "bit {bit}: {sentence}");
    }
}

/// A header and a state with a rigid body.
fn with_body(frame: u64) -> (Header, State) {
    let shape = hooke::model::Shape::Sphere { radius: 0.5 };
    let header = Header { surfaces: vec![shape.surface()], rigid_bodies: vec![0, 0], ..header() };
    let rotation = hooke::math::Quat::about(Vec3::AXES[1], 0.1 + frame as f64);
    let pose = Pose { position: Vec3::new(1.0, 2.0, frame as f64), rotation };
    let twist = Twist { linear: Vec3::new(0.0, 3.0, 4.0), angular: Vec3::new(5.0, 0.0, 6.0) };
    let body = RigidBodyState { pose, twist };
    (header, State { rigid_bodies: vec![body, RigidBodyState::default()], ..state(frame) })
}

#[test]
fn rigid_bodies_are_recorded() {
    let path = folder("bodies").join(super::FILE);
    let mut writer = Writer::create(&path, &with_body(0).0, false).expect("a new recording");
    for frame in 0..3 {
        writer.append(&with_body(frame).1).expect("a frame");
    }
    writer.finish().expect("the end");
    let bytes = std::fs::read(&path).expect("the bytes");
    assert_eq!(bytes[8..12], 2u32.to_le_bytes(), "older programs say that they cannot read it");
    let mut reader = open(&bytes).expect("a recording");
    assert_eq!(*reader.header(), with_body(0).0);
    assert_eq!(reader.frames(), 3);
    for index in 0..3 {
        let state = with_body(index).1;
        assert_eq!(reader.frame(index).expect("a frame"), Frame::of(index, &state));
    }
    // Cut anywhere, it gives the whole frames before.
    let size = frame_size(&with_body(0).0) as usize;
    for cut in [1, size - 1, size, size + 1] {
        let part = &bytes[..bytes.len() - cut];
        let frames = open(part).expect("a recording").frames();
        assert_eq!(frames, 3 - cut.div_ceil(size) as u64);
    }
}

#[test]
fn recordings_without_rigid_bodies_are_as_they_were() {
    let bytes = bytes("as-they-were");
    assert_eq!(bytes[8..12], 1u32.to_le_bytes());
    assert_eq!(frame_size(&header()), 16 + 48 * 2 + 4);
}
