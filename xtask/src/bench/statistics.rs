//! What is said about repeated measurements: the middle and the spread, never the mean, which one
//! disturbed round would move.

/// The middle and spread of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) least: f64,
    /// A quarter of the numbers is below.
    pub(crate) lower: f64,
    pub(crate) median: f64,
    /// A quarter of the numbers is above.
    pub(crate) upper: f64,
    pub(crate) greatest: f64,
}

impl Summary {
    /// The summary of some numbers; `None` of none.
    pub(crate) fn of(numbers: &[f64]) -> Option<Self> {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            least: *sorted.first()?,
            lower: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            upper: quantile(&sorted, 0.75),
            greatest: *sorted.last()?,
        })
    }
}

/// The median of some numbers; `None` of none.
pub(crate) fn median(numbers: &[f64]) -> Option<f64> {
    Summary::of(numbers).map(|summary| summary.median)
}

/// The number below which a share of the sorted numbers lies, between two of them by a line.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

/// The greatest difference of two lists of coordinates, relative to the greatest way gone from
/// `start`; infinite where the lists do not compare.
pub(crate) fn apart(a: &[f64], b: &[f64], start: &[f64]) -> f64 {
    if [b, start].iter().any(|other| other.len() != a.len())
        || a.iter().chain(b).any(|value| !value.is_finite())
    {
        return f64::INFINITY;
    }
    let most = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
    };
    let apart = most(a, b);
    if apart == 0.0 { 0.0 } else { apart / most(a, start).max(most(b, start)) }
}

/// The year, month and day of a number of days since 1970-01-01.
pub(crate) fn date(mut days: u64) -> (u64, u64, u64) {
    let leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    (year, month as u64 + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_the_numbers() {
        let summary = Summary::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        let Summary { least, lower, median, upper, greatest } = summary;
        assert_eq!([least, lower, median, upper, greatest], [1.0, 1.75, 2.5, 3.25, 4.0]);
    }

    #[test]
    fn one_number_is_all_of_its_summary() {
        let summary = Summary::of(&[7.0]).unwrap();
        assert_eq!((summary.least, summary.median, summary.greatest), (7.0, 7.0, 7.0));
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn one_disturbed_round_does_not_move_the_median() {
        assert_eq!(median(&[1.0, 1.1, 900.0, 1.2, 0.9]), Some(1.1));
    }

    #[test]
    fn answers_lie_apart_relative_to_their_way() {
        let start = [1.0, 0.0];
        assert_eq!(apart(&[1.0, -4.0], &[1.0, -4.0], &start), 0.0);
        assert_eq!(apart(&[1.0, -4.0], &[1.5, -4.0], &start), 0.125);
        assert_eq!(apart(&start, &start, &start), 0.0);
        assert_eq!(apart(&[1.0], &[1.0, 2.0], &start), f64::INFINITY);
        assert_eq!(apart(&[f64::NAN, 0.0], &[f64::NAN, 0.0], &start), f64::INFINITY);
    }

    #[test]
    fn days_are_dates() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(59), (1970, 3, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(19_723), (2024, 1, 1));
        assert_eq!(date(20_088), (2024, 12, 31));
    }
}
