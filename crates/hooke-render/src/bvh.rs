//! A bounding volume hierarchy that answers one question: does a ray hit anything?
//!
//! Splits follow the binned surface area heuristic (Wald 2007, *On fast Construction of SAH-based
//! Bounding Volume Hierarchies*). Where that does not separate anything, or goes too deep, the list
//! is halved, so depth and time stay bounded for collapsed cloth whose boxes all coincide.

use crate::shape::Ray;
use glam::Vec3;

const BINS: usize = 12;
const LEAF: usize = 4;
/// Depth from which lists are halved; halving 2³² primitives takes 32 levels more.
const DEEP: u32 = 40;
const STACK: usize = 80;

pub(crate) struct Bvh {
    nodes: Vec<Node>,
    /// Primitive numbers; each leaf owns a range.
    order: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    min: Vec3,
    max: Vec3,
    /// First primitive of a leaf, or first of two adjacent children.
    first: u32,
    /// Primitives of a leaf, or zero.
    count: u32,
}

#[derive(Clone, Copy)]
struct Extent {
    min: Vec3,
    max: Vec3,
}

impl Extent {
    const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    fn grow(&mut self, min: Vec3, max: Vec3) {
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }

    fn half_area(&self) -> f32 {
        let d = (self.max - self.min).max(Vec3::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    }
}

impl Bvh {
    /// Over boxes given by their least and greatest corners.
    pub fn new(boxes: &[[Vec3; 2]]) -> Self {
        let mut bvh = Self { nodes: Vec::new(), order: (0..boxes.len() as u32).collect() };
        if boxes.is_empty() {
            return bvh;
        }
        let mut work = vec![(0, 0..boxes.len(), 0)];
        bvh.nodes.push(Node { min: Vec3::ZERO, max: Vec3::ZERO, first: 0, count: 0 });
        while let Some((node, range, depth)) = work.pop() {
            let list = &mut bvh.order[range.clone()];
            let mut extent = Extent::EMPTY;
            for &i in list.iter() {
                let [min, max] = boxes[i as usize];
                extent.grow(min, max);
            }
            let Extent { min, max } = extent;
            if list.len() <= LEAF {
                let (first, count) = (range.start as u32, list.len() as u32);
                bvh.nodes[node] = Node { min, max, first, count };
                continue;
            }
            let middle = range.start + split(list, boxes, depth);
            let first = bvh.nodes.len();
            bvh.nodes[node] = Node { min, max, first: first as u32, count: 0 };
            bvh.nodes.extend([bvh.nodes[node]; 2]);
            work.push((first, range.start..middle, depth + 1));
            work.push((first + 1, middle..range.end, depth + 1));
        }
        bvh
    }

    /// Whether `hit` says yes for a primitive whose box the ray enters.
    pub fn any(&self, ray: &Ray, mut hit: impl FnMut(u32) -> bool) -> bool {
        // A component of zero becomes tiny: infinity times a distance of zero would be no number.
        let inverse = Vec3::from(
            ray.direction.to_array().map(|d| if d.abs() < 1e-20 { 1e20 } else { d.recip() }),
        );
        let meets = |node: &Node| {
            let (a, b) = ((node.min - ray.origin) * inverse, (node.max - ray.origin) * inverse);
            let enter = a.min(b).max_element().max(0.0);
            a.max(b).min_element() >= enter
        };
        let mut stack = [0u32; STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let node = &self.nodes[stack[height] as usize];
            if !meets(node) {
                continue;
            }
            let first = node.first as usize;
            if node.count == 0 {
                stack[height] = node.first;
                stack[height + 1] = node.first + 1;
                height += 2;
            } else if self.order[first..first + node.count as usize].iter().any(|&i| hit(i)) {
                return true;
            }
        }
        false
    }
}

/// Sorts `list` into two parts and returns the length of the first, neither zero nor all.
fn split(list: &mut [u32], boxes: &[[Vec3; 2]], depth: u32) -> usize {
    let half = list.len() / 2;
    let center = |i: u32| {
        let [min, max] = boxes[i as usize];
        0.5 * (min + max)
    };
    let mut centers = Extent::EMPTY;
    for &i in list.iter() {
        centers.grow(center(i), center(i));
    }
    let size = centers.max - centers.min;
    let axis = size.max_position();
    let apart = size[axis] > 0.0;
    if depth >= DEEP || !apart {
        return half;
    }
    let scale = BINS as f32 / size[axis];
    let bin = |i: u32| (((center(i)[axis] - centers.min[axis]) * scale) as usize).min(BINS - 1);
    let mut bins = [(Extent::EMPTY, 0usize); BINS];
    for &i in list.iter() {
        let [min, max] = boxes[i as usize];
        let (extent, count) = &mut bins[bin(i)];
        extent.grow(min, max);
        *count += 1;
    }
    let mut costs = [0.0f32; BINS - 1];
    let mut sweep = |order: &mut dyn Iterator<Item = (usize, usize)>| {
        let (mut extent, mut count) = (Extent::EMPTY, 0);
        for (cut, from) in order {
            extent.grow(bins[from].0.min, bins[from].0.max);
            count += bins[from].1;
            costs[cut] += extent.half_area() * count as f32;
        }
    };
    sweep(&mut (0..BINS - 1).map(|cut| (cut, cut)));
    sweep(&mut (0..BINS - 1).rev().map(|cut| (cut, cut + 1)));
    let best = (0..BINS - 1).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0);

    let mut left = 0;
    for i in 0..list.len() {
        if bin(list[i]) <= best {
            list.swap(left, i);
            left += 1;
        }
    }
    if left == 0 || left == list.len() { half } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(boxes: &[[Vec3; 2]], ray: &Ray) -> Vec<u32> {
        let mut found = Vec::new();
        Bvh::new(boxes).any(ray, |i| {
            found.push(i);
            false
        });
        found.sort_unstable();
        found
    }

    #[test]
    fn every_box_on_the_ray_is_asked_about() {
        let boxes: Vec<[Vec3; 2]> = (0..2000)
            .map(|i| {
                let part = |step: f64| (f64::from(i) * step).fract() as f32 * 20.0 - 10.0;
                let at = Vec3::new(part(0.819_172_5), part(0.671_043_6), part(0.549_700_5));
                [at - 0.5, at + 0.5]
            })
            .collect();
        for direction in [Vec3::new(0.3, 0.5, -0.8), Vec3::X, Vec3::new(-0.2, 0.0, 0.9)] {
            let ray = Ray { origin: Vec3::new(-4.0, -1.0, 2.0) - 3.0 * direction, direction };
            let hits = found(&boxes, &ray);
            let mut met = 0;
            for (i, [min, max]) in boxes.iter().enumerate() {
                let through = (1..4000).any(|k| {
                    let p = ray.at(k as f32 * 0.01);
                    p.cmpge(*min).all() && p.cmple(*max).all()
                });
                met += usize::from(through);
                assert!(!through || hits.contains(&(i as u32)));
            }
            assert!(met > 0 && hits.len() < 200, "{met} met, {} hits", hits.len());
        }
    }

    #[test]
    fn coinciding_and_nested_boxes_stay_shallow() {
        let ray = Ray { origin: Vec3::new(0.0, 0.0, 9e8), direction: Vec3::NEG_Z };
        assert_eq!(found(&vec![[Vec3::NEG_ONE, Vec3::ONE]; 50_000], &ray).len(), 50_000);
        let nested: Vec<_> = (0..50_000)
            .map(|i| {
                let at = Vec3::splat(1.001f32.powi(-i % 40_000));
                [Vec3::ZERO, at]
            })
            .collect();
        assert_eq!(
            found(&nested, &Ray { origin: Vec3::NEG_ONE, direction: Vec3::ONE }).len(),
            50_000
        );
        assert!(found(&[], &ray).is_empty());
    }
}
