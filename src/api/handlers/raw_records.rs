//! Records as members of a computed object: the bytes they were indexed from, unchanged.

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::http::error::ApiError;

pub(crate) fn raw_records(records: &[Bytes]) -> Result<Vec<&RawValue>, ApiError> {
    let raw = records.iter().map(|record| serde_json::from_slice(record));
    raw.collect::<Result<_, _>>().map_err(ApiError::internal)
}
