//! URDF, the format of robots: links and the joints between them, in meters and radians, as XML.
//!
//! `<joint type name><parent link/><child link/><origin xyz rpy/><axis xyz/><limit lower upper/></joint>`. Every
//! joint of the file becomes one; the root link is a fixed one. Revolute and continuous joints are hinges,
//! floating ones turn freely, all others are fixed. What links look like is passed over.

use super::super::error::{FileLocation, ImportError, Result, count, quote};
use super::super::reader::unmarked;
use super::Skeleton;
use hooke::Vec3;
use hooke::chains::{Joint, JointLimits};
use hooke::math::Quat;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashMap;
use std::f64::consts::PI;

/// The most elements of a file.
const ELEMENTS: u32 = 1_000_000;

/// Reads the bytes of a URDF file.
pub fn parse(bytes: &[u8]) -> std::result::Result<Skeleton, ImportError> {
    let text = std::str::from_utf8(unmarked(bytes)?)
        .map_err(|_| ImportError::content(FileLocation::File, "is not text in UTF-8"))?;
    let options = ParsingOptions { nodes_limit: ELEMENTS, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let location = FileLocation::Line(u64::from(error.pos().row));
        ImportError::content(location, format!("is not XML: {error}"))
    })?;
    let robot = document.root_element();
    if robot.tag_name().name() != "robot" {
        let name = quote(robot.tag_name().name().as_bytes());
        return Err(wrong(&robot, format!("a robot is expected instead of {name}")));
    }
    let mut joints: Vec<Link<'_>> = Vec::new();
    for node in robot.children().filter(|node| node.has_tag_name("joint")) {
        joints.push(Link::read(node)?);
    }
    hang(&robot, joints)
}

fn wrong(node: &Node<'_, '_>, message: impl Into<String>) -> ImportError {
    let line = node.document().text_pos_at(node.range().start).row;
    ImportError::content(FileLocation::Line(u64::from(line)), message)
}

/// A joint between two links.
struct Link<'a> {
    node: Node<'a, 'a>,
    name: &'a str,
    parent: &'a str,
    child: &'a str,
    offset: Vec3,
    rest: Quat,
    limits: JointLimits,
    /// Whether it slides, which no joint here does.
    slides: bool,
}

impl<'a> Link<'a> {
    fn read(node: Node<'a, 'a>) -> Result<Self> {
        let part = |name: &str| node.children().find(|child| child.has_tag_name(name));
        let link = |name: &str| {
            let link = part(name).and_then(|part| part.attribute("link"));
            link.ok_or_else(|| wrong(&node, format!("a joint has no {name} link")))
        };
        let triple = |of: &str, attribute: &str, default: Vec3| match part(of)
            .and_then(|part| Some((part, part.attribute(attribute)?)))
        {
            Some((part, text)) => vector(&part, text),
            None => Ok(default),
        };
        let angles = triple("origin", "rpy", Vec3::ZERO)?;
        let [x, y, z] = Vec3::AXES;
        // Roll, pitch and yaw about fixed axes, one after the other.
        let rest = Quat::about(z, angles.z) * Quat::about(y, angles.y) * Quat::about(x, angles.x);
        let axis = triple("axis", "xyz", x)?;
        let kind = node.attribute("type").unwrap_or_default();
        let limits = match kind {
            "revolute" => {
                let bound = |name: &str| match part("limit").and_then(|part| part.attribute(name)) {
                    Some(text) => number(&node, text),
                    None => Ok(0.0),
                };
                let [low, high] = [bound("lower")?, bound("upper")?];
                if low > high {
                    let message = format!("the limits must ascend (got {low} to {high} rad)");
                    return Err(wrong(&node, message));
                }
                let limits = [low, high].map(|angle| angle.clamp(-PI, PI));
                JointLimits::Hinge { axis, limits }
            }
            "continuous" => JointLimits::Hinge { axis, limits: [-PI, PI] },
            "floating" => JointLimits::FREE,
            "fixed" | "prismatic" | "planar" => JointLimits::Fixed,
            other => {
                let message = format!("{} is not a type of joint", quote(other.as_bytes()));
                return Err(wrong(&node, message));
            }
        };
        Ok(Self {
            node,
            name: node.attribute("name").unwrap_or_default(),
            parent: link("parent")?,
            child: link("child")?,
            offset: triple("origin", "xyz", Vec3::ZERO)?,
            rest,
            limits,
            slides: matches!(kind, "prismatic" | "planar"),
        })
    }
}

fn number(node: &Node<'_, '_>, text: &str) -> Result<f64> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(wrong(node, format!("{} is not a number", quote(text.as_bytes())))),
    }
}

fn vector(node: &Node<'_, '_>, text: &str) -> Result<Vec3> {
    let mut values = [0.0; 3];
    let mut words = text.split_whitespace();
    for value in &mut values {
        let Some(word) = words.next() else {
            return Err(wrong(node, format!("{} are not three numbers", quote(text.as_bytes()))));
        };
        *value = number(node, word)?;
    }
    Ok(values.into())
}

/// Hangs joints on each other, from the root link outwards.
fn hang(robot: &Node<'_, '_>, joints: Vec<Link<'_>>) -> Result<Skeleton> {
    let mut on: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut holder: HashMap<&str, usize> = HashMap::new();
    for (index, joint) in joints.iter().enumerate() {
        on.entry(joint.parent).or_default().push(index);
        if holder.insert(joint.child, index).is_some() {
            let link = quote(joint.child.as_bytes());
            return Err(wrong(&joint.node, format!("the link {link} hangs on two joints")));
        }
    }
    if joints.is_empty() {
        return Err(wrong(robot, "the robot has no joints; a chain needs one"));
    }
    let mut roots: Vec<&str> =
        joints.iter().map(|joint| joint.parent).filter(|link| !holder.contains_key(link)).collect();
    roots.dedup();
    roots.sort_unstable();
    roots.dedup();
    let [root] = roots[..] else {
        let sentence = match roots.len() {
            0 => "every link hangs on another: there is no root to begin with".into(),
            n => format!("{n} links hang on none; a chain has one root"),
        };
        return Err(wrong(robot, sentence));
    };
    let mut skeleton = Skeleton::default();
    let (rest, limits) = (Quat::IDENTITY, JointLimits::Fixed);
    let joint = Joint { parent: None, offset: Vec3::ZERO, rest, limits };
    skeleton.add(FileLocation::File, root.to_owned(), joint)?;
    let mut open: Vec<(usize, usize)> = Vec::new();
    let below = |link: &str, above: usize, open: &mut Vec<(usize, usize)>| {
        open.extend(on.get(link).into_iter().flatten().rev().map(|&index| (index, above)));
    };
    below(root, 0, &mut open);
    let mut slid = 0;
    while let Some((index, above)) = open.pop() {
        let link = &joints[index];
        let Link { offset, rest, limits, .. } = *link;
        let joint = Joint { parent: Some(above), offset, rest, limits };
        let own = skeleton.add(FileLocation::File, link.name.to_owned(), joint)?;
        slid += u64::from(link.slides);
        below(link.child, own, &mut open);
    }
    if skeleton.joints.len() != joints.len() + 1 {
        return Err(wrong(robot, "some joints hang on each other in a circle"));
    }
    if slid > 0 {
        let joints = count(slid, "joint that slides was", "joints that slide were");
        skeleton.notes.push(format!("{joints} fixed"));
    }
    Ok(skeleton)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARM: &str = r#"<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/><link name="upper"/><link name="lower"/><link name="tool"/>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 0.4"/><axis xyz="0 1 0"/><limit lower="0" upper="2.5" effort="1" velocity="1"/>
  </joint>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.1" rpy="0 1.5707963267948966 0"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="tip" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.3"/></joint>
</robot>
"#;

    #[test]
    fn joints_hang_on_each_other_by_their_links() {
        let skeleton = parse(ARM.as_bytes()).expect("a robot");
        assert_eq!(skeleton.names, ["base", "shoulder", "elbow", "tip"]);
        let positions = skeleton.chain().expect("a chain").rest().positions().to_vec();
        assert!((positions[3] - Vec3::new(0.7, 0.0, 0.1)).norm() < 1e-12, "{positions:?}");
        let JointLimits::Hinge { axis, limits } = skeleton.joints[2].limits else {
            panic!("a hinge")
        };
        assert_eq!((axis, limits), (Vec3::AXES[1], [0.0, 2.5]));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        for (from, to, expected) in [
            ("<robot", "<rowboat", "line 11: is not XML"),
            (
                "name=\"elbow\" type=\"revolute\"",
                "type=\"rubber\"",
                "line 4: `rubber` is not a type",
            ),
            ("0 0 0.4", "0 0", "line 6: `0 0` are not three numbers"),
            ("<parent link=\"upper\"/>", "", "line 4: a joint has no parent link"),
            (
                "parent link=\"base\"",
                "parent link=\"lower\"",
                "line 2: every link hangs on another",
            ),
            (
                "child link=\"tool\"",
                "child link=\"lower\"",
                "line 12: the link `lower` hangs on two",
            ),
        ] {
            let error = parse(ARM.replace(from, to).as_bytes()).expect_err(expected).to_string();
            assert!(
                error.contains(expected.split_once(": ").map_or(expected, |(_, rest)| rest)),
                "{error}"
            );
        }
        for length in 0..ARM.len() {
            let _ = parse(&ARM.as_bytes()[..length]);
        }
        let deep = "<robot>".to_owned() + &"<a>".repeat(200_000);
        assert!(parse(deep.as_bytes()).is_err());
    }
}
