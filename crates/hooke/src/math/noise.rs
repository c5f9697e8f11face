//! Smooth seeded noise for gusts: a pure function of seed, position and time.
//!
//! Value noise on an integer lattice in four dimensions with quintic blending (Perlin 2002), so
//! that it is twice differentiable and depends on nothing that a run could change.

use super::Vec3;

/// Noise in [−1, 1] per coordinate at `x` (in units of the noise's length scale) and `t` (in
/// units of its time scale).
pub fn noise(seed: u64, x: Vec3, t: f64) -> Vec3 {
    let at = [x.x, x.y, x.z, t];
    let mut base = [0i64; 4];
    let mut blend = [0.0; 4];
    for axis in 0..4 {
        let floor = at[axis].clamp(-1e15, 1e15).floor();
        let f = at[axis].clamp(-1e15, 1e15) - floor;
        base[axis] = floor as i64;
        blend[axis] = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    }
    let mut sum = Vec3::ZERO;
    for corner in 0..16u32 {
        let mut weight = 1.0;
        let mut key = seed;
        for axis in 0..4 {
            let up = corner >> axis & 1;
            weight *= if up == 1 { blend[axis] } else { 1.0 - blend[axis] };
            key = mix(key ^ (base[axis] + i64::from(up)) as u64);
        }
        sum += Vec3::new(signed(key), signed(mix(key ^ 1)), signed(mix(key ^ 2))) * weight;
    }
    sum
}

/// A bijective hash of 64 bits (the finalizer of SplitMix64).
pub fn mix(key: u64) -> u64 {
    let mut z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The upper 53 bits as a number in [−1, 1).
fn signed(key: u64) -> f64 {
    (key >> 11) as f64 * (2.0 / (1u64 << 53) as f64) - 1.0
}
