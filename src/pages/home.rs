//! The home page: one search box, what is inside by entity type and source, the awarded value by year, and the tenders
//! that close next.

use std::sync::Arc;

use askama::Template;

use crate::{
    api::{
        cost::ScanCost,
        params::{resolve::ResolvedSearch, search::SearchParams},
    },
    catalog::{
        ask::Ask,
        generation::{EntityTypeManifest, Generation, SourceCoverage, SourceSummary},
        suppliers::Party,
    },
    engine::aggregation::{TermsAggregation, ValueAggregation},
    http::{error::ApiError, search_pool::Lane, work::Work},
    model::{Date, EntityType, Facet, Language, Role, timestamp},
    pages::{
        address::{self, Parameters, ending_from},
        bilingual::Shown,
        charts::{YearBars, YearValue, gaps, usual_years, year_values},
        coverage_note::coverage_note,
        messages::Texts,
        page::{Layout, PageCall, Section, render},
        record::listed::{self, ListedRecord},
        route::Page,
        search::SearchAddress,
        source_names::source_name,
        sources::summaries,
    },
    query::SearchQuery,
};

pub(crate) const PAGE: Page = Page::fixed("/{lang}", page);

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    layout: Layout,
    t: Texts,
    kinds: Vec<Kind>,
    /// How much is inside, in a sentence.
    inside: String,
    /// How much is inside, by entity type and source; entity types without records have no group.
    contents: Vec<KindContents>,
    years: Option<YearBars>,
    /// Which years the sources of contracts cover.
    coverage: Option<String>,
    closing: Vec<ClosingTender>,
    /// All open tenders, the first to close first.
    closing_href: String,
    /// The contracts that have not ended, the first to end first.
    ending_href: String,
    commodities_href: String,
    suppliers_href: String,
    bodies_href: String,
    /// `None` without any bids.
    bids_href: Option<String>,
    /// Searches to try: the words, and the address.
    examples: Vec<(String, String)>,
}

/// An entity type.
struct Kind {
    name: &'static str,
    href: String,
    records: u64,
    /// The years that its records cover, without those that a publisher wrote by mistake; empty without a date.
    period: String,
}

/// The sources of an entity type.
struct KindContents {
    name: &'static str,
    sources: Vec<SourceRow>,
}

/// The records of an entity type from one source.
struct SourceRow {
    name: String,
    records: u64,
    /// The newest date of a record; its year, if the newest date is later than today.
    latest: Option<String>,
    /// When the publisher's file was published or fetched, and how long ago that is.
    updated: Option<String>,
}

/// An open tender, with the day on which it closes.
struct ClosingTender {
    href: String,
    title: Shown,
    buyer: Option<Shown>,
    closes: String,
}

/// How many tenders are shown.
const CLOSING: usize = 6;

/// How many years are drawn.
const YEARS: i32 = 20;

/// What is counted of all contracts.
const BY_YEAR: [TermsAggregation; 1] = [TermsAggregation::all(Facet::Year)];

/// The keys of the searches to try.
const EXAMPLES: [&str; 3] = ["1", "2", "3"];

pub(crate) fn page(call: &PageCall) -> Result<Work, ApiError> {
    let (t, today) = (call.t, call.today);
    let layout = call.layout(t.text("home-title"), Section::Home);
    let layout = layout.with_exports(call.exports("/sources", address::page(call.lang, "sources.csv")));
    let closing_search = closing_search(call)?;
    let years = Arc::clone(&call.pages.contract_years);
    let is_kept = years.of(&call.generation.id).is_some();
    let scans = ScanCost::of(&call.generation, &[(EntityType::Contract, BY_YEAR.len())]);
    let parameters = Parameters::parse(&closing_query(today))?.without(&["limit"]);
    let closing_href = address::search(call.lang, EntityType::Tender, &parameters);
    let ending = ending_from(&Parameters::default(), today);
    let ending_href = address::search(call.lang, EntityType::Contract, &ending);
    let examples = examples(call.lang, t);
    let kinds = EntityType::ALL.map(|entity_type| kind(call, entity_type)).into();
    let inside = inside(call);
    let contents = contents(call);
    let work = Work::search(&call.generation, move |ask| {
        let hits = ask.search(&closing_search.query, &closing_search.page)?;
        let closing = hits.records.iter().map(|record| closing_tender(t, record));
        let totals = match years.of(&ask.generation.id) {
            Some(totals) => totals,
            None => years.keep(&ask.generation.id, contract_years(ask)?),
        };
        render(&Home {
            coverage: coverage_note(t, EntityType::Contract, &contract_sources(&ask.generation), None),
            years: year_bars(t, &totals, today, &ask.generation),
            closing: closing.collect::<Result<_, _>>()?,
            layout,
            t,
            kinds,
            inside,
            contents,
            closing_href,
            ending_href,
            commodities_href: address::page(t.language(), "commodities"),
            suppliers_href: address::page(t.language(), Party::Supplier.plural()),
            bodies_href: address::page(t.language(), Party::Body.plural()),
            bids_href: (ask.generation.bids.bids() > 0).then(|| address::page(t.language(), "bids")),
            examples,
        })
    });
    let lane = if is_kept { Lane::Quick } else { scans.lane() };
    call.validated(work.in_lane(lane), &())
}

fn closing_query(today: Date) -> String {
    format!("status=open&closing_after={today}&sort_by=closing&sort_order=asc&limit={CLOSING}")
}

fn closing_search(call: &PageCall) -> Result<ResolvedSearch, ApiError> {
    let given = SearchParams::read(EntityType::Tender, &closing_query(call.today))?;
    given.resolve(&call.resolve_context(EntityType::Tender))
}

fn closing_tender(t: Texts, bytes: &[u8]) -> Result<ClosingTender, ApiError> {
    let record = listed::parse(EntityType::Tender, bytes)?;
    let closes = record.date(Role::ClosingDate).map(|day| t.date(day));
    let listed = ListedRecord::of_record(t, EntityType::Tender, &record);
    Ok(ClosingTender {
        href: listed.href,
        title: listed.title,
        buyer: listed.buyer,
        closes: closes.unwrap_or_else(|| t.text("not-published")),
    })
}

/// Number and value of all contracts by year.
fn contract_years(ask: &Ask) -> Result<Vec<YearValue>, ApiError> {
    let all = SearchQuery::newest(EntityType::Contract, Vec::new());
    let mut aggregation = ask.aggregate(&all, &BY_YEAR, ValueAggregation::Sum)?;
    // Which year is not over depends on the day on which the page is seen.
    Ok(year_values(&aggregation.take(Facet::Year), i32::MAX))
}

fn contract_sources(generation: &Generation) -> Vec<&SourceCoverage> {
    generation.coverage_of(EntityType::Contract).iter().collect()
}

/// The chart of the last years; `None` without contracts. Publishers also write years that are not over by mistake.
fn year_bars(t: Texts, totals: &[YearValue], today: Date, generation: &Generation) -> Option<YearBars> {
    let this_year = today.year();
    let shown = totals
        .iter()
        .filter(|total| (this_year - YEARS + 1..=this_year).contains(&total.year));
    let years: Vec<YearValue> = shown
        .map(|total| YearValue {
            is_running: total.year == this_year,
            ..*total
        })
        .collect();
    let contracts = generation.manifest_of(EntityType::Contract);
    let dated: u64 = totals.iter().map(|total| total.count).sum();
    let all = SearchAddress::of(t.language(), EntityType::Contract, Parameters::default());
    (!years.is_empty()).then(|| YearBars {
        lang: t.language(),
        id: "years",
        title: t.text("home-years"),
        gaps: gaps(&contract_sources(generation), years.iter().map(|year| year.year)),
        searches: all.by_year(&years),
        years,
        has_values: true,
        undated: contracts.records.saturating_sub(dated),
        same_axes_as: Vec::new(),
    })
}

fn kind(call: &PageCall, entity_type: EntityType) -> Kind {
    let entry = call.generation.manifest_of(entity_type);
    let this_year = call.today.year();
    let years = entry.contents.iter().flat_map(|source| &source.years);
    let past = years.filter(|(year, _)| **year <= this_year);
    let period = usual_years(past.map(|(year, records)| (*year, *records)));
    let period = period.map(|years| match (years.start(), years.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}–{last}"),
    });
    Kind {
        name: entity_type.name(),
        href: address::search(call.lang, entity_type, &Parameters::default()),
        records: entry.records,
        period: period.unwrap_or_default(),
    }
}

/// What is inside by entity type and source.
fn contents(call: &PageCall) -> Vec<KindContents> {
    let mut groups: Vec<KindContents> = Vec::new();
    for (part, source) in summaries(&call.generation.manifest.entity_types) {
        let row = source_row(call.t, call.today, part, source);
        let name = part.entity_type.name();
        match groups.last_mut() {
            Some(group) if group.name == name => group.sources.push(row),
            _ => groups.push(KindContents {
                name,
                sources: vec![row],
            }),
        }
    }
    groups
}

fn source_row(t: Texts, today: Date, part: &EntityTypeManifest, source: &SourceSummary) -> SourceRow {
    let latest = source.latest_date.as_deref().and_then(|day| Date::parse(day).ok());
    let updated = source.last_updated.as_deref().and_then(timestamp::parse);
    let published = updated.map_or(today, |moment| Date::in_toronto(moment).min(today));
    SourceRow {
        name: source_name(t, &source.source_id),
        records: source.records,
        // Publishers also write days that had not come when their file was published, by mistake or for contracts to
        // come.
        latest: latest.map(|day| {
            if day > published {
                t.with("home-contents-year", &[("year", &latest_year(part, source, published))])
            } else {
                t.date(day)
            }
        }),
        updated: updated.map(|moment| freshness(t, Date::in_toronto(moment), today)),
    }
}

/// The last year that is not over yet or before, in which a source has records; this year if its years are not known.
fn latest_year(part: &EntityTypeManifest, source: &SourceSummary, today: Date) -> String {
    let contents = part
        .contents
        .iter()
        .find(|contents| contents.source_id == source.source_id);
    let years = contents.into_iter().flat_map(|contents| contents.years.keys());
    let latest = years.filter(|year| **year <= today.year()).max();
    latest.copied().unwrap_or(today.year()).to_string()
}

/// A day, and how many days ago it is.
fn freshness(t: Texts, day: Date, today: Date) -> String {
    let (date, days) = (t.date(day), today.days().saturating_sub(day.days()));
    match days {
        ..0 => date,
        days => t.with("home-contents-updated", &[("date", &date), ("count", &days)]),
    }
}

/// How many records from how many sources there are, and when they were last fetched.
fn inside(call: &PageCall) -> String {
    let manifest = &call.generation.manifest;
    let records: u64 = manifest.entity_types.iter().map(|entry| entry.records).sum();
    let sources = || manifest.entity_types.iter().flat_map(|entry| &entry.sources);
    let mut ids: Vec<&str> = sources().map(|source| source.source_id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let fetched = sources().filter_map(|source| timestamp::parse(source.last_updated.as_deref()?));
    let date = fetched.max().map(|moment| call.t.date(Date::in_toronto(moment)));
    let counts = call
        .t
        .with("home-inside-counts", &[("records", &records), ("sources", &ids.len())]);
    match date {
        Some(date) => format!("{counts} {}", call.t.with("home-inside-fetched", &[("date", &date)])),
        None => counts,
    }
}

fn examples(language: Language, t: Texts) -> Vec<(String, String)> {
    let example = |number: &str| {
        let words = t.keyed("home-example-", number);
        let query = Parameters::default().with("q", &words);
        (words, address::search(language, EntityType::Contract, &query))
    };
    EXAMPLES.map(example).into()
}
