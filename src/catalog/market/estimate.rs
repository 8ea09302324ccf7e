//! The estimate of an item: the weighted median of the contracts it is compared with, and a range that is as wide as such
//! estimates were off before.

use rayon::prelude::*;

use super::{
    answer::{DateRange, Estimate, EstimateItem, EstimateStatus, ValueRange},
    caveats::Caveats,
    item::PreparedItem,
    note_texts,
    pool::Market,
    selection::select_comparables,
    value_distribution::ValueDistribution,
};
use crate::engine::Error;

impl Market<'_> {
    /// One estimate per item, in order.
    pub fn estimate(&self, items: &[EstimateItem]) -> Result<Vec<Estimate>, Error> {
        items.par_iter().map(|item| self.estimate_one(item)).collect()
    }

    fn estimate_one(&self, input: &EstimateItem) -> Result<Estimate, Error> {
        let Some((mut item, _)) = PreparedItem::find(self.engine, input)? else {
            return Ok(Estimate {
                status: EstimateStatus::NotFound,
                caveats: vec![note_texts::NO_SUCH_TENDER.note()],
                ..Estimate::empty(input)
            });
        };
        let selection = select_comparables(self, &mut item, &[])?;
        let distribution = ValueDistribution::of(self, &selection);
        let Caveats(caveats) = Caveats::of(self, &item, &selection, distribution.as_ref());
        let sample_size = selection.contracts.len();
        let Some(distribution) = distribution else {
            return Ok(Estimate {
                status: status(&item, None),
                estimated_value: item.stated_value,
                sample_size,
                caveats,
                ..Estimate::empty(input)
            });
        };
        let percentiles = distribution.percentiles();
        let days = selection.contracts.iter().map(|contract| contract.date);
        let date_range = days.clone().min().zip(days.max()).map(|(from, to)| DateRange {
            from: from.to_string(),
            to: to.to_string(),
        });
        Ok(Estimate {
            input: input.clone(),
            status: status(&item, Some(&distribution)),
            estimated_value: Some(item.stated_value.unwrap_or(percentiles.p50)),
            range: Some(ValueRange {
                low: percentiles.p25,
                high: percentiles.p75,
            }),
            percentiles: Some(percentiles),
            sample_size,
            effective_sample_size: (distribution.spread.effective_size * 10.0).round() / 10.0,
            match_level: Some(distribution.level),
            confidence: Some(distribution.confidence),
            date_range,
            caveats,
        })
    }
}

impl Estimate {
    fn empty(input: &EstimateItem) -> Estimate {
        Estimate {
            input: input.clone(),
            status: EstimateStatus::InsufficientData,
            estimated_value: None,
            range: None,
            percentiles: None,
            sample_size: 0,
            effective_sample_size: 0.0,
            match_level: None,
            confidence: None,
            date_range: None,
            caveats: Vec::new(),
        }
    }
}

pub fn status(item: &PreparedItem, distribution: Option<&ValueDistribution>) -> EstimateStatus {
    match (item.stated_value, distribution) {
        (Some(_), _) => EstimateStatus::Stated,
        (None, Some(_)) => EstimateStatus::Ok,
        (None, None) => EstimateStatus::InsufficientData,
    }
}
