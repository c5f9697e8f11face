//! What a chart is drawn on: a handful of primitives that SVG and pixels both know.

use crate::font::Face;
pub(crate) use crate::ink::Point2;

/// Red, green and blue, sRGB.
pub(crate) type Rgb = [u8; 3];

/// A rectangle on the page, pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub fn center(&self) -> Point2 {
        [0.5 * (self.left + self.right), 0.5 * (self.top + self.bottom)]
    }
}

/// How a line is drawn; ends and joints are round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pen {
    pub color: Rgb,
    /// Width in pixels.
    pub width: f64,
    /// Lengths of strokes and gaps in turn, in widths of the line; none for a line without gaps.
    /// Since the ends are round, a stroke looks one width longer, and one of length 0 is a dot.
    pub dash: &'static [f64],
}

/// How a point is marked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Marker {
    pub shape: Shape,
    /// About half of its width, pixels.
    pub radius: f64,
    pub fill: Rgb,
    /// The line around it, which is drawn last and lies half inside.
    pub edge: Pen,
}

/// The outline of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Circle,
    Square,
    Diamond,
    Up,
    Down,
    Cross,
    Plus,
}

impl Shape {
    /// Corners around the middle of a mark of radius 1, or none for a circle. The shapes cover
    /// about the same area.
    pub fn corners(self) -> &'static [Point2] {
        const ARM: f64 = 0.42;
        const END: f64 = 1.2;
        const IN: f64 = 0.6;
        const TIP: [f64; 2] = [0.56, 1.16];
        match self {
            Self::Circle => &[],
            Self::Square => &[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
            Self::Diamond => &[[0.0, -1.25], [1.25, 0.0], [0.0, 1.25], [-1.25, 0.0]],
            Self::Up => &[[0.0, -1.3], [1.2, 0.8], [-1.2, 0.8]],
            Self::Down => &[[0.0, 1.3], [-1.2, -0.8], [1.2, -0.8]],
            Self::Plus => &[
                [-ARM, -END],
                [ARM, -END],
                [ARM, -ARM],
                [END, -ARM],
                [END, ARM],
                [ARM, ARM],
                [ARM, END],
                [-ARM, END],
                [-ARM, ARM],
                [-END, ARM],
                [-END, -ARM],
                [-ARM, -ARM],
            ],
            Self::Cross => &[
                [0.0, -IN],
                [TIP[0], -TIP[1]],
                [TIP[1], -TIP[0]],
                [IN, 0.0],
                [TIP[1], TIP[0]],
                [TIP[0], TIP[1]],
                [0.0, IN],
                [-TIP[0], TIP[1]],
                [-TIP[1], TIP[0]],
                [-IN, 0.0],
                [-TIP[1], -TIP[0]],
                [-TIP[0], -TIP[1]],
            ],
        }
    }
}

/// Which part of a text is at the point that is given for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// How much of the text is before the point.
    pub fn part(self) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lettering {
    pub face: Face,
    pub color: Rgb,
    pub anchor: Anchor,
    /// Whether the text runs upwards.
    pub rotated: bool,
}

/// What a chart is drawn on. Later things cover earlier ones.
pub(crate) trait Canvas {
    /// A filled rectangle.
    fn rectangle(&mut self, area: Area, color: Rgb);

    /// A line from point to point.
    fn line(&mut self, points: &[Point2], pen: &Pen);

    /// The same mark at every point.
    fn marks(&mut self, points: &[Point2], marker: &Marker);

    /// One line of text; the point is on its baseline.
    fn text(&mut self, text: &str, at: Point2, lettering: &Lettering);
}
