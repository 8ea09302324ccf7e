//! The hold of one connection on its slot: when it keeps the server waiting, and when it has to leave.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Context,
    time::Duration,
};

use tokio::time::{Sleep, sleep};

use crate::server::connection_slots::SlotGuard;

/// How long a client may still send after the server needs its slot. Its request may be on its way: while slow clients
/// with keys hold all other slots, a health check would be the first to leave.
const NOTICE: Duration = Duration::from_millis(100);

pub(crate) struct SlotLease {
    /// `None` if all slots are taken.
    guard: Option<SlotGuard>,
    /// Whether the client has no key and does not read its response at the moment.
    is_unread: bool,
    /// Runs once the server needs the slot.
    notice: Option<Pin<Box<Sleep>>>,
    is_evicted: bool,
}

impl SlotLease {
    pub(crate) fn new(guard: Option<SlotGuard>) -> SlotLease {
        SlotLease {
            guard,
            is_unread: false,
            notice: None,
            is_evicted: false,
        }
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.guard.is_none()
    }

    pub(crate) fn is_for_health(&self) -> bool {
        self.guard.as_ref().is_some_and(SlotGuard::is_for_health)
    }

    /// To be set when a request with a valid key arrives.
    pub(crate) fn key_mark(&self) -> Arc<AtomicBool> {
        let mark = self.guard.as_ref().map(|guard| Arc::clone(guard.is_keyed()));
        mark.unwrap_or_default()
    }

    pub(crate) fn is_keyed(&self) -> bool {
        let is_keyed = |guard: &SlotGuard| guard.is_keyed().load(Ordering::Relaxed);
        self.guard.as_ref().is_some_and(is_keyed)
    }

    /// Whether the server closes the connection because slots are scarce.
    pub(crate) fn is_evicted(&self) -> bool {
        self.is_evicted
    }

    pub(crate) fn is_scarce(&self) -> bool {
        self.guard.as_ref().is_some_and(|guard| guard.slots().is_scarce())
    }

    /// Lets the others know whether the server waits for the client to send.
    pub(crate) fn set_waiting(&self, is_waiting: bool) {
        if let Some(guard) = &self.guard {
            guard.set_waiting(is_waiting);
        }
    }

    /// Whether the slot is needed. The task is woken when it is.
    pub(crate) fn is_needed(&self, cx: &Context<'_>) -> bool {
        self.guard.as_ref().is_some_and(|guard| guard.has_to_leave(cx.waker()))
    }

    /// Whether the connection has to leave now, after its notice, while the server waits for it to send.
    pub(crate) fn leaves(&mut self, cx: &mut Context<'_>) -> bool {
        if self.is_evicted || !self.is_needed(cx) {
            return false;
        }
        let notice = self.notice.get_or_insert_with(|| Box::pin(sleep(NOTICE)));
        self.is_evicted = notice.as_mut().poll(cx).is_ready();
        self.is_evicted
    }

    /// Whether the connection has to leave between two requests, of which the second was sent ahead: it has no key, and
    /// slots are scarce.
    pub(crate) fn leaves_between_requests(&mut self) -> bool {
        let guard = self
            .guard
            .as_ref()
            .filter(|guard| !guard.is_keyed().load(Ordering::Relaxed));
        if let Some(slots) = guard.map(SlotGuard::slots).filter(|slots| slots.is_scarce()) {
            slots.counts.evicted.fetch_add(1, Ordering::Relaxed);
            self.is_evicted = true;
        }
        self.is_evicted
    }

    /// Whether a client that does not read its response has to leave: it has no key, and its slot is needed. The task
    /// is woken when it is.
    pub(crate) fn leaves_unread(&mut self, cx: &Context<'_>) -> bool {
        if self.is_keyed() {
            return false;
        }
        if !std::mem::replace(&mut self.is_unread, true) {
            self.set_waiting(true);
        }
        self.is_needed(cx)
    }

    /// States that the client reads again. Returns whether it did not before.
    pub(crate) fn end_unread(&mut self) -> bool {
        std::mem::take(&mut self.is_unread)
    }

    pub(crate) fn count_too_slow(&self) {
        if let Some(guard) = &self.guard {
            guard.slots().counts.too_slow.fetch_add(1, Ordering::Relaxed);
        }
    }
}
