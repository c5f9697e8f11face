//! A canvas that writes SVG.
//!
//! Text stays text in whatever sans-serif face the viewer has. Each line of it carries the width
//! that the layout counted with (`textLength`), so that labels fit with any face.

use super::canvas::{Anchor, Area, Canvas, Lettering, Marker, Pen, Point2, Rgb};
use crate::font::{SCRIPT, Script, levels};
use std::fmt::{self, Display, Write};

/// An SVG file in the making.
pub(crate) struct Svg {
    text: String,
}

impl Svg {
    pub fn new(width: u32, height: u32, name: &str) -> Self {
        let mut svg = Self { text: String::new() };
        svg.add(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\" role=\"img\">\n<title>{}</title>\n",
            Escaped(name)
        ));
        svg
    }

    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn add(&mut self, text: fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(text);
    }
}

impl Canvas for Svg {
    fn rectangle(&mut self, area: Area, color: Rgb) {
        let [x, y] = [area.left, area.top].map(Short);
        let [width, height] = [area.width(), area.height()].map(Short);
        let fill = Hex(color);
        self.add(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>\n"
        ));
    }

    fn line(&mut self, points: &[Point2], pen: &Pen) {
        self.add(format_args!("<polyline points=\""));
        for (k, &[x, y]) in points.iter().enumerate() {
            let space = if k > 0 { " " } else { "" };
            self.add(format_args!("{space}{},{}", Short(x), Short(y)));
        }
        let [color, width] = [&Hex(pen.color) as &dyn Display, &Short(pen.width)];
        self.add(format_args!("\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\""));
        for (k, &length) in pen.dash.iter().enumerate() {
            let start = if k > 0 { " " } else { " stroke-dasharray=\"" };
            self.add(format_args!("{start}{}", Short(length * pen.width)));
        }
        self.add(format_args!("{}/>\n", if pen.dash.is_empty() { "" } else { "\"" }));
    }

    fn marks(&mut self, points: &[Point2], marker: &Marker) {
        let Marker { shape, radius, fill, edge } = *marker;
        let (fill, stroke, width) = (Hex(fill), Hex(edge.color), Short(edge.width));
        self.add(format_args!(
            "<g fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{width}\">\n"
        ));
        for &[x, y] in points {
            if shape.corners().is_empty() {
                let [cx, cy, r] = [x, y, radius].map(Short);
                self.add(format_args!("<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\"/>\n"));
            } else {
                self.add(format_args!("<path d=\""));
                for (k, corner) in shape.corners().iter().enumerate() {
                    let [x, y] = [x + radius * corner[0], y + radius * corner[1]].map(Short);
                    self.add(format_args!("{}{x} {y}", if k > 0 { 'L' } else { 'M' }));
                }
                self.add(format_args!("Z\"/>\n"));
            }
        }
        self.add(format_args!("</g>\n"));
    }

    fn text(&mut self, text: &str, at: Point2, lettering: &Lettering) {
        let Lettering { face, color, anchor, rotated } = *lettering;
        let [x, y] = at.map(Short);
        let size = Short(face.size);
        let (length, fill) = (Short(face.width(text)), Hex(color));
        self.add(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\""));
        match anchor {
            Anchor::Start => {}
            Anchor::Middle => self.add(format_args!(" text-anchor=\"middle\"")),
            Anchor::End => self.add(format_args!(" text-anchor=\"end\"")),
        }
        if face.bold {
            self.add(format_args!(" font-weight=\"bold\""));
        }
        if rotated {
            self.add(format_args!(" transform=\"rotate(-90 {x} {y})\""));
        }
        self.add(format_args!(" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\">"));
        let characters: Vec<(char, Script)> = levels(text).collect();
        let mut before = Script::Line;
        for run in characters.chunk_by(|a, b| a.1 == b.1) {
            let words: String = run.iter().map(|(character, _)| character).collect();
            let (words, level) = (Escaped(&words), run[0].1);
            if level == Script::Line && before == Script::Line {
                self.add(format_args!("{words}"));
            } else {
                let shift = Short(face.size * (before.rise() - level.rise()));
                let size = Short(face.size * if level == Script::Line { 1.0 } else { SCRIPT });
                self.add(format_args!(
                    "<tspan dy=\"{shift}\" font-size=\"{size}\">{words}</tspan>"
                ));
            }
            before = level;
        }
        self.add(format_args!("</text>\n"));
    }
}

/// A length with at most two decimals and no more characters than needed.
struct Short(f64);

impl Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.2}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if text == "-0" { "0" } else { text })
    }
}

/// A color as SVG names it.
struct Hex(Rgb);

impl Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([r, g, b]) = self;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

/// Text with the characters that mean something to XML escaped, and those it forbids replaced.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                other if other.is_control() => f.write_char(' ')?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::font::Face;

    #[test]
    fn numbers_are_short() {
        let short = [1.0, 0.5, -0.001, 1234.5678, -2.10].map(|x| Short(x).to_string());
        assert_eq!(short, ["1", "0.5", "0", "1234.57", "-2.1"]);
    }

    #[test]
    fn text_is_escaped_and_raised() {
        let lettering = Lettering {
            face: Face { size: 10.0, bold: true },
            color: [1, 2, 255],
            anchor: Anchor::End,
            rotated: true,
        };
        let mut svg = Svg::new(10, 10, "a\u{0}b & c");
        svg.text("<10⁻² \"m\">", [1.0, 2.0], &lettering);
        let text = svg.finish();
        assert!(text.contains("<title>a b &amp; c</title>"), "{text}");
        assert!(text.contains("fill=\"#0102ff\" text-anchor=\"end\" font-weight=\"bold\""));
        let words = ">&lt;10<tspan dy=\"-3.3\" font-size=\"7\">−2</tspan>\
                     <tspan dy=\"3.3\" font-size=\"10\"> &quot;m&quot;&gt;</tspan></text>";
        assert!(text.contains(words), "{text}");
    }
}
