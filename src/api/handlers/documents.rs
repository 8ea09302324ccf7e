//! `GET /tender/{record_id}/documents/{doc_index}`: one document of a tender, as its record lists it.

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    api::{
        handlers::record::no_record,
        params::{parse, read},
        route::{Answer, Endpoint, ErrorResponse, PathParam, Route},
        schema_refs,
    },
    http::{
        call::Call,
        error::ApiError,
        parameter_error::Reason,
        quoted::quoted,
        work::{Reply, Work},
    },
    model::EntityType,
};

pub(crate) const DOCUMENT: Route = Route {
    id: "getDocumentOf",
    endpoint: Endpoint::Document(get),
    about: "One document of a tender",
    path_params: &[PathParam::RecordId, PathParam::DocIndex],
    answer: Answer::Json(SchemaGenerator::subschema_for::<Document>),
    errors: &[ErrorResponse::not_found(
        "NoDocument",
        "No tender has that id, or it has no document with that index; the message states how many it has",
        |_| "tender 't/1' has no document '2'; it has 2 documents, numbered from 0 to 1".to_owned(),
    )],
    ..Route::DEFAULT
};

/// The shape of the response.
#[derive(Serialize, JsonSchema)]
#[schemars(
    rename = "TenderDocument",
    description = "One document of a tender, as its record lists it"
)]
struct Document<'a> {
    record_id: &'a str,
    doc_index: usize,
    /// Number of documents of the tender.
    count: usize,
    #[schemars(schema_with = "schema_refs::document")]
    document: &'a RawValue,
}

/// The part of a record that is read.
#[derive(Deserialize)]
struct Documents<'a> {
    #[serde(borrow, default)]
    documents: Option<Vec<&'a RawValue>>,
}

fn get(call: &Call, record_id: String, doc_index: String) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let index = parse_index(&doc_index)?;
    Ok(Work::search(&call.generation, move |ask| {
        let record = ask.record(EntityType::Tender, &record_id)?;
        let record = record.ok_or_else(|| no_record(EntityType::Tender, &record_id))?;
        let listed: Documents = serde_json::from_slice(&record).map_err(ApiError::internal)?;
        let documents = listed.documents.unwrap_or_default();
        let Some(document) = documents.get(index) else {
            return Err(no_document(&record_id, &doc_index, documents.len()));
        };
        Reply::json(&Document {
            record_id: &record_id,
            doc_index: index,
            count: documents.len(),
            document,
        })
    }))
}

fn no_document(record_id: &str, doc_index: &str, count: usize) -> ApiError {
    let listed = match count {
        0 => "it has no documents".to_owned(),
        1 => "it has one document, number 0".to_owned(),
        _ => format!("it has {count} documents, numbered from 0 to {}", count - 1),
    };
    let (id, index) = (quoted(record_id), quoted(doc_index));
    ApiError::not_found(format!("tender {id} has no document {index}; {listed}"))
}

/// Accepts only the canonical spelling of a number, so that a document has one address.
fn parse_index(text: &str) -> Result<usize, ApiError> {
    let is_canonical = !text.starts_with('+') && (!text.starts_with('0') || text.len() == 1);
    let not_canonical = || Reason::Integer {
        text: text.to_owned(),
        min: 0,
        max: u64::MAX,
    };
    let number = parse::integer(0, u64::MAX, text);
    let number = number.and_then(|number| is_canonical.then_some(number).ok_or_else(not_canonical));
    let number = number.map_err(|reason| ApiError::invalid("doc_index", reason))?;
    // An index that does not fit is past the end of every list.
    Ok(usize::try_from(number).unwrap_or(usize::MAX))
}
