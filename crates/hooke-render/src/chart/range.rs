//! From values to positions along an axis.

use super::Scale;

/// Values beyond this count as infinite, so that sums and differences never are.
const LARGEST: f64 = 1e300;
/// Smaller values on a logarithmic axis are shown as this one.
const SMALLEST: f64 = 1e-300;
/// Values that differ by less, relative to the largest, count as equal: no label could tell them
/// apart.
const RESOLUTION: f64 = 1e-9;

/// Why a value has no position on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Not a number: the caller has no value here.
    Gap,
    Infinite,
    NotPositive,
}

impl Scale {
    /// The value along the axis: itself or its logarithm to base 10.
    pub(crate) fn coordinate(self, value: f64) -> Result<f64, Missing> {
        if value.is_nan() {
            Err(Missing::Gap)
        } else if value.abs() > LARGEST {
            Err(Missing::Infinite)
        } else if self == Self::Linear {
            Ok(value)
        } else if value > 0.0 {
            Ok(value.max(SMALLEST).log10())
        } else {
            Err(Missing::NotPositive)
        }
    }
}

/// The part of an axis that is shown, in its coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub scale: Scale,
    pub low: f64,
    pub high: f64,
}

impl Range {
    /// A range that holds all coordinates, with `margin` times its length to spare on either side.
    pub fn around(scale: Scale, coordinates: impl Iterator<Item = f64>, margin: f64) -> Self {
        let [low, high] = coordinates
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
        if low > high {
            return Self { scale, low: 0.0, high: 1.0 };
        }
        let size = low.abs().max(high.abs());
        let resolution = match scale {
            Scale::Log => RESOLUTION,
            Scale::Linear => RESOLUTION * size.max(SMALLEST / RESOLUTION),
        };
        if high - low > resolution {
            let spare = margin * (high - low);
            return Self { scale, low: low - spare, high: high + spare };
        }
        let reach = match scale {
            Scale::Log => 0.5,
            Scale::Linear if size > SMALLEST => 0.5 * size,
            Scale::Linear => 1.0,
        };
        Self { scale, low: low - reach, high: high + reach }
    }

    /// Where along the range a coordinate is: 0 at its start, 1 at its end.
    pub fn part(&self, coordinate: f64) -> f64 {
        (coordinate - self.low) / (self.high - self.low)
    }

    /// The power of ten, a multiple of three, that the labels of a linear axis leave out.
    pub fn factor(&self) -> i32 {
        let size = self.low.abs().max(self.high.abs());
        if self.scale == Scale::Log || (1e-3..1e5).contains(&size) {
            return 0;
        }
        3 * (size.log10() / 3.0).floor() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scale::{Linear, Log};

    fn range(scale: Scale, values: &[f64]) -> [f64; 2] {
        let range = Range::around(scale, values.iter().copied(), 0.0);
        [range.low, range.high]
    }

    #[test]
    fn values_that_cannot_be_shown_are_told_apart() {
        assert_eq!(Linear.coordinate(-2.5), Ok(-2.5));
        assert_eq!(Log.coordinate(0.001), Ok(-3.0));
        assert_eq!(Log.coordinate(5e-324), Ok(-300.0));
        assert_eq!(Log.coordinate(0.0), Err(Missing::NotPositive));
        assert_eq!(Log.coordinate(-1.0), Err(Missing::NotPositive));
        for scale in [Linear, Log] {
            assert_eq!(scale.coordinate(f64::NAN), Err(Missing::Gap));
            assert_eq!(scale.coordinate(f64::NEG_INFINITY), Err(Missing::Infinite));
            assert_eq!(scale.coordinate(f64::MAX), Err(Missing::Infinite));
        }
    }

    #[test]
    fn a_range_always_has_a_length() {
        assert_eq!(range(Linear, &[]), [0.0, 1.0]);
        assert_eq!(range(Linear, &[0.0]), [-1.0, 1.0]);
        assert_eq!(range(Linear, &[1e-310]), [-1.0, 1.0]);
        assert_eq!(range(Linear, &[0.0, 5e-324]), [-1.0, 1.0]);
        assert_eq!(range(Linear, &[-4.0, -4.0]), [-6.0, -2.0]);
        let [low, high] = range(Linear, &[4.0, 4.0 + 1e-12]);
        assert!((low - 2.0).abs() < 1e-9 && (high - 6.0).abs() < 1e-9);
        assert_eq!(range(Linear, &[1e300, -1e300]), [-1e300, 1e300]);
        assert_eq!(range(Log, &[-3.0]), [-3.5, -2.5]);
        assert_eq!(range(Log, &[-3.0, 2.0]), [-3.0, 2.0]);
        let padded = Range::around(Linear, [0.0, 10.0].into_iter(), 0.05);
        assert_eq!((padded.low, padded.high, padded.part(5.0)), (-0.5, 10.5, 0.5));
    }

    #[test]
    fn large_and_small_values_share_a_power_of_a_thousand() {
        let factor = |high| Range { scale: Linear, low: 0.0, high }.factor();
        let cases = [(0.5, 0), (99_999.0, 0), (1e5, 3), (3e6, 6), (1e-3, 0), (4e-4, -6)];
        for (high, wanted) in cases {
            assert_eq!(factor(high), wanted, "{high}");
        }
        assert_eq!((factor(1e300), factor(2e-300)), (300, -300));
    }
}
