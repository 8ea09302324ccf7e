//! A file for spreadsheets as a reply.

use actix_web::http::header::{self, HeaderName, HeaderValue};
use bytes::Bytes;

use crate::{
    http::{error::ApiError, work::Reply},
    pages::address::Parameters,
};

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("text/csv; charset=utf-8; header=present");

/// The reply with a file, which is saved under this name. `name` has no extension, and is a word of the program: what a
/// client sent is never part of it.
pub(crate) fn reply(name: &'static str, file: anyhow::Result<Vec<u8>>) -> Result<Reply, ApiError> {
    let body = Bytes::from(file.map_err(ApiError::internal)?);
    let disposition = format!("attachment; filename=\"{name}.csv\"");
    let disposition = HeaderValue::from_str(&disposition).map_err(ApiError::internal)?;
    Ok(Reply::from(body).with_headers(vec![
        (header::CONTENT_TYPE, CONTENT_TYPE),
        (header::CONTENT_DISPOSITION, disposition),
    ]))
}

/// The `Link` header for the next page of a file: the same address with this parameter in place of those that state
/// where a page starts.
pub(crate) fn next_link(
    path: &str,
    parameters: &Parameters,
    name: &str,
    value: &str,
) -> Result<(HeaderName, HeaderValue), ApiError> {
    let next = parameters.without(&["cursor", "offset"]).with(name, value).after(path);
    let link = HeaderValue::from_str(&format!("<{next}>; rel=\"next\"")).map_err(ApiError::internal)?;
    Ok((header::LINK, link))
}
