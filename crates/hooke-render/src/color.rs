//! Color: between sRGB, linear light and the perceptual Oklab space, the tone curve, and the
//! colors that stand for strain.

use crate::Color;
use glam::{Mat3, Vec3};

/// The color that stands for `strain` (relative change of length): blue is compressed, neutral
/// gray at rest, red stretched, at its strongest when `|strain|` reaches `full_scale`.
///
/// Lightness and chroma run evenly in Oklab and are the same on both sides, so equal strains look
/// equally strong whatever their sign, and the map survives a grayscale print as a distance from
/// rest. The bend at rest is rounded to leave no Mach band (Moreland 2009, *Diverging Color Maps
/// for Scientific Visualization*). A strain that is not a number shows as at rest.
pub fn strain_color(strain: f32, full_scale: f32) -> Color {
    const REST: f32 = 0.90;
    const DEPTH: f32 = 0.38;
    const CHROMA: f32 = 0.165;
    const ROUNDING: f32 = 0.08;
    let ratio = (strain / full_scale.abs().max(f32::MIN_POSITIVE)).clamp(-1.0, 1.0);
    let t = if ratio.is_nan() { 0.0 } else { ratio };
    let bent = (t * t + ROUNDING * ROUNDING).sqrt() - ROUNDING;
    let reach = bent / ((1.0 + ROUNDING * ROUNDING).sqrt() - ROUNDING);
    let hue: f32 = if t < 0.0 { 257.0 } else { 27.0 };
    let (b, a) = hue.to_radians().sin_cos();
    let lab = Vec3::new(REST - DEPTH * reach, CHROMA * reach * a, CHROMA * reach * b);
    encode(oklab_to_linear(lab)).into()
}

/// Linear light of an sRGB color; what is not a number counts as black.
pub(crate) fn linear(srgb: Color) -> Vec3 {
    Vec3::from(srgb.map(|c| {
        let c = c.clamp(0.0, 1.0);
        let c = if c.is_nan() { 0.0 } else { c };
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    }))
}

/// sRGB of a linear color, clipped to `0..=1`.
pub(crate) fn encode(linear: Vec3) -> Vec3 {
    Vec3::from(linear.to_array().map(|c| {
        let c = c.clamp(0.0, 1.0);
        if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
    }))
}

/// The nearest sRGB bytes of a linear color.
pub(crate) fn bytes(linear: Vec3) -> [u8; 3] {
    encode(linear).to_array().map(|c| (c * 255.0 + 0.5) as u8)
}

/// A filmic curve from scene light to displayed light: a short toe, a straight middle that keeps
/// colors as they were chosen, and a shoulder that ends in white (Uchimura 2017, *HDR Theory and
/// Practice*).
pub(crate) fn tone(light: Vec3) -> Vec3 {
    const TOE_END: f32 = 0.10;
    const TOE_POWER: f32 = 1.12;
    const STRAIGHT_END: f32 = 0.52;
    Vec3::from(light.to_array().map(|x| {
        let x = x.max(0.0);
        if x < TOE_END {
            TOE_END * (x / TOE_END).powf(TOE_POWER)
        } else if x < STRAIGHT_END {
            x
        } else {
            let room = 1.0 - STRAIGHT_END;
            1.0 - room * (-(x - STRAIGHT_END) / room).exp()
        }
    }))
}

/// Oklab (Ottosson 2020): lightness, green to red, blue to yellow.
pub(crate) fn linear_to_oklab(linear: Vec3) -> Vec3 {
    let lms = Mat3::from_cols_array(&[
        0.412_221_47,
        0.211_903_5,
        0.088_302_46,
        0.536_332_55,
        0.680_699_5,
        0.281_718_85,
        0.051_445_995,
        0.107_396_96,
        0.629_978_7,
    ]) * linear;
    Mat3::from_cols_array(&[
        0.210_454_26,
        1.977_998_5,
        0.025_904_037,
        0.793_617_8,
        -2.428_592_2,
        0.782_771_77,
        -0.004_072_047,
        0.450_593_7,
        -0.808_675_77,
    ]) * Vec3::from(lms.to_array().map(f32::cbrt))
}

/// The inverse of [`linear_to_oklab`].
pub(crate) fn oklab_to_linear(lab: Vec3) -> Vec3 {
    let lms = Mat3::from_cols_array(&[
        1.0,
        1.0,
        1.0,
        0.396_337_78,
        -0.105_561_346,
        -0.089_484_18,
        0.215_803_76,
        -0.063_854_17,
        -1.291_485_5,
    ]) * lab;
    Mat3::from_cols_array(&[
        4.076_741_7,
        -1.268_438,
        -0.004_196_086,
        -3.307_711_6,
        2.609_757_4,
        -0.703_418_6,
        0.230_969_94,
        -0.341_319_38,
        1.707_614_7,
    ]) * (lms * lms * lms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab(strain: f32) -> Vec3 {
        linear_to_oklab(linear(strain_color(strain, 0.1)))
    }

    #[test]
    fn oklab_is_inverted() {
        for c in [[0.1, 0.5, 0.9], [1.0, 1.0, 1.0], [0.7, 0.2, 0.0]] {
            let there = linear(c);
            assert!((oklab_to_linear(linear_to_oklab(there)) - there).abs().max_element() < 1e-4);
        }
    }

    #[test]
    fn strain_map_is_monotone_symmetric_and_inside_srgb() {
        for i in 0..100 {
            let (s, next) = (i as f32 * 1e-3, (i + 1) as f32 * 1e-3);
            assert!(lab(next).x < lab(s).x && lab(-next).x < lab(-s).x, "lightness falls at {s}");
            // A clipped channel would break the symmetry.
            assert!((lab(s).x - lab(-s).x).abs() < 4e-3, "sides differ at {s}");
        }
        let ([r, _, b], [r2, _, b2]) = (strain_color(0.1, 0.1), strain_color(-0.1, 0.1));
        assert!(r > b + 0.3 && b2 > r2 + 0.3);
        assert_eq!(strain_color(5.0, 0.1), strain_color(0.1, 0.1));
        assert_eq!(strain_color(f32::NAN, 0.1), strain_color(0.0, 0.1));
        assert!(strain_color(0.0, f32::NAN).iter().all(|c| c.is_finite()));
    }

    #[test]
    fn tone_curve_is_monotone_and_ends_in_white() {
        let at = |x: f32| tone(Vec3::splat(x)).x;
        assert!((0..400).all(|i| at(i as f32 * 0.01) < at(i as f32 * 0.01 + 0.01)));
        assert_eq!(at(0.3), 0.3);
        assert!(at(10.0) > 0.999 && at(10.0) <= 1.0);
    }
}
