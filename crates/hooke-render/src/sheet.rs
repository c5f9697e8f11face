//! Several pictures on one sheet, each with a caption: a film at a glance, or methods side by side.

use crate::{Image, RenderError, Theme, font::Face, ink::Ink, settings::LARGEST_SIDE};

/// Lays out pictures in rows of `columns`, each over its caption (one line, shortened if it is too
/// long).
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
    let gap = (cell[0] / 40).max(6);
    let line = (cell[0] / 32).max(12);
    let face = Face { size: f64::from(line), bold: false };
    let caption = line + gap;
    let sides = [cell[0], cell[1].saturating_add(caption)];
    let total = [0, 1].map(|axis| {
        (u64::from(sides[axis]) + u64::from(gap)).saturating_mul(counts[axis]) + u64::from(gap)
    });
    let limit = LARGEST_SIDE;
    if total.iter().any(|&side| side > u64::from(limit)) {
        let [width, height] = total.map(|side| u32::try_from(side).unwrap_or(u32::MAX));
        return Err(RenderError::ImageSize { width, height, limit });
    }

    let (paper, color) = theme.page();
    let mut sheet = Image::filled(total[0] as u32, total[1] as u32, paper);
    for (k, (image, text)) in pictures.iter().enumerate() {
        let [column, row] = [k % columns, k / columns].map(|n| n as u32);
        let left = gap + column * (sides[0] + gap);
        let top = gap + row * (sides[1] + gap);
        let inset = [(cell[0] - image.width) / 2, (cell[1] - image.height) / 2];
        paste(&mut sheet, image, left + inset[0], top + inset[1]);
        let text = face.shorten(text, cell[0].into());
        let start = f64::from(left) + 0.5 * (f64::from(cell[0]) - face.width(&text));
        let baseline = f64::from(top + cell[1] + gap / 2) + 0.85 * face.size;
        let mut ink = Ink::default();
        face.write(&mut ink, &text, [start, baseline], false);
        ink.blend(&mut sheet, color);
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
