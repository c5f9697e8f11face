//! Loops over numbers in a row, compiled for each set of instructions. None fuses a product with a
//! sum, so all levels give the same bits.

use super::SimdLevel;

/// Calls `body` where it may be compiled with the instructions of a level.
pub(crate) fn with<T>(level: SimdLevel, body: impl FnOnce() -> T) -> T {
    /// # Safety
    /// On a processor that has the instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,f16c")]
    fn avx2<T>(body: impl FnOnce() -> T) -> T {
        body()
    }
    /// # Safety
    /// On a processor that has the instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,f16c,avx512f,avx512vl,avx512dq")]
    fn avx512<T>(body: impl FnOnce() -> T) -> T {
        body()
    }
    match level {
        SimdLevel::Plain => body(),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `SimdLevel` is only made where the processor has the instructions.
        SimdLevel::Avx2 => unsafe { avx2(body) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        SimdLevel::Avx512 => unsafe { avx512(body) },
    }
}

/// How many sums go side by side, for one would wait for itself.
const SUMS: usize = 16;

/// `out ← out + (x − y) w by`; `Σ out²` over the numbers whose `free` is not zero.
pub(crate) fn add_inertia(
    level: SimdLevel,
    out: &mut [f64],
    [x, y]: [&[f64]; 2],
    (weights, by): (&[f64], f64),
    free: &[f64],
) -> f64 {
    let mut sums = [0.0; SUMS];
    let sums_out = &mut sums;
    with(level, || add_inertia_by(out, [x, y], (weights, by), free, sums_out));
    sums.iter().sum()
}

#[inline(always)]
fn add_inertia_by(
    out: &mut [f64],
    [x, y]: [&[f64]; 2],
    (weights, by): (&[f64], f64),
    free: &[f64],
    sums: &mut [f64; SUMS],
) {
    let count = out.len();
    let [x, y, weights, free] = [x, y, weights, free].map(|numbers| &numbers[..count]);
    let whole = count - count % SUMS;
    let mut own = *sums;
    for at in (0..whole).step_by(SUMS) {
        let out: &mut [f64] = &mut out[at..at + SUMS];
        let [x, y, weights, free] = [x, y, weights, free].map(|numbers| &numbers[at..at + SUMS]);
        for k in 0..SUMS {
            let value = out[k] + (x[k] - y[k]) * (weights[k] * by);
            out[k] = value;
            own[k] += if free[k] != 0.0 { value * value } else { 0.0 };
        }
    }
    for k in whole..count {
        let value = out[k] + (x[k] - y[k]) * (weights[k] * by);
        out[k] = value;
        own[k - whole] += if free[k] != 0.0 { value * value } else { 0.0 };
    }
    *sums = own;
}

/// `Σ values²` over the numbers whose `free` is not zero.
pub(crate) fn squares(level: SimdLevel, values: &[f64], free: &[f64]) -> f64 {
    let mut sums = [0.0; SUMS];
    let sums_out = &mut sums;
    with(level, || squares_by(values, free, sums_out));
    sums.iter().sum()
}

#[inline(always)]
fn squares_by(values: &[f64], free: &[f64], sums: &mut [f64; SUMS]) {
    let free = &free[..values.len()];
    let mut own = *sums;
    for (values, free) in values.chunks(SUMS).zip(free.chunks(SUMS)) {
        for ((sum, value), free) in own.iter_mut().zip(values).zip(free) {
            *sum += if *free != 0.0 { value * value } else { 0.0 };
        }
    }
    *sums = own;
}

/// `values ← (loads − values) weights`.
pub(crate) fn accelerate(level: SimdLevel, values: &mut [f64], loads: &[f64], weights: &[f64]) {
    with(level, || {
        for ((value, load), weight) in values.iter_mut().zip(loads).zip(weights) {
            *value = (load - *value) * weight;
        }
    });
}

/// Zero, unless a value is not finite.
pub(crate) fn not_finite(level: SimdLevel, values: &[f64]) -> f64 {
    with(level, || not_finite_by(values))
}

#[inline(always)]
fn not_finite_by(values: &[f64]) -> f64 {
    // Zero times a number is zero, unless it is not finite.
    let (groups, rest) = values.as_chunks::<SUMS>();
    let mut sums = [0.0; SUMS];
    for group in groups {
        for k in 0..SUMS {
            sums[k] += group[k] * 0.0;
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += value * 0.0;
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_that_is_not_finite_is_noticed() {
        for level in SimdLevel::all() {
            for count in [0, 1, 15, 16, 40] {
                let mut values = vec![-1e300; count];
                assert_eq!(not_finite(level, &values), 0.0);
                for i in 0..count {
                    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                        values[i] = bad;
                        assert!(not_finite(level, &values).is_nan(), "{level:?} {count} {i}");
                    }
                    values[i] = 0.5;
                }
            }
        }
    }
}
