//! What a handler returns: [`Work`], which still has to be run, and the [`Reply`] it yields.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
};

use actix_web::http::{
    StatusCode,
    header::{HeaderName, HeaderValue},
};
use bytes::Bytes;
use serde::Serialize;

use crate::{
    catalog::{ask::Ask, generation::Generation},
    engine::Deadline,
    http::{
        error::ApiError,
        middleware::{conditional::Validator, content_coding::KeptCodings, limits::ONE},
        search_pool::{Lane, Part},
        stream::{ChunkSource, Rest},
    },
    state::database::StateDb,
};

/// A job, what its `ETag` is computed from, and what it costs.
pub struct Work {
    pub(crate) job: Job,
    /// Where a search runs.
    pub(crate) lane: Lane,
    pub(crate) validator: Validator,
    /// The number of requests it counts as.
    pub(crate) cost: NonZeroU32,
}

/// What is left to do for a reply.
pub(crate) enum Job {
    /// Nothing.
    Ready(Reply),
    /// A search for the search pool.
    Search(SearchJob),
    /// A search that takes less time than handing it over to the search pool. It runs where the request is.
    Inline(SearchJob),
    /// Independent parts for the search pool, and what makes a reply of their results.
    Parts { parts: Vec<Part>, join: SearchJob },
    /// A response that may be too long to be held: its headers, and what makes its chunks.
    Stream(Vec<(HeaderName, HeaderValue)>, Box<dyn ChunkSource>),
    /// A write for the state database's thread.
    Write(WriteJob),
}

/// A search, ready to run on another thread.
pub(crate) type SearchJob = Box<dyn FnOnce(Deadline) -> Result<Reply, ApiError> + Send>;

/// A write to the state database, ready to run on its thread. It must be idempotent: a client may send it again after a
/// 503.
pub(crate) type WriteJob = Box<dyn FnOnce(&mut StateDb) -> Result<Reply, ApiError> + Send>;

/// A response body, JSON unless a header says otherwise, and the headers to add.
#[derive(Debug)]
pub(crate) struct Reply {
    /// 200, except for an error page.
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// The encoded forms of the body, if it never changes.
    pub(crate) kept_codings: Option<Arc<KeptCodings>>,
    /// What follows the body, which is only the first chunk then, and is encoded already.
    pub(crate) rest: Option<Rest>,
}

impl Work {
    /// A job whose `ETag` is computed from the address, counted as one request.
    pub(crate) fn new(job: Job) -> Work {
        Work {
            job,
            lane: Lane::Quick,
            validator: Validator::Address,
            cost: ONE,
        }
    }

    /// A search of a generation on the search pool.
    pub(crate) fn search(
        generation: &Arc<Generation>,
        search: impl FnOnce(&Ask) -> Result<Reply, ApiError> + Send + 'static,
    ) -> Work {
        Work::new(Job::Search(job(generation, search)))
    }

    /// Decision D-146: a few look-ups in the index of `generation` without a scan. They take some microseconds if the
    /// index is local, so they need no other thread. Otherwise they wait for the network, as any search.
    pub(crate) fn look_up(
        generation: &Arc<Generation>,
        search: impl FnOnce(&Ask) -> Result<Reply, ApiError> + Send + 'static,
    ) -> Work {
        let search = job(generation, search);
        Work::new(if generation.engine.is_local() {
            Job::Inline(search)
        } else {
            Job::Search(search)
        })
    }

    /// Independent parts, which run as jobs of their own in the heavy lane. `join` gets their results in their order.
    pub(crate) fn parts<T, P>(
        parts: impl IntoIterator<Item = P>,
        join: impl FnOnce(Vec<T>) -> Result<Reply, ApiError> + Send + 'static,
    ) -> Work
    where
        T: Send + 'static,
        P: FnOnce(Deadline) -> Result<T, ApiError> + Send + 'static,
    {
        let results: Arc<Mutex<Vec<Option<T>>>> = Arc::default();
        let part = |(number, part): (usize, P)| -> Part {
            let results = Arc::clone(&results);
            Box::new(move |deadline| {
                let result = part(deadline)?;
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                if results.len() <= number {
                    results.resize_with(number + 1, || None);
                }
                results[number] = Some(result);
                Ok(())
            })
        };
        let parts = parts.into_iter().enumerate().map(part).collect();
        let join: SearchJob = Box::new(move |_| {
            // The pool joins when all parts have ended well, so no result is missing.
            let results = std::mem::take(&mut *results.lock().unwrap_or_else(PoisonError::into_inner));
            join(results.into_iter().flatten().collect())
        });
        Work::new(Job::Parts { parts, join }).in_lane(Lane::Heavy)
    }

    /// A response whose chunks are made one after the other.
    pub(crate) fn stream(headers: Vec<(HeaderName, HeaderValue)>, source: impl ChunkSource + 'static) -> Work {
        Work::new(Job::Stream(headers, Box::new(source))).in_lane(Lane::Heavy)
    }

    /// A write. Its response is not stored by clients.
    pub(crate) fn write(job: WriteJob) -> Work {
        Work::new(Job::Write(job)).with_validator(Validator::None)
    }

    /// An object that is serialized at once.
    pub(crate) fn json(object: &impl Serialize) -> Result<Work, ApiError> {
        Ok(Work::new(Job::Ready(Reply::json(object)?)))
    }

    pub(crate) fn in_lane(self, lane: Lane) -> Work {
        Work { lane, ..self }
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

fn job(
    generation: &Arc<Generation>,
    search: impl FnOnce(&Ask) -> Result<Reply, ApiError> + Send + 'static,
) -> SearchJob {
    let generation = Arc::clone(generation);
    Box::new(move |deadline| search(&Ask { generation, deadline }))
}

impl Reply {
    pub(crate) fn json(object: &impl Serialize) -> Result<Reply, ApiError> {
        let body = serde_json::to_vec(object).map_err(ApiError::internal)?;
        Ok(Reply::from(Bytes::from(body)))
    }

    pub(crate) fn with_headers(self, headers: Vec<(HeaderName, HeaderValue)>) -> Reply {
        Reply { headers, ..self }
    }

    /// The same for a body that never changes, with what is kept of its encoded forms.
    pub(crate) fn with_kept_codings(self, kept: &Arc<KeptCodings>) -> Reply {
        Reply {
            kept_codings: Some(Arc::clone(kept)),
            ..self
        }
    }

    pub(crate) fn with_status(self, status: StatusCode) -> Reply {
        Reply { status, ..self }
    }
}

impl From<Bytes> for Reply {
    fn from(body: Bytes) -> Reply {
        Reply {
            status: StatusCode::OK,
            body,
            headers: Vec::new(),
            kept_codings: None,
            rest: None,
        }
    }
}
