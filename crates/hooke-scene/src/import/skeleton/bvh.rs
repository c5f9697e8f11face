//! BVH, the text format of motion capture: a `HIERARCHY` of joints, then `MOTION`.
//!
//! A joint is `JOINT name { OFFSET x y z CHANNELS n … }` with joints inside, the first is a `ROOT`, the last
//! of each branch an `End Site`. Joints with three channels of rotation turn freely, those with one about
//! its axis; all others are fixed. The recorded motion is passed over.

use super::super::error::{ImportError, Result, quote};
use super::super::reader::{Encoding, Reader, float, text, unmarked};
use super::Skeleton;
use hooke::Vec3;
use hooke::chains::{Joint, JointLimits};
use hooke::math::Quat;
use std::f64::consts::PI;

/// The deepest that joints may be nested.
const DEEPEST: usize = 1000;

/// Reads the bytes of a BVH file.
pub fn parse(bytes: &[u8]) -> std::result::Result<Skeleton, ImportError> {
    let mut parser = Parser {
        reader: Reader::new(unmarked(bytes)?, Encoding::Text),
        skeleton: Skeleton::default(),
    };
    parser.hierarchy()?;
    Ok(parser.skeleton)
}

struct Parser<'a> {
    reader: Reader<'a>,
    skeleton: Skeleton,
}

impl<'a> Parser<'a> {
    fn word(&mut self, wanted: &str) -> Result<&'a [u8]> {
        match self.reader.word() {
            Some(word) => Ok(word),
            None => Err(self.reader.error(format!("the file ends where {wanted} is expected"))),
        }
    }

    fn expect(&mut self, wanted: &str) -> Result<()> {
        let word = self.word(wanted)?;
        if word.eq_ignore_ascii_case(wanted.as_bytes()) {
            return Ok(());
        }
        Err(self.reader.error(format!("{wanted} is expected instead of {}", quote(word))))
    }

    fn number(&mut self) -> Result<f64> {
        let word = self.word("a number")?;
        float(word, self.reader.location())
    }

    /// Reads joints until the root is closed: a stack of open ones, so that nesting costs no calls.
    fn hierarchy(&mut self) -> Result<()> {
        self.expect("HIERARCHY")?;
        self.expect("ROOT")?;
        let mut open: Vec<Option<usize>> = Vec::new();
        self.joint(&mut open)?;
        while let Some(&parent) = open.last() {
            let word = self.word("JOINT, End Site or }")?;
            match word.to_ascii_uppercase().as_slice() {
                b"JOINT" => self.joint(&mut open)?,
                b"END" => {
                    self.expect("Site")?;
                    self.expect("{")?;
                    let offset = self.offset()?;
                    self.expect("}")?;
                    let above = parent.map_or("", |parent| &self.skeleton.names[parent]);
                    let name = format!("{above} end");
                    let (rest, limits) = (Quat::IDENTITY, JointLimits::Fixed);
                    let joint = Joint { parent, offset, rest, limits };
                    self.skeleton.add(self.reader.location(), name, joint)?;
                }
                b"}" => {
                    open.pop();
                }
                _ => {
                    let message =
                        format!("JOINT, End Site or }} is expected instead of {}", quote(word));
                    return Err(self.reader.error(message));
                }
            }
        }
        if self.reader.word().is_some_and(|word| word.eq_ignore_ascii_case(b"MOTION")) {
            self.skeleton.notes.push("the recorded motion was passed over".into());
        }
        Ok(())
    }

    /// Reads the name, offset and channels of a joint, and opens it.
    fn joint(&mut self, open: &mut Vec<Option<usize>>) -> Result<()> {
        if open.len() == DEEPEST {
            return Err(self.reader.error(format!("joints are nested deeper than {DEEPEST}")));
        }
        let name = text(self.word("a name")?);
        self.expect("{")?;
        let offset = self.offset()?;
        self.expect("CHANNELS")?;
        let count = self.number()?;
        if !(0.0..=6.0).contains(&count) || count.fract() != 0.0 {
            return Err(self.reader.error(format!("a joint has 0 to 6 channels (got {count})")));
        }
        let mut axes = Vec::new();
        for _ in 0..count as usize {
            let channel = self.word("a channel")?;
            match channel.to_ascii_lowercase().as_slice() {
                b"xrotation" => axes.push(Vec3::AXES[0]),
                b"yrotation" => axes.push(Vec3::AXES[1]),
                b"zrotation" => axes.push(Vec3::AXES[2]),
                b"xposition" | b"yposition" | b"zposition" => {}
                _ => {
                    let message = format!("{} is not a channel", quote(channel));
                    return Err(self.reader.error(message));
                }
            }
        }
        let limits = match axes[..] {
            [] => JointLimits::Fixed,
            [axis] => JointLimits::Hinge { axis, limits: [-PI, PI] },
            _ => JointLimits::FREE,
        };
        let parent = open.last().copied().flatten();
        let joint = Joint { parent, offset, rest: Quat::IDENTITY, limits };
        let index = self.skeleton.add(self.reader.location(), name, joint)?;
        open.push(Some(index));
        Ok(())
    }

    fn offset(&mut self) -> Result<Vec3> {
        self.expect("OFFSET")?;
        Ok(Vec3::new(self.number()?, self.number()?, self.number()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARM: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0.0 1.0 0.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Arm
  {
    OFFSET 0.2 0.5 0.0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Elbow
    {
      OFFSET 0.3 0 0
      CHANNELS 1 Zrotation
      End Site
      {
        OFFSET 0.25 0 0
      }
    }
  }
  JOINT Leg
  {
    OFFSET 0 -1 0
    CHANNELS 0
    End Site { OFFSET 0 -0.1 0.1 }
  }
}
MOTION
Frames: 1
Frame Time: 0.033
0 0 0 0 0 0 0 0 0 0
";

    #[test]
    fn joints_hang_together_as_in_the_file() {
        let skeleton = parse(ARM.as_bytes()).expect("a skeleton");
        let names = ["Hips", "Arm", "Elbow", "Elbow end", "Leg", "Leg end"];
        assert_eq!(skeleton.names, names);
        let parents = skeleton.joints.iter().map(|joint| joint.parent);
        assert!(parents.eq([None, Some(0), Some(1), Some(2), Some(0), Some(4)]));
        let chain = skeleton.chain().expect("a chain");
        let positions = chain.rest().positions().to_vec();
        assert!((positions[3] - Vec3::new(0.75, 1.5, 0.0)).norm() < 1e-15);
        assert_eq!(skeleton.joints[1].limits, JointLimits::FREE);
        assert!(matches!(skeleton.joints[2].limits, JointLimits::Hinge { .. }));
        assert_eq!(skeleton.joints[4].limits, JointLimits::Fixed);
        assert_eq!(skeleton.notes, ["the recorded motion was passed over"]);
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        for (from, to, expected) in [
            ("HIERARCHY", "HIERARCHIE", "line 1: HIERARCHY is expected instead of `HIERARCHIE`"),
            ("OFFSET 0.2", "OFFSET zero", "line 8: `zero`"),
            ("CHANNELS 1 Zrotation", "CHANNELS 1 roll", "line 13: `roll` is not a channel"),
            ("CHANNELS 3", "CHANNELS 9", "line 9: a joint has 0 to 6 channels (got 9)"),
        ] {
            let error = parse(ARM.replace(from, to).as_bytes()).expect_err(expected).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        let cut = &ARM[..200];
        assert!(parse(cut.as_bytes()).expect_err("cut").to_string().contains("the file ends"));
        for length in 0..ARM.len() {
            let _ = parse(&ARM.as_bytes()[..length]);
        }
        let deep = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 0 ".to_owned()
            + &"JOINT a { OFFSET 0 0 0 CHANNELS 0 ".repeat(5000);
        assert!(parse(deep.as_bytes()).expect_err("deep").to_string().contains("nested deeper"));
    }
}
