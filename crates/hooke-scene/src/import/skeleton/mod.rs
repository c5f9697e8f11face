//! Reads skeletons: joints with names, from motion capture (BVH), robots (URDF) and skins (glTF).
//!
//! Offsets are in the file's unit; angles are in radians. Joints stand in an order in which parents come
//! before their children.

pub mod bvh;
pub mod urdf;

use super::error::{Result, quote};
use super::{FileLocation, ImportError, gltf, load};
use hooke::ModelError;
use hooke::chains::{Chain, Joint};
use std::path::Path;

/// The extensions [`read`] understands, in lower case.
pub const EXTENSIONS: [&str; 4] = ["bvh", "urdf", "gltf", "glb"];

/// The most bytes of a file.
const BYTES: u64 = 256 << 20;

/// The most joints.
const JOINTS: usize = 10_000;

/// Joints with names.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    /// The joints, the root first.
    pub joints: Vec<Joint>,
    /// Their names; ends without one are called after their parent.
    pub names: Vec<String>,
    /// What was left out on load, one sentence each.
    pub notes: Vec<String>,
}

impl Skeleton {
    /// As a chain.
    pub fn chain(&self) -> std::result::Result<Chain, ModelError> {
        Chain::new(self.joints.clone())
    }

    /// A joint by its name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    pub(super) fn add(
        &mut self,
        location: FileLocation,
        name: String,
        joint: Joint,
    ) -> Result<usize> {
        if self.joints.len() == JOINTS {
            let message = format!("more than {JOINTS} joints; simplify the skeleton");
            return Err(ImportError::limit(location, message));
        }
        self.joints.push(joint);
        self.names.push(name);
        Ok(self.joints.len() - 1)
    }
}

/// Reads a skeleton, choosing the format by the extension (in any case): see [`EXTENSIONS`].
pub fn read(path: &Path) -> std::result::Result<Skeleton, ImportError> {
    // Files of other kinds are not even opened.
    parser(path)?;
    parse(&load(path, BYTES)?, path)
}

/// Reads the bytes of a file of this name.
pub fn parse(bytes: &[u8], path: &Path) -> std::result::Result<Skeleton, ImportError> {
    let skeleton = parser(path)?(bytes).map_err(|error| error.in_file(path))?;
    match skeleton.chain() {
        Ok(_) => Ok(skeleton),
        Err(invalid) => {
            Err(ImportError::content(FileLocation::File, invalid.to_string()).in_file(path))
        }
    }
}

fn parser(path: &Path) -> Result<fn(&[u8]) -> Result<Skeleton>> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    Ok(match extension.as_str() {
        "bvh" => bvh::parse,
        "urdf" => urdf::parse,
        "gltf" | "glb" => gltf::skin::parse,
        other => {
            let known = EXTENSIONS.map(|known| format!(".{known}")).join(" ");
            let message = format!(
                "skeletons of type {} cannot be read; convert it to one of {known}",
                quote(other.as_bytes())
            );
            return Err(ImportError::content(FileLocation::File, message).in_file(path));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ErrorKind;

    #[test]
    fn other_files_are_refused_by_name() {
        let error = read(Path::new("hand.fbx")).expect_err("refused");
        assert_eq!(error.kind, ErrorKind::Content);
        let expected =
            "hand.fbx: skeletons of type `fbx` cannot be read; convert it to one of .bvh";
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
