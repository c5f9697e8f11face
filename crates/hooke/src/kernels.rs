//! Which kernels compute: those of the processor, or those that are the same everywhere.

/// Which kernels compute a simulation.
///
/// The dampers, the laws that are no springs, the loops over particles and the conjugate gradients are
/// the same under both; they use `+ − × ÷ √` and one software library for everything else. What differs
/// is the sparse factorization, that `Native` rounds the factor of `quasi-newton` to `f32` or `f16`,
/// which changes its iterates and not where they end, and that it computes springs with fused products
/// and sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernels {
    /// The fastest for this processor: the same bits on any number of threads, and the same to
    /// rounding on another machine.
    #[default]
    Native,
    /// Plain code without instructions chosen by processor: made to give the same bits on every
    /// machine, at the price of a slower factorization.
    Portable,
}

impl Kernels {
    /// Their name, as checkpoints hold it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Portable => "portable",
        }
    }

    /// The kernels of a name.
    pub fn find(name: &str) -> Option<Self> {
        [Self::Native, Self::Portable].into_iter().find(|kernels| kernels.name() == name)
    }
}
