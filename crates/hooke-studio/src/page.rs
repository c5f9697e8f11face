//! The page: files that the build script put into the program. No path of a request ever reaches
//! the file system.

/// Every file by its path on the server.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// A file of the page: its type and content.
pub(crate) fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    let name = if path == "/" { "/index.html" } else { path };
    let (name, content) = FILES.iter().find(|(known, _)| *known == name)?;
    let kind = match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    };
    Some((kind, content))
}
