//! The slots for connections to the public address: who gets one, and who has to leave when they become scarce.
//!
//! Decision D-160: when more than three quarters of the slots are taken, a new connection makes the server close those
//! that have kept it waiting longest, first those that never sent a valid key. A client keeps the server waiting while
//! it has not sent its request, and without a key also while it does not read its response, or has sent further
//! requests ahead. Every other connection whose request is being answered keeps its slot. Decision D-265: while memory
//! is short, such connections are closed without a new one.
//!
//! A few more slots are reserved for `GET /health` from the server's own machine, so that a health
//! check is answered while all others are taken.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::Waker,
    time::{Duration, Instant},
};

/// The number of slots for health checks.
const HEALTH_SLOTS: usize = 16;

/// When slots are scarce, one of this many is evicted. So only few new connections pay for the search.
const CLEARED_ONE_OF: usize = 64;

/// How long the server has waited at least for a client that has to leave, if it has a key or memory is short: not one
/// that is about to send its request.
const LEAST_WAIT: Duration = Duration::from_secs(1);

/// All slots. The listener and each connection share them.
pub(crate) struct ConnectionSlots {
    started: Instant,
    /// Whether the memory of the process is short.
    is_memory_short: AtomicBool,
    all: Arc<Mutex<SlotPool>>,
    for_health: Arc<Mutex<SlotPool>>,
    pub(crate) counts: Counts,
}

/// Connections since the start of the process.
#[derive(Default)]
pub(crate) struct Counts {
    /// Refused because all slots were taken.
    pub(crate) refused: AtomicU64,
    /// Closed because slots were scarce.
    pub(crate) evicted: AtomicU64,
    /// Closed because the client did not read a response fast enough.
    pub(crate) too_slow: AtomicU64,
}

/// A number of slots.
struct SlotPool {
    limit: usize,
    taken: HashMap<u64, Arc<Slot>>,
    next_id: u64,
    /// The number of taken slots whose connections have to close and have not done so yet.
    leaving: usize,
}

/// What others see of a connection.
#[derive(Default)]
struct Slot {
    /// Whether a request with a valid key arrived.
    is_keyed: Arc<AtomicBool>,
    /// Since when the server waits for the client to send, or to read, in microseconds after
    /// [`ConnectionSlots::started`]. 0 while it does not wait.
    waits_since: AtomicU64,
    has_to_leave: AtomicBool,
    /// The task of the connection.
    task: Mutex<Option<Waker>>,
}

/// The slot of one connection. It is free again when this is dropped.
pub(crate) struct SlotGuard {
    slots: Arc<ConnectionSlots>,
    pool: Arc<Mutex<SlotPool>>,
    slot: Arc<Slot>,
    id: u64,
    is_for_health: bool,
}

impl ConnectionSlots {
    pub(crate) fn new(limit: usize) -> ConnectionSlots {
        ConnectionSlots {
            started: Instant::now(),
            is_memory_short: AtomicBool::new(false),
            all: SlotPool::shared(limit),
            for_health: SlotPool::shared(HEALTH_SLOTS),
            counts: Counts::default(),
        }
    }

    /// Takes a slot for a new connection; `None` if all are taken. `is_local` states whether the client runs on the
    /// server's own machine.
    pub(crate) fn take(self: &Arc<Self>, is_local: bool) -> Option<SlotGuard> {
        let mut guard = self.guard(&self.all, false);
        if guard.is_none() && is_local {
            guard = self.guard(&self.for_health, true);
        }
        if guard.is_none() {
            self.counts.refused.fetch_add(1, Ordering::Relaxed);
        }
        guard
    }

    /// The number of slots that are taken.
    pub(crate) fn open(&self) -> usize {
        lock(&self.all).taken.len()
    }

    pub(crate) fn limit(&self) -> usize {
        lock(&self.all).limit
    }

    /// How many connections the server accepts at the same time, in all. More than there are slots: one without a
    /// slot gets a 503, and one that has to leave needs a moment.
    pub(crate) fn accepted(&self) -> usize {
        self.limit().saturating_add(2 * HEALTH_SLOTS).saturating_mul(2)
    }

    /// Whether so many slots are taken, or memory is so short, that clients which keep the server waiting have to
    /// leave.
    pub(crate) fn is_scarce(&self) -> bool {
        self.is_memory_short.load(Ordering::Relaxed) || lock(&self.all).is_scarce()
    }

    /// States whether the memory of the process is short. While it is, each call closes some connections that keep the
    /// server waiting.
    pub(crate) fn set_memory_short(&self, is_short: bool) {
        self.is_memory_short.store(is_short, Ordering::Relaxed);
        if is_short {
            self.evict(&mut lock(&self.all), true);
        }
    }

    fn evict(&self, pool: &mut SlotPool, spares_new: bool) {
        let evicted = pool.evict(self.microseconds(), spares_new);
        self.counts.evicted.fetch_add(evicted, Ordering::Relaxed);
    }

    /// Since [`ConnectionSlots::started`].
    fn microseconds(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn guard(self: &Arc<Self>, pool: &Arc<Mutex<SlotPool>>, is_for_health: bool) -> Option<SlotGuard> {
        let (slot, id) = {
            let mut pool = lock(pool);
            if pool.is_scarce() {
                self.evict(&mut pool, false);
            }
            pool.take()?
        };
        let guard = SlotGuard {
            slots: Arc::clone(self),
            pool: Arc::clone(pool),
            slot,
            id,
            is_for_health,
        };
        guard.set_waiting(true);
        Some(guard)
    }
}

impl SlotPool {
    fn shared(limit: usize) -> Arc<Mutex<SlotPool>> {
        Arc::new(Mutex::new(SlotPool {
            limit,
            taken: HashMap::new(),
            next_id: 0,
            leaving: 0,
        }))
    }

    /// The number of connections that stay.
    fn staying(&self) -> usize {
        self.taken.len() - self.leaving
    }

    /// Whether one connection more would be beyond three quarters of the slots.
    fn is_scarce(&self) -> bool {
        (self.staying() + 1) * 4 > self.limit * 3
    }

    fn take(&mut self) -> Option<(Arc<Slot>, u64)> {
        if self.staying() >= self.limit {
            return None;
        }
        let (slot, id) = (Arc::new(Slot::default()), self.next_id);
        self.next_id += 1;
        self.taken.insert(id, Arc::clone(&slot));
        Some((slot, id))
    }

    /// Makes those connections leave that have kept the server waiting longest. `spares_new` states whether clients
    /// without a key have [`LEAST_WAIT`], too. Returns how many.
    fn evict(&mut self, now: u64, spares_new: bool) -> u64 {
        let slots = self.taken.values();
        let mut waiting: Vec<_> = slots.filter_map(|slot| slot.waiting(now, spares_new)).collect();
        let count = (self.limit / CLEARED_ONE_OF).max(1).min(waiting.len());
        if count < waiting.len() {
            waiting.select_nth_unstable_by_key(count, |(order, _)| *order);
        }
        for (_, slot) in waiting.iter().take(count) {
            slot.has_to_leave.store(true, Ordering::Release);
            if let Some(task) = lock(&slot.task).take() {
                task.wake();
            }
        }
        self.leaving += count;
        count as u64
    }
}

impl Slot {
    /// If the connection can be told to leave: whether a key is known, and since when the server waits.
    fn waiting(&self, now: u64, spares_new: bool) -> Option<((bool, u64), &Slot)> {
        let since = self.waits_since.load(Ordering::Relaxed);
        let is_keyed = self.is_keyed.load(Ordering::Relaxed);
        let is_new = u128::from(now.saturating_sub(since)) < LEAST_WAIT.as_micros();
        let is_active = (is_keyed || spares_new) && is_new;
        let can_leave = since > 0 && !is_active && !self.has_to_leave.load(Ordering::Relaxed);
        can_leave.then_some(((is_keyed, since), self))
    }
}

impl SlotGuard {
    pub(crate) fn slots(&self) -> &ConnectionSlots {
        &self.slots
    }

    /// Whether the slot serves `GET /health` only.
    pub(crate) fn is_for_health(&self) -> bool {
        self.is_for_health
    }

    /// To be set when a request with a valid key arrives.
    pub(crate) fn is_keyed(&self) -> &Arc<AtomicBool> {
        &self.slot.is_keyed
    }

    /// States whether the server waits from now on for the client.
    pub(crate) fn set_waiting(&self, is_waiting: bool) {
        let since = if is_waiting {
            self.slots.microseconds().max(1)
        } else {
            0
        };
        self.slot.waits_since.store(since, Ordering::Relaxed);
    }

    /// Whether the connection has to close. `task` is woken when it has to.
    pub(crate) fn has_to_leave(&self, task: &Waker) -> bool {
        let mut known = lock(&self.slot.task);
        if known.as_ref().is_none_or(|known| !known.will_wake(task)) {
            *known = Some(task.clone());
        }
        drop(known);
        self.slot.has_to_leave.load(Ordering::Acquire)
    }
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        let mut pool = lock(&self.pool);
        pool.taken.remove(&self.id);
        // Set under the same lock.
        if self.slot.has_to_leave.load(Ordering::Acquire) {
            pool.leaving -= 1;
        }
    }
}

/// A panic while one of these locks is held leaves nothing half-written that matters.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_to_leave(guard: &SlotGuard) -> bool {
        guard.has_to_leave(Waker::noop())
    }

    fn wait_since(guard: &SlotGuard, microseconds: u64) {
        guard.slot.waits_since.store(microseconds, Ordering::Relaxed);
    }

    /// ConnectionSlots of a server that was started a minute ago.
    fn slots(limit: usize) -> Arc<ConnectionSlots> {
        let mut slots = ConnectionSlots::new(limit);
        slots.started = Instant::now().checked_sub(Duration::from_secs(60)).unwrap();
        Arc::new(slots)
    }

    #[test]
    fn the_longest_waiting_client_without_a_key_leaves_first() {
        let slots = slots(8);
        let mut guards: Vec<SlotGuard> = (0..6).map(|_| slots.take(false).unwrap()).collect();
        assert!(!guards.iter().any(has_to_leave));
        for (guard, (since, is_keyed)) in
            guards
                .iter()
                .zip([(1, true), (0, false), (5, false), (3, false), (4, true), (2, true)])
        {
            wait_since(guard, since);
            guard.is_keyed().store(is_keyed, Ordering::Relaxed);
        }
        // The slots of the four that wait, in their order; the new connections are busy.
        for leaves in [3, 2, 0, 5, 4] {
            let guard = slots.take(false).unwrap();
            guard.set_waiting(false);
            guards.push(guard);
            let leaving: Vec<usize> = (0..guards.len()).filter(|at| has_to_leave(&guards[*at])).collect();
            assert!(leaving.contains(&leaves), "{leaves} of {leaving:?}");
        }
        assert_eq!(slots.counts.evicted.load(Ordering::Relaxed), 5);
        // Six are busy now: two more get the last slots, and no other one.
        for _ in 0..2 {
            let guard = slots.take(false).unwrap();
            guard.set_waiting(false);
            guards.push(guard);
        }
        assert!(slots.take(false).is_none());
        assert_eq!(slots.counts.refused.load(Ordering::Relaxed), 1);
        assert_eq!((slots.open(), lock(&slots.all).leaving), (13, 5));
        drop(guards);
        assert_eq!((slots.open(), lock(&slots.all).leaving), (0, 0));
    }

    #[test]
    fn clients_that_keep_the_server_waiting_leave_while_memory_is_short() {
        let slots = slots(64);
        let guards: Vec<SlotGuard> = (0..3).map(|_| slots.take(false).unwrap()).collect();
        wait_since(&guards[0], 1);
        guards[1].set_waiting(false);
        slots.set_memory_short(false);
        assert!(!slots.is_scarce() && !guards.iter().any(has_to_leave));
        // The third one has just connected.
        for expected in [[true, false, false], [true, false, false]] {
            slots.set_memory_short(true);
            assert!(slots.is_scarce());
            let leaving: Vec<bool> = guards.iter().map(has_to_leave).collect();
            assert_eq!(leaving, expected);
        }
    }

    #[test]
    fn a_client_with_a_key_that_has_just_been_answered_stays() {
        let slots = slots(4);
        let guards: Vec<SlotGuard> = (0..3).map(|_| slots.take(false).unwrap()).collect();
        guards
            .iter()
            .for_each(|guard| guard.is_keyed().store(true, Ordering::Relaxed));
        wait_since(&guards[1], 1);
        let _new = slots.take(false).unwrap();
        let leaving: Vec<bool> = guards.iter().map(has_to_leave).collect();
        assert_eq!(leaving, [false, true, false]);
    }

    #[test]
    fn a_health_check_of_the_same_machine_gets_a_reserved_place() {
        let slots = Arc::new(ConnectionSlots::new(1));
        let busy = slots.take(true).unwrap();
        busy.set_waiting(false);
        assert!(!busy.is_for_health() && slots.take(false).is_none());
        // Clients that take the reserved slots and send nothing have to leave.
        let checks: Vec<SlotGuard> = (0..100).map(|_| slots.take(true).unwrap()).collect();
        assert!(checks.iter().all(SlotGuard::is_for_health));
        assert_eq!(lock(&slots.for_health).staying(), 12);
        assert!(!has_to_leave(&busy));
    }
}
