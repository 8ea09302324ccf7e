//! Counting over every match: each facet's codes are tallied in an array, which then tells its values.
//!
//! Facets are counted side by side, each over the whole list of hits: its codes lie in document order, and so do the hits, so every facet is one
//! pass over memory. Nothing is hashed and no record is read.

use std::{cmp::Reverse, ops::Range, thread};

use tantivy::DocId;

use super::{
    facets::Codes,
    groups::{Groups, Sum},
    kind::Kind,
    matching::Matching,
    walk,
};
use crate::{
    engine::{
        Deadline, Error,
        aggregation::{Counts, Measure, Money, PERCENTS, Row, Spread, Tally, Values, Want, nearest_rank},
    },
    model::schema::Role,
};

/// The documents that match, in their order.
pub enum Hits {
    Range(Range<DocId>),
    List(Vec<DocId>),
}

impl Hits {
    pub fn of(matching: &Matching) -> Result<Hits, Error> {
        if !matching.has_sets() && !matching.has_tests() {
            return Ok(Hits::Range(matching.documents.clone()));
        }
        let mut list = Vec::new();
        walk::all(matching, |document| list.push(document))?;
        Ok(Hits::List(list))
    }

    pub fn len(&self) -> usize {
        match self {
            Hits::Range(range) => range.len(),
            Hits::List(list) => list.len(),
        }
    }

    fn get(&self, place: usize) -> Option<DocId> {
        match self {
            Hits::Range(range) => range.clone().nth(place),
            Hits::List(list) => list.get(place).copied(),
        }
    }

    /// The hits before a document.
    fn before(&self, end: DocId) -> usize {
        match self {
            Hits::Range(range) => range.end.min(end).saturating_sub(range.start) as usize,
            Hits::List(list) => list.partition_point(|document| *document < end),
        }
    }

    fn for_each(&self, mut visit: impl FnMut(DocId)) {
        match self {
            Hits::Range(range) => range.clone().for_each(&mut visit),
            Hits::List(list) => list.iter().copied().for_each(&mut visit),
        }
    }

    fn count(&self, codes: &Codes, visit: impl FnMut(u32)) {
        match self {
            Hits::Range(range) => codes.for_each(range.clone(), visit),
            Hits::List(list) => codes.for_each(list.iter().copied(), visit),
        }
    }
}

pub fn tally(kind: &Kind, hits: &Hits, wants: &[Want], measure: Measure, deadline: &Deadline) -> Result<Tally, Error> {
    deadline.check()?;
    let values = match measure {
        Measure::Count => None,
        _ => kind.values_of(|visit| hits.for_each(visit)),
    };
    let count = |want: &Want| {
        deadline.check()?;
        let facet = kind.facet(want.facet);
        Ok(facet.map_or_else(Counts::default, |(codes, groups)| {
            counts(codes, groups, hits, values.as_deref(), want.most)
        }))
    };
    let counts = match hits.len() < WORTH_A_THREAD {
        true => wants.iter().map(count).collect::<Result<Vec<_>, Error>>()?,
        false => side_by_side(wants, &count)?,
    };
    deadline.check()?;
    let dated = hits.before(kind.dated);
    let day = |place: Option<usize>| {
        place
            .and_then(|place| hits.get(place))
            .and_then(|document| kind.day(Role::Date, document))
    };
    Ok(Tally {
        total: hits.len() as u64,
        // The newest come first.
        earliest_date: day(dated.checked_sub(1)),
        latest_date: day(dated.checked_sub(1).map(|_| 0)),
        counts,
        values: values.map(|values| describe(values, measure)),
    })
}

/// From so many hits on, counting a facet takes longer than starting a thread for it.
const WORTH_A_THREAD: usize = 50_000;

/// Counts facets on as many threads as there are cores. They are threads of its own: in the pool that searches run in, a search that waits for its parts
/// would begin another one meanwhile, and end after it.
fn side_by_side(
    wants: &[Want],
    count: &(impl Fn(&Want) -> Result<Counts, Error> + Sync),
) -> Result<Vec<Counts>, Error> {
    let threads = thread::available_parallelism().map_or(1, |cores| cores.get());
    let share = wants.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let started: Vec<_> = wants
            .chunks(share)
            .map(|wants| scope.spawn(move || wants.iter().map(count).collect::<Result<Vec<_>, Error>>()))
            .collect();
        let mut all = Vec::with_capacity(wants.len());
        for thread in started {
            let counted = thread.join();
            all.extend(counted.map_err(|_| Error::Internal("counting panicked".to_owned()))??);
        }
        Ok(all)
    })
}

fn counts(codes: &Codes, groups: &Groups, hits: &Hits, values: Option<&[f64]>, most: usize) -> Counts {
    let mut by_code = vec![Sum::default(); groups.codes_known()];
    let mut values = values.unwrap_or(&[]).iter();
    hits.count(codes, |code| {
        let sum = &mut by_code[code as usize];
        sum.count += 1;
        if let Some(value) = values.next().filter(|value| !value.is_nan()) {
            sum.total_value.add(Money::of(*value));
        }
    });
    let mut by_value = vec![Sum::default(); groups.len()];
    for (code, sum) in (0u32..).zip(&by_code).filter(|(_, sum)| sum.count > 0) {
        for value in groups.of_code(code) {
            let total = &mut by_value[*value as usize];
            total.count += sum.count;
            total.total_value.add(sum.total_value);
        }
    }
    let mut found: Vec<u32> = (0..by_value.len() as u32)
        .filter(|value| by_value[*value as usize].count > 0)
        .collect();
    let distinct = found.len() as u64;
    let all: u64 = found.iter().map(|value| by_value[*value as usize].count).sum();
    let order = |value: &u32| (Reverse(by_value[*value as usize].count), groups.name(*value), *value);
    if most < found.len() {
        if most > 0 {
            found.select_nth_unstable_by(most - 1, |a, b| order(a).cmp(&order(b)));
        }
        found.truncate(most);
    }
    found.sort_unstable_by(|a, b| order(a).cmp(&order(b)));
    let rows: Vec<Row> = found
        .into_iter()
        .map(|value| Row {
            value: groups.name(value).to_owned(),
            count: by_value[value as usize].count,
            total_value: by_value[value as usize].total_value,
        })
        .collect();
    Counts {
        distinct,
        other: all - rows.iter().map(|row| row.count).sum::<u64>(),
        rows,
    }
}

fn describe(mut values: Vec<f64>, measure: Measure) -> Values {
    values.retain(|value| !value.is_nan());
    let mut total_value = Money::default();
    for value in &values {
        total_value.add(Money::of(*value));
    }
    Values {
        records_with_value: values.len() as u64,
        total_value,
        spread: match measure {
            Measure::Spread => spread(&mut values, total_value),
            _ => None,
        },
    }
}

fn spread(values: &mut [f64], total_value: Money) -> Option<Spread> {
    let size = values.len();
    let min = values.iter().copied().min_by(f64::total_cmp)?;
    let max = values.iter().copied().max_by(f64::total_cmp)?;
    let mut percentiles = [0.0; PERCENTS.len()];
    let mut from = 0;
    for (percent, found) in PERCENTS.into_iter().zip(&mut percentiles) {
        // What lies before the last one found is smaller, and need not be looked at again.
        let place = nearest_rank(percent, size);
        let (_, value, _) = values[from..].select_nth_unstable_by(place - from, f64::total_cmp);
        *found = *value;
        from = place;
    }
    Some(Spread {
        min,
        max,
        mean: total_value.dollars() / size as f64,
        percentiles,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_that_of_the_sorted_values() {
        for size in 1..40 {
            let mut values: Vec<f64> = (0..size).map(|n| f64::from((n * 37) % 11) - 3.0).collect();
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let found = spread(&mut values, Money::default()).unwrap();
            assert_eq!((found.min, found.max), (sorted[0], sorted[sorted.len() - 1]));
            assert_eq!(
                found.percentiles,
                PERCENTS.map(|percent| sorted[nearest_rank(percent, sorted.len())])
            );
        }
        assert_eq!(spread(&mut [], Money::default()), None);
    }
}
