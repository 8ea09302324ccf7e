//! Conversion of errors of Tantivy and of file access.

use crate::engine::error::Error;

pub fn internal(error: tantivy::TantivyError) -> Error {
    Error::Internal(error.to_string())
}

pub fn unreadable(error: std::io::Error) -> Error {
    Error::Unavailable(error.to_string())
}
