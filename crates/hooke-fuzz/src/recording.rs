//! Recordings: an error, or frames of finite numbers.

use crate::check_message;
use crate::checksum::sign;
use hooke_scene::recording::Reader;
use std::io::Cursor;
use std::path::Path;

/// Frames beyond this number are like those before.
const MOST_FRAMES: u64 = 100;

/// A recording, as it is and with its checksums set right.
pub fn parse_recording(bytes: &[u8]) {
    read(bytes);
    let mut mended = bytes.to_vec();
    if mend(&mut mended).is_some() {
        read(&mended);
    }
}

fn open(bytes: &[u8]) -> Option<Reader<Cursor<&[u8]>>> {
    Reader::read(Cursor::new(bytes), Path::new("recording.hooke"))
        .map_err(|error| check_message(&error.to_string()))
        .ok()
}

fn read(bytes: &[u8]) {
    let Some(mut reader) = open(bytes) else { return };
    let header = reader.header();
    let inside = |corner: &u32| u64::from(*corner) < header.particles;
    assert!(header.fps.is_finite() && header.fps > 0.0);
    assert!(header.triangles.as_flattened().iter().all(inside));
    assert!(header.edges.as_flattened().iter().all(inside));
    assert!(header.tetrahedra.as_flattened().iter().all(inside));
    let particles = header.particles;
    for index in 0..reader.frames().min(MOST_FRAMES) {
        match reader.frame(index) {
            Ok(frame) => {
                assert_eq!(frame.index, index);
                assert_eq!(frame.positions.len() as u64, particles);
                assert_eq!(frame.velocities.len() as u64, particles);
                assert!(frame.time.is_finite());
                assert!(frame.positions.iter().chain(&frame.velocities).all(|x| x.is_finite()));
            }
            Err(error) => check_message(&error.to_string()),
        }
    }
    let beyond = reader.frames();
    assert!(reader.frame(beyond).is_err());
}

/// Sets the checksums right, of the header and of every frame.
fn mend(bytes: &mut [u8]) -> Option<()> {
    const PREFIX: usize = 20;
    let size = bytes.get(12..PREFIX)?.try_into().ok().map(u64::from_le_bytes)?;
    let end = usize::try_from(size).ok()?.checked_add(PREFIX)?;
    sign(bytes, 0..end)?;
    let particles = usize::try_from(open(bytes)?.header().particles).ok()?;
    let frame = particles.checked_mul(48)?.checked_add(16)?;
    let mut start = end + 4;
    while sign(bytes, start..start.checked_add(frame)?).is_some() {
        start += frame + 4;
    }
    Some(())
}
