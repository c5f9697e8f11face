//! Which samples of a pixel grid a triangle covers, without gaps between neighbors. Shared by the
//! camera's picture and the shadow map.

use glam::DVec3;
use std::ops::Range;

/// A triangle on a pixel grid with a value that is linear over the grid.
pub(crate) struct Patch {
    /// Per edge `[a, b, c]` of `a·x + b·y + c`, not negative inside.
    edges: [[f64; 3]; 3],
    /// Value of the opposite corner over twice the area, so that `Σ edge · value` interpolates.
    values: [f64; 3],
    pub columns: Range<u32>,
    pub rows: Range<u32>,
}

impl Patch {
    /// Corners are pixel coordinates and a value. `None` without area or outside a grid of `size`.
    pub fn new(corners: [DVec3; 3], size: [u32; 2]) -> Option<Self> {
        let [a, b, c] = corners;
        let area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        if !(area.abs() > 0.0 && area.is_finite()) {
            return None;
        }
        let span = |axis: usize| {
            let at = corners.map(|p| p[axis]);
            let [low, high] = [at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2])];
            pixels(low, high, size[axis])
        };
        let (columns, rows) = (span(0), span(1));
        let edges = [(b, c), (c, a), (a, b)].map(|(from, to)| edge(from, to, area.signum()));
        (!columns.is_empty() && !rows.is_empty()).then(|| Self {
            edges,
            values: corners.map(|p| p.z / area.abs()),
            columns,
            rows,
        })
    }

    /// The value at grid coordinates `x`, `y`, if they are inside.
    pub fn value(&self, x: f64, y: f64) -> Option<f64> {
        let [e, f, g] = self.edges.map(|[a, b, c]| a * x + b * y + c);
        let [u, v, w] = self.values;
        (e >= 0.0 && f >= 0.0 && g >= 0.0).then_some(e * u + f * v + g * w)
    }
}

/// The line through two points. It is always computed from the lesser to the greater point: two
/// triangles that share an edge get the same numbers up to sign, so a sample on it is in at least
/// one of them.
fn edge(from: DVec3, to: DVec3, sign: f64) -> [f64; 3] {
    let swapped = (to.x, to.y) < (from.x, from.y);
    let (p, q) = if swapped { (to, from) } else { (from, to) };
    let sign = if swapped { -sign } else { sign };
    [p.y - q.y, q.x - p.x, p.x * q.y - q.x * p.y].map(|x| sign * x)
}

/// The pixels that the interval touches, within a row of `size`.
pub(crate) fn pixels(low: f64, high: f64, size: u32) -> Range<u32> {
    let end = f64::from(size);
    let first = low.floor().clamp(0.0, end) as u32;
    let last = (high.floor() + 1.0).clamp(0.0, end) as u32;
    if low <= high { first..last } else { 0..0 }
}

/// For each band of `height` rows, the numbers of the items whose rows reach into it, in order.
pub(crate) fn bands(
    items: impl Iterator<Item = Range<u32>>,
    rows: u32,
    height: u32,
) -> Vec<Vec<u32>> {
    let mut bands = vec![Vec::new(); rows.div_ceil(height) as usize];
    for (number, range) in items.enumerate().filter(|(_, range)| !range.is_empty()) {
        for band in range.start / height..=(range.end - 1) / height {
            bands[band as usize].push(number as u32);
        }
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fan_around_an_odd_point_has_no_gaps() {
        let hub = DVec3::new(33.333_333, 29.142_857, 1.0);
        let spoke = |i: usize| {
            let angle = i as f64 * std::f64::consts::TAU / 17.0;
            DVec3::new(hub.x + 90.0 * angle.cos(), hub.y + 90.0 * angle.sin(), 1.0)
        };
        let fan: Vec<Patch> = (0..17)
            .map(|i| Patch::new([hub, spoke(i), spoke((i + 1) % 17)], [64, 64]).expect("a patch"))
            .collect();
        for i in 0..64 * 64 {
            let (x, y) = ((i % 64) as f64 + 0.5, (i / 64) as f64 + 0.5);
            let values: Vec<f64> = fan.iter().filter_map(|patch| patch.value(x, y)).collect();
            assert_eq!(values.len(), 1, "{} patches hold {x}, {y}", values.len());
            assert!((values[0] - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn the_value_is_linear_and_the_winding_does_not_matter() {
        let corners = [[1.0, 2.0, 5.0], [9.0, 3.0, -1.0], [4.0, 8.0, 2.0]].map(DVec3::from_array);
        let [a, b, c] = corners;
        let middle = (a + b + c) / 3.0;
        for corners in [[a, b, c], [a, c, b]] {
            let patch = Patch::new(corners, [16, 16]).expect("a patch");
            assert!((patch.value(middle.x, middle.y).expect("inside") - 2.0).abs() < 1e-9);
            assert_eq!(patch.value(1.0, 7.0), None);
            assert_eq!((patch.columns.clone(), patch.rows.clone()), (1..10, 2..9));
        }
        assert!(Patch::new([a, b, a], [16, 16]).is_none());
        assert!(Patch::new([a, b, DVec3::NAN], [16, 16]).is_none());
    }
}
