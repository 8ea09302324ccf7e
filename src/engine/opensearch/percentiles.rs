//! Percentiles of values by nearest rank: values that occur, found by counting.
//!
//! The cluster's own percentiles are estimates. They only suggest where to count: the number of values
//! in each interval between estimates states which interval has the rank. If the rank is near an
//! end of its interval, a search sorted by value returns the value; otherwise the interval is cut
//! again.

use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    aggregation_results::{Metric, unreadable},
    mapping::MAX_RESULT_WINDOW,
    query::CompiledQuery,
    response::{SearchResponse, SortValue},
};
use crate::{
    engine::{
        aggregation::{PERCENTS, nearest_rank},
        error::Error,
    },
    model::Role,
};

/// Estimates are asked for at each percentile, and so many percent below and above it.
const MARGINS: [f64; 4] = [0.2, 1.0, 2.5, 5.0];

/// Into how many parts an interval is cut if the estimates were no help.
const CUTS: i64 = 256;

/// The aggregation that estimates percentiles.
pub(crate) fn hints() -> Value {
    let mut percents: Vec<f64> = Vec::new();
    for percent in PERCENTS {
        let percent = percent as f64;
        percents.push(percent);
        percents.extend(MARGINS.iter().flat_map(|margin| [percent - margin, percent + margin]));
    }
    percents.sort_unstable_by(f64::total_cmp);
    percents.dedup();
    json!({ "percentiles": { "field": Role::Value.name(), "percents": percents, "keyed": false } })
}

/// The result of [`hints`].
#[derive(Deserialize)]
pub(crate) struct Hints {
    values: Vec<Metric>,
}

impl Hints {
    /// Each estimate and the double after it, so that a value that occurs often can be an interval
    /// of its own.
    fn bounds(&self) -> Vec<f64> {
        let values = self.values.iter().filter_map(|hint| hint.value);
        let finite = values.map(|value| value.0).filter(|value| value.is_finite());
        finite.flat_map(|hint| [hint, hint.next_up()]).collect()
    }
}

/// Where the value of one percentile is: `inside` values are in the interval, `before` are less.
#[derive(Clone, Copy, Debug)]
struct Target {
    rank: u64,
    /// Included.
    low: f64,
    /// Excluded.
    high: f64,
    before: u64,
    inside: u64,
}

/// How the value of a target is found.
#[derive(Debug, PartialEq)]
enum Step {
    Found(f64),
    /// The value with this index in the interval, ascending or descending.
    Fetch {
        index: u64,
        is_ascending: bool,
    },
    Cut,
}

impl Target {
    fn step(&self) -> Step {
        if self.low.next_up() >= self.high {
            return Step::Found(self.low);
        }
        let from_start = self.rank - self.before;
        let from_end = (self.before + self.inside).saturating_sub(self.rank + 1);
        let index = from_start.min(from_end);
        if index < MAX_RESULT_WINDOW as u64 {
            let is_ascending = from_start <= from_end;
            Step::Fetch { index, is_ascending }
        } else {
            Step::Cut
        }
    }

    /// Bounds that cut the interval into equal parts of the doubles in it.
    fn cuts(&self) -> Vec<f64> {
        let (low, high) = (ordered(self.low), ordered(self.high));
        let width = i128::from(high) - i128::from(low);
        let cut = |number: i64| (i128::from(low) + width * i128::from(number) / i128::from(CUTS)) as i64;
        (1..CUTS).map(|number| unordered(cut(number))).collect()
    }

    /// Narrows the interval to the one that has the rank, of consecutive intervals with their counts.
    fn narrow(&mut self, bounds: &[f64], counts: &[u64]) -> Result<(), Error> {
        let mut before = 0;
        for (interval, inside) in bounds.windows(2).zip(counts) {
            if self.rank < before + inside {
                (self.low, self.high) = (interval[0], interval[1]);
                (self.before, self.inside) = (before, *inside);
                return Ok(());
            }
            before += inside;
        }
        Err(unreadable(format!("rank {} is not among {before} values", self.rank)))
    }
}

/// Finds the percentiles of the values of some matches, search by search.
pub(crate) struct Finder {
    query: CompiledQuery,
    targets: [Target; PERCENTS.len()],
    /// The smallest value.
    min: f64,
    /// More than the largest value.
    end: f64,
    /// Bounds to cut intervals at next.
    inner: Vec<f64>,
    asked: Asked,
}

/// What the last searches were for.
enum Asked {
    /// Counts of the intervals between these bounds.
    Counts(Vec<f64>),
    /// The values of these targets.
    Values(Vec<usize>),
}

impl Finder {
    /// There are so many `values`, at least one, in the range.
    pub(crate) fn new(query: &CompiledQuery, values: u64, range: RangeInclusive<f64>, hints: &Hints) -> Finder {
        let (min, end) = (*range.start(), range.end().next_up());
        let size = usize::try_from(values).unwrap_or(usize::MAX);
        let targets = PERCENTS.map(|percent| Target {
            rank: nearest_rank(percent, size) as u64,
            low: min,
            high: end,
            before: 0,
            inside: values,
        });
        Finder {
            query: query.clone(),
            targets,
            min,
            end,
            inner: hints.bounds(),
            asked: Asked::Values(Vec::new()),
        }
    }

    /// The percentiles, in the order of [`PERCENTS`], once no further search is needed.
    pub(crate) fn percentiles(&self) -> Option<[f64; PERCENTS.len()]> {
        let is_found = |target: &Target| matches!(target.step(), Step::Found(_));
        let found = self.targets.iter().all(is_found);
        found.then(|| self.targets.map(|target| target.low))
    }

    /// The next searches. [`Finder::read`] takes their responses.
    pub(crate) fn searches(&mut self) -> Vec<Value> {
        if self.targets.iter().any(|target| target.step() == Step::Cut) {
            let inner = std::mem::take(&mut self.inner);
            let bounds = bounds(self.min, self.end, &self.targets, inner);
            let search = count_search(&self.query, &bounds);
            self.asked = Asked::Counts(bounds);
            return vec![search];
        }
        let (mut numbers, mut searches) = (Vec::new(), Vec::new());
        for (number, target) in self.targets.iter().enumerate() {
            if let Step::Fetch { index, is_ascending } = target.step() {
                numbers.push(number);
                searches.push(value_search(&self.query, target, index, is_ascending));
            }
        }
        self.asked = Asked::Values(numbers);
        searches
    }

    pub(crate) fn read(&mut self, responses: &[SearchResponse]) -> Result<(), Error> {
        match &self.asked {
            Asked::Counts(bounds) => {
                let counts = read_counts(responses, bounds)?;
                for target in &mut self.targets {
                    target.narrow(bounds, &counts)?;
                }
                let wide = self.targets.iter().filter(|target| target.step() == Step::Cut);
                self.inner = wide.flat_map(Target::cuts).collect();
            }
            Asked::Values(numbers) => {
                for (number, response) in numbers.iter().zip(responses) {
                    let target = &mut self.targets[*number];
                    target.low = read_value(response)?;
                    target.high = target.low.next_up();
                }
            }
        }
        Ok(())
    }
}

/// The bounds of the intervals to count, ascending, without repetition. Each target's interval is a
/// union of them.
fn bounds(min: f64, end: f64, targets: &[Target], inner: Vec<f64>) -> Vec<f64> {
    let mut bounds = inner;
    bounds.retain(|bound| *bound > min && *bound < end);
    bounds.extend(targets.iter().flat_map(|target| [target.low, target.high]));
    bounds.extend([min, end]);
    bounds.sort_unstable_by(f64::total_cmp);
    bounds.dedup();
    bounds
}

/// Counts the values between every two consecutive bounds.
fn count_search(query: &CompiledQuery, bounds: &[f64]) -> Value {
    let interval = |pair: &[f64]| {
        let mut interval = json!({ "from": pair[0] });
        // JSON has no infinity. Nothing is above the largest double.
        if pair[1].is_finite() {
            interval["to"] = pair[1].into();
        }
        interval
    };
    let ranges: Vec<Value> = bounds.windows(2).map(interval).collect();
    query.aggregate(json!({ COUNTS: { "range": { "field": Role::Value.name(), "ranges": ranges } } }))
}

const COUNTS: &str = "counts";

fn read_counts(responses: &[SearchResponse], bounds: &[f64]) -> Result<Vec<u64>, Error> {
    #[derive(Deserialize)]
    struct Counts {
        buckets: Vec<Bucket>,
    }
    #[derive(Deserialize)]
    struct Bucket {
        doc_count: u64,
    }
    let response = responses.first().ok_or_else(|| unreadable("there is no response"))?;
    let found: Counts = response.aggregations.read(COUNTS)?;
    let counts: Vec<u64> = found.buckets.iter().map(|bucket| bucket.doc_count).collect();
    let intervals = bounds.len() - 1;
    if counts.len() == intervals {
        Ok(counts)
    } else {
        Err(unreadable(format!("{} counts of {intervals} intervals", counts.len())))
    }
}

/// Fetches one value of an interval by its index in it.
fn value_search(query: &CompiledQuery, target: &Target, index: u64, is_ascending: bool) -> Value {
    let field = Role::Value.name();
    let mut range = json!({ "gte": target.low });
    if target.high.is_finite() {
        range["lt"] = target.high.into();
    }
    json!({
        "query": query.clone().require(json!({ "range": { field: range } })).to_json(),
        "sort": [{ field: if is_ascending { "asc" } else { "desc" } }],
        "from": index,
        "size": 1,
        "track_total_hits": false,
        "stored_fields": "_none_",
    })
}

fn read_value(response: &SearchResponse) -> Result<f64, Error> {
    let sort = response.hits.hits.first().and_then(|hit| hit.sort.first());
    let value = sort.and_then(SortValue::as_number);
    value.ok_or_else(|| unreadable("a value is missing"))
}

/// Integers in the order of the finite doubles.
fn ordered(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

fn unordered(number: i64) -> f64 {
    let bits = if number < 0 { i64::MIN - number } else { number };
    f64::from_bits(bits as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn integers_have_the_order_of_doubles() {
        let doubles = [f64::MIN, -1.5, -f64::MIN_POSITIVE, 0.0, 5e-324, 1.0, 1e20, f64::MAX];
        let integers = doubles.map(ordered);
        assert!(integers.is_sorted());
        for (double, integer) in doubles.into_iter().zip(integers) {
            assert_eq!(unordered(integer), double);
            assert_eq!(ordered(double.next_up()), integer + 1, "{double}");
        }
    }

    #[test]
    fn a_rank_near_an_end_of_its_interval_is_fetched() {
        let window = MAX_RESULT_WINDOW as u64;
        let target = |rank: u64, low: f64, high: f64, inside: u64| Target {
            rank,
            low,
            high,
            before: 5,
            inside,
        };
        assert_eq!(target(7, 1.0, 1.0_f64.next_up(), u64::MAX - 9).step(), Step::Found(1.0));
        let fetch = |index, is_ascending| Step::Fetch { index, is_ascending };
        assert_eq!(target(5, 1.0, 2.0, 10).step(), fetch(0, true));
        assert_eq!(target(14, 1.0, 2.0, 10).step(), fetch(0, false));
        assert_eq!(
            target(5 + window, 1.0, 2.0, 2 * window).step(),
            fetch(window - 1, false)
        );
        assert_eq!(target(5 + window, 1.0, 2.0, 3 * window).step(), Step::Cut);
    }

    /// Narrows an interval by counts until it is small, as a search would.
    fn nth(sorted: &[f64], rank: usize, hints: &[f64]) -> f64 {
        let (min, end) = (sorted[0], sorted[sorted.len() - 1].next_up());
        let mut target = Target {
            rank: rank as u64,
            low: min,
            high: end,
            before: 0,
            inside: sorted.len() as u64,
        };
        let mut inner = hints.to_vec();
        for _ in 0..10 {
            let bounds = bounds(min, end, &[target], inner);
            assert!(bounds.is_sorted_by(|a, b| a < b));
            let below = |bound: f64| sorted.partition_point(|value| *value < bound);
            let counts: Vec<u64> = bounds
                .windows(2)
                .map(|pair| (below(pair[1]) - below(pair[0])) as u64)
                .collect();
            target.narrow(&bounds, &counts).unwrap();
            if let Step::Found(value) = target.step() {
                return value;
            }
            inner = target.cuts();
        }
        panic!("an interval of doubles is cut at most eight times: {target:?}")
    }

    proptest! {
        #[test]
        fn cutting_finds_every_rank(values in proptest::collection::vec(prop_oneof![-1e3..1e3, Just(0.0), Just(7.25), Just(1e300), Just(-1e300)], 1..60), hints in proptest::collection::vec(-1e3..1e3, 0..9)) {
            let mut sorted: Vec<f64> = values;
            sorted.sort_unstable_by(f64::total_cmp);
            for rank in 0..sorted.len() {
                prop_assert_eq!(nth(&sorted, rank, &hints), sorted[rank]);
            }
        }
    }
}
