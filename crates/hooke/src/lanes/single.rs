//! Sixteen `f32` at once.

use crate::math::Vec3;

/// The numbers of one register, or of two.
pub(crate) const LANES: usize = 16;

/// Sixteen numbers in memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [f32; LANES]);

impl Line {
    /// The numbers of lines, one after the other.
    pub(crate) fn numbers(lines: &[Self]) -> &[f32] {
        // SAFETY: a line is its numbers and nothing else.
        unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * LANES) }
    }
}

/// Sixteen numbers in memory, as `f16`: eleven bits, up to 65504.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct HalfLine(pub(crate) [u16; LANES]);

/// How sixteen numbers are kept in memory.
pub(crate) trait Stored: Copy + Default + Send + Sync {
    /// # Safety
    /// As [`Lanes`].
    unsafe fn load<V: Lanes>(&self) -> V;
    /// # Safety
    /// As [`Lanes`].
    unsafe fn store<V: Lanes>(&mut self, line: &Line);
    /// Whether all are finite.
    fn is_finite(&self) -> bool;
}

impl Stored for Line {
    #[inline(always)]
    unsafe fn load<V: Lanes>(&self) -> V {
        // SAFETY: as the caller promises.
        unsafe { V::load(self) }
    }
    #[inline(always)]
    unsafe fn store<V: Lanes>(&mut self, line: &Line) {
        *self = *line;
    }
    fn is_finite(&self) -> bool {
        self.0.iter().all(|value| value.is_finite())
    }
}

impl Stored for HalfLine {
    #[inline(always)]
    unsafe fn load<V: Lanes>(&self) -> V {
        // SAFETY: as the caller promises.
        unsafe { V::load_half(self) }
    }
    #[inline(always)]
    unsafe fn store<V: Lanes>(&mut self, line: &Line) {
        // SAFETY: as the caller promises.
        unsafe { V::load(line).store_half(self) }
    }
    fn is_finite(&self) -> bool {
        self.0.iter().all(|half| half & 0x7c00 != 0x7c00)
    }
}

/// x, y, z and a zero.
pub(crate) type Quad = [f32; 4];

/// The index of lane `l` among the sixteen quads of [`Lanes::spread`].
pub(crate) const fn slot(lane: usize) -> usize {
    lane % 4 * 4 + lane / 4
}

/// Asks for what will be read soon, if there is something.
#[inline(always)]
pub(crate) fn prefetch<T>(line: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: every x86-64 processor has the instruction, and it only touches the cache.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}

/// Sixteen `f32`.
///
/// Functions that make a value are unsafe: they must run inside one that has the instructions of the
/// implementation. Whoever holds a value therefore has them, and what takes values is safe.
pub(crate) trait Lanes: Copy {
    /// How many columns of sums the registers hold: 2 or 4.
    const COLUMNS: usize;
    /// How many blocks of rows the registers hold: 1, 2 or 4.
    const BLOCKS: usize;
    /// # Safety
    /// As [`Lanes`].
    unsafe fn zero() -> Self;
    /// # Safety
    /// As [`Lanes`].
    unsafe fn splat(value: f32) -> Self;
    /// # Safety
    /// As [`Lanes`].
    unsafe fn load(line: &Line) -> Self;
    /// The numbers from `first` on.
    ///
    /// # Safety
    /// As [`Lanes`]; there must be sixteen.
    unsafe fn load_at(numbers: &[f32], first: usize) -> Self;
    /// # Safety
    /// As [`Lanes`].
    unsafe fn load_half(line: &HalfLine) -> Self;
    /// Rounded to the nearest, ties to even.
    fn store_half(self, line: &mut HalfLine);
    fn store(self, line: &mut Line);
    /// `self − other`.
    fn less(self, other: Self) -> Self;
    /// `self · other`.
    fn times(self, other: Self) -> Self;
    /// `self + a b`.
    fn plus(self, a: Self, b: Self) -> Self;
    /// `self − a b`.
    fn minus(self, a: Self, b: Self) -> Self;
    /// `1/√self`, to a unit or two in the last place.
    fn inverse_root(self) -> Self;
    /// Writes quad (x, y, z, 0) of lane l at [`slot`].
    fn spread(xyz: [Self; 3], out: &mut [Line; 4]);
    /// Lines of x, y and z of the given quads.
    ///
    /// # Safety
    /// As [`Lanes`]; every row must be that of a quad.
    #[inline(always)]
    unsafe fn collect(quads: &[Quad], rows: &[u32; LANES], out: &mut [Line; 3]) {
        // SAFETY: as the caller promises.
        unsafe {
            let [x, y, z] = Self::collected(quads, rows);
            x.store(&mut out[0]);
            y.store(&mut out[1]);
            z.store(&mut out[2]);
        }
    }
    /// x, y and z of the given quads.
    ///
    /// # Safety
    /// As [`Lanes`]; every row must be that of a quad.
    unsafe fn collected(quads: &[Quad], rows: &[u32; LANES]) -> [Self; 3];
    /// A point multiplied by `by`.
    ///
    /// # Safety
    /// As [`Lanes`].
    #[inline(always)]
    unsafe fn quad(point: &Vec3, by: f64) -> Quad {
        let [x, y, z] = point.to_array().map(|value| (value * by) as f32);
        [x, y, z, 0.0]
    }
    /// Sixteen points of x, y and z.
    #[inline(always)]
    fn put(xyz: [Self; 3], points: &mut [Vec3; LANES]) {
        let mut lines = [Line::default(); 3];
        for axis in 0..3 {
            xyz[axis].store(&mut lines[axis]);
        }
        for (lane, point) in points.iter_mut().enumerate() {
            let [x, y, z] = [lines[0].0[lane], lines[1].0[lane], lines[2].0[lane]];
            *point = Vec3::new(f64::from(x), f64::from(y), f64::from(z));
        }
    }
    /// Adds the sums over all lanes, (Σx, Σy, Σz, 0), of one or two columns to their quads.
    fn add_sums(columns: [[Self; 3]; 2], quads: &mut [Quad]);
}

/// Without special instructions.
#[derive(Clone, Copy)]
pub(crate) struct Plain([f32; LANES]);

impl Lanes for Plain {
    const COLUMNS: usize = 2;
    const BLOCKS: usize = 1;
    #[inline(always)]
    unsafe fn zero() -> Self {
        Self([0.0; LANES])
    }
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; LANES])
    }
    #[inline(always)]
    unsafe fn load(line: &Line) -> Self {
        Self(line.0)
    }
    #[inline(always)]
    unsafe fn load_at(numbers: &[f32], first: usize) -> Self {
        let mut out = [0.0; LANES];
        out.copy_from_slice(&numbers[first..first + LANES]);
        Self(out)
    }
    #[inline(always)]
    unsafe fn load_half(line: &HalfLine) -> Self {
        Self(line.0.map(from_half))
    }
    #[inline(always)]
    fn store_half(self, line: &mut HalfLine) {
        line.0 = self.0.map(to_half);
    }
    #[inline(always)]
    fn plus(mut self, a: Self, b: Self) -> Self {
        for l in 0..LANES {
            self.0[l] += a.0[l] * b.0[l];
        }
        self
    }
    #[inline(always)]
    fn spread(xyz: [Self; 3], out: &mut [Line; 4]) {
        for l in 0..LANES {
            let at = slot(l);
            for axis in 0..3 {
                out[at / 4].0[at % 4 * 4 + axis] = xyz[axis].0[l];
            }
            out[at / 4].0[at % 4 * 4 + 3] = 0.0;
        }
    }
    #[inline(always)]
    fn store(self, line: &mut Line) {
        line.0 = self.0;
    }
    #[inline(always)]
    fn less(mut self, other: Self) -> Self {
        for l in 0..LANES {
            self.0[l] -= other.0[l];
        }
        self
    }
    #[inline(always)]
    fn times(mut self, other: Self) -> Self {
        for l in 0..LANES {
            self.0[l] *= other.0[l];
        }
        self
    }
    #[inline(always)]
    fn minus(mut self, a: Self, b: Self) -> Self {
        for l in 0..LANES {
            self.0[l] -= a.0[l] * b.0[l];
        }
        self
    }
    #[inline(always)]
    fn inverse_root(self) -> Self {
        Self(self.0.map(|value| 1.0 / value.sqrt()))
    }
    #[inline(always)]
    unsafe fn collected(quads: &[Quad], rows: &[u32; LANES]) -> [Self; 3] {
        let mut out = [[0.0; LANES]; 3];
        for l in 0..LANES {
            let quad = quads[rows[l] as usize];
            for axis in 0..3 {
                out[axis][l] = quad[axis];
            }
        }
        out.map(Self)
    }
    #[inline(always)]
    fn add_sums(columns: [[Self; 3]; 2], quads: &mut [Quad]) {
        for (xyz, quad) in columns.iter().zip(quads) {
            for (lanes, sum) in xyz.iter().zip(quad) {
                let eight: [f32; 8] = std::array::from_fn(|l| lanes.0[l] + lanes.0[l + 8]);
                let four: [f32; 4] = std::array::from_fn(|l| eight[l] + eight[l + 4]);
                *sum += (four[0] + four[2]) + (four[1] + four[3]);
            }
        }
    }
}

/// `2^−24`, the least `f16` above zero.
const LEAST_HALF: f32 = 5.960_464_5e-8;

fn from_half(half: u16) -> f32 {
    let (sign, exponent, bits) = (half >> 15, half >> 10 & 31, half & 0x3ff);
    let size = match exponent {
        0 => f32::from(bits) * LEAST_HALF,
        31 => f32::from_bits(0x7f80_0000 | u32::from(bits) << 13),
        _ => f32::from_bits(u32::from(exponent + 112) << 23 | u32::from(bits) << 13),
    };
    if sign == 1 { -size } else { size }
}

fn to_half(value: f32) -> u16 {
    let sign = (value.to_bits() >> 16 & 0x8000) as u16;
    let size = value.abs();
    if size.is_nan() {
        return sign | 0x7e00;
    }
    if size < 6.103_515_6e-5 {
        // Below the normal numbers: whole multiples of the least one.
        return sign | (size / LEAST_HALF).round_ties_even() as u16;
    }
    let bits = size.to_bits();
    let rounded = bits + 0xfff + (bits >> 13 & 1);
    let half = (rounded >> 13).saturating_sub(112 << 10);
    sign | half.min(0x7c00) as u16
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{HalfLine, LANES, Lanes, Line, Quad};
    use crate::lanes::double;
    use crate::math::Vec3;
    use std::arch::x86_64::*;

    /// AVX-512: one register.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx512(__m512);

    impl Lanes for Avx512 {
        const COLUMNS: usize = 4;
        const BLOCKS: usize = 4;
        #[inline(always)]
        unsafe fn zero() -> Self {
            // SAFETY: the caller has the instructions.
            Self(unsafe { _mm512_setzero_ps() })
        }
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            // SAFETY: the caller has the instructions.
            Self(unsafe { _mm512_set1_ps(value) })
        }
        #[inline(always)]
        unsafe fn load(line: &Line) -> Self {
            // SAFETY: the caller has the instructions; a line is sixteen aligned numbers.
            Self(unsafe { _mm512_load_ps(line.0.as_ptr()) })
        }
        #[inline(always)]
        unsafe fn load_at(numbers: &[f32], first: usize) -> Self {
            debug_assert!(first + LANES <= numbers.len());
            // SAFETY: the caller has the instructions, and promises sixteen numbers from `first`
            // on.
            Self(unsafe { _mm512_loadu_ps(numbers.as_ptr().add(first)) })
        }
        #[inline(always)]
        unsafe fn load_half(line: &HalfLine) -> Self {
            // SAFETY: the caller has the instructions; a line of halves is thirty-two aligned
            // bytes.
            Self(unsafe { _mm512_cvtph_ps(_mm256_load_si256(line.0.as_ptr().cast())) })
        }
        #[inline(always)]
        fn store_half(self, line: &mut HalfLine) {
            // SAFETY: whoever holds a value has the instructions; a line of halves is thirty-two
            // aligned bytes.
            unsafe {
                let half = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(self.0);
                _mm256_store_si256(line.0.as_mut_ptr().cast(), half);
            }
        }
        #[inline(always)]
        fn plus(self, a: Self, b: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe { _mm512_fmadd_ps(a.0, b.0, self.0) })
        }
        #[inline(always)]
        fn store(self, line: &mut Line) {
            // SAFETY: whoever holds a value has the instructions; a line is sixteen aligned
            // numbers.
            unsafe { _mm512_store_ps(line.0.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn less(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe { _mm512_sub_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn times(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe { _mm512_mul_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn minus(self, a: Self, b: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe { _mm512_fnmadd_ps(a.0, b.0, self.0) })
        }
        /// Fourteen bits and a step of second order.
        #[inline(always)]
        fn inverse_root(self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let y = Self(_mm512_rsqrt14_ps(self.0));
                let error = Self::splat(1.0).minus(self.times(y), y);
                y.plus(y.times(Self::splat(0.5)), error)
            }
        }
        #[inline(always)]
        fn spread([x, y, z]: [Self; 3], out: &mut [Line; 4]) {
            // SAFETY: whoever holds a value has the instructions; lines are sixteen aligned
            // numbers.
            unsafe {
                let zero = _mm512_setzero_ps();
                let (low, high) = (_mm512_unpacklo_ps(x.0, y.0), _mm512_unpackhi_ps(x.0, y.0));
                let (low_z, high_z) =
                    (_mm512_unpacklo_ps(z.0, zero), _mm512_unpackhi_ps(z.0, zero));
                let pairs = [(low, low_z), (high, high_z)];
                for (k, (xy, z)) in pairs.into_iter().enumerate() {
                    let (xy, z) = (_mm512_castps_pd(xy), _mm512_castps_pd(z));
                    let even = _mm512_castpd_ps(_mm512_unpacklo_pd(xy, z));
                    let odd = _mm512_castpd_ps(_mm512_unpackhi_pd(xy, z));
                    _mm512_store_ps(out[2 * k].0.as_mut_ptr(), even);
                    _mm512_store_ps(out[2 * k + 1].0.as_mut_ptr(), odd);
                }
            }
        }
        #[inline(always)]
        unsafe fn collected(quads: &[Quad], rows: &[u32; LANES]) -> [Self; 3] {
            debug_assert!(rows.iter().all(|&row| (row as usize) < quads.len()));
            // SAFETY: the caller has the instructions, and promises that every row is that of a
            // quad.
            unsafe {
                let base = quads.as_ptr();
                let mut every_fourth = [_mm512_setzero_ps(); 4];
                for k in 0..4 {
                    let a = _mm_loadu_ps(base.add(rows[k] as usize).cast());
                    let b = _mm_loadu_ps(base.add(rows[k + 4] as usize).cast());
                    let c = _mm_loadu_ps(base.add(rows[k + 8] as usize).cast());
                    let d = _mm_loadu_ps(base.add(rows[k + 12] as usize).cast());
                    let ab = _mm512_insertf32x4::<1>(_mm512_castps128_ps512(a), b);
                    let abc = _mm512_insertf32x4::<2>(ab, c);
                    every_fourth[k] = _mm512_insertf32x4::<3>(abc, d);
                }
                let [a, b, c, d] = every_fourth;
                let xy_01 = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
                let xy_23 = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
                let z_01 = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
                let z_23 = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
                let x = _mm512_castpd_ps(_mm512_unpacklo_pd(xy_01, xy_23));
                let y = _mm512_castpd_ps(_mm512_unpackhi_pd(xy_01, xy_23));
                let z = _mm512_castpd_ps(_mm512_unpacklo_pd(z_01, z_23));
                [Self(x), Self(y), Self(z)]
            }
        }
        #[inline(always)]
        unsafe fn quad(point: &Vec3, by: f64) -> Quad {
            // SAFETY: the caller has the instructions.
            unsafe { quad(point, by) }
        }
        #[inline(always)]
        fn put(xyz: [Self; 3], points: &mut [Vec3; LANES]) {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let (halves, _) = points.as_chunks_mut::<{ double::LANES }>();
                let mut xyz = xyz.map(|value| value.0);
                for half in halves {
                    // No closures: what is not inlined loses the instructions.
                    let [x, y, z] = xyz;
                    let [x, y, z] = [
                        _mm512_cvtps_pd(_mm512_castps512_ps256(x)),
                        _mm512_cvtps_pd(_mm512_castps512_ps256(y)),
                        _mm512_cvtps_pd(_mm512_castps512_ps256(z)),
                    ];
                    double::Lanes::put(
                        [double::Avx512(x), double::Avx512(y), double::Avx512(z)],
                        half,
                    );
                    for value in &mut xyz {
                        *value = _mm512_castps256_ps512(_mm512_extractf32x8_ps::<1>(*value));
                    }
                }
            }
        }
        #[inline(always)]
        fn add_sums(columns: [[Self; 3]; 2], quads: &mut [Quad]) {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let mut halves = [[_mm256_setzero_ps(); 3]; 2];
                for (column, halves) in columns.iter().zip(&mut halves) {
                    for (value, sum) in column.iter().zip(halves) {
                        let high = _mm512_extractf32x8_ps::<1>(value.0);
                        *sum = _mm256_add_ps(_mm512_castps512_ps256(value.0), high);
                    }
                }
                add_sums(halves, quads);
            }
        }
    }

    /// Adds the sums over eight lanes of one or two columns to their quads.
    ///
    /// # Safety
    /// On a processor that has AVX.
    #[inline]
    #[target_feature(enable = "avx")]
    fn add_sums([a, b]: [[__m256; 3]; 2], quads: &mut [Quad]) {
        let sums = sums_of_two(a, b);
        let at = quads.as_mut_ptr().cast::<f32>();
        // SAFETY: two quads are eight numbers, one is four.
        unsafe {
            match quads.len() {
                2 => {
                    _mm256_storeu_ps(at, _mm256_add_ps(_mm256_loadu_ps(at), sums));
                }
                1 => {
                    let sums = _mm256_castps256_ps128(sums);
                    _mm_storeu_ps(at, _mm_add_ps(_mm_loadu_ps(at), sums));
                }
                _ => {}
            }
        }
    }

    /// (Σx, Σy, Σz, 0) of two columns.
    ///
    /// # Safety
    /// On a processor that has AVX.
    #[inline]
    #[target_feature(enable = "avx")]
    fn sums_of_two(a: [__m256; 3], b: [__m256; 3]) -> __m256 {
        let mut axes = [_mm256_setzero_ps(); 3];
        for (axis, sum) in axes.iter_mut().enumerate() {
            *sum = _mm256_add_ps(
                _mm256_permute2f128_ps::<0x20>(a[axis], b[axis]),
                _mm256_permute2f128_ps::<0x31>(a[axis], b[axis]),
            );
        }
        // Of each four lanes: 0+2 and 1+3, then both.
        let ([x, y, z], zero) = (axes, _mm256_setzero_ps());
        let xy = _mm256_add_ps(_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
        let z = _mm256_add_ps(_mm256_unpacklo_ps(z, zero), _mm256_unpackhi_ps(z, zero));
        let (xy, z) = (_mm256_castps_pd(xy), _mm256_castps_pd(z));
        _mm256_add_ps(
            _mm256_castpd_ps(_mm256_unpacklo_pd(xy, z)),
            _mm256_castpd_ps(_mm256_unpackhi_pd(xy, z)),
        )
    }

    /// A point multiplied by `by`.
    ///
    /// # Safety
    /// On a processor that has AVX.
    #[inline]
    #[target_feature(enable = "avx")]
    fn quad(point: &Vec3, by: f64) -> Quad {
        let mut out = Quad::default();
        let three = _mm256_setr_epi64x(-1, -1, -1, 0);
        // SAFETY: a point is three numbers, and the fourth is masked out.
        let xyz = unsafe { _mm256_maskload_pd(std::ptr::from_ref(point).cast(), three) };
        let scaled = _mm256_cvtpd_ps(_mm256_mul_pd(xyz, _mm256_set1_pd(by)));
        // SAFETY: a quad is four numbers.
        unsafe { _mm_storeu_ps(out.as_mut_ptr(), scaled) };
        out
    }

    /// AVX2 with FMA: two registers.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2([__m256; 2]);

    impl Lanes for Avx2 {
        const COLUMNS: usize = 2;
        const BLOCKS: usize = 1;
        #[inline(always)]
        unsafe fn zero() -> Self {
            // SAFETY: the caller has the instructions.
            Self([unsafe { _mm256_setzero_ps() }; 2])
        }
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            // SAFETY: the caller has the instructions.
            Self([unsafe { _mm256_set1_ps(value) }; 2])
        }
        #[inline(always)]
        unsafe fn load(line: &Line) -> Self {
            let at = line.0.as_ptr();
            // SAFETY: the caller has the instructions; a line is sixteen aligned numbers.
            Self(unsafe { [_mm256_load_ps(at), _mm256_load_ps(at.add(8))] })
        }
        #[inline(always)]
        unsafe fn load_at(numbers: &[f32], first: usize) -> Self {
            debug_assert!(first + LANES <= numbers.len());
            // SAFETY: the caller has the instructions, and promises sixteen numbers from `first`
            // on.
            unsafe {
                let at = numbers.as_ptr().add(first);
                Self([_mm256_loadu_ps(at), _mm256_loadu_ps(at.add(8))])
            }
        }
        #[inline(always)]
        unsafe fn load_half(line: &HalfLine) -> Self {
            let at = line.0.as_ptr().cast::<__m128i>();
            // SAFETY: the caller has the instructions; a line of halves is thirty-two aligned
            // bytes.
            Self(unsafe { [0, 1].map(|half| _mm256_cvtph_ps(_mm_load_si128(at.add(half)))) })
        }
        #[inline(always)]
        fn store_half(self, line: &mut HalfLine) {
            let at = line.0.as_mut_ptr().cast::<__m128i>();
            // SAFETY: whoever holds a value has the instructions; a line of halves is thirty-two
            // aligned bytes.
            unsafe {
                for half in 0..2 {
                    let rounded = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(self.0[half]);
                    _mm_store_si128(at.add(half), rounded);
                }
            }
        }
        #[inline(always)]
        fn plus(self, a: Self, b: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe {
                [
                    _mm256_fmadd_ps(a.0[0], b.0[0], self.0[0]),
                    _mm256_fmadd_ps(a.0[1], b.0[1], self.0[1]),
                ]
            })
        }
        #[inline(always)]
        fn store(self, line: &mut Line) {
            let at = line.0.as_mut_ptr();
            // SAFETY: whoever holds a value has the instructions; a line is sixteen aligned
            // numbers.
            unsafe {
                _mm256_store_ps(at, self.0[0]);
                _mm256_store_ps(at.add(8), self.0[1]);
            }
        }
        #[inline(always)]
        fn less(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe {
                [_mm256_sub_ps(self.0[0], other.0[0]), _mm256_sub_ps(self.0[1], other.0[1])]
            })
        }
        #[inline(always)]
        fn times(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe {
                [_mm256_mul_ps(self.0[0], other.0[0]), _mm256_mul_ps(self.0[1], other.0[1])]
            })
        }
        #[inline(always)]
        fn minus(self, a: Self, b: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe {
                [
                    _mm256_fnmadd_ps(a.0[0], b.0[0], self.0[0]),
                    _mm256_fnmadd_ps(a.0[1], b.0[1], self.0[1]),
                ]
            })
        }
        #[inline(always)]
        fn inverse_root(self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let one = _mm256_set1_ps(1.0);
                let [a, b] = self.0;
                Self([_mm256_div_ps(one, _mm256_sqrt_ps(a)), _mm256_div_ps(one, _mm256_sqrt_ps(b))])
            }
        }
        #[inline(always)]
        fn spread([x, y, z]: [Self; 3], out: &mut [Line; 4]) {
            // SAFETY: whoever holds a value has the instructions; lines are sixteen aligned
            // numbers.
            unsafe {
                let zero = _mm256_setzero_ps();
                for half in 0..2 {
                    let (x, y, z) = (x.0[half], y.0[half], z.0[half]);
                    let (low, high) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
                    let low_z = _mm256_unpacklo_ps(z, zero);
                    let high_z = _mm256_unpackhi_ps(z, zero);
                    let pairs = [(low, low_z), (high, high_z)];
                    for (k, (xy, z)) in pairs.into_iter().enumerate() {
                        let (xy, z) = (_mm256_castps_pd(xy), _mm256_castps_pd(z));
                        let even = _mm256_castpd_ps(_mm256_unpacklo_pd(xy, z));
                        let odd = _mm256_castpd_ps(_mm256_unpackhi_pd(xy, z));
                        _mm256_store_ps(out[2 * k].0.as_mut_ptr().add(8 * half), even);
                        _mm256_store_ps(out[2 * k + 1].0.as_mut_ptr().add(8 * half), odd);
                    }
                }
            }
        }
        #[inline(always)]
        unsafe fn collected(quads: &[Quad], rows: &[u32; LANES]) -> [Self; 3] {
            debug_assert!(rows.iter().all(|&row| (row as usize) < quads.len()));
            // SAFETY: the caller has the instructions, and promises that every row is that of a
            // quad.
            unsafe {
                let base = quads.as_ptr();
                let mut out = [Self::zero(); 3];
                for half in 0..2 {
                    let mut every_fourth = [_mm256_setzero_ps(); 4];
                    for k in 0..4 {
                        let a = _mm_loadu_ps(base.add(rows[8 * half + k] as usize).cast());
                        let b = _mm_loadu_ps(base.add(rows[8 * half + k + 4] as usize).cast());
                        every_fourth[k] = _mm256_set_m128(b, a);
                    }
                    let [a, b, c, d] = every_fourth;
                    let xy_01 = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
                    let xy_23 = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
                    let z_01 = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
                    let z_23 = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
                    let x = _mm256_castpd_ps(_mm256_unpacklo_pd(xy_01, xy_23));
                    let y = _mm256_castpd_ps(_mm256_unpackhi_pd(xy_01, xy_23));
                    let z = _mm256_castpd_ps(_mm256_unpacklo_pd(z_01, z_23));
                    out[0].0[half] = x;
                    out[1].0[half] = y;
                    out[2].0[half] = z;
                }
                out
            }
        }
        #[inline(always)]
        unsafe fn quad(point: &Vec3, by: f64) -> Quad {
            // SAFETY: the caller has the instructions.
            unsafe { quad(point, by) }
        }
        #[inline(always)]
        fn add_sums(columns: [[Self; 3]; 2], quads: &mut [Quad]) {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let mut halves = [[_mm256_setzero_ps(); 3]; 2];
                for (column, halves) in columns.iter().zip(&mut halves) {
                    for (value, sum) in column.iter().zip(halves) {
                        *sum = _mm256_add_ps(value.0[0], value.0[1]);
                    }
                }
                add_sums(halves, quads);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{SimdLevel, dispatch};

    /// # Safety
    /// As [`Lanes`].
    unsafe fn there_and_back_by<V: Lanes>(line: &Line, half: &mut HalfLine, back: &mut Line) {
        // SAFETY: as the caller promises.
        unsafe {
            half.store::<V>(line);
            // Spread and collected again: the same numbers in the same places.
            let value: V = half.load();
            let mut quads = [Line::default(); 4];
            V::spread([value; 3], &mut quads);
            let quads: Vec<Quad> =
                quads.iter().flat_map(|line| line.0.as_chunks::<4>().0).copied().collect();
            let rows = std::array::from_fn(|lane| slot(lane) as u32);
            let mut lines = [Line::default(); 3];
            V::collect(&quads, &rows, &mut lines);
            *back = lines[1];
        }
    }

    #[test]
    fn every_level_halves_the_same() {
        let mut numbers: Vec<f32> =
            vec![0.0, -0.0, 1.0, 65504.0, 65519.9, 65520.0, 1e30, 1e-8, 3e-8];
        let count = if cfg!(miri) { 200 } else { 4000 };
        numbers.extend((0..count).map(|i| (i as f32 - 2000.0) * 1.234_567e-8 * (i * i) as f32));
        for numbers in numbers.as_chunks::<LANES>().0 {
            let line = Line(*numbers);
            let mut plain = (HalfLine::default(), Line::default());
            // SAFETY: needs no special instructions.
            unsafe { there_and_back_by::<Plain>(&line, &mut plain.0, &mut plain.1) };
            for (number, back) in numbers.iter().zip(plain.1.0) {
                let off = (number - back).abs();
                assert!(number.abs() > 65500.0 || off <= 4.9e-4 * number.abs() + 3e-8, "{number}");
            }
            for level in SimdLevel::all() {
                let (mut half, mut back) = (HalfLine::default(), Line::default());
                let (line, half_mut, back_mut) = (&line, &mut half, &mut back);
                // SAFETY: asks for instructions alone.
                unsafe {
                    dispatch!(level, single, there_and_back_by(
                        line: &Line, half_mut: &mut HalfLine, back_mut: &mut Line
                    ))
                };
                assert_eq!(half.0, plain.0.0, "{level:?}");
                assert_eq!(back.0, plain.1.0, "{level:?}");
            }
        }
    }
}
