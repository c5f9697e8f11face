//! A recording survives: every cut and every flipped bit.

use super::{Header, Reader, RecordingCause, Writer};
use hooke::{Point, State};
use std::path::PathBuf;

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
        tetrahedra: vec![],
    }
}

fn state(frame: u64) -> State {
    let value = |k: u64| (frame * 10 + k) as f64 * 0.1;
    State {
        step: frame,
        time: frame as f64 / 30.0,
        positions: vec![Point::new(value(0), value(1), value(2)), Point::new(0.0, -1.0, value(3))],
        velocities: vec![Point::new(value(4), 0.0, 0.0), Point::ZERO],
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

/// Every frame that can be read must be one that was written.
fn check(reader: &mut Reader) -> u64 {
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
    let folder = folder("cut");
    let bytes = std::fs::read(record(&folder)).expect("the bytes");
    let cut = folder.join("cut.hooke");
    let mut most = 0;
    for length in 0..bytes.len() {
        std::fs::write(&cut, &bytes[..length]).expect("a shorter file");
        if let Ok(mut reader) = Reader::open(&cut) {
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
    let folder = folder("flip");
    let bytes = std::fs::read(record(&folder)).expect("the bytes");
    let flipped = folder.join("flipped.hooke");
    for bit in 0..8 * bytes.len() {
        let mut copy = bytes.clone();
        copy[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&flipped, &copy).expect("a damaged file");
        if let Ok(mut reader) = Reader::open(&flipped) {
            assert_eq!(check(&mut reader), 2, "bit {bit}: one frame of three is lost");
        }
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
