//! Joints as a graph over bodies: an order of small bandwidth, and groups that nothing holds.

use super::Joint;

/// The joints in an order along the bodies, so that those that share a body are near.
pub(super) fn order_along_bodies(joints: &[Joint], bodies: usize) -> Vec<usize> {
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); bodies];
    for (index, joint) in joints.iter().enumerate() {
        joint.bodies.into_iter().flatten().for_each(|body| at[body.index()].push(index));
    }
    let ends = |joint: &Joint| {
        joint.bodies.iter().flatten().map(|&body| at[body.index()].len()).min().unwrap_or(0)
    };
    let mut starts: Vec<usize> = (0..joints.len()).collect();
    starts.sort_by_key(|&index| (ends(&joints[index]), index));
    let mut seen = vec![false; joints.len()];
    let mut order = Vec::with_capacity(joints.len());
    for start in starts {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut next = order.len();
        order.push(start);
        while next < order.len() {
            for body in joints[order[next]].bodies.into_iter().flatten() {
                for &index in &at[body.index()] {
                    if !std::mem::replace(&mut seen[index], true) {
                        order.push(index);
                    }
                }
            }
            next += 1;
        }
    }
    order
}

/// The groups of joined bodies of which none holds on to the world.
pub(super) fn free_groups(joints: &[Joint], bodies: usize) -> Vec<Vec<u32>> {
    let mut group: Vec<usize> = (0..bodies).collect();
    let find = |group: &[usize], mut body: usize| {
        while group[body] != body {
            body = group[body];
        }
        body
    };
    for joint in joints {
        if let [Some(a), Some(b)] = joint.bodies {
            let (a, b) = (find(&group, a.index()), find(&group, b.index()));
            group[a.max(b)] = a.min(b);
        }
    }
    let mut groups = vec![Vec::new(); bodies];
    (0..bodies).for_each(|body| groups[find(&group, body)].push(body as u32));
    for joint in joints.iter().filter(|joint| joint.bodies.contains(&None)) {
        for &body in joint.bodies.iter().flatten() {
            groups[find(&group, body.index())].clear();
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}
