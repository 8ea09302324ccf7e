//! The contracts that an item can be compared with: those of one generation, as of a day.

use bytes::Bytes;

use super::{calibration::Calibration, price::MIN_PRICE};
use crate::{
    engine::{Deadline, Engine, Error},
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
    /// The newest contracts that match the filters, up to `limit`.
    pub(crate) fn newest(
        &self,
        entity_type: EntityType,
        filters: &[Filter],
        limit: usize,
    ) -> Result<Vec<Bytes>, Error> {
        let page = Page {
            limit,
            start: Start::Offset(0),
        };
        let query = self.query(entity_type, filters);
        Ok(self.engine.search(&query, &page, self.deadline.clone())?.records)
    }

    /// The contracts that match the filters and have the most similar texts, up to `limit`.
    pub(crate) fn similar(
        &self,
        entity_type: EntityType,
        filters: &[Filter],
        terms: &[String],
        limit: usize,
    ) -> Result<Vec<Bytes>, Error> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let query = self.query(entity_type, filters);
        let similar = self.engine.similar(&query, terms, limit, self.deadline.clone())?;
        Ok(similar.into_iter().map(|similar| similar.record).collect())
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
