//! Scales and axes: which values an axis covers, where its ticks are, and where a value is on it.

use std::ops::RangeInclusive;

/// Dollars; no sum of published amounts is larger. An axis ends before such a value, so that one mistyped
/// amount does not flatten all others, and the value is drawn as going beyond its end.
const MAX_PLAUSIBLE: f64 = 1e13;

/// A linear axis that contains zero and ends at ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LinearScale {
    low: f64,
    high: f64,
    pub(super) ticks: Vec<f64>,
}

/// Whether a value is drawn as going beyond the end of an axis.
pub(super) fn is_beyond(value: f64) -> bool {
    value.is_nan() || value.abs() > MAX_PLAUSIBLE
}

/// Where a bar is on a linear axis, as shares of the axis from its low end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl LinearScale {
    /// An axis for these values with about `intervals` intervals, each at least `min_step` long.
    pub(super) fn covering(values: impl Iterator<Item = f64>, intervals: u32, min_step: f64) -> LinearScale {
        let (low, high) = range_with_zero(values);
        let step = nice_step((high - low) / f64::from(intervals.max(1))).max(min_step);
        let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
        let last = last.max(first + 1);
        LinearScale {
            low: first as f64 * step,
            high: last as f64 * step,
            ticks: (first..=last).map(|number| number as f64 * step).collect(),
        }
    }

    /// An axis without ticks, from the smallest to the largest value.
    pub(super) fn tight(values: impl Iterator<Item = f64>) -> LinearScale {
        let (low, high) = range_with_zero(values);
        LinearScale {
            low,
            high: if high > low { high } else { 1.0 },
            ticks: Vec::new(),
        }
    }

    /// An axis for dots, which need not begin at zero: from `low` to `high` with some room, and two ticks or more
    /// inside of it.
    pub(super) fn between(low: f64, high: f64, intervals: u32) -> LinearScale {
        let margin = ((high - low) * 0.06).max(high.abs() * 0.01);
        let (low, high) = (low - margin, high + margin);
        let ticks_of = |intervals: u32| -> Vec<f64> {
            let step = nice_step((high - low) / f64::from(intervals));
            let first = (low / step).ceil();
            let ticks = (0..=intervals).map(|number| (first + f64::from(number)) * step);
            ticks.filter(|tick| *tick <= high).collect()
        };
        // A single tick shows no scale. A step is at most 2.5 times as long as it was to be, so five intervals have
        // two.
        let ticks = Some(ticks_of(intervals.max(1))).filter(|ticks| ticks.len() > 1);
        LinearScale {
            low,
            high,
            ticks: ticks.unwrap_or_else(|| ticks_of(5)),
        }
    }

    /// The share of the axis below a value, 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// The bar from zero to a value.
    pub(super) fn bar(&self, value: f64) -> Extent {
        let (zero, end) = (self.share(0.0), self.share(value));
        Extent {
            low: zero.min(end),
            high: zero.max(end),
        }
    }
}

/// The smallest and the largest of the values and zero. Values beyond the axis do not count, unless there are no
/// others: then the axis is as long as one can be.
fn range_with_zero(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let widened = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
    let (mut on_axis, mut beyond) = ((0.0, 0.0), (0.0, 0.0));
    for value in values.filter(|value| !value.is_nan()) {
        if is_beyond(value) {
            beyond = widened(beyond, value.clamp(-MAX_PLAUSIBLE, MAX_PLAUSIBLE));
        } else {
            on_axis = widened(on_axis, value);
        }
    }
    if on_axis == (0.0, 0.0) { beyond } else { on_axis }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `rough`.
fn nice_step(rough: f64) -> f64 {
    if rough <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powi(rough.log10().floor() as i32);
    let steps = [1.0, 2.0, 5.0].map(|factor| factor * power);
    // A hundred-thousandth covers the rounding of the logarithm.
    steps
        .into_iter()
        .find(|step| *step >= rough * 0.99999)
        .unwrap_or(10.0 * power)
}

/// A logarithmic axis of positive values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LogScale {
    /// Base-10 logarithms.
    low: f64,
    high: f64,
    pub(super) ticks: Vec<f64>,
}

/// The maximum number of labels of a logarithmic axis.
const MAX_LOG_TICKS: usize = 6;

/// How far apart the labels of a logarithmic axis are at least, as a share of the axis: `100 k$` and a space at 300
/// pixels.
const MIN_LOG_TICK_DISTANCE: f64 = 0.18;

/// A logarithmic axis shows powers of ten from a cent to [`MAX_PLAUSIBLE`].
const POWERS: RangeInclusive<f64> = -2.0..=13.0;

impl LogScale {
    /// `None` without a positive value.
    pub(super) fn covering(values: impl Iterator<Item = f64>) -> Option<LogScale> {
        let range = |(low, high): (f64, f64), log: f64| (low.min(log), high.max(log));
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut on_axis, mut all) = (nothing, nothing);
        for value in values.filter(|value| *value > 0.0) {
            let log = clamp_log(value.log10());
            all = range(all, log);
            if !is_beyond(value) {
                on_axis = range(on_axis, log);
            }
        }
        // Without a plausible value, the others make the axis.
        let (low, high) = if on_axis.0 > on_axis.1 { all } else { on_axis };
        if low > high {
            return None;
        }
        // Room for the marks at both ends, and at least a factor of ten in all, which has a tick.
        let margin = ((high - low) * 0.06).max((1.0 - (high - low)) / 2.0);
        let (low, high) = (low - margin, high + margin);
        Some(LogScale {
            low,
            high,
            ticks: log_ticks(low, high),
        })
    }

    /// The share of the axis below a value, 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        if value <= 0.0 {
            return 0.0;
        }
        let share = (clamp_log(value.log10()) - self.low) / (self.high - self.low);
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }
}

fn clamp_log(log: f64) -> f64 {
    log.clamp(*POWERS.start(), *POWERS.end())
}

/// 1, 2 and 5 times the powers of ten where they fit, else powers of ten only, or each n-th of them.
fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    let powers = low.floor() as i32..=high.ceil() as i32;
    let on_axis = |value: &f64| (low..=high).contains(&value.log10());
    let distance = |from: f64, to: f64| (to / from).log10() / (high - low);
    let fits = |ticks: &[f64]| {
        let mut pairs = ticks.windows(2);
        pairs.all(|pair| distance(pair[0], pair[1]) >= MIN_LOG_TICK_DISTANCE)
    };
    for factors in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0]] {
        let ticks: Vec<f64> = powers
            .clone()
            .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)))
            .filter(on_axis)
            .collect();
        if (2..=MAX_LOG_TICKS).contains(&ticks.len()) && fits(&ticks) {
            return ticks;
        }
    }
    let tens: Vec<f64> = powers.map(|power| 10f64.powi(power)).filter(on_axis).collect();
    let every = (MIN_LOG_TICK_DISTANCE / distance(1.0, 10.0)).ceil().max(1.0) as usize;
    tens.into_iter().step_by(every).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covering(values: &[f64]) -> LinearScale {
        LinearScale::covering(values.iter().copied(), 4, 0.0)
    }

    #[test]
    fn an_axis_contains_zero_and_ends_at_ticks() {
        assert_eq!(covering(&[3.0, 97.0]).ticks, [0.0, 50.0, 100.0]);
        assert_eq!(covering(&[412e6]).ticks, [0.0, 2e8, 4e8, 6e8]);
        assert_eq!(covering(&[-3.0, 10.0]).ticks, [-5.0, 0.0, 5.0, 10.0]);
        assert_eq!(covering(&[-7.0]).ticks, [-8.0, -6.0, -4.0, -2.0, 0.0]);
        assert_eq!(covering(&[]).ticks, [0.0, 1.0]);
        assert_eq!(covering(&[0.0, 0.0]).ticks, [0.0, 1.0]);
        let counts = LinearScale::covering([2.0].into_iter(), 4, 1.0);
        assert_eq!(counts.ticks, [0.0, 1.0, 2.0], "a number of records has no fractions");
    }

    #[test]
    fn an_axis_for_dots_shows_its_scale() {
        // Six bids on an asphalt road in Montréal, in dollars: steps of 200,000 have a single tick.
        assert_eq!(LinearScale::between(696_711.71, 966_572.4, 3).ticks, [7e5, 8e5, 9e5]);
        assert_eq!(LinearScale::between(100_000.0, 130_000.0, 3).ticks, [1e5, 1.2e5]);
        for (low, high) in (0..400).map(|n| (100.0 + f64::from(n) * 7.3, 150.0 + f64::from(n * n % 977) * 13.7)) {
            let (low, high) = (low.min(high), low.max(high));
            let ticks = LinearScale::between(low, high, 3).ticks.len();
            assert!((2..=5).contains(&ticks), "{ticks} between {low} and {high}");
        }
    }

    #[test]
    fn bars_start_at_zero() {
        let scale = covering(&[-5.0, 10.0]);
        assert_eq!(
            scale.bar(10.0),
            Extent {
                low: 1.0 / 3.0,
                high: 1.0
            }
        );
        assert_eq!(
            scale.bar(-5.0),
            Extent {
                low: 0.0,
                high: 1.0 / 3.0
            }
        );
        assert_eq!(scale.bar(0.0).low, scale.bar(0.0).high);
        let tight = LinearScale::tight([3.0, 12.0].into_iter());
        assert_eq!(tight.bar(3.0), Extent { low: 0.0, high: 0.25 });
        assert_eq!(
            LinearScale::tight([].into_iter()).bar(0.0),
            Extent { low: 0.0, high: 0.0 }
        );
    }

    #[test]
    fn absurd_values_stay_on_the_axis() {
        for values in [
            &[1e300, -1e300][..],
            &[f64::NAN, f64::INFINITY, 5.0],
            &[1e-300],
            &[f64::MIN, f64::MAX],
            &[1e15, 1.0],
        ] {
            let scale = covering(values);
            assert!((2..=12).contains(&scale.ticks.len()), "{values:?}: {:?}", scale.ticks);
            for value in values {
                assert!((0.0..=1.0).contains(&scale.share(*value)), "{values:?}");
            }
            if let Some(scale) = LogScale::covering(values.iter().copied()) {
                assert!(
                    (1..=MAX_LOG_TICKS + 1).contains(&scale.ticks.len()),
                    "{values:?}: {:?}",
                    scale.ticks
                );
                for value in values {
                    assert!((0.0..=1.0).contains(&scale.share(*value)), "{values:?}");
                }
            }
        }
    }

    #[test]
    fn one_absurd_value_does_not_flatten_the_others() {
        let scale = covering(&[1e300, 3.0, 97.0]);
        assert_eq!(scale.ticks, [0.0, 50.0, 100.0]);
        assert_eq!((scale.share(1e300), scale.share(97.0)), (1.0, 0.97));
        assert_eq!(covering(&[-1e300, 10.0]).bar(-1e300).low, 0.0);
        let tight = LinearScale::tight([1e300, 12.0].into_iter());
        assert_eq!(tight.bar(3.0).high, 0.25);
        assert_eq!(covering(&[1e300]).share(1e300), 1.0, "there is no other value");
        let scale = LogScale::covering([1e4, 1e6, 1e300].into_iter()).unwrap();
        assert!(scale.share(1e4) < 0.1 && scale.share(1e6) > 0.9, "{scale:?}");
        assert_eq!(scale.share(1e300), 1.0);
        for value in [0.0, 1e13, -1e12] {
            assert!(!is_beyond(value), "{value}");
        }
        assert!(is_beyond(1.1e13) && is_beyond(f64::NEG_INFINITY));
    }

    #[test]
    fn a_logarithmic_axis_has_readable_ticks() {
        let ticks = |values: &[f64]| LogScale::covering(values.iter().copied()).unwrap().ticks;
        assert_eq!(ticks(&[10_000.0, 100_000.0]), [10_000.0, 20_000.0, 50_000.0, 100_000.0]);
        assert_eq!(ticks(&[1_000.0, 1e6]), [1_000.0, 10_000.0, 100_000.0, 1e6]);
        assert_eq!(ticks(&[50_000.0]), [20_000.0, 50_000.0, 100_000.0]);
        assert_eq!(
            ticks(&[9_000.0, 5e6]),
            [10_000.0, 100_000.0, 1e6],
            "30 k$ would touch 10 k$"
        );
        assert_eq!(ticks(&[1.0, 1e12]), [1.0, 1e3, 1e6, 1e9, 1e12]);
        assert_eq!(LogScale::covering([0.0, -5.0].into_iter()), None);
        let scale = LogScale::covering([10.0, 1000.0].into_iter()).unwrap();
        assert!((scale.share(100.0) - 0.5).abs() < 1e-9);
    }
}
