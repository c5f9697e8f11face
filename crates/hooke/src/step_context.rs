//! What a substep is taken in: handed down to methods, and by them to contact.

use crate::compute::{SpringCache, SpringKernels};
use crate::control::Control;
use crate::math::Vec3;
use crate::model::Model;
use crate::state::State;
use crate::thread_pool::ThreadPool;

/// What a step is taken in.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// The scene.
    pub model: &'a Model,
    /// What comes from outside.
    pub control: &'a Control,
    /// The state at the start of the step.
    pub start: &'a State,
    /// The model's springs.
    pub(crate) spring_kernels: &'a SpringKernels,
    /// What they were found to do at the start of the step, if it was looked at.
    pub(crate) spring_cache: Option<&'a SpringCache>,
    /// The threads.
    pub pool: &'a ThreadPool,
    /// The length of the step (s).
    pub h: f64,
}

impl<'a> StepContext<'a> {
    /// What the springs do at `x`, if that is where the step starts and it was looked at.
    pub(crate) fn spring_cache_at(&self, x: &[Vec3]) -> Option<&'a SpringCache> {
        let here = std::ptr::eq(x, self.start.positions.as_slice());
        self.spring_cache.filter(|_| here).map(SpringCache::using)
    }
}
