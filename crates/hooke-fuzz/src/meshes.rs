//! Mesh files of every format: an error, or a mesh that the engine can take.

use crate::check_message;
use hooke::model::{SpringFamily, TetrahedronMesh, TriangleMesh};
use hooke::{Model, Vec3};
use hooke_scene::import::{ImportError, Limits, Mesh, gltf, msh, obj, ply, stl, tetgen};

/// As a program with little memory would set them.
const LIMITS: Limits = Limits { vertices: 100_000, elements: 300_000, bytes: 1 << 20 };

/// Meshes up to this size are also turned into springs.
const SMALL: usize = 2000;

/// Wavefront OBJ.
pub fn parse_obj(bytes: &[u8]) {
    check(obj::parse(bytes, &LIMITS));
}

/// PLY, text and binary.
pub fn parse_ply(bytes: &[u8]) {
    check(ply::parse(bytes, &LIMITS));
}

/// STL, text and binary.
pub fn parse_stl(bytes: &[u8]) {
    check(stl::parse(bytes, &LIMITS));
}

/// glTF and GLB. Files it refers to hold the same bytes as it does.
pub fn parse_gltf(bytes: &[u8]) {
    let mut fetch = |name: &str, most: u64| {
        assert!(!name.contains(['/', '\\']) && name != ".." && name != ".", "{name:?} is no name");
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(bytes.len());
        Ok(bytes.get(..most).unwrap_or_default().to_vec())
    };
    check(gltf::parse(bytes, &LIMITS, &mut fetch));
}

/// Gmsh, text and binary.
pub fn parse_msh(bytes: &[u8]) {
    check(msh::parse(bytes, &LIMITS));
}

/// TetGen: a `.node` file and, after a zero byte, its `.ele` file.
pub fn parse_tetgen(bytes: &[u8]) {
    let mut files = bytes.splitn(2, |byte| *byte == 0);
    let nodes = files.next().unwrap_or_default();
    check(tetgen::parse(nodes, files.next(), &LIMITS));
}

fn check(parsed: Result<Mesh, ImportError>) {
    let mesh = match parsed {
        Ok(mesh) => mesh,
        Err(error) => return check_message(&error.to_string()),
    };
    let vertices = mesh.positions.len();
    let inside = |corner: &u32| (*corner as usize) < vertices;
    assert!(mesh.positions.as_flattened().iter().all(|value| value.is_finite()));
    assert!(mesh.triangles.as_flattened().iter().all(inside));
    assert!(mesh.tets.as_flattened().iter().all(inside));
    assert!(mesh.edges.as_flattened().iter().all(inside));
    for (_, list) in &mesh.groups {
        assert!(!list.is_empty() && list.iter().all(inside));
        assert!(list.is_sorted_by(|a, b| a < b));
    }
    if let Some(uvs) = &mesh.uvs {
        assert_eq!(uvs.len(), vertices);
        assert!(uvs.as_flattened().iter().all(|value| value.is_finite()));
    }
    mesh.notes.iter().for_each(|note| check_message(note));
    let elements = mesh.triangles.len() + mesh.tets.len();
    if vertices + elements <= SMALL {
        build(&mesh);
    }
}

/// Makes springs of a mesh; what the engine refuses, it refuses with a sentence.
fn build(mesh: &Mesh) {
    let positions: Vec<Vec3> = mesh.positions.iter().copied().map(Vec3::from).collect();
    let springs = Some(SpringFamily::stiffness(1.0));
    let cloth = TriangleMesh {
        positions: &positions,
        triangles: &mesh.triangles,
        mass: 1.0,
        structural: springs,
        bend: springs,
    };
    let lattice = TetrahedronMesh {
        positions: &positions,
        tetrahedra: &mesh.tets,
        mass: 1.0,
        structural: springs,
    };
    for built in [cloth.add_to(&mut Model::new()), lattice.add_to(&mut Model::new())] {
        if let Err(invalid) = built {
            check_message(&invalid.to_string());
        }
    }
}
