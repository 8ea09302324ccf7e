//! Conversion of errors of Tantivy and of file access.

use crate::engine::error::Error;

pub(crate) fn internal(error: tantivy::TantivyError) -> Error {
    Error::Internal(error.to_string())
}

pub(crate) fn unreadable(error: std::io::Error) -> Error {
    Error::Unavailable(error.to_string())
}
