//! Responses that are longer than what the server holds of them: exports.
//!
//! A [`ChunkSource`] makes one chunk after the other, each as a job of the search pool, so an export takes turns with
//! the searches of others (decision D-282), and while others ask, also with other [streams](crate::http::stream_turns).
//! The next chunk is made while the last one is sent, and no further one before the client has read that. So a stream
//! takes [`STREAM_BYTES`] of memory, whatever the client reads. Its length is not known, so it is sent with chunked
//! transfer coding: a stream that breaks ends without the last chunk, which every client notices.

use std::{
    collections::HashMap,
    convert::Infallible,
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use actix_web::{
    HttpRequest,
    body::{BodySize, MessageBody},
    http::StatusCode,
};
use bytes::Bytes;

use crate::{
    engine::Deadline,
    http::{
        byte_budget::{Owner, Reservation},
        connection::ConnectionState,
        error::ApiError,
        middleware::content_coding::StreamEncoder,
        refusal::Refusal,
        search_pool::{Lane, Origin, SearchPool},
        stream_turns::{StreamTurn, StreamTurns},
    },
};

/// The size of a chunk before it is compressed, in bytes; a single record may be larger.
pub(crate) const CHUNK_BYTES: usize = 256 << 10;

/// What a stream reserves of the memory for responses, in bytes: two chunks, the write buffer of its connection, and
/// a small window of compression.
pub(crate) const STREAM_BYTES: usize = 3 << 19;

/// The maximum number of streams: together they take at most half of the memory for responses.
pub(crate) const MAX_STREAMS: usize = 40;

/// How many files of dumps a key may download at the same time: programs read several parts of a file at once.
pub(crate) const MAX_DOWNLOADS: usize = 8;

/// The maximum size of a part of a chunk that is given to the framework at once, in bytes.
const PART_BYTES: usize = 128 << 10;

/// How often a chunk is tried again if the search pool refuses it, and after which time. Others are served first, and
/// the client only waits.
const ATTEMPTS: usize = 30;
const PAUSE: Duration = Duration::from_secs(1);

/// A part of a response.
pub(crate) struct Chunk {
    pub(crate) bytes: Vec<u8>,
    /// Whether nothing follows.
    pub(crate) is_last: bool,
}

/// Makes the chunks of a response, one after the other, on a thread that may block.
pub(crate) trait ChunkSource: Send {
    /// The next chunk. After an error, the same chunk can be asked for again.
    fn next_chunk(&mut self, deadline: &Deadline) -> Result<Chunk, ApiError>;

    /// What the stream takes of the memory for responses, in bytes.
    fn memory_bytes(&self) -> usize {
        STREAM_BYTES
    }

    /// Whether its bytes are compressed already.
    fn is_compressed(&self) -> bool {
        false
    }

    fn status(&self) -> StatusCode {
        StatusCode::OK
    }

    /// The length of the whole response in bytes, if it is known.
    fn length(&self) -> Option<u64> {
        None
    }

    /// How many such streams a key may have at the same time.
    fn max_of_key(&self) -> usize {
        1
    }
}

/// The rest of a response whose first chunk was made.
pub(crate) struct Rest {
    coded: Arc<Mutex<Coded>>,
    /// The length of the whole response in bytes, if it is known.
    pub(crate) length: Option<u64>,
    slot: Option<StreamSlot>,
}

struct Coded {
    source: Box<dyn ChunkSource>,
    encoder: Option<StreamEncoder>,
    turn: StreamTurn,
}

/// A chunk as it is sent, and whether it is the last one.
type Sent = (Bytes, bool);

/// The chunk that is being made.
type Making = Pin<Box<dyn Future<Output = Result<Sent, ApiError>>>>;

impl Rest {
    /// The first chunk as it is sent, and the rest, which has its place until it is dropped. Without `place` the rest
    /// is never sent.
    ///
    /// # Errors
    /// 429 if the key has as many running streams as it may have, 503 if there are too many of others.
    pub(crate) fn after(
        first: Vec<u8>,
        source: Box<dyn ChunkSource>,
        encoder: Option<StreamEncoder>,
        place: Option<StreamPlace>,
    ) -> Result<(Bytes, Rest), ApiError> {
        let window = encoder.as_ref().map_or(0, StreamEncoder::memory_bytes);
        let slot = place.map(|place| place.take(source.max_of_key(), source.memory_bytes() + window));
        let slot = slot.transpose()?;
        let length = source.length();
        let turn = slot
            .as_ref()
            .map_or_else(StreamTurns::default, |slot| slot.running.turns.clone());
        let turn = turn.begin();
        let mut coded = Coded { source, encoder, turn };
        let first = coded.encoded(Chunk {
            bytes: first,
            is_last: false,
        })?;
        let coded = Arc::new(Mutex::new(coded));
        let rest = Rest { coded, length, slot };
        Ok((first.0, rest))
    }

    /// Whether it is sent: not in the answer to HEAD.
    pub(crate) fn has_place(&self) -> bool {
        self.slot.is_some()
    }
}

impl Coded {
    fn encoded(&mut self, chunk: Chunk) -> Result<Sent, ApiError> {
        let Chunk { bytes, is_last } = chunk;
        let bytes = match &mut self.encoder {
            Some(encoder) => encoder.encode(&bytes, is_last).map_err(ApiError::internal)?,
            None => bytes,
        };
        Ok((Bytes::from(bytes), is_last))
    }
}

impl fmt::Debug for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rest")
    }
}

/// The streams that are being sent, by key and by how many of their kind a key may have.
#[derive(Clone, Default)]
pub(crate) struct RunningStreams {
    counts: Arc<Mutex<HashMap<StreamKind, usize>>>,
    pub(crate) turns: StreamTurns,
}

/// Whose stream it is, and how many such ones a key may have.
type StreamKind = (Owner, usize);

/// One of the running streams, with its memory.
pub(crate) struct StreamSlot {
    running: RunningStreams,
    kind: StreamKind,
    _memory: Reservation,
}

/// Where a stream will take a place among the running ones.
pub(crate) struct StreamPlace {
    running: RunningStreams,
    memory: Reservation,
}

impl StreamPlace {
    /// `memory` is a reservation of nothing.
    pub(crate) fn new(running: &RunningStreams, memory: Reservation) -> StreamPlace {
        let running = running.clone();
        StreamPlace { running, memory }
    }

    /// Takes the place and the memory of a stream of which a key may have `max_of_key`.
    fn take(mut self, max_of_key: usize, memory_bytes: usize) -> Result<StreamSlot, ApiError> {
        let mut running = self.running.lock();
        let kind = (self.memory.owner(), max_of_key);
        let of_kind = running.get(&kind).copied().unwrap_or_default();
        if of_kind >= max_of_key {
            let detail = match max_of_key {
                1 => {
                    "this key already has an export that is being sent; wait until it has ended, or close its connection"
                }
                _ => "this key already downloads as many files as it may at the same time; wait until one has ended",
            };
            return Err(ApiError::too_many_requests(detail, PAUSE.as_secs()));
        }
        if running.values().sum::<usize>() >= MAX_STREAMS || !self.memory.grow_to(memory_bytes) {
            return Err(Refusal::TooManyResponses.into());
        }
        *running.entry(kind).or_default() += 1;
        drop(running);
        Ok(StreamSlot {
            running: self.running,
            kind,
            _memory: self.memory,
        })
    }
}

impl RunningStreams {
    /// Numbers, which are consistent after each statement.
    fn lock(&self) -> MutexGuard<'_, HashMap<StreamKind, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut running = self.running.lock();
        match running.get_mut(&self.kind) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                running.remove(&self.kind);
            }
        }
    }
}

/// The body of a response that is sent while it is made.
pub(crate) struct StreamBody {
    /// What is left of the chunk that is being sent.
    current: Bytes,
    /// The chunk after it, if it is made already.
    next: Option<Result<Sent, ApiError>>,
    making: Option<Making>,
    rest: Rest,
    pool: Arc<SearchPool>,
    origin: Origin,
    /// The time limit of each chunk.
    time: Duration,
    connection: Option<ConnectionState>,
}

impl StreamBody {
    pub(crate) fn new(
        first: Bytes,
        rest: Rest,
        (pool, origin, time): (&Arc<SearchPool>, Origin, Duration),
        request: &HttpRequest,
    ) -> StreamBody {
        let connection = ConnectionState::of(request).cloned();
        if let Some(connection) = &connection {
            connection.set_sending(true);
        }
        let mut body = StreamBody {
            current: first,
            next: None,
            making: None,
            rest,
            pool: Arc::clone(pool),
            origin,
            time,
            connection,
        };
        body.begin_next();
        body
    }

    fn begin_next(&mut self) {
        let made = made(
            Arc::clone(&self.pool),
            Arc::clone(&self.rest.coded),
            self.origin,
            self.time,
        );
        self.making = Some(Box::pin(made));
    }

    /// Lets the next chunk be made, if it is not there.
    fn poll_making(&mut self, cx: &mut Context<'_>) {
        if let Some(making) = &mut self.making
            && let Poll::Ready(made) = making.as_mut().poll(cx)
        {
            self.making = None;
            self.next = Some(made);
        }
    }
}

/// Makes a chunk on the search pool.
async fn made(
    pool: Arc<SearchPool>,
    coded: Arc<Mutex<Coded>>,
    origin: Origin,
    time: Duration,
) -> Result<Sent, ApiError> {
    let mut attempts = ATTEMPTS;
    loop {
        let coded = Arc::clone(&coded);
        let begin = locked(&coded).turn.next(Instant::now());
        if let Some(begin) = begin {
            tokio::time::sleep_until(begin.into()).await;
        }
        let chunk = pool
            .lane(Lane::Heavy)
            .run(origin, Deadline::after(time), move |deadline, _| {
                let (begun, mut coded) = (Instant::now(), locked(&coded));
                let chunk = coded.source.next_chunk(&deadline)?;
                let chunk = coded.encoded(chunk);
                coded.turn.made(begun.elapsed());
                chunk
            });
        match chunk.await {
            Err(error) if error.status == StatusCode::SERVICE_UNAVAILABLE && attempts > 0 => attempts -= 1,
            chunk => return chunk,
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// A job that panicked ends its stream, so what it left is never sent.
fn locked(coded: &Mutex<Coded>) -> MutexGuard<'_, Coded> {
    coded.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The body of the answer to HEAD for a stream of known length: nothing, and its length.
pub(crate) struct OmittedBody(pub(crate) u64);

impl MessageBody for OmittedBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.0)
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

impl MessageBody for StreamBody {
    type Error = actix_web::Error;

    fn size(&self) -> BodySize {
        self.rest.length.map_or(BodySize::Stream, BodySize::Sized)
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, actix_web::Error>>> {
        let this = &mut *self;
        this.poll_making(cx);
        while this.current.is_empty() {
            match this.next.take() {
                Some(Ok((bytes, is_last))) => {
                    this.current = bytes;
                    if !is_last {
                        this.begin_next();
                        this.poll_making(cx);
                    }
                }
                Some(Err(error)) => {
                    let cause = error.cause.as_deref().unwrap_or_default();
                    log::warn!("an export breaks off: {} {cause}", error.detail);
                    return Poll::Ready(Some(Err(actix_web::error::ErrorServiceUnavailable(error.detail))));
                }
                None if this.making.is_some() => return Poll::Pending,
                None => {
                    // Before the framework writes the end of the body, after which the response is complete.
                    if let Some(connection) = &this.connection {
                        connection.set_sending(false);
                    }
                    return Poll::Ready(None);
                }
            }
        }
        let length = this.current.len().min(PART_BYTES);
        Poll::Ready(Some(Ok(this.current.split_to(length))))
    }
}
