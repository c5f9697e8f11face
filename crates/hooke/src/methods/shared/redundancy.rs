//! Redundant rigid rows: the dependent rows of `J M⁻¹ Jᵀ`, pins removed.

use crate::compute::ConstraintRows;
use crate::linalg::{Matrix, Pattern, Rank};
use crate::math::Vec3;
use crate::methods::Refusal;
use crate::model::Model;
use crate::report::ElementOf;

/// The maximum number of pairs of rigid rows that share a particle.
const MOST_PAIRS: usize = 1 << 27;

/// `J M⁻¹ Jᵀ` over the rigid rows.
pub(crate) struct Redundancy {
    /// The rows, and their elements.
    rows: Vec<(u32, ElementOf)>,
    /// Pairs of rows that share a particle: the indices of both gradients, and the target slot.
    pairs: Vec<Pair>,
    matrix: Matrix<f64>,
    rank: Rank,
}

struct Pair {
    particle: u32,
    gradients: [u32; 2],
    slot: u32,
}

impl Redundancy {
    /// For the rigid rows among these, given the element of each.
    pub(crate) fn new(
        model: &Model,
        rows: &ConstraintRows,
        element: impl Fn(usize) -> ElementOf,
    ) -> Result<Option<Self>, Refusal> {
        let rigid: Vec<u32> =
            (0..rows.len()).filter(|&row| rows.compliances[row] == 0.0).map(|r| r as u32).collect();
        if rigid.is_empty() {
            return Ok(None);
        }
        // The rows at each free particle, by their index in `rigid`.
        let mut meetings: Vec<(u32, u32, u32)> = Vec::new();
        for (&row, anchor) in rigid.iter().zip(0..) {
            for at in rows.range(row as usize) {
                let particle = rows.corners[at];
                if model.fixed()[particle as usize] != [true; 3] {
                    meetings.push((particle, anchor, at as u32));
                }
            }
        }
        meetings.sort_unstable();
        let groups = || meetings.chunk_by(|a, b| a.0 == b.0);
        let pairs: usize = groups().map(|group| group.len() * group.len()).sum();
        if pairs > MOST_PAIRS {
            let most = groups().max_by_key(|group| group.len()).unwrap_or_default();
            let (particle, count) = (most.first().map_or(0, |meeting| meeting.0), most.len());
            let sentence = format!(
                "too many rigid elements meet in one particle (particle {particle} has {count}); \
                 a compliance above 0 would do"
            );
            return Err(Refusal::TooLarge { sentence });
        }
        let cliques: Vec<Vec<u32>> =
            groups().map(|group| group.iter().map(|meeting| meeting.1).collect()).collect();
        let pattern = Pattern::new(rigid.len(), cliques.iter().map(|clique| &clique[..]));
        let rank = Rank::new(&pattern)
            .map_err(|error| Refusal::TooLarge { sentence: error.to_string() })?;
        let pairs = groups().flat_map(|group| group.iter().map(move |a| (group, a)));
        let pairs = pairs.flat_map(|(group, a)| group.iter().map(move |b| (a, b)));
        let pairs = pairs.map(|(a, b)| Pair {
            particle: a.0,
            gradients: [a.2, b.2],
            slot: pattern.slot(a.1, b.1),
        });
        Ok(Some(Self {
            pairs: pairs.collect(),
            rows: rigid.into_iter().map(|row| (row, element(row as usize))).collect(),
            matrix: Matrix::new(pattern),
            rank,
        }))
    }

    /// Writes the elements whose rows depend on others, at the current rows.
    pub(crate) fn find(&mut self, model: &Model, rows: &ConstraintRows, out: &mut Vec<ElementOf>) {
        out.clear();
        self.matrix.clear();
        let values = self.matrix.values_mut();
        for Pair { particle, gradients: [a, b], slot } in &self.pairs {
            let [a, b]: [Vec3; 2] = [a, b].map(|&at| rows.gradients[at as usize]);
            for axis in 0..3 {
                let w = model.inverse_mass(*particle as usize, axis);
                values[*slot as usize] += w * a[axis] * b[axis];
            }
        }
        let Self { rows: known, matrix, rank, .. } = self;
        rank.dependent(matrix, |row| {
            let (at, element) = known[row];
            // Rows between fixed particles are skipped, not redundant.
            let moves = |(corner, slope): (usize, Vec3)| {
                (0..3).any(|axis| slope[axis] != 0.0 && !model.fixed()[corner][axis])
            };
            if rows.slopes(at as usize).any(moves) {
                out.push(element);
            }
        });
        out.sort_unstable_by_key(|found| (found.law, found.element));
    }
}
