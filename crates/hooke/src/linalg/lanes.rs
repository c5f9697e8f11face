//! Sixteen numbers at once, by the widest instructions the processor has.
//!
//! A kernel is written once over [`Lanes`] and compiled for each set of instructions; [`Level`]
//! says at run time which one runs. With AVX2 and AVX-512 products and sums are fused and sums are
//! taken in one order, so both give the same bits; the plain form rounds products as well.

/// The numbers of one register, or of two.
pub(super) const LANES: usize = 16;

/// Sixteen numbers in memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Line(pub(super) [f32; LANES]);

/// x, y, z and a zero.
pub(super) type Quad = [f32; 4];

/// Where lane `l` stands among the sixteen quads of [`Lanes::spread`].
pub(super) const fn place(lane: usize) -> usize {
    lane % 4 * 4 + lane / 4
}

/// Asks for a line that will be read soon.
#[inline(always)]
pub(super) fn prefetch(line: &Line) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, and it only touches the cache.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.0.as_ptr().cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// What every processor of this kind has.
    Plain,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The levels of this processor, the widest last.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let wide = {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = avx2 && is_x86_feature_detected!("avx512f");
            [avx2.then_some(Self::Avx2), avx512.then_some(Self::Avx512)]
        };
        #[cfg(not(target_arch = "x86_64"))]
        let wide: [Option<Self>; 0] = [];
        std::iter::once(Self::Plain).chain(wide.into_iter().flatten())
    }

    /// The widest level of this processor.
    pub(super) fn best() -> Self {
        Self::all().last().unwrap_or(Self::Plain)
    }
}

/// Compiles `$body` once for every level, each with its [`Lanes`], and calls the one
/// for `$level`.
macro_rules! dispatch {
    ($level:expr, $body:ident($($argument:ident: $type:ty),* $(,)?)) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn avx2($($argument: $type),*) {
            // SAFETY: this function has the instructions.
            unsafe { $body::<$crate::linalg::lanes::Avx2>($($argument),*) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,avx512f")]
        fn avx512($($argument: $type),*) {
            // SAFETY: this function has the instructions.
            unsafe { $body::<$crate::linalg::lanes::Avx512>($($argument),*) }
        }
        match $level {
            // SAFETY: needs no special instructions.
            $crate::linalg::lanes::Level::Plain => unsafe {
                $body::<$crate::linalg::lanes::Plain>($($argument),*)
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Level` is only made where the processor has the instructions.
            $crate::linalg::lanes::Level::Avx2 => unsafe { avx2($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            $crate::linalg::lanes::Level::Avx512 => unsafe { avx512($($argument),*) },
        }
    }};
}
pub(super) use dispatch;

/// Sixteen `f32`.
///
/// # Safety
/// Every function must run inside one that has the instructions of the implementation.
pub(super) trait Lanes: Copy {
    /// How many columns of sums the registers hold: 1, 2 or 4.
    const COLUMNS: usize;
    /// How many blocks of rows the registers hold: 1, 2 or 4.
    const BLOCKS: usize;
    unsafe fn zero() -> Self;
    unsafe fn splat(value: f32) -> Self;
    unsafe fn load(line: &Line) -> Self;
    /// `self + a b`.
    unsafe fn plus(self, a: Self, b: Self) -> Self;
    /// Writes quad (x, y, z, 0) of lane l at [`place`].
    unsafe fn spread(xyz: [Self; 3], out: &mut [Line; 4]);
    /// Lines of x, y and z of the given quads.
    unsafe fn collect(quads: &[Quad], rows: &[u32; LANES], out: &mut [Line; 3]);
    /// The sums over all lanes, for four columns: quads (Σx, Σy, Σz, 0).
    unsafe fn sums(columns: [[Self; 3]; 4]) -> Line;
}

/// Without special instructions.
#[derive(Clone, Copy)]
pub(super) struct Plain([f32; LANES]);

impl Lanes for Plain {
    const COLUMNS: usize = 1;
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
    unsafe fn plus(mut self, a: Self, b: Self) -> Self {
        for l in 0..LANES {
            self.0[l] += a.0[l] * b.0[l];
        }
        self
    }
    #[inline(always)]
    unsafe fn spread(xyz: [Self; 3], out: &mut [Line; 4]) {
        for l in 0..LANES {
            let at = place(l);
            for axis in 0..3 {
                out[at / 4].0[at % 4 * 4 + axis] = xyz[axis].0[l];
            }
            out[at / 4].0[at % 4 * 4 + 3] = 0.0;
        }
    }
    #[inline(always)]
    unsafe fn collect(quads: &[Quad], rows: &[u32; LANES], out: &mut [Line; 3]) {
        for l in 0..LANES {
            let quad = quads[rows[l] as usize];
            for axis in 0..3 {
                out[axis].0[l] = quad[axis];
            }
        }
    }
    #[inline(always)]
    unsafe fn sums(columns: [[Self; 3]; 4]) -> Line {
        let mut out = Line::default();
        for (column, xyz) in columns.iter().enumerate() {
            for (axis, lanes) in xyz.iter().enumerate() {
                let eight: [f32; 8] = std::array::from_fn(|l| lanes.0[l] + lanes.0[l + 8]);
                let four: [f32; 4] = std::array::from_fn(|l| eight[l] + eight[l + 4]);
                out.0[4 * column + axis] = (four[0] + four[2]) + (four[1] + four[3]);
            }
        }
        out
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LANES, Lanes, Line, Quad};
    use std::arch::x86_64::*;

    /// AVX-512: one register.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512);

    // SAFETY of all blocks below: the caller has the instructions, and every pointer comes from a
    // reference to as many numbers as are read or written.
    impl Lanes for Avx512 {
        const COLUMNS: usize = 4;
        const BLOCKS: usize = 4;
        #[inline(always)]
        unsafe fn zero() -> Self {
            Self(unsafe { _mm512_setzero_ps() })
        }
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            Self(unsafe { _mm512_set1_ps(value) })
        }
        #[inline(always)]
        unsafe fn load(line: &Line) -> Self {
            Self(unsafe { _mm512_load_ps(line.0.as_ptr()) })
        }
        #[inline(always)]
        unsafe fn plus(self, a: Self, b: Self) -> Self {
            Self(unsafe { _mm512_fmadd_ps(a.0, b.0, self.0) })
        }
        #[inline(always)]
        unsafe fn spread([x, y, z]: [Self; 3], out: &mut [Line; 4]) {
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
        unsafe fn collect(quads: &[Quad], rows: &[u32; LANES], out: &mut [Line; 3]) {
            unsafe {
                let mut every_fourth = [_mm512_setzero_ps(); 4];
                for k in 0..4 {
                    let a = _mm_loadu_ps(quads[rows[k] as usize].as_ptr());
                    let b = _mm_loadu_ps(quads[rows[k + 4] as usize].as_ptr());
                    let c = _mm_loadu_ps(quads[rows[k + 8] as usize].as_ptr());
                    let d = _mm_loadu_ps(quads[rows[k + 12] as usize].as_ptr());
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
                _mm512_store_ps(out[0].0.as_mut_ptr(), x);
                _mm512_store_ps(out[1].0.as_mut_ptr(), y);
                _mm512_store_ps(out[2].0.as_mut_ptr(), z);
            }
        }
        #[inline(always)]
        unsafe fn sums(columns: [[Self; 3]; 4]) -> Line {
            unsafe {
                // Per axis: quarters 0+2 and 1+3 of two columns, then both of four columns.
                let mut axes = [_mm512_setzero_ps(); 3];
                for (axis, sum) in axes.iter_mut().enumerate() {
                    let [a, b, c, d] = columns.map(|xyz| xyz[axis].0);
                    let ab = _mm512_add_ps(
                        _mm512_shuffle_f32x4::<0x44>(a, b),
                        _mm512_shuffle_f32x4::<0xee>(a, b),
                    );
                    let cd = _mm512_add_ps(
                        _mm512_shuffle_f32x4::<0x44>(c, d),
                        _mm512_shuffle_f32x4::<0xee>(c, d),
                    );
                    *sum = _mm512_add_ps(
                        _mm512_shuffle_f32x4::<0x88>(ab, cd),
                        _mm512_shuffle_f32x4::<0xdd>(ab, cd),
                    );
                }
                // Within each quarter: 0+2 and 1+3, then both.
                let ([x, y, z], zero) = (axes, _mm512_setzero_ps());
                let xy = _mm512_add_ps(_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y));
                let z = _mm512_add_ps(_mm512_unpacklo_ps(z, zero), _mm512_unpackhi_ps(z, zero));
                let (xy, z) = (_mm512_castps_pd(xy), _mm512_castps_pd(z));
                let mut out = Line::default();
                let sum = _mm512_add_ps(
                    _mm512_castpd_ps(_mm512_unpacklo_pd(xy, z)),
                    _mm512_castpd_ps(_mm512_unpackhi_pd(xy, z)),
                );
                _mm512_store_ps(out.0.as_mut_ptr(), sum);
                out
            }
        }
    }

    /// AVX2 with FMA: two registers.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2([__m256; 2]);

    impl Lanes for Avx2 {
        const COLUMNS: usize = 2;
        const BLOCKS: usize = 1;
        #[inline(always)]
        unsafe fn zero() -> Self {
            Self([unsafe { _mm256_setzero_ps() }; 2])
        }
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            Self([unsafe { _mm256_set1_ps(value) }; 2])
        }
        #[inline(always)]
        unsafe fn load(line: &Line) -> Self {
            let at = line.0.as_ptr();
            Self(unsafe { [_mm256_load_ps(at), _mm256_load_ps(at.add(8))] })
        }
        #[inline(always)]
        unsafe fn plus(self, a: Self, b: Self) -> Self {
            Self(unsafe {
                [
                    _mm256_fmadd_ps(a.0[0], b.0[0], self.0[0]),
                    _mm256_fmadd_ps(a.0[1], b.0[1], self.0[1]),
                ]
            })
        }
        #[inline(always)]
        unsafe fn spread([x, y, z]: [Self; 3], out: &mut [Line; 4]) {
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
        unsafe fn collect(quads: &[Quad], rows: &[u32; LANES], out: &mut [Line; 3]) {
            unsafe {
                for half in 0..2 {
                    let mut every_fourth = [_mm256_setzero_ps(); 4];
                    for k in 0..4 {
                        let a = _mm_loadu_ps(quads[rows[8 * half + k] as usize].as_ptr());
                        let b = _mm_loadu_ps(quads[rows[8 * half + k + 4] as usize].as_ptr());
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
                    _mm256_store_ps(out[0].0.as_mut_ptr().add(8 * half), x);
                    _mm256_store_ps(out[1].0.as_mut_ptr().add(8 * half), y);
                    _mm256_store_ps(out[2].0.as_mut_ptr().add(8 * half), z);
                }
            }
        }
        #[inline(always)]
        unsafe fn sums(columns: [[Self; 3]; 4]) -> Line {
            unsafe {
                let mut out = Line::default();
                for pair in 0..2 {
                    let mut axes = [_mm256_setzero_ps(); 3];
                    for (axis, sum) in axes.iter_mut().enumerate() {
                        let (a, b) = (columns[2 * pair][axis].0, columns[2 * pair + 1][axis].0);
                        let (a, b) = (_mm256_add_ps(a[0], a[1]), _mm256_add_ps(b[0], b[1]));
                        *sum = _mm256_add_ps(
                            _mm256_permute2f128_ps::<0x20>(a, b),
                            _mm256_permute2f128_ps::<0x31>(a, b),
                        );
                    }
                    let ([x, y, z], zero) = (axes, _mm256_setzero_ps());
                    let xy = _mm256_add_ps(_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
                    let z = _mm256_add_ps(_mm256_unpacklo_ps(z, zero), _mm256_unpackhi_ps(z, zero));
                    let (xy, z) = (_mm256_castps_pd(xy), _mm256_castps_pd(z));
                    let sum = _mm256_add_ps(
                        _mm256_castpd_ps(_mm256_unpacklo_pd(xy, z)),
                        _mm256_castpd_ps(_mm256_unpackhi_pd(xy, z)),
                    );
                    _mm256_store_ps(out.0.as_mut_ptr().add(8 * pair), sum);
                }
                out
            }
        }
    }
}
