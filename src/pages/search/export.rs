//! `/{lang}/export`: all matches of a search as one file, for visitors whose plan has exports. The parameters are those
//! of the export of the API, and `kind`.

use crate::{
    api::{export::records, params::parse::not_in_list},
    http::{error::ApiError, parameter_error::Reason, work::Work},
    model::EntityType,
    pages::{
        address::{self, Parameters},
        page::{FileLink, PageCall, Section},
        paid,
        route::{Handler, Page},
    },
};

pub(crate) const PAGE: Page = Page {
    template: "/{lang}/export",
    handler: Handler::Fixed(page),
    ..Page::DEFAULT
};

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
    let entity_type = EntityType::parse(kind).ok_or_else(|| {
        let names = EntityType::ALL.into_iter().map(EntityType::name);
        ApiError::invalid("kind", Reason::NotInList(not_in_list(kind, names)))
    })?;
    let query = parameters.without(&["kind"]).after("");
    records::export(&call.as_api_call(query.trim_start_matches('?')), entity_type)
}

/// The files with all matches of a search. `search` are its parameters.
pub(super) fn links(call: &PageCall, entity_type: EntityType, search: &Parameters) -> Vec<FileLink> {
    let search = search.without(&NOT_OF_EXPORTS).with("kind", entity_type.name());
    let link = |(name, parameters): (&'static str, &[(&str, &str)])| {
        let add = |all: Parameters, (name, value): &(&str, &str)| all.with(name, value);
        FileLink {
            name,
            href: parameters
                .iter()
                .fold(search.clone(), add)
                .after(&address::page(call.lang, "export")),
        }
    };
    FILES.map(link).to_vec()
}
