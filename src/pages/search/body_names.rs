//! The names under which the records of a buyer are counted, where it has several: former ones, and those of divisions.

use std::{cmp::Reverse, collections::BTreeMap};

use crate::{
    catalog::suppliers::SupplierList,
    engine::aggregation::Aggregation,
    pages::{format::shortened, messages::Texts, search::search_address::SearchAddress},
};

/// How many names are listed.
const MAX_LISTED: usize = 3;

/// The buyer's names with the records of each. `None` for a search without a buyer, and if all records name it alike.
pub(super) fn body_names(
    t: Texts,
    asked: &SearchAddress,
    bodies: &SupplierList,
    found: &Aggregation,
) -> Option<String> {
    let body = bodies.find_id(asked.value("body")?)?;
    let mut records_of: BTreeMap<&str, u64> = BTreeMap::new();
    for combination in &found.combinations {
        // A record has the name in both languages, and perhaps other bodies next to it.
        let mut names = combination.values.iter();
        if let Some(name) = names.find(|name| bodies.find_name(name) == Some(body)) {
            *records_of.entry(name).or_default() += combination.count;
        }
    }
    let count = records_of.len();
    let mut names = Vec::from_iter(records_of);
    names.sort_by_key(|(name, records)| (Reverse(*records), *name));
    let listed = names.iter().take(MAX_LISTED);
    let listed: Vec<String> = listed
        .map(|(name, records)| t.with("search-body-name", &[("name", &shortened(name)), ("count", records)]))
        .collect();
    let mut listed = listed.join(", ");
    if let Some(more) = count.checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        listed = t.with("search-and-more", &[("name", &listed), ("count", &more)]);
    }
    (count > 1).then(|| t.with("search-body-names", &[("count", &count), ("names", &listed)]))
}
