//! The places for connections to the public address: who gets one, and who has to leave when they become scarce.
//!
//! Decision D-160: when more than three quarters of the places are taken, a new connection makes the server close those
//! that have kept it waiting longest, first those that never sent a valid key. A client keeps the server waiting while it
//! has not sent its request, and without a key also while it does not read its response, or has sent further requests
//! ahead. Every other connection whose request is being answered keeps its place.
//!
//! Decision D-161: a few more places are reserved for `GET /health` from the server's own machine, so that a health
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

/// The number of places for health checks.
const HEALTH_PLACES: usize = 16;

/// When places are scarce, one of this many is cleared. So only few new connections pay for the search.
const CLEARED_ONE_OF: usize = 64;

/// How long the server has waited at least for a client with a key that has to leave: not one that is about to send its
/// next request.
const KEYED_WAIT: Duration = Duration::from_secs(1);

/// All places. The listener and each connection share them.
pub(crate) struct Places {
    started: Instant,
    all: Arc<Mutex<Room>>,
    for_health: Arc<Mutex<Room>>,
    pub(crate) counts: Counts,
}

/// Connections since the start of the process.
#[derive(Default)]
pub(crate) struct Counts {
    /// Refused because all places were taken.
    pub(crate) refused: AtomicU64,
    /// Closed because places were scarce.
    pub(crate) evicted: AtomicU64,
    /// Closed because the client did not read a response fast enough.
    pub(crate) too_slow: AtomicU64,
}

/// A number of places.
struct Room {
    limit: usize,
    taken: HashMap<u64, Arc<Place>>,
    next_id: u64,
    /// The number of taken places whose connections have to close and have not done so yet.
    leaving: usize,
}

/// What others see of a connection.
#[derive(Default)]
struct Place {
    /// Whether a request with a valid key arrived.
    is_keyed: Arc<AtomicBool>,
    /// Since when the server waits for the client to send, or to read, in microseconds after [`Places::started`]. 0 while
    /// it does not wait.
    waits_since: AtomicU64,
    has_to_leave: AtomicBool,
    /// The task of the connection.
    task: Mutex<Option<Waker>>,
}

/// The place of one connection. It is free again when this is dropped.
pub(crate) struct Seat {
    places: Arc<Places>,
    room: Arc<Mutex<Room>>,
    place: Arc<Place>,
    id: u64,
    is_for_health: bool,
}

impl Places {
    pub(crate) fn new(limit: usize) -> Places {
        Places {
            started: Instant::now(),
            all: Room::shared(limit),
            for_health: Room::shared(HEALTH_PLACES),
            counts: Counts::default(),
        }
    }

    /// Takes a place for a new connection; `None` if all are taken. `is_local` states whether the client runs on the
    /// server's own machine.
    pub(crate) fn take(self: &Arc<Self>, is_local: bool) -> Option<Seat> {
        let mut seat = self.seat(&self.all, false);
        if seat.is_none() && is_local {
            seat = self.seat(&self.for_health, true);
        }
        if seat.is_none() {
            self.counts.refused.fetch_add(1, Ordering::Relaxed);
        }
        seat
    }

    /// The number of places that are taken.
    pub(crate) fn open(&self) -> usize {
        lock(&self.all).taken.len()
    }

    pub(crate) fn limit(&self) -> usize {
        lock(&self.all).limit
    }

    /// How many connections the server accepts at the same time, in all. More than there are places: one without a
    /// place gets a 503, and one that has to leave needs a moment.
    pub(crate) fn accepted(&self) -> usize {
        self.limit().saturating_add(2 * HEALTH_PLACES).saturating_mul(2)
    }

    /// Whether so many places are taken that clients which keep the server waiting have to leave.
    pub(crate) fn is_scarce(&self) -> bool {
        lock(&self.all).is_scarce()
    }

    /// Since [`Places::started`].
    fn microseconds(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn seat(self: &Arc<Self>, room: &Arc<Mutex<Room>>, is_for_health: bool) -> Option<Seat> {
        let (place, id) = {
            let mut room = lock(room);
            if room.is_scarce() {
                let evicted = room.clear(self.microseconds());
                self.counts.evicted.fetch_add(evicted, Ordering::Relaxed);
            }
            room.take()?
        };
        let seat = Seat {
            places: Arc::clone(self),
            room: Arc::clone(room),
            place,
            id,
            is_for_health,
        };
        seat.set_waiting(true);
        Some(seat)
    }
}

impl Room {
    fn shared(limit: usize) -> Arc<Mutex<Room>> {
        Arc::new(Mutex::new(Room {
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

    /// Whether one connection more would be beyond three quarters of the places.
    fn is_scarce(&self) -> bool {
        (self.staying() + 1) * 4 > self.limit * 3
    }

    fn take(&mut self) -> Option<(Arc<Place>, u64)> {
        if self.staying() >= self.limit {
            return None;
        }
        let (place, id) = (Arc::new(Place::default()), self.next_id);
        self.next_id += 1;
        self.taken.insert(id, Arc::clone(&place));
        Some((place, id))
    }

    /// Makes those connections leave that have kept the server waiting longest. Returns how many.
    fn clear(&mut self, now: u64) -> u64 {
        let mut waiting: Vec<_> = self.taken.values().filter_map(|place| place.waiting(now)).collect();
        let count = (self.limit / CLEARED_ONE_OF).max(1).min(waiting.len());
        if count < waiting.len() {
            waiting.select_nth_unstable_by_key(count, |(order, _)| *order);
        }
        for (_, place) in waiting.iter().take(count) {
            place.has_to_leave.store(true, Ordering::Release);
            if let Some(task) = lock(&place.task).take() {
                task.wake();
            }
        }
        self.leaving += count;
        count as u64
    }
}

impl Place {
    /// If the connection can be told to leave: whether a key is known, and since when the server waits.
    fn waiting(&self, now: u64) -> Option<((bool, u64), &Place)> {
        let since = self.waits_since.load(Ordering::Relaxed);
        let is_keyed = self.is_keyed.load(Ordering::Relaxed);
        let is_active = is_keyed && u128::from(now.saturating_sub(since)) < KEYED_WAIT.as_micros();
        let can_leave = since > 0 && !is_active && !self.has_to_leave.load(Ordering::Relaxed);
        can_leave.then_some(((is_keyed, since), self))
    }
}

impl Seat {
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// Whether the place serves `GET /health` only.
    pub(crate) fn is_for_health(&self) -> bool {
        self.is_for_health
    }

    /// To be set when a request with a valid key arrives.
    pub(crate) fn is_keyed(&self) -> &Arc<AtomicBool> {
        &self.place.is_keyed
    }

    /// States whether the server waits from now on for the client.
    pub(crate) fn set_waiting(&self, is_waiting: bool) {
        let since = if is_waiting {
            self.places.microseconds().max(1)
        } else {
            0
        };
        self.place.waits_since.store(since, Ordering::Relaxed);
    }

    /// Whether the connection has to close. `task` is woken when it has to.
    pub(crate) fn has_to_leave(&self, task: &Waker) -> bool {
        let mut known = lock(&self.place.task);
        if known.as_ref().is_none_or(|known| !known.will_wake(task)) {
            *known = Some(task.clone());
        }
        drop(known);
        self.place.has_to_leave.load(Ordering::Acquire)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut room = lock(&self.room);
        room.taken.remove(&self.id);
        // Set under the same lock.
        if self.place.has_to_leave.load(Ordering::Acquire) {
            room.leaving -= 1;
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

    fn has_to_leave(seat: &Seat) -> bool {
        seat.has_to_leave(Waker::noop())
    }

    fn wait_since(seat: &Seat, microseconds: u64) {
        seat.place.waits_since.store(microseconds, Ordering::Relaxed);
    }

    /// Places of a server that was started a minute ago.
    fn places(limit: usize) -> Arc<Places> {
        let mut places = Places::new(limit);
        places.started = Instant::now().checked_sub(Duration::from_secs(60)).unwrap();
        Arc::new(places)
    }

    #[test]
    fn the_longest_waiting_client_without_a_key_leaves_first() {
        let places = places(8);
        let mut seats: Vec<Seat> = (0..6).map(|_| places.take(false).unwrap()).collect();
        assert!(!seats.iter().any(has_to_leave));
        for (seat, (since, is_keyed)) in
            seats
                .iter()
                .zip([(1, true), (0, false), (5, false), (3, false), (4, true), (2, true)])
        {
            wait_since(seat, since);
            seat.is_keyed().store(is_keyed, Ordering::Relaxed);
        }
        // The places of the four that wait, in their order; the new connections are busy.
        for leaves in [3, 2, 0, 5, 4] {
            let seat = places.take(false).unwrap();
            seat.set_waiting(false);
            seats.push(seat);
            let leaving: Vec<usize> = (0..seats.len()).filter(|at| has_to_leave(&seats[*at])).collect();
            assert!(leaving.contains(&leaves), "{leaves} of {leaving:?}");
        }
        assert_eq!(places.counts.evicted.load(Ordering::Relaxed), 5);
        // Six are busy now: two more get the last places, and no other one.
        for _ in 0..2 {
            let seat = places.take(false).unwrap();
            seat.set_waiting(false);
            seats.push(seat);
        }
        assert!(places.take(false).is_none());
        assert_eq!(places.counts.refused.load(Ordering::Relaxed), 1);
        assert_eq!((places.open(), lock(&places.all).leaving), (13, 5));
        drop(seats);
        assert_eq!((places.open(), lock(&places.all).leaving), (0, 0));
    }

    #[test]
    fn a_client_with_a_key_that_has_just_been_answered_stays() {
        let places = places(4);
        let seats: Vec<Seat> = (0..3).map(|_| places.take(false).unwrap()).collect();
        seats
            .iter()
            .for_each(|seat| seat.is_keyed().store(true, Ordering::Relaxed));
        wait_since(&seats[1], 1);
        let _new = places.take(false).unwrap();
        let leaving: Vec<bool> = seats.iter().map(has_to_leave).collect();
        assert_eq!(leaving, [false, true, false]);
    }

    #[test]
    fn a_health_check_of_the_same_machine_gets_a_reserved_place() {
        let places = Arc::new(Places::new(1));
        let busy = places.take(true).unwrap();
        busy.set_waiting(false);
        assert!(!busy.is_for_health() && places.take(false).is_none());
        // Clients that take the reserved places and send nothing have to leave.
        let checks: Vec<Seat> = (0..100).map(|_| places.take(true).unwrap()).collect();
        assert!(checks.iter().all(Seat::is_for_health));
        assert_eq!(lock(&places.for_health).staying(), 12);
        assert!(!has_to_leave(&busy));
    }
}
