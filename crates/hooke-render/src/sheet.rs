//! Several pictures on one sheet, each with a caption: a film at a glance, or methods side by side.

use crate::{Image, RenderError, Theme, font, settings::LARGEST_SIDE};

/// Lays out pictures in rows of `columns`, each over its caption (ASCII, one line, shortened if it
/// is too long).
pub fn contact_sheet(
    pictures: &[(&Image, &str)],
    columns: usize,
    theme: Theme,
) -> Result<Image, RenderError> {
    if pictures.is_empty() {
        return Err(RenderError::NoImages);
    }
    if columns == 0 {
        return Err(RenderError::NoColumns);
    }
    let mut cell = [0; 2];
    for (image, _) in pictures {
        image.check()?;
        cell = [cell[0].max(image.width), cell[1].max(image.height)];
    }
    let columns = columns.min(pictures.len());
    let counts = [columns, pictures.len().div_ceil(columns)].map(|n| n as u64);
    let scale = (cell[0] / 300).max(1);
    let gap = (cell[0] / 40).max(6);
    let caption = font::HEIGHT * scale + gap;
    let sides = [cell[0], cell[1].saturating_add(caption)];
    let total = [0, 1].map(|axis| {
        (u64::from(sides[axis]) + u64::from(gap)).saturating_mul(counts[axis]) + u64::from(gap)
    });
    let limit = LARGEST_SIDE;
    if total.iter().any(|&side| side > u64::from(limit)) {
        let [width, height] = total.map(|side| u32::try_from(side).unwrap_or(u32::MAX));
        return Err(RenderError::ImageSize { width, height, limit });
    }

    let (paper, ink) = match theme {
        Theme::Light | Theme::Paper => ([255; 3], [52, 56, 64]),
        Theme::Dark => ([18, 20, 24], [205, 210, 220]),
    };
    let mut sheet = Image::filled(total[0] as u32, total[1] as u32, paper);
    for (k, (image, text)) in pictures.iter().enumerate() {
        let [column, row] = [k % columns, k / columns].map(|n| n as u32);
        let left = gap + column * (sides[0] + gap);
        let top = gap + row * (sides[1] + gap);
        let inset = [(cell[0] - image.width) / 2, (cell[1] - image.height) / 2];
        paste(&mut sheet, image, left + inset[0], top + inset[1]);
        let text = shorten(text, cell[0], scale);
        let start = left + (cell[0] - font::width(&text, scale).min(cell[0])) / 2;
        font::draw(&mut sheet, &text, start, top + cell[1] + gap / 2 + scale, scale, ink);
    }
    Ok(sheet)
}

fn paste(sheet: &mut Image, image: &Image, left: u32, top: u32) {
    let bytes = 4 * image.width as usize;
    for (y, row) in image.pixels.chunks_exact(bytes).enumerate() {
        let start = 4 * ((top as usize + y) * sheet.width as usize + left as usize);
        sheet.pixels[start..start + bytes].copy_from_slice(row);
    }
}

/// The text, or as much of it as fits into `width` pixels, followed by two dots.
fn shorten(text: &str, width: u32, scale: u32) -> String {
    if font::width(text, scale) <= width {
        return text.to_owned();
    }
    let room = (width / (font::ADVANCE * scale)).saturating_sub(2) as usize;
    text.chars().take(room).chain("..".chars()).collect()
}
