//! Slows down guessing of API keys in the sign-in form: a client address has a few wrong attempts in a window of time.
//!
//! A key has 160 random bits, so guessing is hopeless anyway. The limit keeps the attempts from filling the log. A
//! right key is never limited.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::pages::client_address::{AddressTable, ClientAddress};

/// The wrong attempts of the clients that came last.
pub(crate) struct SignInLimit(Mutex<AddressTable<Attempts>>);

#[derive(Clone, Copy, Debug)]
struct Attempts {
    since: Instant,
    wrong: u32,
}

/// How many wrong keys a client may send within [`WINDOW`].
const MAX_WRONG: u32 = 10;

const WINDOW: Duration = Duration::from_secs(600);

impl SignInLimit {
    pub(crate) fn new() -> SignInLimit {
        SignInLimit(Mutex::new(AddressTable::new()))
    }

    /// The seconds until the client may try again; `None` if it may try now.
    pub(crate) fn wait(&self, address: ClientAddress, now: Instant) -> Option<u64> {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let attempts = table.get(&address).filter(|attempts| attempts.wrong >= MAX_WRONG)?;
        let left = WINDOW.checked_sub(now.saturating_duration_since(attempts.since))?;
        Some(left.as_secs().max(1))
    }

    /// Notes a wrong key.
    pub(crate) fn note_wrong(&self, address: ClientAddress, now: Instant) {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = Attempts { since: now, wrong: 0 };
        let attempts = table.get_or_insert(address, || first);
        if now.saturating_duration_since(attempts.since) > WINDOW {
            *attempts = first;
        }
        attempts.wrong += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn wrong_keys_are_limited_for_a_time() {
        let limit = SignInLimit::new();
        let address = |text: &str| ClientAddress::from(text.parse::<IpAddr>().unwrap());
        let (one, other) = (address("192.0.2.1"), address("192.0.2.2"));
        let start = Instant::now();
        for _ in 0..MAX_WRONG {
            assert_eq!(limit.wait(one, start), None);
            limit.note_wrong(one, start);
        }
        assert_eq!(limit.wait(one, start), Some(WINDOW.as_secs()));
        assert_eq!(limit.wait(other, start), None);
        let later = start + WINDOW + Duration::from_secs(1);
        assert_eq!(limit.wait(one, later), None);
        limit.note_wrong(one, later);
        assert_eq!(limit.wait(one, later), None, "a new window begins");
    }
}
