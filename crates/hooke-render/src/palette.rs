//! 255 colors for a whole animation, and a dither that stays still between frames.
//!
//! The palette comes from cutting the colors of several frames, in Oklab, where they vary most
//! (after Heckbert 1982, *Color Image Quantization for Frame Buffer Display*), followed by a few
//! rounds of k-means. The dither is positional (after Knoll's pattern dithering): what a pixel
//! shows depends on its color and position alone, so a pixel that does not change keeps its color.

use crate::{
    Image,
    color::{bytes, linear, linear_to_oklab, oklab_to_linear},
};
use glam::Vec3;

/// Number of colors at most; one of the 256 of a GIF is kept for "transparent".
pub(crate) const COLORS: usize = 255;
const ROUNDS: usize = 6;

/// Distance in Oklab below which a color is taken as it is, about one step of a byte.
const CLOSE: f32 = 0.003;
/// Part of an error that the next pixel of a pattern makes up for.
const STRENGTH: f32 = 0.8;
/// Largest error in Oklab that is made up for: a color outside the palette's reach stays plain
/// rather than speckled.
const REACH: f32 = 0.03;

const PATTERN: usize = 16;
/// Order in which the pixels of a 4 × 4 pattern brighten (Bayer 1973).
const ORDER: [usize; PATTERN] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

const CACHE_BITS: u32 = 15;

pub(crate) struct Palette {
    colors: Vec<Vec3>,
    bytes: Vec<[u8; 3]>,
    /// Patterns of colors met before, one per hash.
    cache: Vec<Option<([u8; 3], [u8; PATTERN])>>,
}

/// A group of similar pixels.
#[derive(Clone, Copy)]
struct Bin {
    color: Vec3,
    weight: f32,
}

impl Palette {
    pub fn new<'a>(images: impl IntoIterator<Item = &'a Image>) -> Self {
        let mut bins = histogram(images);
        let mut colors = cut(&mut bins);
        for _ in 0..ROUNDS {
            refine(&mut colors, &bins);
        }
        let bytes = colors.iter().map(|&lab| bytes(oklab_to_linear(lab))).collect();
        Self { colors, bytes, cache: vec![None; 1 << CACHE_BITS] }
    }

    /// Red, green and blue of each color in turn.
    pub fn flat(&self) -> Vec<u8> {
        self.bytes.concat()
    }

    /// Number of the color that a pixel at column `x` and row `y` shows.
    pub fn pick(&mut self, rgb: [u8; 3], x: usize, y: usize) -> u8 {
        let key = u32::from_le_bytes([rgb[0], rgb[1], rgb[2], 0]);
        let slot = (key.wrapping_mul(0x9e37_79b9) >> (32 - CACHE_BITS)) as usize;
        let pattern = match self.cache[slot] {
            Some((known, pattern)) if known == rgb => pattern,
            _ => {
                let pattern = self.pattern(rgb);
                self.cache[slot] = Some((rgb, pattern));
                pattern
            }
        };
        pattern[ORDER[x % 4 + 4 * (y % 4)]]
    }

    /// The colors whose mixture comes near `rgb`, from dark to bright.
    fn pattern(&self, rgb: [u8; 3]) -> [u8; PATTERN] {
        let wanted = oklab(rgb);
        let first = nearest(&self.colors, wanted);
        let mut pattern = [first as u8; PATTERN];
        if self.colors[first].distance(wanted) > CLOSE {
            let mut error = Vec3::ZERO;
            for entry in &mut pattern {
                let found = nearest(&self.colors, wanted + STRENGTH * error);
                error = (error + wanted - self.colors[found]).clamp_length_max(REACH);
                *entry = found as u8;
            }
            pattern.sort_by(|&a, &b| {
                let [a, b] = [a, b].map(|i| self.colors[usize::from(i)].x);
                a.total_cmp(&b)
            });
        }
        pattern
    }
}

fn oklab(rgb: [u8; 3]) -> Vec3 {
    linear_to_oklab(linear(rgb.map(|c| f32::from(c) / 255.0)))
}

fn nearest(colors: &[Vec3], wanted: Vec3) -> usize {
    let mut best = (0, f32::INFINITY);
    for (i, color) in colors.iter().enumerate() {
        let distance = color.distance_squared(wanted);
        if distance < best.1 {
            best = (i, distance);
        }
    }
    best.0
}

/// The mean colors of a coarse grid over sRGB. Weights grow slower than counts: a small thing in
/// front of a large background still gets its colors.
fn histogram<'a>(images: impl IntoIterator<Item = &'a Image>) -> Vec<Bin> {
    let mut sums = vec![[0u64; 4]; 1 << 15];
    for pixel in images.into_iter().flat_map(|image| image.pixels.chunks_exact(4)) {
        let cell = pixel[..3].iter().fold(0, |cell, &c| cell << 5 | usize::from(c >> 3));
        let [r, g, b, count] = &mut sums[cell];
        *r += u64::from(pixel[0]);
        *g += u64::from(pixel[1]);
        *b += u64::from(pixel[2]);
        *count += 1;
    }
    let filled = sums.into_iter().filter(|sum| sum[3] > 0);
    filled
        .map(|[r, g, b, count]| {
            let mean = [r, g, b].map(|sum| sum as f32 / (255.0 * count as f32));
            Bin { color: linear_to_oklab(linear(mean)), weight: (count as f32).sqrt() }
        })
        .collect()
}

/// Means of at most [`COLORS`] boxes, each cut at its mean where the spread was greatest.
fn cut(bins: &mut [Bin]) -> Vec<Vec3> {
    let mut boxes: Vec<Spread> =
        (!bins.is_empty()).then(|| Spread::of(bins, 0)).into_iter().collect();
    while boxes.len() < COLORS {
        let widest = boxes.iter().enumerate().max_by(|a, b| a.1.total.total_cmp(&b.1.total));
        let Some((number, spread)) = widest.filter(|(_, spread)| spread.total > 0.0) else {
            break;
        };
        let Spread { first, count, mean, axis, .. } = *spread;
        let part = &mut bins[first..first + count];
        part.sort_by(|a, b| a.color[axis].total_cmp(&b.color[axis]));
        let low = part.partition_point(|bin| bin.color[axis] < mean[axis]).clamp(1, count - 1);
        let (left, right) = part.split_at(low);
        boxes[number] = Spread::of(left, first);
        boxes.push(Spread::of(right, first + low));
    }
    boxes.into_iter().map(|spread| spread.mean).collect()
}

/// How the colors of a part of the histogram lie.
struct Spread {
    first: usize,
    count: usize,
    mean: Vec3,
    /// Weighted sum of squared distances from the mean; zero if there is nothing to cut.
    total: f32,
    /// Axis of greatest variance.
    axis: usize,
}

impl Spread {
    fn of(bins: &[Bin], first: usize) -> Self {
        let weight: f32 = bins.iter().map(|bin| bin.weight).sum();
        let mean = bins.iter().map(|bin| bin.weight * bin.color).sum::<Vec3>() / weight;
        let squares = |bin: &Bin| bin.weight * (bin.color - mean) * (bin.color - mean);
        let variance: Vec3 = bins.iter().map(squares).sum();
        let total = if bins.len() > 1 { variance.element_sum() } else { 0.0 };
        Self { first, count: bins.len(), mean, total, axis: variance.max_position() }
    }
}

/// One round of k-means.
fn refine(colors: &mut [Vec3], bins: &[Bin]) {
    let mut sums = vec![(Vec3::ZERO, 0.0); colors.len()];
    for bin in bins {
        let (sum, weight) = &mut sums[nearest(colors, bin.color)];
        *sum += bin.weight * bin.color;
        *weight += bin.weight;
    }
    for (color, (sum, weight)) in colors.iter_mut().zip(sums) {
        if weight > 0.0 {
            *color = sum / weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colors_are_kept_as_they_are() {
        let mut image = Image::filled(8, 8, [250, 250, 252]);
        image.pixels[..4].copy_from_slice(&[200, 30, 40, 255]);
        let mut palette = Palette::new([&image]);
        assert_eq!(palette.bytes.len(), 2);
        for rgb in [[250, 250, 252], [200, 30, 40]] {
            let shown = palette.pick(rgb, 3, 2);
            assert_eq!(palette.bytes[usize::from(shown)], rgb);
        }
    }

    #[test]
    fn a_dithered_color_is_right_on_average() {
        let mut image = Image::filled(2, 1, [112, 112, 112]);
        image.pixels[..4].copy_from_slice(&[120, 120, 120, 255]);
        let mut palette = Palette::new([&image]);
        let mut sum = 0;
        for i in 0..16 {
            let shown = palette.pick([115, 115, 115], i % 4, i / 4);
            sum += u32::from(palette.bytes[usize::from(shown)][0]);
        }
        assert!((112..=118).contains(&(sum / 16)), "the mean is {}", sum / 16);
    }

    #[test]
    fn a_rich_image_gets_all_colors_and_small_errors() {
        let mut image = Image::filled(256, 256, [0; 3]);
        for (i, pixel) in image.pixels.chunks_exact_mut(4).enumerate() {
            pixel[..3].copy_from_slice(&[(i % 256) as u8, (i / 256) as u8, 128]);
        }
        let palette = Palette::new([&image]);
        assert_eq!(palette.colors.len(), COLORS);
        let worst = image.pixels.chunks_exact(4).step_by(97).map(|p| {
            let wanted = oklab([p[0], p[1], p[2]]);
            palette.colors[nearest(&palette.colors, wanted)].distance(wanted)
        });
        assert!(worst.fold(0.0, f32::max) < 0.06);
    }
}
