//! What laws share: deformation gradients, hinges and Lamé's parameters.

pub mod deformation;
pub mod finite_volume;
pub mod green;
pub mod hinge;
pub mod lame;
