//! Texts and counts as little-endian bytes.

pub(super) fn put_text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

pub(super) fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (head, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(head)
}

pub(super) fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes, 8)?.try_into().ok().map(u64::from_le_bytes)
}

pub(super) fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(take_u64(bytes)?).ok()?;
    String::from_utf8(take(bytes, length)?.to_vec()).ok()
}
