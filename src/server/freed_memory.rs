//! Gives the memory of connections that have ended back to the system.
//!
//! The allocator of glibc keeps freed memory below the last block in use: after 4,096 hostile connections had ended, 280
//! of 300 MiB stayed with the process, so the next attack could reach the limit of its memory. Decision D-250.

use std::{sync::Arc, time::Duration};

use crate::{
    http::metrics::Metrics,
    server::{places::Places, worker::PeriodicWorker},
};

/// How often the number of connections is compared.
const INTERVAL: Duration = Duration::from_secs(5);

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

pub(crate) fn start(places: Arc<Places>, metrics: &Metrics) -> anyhow::Result<PeriodicWorker> {
    let mut peak = Peak::default();
    let step = move || {
        if peak.has_ended(places.open()) {
            give_back();
        }
        true
    };
    PeriodicWorker::start("freed memory", INTERVAL, metrics, step)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "the standard library cannot ask the allocator to return memory"
)]
fn give_back() {
    // SAFETY: the function takes a number, may be called from any thread at any time, and frees only what is not in use.
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
}
