//! The estimate of an item: the weighted median of the contracts it is compared with, and a range.
//! The width of the range comes from the errors of similar estimates of known contracts
//! ([`super::calibration`]).

use super::{
    answer::{DateRange, Estimate, EstimateItem, EstimateStatus, ValueRange},
    caveats::caveats,
    item::PreparedItem,
    note_texts,
    pool::Market,
    selection::{Selection, select_comparables},
    value_distribution::ValueDistribution,
};
use crate::engine::Error;

impl Market<'_> {
    /// The estimate of one item.
    pub fn estimate(&self, input: &EstimateItem) -> Result<Estimate, Error> {
        let Some((mut item, _)) = PreparedItem::find(self.engine, input, &self.deadline)? else {
            return Ok(Estimate::not_found(input));
        };
        let selection = select_comparables(self, &mut item, &[])?;
        let distribution = ValueDistribution::of(self, &selection);
        let distribution = distribution.as_ref();
        let percentiles = distribution.map(ValueDistribution::percentiles);
        Ok(Estimate {
            input: input.clone(),
            status: status(&item, distribution),
            estimated_value: item.stated_value.or(percentiles.map(|percentiles| percentiles.p50)),
            range: percentiles.map(|percentiles| ValueRange {
                low: percentiles.p25,
                high: percentiles.p75,
            }),
            percentiles,
            sample_size: selection.contracts.len(),
            effective_sample_size: distribution.map_or(0.0, |distribution| {
                (distribution.spread.effective_size * 10.0).round() / 10.0
            }),
            match_level: distribution.map(|distribution| distribution.level),
            confidence: distribution.map(|distribution| distribution.confidence),
            date_range: if distribution.is_some() {
                date_range(&selection)
            } else {
                None
            },
            caveats: caveats(self, &item, &selection, distribution).0,
        })
    }
}

impl Estimate {
    fn not_found(input: &EstimateItem) -> Estimate {
        Estimate {
            input: input.clone(),
            status: EstimateStatus::NotFound,
            estimated_value: None,
            range: None,
            percentiles: None,
            sample_size: 0,
            effective_sample_size: 0.0,
            match_level: None,
            confidence: None,
            date_range: None,
            caveats: vec![note_texts::NO_SUCH_TENDER.note()],
        }
    }
}

/// The dates of the earliest and the latest contract.
fn date_range(selection: &Selection) -> Option<DateRange> {
    let days = selection.contracts.iter().map(|contract| contract.date);
    Some(DateRange {
        from: days.clone().min()?.to_string(),
        to: days.max()?.to_string(),
    })
}

pub(crate) fn status(item: &PreparedItem, distribution: Option<&ValueDistribution>) -> EstimateStatus {
    match (item.stated_value, distribution) {
        (Some(_), _) => EstimateStatus::Stated,
        (None, Some(_)) => EstimateStatus::Ok,
        (None, None) => EstimateStatus::InsufficientData,
    }
}
