//! A bound on the bytes that requests, or responses, hold in memory at the same time.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Who holds bytes: an API key by its database id, or all clients without a key together.
pub(crate) type Owner = Option<i64>;

/// A number of bytes that all requests share. Clones share it, too.
///
/// Decision D-158: while less than half of it is in use, every owner may reserve. Beyond that, no owner
/// gets more than a quarter, so one key cannot take the memory that the others need. Decision D-265: while memory is
/// short, an owner that has a sixteenth gets no more.
#[derive(Clone)]
pub(crate) struct ByteBudget(Arc<Shared>);

struct Shared {
    limit: usize,
    is_short: AtomicBool,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    total: usize,
    by_owner: HashMap<Owner, usize>,
}

/// Bytes of a budget, which are given back when this is dropped.
pub(crate) struct Reservation {
    budget: ByteBudget,
    owner: Owner,
    bytes: usize,
}

impl ByteBudget {
    /// A budget of `limit` bytes.
    pub(crate) fn new(limit: usize) -> ByteBudget {
        ByteBudget(Arc::new(Shared {
            limit,
            is_short: AtomicBool::new(false),
            used: Mutex::default(),
        }))
    }

    /// An empty reservation, which can grow.
    pub(crate) fn reservation(&self, owner: Owner) -> Reservation {
        Reservation {
            budget: self.clone(),
            owner,
            bytes: 0,
        }
    }

    pub(crate) fn limit(&self) -> usize {
        self.0.limit
    }

    /// The bytes in use.
    pub(crate) fn used(&self) -> usize {
        self.lock().total
    }

    /// Whether more than half of the budget is in use, or memory is short.
    pub(crate) fn is_crowded(&self) -> bool {
        self.is_short() || self.used() > self.0.limit / 2
    }

    /// States whether the memory of the process is short.
    pub(crate) fn set_short(&self, is_short: bool) {
        self.0.is_short.store(is_short, Ordering::Relaxed);
    }

    pub(crate) fn is_short(&self) -> bool {
        self.0.is_short.load(Ordering::Relaxed)
    }

    /// Counters only, which are consistent after each statement. So a panic elsewhere while the lock is held does no
    /// harm.
    fn lock(&self) -> MutexGuard<'_, Used> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, owner: Owner, bytes: usize) -> bool {
        let mut used = self.lock();
        let (total, limit) = (used.total + bytes, self.0.limit);
        let before = used.by_owner.get(&owner).copied().unwrap_or(0);
        let of_owner = before + bytes;
        let is_too_much =
            total > limit || (total > limit / 2 && of_owner > limit / 4) || (self.is_short() && before >= limit / 16);
        if !is_too_much {
            used.total = total;
            used.by_owner.insert(owner, of_owner);
        }
        !is_too_much
    }

    fn subtract(&self, owner: Owner, bytes: usize) {
        let mut used = self.lock();
        used.total -= bytes;
        if let Some(of_owner) = used.by_owner.get_mut(&owner) {
            *of_owner -= bytes;
            if *of_owner == 0 {
                used.by_owner.remove(&owner);
            }
        }
    }
}

impl Reservation {
    /// Enlarges the reservation to `bytes`. Returns whether the budget permits it; otherwise nothing changes.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let is_granted = more == 0 || self.budget.add(self.owner, more);
        if is_granted {
            self.bytes += more;
        }
        is_granted
    }

    pub(crate) fn owner(&self) -> Owner {
        self.owner
    }

    /// Whether more than half of the budget is in use.
    pub(crate) fn is_crowded(&self) -> bool {
        self.budget.is_crowded()
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.budget.subtract(self.owner, self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reserve(budget: &ByteBudget, owner: Owner, bytes: usize) -> Option<Reservation> {
        let mut reservation = budget.reservation(owner);
        reservation.grow_to(bytes).then_some(reservation)
    }

    #[test]
    fn bytes_are_granted_up_to_the_limit_and_given_back() {
        let budget = ByteBudget::new(100);
        let mut first = reserve(&budget, Some(1), 20).unwrap();
        assert!(first.grow_to(25) && first.grow_to(10));
        let others: Vec<_> = (2..5).map(|owner| reserve(&budget, Some(owner), 25).unwrap()).collect();
        assert_eq!((budget.used(), budget.is_crowded()), (100, true));
        assert!(!first.grow_to(26) && reserve(&budget, None, 1).is_none());
        drop(others);
        assert_eq!((budget.used(), budget.is_crowded()), (25, false));
        drop(first);
        assert!(budget.lock().by_owner.is_empty());
        assert!(reserve(&budget, None, 101).is_none());
    }

    #[test]
    fn one_owner_leaves_half_of_the_budget_to_the_others() {
        let budget = ByteBudget::new(100);
        let _most = reserve(&budget, Some(1), 50).unwrap();
        assert!(reserve(&budget, Some(1), 1).is_none());
        let _second = reserve(&budget, Some(2), 25).unwrap();
        assert!(reserve(&budget, Some(2), 1).is_none());
        let _third = reserve(&budget, None, 25).unwrap();
    }

    #[test]
    fn while_memory_is_short_everybody_gets_a_little() {
        let budget = ByteBudget::new(160);
        let much = reserve(&budget, Some(1), 30).unwrap();
        budget.set_short(true);
        assert!(budget.is_crowded() && reserve(&budget, Some(1), 1).is_none());
        let _little = reserve(&budget, Some(2), 10).unwrap();
        assert!(reserve(&budget, Some(2), 1).is_none());
        budget.set_short(false);
        assert!(!budget.is_crowded() && reserve(&budget, Some(2), 1).is_some());
        drop(much);
    }
}
