//! Errors of an engine.

use std::fmt;

/// Why a call failed. The texts of `Unavailable` and `Internal` are for the log, not for clients.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The deadline passed, or the caller cancelled.
    Timeout,
    /// The index cannot be read: a file is damaged, or the cluster does not answer or answers in part.
    Unavailable(String),
    Internal(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Timeout => f.write_str("the search took too long"),
            Error::Unavailable(why) => write!(f, "the index cannot be read: {why}"),
            Error::Internal(why) => write!(f, "the search failed: {why}"),
        }
    }
}

impl std::error::Error for Error {}
