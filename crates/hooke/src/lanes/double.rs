//! Eight `f64` at once.

use crate::math::Vec3;

/// The numbers of one register, or of two.
pub(crate) const LANES: usize = 8;

/// Eight numbers in memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [f64; LANES]);

impl Line {
    /// The numbers of lines, one after the other.
    pub(crate) fn numbers(lines: &[Self]) -> &[f64] {
        // SAFETY: a line is its numbers and nothing else.
        unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * LANES) }
    }
}

/// Eight `f64`.
///
/// Functions that make a value are unsafe: they must run inside one that has the instructions of the
/// implementation. Whoever holds a value therefore has them, and what takes values is safe.
pub(crate) trait Lanes: Copy {
    /// # Safety
    /// As [`Lanes`].
    unsafe fn splat(value: f64) -> Self;
    /// # Safety
    /// As [`Lanes`].
    unsafe fn load(line: &Line) -> Self;
    /// The numbers from `first` on.
    ///
    /// # Safety
    /// As [`Lanes`]; there must be eight.
    unsafe fn load_at(numbers: &[f64], first: usize) -> Self;
    fn store(self, line: &mut Line);
    /// Rounded to `f32`.
    #[inline(always)]
    fn narrow(self, out: &mut [f32; LANES]) {
        let mut line = Line::default();
        self.store(&mut line);
        *out = line.0.map(|value| value as f32);
    }
    /// One number in all lanes.
    #[inline(always)]
    fn all(self, value: f64) -> Self {
        // SAFETY: whoever holds a value has the instructions.
        unsafe { Self::splat(value) }
    }
    /// `self − other`.
    fn less(self, other: Self) -> Self;
    /// `self · other`.
    fn times(self, other: Self) -> Self;
    /// `self + a b`.
    fn plus(self, a: Self, b: Self) -> Self;
    /// `self − a b`.
    fn minus(self, a: Self, b: Self) -> Self;
    /// The greater of both.
    fn max(self, other: Self) -> Self;
    /// Without the sign.
    fn size(self) -> Self;
    /// Whether any number is above that of `other`.
    fn any_above(self, other: Self) -> bool;
    /// `self · other` where the size of `self` is above `bound`, zero elsewhere.
    fn beyond_times(self, bound: Self, other: Self) -> Self;
    /// `self` where `test` is above zero, zero elsewhere.
    fn where_positive(self, test: Self) -> Self;
    /// `self/other`, to seven digits.
    fn roughly_over(self, other: Self) -> Self;
    /// `value ← 1/√value`, to a unit or two in the last place.
    fn invert_roots<const K: usize>(values: &mut [Self; K]);
    /// x, y and z of the given points; faster where the last one is not `AMONG` them.
    ///
    /// # Safety
    /// As [`Lanes`]; every row must be that of a point, and not of the last unless `AMONG`.
    unsafe fn collect<const AMONG: bool>(points: &[Vec3], rows: &[u32; LANES]) -> [Self; 3];
    /// As [`Lanes::collect`], of rows that follow each other.
    ///
    /// # Safety
    /// As [`Lanes`]; every row must be that of a point, one more than the row before.
    #[inline(always)]
    unsafe fn collect_run(points: &[Vec3], rows: &[u32; LANES]) -> [Self; 3] {
        // SAFETY: as the caller promises.
        unsafe { Self::collect::<true>(points, rows) }
    }
    /// Eight points of x, y and z.
    fn put(xyz: [Self; 3], points: &mut [Vec3; LANES]);
    /// The first to fourth numbers of the given quadruples.
    ///
    /// # Safety
    /// As [`Lanes`]; every row must be that of a quadruple at `base`, which nobody writes meanwhile.
    unsafe fn take_rows(base: *const Row, rows: &[u32; LANES]) -> [Self; 4];
    /// Puts back what [`Lanes::take_rows`] takes.
    ///
    /// # Safety
    /// Every row must be that of a quadruple at `base`, which nobody else holds meanwhile; where rows
    /// are the same, one of them wins.
    unsafe fn put_rows(of: [Self; 4], base: *mut Row, rows: &[u32; LANES]);
}

/// Four numbers in memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct Row(pub(crate) [f64; 4]);

/// As [`Lanes::put`], one by one.
#[inline(always)]
fn put_each(xyz: [Line; 3], points: &mut [Vec3; LANES]) {
    for (lane, point) in points.iter_mut().enumerate() {
        *point = Vec3::new(xyz[0].0[lane], xyz[1].0[lane], xyz[2].0[lane]);
    }
}

/// Without special instructions.
#[derive(Clone, Copy)]
pub(crate) struct Plain([f64; LANES]);

impl Plain {
    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        for l in 0..LANES {
            self.0[l] = f(self.0[l], other.0[l]);
        }
        self
    }
}

impl Lanes for Plain {
    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        Self([value; LANES])
    }
    #[inline(always)]
    unsafe fn load(line: &Line) -> Self {
        Self(line.0)
    }
    #[inline(always)]
    unsafe fn load_at(numbers: &[f64], first: usize) -> Self {
        let mut out = [0.0; LANES];
        out.copy_from_slice(&numbers[first..first + LANES]);
        Self(out)
    }
    #[inline(always)]
    fn store(self, line: &mut Line) {
        line.0 = self.0;
    }
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn plus(self, a: Self, b: Self) -> Self {
        let product = a.zip(b, |a, b| a * b);
        self.zip(product, |c, product| c + product)
    }
    #[inline(always)]
    fn minus(self, a: Self, b: Self) -> Self {
        let product = a.zip(b, |a, b| a * b);
        self.zip(product, |c, product| c - product)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn size(self) -> Self {
        Self(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn any_above(self, other: Self) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| *a > b)
    }
    #[inline(always)]
    fn beyond_times(self, bound: Self, other: Self) -> Self {
        let kept = self.zip(bound, |value, bound| if value.abs() > bound { value } else { 0.0 });
        kept.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn where_positive(self, test: Self) -> Self {
        self.zip(test, |value, test| if test > 0.0 { value } else { 0.0 })
    }
    #[inline(always)]
    fn roughly_over(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    fn invert_roots<const K: usize>(values: &mut [Self; K]) {
        for value in values.iter_mut().flat_map(|values| &mut values.0) {
            *value = 1.0 / value.sqrt();
        }
    }
    #[inline(always)]
    unsafe fn collect<const AMONG: bool>(points: &[Vec3], rows: &[u32; LANES]) -> [Self; 3] {
        let points = rows.map(|row| points[row as usize]);
        [Self(points.map(|p| p.x)), Self(points.map(|p| p.y)), Self(points.map(|p| p.z))]
    }
    #[inline(always)]
    fn put(xyz: [Self; 3], points: &mut [Vec3; LANES]) {
        put_each(xyz.map(|Self(values)| Line(values)), points);
    }
    #[inline(always)]
    unsafe fn take_rows(base: *const Row, rows: &[u32; LANES]) -> [Self; 4] {
        // SAFETY: as the caller promises.
        let rows = rows.map(|row| unsafe { *base.add(row as usize) });
        std::array::from_fn(|k| Self(rows.map(|row| row.0[k])))
    }
    #[inline(always)]
    unsafe fn put_rows(of: [Self; 4], base: *mut Row, rows: &[u32; LANES]) {
        for (lane, &row) in rows.iter().enumerate() {
            // SAFETY: as the caller promises.
            unsafe { *base.add(row as usize) = Row(of.map(|of| of.0[lane])) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LANES, Lanes, Line, Row};
    use crate::math::Vec3;
    use std::arch::x86_64::*;

    /// AVX-512: one register.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx512(pub(in crate::lanes) __m512d);

    impl Lanes for Avx512 {
        #[inline(always)]
        unsafe fn splat(value: f64) -> Self {
            // SAFETY: the caller has the instructions.
            Self(unsafe { _mm512_set1_pd(value) })
        }
        #[inline(always)]
        unsafe fn load(line: &Line) -> Self {
            // SAFETY: the caller has the instructions; a line is eight aligned numbers.
            Self(unsafe { _mm512_load_pd(line.0.as_ptr()) })
        }
        #[inline(always)]
        unsafe fn load_at(numbers: &[f64], first: usize) -> Self {
            debug_assert!(first + LANES <= numbers.len());
            // SAFETY: the caller has the instructions, and promises eight numbers from `first` on.
            Self(unsafe { _mm512_loadu_pd(numbers.as_ptr().add(first)) })
        }
        #[inline(always)]
        fn store(self, line: &mut Line) {
            // SAFETY: whoever holds a value has the instructions; a line is eight aligned numbers.
            unsafe { _mm512_store_pd(line.0.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn narrow(self, out: &mut [f32; LANES]) {
            // SAFETY: whoever holds a value has the instructions; `out` is eight numbers.
            unsafe { _mm256_storeu_ps(out.as_mut_ptr(), _mm512_cvtpd_ps(self.0)) }
        }
        #[inline(always)]
        fn less(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe { _mm512_sub_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn times(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe { _mm512_mul_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn plus(self, a: Self, b: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe { _mm512_fmadd_pd(a.0, b.0, self.0) })
        }
        #[inline(always)]
        fn minus(self, a: Self, b: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe { _mm512_fnmadd_pd(a.0, b.0, self.0) })
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe { _mm512_max_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn size(self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe { _mm512_abs_pd(self.0) })
        }
        #[inline(always)]
        fn any_above(self, other: Self) -> bool {
            // SAFETY: whoever holds a value has the instructions.
            unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, other.0) != 0 }
        }
        #[inline(always)]
        fn beyond_times(self, bound: Self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let beyond = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(_mm512_abs_pd(self.0), bound.0);
                Self(_mm512_maskz_mul_pd(beyond, self.0, other.0))
            }
        }
        #[inline(always)]
        fn where_positive(self, test: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let positive = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(test.0, _mm512_setzero_pd());
                Self(_mm512_maskz_mov_pd(positive, self.0))
            }
        }
        #[inline(always)]
        fn roughly_over(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let y = Self(_mm512_rcp14_pd(other.0));
                self.times(y.plus(y, Self::splat(1.0).minus(other, y)))
            }
        }
        /// Fourteen bits, then the series of `1/√(1 − e)` to fifty-four.
        #[inline(always)]
        fn invert_roots<const K: usize>(values: &mut [Self; K]) {
            const { assert!(K > 0, "who holds no value may not have the instructions") };
            // Step by step for all of them, so that none waits for its own last step. No closures:
            // what is not inlined loses the instructions.
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let [one, c1] = [Self::splat(1.0), Self::splat(1.0 / 2.0)];
                let [c2, c3] = [Self::splat(3.0 / 8.0), Self::splat(5.0 / 16.0)];
                let (mut error, mut series) = ([one; K], [one; K]);
                for k in 0..K {
                    let y = Self(_mm512_rsqrt14_pd(values[k].0));
                    error[k] = one.minus(values[k], y.times(y));
                    values[k] = y;
                }
                for k in 0..K {
                    series[k] = c1.plus(error[k], c2.plus(error[k], c3));
                }
                for k in 0..K {
                    values[k] = values[k].plus(values[k].times(error[k]), series[k]);
                }
            }
        }
        #[inline(always)]
        unsafe fn collect<const AMONG: bool>(points: &[Vec3], rows: &[u32; LANES]) -> [Self; 3] {
            debug_assert!(
                rows.iter().all(|&row| (row as usize) + usize::from(!AMONG) < points.len())
            );
            // SAFETY: the caller has the instructions, and promises that rows are points; a fourth
            // number is read only where another point follows.
            unsafe {
                let base: *const f64 = points.as_ptr().cast();
                // Points l and l + 4 side by side. Four numbers are read where another point follows.
                let mut pairs = [_mm512_setzero_pd(); 4];
                for l in 0..4 {
                    let [low, high] = [rows[l], rows[l + 4]];
                    let [low, high] = [base.add(3 * low as usize), base.add(3 * high as usize)];
                    pairs[l] = match AMONG {
                        true => _mm512_insertf64x4::<1>(
                            _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(0b0111, low)),
                            _mm256_maskz_loadu_pd(0b0111, high),
                        ),
                        false => _mm512_insertf64x4::<1>(
                            _mm512_castpd256_pd512(_mm256_loadu_pd(low)),
                            _mm256_loadu_pd(high),
                        ),
                    };
                }
                let [a, b, c, d] = pairs;
                let (xz_01, y_01) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
                let (xz_23, y_23) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
                let low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
                let high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
                [
                    Self(_mm512_permutex2var_pd(xz_01, low, xz_23)),
                    Self(_mm512_permutex2var_pd(y_01, low, y_23)),
                    Self(_mm512_permutex2var_pd(xz_01, high, xz_23)),
                ]
            }
        }
        #[inline(always)]
        unsafe fn collect_run(points: &[Vec3], rows: &[u32; LANES]) -> [Self; 3] {
            debug_assert!(rows[0] as usize + LANES <= points.len());
            // SAFETY: the caller has the instructions, and promises eight points from the first row
            // on.
            unsafe {
                // Twenty-four numbers x0 y0 z0 x1 y1 z1 …: first from two thirds, then the last.
                let at: *const f64 = points.as_ptr().add(rows[0] as usize).cast();
                let [a, b, c] = [
                    _mm512_loadu_pd(at),
                    _mm512_loadu_pd(at.add(LANES)),
                    _mm512_loadu_pd(at.add(2 * LANES)),
                ];
                let x = _mm512_setr_epi64(0, 3, 6, 9, 12, 15, 0, 0);
                let y = _mm512_setr_epi64(1, 4, 7, 10, 13, 0, 0, 0);
                let z = _mm512_setr_epi64(2, 5, 8, 11, 14, 0, 0, 0);
                let last_x = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 10, 13);
                let last_y = _mm512_setr_epi64(0, 1, 2, 3, 4, 8, 11, 14);
                let last_z = _mm512_setr_epi64(0, 1, 2, 3, 4, 9, 12, 15);
                [
                    Self(_mm512_permutex2var_pd(_mm512_permutex2var_pd(a, x, b), last_x, c)),
                    Self(_mm512_permutex2var_pd(_mm512_permutex2var_pd(a, y, b), last_y, c)),
                    Self(_mm512_permutex2var_pd(_mm512_permutex2var_pd(a, z, b), last_z, c)),
                ]
            }
        }
        #[inline(always)]
        fn put([x, y, z]: [Self; 3], points: &mut [Vec3; LANES]) {
            // SAFETY: whoever holds a value has the instructions; eight points are twenty-four
            // numbers, and every list of places is eight.
            unsafe {
                // Eight numbers of x0 y0 z0 x1 y1 z1 … at a time: first x and y, then z between.
                let at: *mut f64 = points.as_mut_ptr().cast();
                let places: [[[i64; 8]; 2]; 3] = [
                    [[0, 8, 0, 1, 9, 0, 2, 10], [0, 1, 8, 3, 4, 9, 6, 7]],
                    [[0, 3, 11, 0, 4, 12, 0, 5], [10, 1, 2, 11, 4, 5, 12, 7]],
                    [[13, 0, 6, 14, 0, 7, 15, 0], [0, 13, 2, 3, 14, 5, 6, 15]],
                ];
                for (k, [of_xy, of_z]) in places.iter().enumerate() {
                    let of_xy = _mm512_loadu_si512(of_xy.as_ptr().cast());
                    let of_z = _mm512_loadu_si512(of_z.as_ptr().cast());
                    let xy = _mm512_permutex2var_pd(x.0, of_xy, y.0);
                    _mm512_storeu_pd(at.add(LANES * k), _mm512_permutex2var_pd(xy, of_z, z.0));
                }
            }
        }
        #[inline(always)]
        unsafe fn take_rows(base: *const Row, rows: &[u32; LANES]) -> [Self; 4] {
            // SAFETY: the caller has the instructions, and promises that rows are aligned
            // quadruples nobody writes.
            unsafe {
                // Rows l and l + 4 side by side.
                let mut pairs = [_mm512_setzero_pd(); 4];
                for l in 0..4 {
                    let [low, high] = [rows[l], rows[l + 4]].map(|row| base.add(row as usize));
                    let low = _mm512_castpd256_pd512(_mm256_load_pd(low.cast()));
                    pairs[l] = _mm512_insertf64x4::<1>(low, _mm256_load_pd(high.cast()));
                }
                let [a, b, c, d] = pairs;
                let (even_01, odd_01) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
                let (even_23, odd_23) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
                let low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
                let high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
                [
                    Self(_mm512_permutex2var_pd(even_01, low, even_23)),
                    Self(_mm512_permutex2var_pd(odd_01, low, odd_23)),
                    Self(_mm512_permutex2var_pd(even_01, high, even_23)),
                    Self(_mm512_permutex2var_pd(odd_01, high, odd_23)),
                ]
            }
        }
        #[inline(always)]
        unsafe fn put_rows([x, y, z, w]: [Self; 4], base: *mut Row, rows: &[u32; LANES]) {
            // SAFETY: whoever holds a value has the instructions; the caller promises that rows are
            // aligned quadruples nobody else holds.
            unsafe {
                let (xy_even, xy_odd) =
                    (_mm512_unpacklo_pd(x.0, y.0), _mm512_unpackhi_pd(x.0, y.0));
                let (zw_even, zw_odd) =
                    (_mm512_unpacklo_pd(z.0, w.0), _mm512_unpackhi_pd(z.0, w.0));
                let low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
                let high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
                // Rows l and l + 4 side by side.
                let pairs = [
                    _mm512_permutex2var_pd(xy_even, low, zw_even),
                    _mm512_permutex2var_pd(xy_odd, low, zw_odd),
                    _mm512_permutex2var_pd(xy_even, high, zw_even),
                    _mm512_permutex2var_pd(xy_odd, high, zw_odd),
                ];
                for l in 0..4 {
                    let [low, high] = [rows[l], rows[l + 4]].map(|row| base.add(row as usize));
                    _mm256_store_pd(low.cast(), _mm512_castpd512_pd256(pairs[l]));
                    _mm256_store_pd(high.cast(), _mm512_extractf64x4_pd::<1>(pairs[l]));
                }
            }
        }
    }

    /// AVX2 with FMA: two registers.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2([__m256d; 2]);

    impl Lanes for Avx2 {
        #[inline(always)]
        unsafe fn splat(value: f64) -> Self {
            // SAFETY: the caller has the instructions.
            Self([unsafe { _mm256_set1_pd(value) }; 2])
        }
        #[inline(always)]
        unsafe fn load(line: &Line) -> Self {
            let at = line.0.as_ptr();
            // SAFETY: the caller has the instructions; a line is eight aligned numbers.
            Self(unsafe { [_mm256_load_pd(at), _mm256_load_pd(at.add(4))] })
        }
        #[inline(always)]
        unsafe fn load_at(numbers: &[f64], first: usize) -> Self {
            debug_assert!(first + LANES <= numbers.len());
            // SAFETY: the caller has the instructions, and promises eight numbers from `first` on.
            unsafe {
                let at = numbers.as_ptr().add(first);
                Self([_mm256_loadu_pd(at), _mm256_loadu_pd(at.add(4))])
            }
        }
        #[inline(always)]
        fn store(self, line: &mut Line) {
            let at = line.0.as_mut_ptr();
            // SAFETY: whoever holds a value has the instructions; a line is eight aligned numbers.
            unsafe {
                _mm256_store_pd(at, self.0[0]);
                _mm256_store_pd(at.add(4), self.0[1]);
            }
        }
        #[inline(always)]
        fn less(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe {
                [_mm256_sub_pd(self.0[0], other.0[0]), _mm256_sub_pd(self.0[1], other.0[1])]
            })
        }
        #[inline(always)]
        fn times(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe {
                [_mm256_mul_pd(self.0[0], other.0[0]), _mm256_mul_pd(self.0[1], other.0[1])]
            })
        }
        #[inline(always)]
        fn plus(self, a: Self, b: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe {
                [
                    _mm256_fmadd_pd(a.0[0], b.0[0], self.0[0]),
                    _mm256_fmadd_pd(a.0[1], b.0[1], self.0[1]),
                ]
            })
        }
        #[inline(always)]
        fn minus(self, a: Self, b: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe {
                [
                    _mm256_fnmadd_pd(a.0[0], b.0[0], self.0[0]),
                    _mm256_fnmadd_pd(a.0[1], b.0[1], self.0[1]),
                ]
            })
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe {
                [_mm256_max_pd(self.0[0], other.0[0]), _mm256_max_pd(self.0[1], other.0[1])]
            })
        }
        #[inline(always)]
        fn size(self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(self.0.map(|half| unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), half) }))
        }
        #[inline(always)]
        fn any_above(self, other: Self) -> bool {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let low = _mm256_cmp_pd::<_CMP_GT_OQ>(self.0[0], other.0[0]);
                let high = _mm256_cmp_pd::<_CMP_GT_OQ>(self.0[1], other.0[1]);
                _mm256_movemask_pd(_mm256_or_pd(low, high)) != 0
            }
        }
        #[inline(always)]
        fn beyond_times(self, bound: Self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let (sign, mut out) = (_mm256_set1_pd(-0.0), self.0);
                for half in 0..2 {
                    let size = _mm256_andnot_pd(sign, self.0[half]);
                    let beyond = _mm256_cmp_pd::<_CMP_GT_OQ>(size, bound.0[half]);
                    out[half] = _mm256_mul_pd(_mm256_and_pd(self.0[half], beyond), other.0[half]);
                }
                Self(out)
            }
        }
        #[inline(always)]
        fn where_positive(self, test: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let zero = _mm256_setzero_pd();
                let [a, b] = test.0.map(|test| _mm256_cmp_pd::<_CMP_GT_OQ>(test, zero));
                Self([_mm256_and_pd(self.0[0], a), _mm256_and_pd(self.0[1], b)])
            }
        }
        #[inline(always)]
        fn roughly_over(self, other: Self) -> Self {
            // SAFETY: whoever holds a value has the instructions.
            Self(unsafe {
                [_mm256_div_pd(self.0[0], other.0[0]), _mm256_div_pd(self.0[1], other.0[1])]
            })
        }
        #[inline(always)]
        fn invert_roots<const K: usize>(values: &mut [Self; K]) {
            const { assert!(K > 0, "who holds no value may not have the instructions") };
            // SAFETY: whoever holds a value has the instructions.
            unsafe {
                let one = _mm256_set1_pd(1.0);
                for value in values.iter_mut() {
                    for half in 0..2 {
                        value.0[half] = _mm256_div_pd(one, _mm256_sqrt_pd(value.0[half]));
                    }
                }
            }
        }
        #[inline(always)]
        unsafe fn collect<const AMONG: bool>(points: &[Vec3], rows: &[u32; LANES]) -> [Self; 3] {
            debug_assert!(
                rows.iter().all(|&row| (row as usize) + usize::from(!AMONG) < points.len())
            );
            // SAFETY: the caller has the instructions, and promises that rows are points; a fourth
            // number is read only where another point follows.
            unsafe {
                let base: *const f64 = points.as_ptr().cast();
                let three = _mm256_setr_epi64x(-1, -1, -1, 0);
                let at = |l: usize| base.add(3 * rows[l] as usize);
                let point = |l: usize| match AMONG {
                    true => _mm256_maskload_pd(at(l), three),
                    false => _mm256_loadu_pd(at(l)),
                };
                let half = |l: usize| {
                    let [a, b, c, d] = [point(l), point(l + 1), point(l + 2), point(l + 3)];
                    let (xz_01, y_01) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
                    let (xz_23, y_23) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
                    [
                        _mm256_permute2f128_pd::<0x20>(xz_01, xz_23),
                        _mm256_permute2f128_pd::<0x20>(y_01, y_23),
                        _mm256_permute2f128_pd::<0x31>(xz_01, xz_23),
                    ]
                };
                let ([x0, y0, z0], [x1, y1, z1]) = (half(0), half(4));
                [Self([x0, x1]), Self([y0, y1]), Self([z0, z1])]
            }
        }
        #[inline(always)]
        fn put(xyz: [Self; 3], points: &mut [Vec3; LANES]) {
            let mut lines = [Line::default(); 3];
            for axis in 0..3 {
                xyz[axis].store(&mut lines[axis]);
            }
            super::put_each(lines, points);
        }
        #[inline(always)]
        unsafe fn take_rows(base: *const Row, rows: &[u32; LANES]) -> [Self; 4] {
            // SAFETY: the caller has the instructions, and promises that rows are aligned
            // quadruples nobody writes.
            unsafe {
                let mut out = [Self([_mm256_setzero_pd(); 2]); 4];
                for half in 0..2 {
                    let mut of = [_mm256_setzero_pd(); 4];
                    for l in 0..4 {
                        of[l] = _mm256_load_pd(base.add(rows[4 * half + l] as usize).cast());
                    }
                    let of = transpose(of);
                    for k in 0..4 {
                        out[k].0[half] = of[k];
                    }
                }
                out
            }
        }
        #[inline(always)]
        unsafe fn put_rows(of: [Self; 4], base: *mut Row, rows: &[u32; LANES]) {
            // SAFETY: whoever holds a value has the instructions; the caller promises that rows are
            // aligned quadruples nobody else holds.
            unsafe {
                for half in 0..2 {
                    let [x, y, z, w] = of;
                    let lines = transpose([x.0[half], y.0[half], z.0[half], w.0[half]]);
                    for l in 0..4 {
                        _mm256_store_pd(base.add(rows[4 * half + l] as usize).cast(), lines[l]);
                    }
                }
            }
        }
    }

    /// Rows become columns.
    ///
    /// # Safety
    /// On a processor that has AVX.
    #[inline]
    #[target_feature(enable = "avx")]
    fn transpose([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
        let (even_01, odd_01) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (even_23, odd_23) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(even_01, even_23),
            _mm256_permute2f128_pd::<0x20>(odd_01, odd_23),
            _mm256_permute2f128_pd::<0x31>(even_01, even_23),
            _mm256_permute2f128_pd::<0x31>(odd_01, odd_23),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{SimdLevel, dispatch};
    use crate::math::flat;

    /// Where what is rounded to `f32` stands; the rough quotient is the last.
    const NARROW: usize = LANES;

    /// What every function makes of the same numbers.
    ///
    /// # Safety
    /// As [`Lanes`]; the rows are those of points.
    unsafe fn all_by<V: Lanes>(points: &[Vec3], rows: &[u32; LANES], out: &mut Vec<Line>) {
        // SAFETY: as the caller promises; the rows are those of the test.
        unsafe {
            let mut put = [Vec3::ZERO; LANES];
            V::put(V::collect::<true>(points, rows), &mut put);
            out.extend(put.map(|p| Line([p.x, p.y, p.z, 0.0, 0.0, 0.0, 0.0, 0.0])));
            let run = rows[0]..rows[0] + LANES as u32;
            let [x, y, z] = if run.eq(rows.iter().copied()) {
                V::collect_run(points, rows)
            } else if rows.contains(&(points.len() as u32 - 1)) {
                V::collect::<true>(points, rows)
            } else {
                V::collect::<false>(points, rows)
            };
            let size = x.times(x).plus(y, y).minus(z, V::splat(0.25)).max(V::splat(1e-3));
            let mut roots = [size, x.times(x)];
            V::invert_roots(&mut roots);
            let large = x.beyond_times(V::splat(1.0), y);
            let after = V::load_at(flat(points), 3 * rows[0] as usize % 100);
            let mut narrow = [0.0; LANES];
            roots[0].narrow(&mut narrow);
            out.push(Line(narrow.map(f64::from)));
            let chosen = x.where_positive(y.less(V::splat(-1.0)));
            let rough = x.roughly_over(size);
            for value in [x, y, z, x.less(y), size, roots[0], y.size(), large, after, chosen, rough]
            {
                let mut line = Line::default();
                value.store(&mut line);
                V::load(&line).store(&mut line);
                out.push(line);
            }
        }
    }

    /// Swaps the first and last numbers of eight quadruples.
    ///
    /// # Safety
    /// As [`Lanes`]; the rows are those of quadruples.
    unsafe fn swap_by<V: Lanes>(base: *mut Row, rows: &[u32; LANES]) {
        // SAFETY: as the caller promises; the rows are those of the test.
        unsafe {
            let [x, y, z, w] = V::take_rows(base, rows);
            V::put_rows([w, y, z, x], base, rows);
        }
    }

    #[test]
    fn rows_are_taken_and_put_back() {
        for level in SimdLevel::all() {
            let row = |k: usize| Row([0.0, 0.1, 0.2, 0.3].map(|part| k as f64 + part));
            let mut all: Vec<_> = (0..20).map(row).collect();
            let rows = [3, 17, 0, 19, 5, 4, 11, 8];
            let (base, chosen) = (all.as_mut_ptr(), &rows);
            // SAFETY: the rows are those of quadruples, which nobody else holds.
            unsafe { dispatch!(level, double, swap_by(base: *mut Row, chosen: &[u32; LANES])) };
            for (k, Row(numbers)) in all.iter().enumerate() {
                let mut expected = row(k).0;
                if rows.contains(&(k as u32)) {
                    expected.swap(0, 3);
                }
                assert_eq!(*numbers, expected, "{level:?} {k}");
            }
        }
    }

    #[test]
    fn every_level_computes_the_same() {
        let points: Vec<_> = (0..40)
            .map(|i| {
                let size = libm::pow(10.0, f64::from(i) - 20.0);
                Vec3::new(size, -1.5 * size, 0.7 / size)
            })
            .collect();
        for rows in [
            [0, 39, 5, 17, 17, 2, 39, 38],
            [39; LANES],
            [38, 0, 1, 2, 3, 4, 5, 6],
            [32, 33, 34, 35, 36, 37, 38, 39],
        ] {
            let mut plain = Vec::new();
            // SAFETY: needs no special instructions.
            unsafe { all_by::<Plain>(&points, &rows, &mut plain) };
            for (l, &row) in rows.iter().enumerate() {
                let point = points[row as usize];
                assert_eq!(plain[l].0[..3], point.to_array());
                assert_eq!([9, 10, 11].map(|k| plain[k].0[l]), point.to_array());
            }
            for level in SimdLevel::all() {
                let mut lines = Vec::new();
                let (points, rows, lines_mut) = (&points[..], &rows, &mut lines);
                // SAFETY: the rows are those of points, and a list of more than a hundred numbers is read.
                unsafe {
                    dispatch!(level, double, all_by(
                        points: &[Vec3], rows: &[u32; LANES], lines_mut: &mut Vec<Line>
                    ))
                };
                for (k, (value, plain)) in lines.iter().zip(&plain).enumerate() {
                    let off = if k == NARROW || k + 1 == lines.len() { 1.2e-7 } else { 5e-16 };
                    for (value, plain) in value.0.iter().zip(plain.0) {
                        assert!((value - plain).abs() <= off * plain.abs(), "{level:?} {k}");
                    }
                }
            }
        }
    }
}
