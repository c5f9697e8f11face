//! Common parts of methods: the objective and its derivatives, matrices, rows, initial guesses and
//! safeguards.

pub(super) mod accelerate;
pub(super) mod backward_euler;
mod chebyshev;
pub(super) mod damper_rows;
pub(super) mod dissipation;
pub(super) mod energy_guard;
pub(super) mod explicit;
pub(super) mod hierarchy;
pub(super) mod minimization;
pub(super) mod objective;
pub(super) mod parts;
mod pin_reactions;
pub(super) mod potential;
pub(super) mod prefactored;
pub(super) mod projection;
pub(super) mod redundancy;
pub(super) mod refusals;
pub(super) mod relaxation;
pub(super) mod row_guard;
pub(super) mod saddle;
pub(super) mod scale;
pub(super) mod start;
pub(super) mod system;
pub(super) mod vertex_blocks;
