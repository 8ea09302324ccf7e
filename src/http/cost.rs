//! What a request costs: the number of requests that it counts as.
//!
//! Decision D-15: the cost follows from the request and the number of records, so it is known before any work is done
//! and equal requests cost the same. It estimates the processor time that the request may take; it does not measure what it took.

use std::num::NonZeroU32;

use crate::{
    catalog::generation::Generation,
    http::{middleware::limits::ONE, search_pool::Lane},
    model::EntityType,
};

/// How many tenders of a feed's `limit` cost as much as a request.
const TENDERS_PER_REQUEST: u64 = 50;

/// How many records can be counted once at the cost of a request: about 10 ms of processor time.
const RECORDS_PER_REQUEST: u64 = 1_000_000;

/// How many records are read in the quick lane at most: a millisecond or two.
pub(crate) const MAX_QUICK_RECORDS: u64 = 200_000;

/// A batch costs a request for each item.
pub(crate) fn of_batch(items: usize) -> NonZeroU32 {
    requests(items as u64, 1)
}

/// A feed costs a request for every 50 tenders of the page that it asks for.
pub(crate) fn of_feed(limit: u64) -> NonZeroU32 {
    requests(limit, TENDERS_PER_REQUEST)
}

/// The number of records that a request counts: those of the entity type, once for each facet and once for the total.
/// Filters do not lower it: how many records they leave is known only after the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counting(u64);

impl Counting {
    /// How often the records of each entity type are counted.
    pub(crate) fn of(generation: &Generation, counts: &[(EntityType, usize)]) -> Counting {
        let records = |(entity_type, times): &(EntityType, usize)| {
            let records = generation.manifest_of(*entity_type).records;
            records.saturating_mul(*times as u64)
        };
        Counting(counts.iter().map(records).fold(0, u64::saturating_add))
    }

    /// Counting costs a request for every million records.
    pub(crate) fn cost(self) -> NonZeroU32 {
        requests(self.0, RECORDS_PER_REQUEST)
    }

    /// The lane of a request that does nothing longer than counting.
    pub(crate) fn lane(self) -> Lane {
        if self.0 <= MAX_QUICK_RECORDS {
            Lane::Quick
        } else {
            Lane::Heavy
        }
    }
}

/// One request for each begun `unit`, at least one.
fn requests(amount: u64, unit: u64) -> NonZeroU32 {
    let requests = u32::try_from(amount.div_ceil(unit)).unwrap_or(u32::MAX);
    NonZeroU32::new(requests).unwrap_or(ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_begun_unit_is_a_request() {
        for (amount, unit, cost) in [
            (0, 50, 1),
            (1, 50, 1),
            (50, 50, 1),
            (51, 50, 2),
            (500, 50, 10),
            (1_000_000, 1_000_000, 1),
            (1_000_001, 1_000_000, 2),
            (u64::MAX, 1, u32::MAX),
        ] {
            assert_eq!(requests(amount, unit).get(), cost, "{amount} of {unit}");
        }
    }

    #[test]
    fn counting_costs_more_in_a_large_collection() {
        for (records, cost, lane) in [
            (0, 1, Lane::Quick),
            (200_000, 1, Lane::Quick),
            (200_001, 1, Lane::Heavy),
            (2_000_000, 2, Lane::Heavy),
            (22_000_000, 22, Lane::Heavy),
        ] {
            let counting = Counting(records);
            assert_eq!((counting.cost().get(), counting.lane()), (cost, lane), "{records}");
        }
    }
}
