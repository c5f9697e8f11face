//! The context of a substep, passed to methods and to contact.

use crate::compute::{SpringCache, SpringKernels};
use crate::control::Control;
use crate::math::Vec3;
use crate::model::Model;
use crate::state::State;
use crate::thread_pool::ThreadPool;

/// The context of a step.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// The scene.
    pub model: &'a Model,
    /// External inputs.
    pub control: &'a Control,
    /// The state at the start of the step.
    pub start: &'a State,
    /// The model's springs.
    pub(crate) spring_kernels: &'a SpringKernels,
    /// Spring quantities cached at the start of the step, if they were computed.
    pub(crate) spring_cache: Option<&'a SpringCache>,
    /// The thread pool.
    pub pool: &'a ThreadPool,
    /// The length of the step (s).
    pub h: f64,
}

impl<'a> StepContext<'a> {
    /// Spring quantities at `x`, if `x` is the start of the step and they are cached.
    pub(crate) fn spring_cache_at(&self, x: &[Vec3]) -> Option<&'a SpringCache> {
        let here = std::ptr::eq(x, self.start.positions.as_slice());
        self.spring_cache.filter(|_| here).map(SpringCache::using)
    }
}
