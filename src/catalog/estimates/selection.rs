//! Selects the contracts that an item is compared with, weights them, and finds the match level.
//!
//! Contracts that match at a distant level stay in with little weight, so that an estimate from a
//! handful of close contracts is moderated by the many that are merely similar.

use std::collections::HashSet;

use super::{
    answer::MatchLevel,
    candidates::candidate_searches,
    compared_contract::ComparedContract,
    deduplicate::deduplicate,
    item::PreparedItem,
    percentiles::WeightedValues,
    pool::Market,
    purchase_facts::CONTRACT_TYPES,
    weights::{log_weight, nearness},
};
use crate::engine::Error;

/// The match level is the closest one that has this many contracts, together with closer levels.
pub(crate) const LEVEL_CONTRACTS: usize = 8;

/// The minimum number of contracts for an estimate.
pub(crate) const MIN_CONTRACTS: usize = 5;

/// The contracts that an item is compared with.
pub(crate) struct Selection {
    /// The comparables first, closest first. The weights add up to 1.
    pub(crate) contracts: Vec<ComparedContract>,
    /// `None` if there are fewer than [`MIN_CONTRACTS`].
    pub(crate) level: Option<MatchLevel>,
    /// How many of the contracts are comparables.
    comparables: usize,
    /// How many contracts the request excluded.
    pub(crate) excluded: usize,
}

impl Selection {
    /// The contracts at the match level or closer, and those with a similar text in the same
    /// category. Closest in what is bought first.
    pub(crate) fn comparables(&self) -> &[ComparedContract] {
        &self.contracts[..self.comparables]
    }

    /// The share of the weight that the comparables carry, 0 to 1.
    pub(crate) fn comparables_weight(&self) -> f64 {
        self.comparables().iter().map(|contract| contract.weight).sum()
    }

    /// The values as powers of ten, weighted.
    pub(crate) fn weighted_values(&self) -> WeightedValues {
        let contracts = self.contracts.iter();
        WeightedValues::new(contracts.map(|contract| (contract.log_value(), contract.weight)))
    }
}

/// Selects the contracts for an item. Contracts with a record in `exclude` are left out.
pub(crate) fn select_comparables(
    market: &Market,
    item: &mut PreparedItem,
    exclude: &[String],
) -> Result<Selection, Error> {
    let (mut contracts, excluded) = deduplicate(compared_contracts(market, item)?, exclude);
    set_weights(&mut contracts, market);
    let count = |level: MatchLevel| contracts.iter().filter(|contract| contract.level <= level).count();
    let first_with = |min: usize| MatchLevel::ALL.into_iter().find(|level| count(*level) >= min);
    let level = first_with(LEVEL_CONTRACTS).or_else(|| first_with(MIN_CONTRACTS));
    let is_comparable = |contract: &ComparedContract| {
        let is_similar = contract.same_category && contract.has_similar_text();
        is_similar || level.is_some_and(|level| contract.level <= level)
    };
    contracts.sort_by(|a, b| {
        is_comparable(b)
            .cmp(&is_comparable(a))
            .then(b.nearness.total_cmp(&a.nearness))
            .then_with(|| (a.entity_type, &a.id).cmp(&(b.entity_type, &b.id)))
    });
    Ok(Selection {
        comparables: contracts.iter().filter(|contract| is_comparable(contract)).count(),
        contracts,
        level,
        excluded,
    })
}

/// The candidates that match the item at some level, each record once.
fn compared_contracts(market: &Market, item: &mut PreparedItem) -> Result<Vec<ComparedContract>, Error> {
    let (mut searches, mut counts) = (Vec::new(), Vec::new());
    for (number, entity_type) in CONTRACT_TYPES.into_iter().enumerate() {
        let before = searches.len();
        searches.extend(candidate_searches(market, item, number, entity_type));
        counts.push((entity_type, searches.len() - before));
    }
    let found = market.engine.records_of(&searches, market.deadline.clone())?;
    let mut found = found.into_iter();
    let mut contracts = Vec::new();
    for (entity_type, count) in counts {
        let mut seen = HashSet::new();
        let mut ids = HashSet::new();
        for record in found.by_ref().take(count).flatten() {
            // A record that two searches found has the same address: this saves parsing it again.
            if !seen.insert((record.as_ptr(), record.len())) {
                continue;
            }
            if let Some(contract) = ComparedContract::read(entity_type, &record, item)
                && ids.insert(contract.id.clone())
            {
                contracts.push(contract);
            }
        }
        market.deadline.check()?;
    }
    Ok(contracts)
}

/// Gives each contract its share of the weight, and its place among the comparables.
fn set_weights(contracts: &mut [ComparedContract], market: &Market) {
    let logs: Vec<f64> = contracts
        .iter()
        .map(|contract| log_weight(contract, market.today))
        .collect();
    let max = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - max).exp()).collect();
    let total: f64 = weights.iter().sum();
    for (contract, weight) in contracts.iter_mut().zip(weights) {
        contract.weight = weight / total;
        contract.nearness = nearness(contract, market.today);
    }
}
