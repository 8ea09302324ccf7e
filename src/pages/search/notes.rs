//! What a page of results says next to its total: which years are covered, which open tenders are closed, and how many
//! rows its file has.

use crate::{
    api::analysis::coverage::{asked_sources, sources_of},
    engine::aggregation::Aggregation,
    http::error::ApiError,
    model::{Date, Facet, Role, Schema},
    pages::{
        coverage_note::{asked_years, coverage_note},
        search::{context::SearchContext, search_address::SearchAddress},
    },
    query::{Filter, SearchQuery},
};

/// Which years the sources of the matches cover; without any match, the sources that would have some.
pub(super) fn coverage(
    context: &SearchContext,
    query: &SearchQuery,
    found: &Aggregation,
) -> Result<Option<String>, ApiError> {
    let generation = &context.ask.generation;
    let asked = asked_years(query).map(|asked| until_today(asked, context.today));
    let sources = if found.total == 0 && asked.is_some() {
        asked_sources(context.ask, query)?
    } else {
        sources_of(generation, query.entity_type, found.facets.get(&Facet::Municipality))
    };
    Ok(coverage_note(context.t, query.entity_type, &sources, asked))
}

/// Years to come are not asked for, unless nothing else is: a fiscal year ends in the next one.
fn until_today((from, to): (Option<i32>, Option<i32>), today: Date) -> (Option<i32>, Option<i32>) {
    let this_year = today.year();
    let has_begun = from.is_none_or(|from| from <= this_year);
    (from, to.map(|to| if has_begun { to.min(this_year) } else { to }))
}

/// The search for what takes bids today, where publishers say "open" after the last day. `None` where the search states
/// a closing day itself.
pub(super) fn still_open(asked: &SearchAddress, query: &SearchQuery, today: Date) -> Option<String> {
    let is_open = asked
        .value("status")
        .is_some_and(|status| status.eq_ignore_ascii_case("open"));
    let is_closing = |filter: &Filter| {
        matches!(
            filter,
            Filter::Dates {
                role: Role::ClosingDate,
                ..
            }
        )
    };
    let has_days = query.filters.iter().any(is_closing);
    let has_closing = Schema::of(asked.entity_type).has_role(Role::ClosingDate);
    (is_open && has_closing && !has_days).then(|| asked.with(&[("closing_after", &today.to_string())]))
}

/// How many of the rows the CSV has, and where all are.
pub(super) fn csv_note(context: &SearchContext, total: u64, rows: u64) -> Option<String> {
    let t = context.t;
    match total {
        0 => None,
        total if total <= rows => Some(t.with("exports-rows-all", &[("count", &total)])),
        _ => Some(t.with("exports-rows-cut", &[("rows", &rows), ("total", &total)])),
    }
}
