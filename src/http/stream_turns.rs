//! When the chunks of streams are begun, so that exports leave the machine to the requests of others.
//!
//! The work for a chunk is done on a thread of low priority, but the kernel and the clients take as much again to carry
//! it, and no priority bounds that. So while others ask, the streams share the beginnings of chunks (decision D-282).

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// The least time between the beginnings of two chunks, of whatever streams, while others ask.
const LEAST_GAP: Duration = Duration::from_millis(1);

/// The longest one. A chunk that waits for a disk delays no other stream for longer.
const LONGEST_GAP: Duration = Duration::from_millis(50);

/// The turns of all streams of a server.
#[derive(Clone, Default)]
pub(crate) struct StreamTurns(Arc<Turns>);

#[derive(Default)]
struct Turns {
    /// The number of requests for anything but streams.
    others: AtomicU64,
    /// When the next chunk may be begun. `None` before the first one that had to wait.
    free_at: Mutex<Option<Instant>>,
}

/// What a stream knows of the turns since its last chunk.
pub(crate) struct StreamTurn {
    turns: StreamTurns,
    /// The number of requests of others when its last chunk was begun.
    seen: u64,
    /// How long making its last chunk took.
    took: Duration,
}

impl StreamTurns {
    /// Counts a request for anything but a stream.
    pub(crate) fn count_other(&self) {
        self.0.others.fetch_add(1, Ordering::Relaxed);
    }

    /// The turn of a stream that begins.
    pub(crate) fn begin(&self) -> StreamTurn {
        StreamTurn {
            turns: self.clone(),
            seen: self.0.others.load(Ordering::Relaxed),
            took: Duration::ZERO,
        }
    }
}

impl StreamTurn {
    /// When the next chunk may be begun. `None`: at once, because no other request arrived since the last one, or
    /// because the turn is free.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Instant> {
        let others = self.turns.0.others.load(Ordering::Relaxed);
        if std::mem::replace(&mut self.seen, others) == others {
            return None;
        }
        let mut free_at = self.turns.0.free_at.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = free_at.map_or(now, |free_at| free_at.max(now));
        *free_at = Some(begin + self.took.clamp(LEAST_GAP, LONGEST_GAP));
        (begin > now).then_some(begin)
    }

    /// Records how long making a chunk took.
    pub(crate) fn made(&mut self, took: Duration) {
        self.took = took;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_all_streams_take_turns_while_others_ask() {
        let turns = StreamTurns::default();
        let (mut first, mut second) = (turns.begin(), turns.begin());
        let now = Instant::now();
        assert_eq!([first.next(now), second.next(now)], [None, None], "no other request");

        turns.count_other();
        assert_eq!(first.next(now), None, "the first turn is free");
        assert_eq!(second.next(now), Some(now + LEAST_GAP));
        assert_eq!(first.next(now), None, "no other request since its last chunk");

        turns.count_other();
        second.made(10 * LEAST_GAP);
        assert_eq!(second.next(now), Some(now + 2 * LEAST_GAP));
        assert_eq!(
            first.next(now),
            Some(now + 12 * LEAST_GAP),
            "after as long as the last chunk was made"
        );
        turns.count_other();
        let later = now + Duration::from_secs(1);
        assert_eq!(first.next(later), None, "unused turns are not saved");
    }
}
