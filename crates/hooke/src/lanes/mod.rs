//! Several numbers at once, by the widest instructions the processor has.
//!
//! A kernel is written once over [`single::Lanes`] or [`double::Lanes`] and compiled for each set of
//! instructions; [`SimdLevel`] says at run time which one runs. With AVX2 and AVX-512 products and sums
//! are fused; the plain form rounds products as well, and gives the same bits on every machine.

pub(crate) mod double;
pub(crate) mod rows;
pub(crate) mod single;

use crate::kernels::Kernels;

/// A set of instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SimdLevel {
    /// What every processor of this kind has.
    #[default]
    Plain,
    /// AVX2, FMA and F16C.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl SimdLevel {
    /// The levels of this processor, the widest last.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let wide = {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq");
            [avx2.then_some(Self::Avx2), avx512.then_some(Self::Avx512)]
        };
        #[cfg(not(target_arch = "x86_64"))]
        let wide: [Option<Self>; 0] = [];
        std::iter::once(Self::Plain).chain(wide.into_iter().flatten())
    }

    /// The widest level of this processor.
    pub(crate) fn best() -> Self {
        Self::all().last().unwrap_or(Self::Plain)
    }

    /// The level of the chosen kernels.
    pub(crate) fn of(kernels: Kernels) -> Self {
        match kernels {
            Kernels::Native => Self::best(),
            Kernels::Portable => Self::Plain,
        }
    }
}

/// Compiles `$body` once for every level, each with its implementation of `$lanes`' trait, and calls
/// the one for `$level`.
///
/// A [`SimdLevel`] is only made where the processor has its instructions, so that part of what a kernel
/// asks for is kept here. What else it asks for is promised by the `unsafe` block around.
macro_rules! dispatch {
    ($level:expr, $lanes:ident, $body:ident $(<$more:tt>)? ($($argument:ident: $type:ty),* $(,)?) $(-> $out:ty)?) => {{
        /// # Safety
        /// As the kernel, on a processor that has the instructions.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,f16c")]
        unsafe fn avx2($($argument: $type),*) $(-> $out)? {
            // SAFETY: this function has the instructions; the rest is promised by the caller.
            unsafe { $body::<$crate::lanes::$lanes::Avx2 $(, $more)?>($($argument),*) }
        }
        /// # Safety
        /// As the kernel, on a processor that has the instructions.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,f16c,avx512f,avx512vl,avx512dq")]
        unsafe fn avx512($($argument: $type),*) $(-> $out)? {
            // SAFETY: this function has the instructions; the rest is promised by the caller.
            unsafe { $body::<$crate::lanes::$lanes::Avx512 $(, $more)?>($($argument),*) }
        }
        match $level {
            $crate::lanes::SimdLevel::Plain => {
                $body::<$crate::lanes::$lanes::Plain $(, $more)?>($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            $crate::lanes::SimdLevel::Avx2 => avx2($($argument),*),
            #[cfg(target_arch = "x86_64")]
            $crate::lanes::SimdLevel::Avx512 => avx512($($argument),*),
        }
    }};
}
pub(crate) use dispatch;
