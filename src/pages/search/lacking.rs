//! What the records that match the other conditions lack, where a search has bounds for it or is in its order: a day,
//! or who could bid.

use crate::{
    engine::{Error, aggregation::ValueAggregation},
    http::error::ApiError,
    model::{EntityType, Role, countries::STATED, procurement_method::UNKNOWN},
    pages::{
        messages::Texts,
        search::{context::SearchContext, split::has_none_of},
    },
    query::{Filter, SearchQuery, SortKey},
    question::entity_types::entity_types,
};

/// A source that publishes every week has a call of these days.
const DAYS_OPEN: i32 = 14;

/// Whether a condition leaves only tenders that take bids.
fn is_open(filter: &Filter) -> bool {
    match filter {
        Filter::Dates { role, from, .. } => *role == Role::ClosingDate && from.is_some(),
        Filter::Term { role, key } => *role == Role::Status && key.eq_ignore_ascii_case("open"),
        _ => false,
    }
}

/// Whether a search asks for tenders that take bids, of any day: one that ends earlier does not ask for newer ones.
pub(super) fn asks_for_open(query: &SearchQuery) -> bool {
    let is_past = |filter: &Filter| {
        matches!(
            filter,
            Filter::Dates {
                role: Role::Date,
                to: Some(_),
                ..
            }
        )
    };
    query.entity_type == EntityType::Tender && query.filters.iter().any(is_open) && !query.filters.iter().any(is_past)
}

/// The day of the newest tender with the other conditions, where a search asks for what is open and the newest is old:
/// what is open now was published later. Left out if counting takes too long.
pub(super) fn newest_call(context: &SearchContext, query: &SearchQuery) -> Result<Option<String>, ApiError> {
    if !asks_for_open(query) {
        return Ok(None);
    }
    let filters = query.filters.iter().filter(|filter| !is_open(filter)).cloned();
    let all = SearchQuery {
        filters: filters.collect(),
        text: None,
        ..query.clone()
    };
    let found = match context.ask.aggregate(&all, &[], ValueAggregation::None) {
        Err(Error::Timeout) => return Ok(None),
        found => found?,
    };
    let newest = found
        .latest_date
        .filter(|day| day.days() + DAYS_OPEN < context.today.days());
    Ok(newest.map(|day| context.t.with("search-newest-call", &[("date", &context.t.date(day))])))
}

/// The days other than the event date that a search has bounds for, or is in the order of.
fn asked_days(query: &SearchQuery) -> impl Iterator<Item = Role> {
    let is_asked = |(role, key): &(Role, SortKey)| {
        query.sort.key == *key || query.filters.iter().any(|filter| is_of_day(filter, *role))
    };
    [
        (Role::ClosingDate, SortKey::ClosingDate),
        (Role::EndDate, SortKey::EndDate),
    ]
    .into_iter()
    .filter(is_asked)
    .map(|(role, _)| role)
}

fn is_of_day(filter: &Filter, day: Role) -> bool {
    matches!(filter, Filter::Dates { role, .. } if *role == day)
}

/// How often the records of a search are scanned for its days, for the newest call, and for those that do not say who
/// could bid or which country the supplier is in.
pub(super) fn scans_of_days(query: &SearchQuery) -> usize {
    let has_method = query.filters.iter().any(is_of_method);
    let has_country = query.filters.iter().any(is_of_country);
    let of_others = usize::from(has_method) + usize::from(has_country);
    asked_days(query).count() * SCANS_OF_DAY + usize::from(asks_for_open(query)) + 2 * of_others
}

/// How often the records of a search are scanned for each of [`asked_days`].
const SCANS_OF_DAY: usize = 2;

/// That most of the records that match the other conditions lack the day that the search has bounds for: they do not
/// match, whatever the bounds are. Of the day by which the records are ordered, that some lack it: they come last. Left
/// out if counting takes too long.
pub(super) fn without_day(context: &SearchContext, query: &SearchQuery) -> Result<Option<String>, ApiError> {
    for day in asked_days(query) {
        let others = query.filters.iter().filter(|filter| !is_of_day(filter, day));
        let others = SearchQuery {
            filters: others.cloned().collect(),
            ..query.clone()
        };
        let mut with_day = others.clone();
        let (from, to) = (None, None);
        with_day.filters.push(Filter::Dates { role: day, from, to });
        let counts = match context.ask.counts(vec![others, with_day]) {
            Err(Error::Timeout) => return Ok(None),
            counts => counts?,
        };
        if let [all, with] = counts[..]
            && (with.saturating_mul(2) < all || with < all && query.sort.key.date_role() == Some(day))
        {
            let t = context.t;
            let kind = t.keyed("sources-row-kind-", query.entity_type.name());
            return Ok(Some(if with == 0 {
                t.keyed_with("search-no-day-", day.name(), &[("records", &all), ("kind", &kind)])
            } else {
                t.keyed_with(
                    "search-few-days-",
                    day.name(),
                    &[("count", &with), ("records", &all), ("kind", &kind)],
                )
            }));
        }
    }
    Ok(None)
}

/// Whether a condition is about who could bid.
fn is_of_method(filter: &Filter) -> bool {
    match filter {
        Filter::Term { role, .. } | Filter::AnyTerm { role, .. } => *role == Role::Competition,
        _ => false,
    }
}

/// That most of the records that match the other conditions do not say who could bid. Left out if counting takes too
/// long.
pub(super) fn without_method(context: &SearchContext, query: &SearchQuery) -> Result<Option<String>, ApiError> {
    let asks_for = |key: &str| query.filters.iter().any(|filter| has_key(filter, key));
    if asks_for(UNKNOWN) {
        return Ok(None);
    }
    let counts = counts_of_others(context, query, is_of_method, (Role::Competition, UNKNOWN))?;
    let Some([all, unknown]) = counts.filter(|[all, unknown]| unknown.saturating_mul(2) > *all) else {
        return Ok(None);
    };
    let t = context.t;
    let kind = t.keyed("sources-row-kind-", query.entity_type.name());
    Ok(Some(t.with(
        "search-no-method",
        &[("count", &unknown), ("records", &all), ("kind", &kind)],
    )))
}

/// How many records match the other conditions of a search, and how many of these have a key. `None` if the search does
/// not have the condition, and if counting takes too long.
fn counts_of_others(
    context: &SearchContext,
    query: &SearchQuery,
    is_condition: fn(&Filter) -> bool,
    (role, key): (Role, &str),
) -> Result<Option<[u64; 2]>, ApiError> {
    if !query.filters.iter().any(is_condition) {
        return Ok(None);
    }
    let others = query.filters.iter().filter(|filter| !is_condition(filter));
    let others = SearchQuery {
        filters: others.cloned().collect(),
        ..query.clone()
    };
    let mut with_key = others.clone();
    with_key.filters.push(Filter::Term {
        role,
        key: key.to_owned(),
    });
    let counts = match context.ask.counts(vec![others, with_key]) {
        Err(Error::Timeout) => return Ok(None),
        counts => counts?,
    };
    Ok(<[u64; 2]>::try_from(counts).ok())
}

fn has_key(filter: &Filter, wanted: &str) -> bool {
    match filter {
        Filter::Term { key, .. } => key == wanted,
        Filter::AnyTerm { keys, .. } => keys.iter().any(|key| key == wanted),
        _ => false,
    }
}

/// That there is no record at all of the entity type that the words ask for, if the address asks for none.
pub(super) fn no_records_of_type(context: &SearchContext) -> Option<String> {
    if context.asked.stated_kind().is_some() {
        return None;
    }
    let named = entity_types(context.asked.value("q")?);
    let of = *named.first().filter(|_| has_none_of(&context.ask.generation, named))?;
    let kind = context.t.keyed("kinds-", of.name());
    Some(context.t.with("search-no-kind", &[("kind", &kind)]))
}

/// How many of the records that match the other conditions state the supplier's country, where a search asks for one.
/// Left out if all do, and if counting takes too long.
pub(super) fn without_country(context: &SearchContext, query: &SearchQuery) -> Result<Option<String>, ApiError> {
    let counts = counts_of_others(context, query, is_of_country, (Role::VendorCountry, STATED))?;
    let Some([all, stated]) = counts.filter(|[all, stated]| stated < all) else {
        return Ok(None);
    };
    let t = context.t;
    let kind = t.keyed("sources-row-kind-", query.entity_type.name());
    Ok(Some(t.with(
        "search-no-country",
        &[("count", &stated), ("records", &all), ("kind", &kind)],
    )))
}

fn is_of_country(filter: &Filter) -> bool {
    matches!(filter, Filter::Term { role, .. } if *role == Role::VendorCountry)
}

/// That records without a city of the supplier are not counted, where a search asks for one.
pub(super) fn without_city(t: Texts, query: &SearchQuery) -> Option<String> {
    let is_of_city = |filter: &Filter| matches!(filter, Filter::Term { role, .. } if *role == Role::VendorCity);
    query.filters.iter().any(is_of_city).then(|| t.text("search-no-city"))
}
