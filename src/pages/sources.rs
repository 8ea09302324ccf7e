//! Where the records come from: for each source the period, how fresh it is, records by year, which fields are present,
//! and the licence. The figures are those of the manifest, as in `GET /sources`.

use std::collections::BTreeSet;

use askama::Template;
use serde_json::{Value as Json, json};

use crate::{
    api::{export::csv_rows::Rows, params::read},
    catalog::generation::{EntityTypeManifest, RecordPart, SourceContents, SourceSummary},
    fetch::published_sources::{PUBLISHED_SOURCES, PublishedSource},
    http::{
        error::ApiError,
        work::{Job, Work},
    },
    model::{Date, EntityType, Language, timestamp},
    pages::{
        address::{self, Parameters},
        bilingual::Shown,
        charts::{CoverageGrid, CoverageRow, YearCount},
        dumps::{self, ShownDump},
        licence_texts::licence_text,
        messages::Texts,
        page::{Layout, PageCall, Section, rendered},
        route::Page,
        source_names::source_name,
        spreadsheet::file,
    },
};

pub(crate) const PAGE: Page = Page::fixed("/{lang}/sources", page);

pub(crate) const CSV: Page = Page::fixed("/{lang}/sources.csv", csv);

/// The columns of the file, before those that count the records with each part.
const COLUMNS: [&str; 10] = [
    "source_id",
    "entity_type",
    "records",
    "earliest_date",
    "latest_date",
    "last_updated",
    "page",
    "licence",
    "attribution",
    "update_frequency",
];

#[derive(Template)]
#[template(path = "sources/sources.html")]
struct SourcesPage {
    layout: Layout,
    t: Texts,
    /// How many sources and records there are, in words.
    sentence: String,
    /// Empty in an index of an older program, which has no numbers by year.
    grid: CoverageGrid,
    rows: Vec<SourceRow>,
    parts: [RecordPart; RecordPart::ALL.len()],
    publishers: Vec<Publisher>,
    /// The dump that the operator offers.
    dump: Option<ShownDump>,
}

/// The records of one source and entity type.
struct SourceRow {
    name: String,
    kind: String,
    search_href: String,
    records: String,
    from: Option<String>,
    to: Option<String>,
    /// Whether the last date is after the day of the index.
    is_future: bool,
    updated: Option<String>,
    /// The share of the records that have each part, in the order of the columns; empty where they cannot have it.
    presence: Vec<String>,
}

/// Who publishes a source, and under which licence.
struct Publisher {
    id: String,
    name: String,
    /// `None` for records that the operator of this service added.
    published: Option<Published>,
}

struct Published {
    page: &'static str,
    licence: Shown,
    licence_href: Option<&'static str>,
    attribution: Shown,
    /// How often it publishes, in words.
    rhythm: String,
}

/// Where the text of each licence is, in English and in French.
const LICENCES: [(&str, [&str; 2]); 5] = [
    (
        "Open Government Licence – Canada",
        [
            "https://open.canada.ca/en/open-government-licence-canada",
            "https://ouvert.canada.ca/fr/licence-du-gouvernement-ouvert-canada",
        ],
    ),
    (
        "CC BY 4.0",
        [
            "https://creativecommons.org/licenses/by/4.0/deed.en",
            "https://creativecommons.org/licenses/by/4.0/deed.fr",
        ],
    ),
    (
        "Open Government Licence – Toronto",
        ["https://open.toronto.ca/open-data-license/"; 2],
    ),
    (
        "Open Government Licence – Nova Scotia",
        ["https://novascotia.ca/opendata/licence.asp"; 2],
    ),
    (
        "Open Government Licence – Alberta",
        ["https://open.alberta.ca/licence"; 2],
    ),
];

/// The text of a licence of [`PUBLISHED_SOURCES`], in the language of the page where there is one.
pub(crate) fn licence_href(licence: &str, lang: Language) -> Option<&'static str> {
    let known = LICENCES.iter().find(|(name, _)| *name == licence)?;
    Some(known.1[lang as usize])
}

fn page(call: &PageCall) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let (t, entity_types) = (call.t, &call.generation.manifest.entity_types);
    let built = timestamp::parse(&call.generation.manifest.built_at).map(Date::in_toronto);
    let records: u64 = entity_types.iter().map(|part| part.records).sum();
    let ids: BTreeSet<&str> = summaries(entity_types)
        .map(|(_, source)| source.source_id.as_str())
        .collect();
    let page = SourcesPage {
        layout: call
            .layout(t.text("sources-title"), Section::Sources)
            .with_exports(call.exports("/sources", address::spreadsheet(call.path))),
        t,
        sentence: t.with("sources-sentence", &[("sources", &ids.len()), ("records", &records)]),
        grid: CoverageGrid {
            lang: call.lang,
            id: "coverage",
            title: t.text("sources-grid"),
            rows: summaries(entity_types)
                .filter_map(|(part, source)| grid_row(t, part, source))
                .collect(),
        },
        rows: summaries(entity_types)
            .map(|(part, source)| row(t, part, source, built))
            .collect(),
        parts: RecordPart::ALL,
        publishers: ids.into_iter().map(|id| publisher(t, id)).collect(),
        dump: dumps::shown(call),
    };
    let dataset = page.dump.as_ref().and_then(|dump| dump.dataset.clone());
    call.validated(rendered(&page)?, &("sources", dataset))
}

/// The figures of the page as a file: a row for each source and entity type.
fn csv(call: &PageCall) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let parts: Vec<String> = RecordPart::ALL
        .iter()
        .map(|part| format!("records_with_{}", part.name()))
        .collect();
    let columns: Vec<&str> = COLUMNS.into_iter().chain(parts.iter().map(String::as_str)).collect();
    let rows = summaries(&call.generation.manifest.entity_types).map(|(part, source)| csv_row(part, source));
    let reply = file::reply("sources", Rows(call.lang).table(&columns, rows.collect()))?;
    call.validated(Work::new(Job::Ready(reply)), &"sources.csv")
}

fn csv_row(part: &EntityTypeManifest, source: &SourceSummary) -> Vec<Json> {
    let published = published(&source.source_id);
    let stated = |text: fn(&PublishedSource<'static>) -> &'static str| json!(published.map(text));
    let mut cells = vec![
        json!(source.source_id),
        json!(part.entity_type.name()),
        json!(source.records),
        json!(source.earliest_date),
        json!(source.latest_date),
        json!(source.last_updated),
        stated(|source| source.page),
        stated(|source| source.licence),
        stated(|source| source.attribution),
        stated(|source| source.update_frequency),
    ];
    let contents = contents_of(part, source);
    let count = |of: RecordPart| json!(contents.and_then(|contents| contents.parts.get(&of)));
    cells.extend(RecordPart::ALL.map(count));
    cells
}

/// What is known of the publisher of a source; `None` if the operator added it.
fn published(id: &str) -> Option<&'static PublishedSource<'static>> {
    PUBLISHED_SOURCES.iter().find(|source| source.id == id)
}

/// The sources with their entity types, in the order of the entity types and then by source.
pub(crate) fn summaries(
    entity_types: &[EntityTypeManifest],
) -> impl Iterator<Item = (&EntityTypeManifest, &SourceSummary)> {
    entity_types
        .iter()
        .flat_map(|part| part.sources.iter().map(move |source| (part, source)))
}

fn contents_of<'m>(part: &'m EntityTypeManifest, source: &SourceSummary) -> Option<&'m SourceContents> {
    part.contents
        .iter()
        .find(|contents| contents.source_id == source.source_id)
}

fn grid_row(t: Texts, part: &EntityTypeManifest, source: &SourceSummary) -> Option<CoverageRow> {
    let contents = contents_of(part, source)?;
    let count = |(year, records): (&i32, &u64)| YearCount {
        year: *year,
        records: *records,
    };
    let name = source_name(t, &source.source_id);
    let kind = t.keyed("sources-row-kind-", part.entity_type.name());
    Some(CoverageRow {
        name: t.with("sources-row", &[("source", &name), ("kind", &kind)]),
        years: contents.years.iter().map(count).collect(),
    })
}

/// `built`: the day of the index.
fn row(t: Texts, part: &EntityTypeManifest, source: &SourceSummary, built: Option<Date>) -> SourceRow {
    let last = source.latest_date.as_deref().and_then(|text| Date::parse(text).ok());
    let day = |text: &Option<String>| {
        let day = text.as_deref().and_then(|text| Date::parse(text).ok());
        day.map(|day| t.date(day))
    };
    let updated = source.last_updated.as_deref().and_then(timestamp::parse);
    let contents = contents_of(part, source);
    let presence = |of: RecordPart| {
        let present = contents.and_then(|contents| contents.parts.get(&of).copied());
        present.map_or_else(String::new, |present| t.percent(share(present, source.records)))
    };
    SourceRow {
        name: source_name(t, &source.source_id),
        kind: kind_name(t, part.entity_type),
        search_href: address::search(t.language(), part.entity_type, &Parameters::default()),
        records: t.count(source.records),
        from: day(&source.earliest_date),
        to: day(&source.latest_date),
        is_future: last.zip(built).is_some_and(|(last, built)| last > built),
        updated: updated.map(|time| t.date(Date::in_toronto(time))),
        presence: RecordPart::ALL.map(presence).into(),
    }
}

/// A share that is shown as 0 % or 100 % only if it is.
fn share(present: u64, records: u64) -> f64 {
    let share = present as f64 / records.max(1) as f64;
    if present == 0 || present >= records {
        share
    } else {
        share.clamp(0.001, 0.99)
    }
}

fn publisher(t: Texts, id: &str) -> Publisher {
    Publisher {
        id: id.to_owned(),
        name: source_name(t, id),
        published: published(id).map(|source| Published {
            page: source.page,
            licence: licence_text(source.licence, t.language()),
            licence_href: licence_href(source.licence, t.language()),
            attribution: licence_text(source.attribution, t.language()),
            rhythm: t.keyed("sources-rhythm-", &source.update_frequency.replace(' ', "-")),
        }),
    }
}

fn kind_name(t: Texts, entity_type: EntityType) -> String {
    t.keyed("kinds-", entity_type.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_source_has_a_name_a_rhythm_and_a_licence() {
        for source in PUBLISHED_SOURCES {
            for lang in Language::ALL {
                let t = Texts::of(lang);
                assert!(
                    t.has("sources-name-", source.id),
                    "{} has no name in {lang:?}",
                    source.id
                );
                let rhythm = source.update_frequency.replace(' ', "-");
                assert!(t.has("sources-rhythm-", &rhythm), "{rhythm} has no text in {lang:?}");
                let href = licence_href(source.licence, lang);
                assert!(
                    href.is_some_and(|href| href.starts_with("https://")),
                    "{}",
                    source.licence
                );
            }
        }
        assert_eq!(licence_href("Unknown", Language::English), None);
    }

    #[test]
    fn a_last_date_after_the_day_of_the_index_is_remarked() {
        let source = SourceSummary {
            source_id: "toronto".to_owned(),
            entity_type: EntityType::Contract,
            records: 2,
            last_updated: None,
            earliest_date: None,
            latest_date: Some("2026-12-18".to_owned()),
        };
        let part = EntityTypeManifest {
            entity_type: EntityType::Contract,
            fingerprint: String::new(),
            records: 2,
            sources: Vec::new(),
            coverage: Vec::new(),
            contents: Vec::new(),
        };
        for (built, is_future) in [(Some("2026-12-17"), true), (Some("2026-12-18"), false), (None, false)] {
            let built = built.map(|day| Date::parse(day).unwrap());
            let row = row(Texts::of(Language::English), &part, &source, built);
            assert_eq!(row.is_future, is_future, "{built:?}");
        }
    }

    #[test]
    fn a_share_is_complete_only_if_no_record_lacks_it() {
        assert_eq!(share(0, 0), 0.0);
        assert_eq!(share(999_999, 1_000_000), 0.99);
        assert_eq!(share(1, 1_000_000), 0.001);
        assert_eq!(share(5, 5), 1.0);
        assert_eq!(share(1, 4), 0.25);
    }
}
