//! Gives freed memory back to the system: that of connections that have ended, and that which opening a generation
//! took. If much is in use nevertheless, clients that keep the server waiting have to leave (decision D-265).
//!
//! The allocator of glibc keeps freed memory below the last block in use: after 4,096 hostile connections had ended,
//! 280 of 300 MiB stayed with the process, and 115 of 175 MiB after two million records were opened. So the next attack
//! could reach the limit of its memory. Decision D-250.

use std::{sync::Arc, time::Duration};

use crate::{
    http::call::AppState,
    server::{connection_slots::ConnectionSlots, metrics::anonymous_memory_bytes, worker::PeriodicWorker},
};

/// How often the number of connections, the generation and the memory are compared. In this time, two cores and a fast
/// network fill some ten megabytes.
const INTERVAL: Duration = Duration::from_millis(100);

/// The anonymous memory from which freed memory is given back, although no connections have ended. The server may use
/// 512 MiB.
const MUCH_BYTES: i64 = 384 << 20;

/// How much the memory has to grow until it is worth giving some back again.
const GROWTH_BYTES: i64 = 16 << 20;

/// The anonymous memory from which it is short, and what connections may take of it at least, where an index of more
/// than two million records takes much itself.
const SHORT_BYTES: i64 = 416 << 20;
const CONNECTIONS_BYTES: i64 = 256 << 20;

/// Fewer connections leave too little memory to be worth the pause of the allocator, some milliseconds.
const MANY: usize = 256;

/// The largest number of connections since memory was last given back.
#[derive(Default)]
struct Peak(usize);

impl Peak {
    /// Whether half of the connections have ended since the peak. Then a new peak begins.
    fn has_ended(&mut self, open: usize) -> bool {
        self.0 = self.0.max(open);
        let has_ended = self.0 >= MANY && open <= self.0 / 2;
        if has_ended {
            self.0 = open;
        }
        has_ended
    }
}

/// The anonymous memory after some was last given back, in bytes.
#[derive(Default)]
struct Used(i64);

impl Used {
    /// Whether the memory is much, and has grown since.
    fn is_much(&self, bytes: i64) -> bool {
        bytes >= MUCH_BYTES.max(self.0.saturating_add(GROWTH_BYTES))
    }
}

/// The least memory since the served generation was opened: what is used without clients.
struct Least(i64);

impl Least {
    /// Whether the memory is short.
    fn is_short(&mut self, bytes: i64) -> bool {
        self.0 = self.0.min(bytes);
        bytes >= SHORT_BYTES.max(self.0.saturating_add(CONNECTIONS_BYTES))
    }
}

/// The generation that was served when memory was last given back.
#[derive(Default)]
struct Served(Option<String>);

impl Served {
    /// Whether another generation is served now. The one before takes no memory any longer, but for the requests that
    /// use it.
    fn has_changed(&mut self, generation: Option<&str>) -> bool {
        let has_changed = self.0.as_deref() != generation;
        if has_changed {
            self.0 = generation.map(str::to_owned);
        }
        has_changed
    }
}

pub(crate) fn start(state: Arc<AppState>, slots: Arc<ConnectionSlots>) -> anyhow::Result<PeriodicWorker> {
    let (mut peak, mut served, mut used) = (Peak::default(), Served::default(), Used::default());
    let mut least = Least(i64::MAX);
    let metrics = state.metrics.clone();
    let step = move || {
        let generation = state.generation.load_full();
        // Both are asked, because both remember.
        let (has_ended, has_changed) = (
            peak.has_ended(slots.open()),
            served.has_changed(generation.as_deref().map(|generation| generation.id.as_str())),
        );
        let mut bytes = anonymous_memory_bytes().unwrap_or(0);
        if has_ended || has_changed || used.is_much(bytes) {
            give_back();
            bytes = anonymous_memory_bytes().unwrap_or(0);
            used = Used(bytes);
        }
        if has_changed {
            least = Least(i64::MAX);
        }
        let is_short = least.is_short(bytes);
        slots.set_memory_short(is_short);
        state.request_bytes.set_short(is_short);
        state.response_bytes.set_short(is_short);
        true
    };
    PeriodicWorker::start("memory", INTERVAL, &metrics, step)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "the standard library cannot ask the allocator to return memory"
)]
fn give_back() {
    // SAFETY: the function takes a number, may be called from any thread at any time, and frees only what is not in
    // use.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators return memory by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_back_once_after_half_of_many_connections_have_ended() {
        let mut peak = Peak::default();
        for (open, has_ended) in [
            (200, false),
            (10, false),
            (1_000, false),
            (501, false),
            (500, true),
            (499, false),
            (250, true),
            (100, false),
            (0, false),
        ] {
            assert_eq!(peak.has_ended(open), has_ended, "{open}");
        }
    }

    #[test]
    fn memory_is_given_back_when_it_is_much_and_has_grown() {
        let used = Used::default();
        assert!(!used.is_much(MUCH_BYTES - 1) && used.is_much(MUCH_BYTES));
        let used = Used(MUCH_BYTES);
        assert!(!used.is_much(MUCH_BYTES + GROWTH_BYTES - 1) && used.is_much(MUCH_BYTES + GROWTH_BYTES));
        // What was given back counts from there.
        assert!(!Used(100 << 20).is_much(300 << 20));
    }

    #[test]
    fn memory_is_short_when_connections_take_much_of_it() {
        const MB: i64 = 1 << 20;
        let mut least = Least(i64::MAX);
        for (megabytes, is_short) in [(450, false), (60, false), (415, false), (416, true), (300, false)] {
            assert_eq!(least.is_short(megabytes * MB), is_short, "{megabytes}");
        }
        // A large index takes more than that without any client.
        let mut least = Least(i64::MAX);
        for (megabytes, is_short) in [(900, false), (1_155, false), (1_156, true), (901, false)] {
            assert_eq!(least.is_short(megabytes * MB), is_short, "{megabytes}");
        }
    }

    #[test]
    fn memory_is_given_back_once_for_each_generation() {
        let mut served = Served::default();
        let changes = [None, Some("a"), Some("a"), Some("b"), None, Some("b")].map(|id| served.has_changed(id));
        assert_eq!(changes, [false, true, false, true, true, true]);
    }
}
