//! Runs what is left to do for a reply: here, on the search pool, or on the thread of the state database.

use std::time::Instant;

use actix_web::{
    HttpRequest,
    body::BoxBody,
    http::header::{HeaderName, HeaderValue},
};
use bytes::Bytes;

use crate::{
    engine::Deadline,
    http::{
        byte_budget::Reservation,
        call::AppState,
        error::ApiError,
        middleware::{compression::Accepted, timing::Timing},
        search_pool::{Origin, guarded},
        sending,
        stream::{ChunkSource, OmittedBody, Rest, StreamBody, StreamPlace},
        work::{Job, Reply, SearchJob, Work},
    },
};

/// What a job made.
pub(crate) struct Made {
    pub(crate) reply: Reply,
    pub(crate) timing: Timing,
    /// The memory of the body, if it is large.
    pub(crate) memory: Option<Reservation>,
}

impl Made {
    /// Reserves the memory of the body. `memory` is a reservation of nothing.
    fn new(reply: Reply, timing: Timing, memory: Reservation) -> Result<Made, ApiError> {
        // That of a stream is reserved already.
        let memory = match reply.rest {
            None => sending::reserve(&reply.body, memory)?,
            Some(_) => None,
        };
        Ok(Made { reply, timing, memory })
    }
}

/// Runs the job and compresses the body: small bodies here, all else on the search pool.
pub(crate) async fn run(
    state: &AppState,
    work: Work,
    accepted: Accepted,
    is_head: bool,
    origin: Origin,
    deadline: Deadline,
) -> Result<Made, ApiError> {
    let queued = Instant::now();
    if !matches!(work.job, Job::Stream(..)) {
        state.streams.turns.count_other();
    }
    let memory = state.response_bytes.reservation(origin.client.owner());
    let (parts, search) = match work.job {
        Job::Ready(reply) if accepted.encodes_inline(reply.body.len()) => {
            return Made::new(accepted.encode(reply, &deadline)?, Timing::default(), memory);
        }
        Job::Ready(reply) => (Vec::new(), Box::new(move |_| Ok(reply)) as SearchJob),
        Job::Inline(search) if accepted.encodes_pages_inline() => {
            return guarded(|| timed(search, accepted, memory, deadline, (queued, queued)));
        }
        Job::Search(search) | Job::Inline(search) => (Vec::new(), search),
        Job::Parts { parts, join } => (parts, join),
        Job::Stream(headers, source) => {
            let is_omitted = is_head && source.length().is_some();
            let place = (!is_omitted).then(|| {
                let memory = state.response_bytes.reservation(origin.client.owner());
                StreamPlace::new(&state.streams, memory)
            });
            (Vec::new(), streamed(headers, source, accepted, place))
        }
        Job::Write(job) => {
            let reply = state.state_writer.run(origin, deadline.clone(), job).await?;
            return Made::new(accepted.encode(reply, &deadline)?, Timing::default(), memory);
        }
    };
    let lane = state.search_pool.lane(work.lane);
    let done = lane.run_parts(origin, deadline, parts, move |deadline, begun| {
        timed(search, accepted, memory, deadline, (queued, begun))
    });
    done.await
}

/// The search for the first chunk of a stream. A stream that ends with it is an ordinary reply. The others take their
/// `place` and their memory here: while a thread of connections is busy, many first chunks wait for it.
fn streamed(
    mut headers: Vec<(HeaderName, HeaderValue)>,
    mut source: Box<dyn ChunkSource>,
    accepted: Accepted,
    place: Option<StreamPlace>,
) -> SearchJob {
    Box::new(move |deadline| {
        let first = source.next_chunk(&deadline)?;
        if first.is_last {
            let reply = Reply::from(Bytes::from(first.bytes)).with_headers(headers);
            return Ok(reply.with_status(source.status()));
        }
        let encoder = if source.is_compressed() {
            None
        } else {
            accepted.stream_encoder().map_err(ApiError::internal)?
        };
        let encoder = encoder.map(|(encoder, header)| {
            headers.push(header);
            encoder
        });
        let status = source.status();
        let (body, rest) = Rest::after(first.bytes, source, encoder, place)?;
        let reply = Reply::from(body).with_headers(headers).with_status(status);
        Ok(Reply {
            rest: Some(rest),
            ..reply
        })
    })
}

/// The body of a reply that is sent while it is made; `None` if the reply is whole.
pub(crate) fn rest_of(state: &AppState, reply: &mut Reply, origin: Origin, request: &HttpRequest) -> Option<BoxBody> {
    let rest = reply.rest.take()?;
    if !rest.has_place() {
        return Some(BoxBody::new(OmittedBody(rest.length.unwrap_or_default())));
    }
    let first = std::mem::take(&mut reply.body);
    let pool = (&state.search_pool, origin, state.query_timeout);
    Some(BoxBody::new(StreamBody::new(first, rest, pool, request)))
}

/// Searches and compresses, on the thread that calls it.
fn timed(
    search: SearchJob,
    accepted: Accepted,
    memory: Reservation,
    deadline: Deadline,
    (queued, begun): (Instant, Instant),
) -> Result<Made, ApiError> {
    deadline.check()?;
    let reply = search(deadline.clone())?;
    let found = Instant::now();
    let is_encoded = reply.rest.is_none() && accepted.coding_for(reply.body.len()).is_some();
    let reply = accepted.encode(reply, &deadline)?;
    let timing = Timing {
        queue: Some(begun.saturating_duration_since(queued)),
        search: Some(found.saturating_duration_since(begun)),
        coding: is_encoded.then(|| found.elapsed()),
    };
    Made::new(reply, timing, memory)
}
