//! Animations: a GIF of our own, or a film through the user's ffmpeg.

use super::{beside, write_whole};
use crate::failure::Failure;
use crate::interrupt;
use hooke_media::Animation;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a GIF; `progress` counts the frames drawn.
pub(crate) fn gif(
    animation: &mut Animation<'_>,
    path: &Path,
    progress: &dyn Fn(u64),
) -> Result<(), Failure> {
    let each = |drawn| {
        progress(drawn);
        !interrupt::requested()
    };
    write_whole(path, |file| animation.gif(file, &each).map_err(Failure::from))
}

/// Writes a film by piping frames to ffmpeg.
pub(crate) fn mp4(
    animation: &mut Animation<'_>,
    path: &Path,
    progress: &dyn Fn(u64),
) -> Result<(), Failure> {
    let temporary = beside(path).with_extension("part.mp4");
    let (width, height) = (animation.settings.width, animation.settings.height);
    let fps = animation.pace.fps().to_string();
    let mut ffmpeg = Command::new("ffmpeg")
        .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba"])
        .args(["-s", &format!("{width}x{height}"), "-r", &fps, "-i", "-"])
        // The codec wants even sides.
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"])
        .args(["-pix_fmt", "yuv420p", "-movflags", "+faststart"])
        .arg(&temporary)
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|error| {
            Failure::Io(format!(
                "ffmpeg could not be started ({error}): install it, or write a .gif"
            ))
        })?;
    let piped = match ffmpeg.stdin.take() {
        Some(mut pipe) => pipe_frames(animation, &mut pipe, progress),
        None => Ok(()),
    };
    let ended = ffmpeg.wait().map_err(Failure::file(path))?;
    if piped.is_err() || !ended.success() {
        let _ = std::fs::remove_file(&temporary);
        piped?;
        return Err(Failure::Io(format!("{}: ffmpeg failed ({ended})", path.display())));
    }
    std::fs::rename(&temporary, path).map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        Failure::file(path)(error)
    })
}

fn pipe_frames(
    animation: &mut Animation<'_>,
    to: &mut impl Write,
    progress: &dyn Fn(u64),
) -> Result<(), Failure> {
    for index in 0..animation.pace.frames() {
        interrupt::check()?;
        let image = animation.frame(index)?;
        to.write_all(&image.pixels)
            .map_err(|error| Failure::Io(format!("ffmpeg stopped reading: {error}")))?;
        progress(index + 1);
    }
    Ok(())
}
