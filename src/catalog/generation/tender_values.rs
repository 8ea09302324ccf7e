//! The values of open tenders that state none, as estimated when the generation was built.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{catalog::value_cache::ValueCache, model::Date};

/// By `record_id`, for one day: an estimate depends on the day. `None` where there are too few
/// comparable contracts.
///
/// The values are rounded to the cent, so JSON keeps them exactly.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TenderValues {
    /// In days since 1970-01-01.
    pub(crate) day: Date,
    pub(crate) values: BTreeMap<String, Option<f64>>,
}

impl TenderValues {
    pub(super) fn into_cache(self) -> ValueCache {
        let cache = ValueCache::default();
        for (record_id, value) in &self.values {
            cache.insert(self.day, record_id, *value);
        }
        cache
    }
}
