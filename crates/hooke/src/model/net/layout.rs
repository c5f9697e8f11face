//! Who meets whom: particles in groups of L, one to a lane, and lines of partners for each group.

/// The lines of all groups.
#[derive(Default)]
pub(super) struct Layout<const L: usize> {
    pub(super) particles: usize,
    /// One more than there are groups: the last says where the lines end.
    pub(super) groups: Vec<Group>,
    pub(super) partner: Vec<[u32; L]>,
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

/// Where one end of a spring stands.
pub(super) struct End {
    /// The spring, in the order given.
    pub(super) spring: usize,
    pub(super) line: usize,
    pub(super) lane: usize,
    /// The line among those that count.
    pub(super) counted: Option<usize>,
}

impl<const L: usize> Layout<L> {
    /// Makes the groups of `particles` joined in `pairs`.
    pub(super) fn new(particles: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        // How many partners each particle has after it and before it.
        let mut ends = vec![[0u32; 2]; particles];
        for [i, j] in pairs {
            ends[i.min(j) as usize][0] += 1;
            ends[i.max(j) as usize][1] += 1;
        }
        let mut groups = Vec::with_capacity(particles.div_ceil(L) + 1);
        let (mut line, mut before) = (0, 0);
        for group in ends.chunks(L) {
            let most = [0, 1].map(|k| group.iter().map(|ends| ends[k]).max().unwrap_or(0));
            groups.push(Group { line, counted: most[0], before, last: false });
            line += most[0] + most[1];
            before += most[0];
        }
        groups.push(Group { line, counted: 0, before, last: true });
        if let Some(group) = groups.len().checked_sub(2) {
            groups[group].last = true;
        }
        // A lane without a spring meets its own particle.
        let mut layout = Self { particles, groups, partner: Vec::with_capacity(line as usize) };
        for group in 0..layout.groups.len() - 1 {
            let (own, end) = (layout.own::<true>(group), layout.groups[group + 1].line);
            layout.partner.resize(end as usize, own);
        }
        layout
    }

    /// Writes the partners down; `put` learns where both ends of every spring stand.
    pub(super) fn place(
        &mut self,
        pairs: impl Iterator<Item = [u32; 2]>,
        mut put: impl FnMut(End),
    ) {
        let last = self.particles.saturating_sub(1) as u32;
        let mut ends = vec![[0u32; 2]; self.particles];
        for (spring, [i, j]) in pairs.enumerate() {
            for (own, other) in [(i, j), (j, i)] {
                let lane = own as usize % L;
                let group = &mut self.groups[own as usize / L];
                group.last |= other == last;
                let earlier = other < own;
                let next = &mut ends[own as usize][usize::from(earlier)];
                let line = (group.line + *next + if earlier { group.counted } else { 0 }) as usize;
                let counted = (!earlier).then_some((group.before + *next) as usize);
                self.partner[line][lane] = other;
                put(End { spring, line, lane, counted });
                *next += 1;
            }
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
