//! The addresses of a cluster, and which of them answered lately.

use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};

/// How long an address that failed is tried last. Then one request tries it again.
const SUSPENSION: Duration = Duration::from_secs(10);

pub(crate) struct Addresses {
    all: Vec<Address>,
    /// The number of the address that the next request tries first.
    next: AtomicUsize,
    created: Instant,
}

struct Address {
    url: String,
    /// When it is tried again, in milliseconds after `created`; zero while it answers.
    suspended_until: AtomicU64,
}

/// An address that a request may try.
#[derive(Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) url: &'a str,
    number: usize,
    /// Whether it answered the last time, as far as is known.
    pub(crate) is_healthy: bool,
}

impl Addresses {
    /// At least one.
    pub(crate) fn new(urls: Vec<String>) -> Addresses {
        let address = |url| Address {
            url,
            suspended_until: AtomicU64::new(0),
        };
        Addresses {
            all: urls.into_iter().map(address).collect(),
            next: AtomicUsize::new(0),
            created: Instant::now(),
        }
    }

    /// All addresses in the order in which a request tries them: those that answer, in turn, before
    /// those that do not. An address whose suspension has ended is tried in its turn by one
    /// request; the others wait for the result.
    pub(crate) fn candidates(&self) -> Vec<Candidate<'_>> {
        let first = self.next.fetch_add(1, Relaxed);
        let (mut usable, mut suspended) = (Vec::new(), Vec::new());
        for step in 0..self.all.len() {
            let number = first.wrapping_add(step) % self.all.len();
            let address = &self.all[number];
            let until = address.suspended_until.load(Relaxed);
            let candidate = Candidate {
                url: &address.url,
                number,
                is_healthy: until == 0,
            };
            // Only the first candidate is sure to be tried.
            if candidate.is_healthy || (usable.is_empty() && self.claims_trial(address, until)) {
                usable.push(candidate);
            } else {
                suspended.push(candidate);
            }
        }
        usable.append(&mut suspended);
        usable
    }

    pub(crate) fn answered(&self, candidate: Candidate) {
        if !candidate.is_healthy {
            self.all[candidate.number].suspended_until.store(0, Relaxed);
            log::info!("the search cluster answers again at {}", candidate.url);
        }
    }

    /// `why` begins with the address.
    pub(crate) fn failed(&self, candidate: Candidate, why: &str) {
        let address = &self.all[candidate.number];
        let until = self.now() + SUSPENSION.as_millis() as u64;
        if address.suspended_until.swap(until, Relaxed) == 0 {
            log::warn!("the search cluster does not answer at {why}");
        }
    }

    /// Whether the suspension has ended and no other request tries the address.
    fn claims_trial(&self, address: &Address, until: u64) -> bool {
        let now = self.now();
        let next = now + SUSPENSION.as_millis() as u64;
        now >= until
            && address
                .suspended_until
                .compare_exchange(until, next, Relaxed, Relaxed)
                .is_ok()
    }

    /// Milliseconds; never zero.
    fn now(&self) -> u64 {
        self.created.elapsed().as_millis() as u64 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(addresses: &Addresses) -> Vec<String> {
        let candidates = addresses.candidates();
        candidates.iter().map(|candidate| candidate.url.to_owned()).collect()
    }

    #[test]
    fn requests_take_the_addresses_in_turn() {
        let addresses = Addresses::new(["a", "b", "c"].map(str::to_owned).into());
        assert_eq!(urls(&addresses), ["a", "b", "c"]);
        assert_eq!(urls(&addresses), ["b", "c", "a"]);
        assert_eq!(urls(&addresses), ["c", "a", "b"]);
        assert_eq!(urls(&addresses), ["a", "b", "c"]);
    }

    #[test]
    fn an_address_that_failed_is_tried_last_until_it_answers() {
        let addresses = Addresses::new(["a", "b"].map(str::to_owned).into());
        addresses.failed(addresses.candidates()[0], "refused");
        for _ in 0..4 {
            assert_eq!(urls(&addresses), ["b", "a"]);
        }
        let last = addresses.candidates()[1];
        assert!(!last.is_healthy);
        addresses.answered(last);
        assert!(addresses.candidates().iter().all(|candidate| candidate.is_healthy));
    }

    #[test]
    fn one_request_tries_an_address_whose_suspension_has_ended() {
        let mut addresses = Addresses::new(["a", "b"].map(str::to_owned).into());
        addresses.failed(addresses.candidates()[0], "refused");
        addresses.created -= SUSPENSION + Duration::from_secs(1);
        let first = |_| addresses.candidates()[0].url == "a";
        assert_eq!((0..10).map(first).filter(|is_trial| *is_trial).count(), 1);
    }
}
