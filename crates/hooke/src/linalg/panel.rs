//! The kernels of a factor in panels: what one run of columns of L does to three right-hand sides.
//!
//! A panel is `Q = [L₁₁⁻¹; −L₂₁ L₁₁⁻¹]` for columns whose diagonal block of L is L₁₁ and whose rows
//! below are L₂₁. With it both halves of a solve are one product:
//!
//! ```text
//! forward   [y₁; b₂] ← [0; b₂] + Q b₁        backward   x₁ ← Qᵀ [y₁; x₂]
//! ```
//!
//! Q is stored in blocks of sixteen rows, column by column, so that a lane is a row and no number
//! is moved between lanes but once per block.

use super::lanes::{LANES, Lanes, Level, Line, Quad, dispatch, place, prefetch};

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
pub(super) struct Panels<'a> {
    pub(super) panels: &'a [Panel],
    pub(super) rows: &'a [u32],
    pub(super) lines: &'a [Line],
}

/// Reading three columns too many ends within the lines when they end with these.
pub(super) const SPARE_LINES: usize = 3;

/// `x ← L⁻¹ x` for the columns of the panels; rows outside collect what is to be added to them.
pub(super) fn forward(level: Level, panels: Panels<'_>, x: &mut [Quad], scratch: &mut [[Line; 3]]) {
    dispatch!(level, forward_by(panels: Panels<'_>, x: &mut [Quad], scratch: &mut [[Line; 3]]))
}

/// `x ← L⁻ᵀ x` for the columns of the panels; rows outside are known.
pub(super) fn backward(
    level: Level,
    panels: Panels<'_>,
    x: &mut [Quad],
    scratch: &mut [[Line; 3]],
) {
    dispatch!(level, backward_by(panels: Panels<'_>, x: &mut [Quad], scratch: &mut [[Line; 3]]))
}

/// As `Lanes` asks.
#[inline(always)]
unsafe fn forward_by<V: Lanes>(panels: Panels<'_>, x: &mut [Quad], _: &mut [[Line; 3]]) {
    let mut b = [[0.0; 4]; WIDEST];
    for panel in panels.panels {
        let own = panel.first..panel.first + panel.width;
        let b = &mut b[..panel.width];
        b.copy_from_slice(&x[own.clone()]);
        x[own].fill([0.0; 4]);
        let rows = &panels.rows[panel.rows.clone()];
        let blocks = panel.blocks();
        let mut block = 0;
        // SAFETY: as the caller promises.
        unsafe {
            while block < blocks {
                let full = block >= panel.short_blocks();
                if full && V::BLOCKS >= 4 && block + 4 <= blocks {
                    multiply::<V, 4>(panel, panels.lines, block, b, rows, x);
                    block += 4;
                } else if full && V::BLOCKS >= 2 && block + 2 <= blocks {
                    multiply::<V, 2>(panel, panels.lines, block, b, rows, x);
                    block += 2;
                } else {
                    multiply::<V, 1>(panel, panels.lines, block, b, rows, x);
                    block += 1;
                }
            }
        }
    }
}

/// `x[rows] += Q b` for K blocks of rows of equal width.
#[inline(always)]
unsafe fn multiply<V: Lanes, const K: usize>(
    panel: &Panel,
    lines: &[Line],
    block: usize,
    b: &[Quad],
    rows: &[u32],
    x: &mut [Quad],
) {
    let width = panel.columns_of(block);
    let at = panel.line_of(block);
    let q: [&[Line]; K] = std::array::from_fn(|k| &lines[at + k * width..][..width]);
    // SAFETY: as the caller promises.
    unsafe {
        let mut sums = [[V::zero(); 3]; K];
        for column in 0..width {
            let b = b[column];
            let b = [V::splat(b[0]), V::splat(b[1]), V::splat(b[2])];
            for k in 0..K {
                let q = V::load(&q[k][column]);
                for axis in 0..3 {
                    sums[k][axis] = sums[k][axis].plus(q, b[axis]);
                }
            }
        }
        for k in 0..K {
            let mut quads = [Line::default(); 4];
            V::spread(sums[k], &mut quads);
            let rows = &rows[(block + k) * LANES..][..LANES];
            for l in 0..LANES {
                let at = place(l);
                let row = &mut x[rows[l] as usize];
                for axis in 0..4 {
                    row[axis] += quads[at / 4].0[at % 4 * 4 + axis];
                }
            }
        }
    }
}

/// As `Lanes` asks.
#[inline(always)]
unsafe fn backward_by<V: Lanes>(panels: Panels<'_>, x: &mut [Quad], scratch: &mut [[Line; 3]]) {
    for panel in panels.panels.iter().rev() {
        let blocks = panel.blocks();
        let known = &mut scratch[..blocks];
        let rows = &panels.rows[panel.rows.clone()];
        // SAFETY: as the caller promises.
        unsafe {
            for (known, rows) in known.iter_mut().zip(rows.as_chunks::<LANES>().0) {
                V::collect(x, rows, known);
            }
            // The panel that comes next lies before this one.
            let mut ahead = panel.line;
            for column in (0..panel.width).step_by(4) {
                let sums = transposed::<V>(panel, panels.lines, column, known, &mut ahead);
                let (quads, _) = sums.0.as_chunks::<4>();
                let out = &mut x[panel.first + column..panel.first + panel.width];
                match out.first_chunk_mut::<4>() {
                    Some(out) => out.copy_from_slice(quads),
                    None => out.copy_from_slice(&quads[..out.len()]),
                }
            }
        }
    }
}

/// `Qᵀ x` for four columns.
#[inline(always)]
unsafe fn transposed<V: Lanes>(
    panel: &Panel,
    lines: &[Line],
    column: usize,
    known: &[[Line; 3]],
    ahead: &mut usize,
) -> Line {
    // SAFETY: as the caller promises.
    unsafe {
        let mut sums = [[V::zero(); 3]; 4];
        for part in (0..4).step_by(V::COLUMNS) {
            let mut own = [[V::zero(); 3]; 4];
            let first = column / LANES;
            let mut line = panel.line_of(first) + column + part;
            for (block, known) in known.iter().enumerate().skip(first) {
                let q = &lines[line..][..V::COLUMNS];
                line += panel.columns_of(block);
                let known = [V::load(&known[0]), V::load(&known[1]), V::load(&known[2])];
                *ahead = ahead.saturating_sub(V::COLUMNS);
                for k in 0..V::COLUMNS {
                    prefetch(&lines[*ahead + k]);
                    let q = V::load(&q[k]);
                    for axis in 0..3 {
                        own[k][axis] = own[k][axis].plus(q, known[axis]);
                    }
                }
            }
            sums[part..part + V::COLUMNS].copy_from_slice(&own[..V::COLUMNS]);
        }
        V::sums(sums)
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

/// Computes Q and writes it into the lines of a panel.
pub(super) fn pack(
    level: Level,
    panel: &Panel,
    source: &Source<'_>,
    scratch: &mut Vec<f64>,
    lines: &mut [Line],
) {
    dispatch!(level, pack_by(
        panel: &Panel, source: &Source<'_>, scratch: &mut Vec<f64>, lines: &mut [Line]
    ))
}

/// `Q L₁₁ = [1; −L₂₁]`, from the last column to the first.
#[inline(always)]
unsafe fn pack_by<V: Lanes>(
    panel: &Panel,
    source: &Source<'_>,
    scratch: &mut Vec<f64>,
    lines: &mut [Line],
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
            for l in 0..LANES {
                let row = block * LANES + l;
                let value = match q.get(row) {
                    Some(q) if row < width => q * by,
                    Some(q) => q * scale[row] * by,
                    None => 0.0,
                };
                lines[out + column].0[l] = value as f32;
            }
        }
    }
}
