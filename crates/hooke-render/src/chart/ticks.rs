//! Where the ticks of an axis are and what they say: steps of 1, 2 or 5 times a power of ten, or
//! decades, as close as their labels allow.

use super::{Scale, range::Range};

/// The ticks of an axis, in its coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ticks {
    pub labeled: Vec<Tick>,
    pub minor: Vec<f64>,
}

/// A point on an axis and the number that stands there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub at: f64,
    pub label: String,
}

/// The room for the labels along an axis, pixels.
pub(crate) struct Room<'a> {
    /// Length of the axis.
    pub length: f64,
    /// Smallest distance between two ticks that looks good.
    pub spacing: f64,
    /// Smallest gap between two labels.
    pub gap: f64,
    /// How much of the axis a label covers.
    pub extent: &'a dyn Fn(&str) -> f64,
}

impl Room<'_> {
    fn fits(&self, range: &Range, ticks: &[Tick]) -> bool {
        ticks.windows(2).all(|pair| {
            let away = (range.part(pair[1].at) - range.part(pair[0].at)) * self.length;
            let [a, b] = [0, 1].map(|k| (self.extent)(&pair[k].label));
            away >= self.spacing.max(0.5 * (a + b) + self.gap)
        })
    }
}

/// The span in decades below which a logarithmic axis gets even steps.
const EVEN: f64 = 0.8;

pub(crate) fn ticks(range: &Range, room: &Room) -> Ticks {
    match range.scale {
        Scale::Linear => Ticks { labeled: even(range, room), minor: Vec::new() },
        Scale::Log => {
            let labeled = logarithmic(range, room);
            let minor = minor(range, room, &labeled);
            Ticks { labeled, minor }
        }
    }
}

/// Ticks at whole multiples of the smallest step whose labels fit.
fn even(range: &Range, room: &Room) -> Vec<Tick> {
    const MOST: f64 = 200.0;
    let log = range.scale == Scale::Log;
    let [low, high] = [range.low, range.high].map(|x| if log { 10_f64.powf(x) } else { x });
    let first = (high - low).log10().floor() as i32 - 2;
    let mut found = Vec::new();
    for (exponent, unit) in (first..first + 4).flat_map(|e| [1, 2, 5].map(|unit| (e, unit))) {
        let step = unit as f64 * ten(exponent);
        // A last digit's error must not drop a tick at the end of the range.
        let [start, end] = [(low / step - 1e-9).ceil(), (high / step + 1e-9).floor()];
        if end - start > MOST {
            continue;
        }
        let label = |number: i64| {
            if log { digits(number, exponent) } else { decimal(number, exponent - range.factor()) }
        };
        let tick = |k: i64| {
            let value = k as f64 * step;
            Tick { at: if log { value.log10() } else { value }, label: label(k * unit) }
        };
        found = (start as i64..=end as i64).map(tick).collect();
        if room.fits(range, &found) {
            return found;
        }
    }
    found.truncate(1);
    found
}

/// Ticks at 1, 2 and 5 times powers of ten, or at every so many decades.
fn logarithmic(range: &Range, room: &Room) -> Vec<Tick> {
    let span = range.high - range.low;
    if span < EVEN {
        return even(range, room);
    }
    let inside = |at: f64| at >= range.low - 1e-9 && at <= range.high + 1e-9;
    let exponents = (range.low - 1.0).floor() as i32..=range.high.ceil() as i32;
    if span <= 2.0 {
        let all = exponents.clone().flat_map(|e| [1, 2, 5].map(|unit| (e, unit)));
        let tick = |(e, unit): (i32, i64)| Tick {
            at: f64::from(e) + (unit as f64).log10(),
            label: digits(unit, e),
        };
        let found: Vec<Tick> = all.map(tick).filter(|tick| inside(tick.at)).collect();
        if room.fits(range, &found) {
            return found;
        }
    }
    for stride in [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300] {
        let decades = exponents.clone().filter(|e| e % stride == 0 && inside(f64::from(*e)));
        let found: Vec<Tick> =
            decades.map(|e| Tick { at: f64::from(e), label: power(e) }).collect();
        if room.fits(range, &found) {
            return if found.is_empty() { even(range, room) } else { found };
        }
    }
    Vec::new()
}

/// Ticks without labels on a logarithmic axis: at 2 to 9 times powers of ten, or at the decades.
fn minor(range: &Range, room: &Room, labeled: &[Tick]) -> Vec<f64> {
    const CLOSEST: f64 = 2.0;
    let decade = room.length / (range.high - range.low);
    let units = if decade * (10.0_f64 / 9.0).log10() >= CLOSEST {
        1..=9
    } else if decade >= CLOSEST {
        1..=1
    } else {
        return Vec::new();
    };
    let exponents = range.low.floor() as i32..=range.high.ceil() as i32;
    exponents
        .flat_map(|e| units.clone().map(move |unit| f64::from(e) + f64::from(unit).log10()))
        .filter(|at| (range.low..=range.high).contains(at))
        .filter(|at| labeled.iter().all(|tick| (tick.at - at).abs() > 1e-6))
        .collect()
}

/// The double nearest to a power of ten, on every machine.
fn ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

/// `number · 10^exponent` written out.
fn decimal(number: i64, exponent: i32) -> String {
    let sign = if number < 0 { "−" } else { "" };
    let number = number.unsigned_abs();
    let digits_after = exponent.unsigned_abs() as usize;
    if number == 0 && exponent > 0 {
        "0".to_owned()
    } else if exponent >= 0 {
        format!("{sign}{number}{}", "0".repeat(digits_after))
    } else {
        let digits = format!("{number:0>width$}", width = digits_after + 1);
        let (whole, part) = digits.split_at(digits.len() - digits_after);
        format!("{sign}{whole}.{part}")
    }
}

/// `number · 10^exponent`, positive, written out or, if that is long, with a power of ten.
fn digits(number: i64, exponent: i32) -> String {
    let length = number.to_string().len() as i32;
    let size = exponent + length - 1;
    if (-3..5).contains(&size) {
        let text = decimal(number, exponent);
        let short = text.trim_end_matches('0').trim_end_matches('.');
        if text.contains('.') { short.to_owned() } else { text }
    } else if number == 1 {
        power(size)
    } else {
        format!("{}·{}", decimal(number, 1 - length), power(size))
    }
}

/// `10ⁿ`.
pub(crate) fn power(exponent: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32('⁰' as u32 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scale::{Linear, Log};

    fn extent(label: &str) -> f64 {
        7.0 * label.chars().count() as f64
    }

    fn room(length: f64) -> Room<'static> {
        Room { length, spacing: 38.0, gap: 10.0, extent: &extent }
    }

    fn labels(scale: Scale, low: f64, high: f64) -> String {
        let ticks = ticks(&Range { scale, low, high }, &room(400.0));
        ticks.labeled.into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn linear_ticks_are_round_numbers() {
        let found = ticks(&Range { scale: Linear, low: -0.33, high: 1.04 }, &room(200.0));
        let values: Vec<f64> = found.labeled.iter().map(|tick| tick.at).collect();
        assert_eq!(values, [0.0, 0.5, 1.0]);
        assert!(found.minor.is_empty());
        assert_eq!(labels(Linear, -0.33, 1.04), "−0.2 0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(labels(Linear, 0.0, 10.0), "0 1 2 3 4 5 6 7 8 9 10");
        assert_eq!(labels(Linear, 0.0, 99.0), "0 10 20 30 40 50 60 70 80 90");
        assert_eq!(labels(Linear, 1999.0, 2011.0), "2000 2002 2004 2006 2008 2010");
        assert_eq!(labels(Linear, -3e-7, 8e-7), "−200 0 200 400 600 800");
        assert_eq!(labels(Linear, 0.99e6, 1.31e6), "1.00 1.05 1.10 1.15 1.20 1.25 1.30");
        assert_eq!(labels(Linear, 0.0, 0.01), "0.000 0.002 0.004 0.006 0.008 0.010");
        assert_eq!(
            labels(Linear, -1e300, 1e300),
            "−1.0 −0.8 −0.6 −0.4 −0.2 0.0 0.2 0.4 0.6 0.8 1.0"
        );
        let fine = "1000.00000 1000.00001 1000.00002 1000.00003";
        assert_eq!(labels(Linear, 1e3, 1e3 + 3e-5), fine);
    }

    #[test]
    fn logarithmic_ticks_are_decades() {
        let found = ticks(&Range { scale: Log, low: -2.1, high: 1.35 }, &room(400.0));
        let values: Vec<f64> = found.labeled.iter().map(|tick| tick.at).collect();
        assert_eq!(values, [-2.0, -1.0, 0.0, 1.0]);
        let minor = [(8, -3), (9, -3), (2, -2)].map(|(m, e)| f64::from(e) + f64::from(m).log10());
        assert_eq!(found.minor[..3], minor);
        assert_eq!(found.minor.len(), 2 + 3 * 8 + 1);
        assert_eq!(labels(Log, -2.1, 1.35), "10⁻² 10⁻¹ 10⁰ 10¹");
        assert_eq!(labels(Log, -9.0, 5.0), "10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 10⁰ 10² 10⁴");
        let far = "10⁻³⁰⁰ 10⁻²⁰⁰ 10⁻¹⁰⁰ 10⁰ 10¹⁰⁰ 10²⁰⁰ 10³⁰⁰";
        assert_eq!(labels(Log, -300.0, 300.0), far);
        assert_eq!(labels(Log, 0.0, 1.5), "1 2 5 10 20");
        assert_eq!(labels(Log, -2.0, -0.5), "0.01 0.02 0.05 0.1 0.2");
        assert_eq!(labels(Log, -6.1, -4.9), "10⁻⁶ 2·10⁻⁶ 5·10⁻⁶ 10⁻⁵");
        assert_eq!(labels(Log, 2.9_f64.log10(), 3.4_f64.log10()), "2.9 3 3.1 3.2 3.3 3.4");
        let fine = "3.02·10⁻⁷ 3.04·10⁻⁷ 3.06·10⁻⁷ 3.08·10⁻⁷";
        assert_eq!(labels(Log, -6.521, -6.511), fine);
    }

    #[test]
    fn labels_differ_and_never_overlap() {
        for k in 0..4000 {
            let digit = |n: i32| f64::from((k * 7919 + n * 104_729) % 1000) / 1000.0;
            let scale = if k % 2 == 0 { Linear } else { Log };
            let span = 10_f64.powf(10.0 * digit(1) - if scale == Log { 8.0 } else { 6.0 });
            let low = (digit(2) - 0.5) * if scale == Log { 300.0 } else { 1e3 };
            let range = Range { scale, low, high: low + span.max(1e-8 * low.abs()) };
            let room = room(30.0 + 900.0 * digit(3));
            let found = ticks(&range, &room).labeled;
            for pair in found.windows(2) {
                let [a, b] = [0, 1].map(|i| range.part(pair[i].at) * room.length);
                let needed = 0.5 * (extent(&pair[0].label) + extent(&pair[1].label));
                assert!(b - a >= needed + room.gap, "{range:?}: {pair:?}");
                assert_ne!(pair[0].label, pair[1].label, "{range:?}");
            }
            assert!(found.iter().all(|tick| (-1e-6..=1.0 + 1e-6).contains(&range.part(tick.at))));
            assert!(room.length < 500.0 || found.len() > 1, "{range:?} has ticks {found:?}");
        }
    }

    #[test]
    fn numbers_are_written_out() {
        assert_eq!(decimal(-25, -1), "−2.5");
        assert_eq!(decimal(5, -3), "0.005");
        assert_eq!(decimal(0, -1), "0.0");
        assert_eq!(decimal(0, 2), "0");
        assert_eq!(decimal(12, 2), "1200");
        assert_eq!((digits(20, -2), digits(100, 2)), ("0.2".into(), "10000".into()));
        assert_eq!((digits(1, 5), digits(25, -9)), ("10⁵".into(), "2.5·10⁻⁸".into()));
        assert_eq!(power(-1_234_567_890), "10⁻¹²³⁴⁵⁶⁷⁸⁹⁰");
    }
}
