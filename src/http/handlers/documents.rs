//! `GET /tender/{record_id}/documents/{doc_index}`: one document of a tender, as the record lists it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    http::{
        Call, Reply, Work,
        error::{ApiError, quoted},
        openapi::bodies,
        params,
    },
    model::entity_type::EntityType,
};

/// Spec silent: the shape of the answer.
#[derive(Serialize, JsonSchema)]
#[schemars(
    rename = "TenderDocument",
    description = "One document of a tender, as its record lists it"
)]
pub struct Document<'a> {
    record_id: &'a str,
    doc_index: usize,
    /// How many documents the tender has.
    count: usize,
    #[schemars(schema_with = "bodies::document")]
    document: &'a RawValue,
}

#[derive(Deserialize)]
struct Documents<'a> {
    #[serde(borrow, default)]
    documents: Option<Vec<&'a RawValue>>,
}

pub fn get(call: &Call, record_id: String, doc_index: String) -> Result<Work, ApiError> {
    params::none(call.query)?;
    let number = params::integer(0, u64::MAX, &doc_index).map_err(|why| ApiError::invalid("doc_index", why))?;
    // One way to write a number, so that a document has one address.
    if doc_index.starts_with('+') || (doc_index.starts_with('0') && doc_index.len() > 1) {
        let why = format!("{} is not an integer of 0 or more", quoted(&doc_index));
        return Err(ApiError::invalid("doc_index", why));
    }
    let doc_index = usize::try_from(number).unwrap_or(usize::MAX);
    let generation = call.generation.clone();
    Work::pooled(move |_| {
        let record = generation.engine.record(EntityType::Tender, &record_id)?;
        let record =
            record.ok_or_else(|| ApiError::not_found(format!("no tender record has the id {}", quoted(&record_id))))?;
        let listed: Documents = serde_json::from_slice(&record).map_err(ApiError::internal)?;
        let documents = listed.documents.unwrap_or_default();
        let Some(document) = documents.get(doc_index) else {
            let id = quoted(&record_id);
            return Err(ApiError::not_found(match documents.len() {
                0 => format!("tender {id} lists no documents"),
                1 => format!("tender {id} lists one document, number 0"),
                count => format!("tender {id} lists {count} documents, from 0 to {}", count - 1),
            }));
        };
        Reply::json(&Document {
            record_id: &record_id,
            doc_index,
            count: documents.len(),
            document,
        })
    })
}
