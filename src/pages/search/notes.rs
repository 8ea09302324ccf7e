//! What a page of results says next to its total: which years are covered, which open tenders are closed, and how many
//! rows its file has.

use crate::{
    api::analysis::{
        coverage::{asked_sources, places_of, sources_of, sources_of_places},
        quality::quality_of,
    },
    catalog::generation::{RecordPart, SourceCoverage},
    engine::aggregation::Aggregation,
    http::error::ApiError,
    model::{
        Date, EntityType, Facet, Language, Role, Schema,
        municipality::{self, Municipality},
        vocabulary::NO_QUALITY_FLAG,
    },
    pages::{
        coverage_note::{asked_years, coverage_note, covered_years},
        messages::Texts,
        periods::years_between,
        quality::{self, TotalDoubt},
        search::{
            context::SearchContext,
            search_address::SearchAddress,
            written_words::{ranges, words},
        },
    },
    query::{Filter, SearchQuery},
};

/// What the sources of the matches have; without any match, the sources that would have some.
pub(super) struct SourceNotes {
    /// Which years they cover.
    pub(super) coverage: Option<String>,
    /// What the search cannot find in them.
    pub(super) gaps: Vec<String>,
}

impl SourceNotes {
    pub(super) fn of(context: &SearchContext, query: &SearchQuery, found: &Aggregation) -> Result<Self, ApiError> {
        let generation = &context.ask.generation;
        let asked = asked_years(query).map(|asked| until_today(asked, context.today));
        let sources = match (found.total, asked) {
            (0, Some(_)) => asked_sources(context.ask, query)?,
            (0, None) => sources_of_places(generation, query),
            _ => sources_of(generation, query.entity_type, found.facets.get(&Facet::Municipality)),
        };
        let coverage = coverage_note(context.t, query.entity_type, &sources, asked);
        let sentences: Vec<String> = coverage.into_iter().chain(of_place(context, query, &sources)).collect();
        Ok(SourceNotes {
            coverage: (!sentences.is_empty()).then(|| sentences.join(" ")),
            gaps: gaps(context, query, &sources),
        })
    }
}

/// The years of all records of the place that the search is limited to, if its sources cover others: a source of a
/// province has each of its places in some years only.
fn of_place(context: &SearchContext, query: &SearchQuery, sources: &[&SourceCoverage]) -> Option<String> {
    let mut places = places_of(query);
    let (slug, None) = (places.next()?, places.next()) else {
        return None;
    };
    let place = context.ask.generation.manifest_of(query.entity_type).place(slug)?;
    let [first, last] = [&place.earliest_date, &place.latest_date].map(|day| Date::parse(day.as_deref()?).ok());
    let years = first?.year()..=last?.year();
    if covered_years(sources).iter().all(|year| years.contains(year)) {
        return None;
    }
    let t = context.t;
    let years = years_between(first, last)?;
    let kind = t.keyed("sources-row-kind-", query.entity_type.name());
    let name = context.place(slug);
    Some(t.with(
        "coverage-of-place",
        &[("place", &name), ("kind", &kind), ("years", &years)],
    ))
}

/// That no source has the purchases of a city among the words: the search for them as words found nothing.
pub(super) fn unknown_city(context: &SearchContext) -> Option<String> {
    let text = context.asked.value("q")?;
    let generation = &context.ask.generation;
    let has = |city: &Municipality| {
        EntityType::ALL
            .into_iter()
            .any(|of| generation.manifest_of(of).place(&city.slug).is_some())
    };
    let all = ranges(&words(text));
    let cities = all
        .iter()
        .filter_map(|(folded, range)| Some((municipality::named_cities(folded).first()?, range.len())));
    let (city, _) = cities
        .max_by_key(|(_, length)| *length)
        .filter(|(city, _)| !has(city))?;
    let t = context.t;
    let name = city.own_names().nth(usize::from(t.language() == Language::English))?;
    Some(t.with("search-unknown-city", &[("place", &name)]))
}

/// At least one in so many records lacks something until it is said.
const GAP_OF: u64 = 20;

/// Words are not found in records without a title, and years not in those without a date.
fn gaps(context: &SearchContext, query: &SearchQuery, sources: &[&SourceCoverage]) -> Vec<String> {
    let part = context.ask.generation.manifest_of(query.entity_type);
    let is_asked = |id: &str| sources.iter().any(|source| source.source_id == id);
    let all = part.sources.iter().filter(|source| is_asked(&source.source_id));
    let records: u64 = all.map(|source| source.records).sum();
    let kind = context.t.keyed("sources-row-kind-", query.entity_type.name());
    let gaps = [
        (RecordPart::Subject, "search-gap-words", query.text.is_some()),
        (RecordPart::Date, "search-gap-days", asked_years(query).is_some()),
    ];
    let gap = |(stated, text, is_searched): (RecordPart, &str, bool)| {
        let contents = |id: &str| part.contents.iter().find(|contents| contents.source_id == id);
        let of_source = |source: &&SourceCoverage| contents(&source.source_id)?.parts.get(&stated);
        let with: Option<u64> = sources.iter().map(of_source).sum();
        let without = records.saturating_sub(with.filter(|_| is_searched)?);
        let is_much = without > 0 && without.saturating_mul(GAP_OF) >= records;
        is_much.then(|| {
            context
                .t
                .with(text, &[("without", &without), ("records", &records), ("kind", &kind)])
        })
    };
    gaps.into_iter().filter_map(gap).collect()
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

/// How much of the total is doubtful. Not where the search is about records with or without a flag.
pub(super) fn doubt(t: Texts, asked: &SearchAddress, found: &Aggregation) -> Option<TotalDoubt> {
    if asked.value("quality_flag").is_some() {
        return None;
    }
    let without = asked.with(&[("quality_flag", NO_QUALITY_FLAG)]);
    quality::total_doubt(t, &quality_of(found), Some(without))
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
