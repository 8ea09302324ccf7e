//! Gives freed memory back to the system: that of connections that have ended, and that which opening a generation
//! took. If much is in use nevertheless, clients that keep the server waiting have to leave (decision D-265).
//!
//! The allocator of glibc keeps freed memory below the last block in use: after 4,096 hostile connections had ended,
//! 280 of 300 MiB stayed with the process, and 115 of 175 MiB after two million records were opened. So the next attack
//! could reach the limit of its memory. Decision D-250.

use std::{sync::Arc, time::Duration};

use crate::{
    http::call::AppState,
    server::{
        connection_limits::ConnectionLimits, connection_slots::ConnectionSlots, metrics::anonymous_memory_bytes,
        worker::PeriodicWorker,
    },
    storage::freed_memory::give_back,
};

/// How often the number of connections, the generation and the memory are compared. In this time, two cores and a fast
/// network fill some ten megabytes.
const INTERVAL: Duration = Duration::from_millis(100);

/// The anonymous memory from which freed memory is given back, although no connections have ended. The server may use
/// 512 MiB.
const MUCH_BYTES: i64 = 384 << 20;

/// The anonymous memory from which freed memory is given back once in [`STEPS_BETWEEN`] steps: counting ten million
/// records takes 100 MB for each request at a time, and the allocator kept 200 MB of that.
const SOME_BYTES: i64 = 64 << 20;

/// A second.
const STEPS_BETWEEN: u32 = 10;

/// How much the memory has to grow until it is worth giving some back again.
const GROWTH_BYTES: i64 = 16 << 20;

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

/// The anonymous memory after some was last given back.
#[derive(Default)]
struct Used {
    bytes: i64,
    /// The number of steps since.
    steps: u32,
}

impl Used {
    /// Whether the memory is worth giving some back: it has grown since, and is much, or some after a second.
    fn is_much(&mut self, bytes: i64) -> bool {
        self.steps = self.steps.saturating_add(1);
        let least = if self.steps < STEPS_BETWEEN {
            MUCH_BYTES
        } else {
            SOME_BYTES
        };
        bytes >= least.max(self.bytes.saturating_add(GROWTH_BYTES))
    }
}

/// The least memory since the served generation was opened with few connections: what is used without clients.
struct Least {
    bytes: i64,
    /// A generation was opened among many connections, whose memory is not its own.
    is_old: bool,
}

impl Least {
    fn new() -> Least {
        Least {
            bytes: i64::MAX,
            is_old: false,
        }
    }

    /// Whether the memory is short. `is_new` states whether a generation was opened, `open` is the number of
    /// connections.
    fn is_short(&mut self, limits: &ConnectionLimits, bytes: i64, is_new: bool, open: usize) -> bool {
        self.is_old |= is_new;
        if self.is_old && open < MANY {
            *self = Least::new();
        }
        self.bytes = self.bytes.min(bytes);
        let most = self.bytes.saturating_add(limits.memory_growth_bytes);
        bytes >= limits.memory_bytes.max(most)
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

pub(crate) fn start(
    state: Arc<AppState>,
    slots: Arc<ConnectionSlots>,
    limits: ConnectionLimits,
) -> anyhow::Result<PeriodicWorker> {
    let (mut peak, mut served, mut used) = (Peak::default(), Served::default(), Used::default());
    let (mut least, mut was_short) = (Least::new(), false);
    let metrics = state.metrics.clone();
    let step = move || {
        // Elsewhere than on Linux, or without a free file handle: nothing changes.
        let Some(mut bytes) = anonymous_memory_bytes() else {
            return true;
        };
        let generation = state.generation.load_full();
        // Both are asked, because both remember.
        let (has_ended, has_changed) = (
            peak.has_ended(slots.open()),
            served.has_changed(generation.as_deref().map(|generation| generation.id.as_str())),
        );
        if has_ended || has_changed || used.is_much(bytes) {
            give_back();
            bytes = anonymous_memory_bytes().unwrap_or(bytes);
            used = Used { bytes, steps: 0 };
        }
        let is_short = least.is_short(&limits, bytes, has_changed, slots.open());
        if is_short != was_short {
            let state = if is_short {
                "short: clients that keep the server waiting are closed"
            } else {
                "enough again"
            };
            log::warn!("memory is {state}; the process uses {} MiB", bytes >> 20);
            was_short = is_short;
        }
        slots.set_memory_short(is_short);
        state.request_bytes.set_short(is_short);
        state.response_bytes.set_short(is_short);
        true
    };
    PeriodicWorker::start("memory", INTERVAL, &metrics, step)
}

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
        let after = |bytes| Used { bytes, steps: 0 };
        let mut used = after(0);
        assert!(!used.is_much(MUCH_BYTES - 1) && used.is_much(MUCH_BYTES));
        let mut used = after(MUCH_BYTES);
        assert!(!used.is_much(MUCH_BYTES + GROWTH_BYTES - 1) && used.is_much(MUCH_BYTES + GROWTH_BYTES));
        // What was given back counts from there.
        assert!(!after(100 << 20).is_much(300 << 20));
        // Less is given back once a second.
        let mut used = after(SOME_BYTES);
        for step in 1..=2 * STEPS_BETWEEN {
            assert!(!used.is_much(SOME_BYTES + GROWTH_BYTES - 1), "{step}");
        }
        assert!(used.is_much(SOME_BYTES + GROWTH_BYTES));
        let mut used = after(0);
        let is_much: Vec<bool> = (0..STEPS_BETWEEN).map(|_| used.is_much(SOME_BYTES)).collect();
        assert_eq!(is_much.iter().position(|much| *much), Some(STEPS_BETWEEN as usize - 1));
    }

    #[test]
    fn memory_is_short_when_connections_take_much_of_it() {
        const MB: i64 = 1 << 20;
        let limits = ConnectionLimits::default();
        let check = |steps: &[(i64, bool, usize, bool)]| {
            let mut least = Least::new();
            for (megabytes, is_new, open, is_short) in steps {
                let found = least.is_short(&limits, megabytes * MB, *is_new, *open);
                assert_eq!(found, *is_short, "{megabytes} of {steps:?}");
            }
        };
        check(&[
            (450, true, 0, false),
            (60, false, 0, false),
            (415, false, 4_000, false),
            (416, false, 4_000, true),
        ]);
        // A large index takes more than that without any client.
        check(&[
            (900, true, 0, false),
            (1_155, false, 4_000, false),
            (1_156, false, 4_000, true),
        ]);
        // A generation that is opened among many connections does not make their memory its own.
        check(&[
            (60, true, 0, false),
            (410, true, 4_000, false),
            (500, false, 4_000, true),
        ]);
        // When they have ended, what is left is.
        check(&[
            (60, true, 0, false),
            (500, true, 4_000, true),
            (420, false, 200, false),
            (600, false, 300, false),
        ]);
    }

    #[test]
    fn memory_is_given_back_once_for_each_generation() {
        let mut served = Served::default();
        let changes = [None, Some("a"), Some("a"), Some("b"), None, Some("b")].map(|id| served.has_changed(id));
        assert_eq!(changes, [false, true, false, true, true, true]);
    }
}
