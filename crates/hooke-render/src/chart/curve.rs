//! The points of a series that can be shown, and no more of them than can be seen.

use super::{Chart, Series, canvas::Point2, range::Missing};

/// Points of a line from which on it is thinned out.
const MANY: usize = 2000;

/// A series as unbroken runs of points, in the coordinates of the axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Curve {
    pub runs: Vec<Vec<Point2>>,
    /// Points left out because they are infinite.
    infinite: usize,
    /// Points left out because they are not positive on a logarithmic axis.
    not_positive: usize,
}

impl Curve {
    pub fn new(series: &Series, chart: &Chart) -> Self {
        let mut curve = Self::default();
        let mut run = Vec::new();
        for &[x, y] in &series.points {
            match (chart.x.scale.coordinate(x), chart.y.scale.coordinate(y)) {
                (Ok(x), Ok(y)) => run.push([x, y]),
                (x, y) => {
                    let reasons = [x.err(), y.err()];
                    if reasons.contains(&Some(Missing::Infinite)) {
                        curve.infinite += 1;
                    } else if !reasons.contains(&Some(Missing::Gap)) {
                        curve.not_positive += 1;
                    }
                    curve.runs.push(std::mem::take(&mut run));
                }
            }
        }
        curve.runs.push(run);
        curve.runs.retain(|run| !run.is_empty());
        curve
    }

    pub fn points(&self) -> impl Iterator<Item = Point2> {
        self.runs.iter().flatten().copied()
    }
}

/// What a chart says about the points that it does not show.
pub(crate) fn note(curves: &[Curve]) -> String {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let not_positive: usize = curves.iter().map(|curve| curve.not_positive).sum();
    let infinite: usize = curves.iter().map(|curve| curve.infinite).sum();
    let points = match (not_positive, infinite) {
        (0, 0) => return String::new(),
        (n, 0) => format!("{n} point{} ≤ 0", plural(n)),
        (0, n) => format!("{n} infinite point{}", plural(n)),
        (n, m) => format!("{n} point{} ≤ 0 and {m} infinite", plural(n)),
    };
    format!("{points} {} not shown", if not_positive + infinite == 1 { "is" } else { "are" })
}

/// A line that looks the same with fewer points: of those in one column of pixels, the first, the
/// lowest, the highest and the last.
pub(crate) fn thin(line: &[Point2]) -> Vec<Point2> {
    if line.len() <= MANY {
        return line.to_vec();
    }
    let mut kept = Vec::new();
    for column in line.chunk_by(|a, b| a[0].floor() == b[0].floor()) {
        let by_height = |a: &usize, b: &usize| column[*a][1].total_cmp(&column[*b][1]);
        let lowest = (0..column.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..column.len()).max_by(by_height).unwrap_or(0);
        let mut indices = vec![0, lowest, highest, column.len() - 1];
        indices.sort_unstable();
        indices.dedup();
        kept.extend(indices.into_iter().map(|k| column[k]));
    }
    kept
}

/// Marks without those that would cover another one, if there are many.
pub(crate) fn sparse(points: Vec<Point2>, distance: f64) -> Vec<Point2> {
    if points.len() <= MANY {
        return points;
    }
    let mut taken = std::collections::HashSet::new();
    let cell = |point: &Point2| point.map(|x| (x / distance).floor() as i64);
    points.into_iter().filter(|point| taken.insert(cell(point))).collect()
}

/// Places for marks along a line: its points if they are `distance` apart on average, otherwise
/// some of them, starting at a part `start` of the first interval.
pub(crate) fn along(line: &[Point2], distance: f64, start: f64) -> Vec<Point2> {
    let step = |pair: &[Point2]| {
        let [dx, dy] = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
        (dx * dx + dy * dy).sqrt()
    };
    let length: f64 = line.windows(2).map(step).sum();
    if length >= distance * line.len().saturating_sub(1) as f64 {
        return line.to_vec();
    }
    let interval = 4.0 * distance;
    let mut left = (start * interval).min(0.5 * length);
    let mut kept = Vec::new();
    for pair in line.windows(2) {
        left -= step(pair);
        if left <= 0.0 {
            kept.push(pair[1]);
            left = interval;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Mark};

    fn curve(y: &[f64]) -> Curve {
        let chart = Chart { y: Axis::log("y"), ..Chart::default() };
        let points = y.iter().enumerate().map(|(k, &y)| [k as f64, y]).collect();
        Curve::new(&Series::new("", Mark::Line, points), &chart)
    }

    #[test]
    fn a_line_breaks_where_a_point_cannot_be_shown() {
        let found = curve(&[1.0, 10.0, 0.0, f64::NAN, 100.0, f64::INFINITY, -1.0]);
        assert_eq!(found.runs, [vec![[0.0, 0.0], [1.0, 1.0]], vec![[4.0, 2.0]]]);
        assert_eq!((found.not_positive, found.infinite), (2, 1));
    }

    #[test]
    fn the_note_counts_what_is_missing() {
        let say = |y: &[f64]| note(&[curve(y), curve(&[1.0])]);
        assert_eq!(say(&[1.0, f64::NAN]), "");
        assert_eq!(say(&[0.0]), "1 point ≤ 0 is not shown");
        assert_eq!(say(&[0.0, -1.0, -2.0]), "3 points ≤ 0 are not shown");
        assert_eq!(say(&[f64::INFINITY]), "1 infinite point is not shown");
        assert_eq!(say(&[f64::INFINITY, 0.0]), "1 point ≤ 0 and 1 infinite are not shown");
    }

    #[test]
    fn a_long_line_keeps_its_extremes() {
        let line: Vec<Point2> =
            (0..50_000).map(|k| [f64::from(k) * 0.01, f64::from((k * 7919) % 1009)]).collect();
        let thinned = thin(&line);
        assert!(thinned.len() <= 4 * 500, "{}", thinned.len());
        assert_eq!((thinned.first(), thinned.last()), (line.first(), line.last()));
        let spans = |points: &[Point2]| -> Vec<[f64; 2]> {
            let columns = points.chunk_by(|a, b| a[0].floor() == b[0].floor());
            let span = |column: &[Point2]| {
                column.iter().fold([f64::MAX, f64::MIN], |[a, b], p| [a.min(p[1]), b.max(p[1])])
            };
            columns.map(span).collect()
        };
        assert_eq!(spans(&thinned), spans(&line));
        assert_eq!(thin(&line[..2000]), line[..2000]);
    }

    #[test]
    fn marks_on_a_dense_line_keep_their_distance() {
        let line: Vec<Point2> = (0..400).map(|k| [f64::from(k), 0.0]).collect();
        let marks = along(&line, 10.0, 0.5);
        assert_eq!(marks.first(), Some(&[20.0, 0.0]));
        assert_eq!(marks.len(), 10);
        assert_eq!(along(&line[..2], 1.0, 0.5), line[..2]);
        assert_eq!(along(&[], 1.0, 0.5), [[0.0; 2]; 0]);
        assert!(!along(&line[..8], 10.0, 0.9).is_empty(), "a short dense line has a mark, too");
    }

    #[test]
    fn of_many_marks_those_that_can_be_seen_remain() {
        let few = vec![[1.0, 1.0]; 2000];
        assert_eq!(sparse(few.clone(), 3.0), few);
        assert_eq!(sparse(vec![[1.0, 1.0]; 2001], 3.0), [[1.0, 1.0]]);
    }
}
