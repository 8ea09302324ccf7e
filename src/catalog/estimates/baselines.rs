//! Two simple guesses that the back-test compares estimates with.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{
    holdout::{Holdout, OtherPrice},
    limits::DEFAULT_YEARS_BACK,
    purchase_facts::CONTRACT_TYPES,
};
use crate::{
    catalog::all_matches::for_each_page,
    engine::{Deadline, Engine, Error},
    model::Date,
    query::SearchQuery,
};

/// All contracts by category: the baselines are their medians.
pub(crate) struct Baselines {
    by_category: HashMap<Vec<String>, Vec<PastContract>>,
    /// Numbers of the buyers.
    buyers: HashMap<String, u32>,
    /// How many contracts have another price than their own.
    pub(crate) other_prices: u64,
}

struct PastContract {
    date: Date,
    buyer: Option<u32>,
    log_value: f64,
    numbers: Vec<String>,
}

impl Baselines {
    pub(crate) fn read(engine: &dyn Engine, other_price: &OtherPrice) -> Result<Baselines, Error> {
        let mut baselines = Baselines {
            by_category: HashMap::new(),
            buyers: HashMap::new(),
            other_prices: 0,
        };
        for entity_type in CONTRACT_TYPES {
            let all = SearchQuery::newest(entity_type, Vec::new());
            for_each_page(engine, &all, &Deadline::never(), |records| {
                let read: Vec<Option<Holdout>> = records
                    .par_iter()
                    .map(|bytes| Holdout::of(entity_type, bytes))
                    .collect();
                for contract in read.into_iter().flatten() {
                    baselines.other_prices += u64::from(other_price(&contract.id).is_some());
                    baselines.add(contract);
                }
                Ok(())
            })?;
        }
        Ok(baselines)
    }

    fn add(&mut self, contract: Holdout) {
        let facts = contract.facts;
        let buyer = facts.buyers.into_iter().next().map(|name| {
            let next = self.buyers.len() as u32;
            *self.buyers.entry(name).or_insert(next)
        });
        let mut categories = facts.categories;
        categories.sort();
        self.by_category.entry(categories).or_default().push(PastContract {
            date: contract.date,
            buyer,
            log_value: contract.value.log10(),
            numbers: facts.numbers,
        });
    }

    /// Two guesses as decimal logarithms: the median value of the category, and that of buyer and
    /// category. Both are over the years before the contract that an estimate uses. For a buyer
    /// without contracts in these years, the second guess equals the first.
    pub(crate) fn guesses(&self, holdout: &Holdout) -> [Option<f64>; 2] {
        let facts = &holdout.facts;
        let mut categories = facts.categories.clone();
        categories.sort();
        let buyer = facts.buyers.first().and_then(|name| self.buyers.get(name));
        let days = (f64::from(DEFAULT_YEARS_BACK) * 365.25) as i32;
        let from = holdout.date.days() - 1 - days;
        let contracts = self.by_category.get(&categories).into_iter().flatten();
        let past = contracts.filter(|contract| {
            let is_past = (from..holdout.date.days()).contains(&contract.date.days());
            is_past && !contract.numbers.iter().any(|number| facts.numbers.contains(number))
        });
        let past: Vec<&PastContract> = past.collect();
        let of_category = median(past.iter().map(|contract| contract.log_value).collect());
        let of_buyer = past
            .iter()
            .filter(|contract| buyer.is_some() && contract.buyer.as_ref() == buyer);
        let of_buyer = median(of_buyer.map(|contract| contract.log_value).collect());
        [of_category, of_buyer.or(of_category)]
    }
}

fn median(mut logs: Vec<f64>) -> Option<f64> {
    logs.sort_by(f64::total_cmp);
    let (upper, lower) = (logs.get(logs.len() / 2)?, logs.get((logs.len() - 1) / 2)?);
    Some((upper + lower) / 2.0)
}
