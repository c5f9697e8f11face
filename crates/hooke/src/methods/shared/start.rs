//! The initial guess of an implicit solve.

use crate::math::Vec3;
use crate::methods::StepContext;
use crate::settings::choice;

choice! {
    /// Where an implicit solve starts.
    pub enum Start {
        /// `x_t + h v_t + h² ĝ·clamp(a_prev·ĝ, 0, |g|)`: a fall goes on, and what rests stays at
        /// rest whatever the number of iterations.
        Adaptive = "adaptive",
        /// y: the motion without internal forces.
        Prediction = "prediction",
        /// x_t: where the step starts.
        Current = "current",
    }
}

/// The velocities of the previous step, which give the acceleration of the adaptive start.
#[derive(Default)]
pub(crate) struct Memory {
    velocities: Vec<Vec3>,
    h: f64,
}

impl Memory {
    /// Writes the initial guess of a solve over `h` that minimizes a g with this `y`.
    pub(crate) fn start(
        &self,
        how: Start,
        context: StepContext<'_>,
        h: f64,
        y: &[Vec3],
        x: &mut [Vec3],
    ) {
        let state = context.start;
        match how {
            Start::Current => x.copy_from_slice(&state.positions),
            Start::Prediction => x.copy_from_slice(y),
            Start::Adaptive => {
                let gravity = context.model.gravity();
                let down = gravity.unit();
                let known = self.velocities.len() == x.len();
                let (most, by) = (gravity.norm(), 1.0 / self.h);
                context.pool.for_each(x, |first, part| {
                    for (i, x) in (first..).zip(part) {
                        let v = state.velocities[i];
                        let fall =
                            if known { ((v - self.velocities[i]) * by).dot(down) } else { 0.0 };
                        let fall = if fall > 0.0 { fall.min(most) } else { 0.0 };
                        *x = state.positions[i] + v * h + down * (fall * h * h);
                    }
                });
            }
        }
    }

    /// The adaptive start of a particle that slides on an obstacle: it continues with the
    /// acceleration of the previous step, at most that of free fall.
    pub(crate) fn slide(&self, how: Start, context: StepContext<'_>, i: usize) -> Option<Vec3> {
        let before = self.velocities.get(i).filter(|_| how == Start::Adaptive)?;
        let (x, v) = (context.start.positions[i], context.start.velocities[i]);
        let a = (v - *before) * (1.0 / self.h);
        let most = context.model.gravity().norm();
        let a = if a.norm() > most { a.unit() * most } else { a };
        Some(x + (v + a * context.h) * context.h)
    }

    /// Writes the velocities at `h` after the start of a step, extrapolated with the acceleration
    /// of the previous step.
    pub(crate) fn ahead(&self, context: StepContext<'_>, h: f64, out: &mut [Vec3]) {
        out.copy_from_slice(&context.start.velocities);
        if self.velocities.len() == out.len() {
            for (v, &before) in out.iter_mut().zip(&self.velocities) {
                *v += (*v - before) * (h / self.h);
            }
        }
    }

    /// Stores the velocities at the start of a step.
    pub(crate) fn keep(&mut self, context: StepContext<'_>) {
        self.velocities.clone_from(&context.start.velocities);
        self.h = context.h;
    }

    pub(crate) fn save(&self, memory: &mut Vec<f64>) {
        memory.push(self.h);
        memory.extend(self.velocities.iter().flat_map(|v| v.to_array()));
    }

    /// Restores what [`Memory::save`] wrote.
    pub(crate) fn restore(&mut self, memory: &[f64]) {
        let (points, _) = memory.get(1..).unwrap_or_default().as_chunks::<3>();
        self.h = memory.first().copied().unwrap_or(0.0);
        self.velocities.clear();
        self.velocities.extend(points.iter().map(|&point| Vec3::from(point)));
    }
}
