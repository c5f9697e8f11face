//! NPZ, the archive of arrays that `numpy.load` opens.
//!
//! A zip file of stored (uncompressed) `.npy` members, each a short text header and the raw
//! array (NumPy, *NEP 1*; PKWARE, *APPNOTE.TXT* 6.3.10 for zip and its 64-bit extension, which is
//! used where a size or an offset passes 4 GiB). The lengths are known in advance, so frames go
//! straight to the file and only each member's checksum is filled in afterwards.
//!
//! Arrays, for F frames of n particles: `time` (F) in seconds, `positions` (F, n, 3) in meters,
//! `velocities` (F, n, 3) in meters per second, `triangles` (·, 3), `edges` (·, 2), `tets` (·, 4)
//! and the scalar `fps`. Where there are rigid bodies, their surfaces are among the particles; `body_vertices` (b, 2) says
//! which, and `body_positions` (F, b, 3), `body_rotations` (F, b, 4; w, x, y, z), `body_velocities` (F, b, 3) and `body_angular_velocities`
//! (F, b, 3; rad/s) where the bodies are and how they move.

use hooke::math::Quat;
use hooke::rigid::RigidBodyState;
use std::path::Path;

use super::error::{ExportError, Result};
use super::files::{StagedFile, in_blocks};
use super::source::Source;
use super::{Files, Format, Frame, Report};

/// Largest number that fits a 32-bit field of a zip file; it also marks a 64-bit one.
const LARGEST: u64 = u32::MAX as u64;

pub(super) const FORMAT: Format =
    Format { name: "npz", title: "Arrays", readers: "NumPy", files: Files::One, write };

fn write(source: &mut Source, target: &Path) -> Result<Report> {
    write_with_limit(source, target, LARGEST)
}

/// Sizes and offsets from `limit` on are written in 64 bits.
fn write_with_limit(source: &mut Source, target: &Path, limit: u64) -> Result<Report> {
    let (frames, particles) = (source.len() as u64, source.particles as u64);
    let passes = if source.cells.rigid_bodies.is_empty() { 2 } else { 6 };
    source.expect_reads(passes * source.len());
    let mut archive = Archive::new(StagedFile::create(target)?, limit);
    let mut times = Vec::with_capacity(source.len());

    let mut write_vectors = |name, vectors: fn(&Frame) -> &[[f64; 3]]| {
        archive.begin(name, "<f8", &[frames, particles, 3], size_of::<f64>())?;
        for index in 0..source.len() {
            let frame = source.read(index)?;
            if times.len() == index {
                times.push(frame.time);
            }
            archive
                .put_all(vectors(frame).as_flattened().iter().map(|value| value.to_le_bytes()))?;
        }
        archive.end()
    };
    write_vectors("positions", |frame| &frame.positions)?;
    write_vectors("velocities", |frame| &frame.velocities)?;

    if !source.cells.rigid_bodies.is_empty() {
        write_bodies(&mut archive, source)?;
    }

    archive.floats("time", &[frames], &times)?;
    archive.floats("fps", &[], &[source.fps])?;
    archive.indices("triangles", 3, source.cells.triangles.as_flattened())?;
    archive.indices("edges", 2, source.cells.edges.as_flattened())?;
    archive.indices("tets", 4, source.cells.tets.as_flattened())?;
    Ok(Report { files: vec![archive.finish()?.commit()?], notes: Vec::new() })
}

/// Where rigid bodies are and how they move.
fn write_bodies(archive: &mut Archive, source: &mut Source) -> Result<()> {
    let mut write = |name, width: u64, numbers: fn(&RigidBodyState) -> Vec<f64>| {
        let shape = [source.len() as u64, source.cells.rigid_bodies.len() as u64, width];
        archive.begin(name, "<f8", &shape, size_of::<f64>())?;
        for index in 0..source.len() {
            let frame = source.read(index)?;
            archive.put_all(frame.rigid_bodies.iter().flat_map(numbers).map(f64::to_le_bytes))?;
        }
        archive.end()
    };
    write("body_positions", 3, |body| body.pose.position.to_array().to_vec())?;
    write("body_rotations", 4, |body| {
        let Quat { w, v } = body.pose.rotation;
        vec![w, v.x, v.y, v.z]
    })?;
    write("body_velocities", 3, |body| body.twist.linear.to_array().to_vec())?;
    write("body_angular_velocities", 3, |body| body.twist.angular.to_array().to_vec())?;
    archive.indices("body_vertices", 2, source.cells.rigid_bodies.as_flattened())
}

/// A zip file under construction.
struct Archive {
    file: StagedFile,
    offset: u64,
    limit: u64,
    checksum: crc32fast::Hasher,
    members: Vec<Member>,
}

struct Member {
    name: String,
    offset: u64,
    size: u64,
    checksum: u32,
    /// Where its data must end.
    end: u64,
}

/// Version of the zip format needed: 2.0, or 4.5 for 64-bit sizes.
const VERSION: u16 = 20;
const VERSION_64: u16 = 45;
/// 1 January 1980, the first day zip knows, so that equal recordings give equal files.
const DATE: u16 = 1 << 5 | 1;
/// Offset of the checksum in the header before a member.
const CHECKSUM_AT: u64 = 14;

impl Archive {
    fn new(file: StagedFile, limit: u64) -> Self {
        let checksum = crc32fast::Hasher::new();
        Self { file, offset: 0, limit, checksum, members: Vec::new() }
    }

    fn floats(&mut self, name: &str, shape: &[u64], values: &[f64]) -> Result<()> {
        self.begin(name, "<f8", shape, size_of::<f64>())?;
        self.put_all(values.iter().map(|value| value.to_le_bytes()))?;
        self.end()
    }

    fn indices(&mut self, name: &str, width: usize, values: &[u32]) -> Result<()> {
        let shape = [(values.len() / width) as u64, width as u64];
        self.begin(name, "<u4", &shape, size_of::<u32>())?;
        self.put_all(values.iter().map(|value| value.to_le_bytes()))?;
        self.end()
    }

    /// Starts an array; exactly its elements must follow.
    fn begin(&mut self, name: &str, kind: &str, shape: &[u64], item: usize) -> Result<()> {
        let header = npy_header(kind, shape);
        let size = (shape.iter().try_fold(item as u64, |size, &length| size.checked_mul(length)))
            .and_then(|size| size.checked_add(header.len() as u64))
            .ok_or_else(|| ExportError::Content("the recording is too large".to_owned()))?;
        let member =
            Member { name: format!("{name}.npy"), offset: self.offset, size, checksum: 0, end: 0 };
        let wide = size >= self.limit;
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend(if wide { VERSION_64 } else { VERSION }.to_le_bytes());
        member.common_fields(&mut bytes, wide);
        bytes.extend((if wide { 20_u16 } else { 0 }).to_le_bytes());
        bytes.extend(member.name.as_bytes());
        if wide {
            extra_field(&mut bytes, &[size, size]);
        }
        self.put(&bytes)?;
        self.members.push(Member { end: self.offset + size, ..member });
        self.checksum = crc32fast::Hasher::new();
        self.put(&header)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.checksum.update(bytes);
        self.offset += bytes.len() as u64;
        self.file.put(bytes)
    }

    fn put_all<const N: usize>(&mut self, values: impl IntoIterator<Item = [u8; N]>) -> Result<()> {
        in_blocks(values, |block| self.put(block))
    }

    /// Fills in the checksum of the array.
    fn end(&mut self) -> Result<()> {
        let Some(member) = self.members.last_mut() else {
            return Ok(());
        };
        if member.end != self.offset {
            let message = format!("the array {} has a wrong length", member.name);
            return Err(ExportError::Content(message));
        }
        member.checksum = self.checksum.clone().finalize();
        self.file.patch(member.offset + CHECKSUM_AT, &member.checksum.to_le_bytes())
    }

    /// Writes the directory at the end of the file.
    fn finish(mut self) -> Result<StagedFile> {
        let start = self.offset;
        let mut bytes = Vec::new();
        for member in &self.members {
            let wide_size = member.size >= self.limit;
            let wide_offset = member.offset >= self.limit;
            let mut wide = Vec::new();
            if wide_size {
                wide.extend([member.size; 2]);
            }
            if wide_offset {
                wide.push(member.offset);
            }
            let extra = if wide.is_empty() { 0 } else { 4 + 8 * wide.len() as u16 };
            let version = if wide.is_empty() { VERSION } else { VERSION_64 };
            bytes.extend(b"PK\x01\x02");
            bytes.extend(version.to_le_bytes());
            bytes.extend(version.to_le_bytes());
            member.common_fields(&mut bytes, wide_size);
            bytes.extend(extra.to_le_bytes());
            // No comment, disk 0, no attributes.
            bytes.extend([0; 10]);
            bytes.extend(narrow(member.offset, wide_offset).to_le_bytes());
            bytes.extend(member.name.as_bytes());
            if !wide.is_empty() {
                extra_field(&mut bytes, &wide);
            }
        }
        let count = self.members.len() as u16;
        let length = bytes.len() as u64;
        let wide = start >= self.limit;
        if wide {
            end_64(&mut bytes, u64::from(count), start, length);
        }
        bytes.extend(b"PK\x05\x06");
        bytes.extend([0; 4]);
        bytes.extend(count.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend((length as u32).to_le_bytes());
        bytes.extend(narrow(start, wide).to_le_bytes());
        bytes.extend([0; 2]);
        self.file.put(&bytes)?;
        Ok(self.file)
    }
}

impl Member {
    /// The fields that a member's header and its directory entry share.
    fn common_fields(&self, bytes: &mut Vec<u8>, wide: bool) {
        // No flags, stored, midnight.
        bytes.extend([0; 6]);
        bytes.extend(DATE.to_le_bytes());
        bytes.extend(self.checksum.to_le_bytes());
        bytes.extend(narrow(self.size, wide).to_le_bytes());
        bytes.extend(narrow(self.size, wide).to_le_bytes());
        bytes.extend((self.name.len() as u16).to_le_bytes());
    }
}

/// A 32-bit field, or the mark that its value stands in 64 bits elsewhere.
fn narrow(value: u64, wide: bool) -> u32 {
    if wide { u32::MAX } else { value as u32 }
}

/// The extra field of the 64-bit extension.
fn extra_field(bytes: &mut Vec<u8>, values: &[u64]) {
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend((8 * values.len() as u16).to_le_bytes());
    values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
}

/// The end of the directory in 64 bits and the record that points to it.
fn end_64(bytes: &mut Vec<u8>, count: u64, start: u64, length: u64) {
    bytes.extend(b"PK\x06\x06");
    bytes.extend(44_u64.to_le_bytes());
    bytes.extend(VERSION_64.to_le_bytes());
    bytes.extend(VERSION_64.to_le_bytes());
    bytes.extend([0; 8]);
    [count, count, length, start].iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    bytes.extend(b"PK\x06\x07");
    bytes.extend([0; 4]);
    bytes.extend((start + length).to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
}

/// The header of an array in C order, padded so that the data starts at a multiple of 64 bytes.
fn npy_header(kind: &str, shape: &[u64]) -> Vec<u8> {
    const START: usize = 10;
    let shape: String = shape.iter().map(|length| format!("{length},")).collect();
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    while !(START + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::{Frames, Topology};

    struct Still;

    impl Frames for Still {
        fn len(&self) -> usize {
            2
        }
        fn particles(&self) -> usize {
            1
        }
        fn fps(&self) -> f64 {
            25.0
        }
        fn topology(&self) -> Topology<'_> {
            Topology::default()
        }
        fn read(&mut self, index: usize, frame: &mut Frame) -> Result<()> {
            let (positions, velocities) = (vec![[1.0, 2.0, 3.0]], vec![[0.0; 3]]);
            *frame = Frame { time: index as f64, positions, velocities, ..Frame::default() };
            Ok(())
        }
        fn name(&self) -> &str {
            "still"
        }
    }

    fn number(bytes: &[u8], at: usize, length: usize) -> usize {
        bytes[at..at + length].iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte))
    }

    /// A low limit exercises the 64-bit records, which are followed here from the end of the file
    /// to the first value of the first array.
    #[test]
    fn large_archives_use_64_bit_records() {
        let target = std::env::temp_dir().join(format!("hooke-npz-64-{}.npz", std::process::id()));
        let (mut frames, mut progress) = (Still, |_, _| {});
        let mut source = Source::new(&mut frames, &mut progress).unwrap();
        write_with_limit(&mut source, &target, 100).unwrap();
        let bytes = std::fs::read(&target).unwrap();
        std::fs::remove_file(&target).unwrap();

        let end = bytes.len() - 22;
        assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
        assert_eq!(number(&bytes, end + 16, 4), u32::MAX as usize);
        assert_eq!(&bytes[end - 20..end - 16], b"PK\x06\x07");
        let end_64 = number(&bytes, end - 12, 8);
        assert_eq!(&bytes[end_64..end_64 + 4], b"PK\x06\x06");
        assert_eq!(number(&bytes, end_64 + 32, 8), 7);
        let directory = number(&bytes, end_64 + 48, 8);
        assert_eq!(directory + number(&bytes, end_64 + 40, 8), end_64);

        assert_eq!(&bytes[directory..directory + 4], b"PK\x01\x02");
        assert_eq!(number(&bytes, directory + 24, 4), u32::MAX as usize);
        let name = "positions.npy".len();
        let extra = directory + 46 + name;
        assert_eq!(number(&bytes, extra, 4), 16 << 16 | 1);
        let size = number(&bytes, extra + 4, 8);
        assert_eq!(size, 128 + 2 * 3 * 8);
        let data = 30 + name + 20;
        assert_eq!(number(&bytes, 14, 4), crc32fast::hash(&bytes[data..data + size]) as usize);
        assert_eq!(bytes[data + 128..data + 136], 1.0_f64.to_le_bytes());
    }
}
