//! Skeleton files of every format: an error, or a chain that can be solved.

use crate::check_message;
use hooke::Vec3;
use hooke::chains::{SOLVERS, Settings, Solver, Target};
use hooke_scene::import::skeleton::{EXTENSIONS, parse};
use std::path::Path;

/// Chains up to this size are also solved.
const SMALL: usize = 200;

/// BVH, URDF, and skins of glTF and GLB: the bytes as each of them.
pub fn parse_skeleton(bytes: &[u8]) {
    for extension in EXTENSIONS {
        let skeleton = match parse(bytes, Path::new(&format!("a.{extension}"))) {
            Ok(skeleton) => skeleton,
            Err(error) => {
                check_message(&error.to_string());
                continue;
            }
        };
        skeleton.notes.iter().for_each(|note| check_message(note));
        assert_eq!(skeleton.names.len(), skeleton.joints.len());
        let Ok(chain) = skeleton.chain() else { continue };
        if chain.len() > SMALL {
            continue;
        }
        let end = chain.len() - 1;
        for info in &SOLVERS {
            let settings = Settings { iterations: 5, ..Settings::default() };
            let Ok(mut solver) = Solver::new(info.name, settings) else { continue };
            let mut pose = chain.rest();
            let target = Target::new(end, Vec3::new(0.3, -0.2, 0.5));
            if solver.solve(&chain, &mut pose, &[target]).is_ok() {
                assert!(pose.local_rotations().iter().all(|rotation| rotation.is_finite()));
                assert!(pose.excess(&chain) < 1e-6, "limits hold");
            }
        }
    }
}
