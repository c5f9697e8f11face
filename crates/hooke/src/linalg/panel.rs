//! The kernels of a factor in panels: what one run of columns of L does to three right-hand sides.
//!
//! A panel is `Q = [L₁₁⁻¹ − 1; −L₂₁ L₁₁⁻¹]` for columns whose diagonal block of L is L₁₁ and whose
//! rows below are L₂₁. With it both halves of a solve are one product:
//!
//! ```text
//! forward   [y₁; b₂] ← [b₁; b₂] + Q b₁        backward   x₁ ← y₁ + Qᵀ [y₁; x₂]
//! ```
//!
//! Q is stored in blocks of sixteen rows, column by column, so that a lane is a row and no number
//! is moved between lanes but once per block.

use crate::lanes::single::{HalfLine, LANES, Lanes, Line, Quad, Stored, prefetch, slot};
use crate::lanes::{SimdLevel, dispatch};

/// How many bytes before their use lines are fetched.
const AHEAD: usize = 8192;

/// The most columns of a panel.
pub(super) const WIDEST: usize = 32;

/// A run of columns.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    /// The first column.
    pub(super) first: usize,
    /// How many columns.
    pub(super) width: usize,
    /// Where its rows stand in the list of rows: its columns, the rows below, and padding to
    /// blocks of sixteen.
    pub(super) rows: std::ops::Range<usize>,
    /// Where its first line stands.
    pub(super) line: usize,
}

impl Panel {
    fn blocks(&self) -> usize {
        self.rows.len() / LANES
    }

    /// Above the diagonal the first blocks are zero; these have fewer columns than the panel.
    fn short_blocks(&self) -> usize {
        (self.width - 1) / LANES
    }

    fn columns_of(&self, block: usize) -> usize {
        self.width.min(LANES * (block + 1))
    }

    /// Where a block starts.
    fn line_of(&self, block: usize) -> usize {
        let short = self.short_blocks().min(block);
        self.line + LANES * short * (short + 1) / 2 + (block - short) * self.width
    }

    /// The number of its lines.
    pub(super) fn lines(&self) -> usize {
        self.line_of(self.blocks()) - self.line
    }
}

/// The panels of a piece of the matrix, in the order of elimination.
#[derive(Clone, Copy)]
pub(super) struct Panels<'a, S> {
    pub(super) panels: &'a [Panel],
    pub(super) rows: &'a [u32],
    pub(super) lines: &'a [S],
}

/// Reading three columns too many ends within the lines when they end with these.
pub(super) const SPARE_LINES: usize = 3;

/// The lines of all panels.
pub(super) enum Lines {
    /// Where eleven bits serve.
    Half(Vec<HalfLine>),
    /// Otherwise.
    Single(Vec<Line>),
}

impl Lines {
    /// Whether all numbers are finite.
    pub(super) fn are_finite(&self) -> bool {
        match self {
            Self::Half(lines) => lines.iter().all(Stored::is_finite),
            Self::Single(lines) => lines.iter().all(Stored::is_finite),
        }
    }
}

/// What a kernel is called with.
pub(super) struct Job<'a> {
    pub(super) level: SimdLevel,
    pub(super) panels: &'a [Panel],
    pub(super) rows: &'a [u32],
    /// How many rows the piece has, padding included: all of `rows` are below.
    pub(super) height: usize,
    pub(super) lines: &'a Lines,
}

impl Job<'_> {
    /// All that the kernels read without looking: rows within x, and lines to the end of the last
    /// panel. There are none of those while there is no factor.
    fn check(&self, x: &[Quad]) {
        let lines = match self.lines {
            Lines::Half(lines) => lines.len(),
            Lines::Single(lines) => lines.len(),
        };
        let end = self.panels.last().map_or(0, |panel| panel.line + panel.lines() + SPARE_LINES);
        assert!(end <= lines && x.len() == self.height);
    }

    /// `x ← L⁻¹ x` for the columns of the panels; rows outside collect what is to be added to them.
    pub(super) fn forward(&self, x: &mut [Quad]) {
        self.check(x);
        match self.lines {
            Lines::Half(lines) => {
                let panels = Panels { panels: self.panels, rows: self.rows, lines };
                // SAFETY: checked above.
                unsafe {
                    dispatch!(self.level, single, forward_by<_>(
                        panels: Panels<'_, HalfLine>, x: &mut [Quad]
                    ))
                }
            }
            Lines::Single(lines) => {
                let panels = Panels { panels: self.panels, rows: self.rows, lines };
                // SAFETY: checked above.
                unsafe {
                    dispatch!(self.level, single, forward_by<_>(
                        panels: Panels<'_, Line>, x: &mut [Quad]
                    ))
                }
            }
        }
    }

    /// `x ← L⁻ᵀ x` for the columns of the panels; rows outside are known.
    pub(super) fn backward(&self, x: &mut [Quad], scratch: &mut [[Line; 3]]) {
        self.check(x);
        match self.lines {
            Lines::Half(lines) => {
                let panels = Panels { panels: self.panels, rows: self.rows, lines };
                // SAFETY: checked above.
                unsafe {
                    dispatch!(self.level, single, backward_by<_>(
                        panels: Panels<'_, HalfLine>, x: &mut [Quad], scratch: &mut [[Line; 3]]
                    ))
                }
            }
            Lines::Single(lines) => {
                let panels = Panels { panels: self.panels, rows: self.rows, lines };
                // SAFETY: checked above.
                unsafe {
                    dispatch!(self.level, single, backward_by<_>(
                        panels: Panels<'_, Line>, x: &mut [Quad], scratch: &mut [[Line; 3]]
                    ))
                }
            }
        }
    }
}

/// # Safety
/// As [`Lanes`]; rows of the panels are those of x, and their lines are there.
#[inline(always)]
unsafe fn forward_by<V: Lanes, S: Stored>(panels: Panels<'_, S>, x: &mut [Quad]) {
    let mut b = [[0.0; 4]; WIDEST];
    for panel in panels.panels {
        b[..panel.width].copy_from_slice(&x[panel.first..panel.first + panel.width]);
        let (blocks, short) = (panel.blocks(), panel.short_blocks());
        // SAFETY: as the caller promises.
        unsafe {
            for block in 0..short {
                multiply::<V, S, 1>(panel, panels, block, &b, x);
            }
            let mut block = short;
            while block < blocks {
                if V::BLOCKS >= 4 && block + 4 <= blocks {
                    multiply::<V, S, 4>(panel, panels, block, &b, x);
                    block += 4;
                } else if V::BLOCKS >= 2 && block + 2 <= blocks {
                    multiply::<V, S, 2>(panel, panels, block, &b, x);
                    block += 2;
                } else {
                    multiply::<V, S, 1>(panel, panels, block, &b, x);
                    block += 1;
                }
            }
        }
    }
}

/// `x[rows] += Q b` for K blocks of rows of equal width.
///
/// # Safety
/// As [`forward_by`]; the panel has these blocks.
#[inline(always)]
unsafe fn multiply<V: Lanes, S: Stored, const K: usize>(
    panel: &Panel,
    panels: Panels<'_, S>,
    block: usize,
    b: &[Quad; WIDEST],
    x: &mut [Quad],
) {
    let width = panel.columns_of(block);
    let at = panel.line_of(block);
    // SAFETY: as the caller promises; rows and columns are those of the panel.
    unsafe {
        let q = panels.lines.as_ptr().add(at);
        let mut ahead = q.wrapping_byte_add(AHEAD);
        let mut sums = [[V::zero(); 3]; K];
        for column in 0..width {
            let b = b.get_unchecked(column);
            let b = [V::splat(b[0]), V::splat(b[1]), V::splat(b[2])];
            for k in (0..K).step_by(64 / size_of::<S>()) {
                prefetch(ahead.wrapping_add(k));
            }
            for k in 0..K {
                let q: V = (*q.add(k * width + column)).load();
                for axis in 0..3 {
                    sums[k][axis] = sums[k][axis].plus(q, b[axis]);
                }
            }
            ahead = ahead.wrapping_add(K);
        }
        let x = x.as_mut_ptr();
        let rows = panels.rows.as_ptr().add(panel.rows.start + block * LANES);
        for k in 0..K {
            let mut quads = [Line::default(); 4];
            V::spread(sums[k], &mut quads);
            let quads = quads.as_ptr().cast::<Quad>();
            for l in 0..LANES {
                let row = &mut *x.add(*rows.add(k * LANES + l) as usize);
                let quad = &*quads.add(slot(l));
                for axis in 0..4 {
                    row[axis] += quad[axis];
                }
            }
        }
    }
}

/// # Safety
/// As [`Lanes`]; rows of the panels are those of x, and their lines and [`SPARE_LINES`] are there.
#[inline(always)]
unsafe fn backward_by<V: Lanes, S: Stored>(
    panels: Panels<'_, S>,
    x: &mut [Quad],
    scratch: &mut [[Line; 3]],
) {
    let (lead, mut fetched) = (AHEAD / size_of::<S>(), usize::MAX);
    for panel in panels.panels.iter().rev() {
        let blocks = panel.blocks();
        let known = &mut scratch[..blocks];
        let rows = &panels.rows[panel.rows.clone()];
        // SAFETY: as the caller promises.
        unsafe {
            // What comes next lies before this panel. As much is fetched as is used.
            let mut next_rows = rows.as_ptr().wrapping_byte_sub(AHEAD / 4);
            for (known, rows) in known.iter_mut().zip(rows.as_chunks::<LANES>().0) {
                next_rows = next_rows.wrapping_sub(LANES);
                prefetch(next_rows);
                V::collect(x, rows, known);
            }
            if panel.line.wrapping_sub(fetched) > 2 * lead {
                fetched = panel.line.wrapping_sub(lead);
            }
            for column in (0..panel.width).step_by(V::COLUMNS) {
                let out = &mut x[panel.first + column..panel.first + panel.width];
                let (lines, fetched) = (panels.lines, &mut fetched);
                match V::COLUMNS {
                    4 => add_transposed::<V, S, 4>(panel, lines, column, known, fetched, out),
                    _ => add_transposed::<V, S, 2>(panel, lines, column, known, fetched, out),
                }
            }
        }
    }
}

/// Adds `Qᵀ x` of C columns to `out`, as far as there are so many.
///
/// # Safety
/// As [`backward_by`]; `known` has the blocks of the panel.
#[inline(always)]
unsafe fn add_transposed<V: Lanes, S: Stored, const C: usize>(
    panel: &Panel,
    lines: &[S],
    column: usize,
    known: &[[Line; 3]],
    fetched: &mut usize,
    out: &mut [Quad],
) {
    // SAFETY: as the caller promises; lines of a panel follow each other, and spare ones the last.
    unsafe {
        let mut sums = [[V::zero(); 3]; C];
        let first = column / LANES;
        let mut q = lines.as_ptr().add(panel.line_of(first) + column);
        for (block, known) in known.iter().enumerate().skip(first) {
            let known = [V::load(&known[0]), V::load(&known[1]), V::load(&known[2])];
            *fetched = fetched.wrapping_sub(C);
            let ahead = lines.as_ptr().wrapping_add(*fetched);
            for k in (0..C).step_by(64 / size_of::<S>()) {
                prefetch(ahead.wrapping_add(k));
            }
            for k in 0..C {
                let q: V = (*q.add(k)).load();
                for axis in 0..3 {
                    sums[k][axis] = sums[k][axis].plus(q, known[axis]);
                }
            }
            q = q.add(panel.columns_of(block));
        }
        // Known when compiled, so that sums stay in registers.
        for k in (0..C).step_by(2) {
            if k < out.len() {
                let to = out.len().min(k + 2);
                V::add_sums([sums[k], sums[k + 1]], &mut out[k..to]);
            }
        }
    }
}

/// A panel as it stands in a factor: columns of L of length `stride`, of which those from the
/// panel's first row on are given.
pub(super) struct Source<'a> {
    /// The first column from its diagonal on, and all that follows.
    pub(super) values: &'a [f64],
    /// From a column's entry to the same row of the next.
    pub(super) stride: usize,
    /// The rows of the panel without padding.
    pub(super) height: usize,
    /// What the rows of L are multiplied by.
    pub(super) scale: &'a [f64],
}

/// Lines that a panel is packed into.
pub(super) trait Packed: Stored {
    /// Computes Q and writes it into the lines of a panel.
    fn pack(
        level: SimdLevel,
        panel: &Panel,
        source: &Source<'_>,
        scratch: &mut Vec<f64>,
        lines: &mut [Self],
    );
}

impl Packed for HalfLine {
    fn pack(
        level: SimdLevel,
        panel: &Panel,
        source: &Source<'_>,
        scratch: &mut Vec<f64>,
        lines: &mut [Self],
    ) {
        // SAFETY: asks for instructions alone.
        unsafe {
            dispatch!(level, single, pack_by<_>(
                panel: &Panel, source: &Source<'_>, scratch: &mut Vec<f64>, lines: &mut [HalfLine]
            ))
        }
    }
}

impl Packed for Line {
    fn pack(
        level: SimdLevel,
        panel: &Panel,
        source: &Source<'_>,
        scratch: &mut Vec<f64>,
        lines: &mut [Self],
    ) {
        // SAFETY: asks for instructions alone.
        unsafe {
            dispatch!(level, single, pack_by<_>(
                panel: &Panel, source: &Source<'_>, scratch: &mut Vec<f64>, lines: &mut [Line]
            ))
        }
    }
}

/// `[L₁₁⁻¹; −L₂₁ L₁₁⁻¹] L₁₁ = [1; −L₂₁]`, from the last column to the first.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn pack_by<V: Lanes, S: Stored>(
    panel: &Panel,
    source: &Source<'_>,
    scratch: &mut Vec<f64>,
    lines: &mut [S],
) {
    let Source { values, stride, height, scale } = *source;
    let width = panel.width;
    scratch.clear();
    scratch.resize(width * height, 0.0);
    for j in (0..width).rev() {
        let (_, after) = scratch.split_at_mut(j * height);
        let (own, after) = after.split_at_mut(height);
        let l = &values[j * stride..][..height];
        own[j] = 1.0;
        for (own, l) in own[width..].iter_mut().zip(&l[width..]) {
            *own = -l;
        }
        for k in j + 1..width {
            let l_kj = l[k];
            let other = &after[(k - j - 1) * height..][..height];
            for (own, other) in own[k..].iter_mut().zip(&other[k..]) {
                *own -= other * l_kj;
            }
        }
        let inverse = 1.0 / l[j];
        for own in &mut own[j..] {
            *own *= inverse;
        }
    }
    // With the rows of L multiplied by s, the rows of Q below are, and its columns are divided.
    for block in 0..panel.blocks() {
        let out = panel.line_of(block) - panel.line;
        for column in 0..panel.columns_of(block) {
            let q = &scratch[column * height..][..height];
            let by = 1.0 / scale[column];
            let mut line = Line::default();
            let (from, to) = (block * LANES, (block + 1) * LANES);
            if width <= from && to <= height {
                let (q, scale) = (&q[from..to], &scale[from..to]);
                for l in 0..LANES {
                    line.0[l] = (q[l] * scale[l] * by) as f32;
                }
            } else {
                for row in from..to {
                    let value = match q.get(row) {
                        Some(q) if row == column => q * by - 1.0,
                        Some(q) if row < width => q * by,
                        Some(q) => q * scale[row] * by,
                        None => 0.0,
                    };
                    line.0[row - from] = value as f32;
                }
            }
            // SAFETY: as the caller promises.
            unsafe { lines[out + column].store::<V>(&line) };
        }
    }
}
