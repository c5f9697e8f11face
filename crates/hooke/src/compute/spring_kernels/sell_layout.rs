//! Who meets whom: particles in groups of L, one to a lane, and lines of partners for each group.
//!
//! On a grid all particles of a group have a partner at the same distance in the numbering. Such
//! partners share a line, and where they are adjacent in memory the line is a *run*: it is read
//! at once instead of one by one.

use super::Joined;

/// The lines of all groups.
#[derive(Default)]
pub(super) struct SellLayout<const L: usize> {
    pub(super) particles: usize,
    /// One more than there are groups: the last says where the lines end.
    pub(super) groups: Vec<Group>,
    pub(super) partner: Vec<[u32; L]>,
    /// Whether the partners of a line are adjacent.
    pub(super) runs: Vec<bool>,
    /// Whether most lines are runs.
    pub(super) by_runs: bool,
}

/// The lines of L particles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The first line.
    pub(super) line: u32,
    /// The first lines hold springs to later particles: each spring of the model once.
    pub(super) counted: u32,
    /// How many such lines there are before.
    pub(super) before: u32,
    /// Whether the last particle is among these or their partners.
    pub(super) last: bool,
}

/// No spring.
pub(super) const NONE: u32 = u32::MAX;

/// A spring of a group: how far its other end is in the numbering, the lane of this end, the spring.
type Link = (i64, usize, u32);

impl<const L: usize> SellLayout<L> {
    /// Lays `particles` out with the springs between them; also the spring of each lane of each line.
    pub(super) fn new(particles: usize, springs: &[Joined]) -> (Self, Vec<[u32; L]>) {
        let mut layout = Self { particles, ..Self::default() };
        let mut of_lines = Vec::new();
        let (starts, ends) = ends(particles, springs);
        let mut before = 0;
        for group in 0..particles.div_ceil(L) {
            let line = layout.partner.len() as u32;
            let (mut later, mut earlier) = (Vec::new(), Vec::new());
            for own in group * L..((group + 1) * L).min(particles) {
                for &(other, spring) in &ends[starts[own]..starts[own + 1]] {
                    let offset = i64::from(other) - own as i64;
                    let links = if offset > 0 { &mut later } else { &mut earlier };
                    links.push((offset, own % L, spring));
                }
            }
            layout.add_lines(group, later, &mut of_lines);
            let counted = layout.partner.len() as u32 - line;
            layout.add_lines(group, earlier, &mut of_lines);
            let mut met = layout.partner[line as usize..].iter().flatten();
            let last = (group + 1) * L >= particles || met.any(|&i| i as usize + 1 == particles);
            layout.groups.push(Group { line, counted, before, last });
            before += counted;
        }
        let line = layout.partner.len() as u32;
        layout.groups.push(Group { line, counted: 0, before, last: true });
        layout.by_runs = 2 * layout.runs.iter().filter(|run| **run).count() > layout.runs.len();
        (layout, of_lines)
    }

    /// Lines for the links of a group: one for each distance where that takes hardly more lines than
    /// to fill them without order.
    fn add_lines(&mut self, group: usize, mut links: Vec<Link>, of_lines: &mut Vec<[u32; L]>) {
        let mut fill = [0; L];
        links.iter().for_each(|&(_, lane, _)| fill[lane] += 1);
        let fewest = fill.iter().copied().max().unwrap_or(0);
        links.sort_unstable();
        let by_distance = links.chunk_by(|a, b| a.0 == b.0).map(|chunk| {
            let lanes = chunk.chunk_by(|a, b| a.1 == b.1);
            lanes.map(<[Link]>::len).max().unwrap_or(0)
        });
        let own = self.own::<true>(group);
        let first = self.partner.len();
        if by_distance.sum::<usize>() <= fewest + fewest / 4 + 1 {
            for chunk in links.chunk_by(|a, b| a.0 == b.0) {
                let (start, mut next) = (self.partner.len(), [0; L]);
                for &(offset, lane, spring) in chunk {
                    let line = start + next[lane];
                    next[lane] += 1;
                    if line == self.partner.len() {
                        // Lanes without such a spring read where it would lead, if there is a particle.
                        let there = own.map(|own| {
                            let there = i64::from(own) + offset;
                            if (0..self.particles as i64).contains(&there) {
                                there as u32
                            } else {
                                own
                            }
                        });
                        self.partner.push(there);
                        of_lines.push([NONE; L]);
                    }
                    of_lines[line][lane] = spring;
                }
            }
        } else {
            let mut next = [0; L];
            for &(offset, lane, spring) in &links {
                let line = first + next[lane];
                next[lane] += 1;
                if line == self.partner.len() {
                    self.partner.push(own);
                    of_lines.push([NONE; L]);
                }
                self.partner[line][lane] = (i64::from(own[lane]) + offset) as u32;
                of_lines[line][lane] = spring;
            }
        }
        for line in &self.partner[first..] {
            self.runs.push(line.windows(2).all(|pair| pair[0] + 1 == pair[1]));
        }
    }

    /// The lines of a group.
    #[inline(always)]
    pub(super) fn lines(&self, group: usize) -> std::ops::Range<usize> {
        self.groups[group].line as usize..self.groups[group + 1].line as usize
    }

    /// The particles of a group; where there are fewer, the last again.
    #[inline(always)]
    pub(super) fn own<const LAST: bool>(&self, group: usize) -> [u32; L] {
        let last = self.particles.saturating_sub(1);
        let end = if LAST { last } else { usize::MAX };
        let mut own = [0; L];
        for (lane, own) in own.iter_mut().enumerate() {
            *own = (group * L + lane).min(end) as u32;
        }
        own
    }
}

/// For each particle the other ends of its springs and which springs they are, in order.
fn ends(particles: usize, springs: &[Joined]) -> (Vec<usize>, Vec<(u32, u32)>) {
    let mut starts = vec![0; particles + 1];
    for &([i, j], _) in springs {
        starts[i as usize + 1] += 1;
        starts[j as usize + 1] += 1;
    }
    for i in 0..particles {
        starts[i + 1] += starts[i];
    }
    let (mut next, mut ends) = (starts.clone(), vec![(0, 0); 2 * springs.len()]);
    for (spring, &([i, j], _)) in (0..).zip(springs) {
        for (own, other) in [(i, j), (j, i)] {
            ends[next[own as usize]] = (other, spring);
            next[own as usize] += 1;
        }
    }
    (starts, ends)
}
