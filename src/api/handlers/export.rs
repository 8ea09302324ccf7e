//! `GET /{entity_type}/export`, `/bids/export` and `/suppliers/export`: all rows of a list that match, as one file.

use crate::{
    api::{
        export::{bids, dump_files, records, suppliers},
        handlers::search::INVALID_PAGE,
        params::{
            bids::TABLE as BIDS_TABLE, file::of_export, read::no_parameters, suppliers::TABLE as SUPPLIERS_TABLE,
        },
        route::{Access, Answer, Endpoint, ErrorResponse, Parameters, PathParam, Route, Tag},
    },
    http::{call::Call, error::ApiError, work::Work},
    model::EntityType,
};

/// An export without its path and parameters.
const ANY: Route = Route {
    access: Access::Paid,
    answer: Answer::Export,
    headers: &["X-Total-Count", "X-Ignored-Parameters"],
    errors: &[
        INVALID_PAGE,
        ErrorResponse::not_found(
            "NoRowAfter",
            "No row has the id after which the export is to go on",
            |_| {
                "no contract record has the id 'nope', after which the export is to go on; begin it again without 'after'"
                    .to_owned()
            },
        ),
    ],
    ..Route::DEFAULT
};

pub(crate) const RECORDS: Route = Route {
    id: "export",
    endpoint: Endpoint::EntityType("/export", all_records),
    about: "All records that match, as one file; counts as a request for every 10,000 records begun",
    parameters: Parameters::Search(Some(&records::PARAMETERS), None),
    headers: &["X-Total-Count", "X-Limit-Applied", "X-Ignored-Parameters"],
    ..ANY
};

pub(crate) const BIDS: Route = Route {
    id: "exportBids",
    tag: Tag::Parties,
    endpoint: Endpoint::Fixed(bids::PATH, all_bids),
    about: "All bids that match, as one file; counts as a request for every 10,000 bids begun",
    parameters: Parameters::Table("bids", || of_export(BIDS_TABLE)),
    ..ANY
};

pub(crate) const SUPPLIERS: Route = Route {
    id: "exportSuppliers",
    tag: Tag::Parties,
    endpoint: Endpoint::Fixed(suppliers::PATH, all_suppliers),
    about: "All suppliers that match, as one file; counts as a request for every 10,000 suppliers begun",
    parameters: Parameters::Table("suppliers", || of_export(SUPPLIERS_TABLE)),
    ..ANY
};

pub(crate) const FILE: Route = Route {
    id: "getExportedFile",
    endpoint: Endpoint::Named(dump_files::PREFIX, "file", file),
    access: Access::Paid,
    about: "A file of the whole dump that the operator offers; `Range` asks for a part of it (206), and `If-Range` for it only if the file is still the same",
    path_params: &[PathParam::Fixed {
        component: "exported_file",
        name: "file",
        about: "Name of a file; `datapackage.json` lists all",
        example: "datapackage.json",
    }],
    answer: Answer::File,
    ..Route::DEFAULT
};

fn all_records(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    records::export(call, entity_type)
}

fn all_bids(call: &Call) -> Result<Work, ApiError> {
    bids::export(call)
}

fn all_suppliers(call: &Call) -> Result<Work, ApiError> {
    suppliers::export(call)
}

fn file(call: &Call, name: String) -> Result<Work, ApiError> {
    no_parameters(call.query)?;
    dump_files::serve(call, &name)
}
