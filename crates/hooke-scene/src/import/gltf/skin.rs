//! The joints of a glTF skin, as a skeleton at rest.
//!
//! The joints of a skin are nodes of the scene; where other nodes stand between them, their transforms are
//! taken along. Scales move joints and are otherwise passed over: bones do not grow.

use super::super::error::Result;
use super::super::skeleton::Skeleton;
use super::super::{FileLocation, ImportError};
use super::document::Document;
use super::{IDENTITY, Transform, buffers, compose, local_transform, wrong};
use hooke::Vec3;
use hooke::chains::{Joint, JointLimits};
use hooke::math::{Mat3, Quat};

/// Reads the first skin of a `.gltf` or `.glb` file from its bytes.
pub fn parse(bytes: &[u8]) -> std::result::Result<Skeleton, ImportError> {
    let (json, _) = buffers::split_container(bytes)?;
    let document =
        Document::parse(json).map_err(|error| buffers::place_in_container(error, bytes, json))?;
    let Some(skin) = document.skins.first() else {
        return Err(wrong("has no skin; save the model with its armature"));
    };
    let worlds = worlds(&document)?;
    let nodes = document.nodes.len();
    let mut number = vec![None; nodes];
    for (index, &node) in skin.joints.iter().enumerate() {
        match number.get_mut(node) {
            Some(own @ None) => *own = Some(index),
            Some(_) => return Err(wrong(format!("node {node} is a joint of the skin twice"))),
            None => return Err(wrong(format!("refers to node {node}, but has {nodes} nodes"))),
        }
    }
    let parents = parents(&document);
    let mut skeleton = Skeleton::default();
    let mut placed = vec![None; nodes];
    // Parents come before their children, as the worlds were found.
    for &node in &worlds.order {
        if number.get(node).copied().flatten().is_none() {
            continue;
        }
        let above = std::iter::successors(parents[node], |&node| parents[node])
            .find_map(|node| placed[node]);
        let (location, rotation) = frame(&worlds.of[node]);
        let name = document.nodes[node].name.clone().unwrap_or_else(|| format!("node {node}"));
        let joint = match above {
            None if !skeleton.joints.is_empty() => {
                return Err(wrong("the skin has several roots; a chain has one"));
            }
            None => {
                Joint { parent: None, offset: location, rest: rotation, limits: JointLimits::FREE }
            }
            Some((parent, origin, base)) => {
                let base: Quat = base;
                let offset = base.inverse().rotate(location - origin);
                let rest = (base.inverse() * rotation).unit();
                Joint { parent: Some(parent), offset, rest, limits: JointLimits::FREE }
            }
        };
        let index = skeleton.add(FileLocation::File, name, joint)?;
        placed[node] = Some((index, location, rotation));
    }
    if skeleton.joints.len() != skin.joints.len() {
        return Err(wrong("some joints of the skin are not in the scene"));
    }
    Ok(skeleton)
}

/// The transform of every node in the world, and an order in which parents come before their children.
struct Worlds {
    of: Vec<Transform>,
    order: Vec<usize>,
}

fn parents(document: &Document<'_>) -> Vec<Option<usize>> {
    let mut parents = vec![None; document.nodes.len()];
    for (index, node) in document.nodes.iter().enumerate() {
        for &child in &node.children {
            if let Some(parent) = parents.get_mut(child) {
                *parent = Some(index);
            }
        }
    }
    parents
}

fn worlds(document: &Document<'_>) -> Result<Worlds> {
    let nodes = &document.nodes;
    let mut worlds = Worlds { of: vec![IDENTITY; nodes.len()], order: Vec::new() };
    let parents = parents(document);
    let roots = (0..nodes.len()).filter(|&node| parents[node].is_none());
    let mut open: Vec<(usize, Transform)> = roots.rev().map(|node| (node, IDENTITY)).collect();
    let mut seen = vec![false; nodes.len()];
    while let Some((index, above)) = open.pop() {
        let Some(node) = nodes.get(index) else {
            return Err(wrong(format!("refers to node {index}, but has {} nodes", nodes.len())));
        };
        if std::mem::replace(&mut seen[index], true) {
            return Err(wrong(format!("node {index} has two parents; nodes must form a tree")));
        }
        let world = compose(&above, &local_transform(node));
        if !world.iter().flatten().all(|value| value.is_finite()) {
            return Err(wrong(format!("node {index} has a position that is not finite")));
        }
        worlds.of[index] = world;
        worlds.order.push(index);
        open.extend(node.children.iter().rev().map(|&child| (child, world)));
    }
    Ok(worlds)
}

/// The translation and the rotation of a transform, without its scale.
fn frame(&[a, b, _, origin]: &Transform) -> (Vec3, Quat) {
    let x = Vec3::from(a).unit();
    let y = Vec3::from(b);
    let y = (y - x * x.dot(y)).unit();
    let z = x.cross(y);
    let flat = x == Vec3::ZERO || y == Vec3::ZERO;
    let rotation =
        if flat { Quat::IDENTITY } else { Quat::of_matrix(&Mat3::of_columns([x, y, z])) };
    (origin.into(), rotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARM: &str = r#"{
  "asset": { "version": "2.0" },
  "nodes": [
    { "name": "armature", "rotation": [0.7071067811865476, 0, 0, 0.7071067811865476], "scale": [2, 2, 2],
      "children": [1] },
    { "name": "shoulder", "translation": [0, 0, 0.5], "children": [2] },
    { "name": "between", "translation": [0.25, 0, 0], "children": [3] },
    { "name": "hand", "translation": [0.25, 0, 0], "rotation": [0, 0, 1, 0] }
  ],
  "skins": [{ "joints": [3, 1] }]
}"#;

    #[test]
    fn joints_stand_where_their_nodes_are() {
        let skeleton = parse(ARM.as_bytes()).expect("a skin");
        assert_eq!(skeleton.names, ["shoulder", "hand"]);
        let chain = skeleton.chain().expect("a chain");
        let positions = chain.rest().positions().to_vec();
        assert!((positions[0] - Vec3::new(0.0, -1.0, 0.0)).norm() < 1e-12, "{positions:?}");
        assert!((positions[1] - Vec3::new(1.0, -1.0, 0.0)).norm() < 1e-12, "{positions:?}");
        let x = chain.rest().world_rotations()[1].rotate(Vec3::AXES[0]);
        assert!((x + Vec3::AXES[0]).norm() < 1e-12, "{x:?}");
    }

    #[test]
    fn broken_skins_are_told() {
        for (from, to, expected) in [
            ("\"joints\": [3, 1]", "\"joints\": [9]", "refers to node 9, but has 4 nodes"),
            ("\"joints\": [3, 1]", "\"joints\": [3, 3]", "node 3 is a joint of the skin twice"),
            ("\"children\": [3]", "\"children\": [1]", "has two parents"),
            ("\"skins\"", "\"other\"", "has no skin"),
            ("\"children\": [2]", "\"children\": []", "the skin has several roots"),
        ] {
            let error = parse(ARM.replace(from, to).as_bytes()).expect_err(expected).to_string();
            assert!(error.contains(expected), "{error}");
        }
        for length in 0..ARM.len() {
            let _ = parse(&ARM.as_bytes()[..length]);
        }
    }
}
