//! Chains into the model: joints as pinned particles that their chain carries, targets as anchors.

use super::drawing;
use super::shape::Size;
use super::start::out_of_reach;
use super::{Compiled, Counts, DeformableParts};
use crate::files::{FileName, Files};
use crate::format::{
    BallJoint, Carry, Chain, ChainJoint, ChainTarget, Course, Document, Hinge, JointRef,
};
use crate::import::skeleton::Skeleton;
use crate::import::{ErrorKind, ImportError};
use crate::problem::{Cause, Sink, SourceOffset};
use crate::words::{count, hint, number};
use hooke::Vec3;
use hooke::chains::{self, Goal, Joint, JointLimits, Pole, Rig, Settings, Smoothing};
use hooke::math::Quat;
use hooke::model::Motion;
use std::collections::HashMap;
use std::f64::consts::PI;
use std::ops::Range;

/// The mass of a joint's particle (kg): its motion is given, so that it only has to be above zero.
const JOINT_MASS: f64 = 1e-6;

/// The most joints of a chain.
const MOST: usize = 10_000;

/// Where a chain is in the model.
#[derive(Clone, Debug)]
pub struct ChainParts {
    /// Its name, empty where it has none.
    pub name: String,
    /// The names of its joints, empty where they have none.
    pub joints: Vec<String>,
    /// The particles of its joints.
    pub particles: Range<u32>,
    /// Its bones: the particles of a joint and of one that hangs on it.
    pub bones: Vec<[u32; 2]>,
    /// What its targets ask for.
    pub ends: Vec<EndParts>,
}

/// An end of a chain and what it follows.
#[derive(Clone, Debug)]
pub struct EndParts {
    /// The particle of the joint.
    pub particle: u32,
    /// The anchor it follows.
    pub location: u32,
    /// When its pen is down (s), from and to, where it has one.
    pub pen: Option<Vec<[f64; 2]>>,
}

impl EndParts {
    /// Whether its pen draws from one frame to the next without a break, given their times (s). At time 0 a chain is at rest
    /// and not yet where its pen begins.
    pub fn draws(&self, from: f64, to: f64) -> bool {
        // A frame may lie beyond the end of a stroke by less than itself.
        let slack = 0.5 * (to - from);
        let within =
            |[start, stop]: &[f64; 2]| from >= start - slack && to <= stop + slack && stop > start;
        from > 0.0 && self.pen.as_ref().is_some_and(|spans| spans.iter().any(within))
    }
}

/// Adds the chains.
pub(super) fn add(
    document: &Document,
    files: &Files,
    compiled: &mut Compiled,
    counts: &mut Counts<'_>,
    sink: &mut Sink,
) {
    for chain in &document.chains {
        let Some(skeleton) = joints(chain, files, sink) else { continue };
        let vertices = skeleton.joints.len() as u64;
        if !counts.add(Size { vertices, ..Size::default() }, chain.source_offset, sink) {
            return;
        }
        for carry in &chain.carry {
            if !counts.choose(compiled.deformables.len() as u64, 1, carry.source_offset, sink) {
                return;
            }
        }
        let parts = Parts { chain, skeleton, files, compiled, counts, sink };
        parts.add();
        if counts.exceeded {
            return;
        }
    }
}

/// A chain while it is compiled.
struct Parts<'a, 'c> {
    chain: &'a Chain,
    skeleton: Skeleton,
    files: &'a Files,
    compiled: &'a mut Compiled,
    counts: &'a mut Counts<'c>,
    sink: &'a mut Sink,
}

impl Parts<'_, '_> {
    fn add(mut self) -> Option<()> {
        let built = self.skeleton.chain().and_then(|chain| Rig::new(chain, self.chain.solver.name));
        let mut rig = match built {
            Ok(rig) => rig,
            Err(invalid) => {
                self.sink.error(self.chain.source_offset, invalid.to_string());
                return None;
            }
        };
        let Chain { iterations, tolerance, range, stall, restarts, lag, starts, seed, .. } =
            *self.chain;
        let speed = self.chain.speed.unwrap_or_default().to_radians();
        rig.settings = Settings { iterations, tolerance, range, stall, restarts };
        rig.smoothing = Smoothing { speed, lag, starts, seed };
        let particles = self.particles(&mut rig)?;
        let mut ends = Vec::new();
        for target in &self.chain.targets {
            ends.push(self.target(target, &particles, &mut rig)?);
        }
        if let Some(pole) = &self.chain.pole {
            let joint = self.joint(Some(&pole.joint), pole.source_offset)?;
            if let Some((_, sentence)) = out_of_reach(&[pole.position]) {
                self.sink.error_in(pole.source_offset, "position", format!("is {sentence}"));
                return None;
            }
            rig.pole = Some(Pole { joint, position: pole.position });
            if self.chain.targets.len() != 1 {
                let given = count(self.chain.targets.len() as u64, "target", "targets");
                let sentence = format!("requires one target (there are {given})");
                self.sink.error_in(self.chain.source_offset, "pole", sentence);
            }
        }
        for carry in &self.chain.carry {
            self.carry(carry, &mut rig)?;
        }
        let below = rig.chain.joints().iter().enumerate();
        let bone = |(j, joint): (usize, &Joint)| {
            Some([joint.parent?, j].map(|joint| particles.start + joint as u32))
        };
        let bones: Vec<_> = below.filter_map(bone).collect();
        if let Err(invalid) = self.compiled.model.add_chain(rig) {
            self.sink.error(self.chain.source_offset, invalid.to_string());
            return None;
        }
        self.compiled.edges.extend(&bones);
        let name = self.chain.name.clone().unwrap_or_default();
        let joints = self.skeleton.names;
        self.compiled.chains.push(ChainParts { name, joints, particles, bones, ends });
        Some(())
    }

    /// A pinned particle for every joint, where the chain rests.
    fn particles(&mut self, rig: &mut Rig) -> Option<Range<u32>> {
        let rest = rig.chain.rest();
        let positions = rest.positions().to_vec();
        if let Some((joint, sentence)) = out_of_reach(&positions) {
            self.sink.error(self.chain.source_offset, format!("joint {joint} is {sentence}"));
            return None;
        }
        let first = self.compiled.model.particles() as u32;
        for (joint, &location) in positions.iter().enumerate() {
            let model = &mut self.compiled.model;
            let added = model.add_particle(location, JOINT_MASS).and_then(|particle| {
                model.pin(particle, [true; 3], Motion::still(location))?;
                rig.carry_from(&rest, joint, particle, location)
            });
            if let Err(invalid) = added {
                self.sink.error(self.chain.source_offset, invalid.to_string());
                return None;
            }
            self.compiled.start.positions.push(location);
            self.compiled.start.velocities.push(Vec3::ZERO);
        }
        Some(first..first + positions.len() as u32)
    }

    /// An anchor that an end follows.
    fn target(
        &mut self,
        target: &ChainTarget,
        particles: &Range<u32>,
        rig: &mut Rig,
    ) -> Option<EndParts> {
        let joint = self.joint(target.joint.as_ref(), target.source_offset)?;
        let (motion, pen) = match (&target.position, &target.draw) {
            (Some(course), _) => {
                if let Some((k, sentence)) = out_of_reach(course.points()) {
                    let field = match course {
                        Course::Still(_) => "position".to_owned(),
                        Course::Along(_) => format!("position.points[{k}]"),
                    };
                    self.sink.error_in(target.source_offset, field, format!("is {sentence}"));
                    return None;
                }
                (course.motion(self.sink)?, None)
            }
            (None, Some(draw)) => {
                let (motion, pen) = drawing::motion(draw, self.files, self.counts, self.sink)?;
                (motion, Some(pen))
            }
            (None, None) => return None,
        };
        match self.compiled.model.add_anchor(motion) {
            Ok(location) => {
                rig.goals.push(Goal { joint, anchor: location, weight: target.weight });
                let particle = particles.start + joint as u32;
                Some(EndParts { particle, location: location.index() as u32, pen })
            }
            Err(invalid) => {
                self.sink.error(target.source_offset, invalid.to_string());
                None
            }
        }
    }

    /// Vertices of a body that a joint takes along.
    fn carry(&mut self, carry: &Carry, rig: &mut Rig) -> Option<()> {
        let joint = self.joint(carry.joint.as_ref(), carry.source_offset)?;
        let bodies = &self.compiled.deformables;
        let named =
            |body: &&DeformableParts| carry.body.as_ref().is_none_or(|name| body.name == *name);
        let mut chosen = bodies.iter().filter(named);
        let body = match (chosen.next(), chosen.next(), &carry.body) {
            (Some(body), None, _) => body,
            (Some(_), Some(_), _) => {
                let sentence = "there are several bodies; name one by body = \"…\"";
                self.sink.error(carry.source_offset, sentence);
                return None;
            }
            (None, _, Some(name)) => {
                let hint = hint(name, bodies.iter().map(|body| body.name.as_str()));
                let sentence = format!("there is no body {name:?}{hint}");
                self.sink.error_in(carry.source_offset, "body", sentence);
                return None;
            }
            (None, _, None) => {
                self.sink.error(carry.source_offset, "there is no body to carry");
                return None;
            }
        };
        let (group, at) = (carry.group.as_deref(), carry.at.as_ref());
        let range = body.particles.clone();
        let first = range.start;
        let particles = body.groups.chosen(group, at, range, carry.source_offset, self.sink)?;
        let rest = rig.chain.rest();
        for particle in particles {
            let start = self.compiled.start.positions.get(particle as usize);
            let start = start.copied().unwrap_or(Vec3::ZERO);
            let pinned = self.compiled.model.pin(particle, [true; 3], Motion::still(start));
            if pinned.is_err() {
                let vertex = particle - first;
                let sentence = format!("vertex {vertex} already has a pin or a chain");
                self.sink.error(carry.source_offset, sentence);
                return None;
            }
            if let Err(invalid) = rig.carry_from(&rest, joint, particle, start) {
                self.sink.error(carry.source_offset, invalid.to_string());
                return None;
            }
        }
        Some(())
    }

    /// The joint that a table names; the last where it names none.
    fn joint(&mut self, joint: Option<&JointRef>, source_offset: SourceOffset) -> Option<usize> {
        find(joint, &self.skeleton.names, "joint", source_offset, self.sink)
    }
}

/// A joint by number or name; the last where none is named.
fn find(
    joint: Option<&JointRef>,
    names: &[String],
    field: &str,
    source_offset: SourceOffset,
    sink: &mut Sink,
) -> Option<usize> {
    let joints = names.len();
    match joint {
        None => Some(joints - 1),
        Some(JointRef::Number(number)) if (*number as usize) < joints => Some(*number as usize),
        Some(JointRef::Number(number)) => {
            let joints = count(joints as u64, "joint", "joints");
            let sentence = format!("there is no joint {number}: the chain has {joints}");
            sink.error_in(source_offset, field, sentence);
            None
        }
        Some(JointRef::Name(name)) => {
            let found = names.iter().position(|known| known == name);
            if found.is_none() {
                let hint = hint(name, names.iter().map(String::as_str));
                sink.error_in(source_offset, field, format!("there is no joint {name:?}{hint}"));
            }
            found
        }
    }
}

/// The joints of a chain with their names, or messages.
fn joints(chain: &Chain, files: &Files, sink: &mut Sink) -> Option<Skeleton> {
    let limits = (chain.hinge.as_ref(), chain.ball.as_ref());
    let given = chain.joints.as_ref().map(Vec::len).or(chain.bones.as_ref().map(|b| b.len() + 1));
    if given.is_some_and(|joints| joints == 0 || joints > MOST) {
        let sentence = format!("a chain has 1 to {MOST} joints");
        sink.error(chain.source_offset, sentence);
        return None;
    }
    check_limits(limits, sink)?;
    if chain.bones.is_none() && chain.writes("along") {
        sink.error_in(chain.source_offset, "along", "requires bones");
        return None;
    }
    let mut skeleton = if let Some(bones) = &chain.bones {
        let along = chain.along.unit();
        if along == Vec3::ZERO {
            sink.error_in(chain.source_offset, "along", "must not be zero");
            return None;
        }
        let offsets = std::iter::once(Vec3::ZERO).chain(bones.iter().map(|l| along * *l));
        let joint = |(j, offset): (usize, Vec3)| {
            let (parent, rest) = (j.checked_sub(1), Quat::IDENTITY);
            Joint { parent, offset, rest, limits: joint_limits(false, limits, along) }
        };
        let joints: Vec<_> = offsets.enumerate().map(joint).collect();
        Skeleton { names: vec![String::new(); joints.len()], joints, notes: Vec::new() }
    } else if let Some(given) = &chain.joints {
        listed(given, limits, sink)?
    } else {
        let name = chain.file.as_ref()?;
        if limits.0.is_some() || limits.1.is_some() {
            let sentence = "requires joints or bones: a file has its own limits";
            sink.error_in(
                chain.source_offset,
                if limits.0.is_some() { "hinge" } else { "ball" },
                sentence,
            );
            return None;
        }
        read_file(name, files, chain.source_offset, sink)?
    };
    for (j, joint) in skeleton.joints.iter_mut().enumerate() {
        joint.offset = joint.offset * chain.scale;
        if j == 0 {
            joint.offset += chain.root;
        }
    }
    Some(skeleton)
}

/// The joints that a scene lists.
fn listed(
    given: &[ChainJoint],
    default: (Option<&Hinge>, Option<&BallJoint>),
    sink: &mut Sink,
) -> Option<Skeleton> {
    let mut skeleton = Skeleton::default();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let bones = bones(given);
    for (j, joint) in given.iter().enumerate() {
        let parent = match (&joint.parent, j) {
            (Some(_), 0) => {
                sink.error_in(
                    joint.source_offset,
                    "parent",
                    "the first joint is the root: it has none",
                );
                return None;
            }
            (Some(JointRef::Name(name)), _) if numbers.contains_key(name.as_str()) => {
                numbers.get(name.as_str()).copied()
            }
            (Some(parent), _) => {
                Some(find(Some(parent), &skeleton.names, "parent", joint.source_offset, sink)?)
            }
            (None, j) => j.checked_sub(1),
        };
        let rest = match &joint.rotate {
            Some(rotation) if rotation.axis == Vec3::ZERO => {
                sink.error_in(rotation.source_offset, "axis", "must not be zero");
                return None;
            }
            Some(rotation) => Quat::about(rotation.axis, rotation.degrees.to_radians()),
            None => Quat::IDENTITY,
        };
        let name = joint.name.clone().unwrap_or_default();
        let own = joint.name.as_deref().filter(|name| !name.is_empty());
        if own.and_then(|name| numbers.insert(name, j)).is_some() {
            sink.error_in(
                joint.source_offset,
                "name",
                format!("there is a joint {name:?} already"),
            );
            return None;
        }
        let bone = bones[j].unwrap_or(joint.offset).unit();
        let bone = if bone == Vec3::ZERO { Vec3::AXES[0] } else { bone };
        let own = (joint.hinge.as_ref(), joint.ball.as_ref());
        check_limits(own, sink)?;
        let limits = if own.0.is_some() || own.1.is_some() { own } else { default };
        let joint_limits = joint_limits(joint.fixed, limits, bone);
        let offset = joint.offset;
        skeleton.joints.push(Joint { parent, offset, rest, limits: joint_limits });
        skeleton.names.push(name);
    }
    Some(skeleton)
}

/// The bone of each joint: the offset of the first joint that hangs on it.
fn bones(given: &[ChainJoint]) -> Vec<Option<Vec3>> {
    let mut bones = vec![None; given.len()];
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (j, joint) in given.iter().enumerate() {
        let parent = match &joint.parent {
            None => j.checked_sub(1),
            Some(JointRef::Number(number)) => Some(*number as usize),
            Some(JointRef::Name(name)) => numbers.get(name.as_str()).copied(),
        };
        if let Some(bone) = parent.filter(|parent| *parent < j).and_then(|j| bones.get_mut(j)) {
            bone.get_or_insert(joint.offset);
        }
        if let Some(name) = joint.name.as_deref().filter(|name| !name.is_empty()) {
            numbers.entry(name).or_insert(j);
        }
    }
    bones
}

/// Tells limits that make no sense, as they are written.
fn check_limits(
    (hinge, ball): (Option<&Hinge>, Option<&BallJoint>),
    sink: &mut Sink,
) -> Option<()> {
    let mut ascend = |[low, high]: [f64; 2], source_offset: SourceOffset, field: &str| {
        if low <= high {
            return Some(());
        }
        let [low, high] = [low, high].map(number);
        let sentence = format!("must go from a lesser to a greater angle (got {low} to {high})");
        sink.error_in(source_offset, field, sentence);
        None
    };
    if let Some(hinge) = hinge {
        ascend(hinge.limits, hinge.source_offset, "limits")?;
        if hinge.axis == Vec3::ZERO {
            sink.error_in(hinge.source_offset, "axis", "must not be zero");
            return None;
        }
    }
    if let Some(ball) = ball {
        ascend(ball.twist, ball.source_offset, "twist")?;
    }
    Some(())
}

/// How a joint turns whose bone points along `bone`.
fn joint_limits(
    fixed: bool,
    limits: (Option<&Hinge>, Option<&BallJoint>),
    bone: Vec3,
) -> JointLimits {
    let angles = |degrees: [f64; 2]| degrees.map(|angle| angle.to_radians().clamp(-PI, PI));
    match limits {
        _ if fixed => JointLimits::Fixed,
        (Some(hinge), _) => JointLimits::Hinge { axis: hinge.axis, limits: angles(hinge.limits) },
        (None, Some(ball)) => {
            let swing = ball.swing.to_radians().min(PI);
            JointLimits::Ball { bone, swing, twist: angles(ball.twist) }
        }
        (None, None) => JointLimits::FREE,
    }
}

/// Reads a skeleton file; what was left out on load is told.
fn read_file(
    name: &FileName,
    files: &Files,
    source_offset: SourceOffset,
    sink: &mut Sink,
) -> Option<Skeleton> {
    match files.skeleton(name) {
        Ok(skeleton) => {
            for note in &skeleton.notes {
                sink.warning_in(source_offset, "file", note.clone());
            }
            Some(skeleton)
        }
        Err(error) => {
            tell(&error, source_offset, "file", sink);
            None
        }
    }
}

/// Tells why a file that a field names could not be read.
pub(super) fn tell(error: &ImportError, source_offset: SourceOffset, field: &str, sink: &mut Sink) {
    let cause = match error.kind {
        ErrorKind::Content => Cause::Input,
        ErrorKind::Io => Cause::File,
        ErrorKind::Limit => Cause::Limit,
    };
    sink.error_of(cause, source_offset, field, error.to_string());
}

/// The turns of all joints at rest.
pub(super) fn at_rest(compiled: &Compiled) -> Vec<Quat> {
    let chains: &[chains::Rig] = compiled.model.chains();
    chains.iter().flat_map(|rig| rig.chain.rest().local_rotations().to_vec()).collect()
}
