//! Keeps one record of each contract that several publishers or amendments state.

use std::collections::HashSet;

use rustc_hash::FxHashMap;

use super::{compared_contract::ComparedContract, contract_identity::VendorOrValue, purchase_facts::CONTRACT_TYPES};
use crate::model::{Date, EntityType};

/// Each contract once, in an order that does not depend on how it was found; and how many contracts
/// were excluded. A contract is excluded as a whole if `exclude` has one of its records.
///
/// Of the records of one contract, the one that was amended last is kept, then the one whose entity
/// type comes first in [`CONTRACT_TYPES`].
pub(crate) fn deduplicate(contracts: Vec<ComparedContract>, exclude: &[String]) -> (Vec<ComparedContract>, usize) {
    let contracts = sorted(contracts);
    let places = places(&contracts);
    let mut kept: Vec<ComparedContract> = Vec::with_capacity(contracts.len());
    for (contract, place) in contracts.into_iter().zip(places) {
        match kept.get_mut(place) {
            Some(same) => same.merged.push(contract.id),
            None => kept.push(contract),
        }
    }
    let before = kept.len();
    let exclude: HashSet<&String> = exclude.iter().collect();
    kept.retain(|contract| !exclude.contains(&contract.id) && !contract.merged.iter().any(|id| exclude.contains(id)));
    let excluded = before - kept.len();
    (kept, excluded)
}

/// The records, the one that is kept of each contract first. Their places are sorted, because a record is large.
fn sorted(contracts: Vec<ComparedContract>) -> Vec<ComparedContract> {
    let type_index =
        |contract: &ComparedContract| CONTRACT_TYPES.iter().position(|other| *other == contract.entity_type);
    let mut order: Vec<usize> = (0..contracts.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&contracts[*a], &contracts[*b]);
        let last_amended = b.identity.amendment.cmp(&a.identity.amendment);
        last_amended
            .then(type_index(a).cmp(&type_index(b)))
            .then(b.date.cmp(&a.date))
            .then_with(|| a.id.cmp(&b.id))
    });
    let mut contracts: Vec<Option<ComparedContract>> = contracts.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| contracts[at].take()).collect()
}

/// For each record, the index of its contract among the distinct ones, in the order of their first records.
fn places(contracts: &[ComparedContract]) -> Vec<usize> {
    let mut known = KnownContracts::default();
    let mut distinct = 0;
    let place = |contract| {
        let place = known.find(contract).unwrap_or(distinct);
        known.add(contract, place);
        distinct += usize::from(place == distinct);
        place
    };
    contracts.iter().map(place).collect()
}

/// The indexes of the contracts kept so far, by what identifies them, with the entity type of the
/// record that stated it.
#[derive(Default)]
struct KnownContracts<'c> {
    by_number: FxHashMap<(&'c str, VendorOrValue<'c>), (usize, EntityType)>,
    by_vendor_value_and_day: FxHashMap<(&'c str, i64, Date), (usize, EntityType)>,
}

impl<'c> KnownContracts<'c> {
    fn find(&self, contract: &ComparedContract) -> Option<usize> {
        let identity = &contract.identity;
        for number in &identity.numbers {
            let is_contract_number = Some(number) == identity.contract_number.as_ref();
            for vendor_or_value in identity.vendor_or_value_keys() {
                if let Some((index, entity_type)) = self.by_number.get(&(number.as_str(), vendor_or_value))
                    && (*entity_type != contract.entity_type || is_contract_number)
                {
                    return Some(*index);
                }
            }
        }
        let (index, entity_type) = self
            .by_vendor_value_and_day
            .get(&identity.vendor_value_and_day(contract.date)?)?;
        if *entity_type == contract.entity_type {
            None
        } else {
            Some(*index)
        }
    }

    fn add(&mut self, contract: &'c ComparedContract, index: usize) {
        let known = (index, contract.entity_type);
        for number in &contract.identity.numbers {
            for vendor_or_value in contract.identity.vendor_or_value_keys() {
                self.by_number.entry((number, vendor_or_value)).or_insert(known);
            }
        }
        if let Some(key) = contract.identity.vendor_value_and_day(contract.date) {
            self.by_vendor_value_and_day.entry(key).or_insert(known);
        }
    }
}
