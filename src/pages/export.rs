//! `/{lang}/export`: all rows of a list as one file, for visitors whose plan has exports. The parameters are those of
//! the export of the API, and `kind`: an entity type, or what else is exported.

use crate::{
    api::{
        export::{bids, records, suppliers},
        params::parse::not_in_list,
    },
    http::{error::ApiError, parameter_error::Reason, work::Work},
    model::{EntityType, Language},
    pages::{
        address::{self, Parameters},
        page::{FileLink, PageCall, Section},
        paid,
        route::Page,
    },
};

pub(crate) const PAGE: Page = Page::fixed("/{lang}/export", page);

/// The kinds of rows that are no records.
pub(crate) const BIDS: &str = "bids";
pub(crate) const SUPPLIERS: &str = "suppliers";

/// The files: the key of their name, and what they add to the address.
const FILES: [(&str, &[(&str, &str)]); 4] = [
    ("csv", &[("format", "csv")]),
    ("excel", &[("format", "csv"), ("bom", "true"), ("excel", "true")]),
    ("parquet", &[("format", "parquet")]),
    ("ndjson", &[("format", "ndjson")]),
];

/// What an address of a page of results has, and an export does not accept.
const NOT_OF_EXPORTS: [&str; 10] = [
    "cursor",
    "offset",
    "limit",
    "sort_by",
    "sort_order",
    "facets",
    "include",
    "include_total",
    "suggest",
    "explain",
];

fn page(call: &PageCall) -> Result<Work, ApiError> {
    if !call.visitor.is_paid() {
        return paid::page(call, Section::Search, "export");
    }
    let parameters = Parameters::parse(call.query)?;
    let kind = parameters.get("kind").unwrap_or(EntityType::Contract.name());
    let query = parameters.without(&["kind"]).after("");
    let call = call.as_api_call(query.trim_start_matches('?'));
    match kind {
        BIDS => bids::export(&call),
        SUPPLIERS => suppliers::export(&call),
        _ => {
            let entity_type = EntityType::parse(kind).ok_or_else(|| {
                let names = EntityType::ALL.into_iter().map(EntityType::name);
                let names = names.chain([BIDS, SUPPLIERS]);
                ApiError::invalid("kind", Reason::NotInList(not_in_list(kind, names)))
            })?;
            records::export(&call, entity_type)
        }
    }
}

/// The files with all rows of a list. `kind` is what they are, and `search` the parameters of the list.
pub(crate) fn links(lang: Language, kind: &str, search: &Parameters) -> Vec<FileLink> {
    let search = search.without(&NOT_OF_EXPORTS).with("kind", kind);
    let link = |(name, parameters): (&'static str, &[(&str, &str)])| {
        let add = |all: Parameters, (name, value): &(&str, &str)| all.with(name, value);
        FileLink {
            name,
            href: parameters
                .iter()
                .fold(search.clone(), add)
                .after(&address::page(lang, "export")),
        }
    };
    FILES.map(link).to_vec()
}
