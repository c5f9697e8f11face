//! Small vectors and matrices, and the scalars they are generic over.

mod eigen;
mod mat3;
mod mesh;
pub mod noise;
mod quat;
mod scalar;
mod svd;
mod vec3;

pub use eigen::scale_negative_part;
pub use mat3::Mat3;
pub(crate) use mesh::{check_closed, longest_edge, share_of_volume};
pub use mesh::{is_flat_tetrahedron, is_flat_triangle};
pub use quat::{Quat, across};
pub use scalar::{Dual, Scalar};
pub use svd::{Svd, nearest_rotation, svd};
pub use vec3::Vec3;
pub(crate) use vec3::{flat, flat_mut};
