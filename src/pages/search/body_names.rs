//! The names under which the records of a buyer are counted, where it has several: former ones, and those of divisions.

use std::cmp::Reverse;

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
    let all: Vec<u32> = asked
        .choices("body")
        .into_iter()
        .filter_map(|id| bodies.find_id(id))
        .collect();
    let is_own = |name: &&String| bodies.find_name(name).is_some_and(|body| all.contains(&body));
    let mut names: Vec<(Vec<&String>, u64)> = Vec::new();
    for combination in &found.combinations {
        // In both languages, and next to other bodies.
        let own: Vec<&String> = combination.values.iter().filter(is_own).collect();
        let same = |(known, _): &&mut (Vec<&String>, u64)| own.iter().any(|name| known.contains(name));
        if let Some((known, records)) = names.iter_mut().find(same) {
            known.extend(own);
            *records += combination.count;
        } else if !own.is_empty() {
            names.push((own, combination.count));
        }
    }
    let is_in_language = |name: &&&String| {
        let body = bodies.find_name(name).and_then(|body| bodies.get(body));
        body.is_some_and(|body| body.name_in(t.language()) == name.as_str())
    };
    let shown = names.into_iter().map(|(names, records)| {
        let name = names.iter().find(is_in_language).or(names.first());
        (name.map_or("", |name| name.as_str()), records)
    });
    let mut shown: Vec<(&str, u64)> = shown.collect();
    shown.sort_by_key(|(name, records)| (Reverse(*records), *name));
    let count = shown.len();
    let listed = shown.iter().take(MAX_LISTED);
    let listed: Vec<String> = listed
        .map(|(name, records)| t.with("search-body-name", &[("name", &shortened(name)), ("count", records)]))
        .collect();
    let mut listed = listed.join(", ");
    if let Some(more) = count.checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        listed = t.with("search-and-more", &[("name", &listed), ("count", &more)]);
    }
    (count > 1).then(|| t.with("search-body-names", &[("count", &count), ("names", &listed)]))
}
