//! The contracts that an item can be compared with: those of one generation, as of a day.

use super::{calibration::Calibration, price::MIN_PRICE};
use crate::{
    engine::{Deadline, Engine, record_search::RecordSearch},
    model::{Date, EntityType, Role},
    query::{Filter, Page, SearchQuery, Start},
};

/// The contracts of one generation as of a day.
pub struct Market<'a> {
    pub engine: &'a dyn Engine,
    pub calibration: &'a Calibration,
    /// Contracts awarded after this day are not read.
    pub today: Date,
    /// How many years back contracts count: 1 to [`MAX_YEARS_BACK`](super::limits::MAX_YEARS_BACK).
    pub years_back: u32,
    pub deadline: Deadline,
}

impl Market<'_> {
    /// A search for the newest contracts that match the filters, up to `limit`.
    pub(crate) fn newest(&self, entity_type: EntityType, filters: &[Filter], limit: usize) -> RecordSearch {
        RecordSearch::Page {
            query: self.query(entity_type, filters),
            page: Page {
                limit,
                start: Start::Offset(0),
            },
        }
    }

    /// A search for the contracts that match the filters and have the most similar texts, up to
    /// `limit`; `None` without a term.
    pub(crate) fn similar(
        &self,
        entity_type: EntityType,
        filters: &[Filter],
        terms: &[String],
        limit: usize,
    ) -> Option<RecordSearch> {
        (!terms.is_empty()).then(|| RecordSearch::Similar {
            query: self.query(entity_type, filters),
            terms: terms.to_vec(),
            limit,
        })
    }

    /// All contracts of the last `years_back` years that have a price and match the filters.
    fn query(&self, entity_type: EntityType, filters: &[Filter]) -> SearchQuery {
        let days = (f64::from(self.years_back) * 365.25) as i32;
        let pool = [
            Filter::Dates {
                role: Role::Date,
                from: Date::from_days(self.today.days().saturating_sub(days)),
                to: Some(self.today),
            },
            Filter::Values {
                min: Some(MIN_PRICE),
                max: None,
            },
        ];
        SearchQuery::newest(entity_type, pool.into_iter().chain(filters.iter().cloned()).collect())
    }
}
