//! Where the bytes of a glTF file lie: the GLB container, data URIs and files beside it.

use std::borrow::Cow;

use super::super::error::{FileLocation, ImportError, Result, quote};
use super::super::reader::{Encoding, Reader, Scalar, unmarked};
use super::document::Buffer;
use super::{Fetch, wrong};

const JSON_CHUNK: i64 = 0x4E4F_534A;
const BINARY_CHUNK: i64 = 0x004E_4942;
/// Offset of the JSON in a GLB whose first chunk it is, as the specification demands.
const JSON_START: usize = 20;

/// The JSON of a file and, in a GLB, its binary chunk.
pub(super) fn split_container(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>)> {
    if !bytes.starts_with(b"glTF") {
        return Ok((unmarked(bytes)?, None));
    }
    let mut reader = Reader::new(bytes, Encoding::Little);
    reader.take(4)?;
    let version = reader.integer(Scalar::U32)?;
    if version != 2 {
        return Err(reader.error(format!("only GLB version 2 can be read, this is {version}")));
    }
    let length = reader.integer(Scalar::U32)? as u64;
    if length > bytes.len() as u64 {
        let message = format!("the header declares {length} bytes, the file has {}", bytes.len());
        return Err(reader.error(message));
    }
    let mut json = None;
    let mut binary = None;
    while !reader.rest().is_empty() && (json.is_none() || binary.is_none()) {
        let length = reader.integer(Scalar::U32)? as usize;
        let kind = reader.integer(Scalar::U32)?;
        let chunk = reader.take(length)?;
        match kind {
            JSON_CHUNK => json = json.or(Some(chunk)),
            BINARY_CHUNK => binary = binary.or(Some(chunk)),
            _ => {}
        }
    }
    let json = json.ok_or_else(|| reader.error("the file has no JSON chunk"))?;
    Ok((json, binary))
}

/// In a GLB, turns the line of an error in the JSON into the byte where that line starts.
pub(super) fn place_in_container(mut error: ImportError, file: &[u8], json: &[u8]) -> ImportError {
    if let FileLocation::Line(line) = error.location
        && file.starts_with(b"glTF")
    {
        let before = line.saturating_sub(1) as usize;
        let offset: usize =
            json.split_inclusive(|&byte| byte == b'\n').take(before).map(<[u8]>::len).sum();
        error.location = FileLocation::Byte((JSON_START + offset) as u64);
    }
    error
}

/// The content of all buffers, at most `budget` bytes from elsewhere.
pub(super) fn load_all<'a>(
    buffers: &[Buffer],
    chunk: Option<&'a [u8]>,
    mut budget: u64,
    fetch: &mut Fetch,
) -> Result<Vec<Cow<'a, [u8]>>> {
    let mut loaded = Vec::new();
    for (index, buffer) in buffers.iter().enumerate() {
        let mut bytes =
            match &buffer.uri {
                None => Cow::Borrowed(chunk.filter(|_| index == 0).ok_or_else(|| {
                    wrong(format!("buffer {index} has neither a URI nor a chunk"))
                })?),
                Some(uri) => Cow::Owned(load(uri, budget, fetch)?),
            };
        if let Cow::Owned(bytes) = &bytes {
            budget = budget.checked_sub(bytes.len() as u64).ok_or_else(|| {
                let message = "its buffers exceed the limit of bytes; raise the limit";
                ImportError::limit(FileLocation::File, message)
            })?;
        }
        let have = bytes.len();
        let declared = buffer.byte_length;
        match &mut bytes {
            _ if declared > have => {
                let message = format!("buffer {index} declares {declared} bytes, but has {have}");
                return Err(wrong(message));
            }
            Cow::Borrowed(bytes) => *bytes = bytes.get(..declared).unwrap_or_default(),
            Cow::Owned(bytes) => bytes.truncate(declared),
        }
        loaded.push(bytes);
    }
    Ok(loaded)
}

fn load(uri: &str, budget: u64, fetch: &mut Fetch) -> Result<Vec<u8>> {
    if let Some(data) = uri.strip_prefix("data:") {
        return data
            .split_once(";base64,")
            .and_then(|(_, text)| decode_base64(text.as_bytes()))
            .ok_or_else(|| wrong("a data URI is not base64"));
    }
    let name = plain_file_name(uri).ok_or_else(|| {
        let uri = quote(uri.as_bytes());
        let advice = "put the buffer beside the file and name it without a path";
        wrong(format!("the buffer {uri} is outside the file's folder; {advice}"))
    })?;
    fetch(&name, budget)
}

/// The URI as a file name, if it cannot lead out of the folder on any system.
pub(super) fn plain_file_name(uri: &str) -> Option<String> {
    let name = String::from_utf8(decode_percent(uri.as_bytes())?).ok()?;
    let plain = !name.is_empty()
        && name != "."
        && name != ".."
        && !name.contains(['/', '\\', ':', '?', '*', '|', '<', '>', '"'])
        && !name.chars().any(char::is_control);
    plain.then_some(name)
}

fn decode_percent(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(&byte) = rest.next() {
        decoded.push(match byte {
            b'%' => digit(rest.next()?)? << 4 | digit(rest.next()?)?,
            other => other,
        });
    }
    Some(decoded)
}

/// RFC 4648 §4, with or without padding.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|&byte| byte != b'=').map_or(0, |last| last + 1);
    let text = text.get(..end)?;
    let mut decoded = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for chunk in text.chunks(4) {
        let mut bits = 0_u32;
        for &byte in chunk {
            bits = bits << 6 | sextet(byte)?;
        }
        let bytes = match chunk.len() {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => return None,
        };
        bits <<= 6 * (4 - chunk.len());
        decoded.extend(bits.to_be_bytes().iter().skip(1).take(bytes));
    }
    Some(decoded)
}

fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}
