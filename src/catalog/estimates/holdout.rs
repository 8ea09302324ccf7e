//! Contracts whose value is known, estimated as if it were not: the data of calibration and
//! back-test.
//!
//! Held out are the contract, everything of its solicitation, and everything of its award day and
//! later: the estimate is made as of the day before.

use std::collections::HashSet;

use bytes::Bytes;
use rayon::prelude::*;

use super::{
    calibration::{Calibration, CalibrationSample, EstimateSpread, MIN_SAMPLES},
    item::PreparedItem,
    limits::DEFAULT_YEARS_BACK,
    pool::Market,
    price::date_and_price,
    purchase_facts::{CONTRACT_TYPES, PurchaseFacts},
    selection::select_comparables,
};
use crate::{
    engine::{Deadline, Engine, Error, record_search::RecordSearch},
    model::{Date, EntityType, Record, Schema},
    query::{Page, SearchQuery, Start},
};

/// How many contracts calibrate a generation: enough to measure p10 and p90, and few enough for
/// seconds.
const CALIBRATION_SAMPLES: usize = 1500;

/// Of a small index, one in this many contracts, so that a sample is indexed in a second or two.
/// Holding out more of the same few contracts adds little.
const SMALL_INDEX_DIVISOR: u64 = 2;

/// The price in dollars that an estimate learns from a contract, by its `record_id`; `None` for the
/// price of the contract itself.
pub(crate) type OtherPrice<'a> = dyn Fn(&str) -> Option<f64> + Sync + 'a;

/// A contract whose value is known.
pub(crate) struct Holdout {
    pub(crate) entity_type: EntityType,
    pub(crate) record: Bytes,
    pub(crate) id: String,
    pub(crate) date: Date,
    pub(crate) value: f64,
    pub(crate) facts: PurchaseFacts,
}

impl Holdout {
    /// `None` for a record without a price that can be compared.
    pub(crate) fn of(entity_type: EntityType, bytes: &Bytes) -> Option<Holdout> {
        let record = Record::parse(Schema::of(entity_type), bytes).ok()?;
        let (date, value) = date_and_price(&record)?;
        Some(Holdout {
            entity_type,
            record: bytes.clone(),
            id: record.id().to_owned(),
            date,
            value,
            facts: PurchaseFacts::of_record(&record),
        })
    }

    /// Estimates it as of the day before its award, from the prices of the contracts or from
    /// `other_price`; `None` if there are too few contracts for an estimate.
    pub(crate) fn calibration_sample(
        &self,
        engine: &dyn Engine,
        other_price: &OtherPrice,
    ) -> Result<Option<CalibrationSample>, Error> {
        let day_before = Date::from_days(self.date.days() - 1);
        let item = PreparedItem::of_record(engine, self.entity_type, &self.record, &Deadline::never())?;
        let (Some(today), Some(mut item)) = (day_before, item) else {
            return Ok(None);
        };
        let market = Market {
            engine,
            calibration: &Calibration::default(),
            today,
            years_back: DEFAULT_YEARS_BACK,
            deadline: Deadline::never(),
        };
        let mut selection = select_comparables(&market, &mut item, &[])?;
        for contract in &mut selection.contracts {
            contract.value = other_price(&contract.id).unwrap_or(contract.value);
        }
        let spread = EstimateSpread::of(&selection.weighted_values());
        Ok(selection.level.zip(spread).map(|(level, spread)| CalibrationSample {
            level,
            residual: self.value.log10() - spread.median,
            spread,
        }))
    }
}

/// A random sample of contracts. Each entity type, given with its number of records, has its share
/// of the sample. Ordered by entity type, then by document.
pub(crate) fn sample_holdouts(
    engine: &dyn Engine,
    entity_types: &[(EntityType, u64)],
    sample: usize,
    seed: u64,
) -> Result<Vec<Holdout>, Error> {
    let total: u64 = entity_types.iter().map(|(_, records)| records).sum();
    let mut sampled = Vec::new();
    for (entity_type, records) in entity_types.iter().copied().filter(|(_, records)| *records > 0) {
        let share = (sample as f64 * records as f64 / total as f64).ceil() as usize;
        let mut state = seed ^ entity_type as u64;
        let (mut tried, mut taken) = (HashSet::new(), Vec::new());
        // A record that cannot be compared (undated, without a price, not a contract) is replaced,
        // up to a limit.
        let mut draws = share.saturating_mul(4);
        loop {
            let mut documents = Vec::new();
            while draws > 0 && taken.len() + documents.len() < share {
                draws -= 1;
                let document = (next_random(&mut state) % records) as usize;
                if tried.insert(document) {
                    documents.push(document);
                }
            }
            if documents.is_empty() {
                break;
            }
            let searches: Vec<RecordSearch> = documents.iter().map(|document| one(entity_type, *document)).collect();
            let found = engine.records_of(&searches, Deadline::never())?;
            for (document, records) in documents.into_iter().zip(found) {
                let holdout = records.first().and_then(|bytes| Holdout::of(entity_type, bytes));
                taken.extend(holdout.map(|holdout| (document, holdout)));
            }
        }
        taken.sort_by_key(|(document, _)| *document);
        sampled.extend(taken.into_iter().map(|(_, holdout)| holdout));
    }
    Ok(sampled)
}

/// A search for the record with a number in the default order.
fn one(entity_type: EntityType, document: usize) -> RecordSearch {
    RecordSearch::Page {
        query: SearchQuery::newest(entity_type, Vec::new()),
        page: Page {
            limit: 1,
            start: Start::Offset(document),
        },
    }
}

/// SplitMix64: equal seeds give equal samples on any machine.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Calibrates estimates on the index's own contracts. `records` returns the number of records of an
/// entity type.
pub(crate) fn calibrate(engine: &dyn Engine, records: impl Fn(EntityType) -> u64) -> Result<Calibration, Error> {
    let entity_types = CONTRACT_TYPES.map(|entity_type| (entity_type, records(entity_type)));
    let total: u64 = entity_types.iter().map(|(_, records)| records).sum();
    let share = usize::try_from(total / SMALL_INDEX_DIVISOR).unwrap_or(usize::MAX);
    let holdouts = sample_holdouts(engine, &entity_types, share.min(CALIBRATION_SAMPLES), 1)?;
    if holdouts.len() < MIN_SAMPLES {
        return Ok(Calibration::default());
    }
    let samples: Vec<Option<CalibrationSample>> = holdouts
        .par_iter()
        .map(|holdout| holdout.calibration_sample(engine, &|_| None))
        .collect::<Result<_, _>>()?;
    let samples: Vec<CalibrationSample> = samples.into_iter().flatten().collect();
    Ok(Calibration::of_samples(&samples))
}
