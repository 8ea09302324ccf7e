//! Runs what is left to do for a reply: here, on the search pool, or on the thread of the state database.

use std::time::Instant;

use crate::{
    engine::Deadline,
    http::{
        call::AppState,
        error::ApiError,
        middleware::{compression::Accepted, timing::Timing},
        search_pool::{Origin, guarded},
        work::{Job, Reply, SearchJob, Work},
    },
};

/// Runs the job and compresses the body: small bodies here, all else on the search pool.
pub(crate) async fn run(
    state: &AppState,
    work: Work,
    accepted: Accepted,
    origin: Origin,
    deadline: Deadline,
) -> Result<(Reply, Timing), ApiError> {
    let queued = Instant::now();
    let encode = |reply: Reply| Ok((accepted.encode(reply, &deadline)?, Timing::default()));
    let (parts, search) = match work.job {
        Job::Ready(reply) if accepted.encodes_inline(reply.body.len()) => return encode(reply),
        Job::Ready(reply) => (Vec::new(), Box::new(move |_| Ok(reply)) as SearchJob),
        Job::Inline(search) if accepted.encodes_pages_inline() => {
            return guarded(|| timed(search, accepted, deadline, queued, queued));
        }
        Job::Search(search) | Job::Inline(search) => (Vec::new(), search),
        Job::Parts { parts, join } => (parts, join),
        Job::Write(job) => return encode(state.state_writer.run(origin, deadline.clone(), job).await?),
    };
    let lane = state.search_pool.lane(work.lane);
    let done = lane.run_parts(origin, deadline, parts, move |deadline, begun| {
        timed(search, accepted, deadline, queued, begun)
    });
    done.await
}

/// Searches and compresses, on the thread that calls it.
fn timed(
    search: SearchJob,
    accepted: Accepted,
    deadline: Deadline,
    queued: Instant,
    begun: Instant,
) -> Result<(Reply, Timing), ApiError> {
    deadline.check()?;
    let reply = search(deadline.clone())?;
    let found = Instant::now();
    let is_encoded = accepted.coding_for(reply.body.len()).is_some();
    let reply = accepted.encode(reply, &deadline)?;
    let timing = Timing {
        queue: Some(begun.saturating_duration_since(queued)),
        search: Some(found.saturating_duration_since(begun)),
        coding: is_encoded.then(|| found.elapsed()),
    };
    Ok((reply, timing))
}
