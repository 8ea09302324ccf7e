//! What a handler returns: [`Work`], which still has to be run, and the [`Reply`] it yields.

use std::num::NonZeroU32;

use actix_web::http::header::{HeaderName, HeaderValue};
use bytes::Bytes;
use serde::Serialize;

use crate::{
    engine::Deadline,
    http::{
        error::ApiError,
        middleware::{conditional::Validator, limits::ONE},
    },
    state::database::StateDb,
};

/// A job, what its `ETag` is computed from, and what it costs.
pub struct Work {
    pub(crate) job: Job,
    pub(crate) validator: Validator,
    /// The number of requests it counts as.
    pub(crate) cost: NonZeroU32,
}

/// A finished reply, a search for the search pool, or a write for the state database's thread.
pub(crate) enum Job {
    Ready(Reply),
    Search(Search),
    Write(WriteJob),
}

/// A search, ready to run on another thread.
pub(crate) type Search = Box<dyn FnOnce(Deadline) -> Result<Reply, ApiError> + Send>;

/// A write to the state database, ready to run on its thread. It must be idempotent: a client may send it again after a
/// 503.
pub(crate) type WriteJob = Box<dyn FnOnce(&mut StateDb) -> Result<Reply, ApiError> + Send>;

/// A response body, JSON unless a header says otherwise, and the headers to add.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) body: Bytes,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Work {
    /// A job whose `ETag` is computed from the address, counted as one request.
    pub(crate) fn new(job: Job) -> Work {
        Work {
            job,
            validator: Validator::Address,
            cost: ONE,
        }
    }

    pub(crate) fn search(search: impl FnOnce(Deadline) -> Result<Reply, ApiError> + Send + 'static) -> Work {
        Work::new(Job::Search(Box::new(search)))
    }

    /// A write. Its response is not stored by clients.
    pub(crate) fn write(job: WriteJob) -> Work {
        Work::new(Job::Write(job)).with_validator(Validator::None)
    }

    /// An object that is serialized at once.
    pub(crate) fn json(object: &impl Serialize) -> Result<Work, ApiError> {
        Ok(Work::new(Job::Ready(Reply::json(object)?)))
    }

    pub(crate) fn with_validator(self, validator: Validator) -> Work {
        Work { validator, ..self }
    }

    pub(crate) fn with_cost(self, cost: NonZeroU32) -> Work {
        Work { cost, ..self }
    }

    /// Computes the `ETag` from a normal form of the request, which is the same for every spelling of the address.
    pub(crate) fn for_request(self, normal_form: &impl Serialize) -> Result<Work, ApiError> {
        let normal_form = serde_json::to_vec(normal_form).map_err(ApiError::internal)?;
        Ok(self.with_validator(Validator::Request(normal_form)))
    }
}

impl Reply {
    pub(crate) fn json(object: &impl Serialize) -> Result<Reply, ApiError> {
        let body = serde_json::to_vec(object).map_err(ApiError::internal)?;
        Ok(Reply::from(Bytes::from(body)))
    }

    pub(crate) fn with_headers(self, headers: Vec<(HeaderName, HeaderValue)>) -> Reply {
        Reply { headers, ..self }
    }
}

impl From<Bytes> for Reply {
    fn from(body: Bytes) -> Reply {
        Reply {
            body,
            headers: Vec::new(),
        }
    }
}
