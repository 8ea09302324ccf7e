//! Contracts whose value is known, estimated as if it were not: what calibration and back-test learn from.
//!
//! Hidden are the contract, everything of its solicitation, and everything of its day and later: "today" is the day before its award.

use std::collections::HashSet;

use bytes::Bytes;
use rayon::prelude::*;

use crate::{
    catalog::market::{
        Market, YEARS_BACK,
        calibration::{Calibration, Lesson, Spread},
        facts::{Facts, KINDS},
        item::Item,
        ladder::Ladder,
        pool::counted,
    },
    engine::{Deadline, Engine, Error},
    model::{date::Date, entity_type::EntityType, record::Record, schema::Schema},
    query::{Page, SearchQuery, Start},
};

/// A known contract.
pub struct Hidden {
    pub entity_type: EntityType,
    pub record: Bytes,
    pub id: String,
    pub date: Date,
    pub value: f64,
    pub facts: Facts,
}

impl Hidden {
    pub fn of(entity_type: EntityType, bytes: &Bytes) -> Option<Hidden> {
        let record = Record::parse(Schema::of(entity_type), bytes).ok()?;
        let (date, value) = counted(&record)?;
        Some(Hidden {
            entity_type,
            record: bytes.clone(),
            id: record.id().to_owned(),
            date,
            value,
            facts: Facts::of_record(&record, bytes),
        })
    }

    /// The last day on which nothing of it is known.
    pub fn eve(&self) -> Option<Date> {
        Date::from_days(self.date.days() - 1)
    }

    /// What its estimate teaches; `None` where there is too little to estimate it by.
    pub fn lesson(&self, engine: &dyn Engine) -> Result<Option<Lesson>, Error> {
        let (Some(today), Some(mut item)) = (self.eve(), Item::of_record(engine, self.entity_type, &self.record)?)
        else {
            return Ok(None);
        };
        let market = Market {
            engine,
            calibration: &Calibration::default(),
            today,
            years_back: YEARS_BACK,
            deadline: Deadline::never(),
        };
        let ladder = Ladder::climb(&market, &mut item, &[])?;
        let spread = Spread::of(&ladder.weighted());
        Ok(ladder.level.zip(spread).map(|(level, spread)| Lesson {
            level,
            residual: self.value.log10() - spread.median,
            spread,
        }))
    }
}

/// Some contracts of these kinds, each kind as many as its share of the records; by kind, then by place in the index.
pub fn draw(engine: &dyn Engine, kinds: &[(EntityType, u64)], sample: usize, seed: u64) -> Result<Vec<Hidden>, Error> {
    let total: u64 = kinds.iter().map(|(_, records)| records).sum();
    let mut drawn = Vec::new();
    for (entity_type, records) in kinds.iter().copied().filter(|(_, records)| *records > 0) {
        let share = (sample as f64 * records as f64 / total as f64).ceil() as usize;
        let mut dice = seed ^ entity_type as u64;
        let (mut tried, mut taken) = (HashSet::new(), Vec::new());
        // What does not count (undated, worthless, no contract) is drawn again, for a while.
        for _ in 0..share.saturating_mul(4) {
            let place = (roll(&mut dice) % records) as usize;
            if taken.len() == share || !tried.insert(place) {
                continue;
            }
            let page = Page {
                limit: 1,
                start: Start::Offset(place),
            };
            let hits = engine.search(&SearchQuery::newest(entity_type, Vec::new()), &page, Deadline::never())?;
            let hidden = hits.records.first().and_then(|bytes| Hidden::of(entity_type, bytes));
            taken.extend(hidden.map(|hidden| (place, hidden)));
        }
        taken.sort_by_key(|(place, _)| *place);
        drawn.extend(taken.into_iter().map(|(_, hidden)| hidden));
    }
    Ok(drawn)
}

/// SplitMix64: equal seeds draw equal samples, on any machine.
fn roll(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// How many contracts a generation learns from: enough for a tenth of them to be told from a twelfth, few enough for seconds.
const LESSONS: usize = 1500;

/// Of a small index one contract in so many, that a sample is indexed in a second or two: to hide more of the same few teaches little more.
const ONE_IN: u64 = 2;

/// What a generation's own contracts teach; `records` tells how many there are of a kind.
pub fn calibrate(engine: &dyn Engine, records: impl Fn(EntityType) -> u64) -> Result<Calibration, Error> {
    let kinds = KINDS.map(|kind| (kind, records(kind)));
    let total: u64 = kinds.iter().map(|(_, records)| records).sum();
    let lessons = usize::try_from(total / ONE_IN).map_or(LESSONS, |share| share.min(LESSONS));
    let hidden = draw(engine, &kinds, lessons, 1)?;
    let lessons: Vec<Option<Lesson>> = hidden
        .par_iter()
        .map(|hidden| hidden.lesson(engine))
        .collect::<Result<_, _>>()?;
    let lessons: Vec<Lesson> = lessons.into_iter().flatten().collect();
    Ok(Calibration::learn(&lessons))
}
