//! `GET /{entity_type}/{record_id}`: a record, as the bytes it was indexed from.

use crate::{
    api::{
        analysis::supplier_counts::with_supplier,
        params::{
            param::describe,
            read::read_all,
            record::{RecordParams, TABLE},
        },
        route::{Answer, Endpoint, ErrorResponse, Link, Parameters, PathParam, Route},
    },
    http::{
        call::Call,
        error::ApiError,
        quoted::quoted,
        work::{Reply, Work},
    },
    model::{EntityType, Role, Schema},
};

pub(crate) const RECORD: Route = Route {
    id: "get",
    endpoint: Endpoint::Record(get),
    about: "One record",
    path_params: &[PathParam::RecordId],
    parameters: Parameters::Table("record", || describe(TABLE)),
    answer: Answer::Record,
    errors: &[ErrorResponse::not_found(
        "NoRecord",
        "No record of the entity type has that id",
        |_| "no contract record has the id 'nope'; pass the `record_id` of a search result unchanged".to_owned(),
    )],
    links: &[
        Link {
            name: "vendor",
            to: "getVendor",
            about: "The vendor's contracts",
            parameters: &[("name", "$response.body#/vendor_name")],
            of: |of| of == EntityType::Contract,
            ..Link::DEFAULT
        },
        Link {
            name: "procurement",
            to: "getProcurement",
            about: "All records of the same solicitation",
            parameters: &[("solicitation_number", "$response.body#/solicitation_number")],
            of: |of| Schema::of(of).has_role(Role::SolicitationNumber),
            ..Link::DEFAULT
        },
        Link {
            name: "document",
            to: "getDocumentOf",
            about: "The first document",
            parameters: &[
                ("record_id", "$request.path.record_id"),
                ("doc_index", "$response.body#/documents/0/doc_index"),
            ],
            of: |of| of == EntityType::Tender,
            ..Link::DEFAULT
        },
    ],
    ..Route::DEFAULT
};

/// The 404 for an id that no record of the entity type has.
pub(crate) fn no_record(entity_type: EntityType, record_id: &str) -> ApiError {
    ApiError::not_found(format!(
        "no {entity_type} record has the id {}; pass the `record_id` of a search result unchanged",
        quoted(record_id)
    ))
}

fn get(call: &Call, entity_type: EntityType, record_id: String) -> Result<Work, ApiError> {
    let given: RecordParams = read_all(TABLE, call.query)?;
    let has_supplier = given.include.is_some();
    Ok(Work::look_up(&call.generation, move |ask| {
        let record = ask.record(entity_type, &record_id)?;
        let record = record.ok_or_else(|| no_record(entity_type, &record_id))?;
        if has_supplier {
            return Ok(Reply::from(with_supplier(&ask.generation.suppliers, &record)));
        }
        Ok(Reply::from(record))
    }))
}
