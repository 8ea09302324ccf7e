//! What is counted of a search that is shown as an answer to words.

use std::ops::RangeInclusive;

use crate::{
    api::{
        analysis::{coverage::places_of, figures::FigurePlan},
        params::include::Include,
    },
    catalog::ask::Ask,
    engine::{
        Error,
        aggregation::{Aggregation, FacetBuckets, TermsAggregation},
    },
    model::{Date, EntityType, Facet, Role, Schema},
    pages::{
        coverage_note::asked_years,
        search::{facets, search_address::SearchAddress},
        typical_value,
    },
    query::{Filter, SearchQuery},
};

/// Of more years than this, an answer has no figures for each.
const MAX_YEARS: i32 = 20;

/// Whether a query asks for several whole years: "2019 to 2022", "since 2019".
fn asks_for_several_years(query: &SearchQuery) -> bool {
    let is_whole = query.filters.iter().all(is_of_whole_years);
    is_whole && matches!(asked_years(query), Some((Some(from), to)) if to.is_none_or(|to| from < to))
}

/// These years, if they are not too many; without an end, until the last one of `counts`. `by_year`: whether the words
/// ask for each year; then those of `counts`.
pub(super) fn several_years(query: &SearchQuery, by_year: bool, counts: &FacetBuckets) -> Option<RangeInclusive<i32>> {
    let counted = || counts.buckets.iter().filter_map(|bucket| bucket.value.parse().ok());
    let (from, to) = match asked_years(query) {
        Some((Some(from), to)) if asks_for_several_years(query) => (from, to),
        None if by_year => (counted().min()?, None),
        _ => return None,
    };
    let to = to.or_else(|| counted().max())?;
    (from < to && to - from < MAX_YEARS).then_some(from..=to)
}

fn is_of_whole_years(filter: &Filter) -> bool {
    let Filter::Dates {
        role: Role::Date,
        from,
        to,
    } = filter
    else {
        return true;
    };
    let is_day = |day: &Option<Date>, of_year: &str| day.is_none_or(|day| day.to_string().ends_with(of_year));
    is_day(from, "-01-01") && is_day(to, "-12-31")
}

/// People ask for the typical value of a thing, and of what somebody buys or sells.
pub(super) fn finds_median(query: &SearchQuery) -> bool {
    let is_name = |filter: &Filter| {
        matches!(
            filter,
            Filter::FacetValue { .. } | Filter::AnyFacetValue { .. } | Filter::Contains { .. }
        )
    };
    // Of all years, a city may have too many: `typical_value` counts those of few records.
    let is_year = matches!(asked_years(query), Some((Some(from), Some(to))) if from == to);
    let is_year_of_place = is_year && places_of(query).next().is_some();
    query.text.is_some() || is_year_of_place || query.filters.iter().any(is_name)
}

/// What an answer to the words states, unless counting it takes too long.
pub(super) fn found_by(ask: &Ask, asked: &SearchAddress, query: &SearchQuery) -> Result<Option<Aggregation>, Error> {
    match answer_figures(asked.entity_type, asked.by_name, finds_median(query)).run(ask, query) {
        Err(Error::Timeout) => Ok(None),
        figures => Ok(Some(figures?.counted)),
    }
}

/// Whether buyers are counted over all their names.
pub(super) fn has_bodies(schema: &Schema, by_name: bool) -> bool {
    !by_name && schema.has_role(Role::Department)
}

/// A search with conditions in place of words is counted. Where it finds nothing, the same search without its days is,
/// too, for its sources; otherwise for its typical value, for all records, for those that have its words in the
/// purchase, not only in the buyer's name, or have only a code, and for its first records. The values of other
/// contracts are counted and summed, of at most two entity types, each with its doubts; and those without doubts of
/// each year.
pub(super) const SCANS_OF_ANSWER: usize = 13 + typical_value::SCANS;

/// If the words ask for an order, the records in doubt that would come first are counted, and the first one of at most
/// two other entity types is looked for.
pub(super) const SCANS_OF_ORDER: usize = 4;

/// What is counted of a search with conditions in place of words that is shown as an answer: what its own page says in
/// a sentence, and each year.
pub(super) fn answer_figures(entity_type: EntityType, by_name: bool, finds_median: bool) -> FigurePlan {
    let buyers = if has_bodies(Schema::of(entity_type), by_name) {
        TermsAggregation::all(Facet::Body)
    } else {
        TermsAggregation::top(1, Facet::NamedDepartment)
    };
    let places = TermsAggregation::all(Facet::Municipality);
    let suppliers = TermsAggregation::top(facets::MAX_RANKED, Facet::Vendor);
    let suppliers = Schema::of(entity_type).has_role(Role::Vendor).then_some(suppliers);
    let include = Include {
        quality: true,
        ..Include::default()
    };
    // Those of several years are shown; of others, how many records have none.
    let years = TermsAggregation::all(Facet::Year);
    let terms = [buyers, places, years].into_iter().chain(suppliers);
    let plan = FigurePlan::new(terms.collect(), include).charging_total();
    if finds_median { plan.with_percentiles() } else { plan }
}
