//! The address of the page of a search over bids.

use crate::{
    api::params::{
        bids::{BidsParams, TABLE},
        read::read_all,
        resolve::ResolveContext,
    },
    catalog::{bids::BidQuery, generation::Generation},
    model::EntityType,
    pages::{
        address::{self, Parameters},
        search::search_address::SearchAddress,
    },
};

/// The page for the bids on the tenders that a search finds, and these bids. `None` if it has a condition that a search
/// over bids does not have.
pub(super) fn of_search(asked: &SearchAddress, generation: &Generation) -> Option<(String, BidQuery)> {
    let parameters = asked.parameters.without(&[
        "sort_by",
        "sort_order",
        "facets",
        "include_total",
        "cursor",
        "offset",
        "limit",
    ]);
    let query = with_meanings(parameters.clone());
    let given: BidsParams = read_all(TABLE, &query.query_string()).ok()?;
    let context = ResolveContext::without_plan(EntityType::Tender, generation);
    let (search, _) = given.resolve(&context, false).ok()?;
    let page = parameters.after(&address::page(asked.lang, "bids"));
    Some((page, search.query))
}

/// The page for the bids on the tenders of a search; `None` also without any bids.
pub(super) fn of_tenders(asked: &SearchAddress, generation: &Generation) -> Option<String> {
    let is_of_tenders = asked.entity_type == EntityType::Tender && generation.bids.bids() > 0;
    let (page, _) = is_of_tenders.then(|| of_search(asked, generation)).flatten()?;
    Some(page)
}

/// The parameters of a page, whose words are translated and find codes if the address does not say otherwise.
pub(super) fn with_meanings(parameters: Parameters) -> Parameters {
    let has_words = parameters.get("q").is_some();
    let names = ["translate", "match_codes"].into_iter();
    let missing: Vec<&str> = names
        .filter(|name| has_words && parameters.get(name).is_none())
        .collect();
    missing.into_iter().fold(parameters, |all, name| all.with(name, "true"))
}
