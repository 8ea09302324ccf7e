//! One connection, between its socket and the framework: what is read goes through [`Framing`], and nothing is waited for for ever.
//!
//! The framework's own timer watches only the first head of a connection, and none watches a client that never reads its answer. Here
//! every request has a time to arrive in, every stalled answer a time to move in, and a close lets the client read what it was told:
//! closing a socket with unread bytes would reset it, and take the answer along.
//!
//! **Invariant:** the framework sees a request's head only when the answer to the one before is written. It would read ahead, and write an answer as the last
//! head it read asks for it (with a body or without, closing or not), not as its own does.

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
    http::refusal::Refusal,
    server::http1::framer::{Framing, Phase},
};

/// What a connection may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many may be open; one more is told to come back.
    pub most: usize,
    /// From a request's first byte to the end of its head, and from the connection to its first byte.
    pub head: Duration,
    /// From the end of a head to the end of its body.
    pub body: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// How long an answer may wait for the client to take the next part of it.
    pub stall: Duration,
}

/// Spec silent: patient with slow lines, not with clients that do nothing.
impl Default for Limits {
    fn default() -> Limits {
        Limits {
            most: 4096,
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(75),
            stall: Duration::from_secs(30),
        }
    }
}

/// How long a closed connection is read on, so that the client gets to its answer.
const LINGER: Duration = Duration::from_secs(1);

/// How much longer than its time a body is waited for: whoever reads it tells the client that it was too slow.
const GRACE: Duration = Duration::from_secs(1);

/// How much is read at once.
const CHUNK: usize = 8 << 10;

/// What a buffer keeps between two requests.
const KEPT: usize = 2 << 10;

/// How much is read ahead of the answer that the next request waits for: enough to notice a client that goes away meanwhile.
const READ_AHEAD: usize = 2 * CHUNK;

/// All that is written before an answer, where the client asked whether to send its body.
const INTERIM: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

type Timer = Pin<Box<Sleep>>;

pub struct Wire<S> {
    stream: S,
    limits: Limits,
    framing: Framing,
    /// Read from the socket and not looked at: of requests whose turn has not come.
    unread: Vec<u8>,
    /// Whether an answer is being written, and how many requests have theirs.
    is_answering: bool,
    answered: u64,
    /// Who waits for the next request's turn.
    reader: Option<Waker>,
    /// To be read by the framework, and not yet read: what is behind `taken`.
    ready: Vec<u8>,
    taken: usize,
    /// What is waited for, and until when.
    waiting: Option<((u64, Phase), Timer)>,
    stalled: Option<Timer>,
    lingering: Option<Timer>,
    has_ended: bool,
    _place: Place,
}

/// A place among the open connections, given back when dropped.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    /// A new connection, one more of those `open`.
    pub fn new(stream: S, limits: Limits, open: &Arc<AtomicUsize>) -> Wire<S> {
        let is_crowded = open.fetch_add(1, Ordering::Relaxed) >= limits.most;
        let mut wire = Wire {
            stream,
            limits,
            framing: Framing::default(),
            unread: Vec::new(),
            is_answering: false,
            answered: 0,
            reader: None,
            ready: Vec::new(),
            taken: 0,
            waiting: None,
            stalled: None,
            lingering: None,
            has_ended: false,
            _place: Place(Arc::clone(open)),
        };
        if is_crowded {
            wire.framing.refuse(Refusal::Crowded, &mut wire.ready);
        }
        wire
    }

    /// Reads what there is from the socket; whether there was something.
    fn fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let mut bytes = [MaybeUninit::uninit(); CHUNK];
        let mut buffer = ReadBuf::uninit(&mut bytes);
        std::task::ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
        self.has_ended = buffer.filled().is_empty();
        self.unread.extend_from_slice(buffer.filled());
        Poll::Ready(Ok(!self.has_ended))
    }

    /// Whether a request is whole and not answered yet, so that the next one has to wait.
    fn is_awaiting_answer(&self) -> bool {
        self.answered < self.framing.requests() && self.framing.phase() == Phase::Idle
    }

    /// Looks at what was read, as far as a request's end.
    fn look(&mut self) {
        let rest = self.framing.push(&self.unread, &mut self.ready).len();
        self.unread.drain(..self.unread.len() - rest);
        self.unread.shrink_to(KEPT);
    }

    /// Learns that of `bytes` so many were written. They are all there is to write: each body is one piece, encoded with its head.
    fn wrote(&mut self, bytes: &[u8], written: usize) {
        self.is_answering |= !INTERIM.ends_with(bytes);
        if self.is_answering && written == bytes.len() {
            self.is_answering = false;
            self.answered = self.framing.requests();
            let is_over = self.framing.phase() == Phase::Deaf;
            if let Some(reader) = self.reader.take().filter(|_| is_over || !self.unread.is_empty()) {
                reader.wake();
            }
        }
    }

    /// Ready when what is waited for took too long.
    fn poll_late(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let phase = self.framing.phase();
        let waits_for = (self.framing.requests(), phase);
        let time = match phase {
            Phase::Idle if self.framing.requests() > 0 => None,
            Phase::Idle | Phase::Head => Some(self.limits.head),
            Phase::Body => Some(self.limits.body + GRACE),
            Phase::Refused | Phase::Deaf | Phase::Ended => None,
        };
        let Some(time) = time else {
            self.waiting = None;
            return Poll::Pending;
        };
        match &mut self.waiting {
            Some((known, timer)) if *known == waits_for => timer.as_mut().poll(cx),
            waiting => {
                let (_, timer) = waiting.insert((waits_for, Box::pin(sleep(time))));
                timer.as_mut().poll(cx)
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Wire<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        loop {
            let ready = wire.ready.get(wire.taken..).unwrap_or_default();
            if !ready.is_empty() {
                let ready = ready.get(..buffer.remaining()).unwrap_or(ready);
                buffer.put_slice(ready);
                wire.taken += ready.len();
                return Poll::Ready(Ok(()));
            }
            wire.ready.clear();
            wire.ready.shrink_to(KEPT);
            wire.taken = 0;
            match wire.framing.phase() {
                // The answer closes the connection; nothing more is read for it.
                Phase::Refused => return Poll::Pending,
                Phase::Ended => return Poll::Ready(Ok(())),
                Phase::Deaf if wire.answered == wire.framing.requests() => return Poll::Ready(Ok(())),
                Phase::Deaf => wire.reader = Some(cx.waker().clone()),
                Phase::Idle | Phase::Head | Phase::Body => {}
            }
            if wire.is_awaiting_answer() {
                wire.reader = Some(cx.waker().clone());
                if wire.unread.len() >= READ_AHEAD {
                    return Poll::Pending;
                }
            } else if !wire.unread.is_empty() {
                wire.look();
                continue;
            }
            match wire.fill(cx) {
                Poll::Ready(Ok(true)) if wire.framing.phase() == Phase::Deaf => {
                    // One piece a turn, so that a client that never stops holds up nobody else.
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Poll::Ready(Ok(true)) => {}
                Poll::Ready(Ok(false)) => return Poll::Ready(Ok(())),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    std::task::ready!(wire.poll_late(cx));
                    wire.framing.expire(&mut wire.ready);
                }
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wire = self.get_mut();
        let written = Pin::new(&mut wire.stream).poll_write(cx, bytes);
        if written.is_ready() {
            wire.stalled = None;
            if let Poll::Ready(Ok(written)) = written {
                wire.wrote(bytes, written);
            }
            return written;
        }
        let timer = wire.stalled.get_or_insert_with(|| Box::pin(sleep(wire.limits.stall)));
        timer.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        if wire.lingering.is_none() {
            std::task::ready!(Pin::new(&mut wire.stream).poll_shutdown(cx))?;
        }
        let lingering = wire.lingering.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        let is_over = lingering.as_mut().poll(cx).is_ready();
        // Again one piece a turn.
        let mut bytes = [MaybeUninit::uninit(); CHUNK];
        let mut buffer = ReadBuf::uninit(&mut bytes);
        if is_over || wire.has_ended {
            return Poll::Ready(Ok(()));
        }
        match Pin::new(&mut wire.stream).poll_read(cx, &mut buffer) {
            Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            // The client closed its side too, or is gone.
            Poll::Ready(_) => Poll::Ready(Ok(())),
            Poll::Pending => Poll::Pending,
        }
    }
}
