//! One client connection: guards the socket with the request framer, time limits and a gentle close.
//!
//! The framework's only request timer covers the first head of a connection, and none covers a client that never reads
//! its response. Here every request has a time limit to arrive, and every response a least pace at which it is read;
//! both are stricter once the server stops. On closing, the rest of the input is read for a moment: closing a socket
//! with unread input would reset the connection, and the client would lose the response.
//!
//! **Invariant:** the framework gets a request's head only after the response to the request before is written. If it
//! read ahead, it would frame a response (with or without a body, closing or not) by the last head it has read instead
//! of by the response's own.

mod write;

use std::{
    io,
    mem::MaybeUninit,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, ReadBuf},
    time::Sleep,
};

use crate::{
    api::{handlers::health, router},
    http::{connection::ConnectionState, refusal::Refusal},
    server::{
        client_socket::ClientSocket,
        connection_limits::ConnectionLimits,
        connection_slots::SlotGuard,
        http1::framer::{Phase, RequestFramer},
        slot_lease::SlotLease,
        time_limit::TimeLimit,
        write_pace::WritePace,
    },
};

/// Added to a body's time limit here: the handler that reads the body has the same limit, and answers 408 first.
const BODY_GRACE: Duration = Duration::from_secs(1);

/// The size of one read, and how much the framework gets before it has to process it, in bytes: what its buffer of 8
/// KiB takes without growing. A request keeps the buffer of its head, and its connection another one while the body
/// arrives.
pub(super) const READ_SIZE: usize = 7 << 10;

/// The framework enlarges its buffer when the room in it is smaller, in bytes.
const LEAST_ROOM: usize = 1 << 10;

/// Buffer capacity that is kept between two requests, in bytes.
const KEPT_CAPACITY: usize = 2 << 10;

/// How many bytes are read while a response is pending: enough to notice that the client has closed the connection.
const READ_AHEAD: usize = 2 * READ_SIZE;

/// The only interim response. The framework writes it for a request with `Expect: 100-continue`.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A stream that the framework reads instead of the socket.
pub(crate) struct GuardedStream<S> {
    stream: S,
    limits: ConnectionLimits,
    framer: RequestFramer,
    state: ConnectionState,
    slot: SlotLease,
    /// Input that is not framed yet: requests that wait for the response to the one before.
    unframed: Vec<u8>,
    /// Framed input for the framework, which has taken the first `taken` bytes.
    framed: Vec<u8>,
    taken: usize,
    /// The bytes that the framework has taken since it last had to wait.
    taken_at_once: usize,
    /// Whether a response is partly written.
    is_responding: bool,
    /// The number of responses that are completely written.
    responses: u64,
    /// The number of responses after which the other connections had their turn.
    yielded_after: u64,
    /// The framework's reading task, while it waits for a response to be written.
    reader: Option<Waker>,
    /// The time limit of a request's phase, another one once the server stops. The number identifies the request.
    arrival: TimeLimit<(u64, Phase, bool)>,
    /// The pace of the client, once it did not take all of a response at once.
    pace: Option<WritePace>,
    linger: Option<Pin<Box<Sleep>>>,
    is_closed_by_client: bool,
    is_stopping: Arc<AtomicBool>,
}

impl<S: ClientSocket> GuardedStream<S> {
    /// Guards a new connection. Its first response is a 503 if it has no `slot`. `is_stopping` is set when the server
    /// stops; the framework wakes the connections then.
    pub(crate) fn new(
        stream: S,
        limits: ConnectionLimits,
        slot: Option<SlotGuard>,
        is_stopping: Arc<AtomicBool>,
    ) -> GuardedStream<S> {
        let slot = SlotLease::new(slot);
        let is_refused = slot.is_refused();
        let mut guarded = GuardedStream {
            stream,
            limits,
            framer: RequestFramer::new(router::max_body_bytes),
            state: ConnectionState::new(slot.is_for_health().then_some(health::PATH), slot.key_mark()),
            slot,
            unframed: Vec::new(),
            framed: Vec::new(),
            taken: 0,
            taken_at_once: 0,
            is_responding: false,
            responses: 0,
            yielded_after: 0,
            reader: None,
            arrival: TimeLimit::default(),
            pace: None,
            linger: None,
            is_closed_by_client: false,
            is_stopping,
        };
        if is_refused {
            guarded.refuse(Refusal::TooManyConnections);
        }
        guarded
    }

    /// What the connection's requests can know of it.
    pub(crate) fn state(&self) -> ConnectionState {
        self.state.clone()
    }

    /// Ends the connection with a response that states the reason.
    fn refuse(&mut self, refusal: Refusal) {
        self.state.refuse(refusal);
        self.framer.reject(&mut self.framed);
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

    /// How many bytes the framework may take now if its buffer has this much room.
    fn permitted(&self, room: usize) -> usize {
        match room.saturating_sub(LEAST_ROOM) {
            // One byte makes the framework clear its buffer, or replace it if the request keeps it.
            0 if self.taken_at_once == 0 => room.min(1),
            free => free.min(READ_SIZE.saturating_sub(self.taken_at_once)),
        }
    }

    /// Whether a complete request has no complete response yet, so that the next request has to
    /// wait.
    fn is_response_pending(&self) -> bool {
        self.responses < self.framer.requests() && self.framer.phase() == Phase::Idle
    }

    /// Frames the input up to the end of one request at most.
    fn frame(&mut self) {
        let before = (self.framer.requests(), self.framer.phase());
        let rest = self.framer.push(&self.unframed, &mut self.framed).len();
        self.unframed.drain(..self.unframed.len() - rest);
        self.unframed.shrink_to(KEPT_CAPACITY);
        self.take_error();
        if self.framer.phase() == Phase::Discarding {
            self.state.cut_body();
        }
        if before != (self.framer.requests(), self.framer.phase()) {
            self.update_slot();
        }
    }

    fn take_error(&self) {
        if let Some(error) = self.framer.error() {
            self.state.refuse(error.into());
        }
    }

    /// Lets the others know whether this connection waits for its client to send.
    fn update_slot(&self) {
        self.slot.set_waiting(self.is_waiting());
    }

    /// Whether the server waits for the client to send.
    fn is_waiting(&self) -> bool {
        match self.framer.phase() {
            Phase::Idle => !self.is_response_pending() && self.unframed.is_empty(),
            Phase::Head | Phase::Body => true,
            Phase::Rejected | Phase::Discarding | Phase::Broken => false,
        }
    }

    /// Ends the connection if its slot is needed and no input is there. `cx` is woken when it is. Returns whether it
    /// did.
    fn leaves(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.is_waiting() || !self.slot.leaves(cx) {
            return false;
        }
        match self.framer.phase() {
            Phase::Idle => self.framer.break_off(),
            Phase::Head => self.refuse(Refusal::TooManyConnections),
            _ => {
                // The reader of the body answers with the reason, if there is one.
                self.state.refuse(Refusal::TooManyConnections);
                self.framer.break_off();
            }
        }
        true
    }

    /// Counts a response when its last byte is written: the write that empties the framework's buffer
    /// after the framework has taken all parts of the body (see [`crate::server::http1`]).
    fn count_written(&mut self, cx: &mut Context<'_>, buffer: &[u8], written: usize) {
        self.is_responding |= !CONTINUE.ends_with(buffer);
        if let Some(pace) = &mut self.pace {
            pace.add(written);
        }
        if !self.is_responding || written < buffer.len() || self.state.is_sending() {
            return;
        }
        self.is_responding = false;
        self.responses = self.framer.requests();
        self.pace = None;
        self.state.end_response();
        self.update_slot();
        let is_last = self.framer.phase() == Phase::Discarding || self.is_closed_by_client;
        // A connection that has to leave closes now, and not when its next request arrives.
        if (is_last || self.slot.is_needed(cx) || !self.unframed.is_empty())
            && let Some(reader) = self.reader.take()
        {
            reader.wake();
        }
        // The framework need not read again before more input arrives, so the time limit for that
        // starts here. Nothing is late yet.
        let _ = self.poll_arrival_timeout(cx);
    }

    /// Ready when the client does not read its response fast enough.
    fn poll_too_slow(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (state, slot) = (&self.state, &self.slot);
        let is_scarce = || state.is_crowded() || slot.is_scarce();
        let (window, least) = self.limits.pace(self.is_stopping());
        self.pace.take_if(|pace| pace.window() != window);
        let new = || WritePace::new(window, least);
        let is_too_slow = self.pace.get_or_insert_with(new).poll_too_slow(cx, is_scarce);
        if is_too_slow.is_ready() {
            self.slot.count_too_slow();
        }
        is_too_slow
    }

    /// Ready when the current phase of the request has exceeded its time limit.
    fn poll_arrival_timeout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (phase, is_stopping) = (self.framer.phase(), self.is_stopping());
        let limit = match phase {
            Phase::Idle if self.is_response_pending() => None,
            Phase::Idle if self.framer.requests() > 0 => Some(self.limits.idle_time(self.slot.is_keyed())),
            Phase::Idle | Phase::Head => Some(self.limits.head),
            Phase::Body if is_stopping => Some(self.limits.stop_window),
            Phase::Body => Some(self.limits.body + BODY_GRACE),
            Phase::Rejected | Phase::Discarding | Phase::Broken => None,
        };
        self.arrival
            .poll(cx, (self.framer.requests(), phase, is_stopping), limit)
    }

    fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Hands bytes that are framed over to the framework; `None` if there are none.
    fn poll_framed(&mut self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Option<Poll<io::Result<()>>> {
        let framed = self.framed.get(self.taken..).unwrap_or_default();
        if framed.is_empty() {
            self.framed.clear();
            self.framed.shrink_to(KEPT_CAPACITY);
            self.taken = 0;
            return None;
        }
        let permitted = self.permitted(buffer.remaining());
        if permitted == 0 {
            return Some(self.yield_turn(cx));
        }
        let framed = framed.get(..permitted).unwrap_or(framed);
        buffer.put_slice(framed);
        self.taken += framed.len();
        self.taken_at_once += framed.len();
        Some(Poll::Ready(Ok(())))
    }

    /// Frames what was read ahead. Pending while the framework, or another connection, has its turn first.
    fn frame_next(&mut self) -> Poll<()> {
        if self.yielded_after < self.responses {
            // Decision D-251: the request was sent ahead, so the others have their turn first.
            self.yielded_after = self.responses;
            if !self.slot.leaves_between_requests() {
                return Poll::Pending;
            }
            self.framer.break_off();
        } else if self.framer.phase() == Phase::Body && self.taken_at_once > 0 {
            // Decision D-158: the framework queues each piece of a body, so the last one is passed on first.
            return Poll::Pending;
        } else {
            self.frame();
        }
        Poll::Ready(())
    }

    /// Makes the framework process what it has, and lets the other connections have their turn.
    fn yield_turn(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.taken_at_once = 0;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<S: ClientSocket> AsyncRead for GuardedStream<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if let Some(handed_over) = this.poll_framed(cx, buffer) {
                return handed_over;
            }
            match this.framer.phase() {
                // The response to the substitute request closes the connection.
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
                if this.frame_next().is_pending() {
                    return this.yield_turn(cx);
                }
                continue;
            }
            match this.poll_fill(cx) {
                Poll::Ready(Ok(true)) if this.framer.phase() == Phase::Discarding => {
                    this.unframed.clear();
                    // One read per poll, so that a client that never stops sending does not block
                    // the others.
                    return this.yield_turn(cx);
                }
                Poll::Ready(Ok(true)) => {}
                // What the framework has got may begin a response.
                Poll::Ready(Ok(false)) if this.taken_at_once > 0 => return this.yield_turn(cx),
                // A client that only says that it sends nothing more gets the rest of its response.
                Poll::Ready(Ok(false)) if this.is_responding => {
                    this.reader = Some(cx.waker().clone());
                    return Poll::Pending;
                }
                Poll::Ready(end) => return Poll::Ready(end.map(drop)),
                Poll::Pending if this.leaves(cx) => {}
                Poll::Pending => {
                    this.taken_at_once = 0;
                    std::task::ready!(this.poll_arrival_timeout(cx));
                    if this.is_stopping() {
                        // As in `leaves`.
                        this.state.refuse(Refusal::Stopping);
                    }
                    this.framer.time_out(&mut this.framed);
                    this.take_error();
                }
            }
        }
    }
}
