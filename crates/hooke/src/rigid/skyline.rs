//! Factors of a matrix within its envelope: each row from the first column it has to the diagonal, and each column
//! likewise. Of a chain of joints that is a band.

/// `L U`, L with ones on its diagonal.
#[derive(Default)]
pub(super) struct Skyline {
    /// The first column that each row has, and where its numbers start.
    first: Vec<usize>,
    start: Vec<usize>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// A row whose pivot is less than this share of its diagonal says what others say.
const REDUNDANT: f64 = 1e-9;

impl Skyline {
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.start.clear();
        self.lower.clear();
        self.upper.clear();
    }

    /// Adds a row that starts at a column.
    pub(super) fn push(&mut self, first: usize) {
        let row = self.first.len();
        self.first.push(first);
        self.start.push(self.lower.len());
        let size = self.lower.len() + row - first + 1;
        self.lower.resize(size, 0.0);
        self.upper.resize(size, 0.0);
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    /// Factors the matrix of `entry(row, column)` without the rows that do not take part, and without those that say what others say.
    pub(super) fn factorize(
        &mut self,
        takes_part: impl Fn(usize) -> bool,
        entry: impl Fn(usize, usize) -> f64,
    ) {
        for i in 0..self.len() {
            let (from, own) = (self.first[i], self.start[i]);
            if !takes_part(i) {
                self.lower[own..own + i - from].fill(0.0);
                self.upper[own..own + i - from].fill(0.0);
                self.upper[own + i - from] = f64::INFINITY;
                continue;
            }
            for j in from..i {
                let (mut low, mut high) = (entry(i, j), entry(j, i));
                let (other, known) = (self.start[j], self.first[j]);
                for k in from.max(known)..j {
                    low -= self.lower[own + k - from] * self.upper[other + k - known];
                    high -= self.lower[other + k - known] * self.upper[own + k - from];
                }
                self.lower[own + j - from] = low / self.upper[other + j - known];
                self.upper[own + j - from] = high;
            }
            let diagonal = entry(i, i);
            let mut pivot = diagonal;
            for k in own..own + i - from {
                pivot -= self.lower[k] * self.upper[k];
            }
            let says = pivot.abs() > REDUNDANT * diagonal.abs();
            self.upper[own + i - from] = if says { pivot } else { f64::INFINITY };
        }
    }

    /// Whether a row does not take part or says what others say.
    pub(super) fn leaves_out(&self, row: usize) -> bool {
        self.upper[self.start[row] + row - self.first[row]] == f64::INFINITY
    }

    /// Solves in place; what was left out gets 0.
    pub(super) fn solve(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            let (from, own) = (self.first[i], self.start[i]);
            for j in from..i {
                x[i] -= self.lower[own + j - from] * x[j];
            }
        }
        for i in (0..x.len()).rev() {
            let (from, own) = (self.first[i], self.start[i]);
            x[i] /= self.upper[own + i - from];
            for j in from..i {
                x[j] -= self.upper[own + j - from] * x[i];
            }
        }
    }
}
