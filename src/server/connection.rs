//! One client connection: guards the socket with the request framer, time limits and a gentle
//! close.
//!
//! The framework's only request timer covers the first head of a connection, and none covers a
//! client that never reads its response. Here every request has a time limit to arrive, every
//! stalled response a time limit to progress. On closing, the rest of the input is read for a
//! moment: closing a socket with unread input would reset the connection, and the client would lose
//! the response.
//!
//! **Invariant:** the framework gets a request's head only after the response to the request before
//! is written. If it read ahead, it would frame a response (with or without a body, closing or not)
//! by the last head it has read instead of by the response's own.

use std::{
    io,
    mem::MaybeUninit,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

use crate::{
    http::{
        body,
        refusal::{ConnectionRefusal, Refusal},
    },
    server::http1::{
        error::RequestError,
        framer::{Phase, RequestFramer},
    },
};

/// The resources a client may take.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Open connections; further ones get a 503.
    pub connections: usize,
    /// From a request's first byte to the end of its head, and from the connection to its first
    /// byte.
    pub head: Duration,
    /// From the end of a head to the end of its body.
    pub body: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// How long a response may wait for the client to read its next part.
    pub stall: Duration,
}

/// Decision D-115: generous to slow lines, but not to clients that do nothing.
impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits {
            connections: 4096,
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(75),
            stall: Duration::from_secs(30),
        }
    }
}

/// How long input is still read after the last response, so that the client can read that response.
const LINGER: Duration = Duration::from_secs(1);

/// Added to a body's time limit here: the handler that reads the body has the same limit, and
/// answers 408 first.
const BODY_GRACE: Duration = Duration::from_secs(1);

/// The size of one read, in bytes.
const READ_SIZE: usize = 8 << 10;

/// Buffer capacity that is kept between two requests, in bytes.
const KEPT_CAPACITY: usize = 2 << 10;

/// How many bytes are read while a response is pending: enough to notice that the client has closed
/// the connection.
const READ_AHEAD: usize = 2 * READ_SIZE;

/// The only interim response. The framework writes it for a request with `Expect: 100-continue`.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

type Timer = Pin<Box<Sleep>>;

/// A stream that the framework reads instead of the socket.
pub(crate) struct GuardedStream<S> {
    stream: S,
    limits: ConnectionLimits,
    framer: RequestFramer,
    refusal: ConnectionRefusal,
    /// Input that is not framed yet: requests that wait for the response to the one before.
    unframed: Vec<u8>,
    /// Framed input for the framework, which has taken the first `taken` bytes.
    framed: Vec<u8>,
    taken: usize,
    /// Whether a response is partly written.
    is_responding: bool,
    /// The number of responses that are completely written.
    responses: u64,
    /// The framework's reading task, while it waits for a response to be written.
    reader: Option<Waker>,
    /// The time limit of a request's phase; the number identifies the request.
    arrival: Option<((u64, Phase), Timer)>,
    stall: Option<Timer>,
    linger: Option<Timer>,
    is_closed_by_client: bool,
    _slot: ConnectionSlot,
}

/// One of the open connections, counted until it is dropped.
struct ConnectionSlot(Arc<AtomicUsize>);

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl From<RequestError> for Refusal {
    fn from(error: RequestError) -> Refusal {
        match error {
            RequestError::RequestLine => Refusal::RequestLine,
            RequestError::Target => Refusal::RequestTarget,
            RequestError::Header => Refusal::Header,
            RequestError::Host => Refusal::Host,
            RequestError::BodyLength => Refusal::BodyLength,
            RequestError::HeadTooLong => Refusal::HeadTooLong,
            RequestError::BodyTooLong => Refusal::BodyTooLong,
            RequestError::Timeout => Refusal::Timeout,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> GuardedStream<S> {
    /// Guards a new connection and adds it to the `open` ones. Beyond the maximum number its first
    /// response is a 503.
    pub(crate) fn new(stream: S, limits: ConnectionLimits, open: &Arc<AtomicUsize>) -> GuardedStream<S> {
        let is_too_many = open.fetch_add(1, Ordering::Relaxed) >= limits.connections;
        let mut guarded = GuardedStream {
            stream,
            limits,
            framer: RequestFramer::new(body::MAX_SIZE as u64),
            refusal: ConnectionRefusal::default(),
            unframed: Vec::new(),
            framed: Vec::new(),
            taken: 0,
            is_responding: false,
            responses: 0,
            reader: None,
            arrival: None,
            stall: None,
            linger: None,
            is_closed_by_client: false,
            _slot: ConnectionSlot(Arc::clone(open)),
        };
        if is_too_many {
            guarded.refusal.set(Refusal::TooManyConnections);
            guarded.framer.reject(&mut guarded.framed);
        }
        guarded
    }

    /// Where this stream stores why it refused the last request.
    pub(crate) fn refusal(&self) -> ConnectionRefusal {
        self.refusal.clone()
    }

    /// Reads once from the socket. Ready with `false` at the end of the input.
    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let mut bytes = [MaybeUninit::uninit(); READ_SIZE];
        let mut buffer = ReadBuf::uninit(&mut bytes);
        std::task::ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
        self.is_closed_by_client = buffer.filled().is_empty();
        self.unframed.extend_from_slice(buffer.filled());
        Poll::Ready(Ok(!self.is_closed_by_client))
    }

    /// Whether a complete request has no complete response yet, so that the next request has to
    /// wait.
    fn is_response_pending(&self) -> bool {
        self.responses < self.framer.requests() && self.framer.phase() == Phase::Idle
    }

    /// Frames the input up to the end of one request at most.
    fn frame(&mut self) {
        let rest = self.framer.push(&self.unframed, &mut self.framed).len();
        self.unframed.drain(..self.unframed.len() - rest);
        self.unframed.shrink_to(KEPT_CAPACITY);
        self.take_error();
    }

    fn take_error(&self) {
        if let Some(error) = self.framer.error() {
            self.refusal.set(error.into());
        }
    }

    /// Counts a response when its last byte is written. A write that empties the framework's buffer
    /// ends a response, since the framework encodes a response's head and body into one buffer (see
    /// [`crate::server::http1`]).
    fn count_written(&mut self, buffer: &[u8], written: usize) {
        self.is_responding |= !CONTINUE.ends_with(buffer);
        if self.is_responding && written == buffer.len() {
            self.is_responding = false;
            self.responses = self.framer.requests();
            let is_last = self.framer.phase() == Phase::Discarding;
            if (is_last || !self.unframed.is_empty())
                && let Some(reader) = self.reader.take()
            {
                reader.wake();
            }
        }
    }

    /// Ready when the current phase of the request has exceeded its time limit.
    fn poll_arrival_timeout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let phase = self.framer.phase();
        let limit = match phase {
            // The framework's keep-alive timer covers the time between two requests.
            Phase::Idle if self.framer.requests() > 0 => None,
            Phase::Idle | Phase::Head => Some(self.limits.head),
            Phase::Body => Some(self.limits.body + BODY_GRACE),
            Phase::Rejected | Phase::Discarding | Phase::Broken => None,
        };
        let Some(limit) = limit else {
            self.arrival = None;
            return Poll::Pending;
        };
        let current = (self.framer.requests(), phase);
        match &mut self.arrival {
            Some((known, timer)) if *known == current => timer.as_mut().poll(cx),
            arrival => {
                let (_, timer) = arrival.insert((current, Box::pin(sleep(limit))));
                timer.as_mut().poll(cx)
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for GuardedStream<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            let framed = this.framed.get(this.taken..).unwrap_or_default();
            if !framed.is_empty() {
                let framed = framed.get(..buffer.remaining()).unwrap_or(framed);
                buffer.put_slice(framed);
                this.taken += framed.len();
                return Poll::Ready(Ok(()));
            }
            this.framed.clear();
            this.framed.shrink_to(KEPT_CAPACITY);
            this.taken = 0;
            match this.framer.phase() {
                // The response to the stand-in request closes the connection.
                Phase::Rejected => return Poll::Pending,
                Phase::Broken => return Poll::Ready(Ok(())),
                Phase::Discarding if this.responses == this.framer.requests() => return Poll::Ready(Ok(())),
                Phase::Discarding => this.reader = Some(cx.waker().clone()),
                Phase::Idle | Phase::Head | Phase::Body => {}
            }
            if this.is_response_pending() {
                this.reader = Some(cx.waker().clone());
                if this.unframed.len() >= READ_AHEAD {
                    return Poll::Pending;
                }
            } else if !this.unframed.is_empty() {
                this.frame();
                continue;
            }
            match this.poll_fill(cx) {
                Poll::Ready(Ok(true)) if this.framer.phase() == Phase::Discarding => {
                    this.unframed.clear();
                    // One read per poll, so that a client that never stops sending does not block
                    // the others.
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Poll::Ready(Ok(true)) => {}
                Poll::Ready(Ok(false)) => return Poll::Ready(Ok(())),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    std::task::ready!(this.poll_arrival_timeout(cx));
                    this.framer.time_out(&mut this.framed);
                    this.take_error();
                }
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for GuardedStream<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, buffer);
        if written.is_ready() {
            this.stall = None;
            if let Poll::Ready(Ok(written)) = written {
                this.count_written(buffer, written);
            }
            return written;
        }
        let timer = this.stall.get_or_insert_with(|| Box::pin(sleep(this.limits.stall)));
        timer.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.linger.is_none() {
            std::task::ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        }
        let linger = this.linger.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        if linger.as_mut().poll(cx).is_ready() || this.is_closed_by_client {
            return Poll::Ready(Ok(()));
        }
        let mut bytes = [MaybeUninit::uninit(); READ_SIZE];
        let mut input = ReadBuf::uninit(&mut bytes);
        match Pin::new(&mut this.stream).poll_read(cx, &mut input) {
            Poll::Ready(Ok(())) if !input.filled().is_empty() => {
                // One read per poll, as above.
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            // The client has closed its side, too, or is gone.
            Poll::Ready(_) => Poll::Ready(Ok(())),
            Poll::Pending => Poll::Pending,
        }
    }
}
