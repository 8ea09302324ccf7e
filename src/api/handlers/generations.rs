//! `GET /generations/{id}`: how to cite an index: what is in it, from which sources, and by which program.

use std::{fmt::Write, sync::Arc};

use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    api::{
        params::{
            param::{Param, describe},
            parse::{Case, Given},
            read::read_all,
            value::ParamType,
        },
        route::{Answer, Endpoint, ErrorResponse, Parameters, PathParam, RateLimitHeaders, Route},
    },
    catalog::generation::{Generation, Manifest},
    fetch::published_sources::PUBLISHED_SOURCES,
    http::{
        call::Call,
        error::ApiError,
        kept_generations::is_id,
        quoted::quoted,
        work::{Reply, Work},
    },
    model::EntityType,
    storage::hex::hex,
};

pub(crate) const GENERATION: Route = Route {
    id: "getGeneration",
    endpoint: Endpoint::Named("/generations/", "id", get),
    about: "What an index contains, as a citation: sources, dates, numbers of records, checksum and software version",
    path_params: &[PathParam::Fixed {
        component: "generation_id",
        name: "id",
        about: "Id of an index that is kept, as `X-Index-Generation` states it, or `current`",
        example: "current",
    }],
    parameters: Parameters::Table("citation", || describe(TABLE)),
    answer: Answer::JsonOrText(SchemaGenerator::subschema_for::<Citation>, &[TEXT, BIBTEX, CSL]),
    errors: &[ErrorResponse {
        status: "404",
        name: "NoGeneration",
        about: "No index has or had that id",
        example: |_| "there is no index '00'; 'current' is the one in service".to_owned(),
        rate_limit: RateLimitHeaders::Always,
    }],
    ..Route::DEFAULT
};

const TEXT: &str = "text/plain";
const BIBTEX: &str = "application/x-bibtex";
const CSL: &str = "application/vnd.citationstyles.csl+json";

/// Another name of the generation in service.
const CURRENT: &str = "current";

#[derive(Debug, Default, PartialEq)]
pub(crate) struct CitationParams {
    format: Option<Given<&'static str>>,
}

/// The values of `format`; the first one is the default.
const FORMATS: [&str; 4] = ["json", "text", "bibtex", "csl"];

pub(crate) static TABLE: &[Param<CitationParams>] = &[Param::<CitationParams>::new(
    "format",
    "`json`; `text`: a sentence; `bibtex`; `csl`: CSL-JSON, which reference managers import",
    ParamType::OneOf(&FORMATS, Case::Exact, |p| &mut p.format),
)
.default(|| json!(FORMATS[0]))];

/// What identifies an index.
#[derive(Serialize, JsonSchema)]
#[schemars(description = "An index, and what it was built from")]
struct Citation<'a> {
    generation: &'a str,
    /// When it was published.
    #[schemars(extend("format" = "date-time"))]
    built_at: &'a str,
    records: u64,
    /// Numbers of records, by entity type.
    entity_types: Vec<EntityTypeCount>,
    sources: Vec<CitedSource<'a>>,
    /// SHA-256 of the names, sizes and checksums of all files of the index: equal records give an equal one only if
    /// the same version has built it.
    checksum: String,
    /// The program that answers, and its version.
    software: &'static str,
    software_version: &'static str,
    /// The citation as a sentence.
    citation: String,
}

#[derive(Serialize, JsonSchema)]
struct EntityTypeCount {
    entity_type: EntityType,
    records: u64,
}

/// A source of an index.
#[derive(Serialize, JsonSchema)]
struct CitedSource<'a> {
    source_id: &'a str,
    entity_type: EntityType,
    records: u64,
    #[schemars(extend("format" = "date"))]
    earliest_date: Option<&'a str>,
    #[schemars(extend("format" = "date"))]
    latest_date: Option<&'a str>,
    #[schemars(extend("format" = "date-time"))]
    last_updated: Option<&'a str>,
    /// The publisher's page; null for a source of the operator.
    page: Option<&'static str>,
    licence: Option<&'static str>,
    attribution: Option<&'static str>,
}

fn get(call: &Call, id: String) -> Result<Work, ApiError> {
    let given: CitationParams = read_all(TABLE, call.query)?;
    let format = given.format.map_or(FORMATS[0], |given| given.value);
    let current = Arc::clone(&call.generation);
    if id == CURRENT || id == current.id {
        return Ok(Work::search(&call.generation, move |_| reply(&current, format)));
    }
    if !is_id(&id) {
        let detail = format!("there is no index {}; 'current' is the one in service", quoted(&id));
        return Err(ApiError::not_found(detail));
    }
    let kept = Arc::clone(&call.state.kept_generations);
    Ok(Work::search(&call.generation, move |_| {
        let generation = kept.open(&id, &current.id)?;
        reply(&generation, format)
    }))
}

fn reply(generation: &Generation, format: &str) -> Result<Reply, ApiError> {
    let citation = Citation::of(generation);
    let (media_type, body) = match format {
        "text" => ("text/plain; charset=utf-8", format!("{}\n", citation.citation)),
        "bibtex" => (BIBTEX, citation.bibtex()),
        "csl" => (CSL, citation.csl().to_string()),
        _ => return Reply::json(&citation),
    };
    let media_type = (header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    Ok(Reply::from(Bytes::from(body)).with_headers(vec![media_type]))
}

impl Citation<'_> {
    fn of(generation: &Generation) -> Citation<'_> {
        let manifest = &generation.manifest;
        let count = |entity_type: EntityType| EntityTypeCount {
            entity_type,
            records: generation.manifest_of(entity_type).records,
        };
        let entity_types: Vec<EntityTypeCount> = EntityType::ALL.into_iter().map(count).collect();
        let mut citation = Citation {
            generation: &generation.id,
            built_at: &manifest.built_at,
            records: entity_types.iter().map(|count| count.records).sum(),
            entity_types,
            sources: sources(manifest),
            checksum: checksum(manifest),
            software: env!("CARGO_PKG_NAME"),
            software_version: env!("CARGO_PKG_VERSION"),
            citation: String::new(),
        };
        citation.citation = citation.sentence();
        citation
    }

    fn title(&self) -> String {
        format!("Canadian public procurement records, index {}", self.generation)
    }

    /// The day of the build, `YYYY-MM-DD`.
    fn day(&self) -> &str {
        self.built_at.get(..10).unwrap_or(self.built_at)
    }

    fn sentence(&self) -> String {
        let mut ids: Vec<&str> = self.sources.iter().map(|source| source.source_id).collect();
        ids.dedup();
        let (title, records, day) = (self.title(), self.records, self.day());
        let (sources, software, version) = (ids.join(", "), self.software, self.software_version);
        let checksum = &self.checksum;
        format!(
            "{title} ({day}). {records} records of the sources {sources}. Built and served by {software} {version}. \
             SHA-256 {checksum}."
        )
    }

    fn bibtex(&self) -> String {
        let (id, title, day) = (self.generation, self.title(), self.day());
        let (software, version) = (self.software, self.software_version);
        let mut entry = String::new();
        // Ids and versions have no character that BibTeX reads as a command.
        let _ = write!(
            entry,
            "@misc{{procure-{id},\n  title = {{{{{title}}}}},\n  year = {{{}}},\n  date = {{{day}}},\n  \
             version = {{{id}}},\n  note = {{{} records; {software} {version}; SHA-256 {}}},\n}}\n",
            day.get(..4).unwrap_or_default(),
            self.records,
            self.checksum
        );
        entry
    }

    fn csl(&self) -> serde_json::Value {
        let parts: Vec<u32> = self.day().split('-').filter_map(|part| part.parse().ok()).collect();
        json!([{
            "id": format!("procure-{}", self.generation),
            "type": "dataset",
            "title": self.title(),
            "version": self.generation,
            "issued": {"date-parts": [parts]},
            "number": self.checksum,
            "note": self.citation,
        }])
    }
}

fn sources(manifest: &Manifest) -> Vec<CitedSource<'_>> {
    let summaries = manifest.entity_types.iter().flat_map(|part| &part.sources);
    let mut sources: Vec<CitedSource> = summaries
        .map(|source| {
            let published = PUBLISHED_SOURCES
                .iter()
                .find(|published| published.id == source.source_id);
            CitedSource {
                source_id: &source.source_id,
                entity_type: source.entity_type,
                records: source.records,
                earliest_date: source.earliest_date.as_deref(),
                latest_date: source.latest_date.as_deref(),
                last_updated: source.last_updated.as_deref(),
                page: published.map(|published| published.page),
                licence: published.map(|published| published.licence),
                attribution: published.map(|published| published.attribution),
            }
        })
        .collect();
    sources.sort_by_key(|source| (source.source_id, source.entity_type));
    sources
}

fn checksum(manifest: &Manifest) -> String {
    let mut hash = Sha256::new();
    for file in &manifest.files {
        hash.update(format!("{} {} {:08x}\n", file.path, file.bytes, file.crc32));
    }
    hex(&hash.finalize())
}
