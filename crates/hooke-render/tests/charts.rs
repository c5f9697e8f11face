//! Charts: whatever the data, SVG and pixels show the same, and every word can be read.

use hooke_render::{
    Image, RenderError, Theme,
    chart::{Axis, Chart, Figure, Mark, Scale, Series},
};
use roxmltree::{Document, Node};

const MARKS: [Mark; 4] = [Mark::Line, Mark::Dots, Mark::Both, Mark::Guide];
const SCALES: [Scale; 2] = [Scale::Linear, Scale::Log];
const SIZE: [u32; 2] = [640, 420];

fn axis(scale: Scale, label: &str) -> Axis {
    Axis { label: label.into(), scale }
}

fn number(node: Node, name: &str) -> f64 {
    node.attribute(name).and_then(|text| text.parse().ok()).expect("a number")
}

fn all<'a>(svg: &'a Document, tag: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    svg.descendants().filter(move |node| node.has_tag_name(tag))
}

/// Red, green and blue of an attribute like `#0072b2`.
fn color(node: Node, name: &str) -> [u8; 3] {
    let text = node.attribute(name).expect("a color");
    [1, 3, 5].map(|k| u8::from_str_radix(&text[k..k + 2], 16).expect("two hex digits"))
}

/// Middle and color of every mark.
fn marks(svg: &Document) -> Vec<([f64; 2], [u8; 3])> {
    let middle = |node: Node| match node.attribute("d") {
        None => [number(node, "cx"), number(node, "cy")],
        Some(path) => {
            let corners = path.trim_matches(['M', 'Z']).split('L');
            let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
            for corner in corners {
                for (k, x) in corner.split(' ').map(|x| x.parse().expect("a number")).enumerate() {
                    (low[k], high[k]) = (low[k].min(x), high[k].max(x));
                }
            }
            [0, 1].map(|k| 0.5 * (low[k] + high[k]))
        }
    };
    let groups = all(svg, "g").flat_map(|group| {
        group
            .children()
            .filter(Node::is_element)
            .map(move |node| (middle(node), color(group, "fill")))
    });
    groups.collect()
}

fn at(image: &Image, [x, y]: [f64; 2]) -> [u8; 3] {
    let [r, g, b, _] = image.pixel(x as u32, y as u32).expect("inside");
    [r, g, b]
}

/// How many patches of exactly this color an image has.
fn patches(image: &Image, rgb: [u8; 3]) -> usize {
    let mut open: Vec<bool> = image.pixels.chunks(4).map(|pixel| pixel[..3] == rgb).collect();
    let width = image.width as usize;
    let mut count = 0;
    for start in 0..open.len() {
        let mut stack = vec![start];
        count += usize::from(open[start]);
        while let Some(here) = stack.pop() {
            if std::mem::take(&mut open[here]) {
                let near = [here.wrapping_sub(1), here + 1, here.wrapping_sub(width), here + width];
                stack.extend(near.into_iter().filter(|&next| open.get(next) == Some(&true)));
            }
        }
    }
    count
}

/// Left, top, right and bottom of a line of text.
fn text_box(node: Node) -> [f64; 4] {
    let [x, y, size, width] = ["x", "y", "font-size", "textLength"].map(|name| number(node, name));
    let start = match node.attribute("text-anchor") {
        None => 0.0,
        Some("middle") => 0.5 * width,
        _ => width,
    };
    let (above, below) = (0.72 * size, 0.2 * size);
    match node.attribute("transform") {
        None => [x - start, y - above, x - start + width, y + below],
        Some(_) => [x - above, y + start - width, x + below, y + start],
    }
}

/// Several charts as a comparison of methods would have them.
fn comparison(methods: usize, columns: usize) -> Figure {
    let names = ["newton", "projective dynamics", "xpbd", "symplectic euler", "bdf2", "vbd"];
    let series = |mark: Mark, scale: f64| -> Vec<Series> {
        let points = |m: usize| {
            let point =
                |k: usize| [0.05 * 3_f64.powi((k + m) as i32), scale / (k * k + m + 1) as f64];
            (0..6).map(point).collect()
        };
        (0..methods).map(|m| Series::new(names[m], mark, points(m))).collect()
    };
    let chart = |title: &str, x, y, mark, scale| Chart {
        title: title.into(),
        x: axis(x, "milliseconds"),
        y: axis(y, "‖∇g‖ (N)"),
        series: series(mark, scale),
    };
    Figure {
        title: "A comparison".into(),
        charts: vec![
            chart("Error", Scale::Log, Scale::Log, Mark::Dots, 0.1),
            chart("Energy gap", Scale::Log, Scale::Linear, Mark::Both, 3e-7),
            chart("", Scale::Linear, Scale::Log, Mark::Line, 4e9),
        ],
        columns,
        ..Figure::default()
    }
}

/// The figure in both forms.
fn both(figure: &Figure, [width, height]: [u32; 2]) -> (String, Image) {
    (figure.svg(width, height), figure.image(width, height).expect("an image"))
}

#[test]
fn svg_and_pixels_show_the_same_marks() {
    let row = |k: usize| (0..15).map(|i| [f64::from(i), k as f64]).collect();
    for (rows, theme) in
        [(12, Theme::Light), (12, Theme::Dark), (6, Theme::Light), (6, Theme::Dark)]
    {
        let series = (0..rows).map(|k| Series::new(format!("row {k}"), Mark::Dots, row(k)));
        let chart = Chart { series: series.collect(), ..Chart::default() };
        let (text, image) = both(&Figure { theme, ..Figure::from(chart) }, SIZE);
        let svg = Document::parse(&text).expect("well formed");
        let marks = marks(&svg);
        assert_eq!(marks.len(), rows * 16, "every point and the legend");
        for &(place, rgb) in &marks {
            let apart = at(&image, place).into_iter().zip(rgb).map(|(a, b)| a.abs_diff(b)).max();
            assert!(apart < Some(9), "the middle of a mark at {place:?}");
            // The first six shapes are filled and have a color each.
            assert!(rows > 6 || patches(&image, rgb) == 16, "{rgb:?}");
        }
    }
}

#[test]
fn svg_and_pixels_show_the_same_lines() {
    let wave = |k: i32| [f64::from(k), f64::from(k % 7) + 0.1 * f64::from(k)];
    let plain = Series::new("wave", Mark::Line, (0..40).map(wave).collect());
    let (text, image) = both(&Chart { series: vec![plain], ..Chart::default() }.into(), SIZE);
    let svg = Document::parse(&text).expect("well formed");
    let line = all(&svg, "polyline").max_by_key(|node| node.attribute("points").map(str::len));
    let line = line.expect("a line");
    let points: Vec<[f64; 2]> = line
        .attribute("points")
        .expect("points")
        .split([',', ' '])
        .map(|x| x.parse().expect("a number"))
        .collect::<Vec<f64>>()
        .chunks(2)
        .map(|point| [point[0], point[1]])
        .collect();
    assert_eq!(points.len(), 40);
    let blue = color(line, "stroke");
    let near = |a: [u8; 3]| a.iter().zip(blue).all(|(a, b)| a.abs_diff(b) < 120);
    for pair in points.windows(2) {
        let middle = [0, 1].map(|k| 0.5 * (pair[0][k] + pair[1][k]));
        assert!(near(at(&image, pair[0])) && near(at(&image, middle)), "{pair:?}");
    }
}

#[test]
fn words_stay_on_the_page_and_do_not_overlap() {
    for (methods, columns) in [(1, 1), (3, 2), (6, 1), (6, 2), (6, 3)] {
        let figure = comparison(methods, columns);
        for [width, height] in [[420, 700], [640, 640], [1000, 420 + 330 * (3 - columns as u32)]] {
            let text = figure.svg(width, height);
            let svg = Document::parse(&text).expect("well formed");
            let boxes: Vec<[f64; 4]> = all(&svg, "text").map(text_box).collect();
            assert!(boxes.len() > 20);
            for (k, a) in boxes.iter().enumerate() {
                let inside =
                    a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= width.into() && a[3] <= height.into();
                let words = all(&svg, "text").nth(k).map(|node| node.text().unwrap_or_default());
                assert!(inside, "{words:?} at {a:?} on {width} x {height}");
                for b in &boxes[..k] {
                    let apart = a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3];
                    assert!(apart, "{words:?}: {a:?} and {b:?} on {width} x {height}");
                }
            }
        }
    }
}

#[test]
fn nothing_is_too_odd_to_be_drawn() {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1e-300,
        1e300,
        -1e300,
        5e-324,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e-12,
        1.0 + 1e-12,
        123_456.789,
    ];
    let lists = |k: usize| -> Vec<[f64; 2]> {
        let value = |i: usize| values[i % values.len()];
        match k {
            0 => vec![],
            1..17 => vec![[value(k), value(3 * k + 1)]],
            17..33 => vec![[value(k), value(5 * k)], [value(k + 1), value(5 * k)]],
            _ => (0..k).map(|i| [value(i * k + 3), value(i * i + k)]).collect(),
        }
    };
    for k in 0..80 {
        let mark = MARKS[k % 4];
        let (x, y) = (axis(SCALES[k / 4 % 2], "x"), axis(SCALES[k / 8 % 2], "energy (J)"));
        let series = vec![Series::new("a", mark, lists(k)), Series::new("", mark, lists(k / 2))];
        let chart = Chart { title: "odd".into(), x, y, series };
        let text = [13.0, f64::NAN, 0.0, f64::INFINITY][k / 3 % 4];
        let figure =
            Figure { text, columns: k % 3, charts: vec![chart; 1 + k % 3], ..Figure::default() };
        for size in [[1, 1], [30, 400], [320, 240]] {
            let (text, image) = both(&figure, size);
            Document::parse(&text).expect("well formed");
            assert!(
                !text.contains("NaN") && !text.contains("inf,") && !text.contains("e3"),
                "{text}"
            );
            assert_eq!([image.width, image.height], size);
            assert_eq!((text, image), both(&figure, size), "the same bits again");
        }
    }
    let (text, _) = both(&Figure::default(), SIZE);
    Document::parse(&text).expect("well formed");
    assert!(matches!(Figure::default().image(0, 5), Err(RenderError::ImageSize { .. })));
    assert!(matches!(Figure::default().image(5, 16_385), Err(RenderError::ImageSize { .. })));
}

#[test]
fn names_are_escaped_and_shortened() {
    let nasty = "<b>\"R&D\"</b> \u{0}\u{b}\u{ffff}'\n]]>";
    let long = "a name that goes on ".repeat(5000);
    let series =
        [nasty, &long].map(|name| Series::new(name, Mark::Line, vec![[0.0, 0.0], [1.0, 1.0]]));
    let chart = Chart {
        title: long.clone(),
        x: Axis::linear(nasty),
        y: Axis::linear(long.clone()),
        series: series.into(),
    };
    let (text, _) = both(&chart.into(), SIZE);
    let svg = Document::parse(&text).expect("well formed");
    let words: Vec<&str> = all(&svg, "text").filter_map(|node| node.text()).collect();
    let shown = "<b>\"R&D\"</b>   \u{fffd}' ]]>";
    assert_eq!(words.iter().filter(|text| **text == shown).count(), 2, "{words:?}");
    let shortened = words.iter().filter(|text| text.starts_with("a name") && text.ends_with('…'));
    assert_eq!(shortened.count(), 3, "{words:?}");
    let (title, rest) = text.split_once("</title>").expect("a title");
    assert!(title.len() > 50_000 && rest.len() < 10_000);
}

#[test]
fn what_is_not_shown_is_said() {
    let points = [1.0, 10.0, 0.0, -1.0, 100.0, -2.0].map(|y| [y + 3.0, y]);
    let series = vec![Series::new("", Mark::Both, points.into())];
    let chart = Chart { y: Axis::log("error (m)"), series, ..Chart::default() };
    let text = Figure::from(chart.clone()).svg(400, 300);
    assert!(text.contains("3 points ≤ 0 are not shown"));
    let text = Figure::from(Chart { y: Axis::linear("error (m)"), ..chart }).svg(400, 300);
    assert!(!text.contains("not shown") && !text.contains("no data"));
    assert!(Figure::from(Chart::default()).svg(400, 300).contains("no data"));
}

#[test]
fn long_series_give_short_files() {
    let wave = |k: u32| [f64::from(k), (f64::from(k) * 1e-3).sin() + f64::from(k * 7919 % 101)];
    for (mark, most) in [(Mark::Line, 60_000), (Mark::Dots, 700_000)] {
        let series = vec![Series::new("wave", mark, (0..200_000).map(wave).collect())];
        let text = Figure::from(Chart { series, ..Chart::default() }).svg(SIZE[0], SIZE[1]);
        assert!(text.len() < most, "{mark:?} takes {} bytes", text.len());
    }
}

#[test]
fn one_legend_serves_charts_with_the_same_names() {
    let count = |figure: &Figure, name: &str| {
        let text = figure.svg(1000, 500);
        let svg = Document::parse(&text).expect("well formed");
        all(&svg, "text").filter(|node| node.text() == Some(name)).count()
    };
    let mut figure = comparison(4, 3);
    assert_eq!(count(&figure, "xpbd"), 1);
    figure.charts[1].series.remove(2);
    assert_eq!(count(&figure, "xpbd"), 1, "one chart still has all names");
    figure.charts[1].series.push(Series::new("total", Mark::Line, Vec::new()));
    assert_eq!(count(&figure, "xpbd"), 2, "each chart lists its own");
    assert_eq!(count(&figure, "total"), 1);
}
