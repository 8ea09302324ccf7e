//! The searches for contracts that an item may be compared with.

use super::{
    code_match::{CodeMatch, code_prefix},
    item::PreparedItem,
    pool::Market,
};
use crate::{
    engine::record_search::RecordSearch,
    model::{EntityType, Facet, Role},
    query::Filter,
};

/// How many records a search for similar text returns at most.
const MAX_SIMILAR: usize = 200;

/// How many records a search for the newest that share a fact returns at most.
const MAX_NEWEST: usize = 100;

/// How many codes and categories of an item are searched.
pub(crate) const MAX_CODES: usize = 4;

/// Searches for the records of one entity type that may match at some level. `number` is its position
/// in [`CONTRACT_TYPES`](super::purchase_facts::CONTRACT_TYPES). Several may find the same record.
pub(crate) fn candidate_searches(
    market: &Market,
    item: &PreparedItem,
    number: usize,
    entity_type: EntityType,
) -> Vec<RecordSearch> {
    let facts = &item.facts;
    let facet_value = |facet: Facet, key: &String| Filter::FacetValue {
        facet,
        key: key.clone(),
    };
    let buyers = item.buyer_filter_keys.iter();
    let buyers: Vec<Filter> = buyers.map(|key| facet_value(Facet::NamedDepartment, key)).collect();
    let categories: Vec<Vec<Filter>> = if facts.categories.is_empty() {
        vec![Vec::new()]
    } else {
        let keys = facts.categories.iter().take(MAX_CODES);
        keys.map(|key| vec![term(Role::Category, key)]).collect()
    };
    let terms = &item.term_weights[number].query_terms;
    let newest = |filters: &[Filter]| market.newest(entity_type, filters, MAX_NEWEST);
    let mut searches = Vec::new();
    for category in &categories {
        searches.extend(market.similar(entity_type, category, terms, MAX_SIMILAR));
    }
    for code in facts.codes.iter().take(MAX_CODES) {
        let exact = term(Role::Commodity, code);
        searches.push(newest(std::slice::from_ref(&exact)));
        for buyer in &buyers {
            searches.push(newest(&[exact.clone(), buyer.clone()]));
        }
        for level in [CodeMatch::Class, CodeMatch::Family] {
            if let Some(prefix) = code_prefix(code, level) {
                searches.push(newest(&[Filter::Prefix {
                    role: Role::Commodity,
                    key: prefix.to_owned(),
                }]));
            }
        }
    }
    for buyer in &buyers {
        searches.extend(market.similar(entity_type, std::slice::from_ref(buyer), terms, MAX_NEWEST));
    }
    for category in &categories {
        for buyer in &buyers {
            searches.push(newest(&[&category[..], std::slice::from_ref(buyer)].concat()));
        }
        let level = facts
            .government_level
            .iter()
            .map(|key| facet_value(Facet::GovernmentLevel, key));
        let filters: Vec<Filter> = category.iter().cloned().chain(level).collect();
        if !filters.is_empty() {
            searches.push(newest(&filters));
        }
    }
    searches
}

pub(crate) fn term(role: Role, key: &str) -> Filter {
    Filter::Term {
        role,
        key: key.to_owned(),
    }
}
