//! The accounts of visitors without a key, where the pages are open to everybody: one for each client address, in
//! memory only.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::NaiveDate;

use crate::{
    http::explorer::client_address::{AddressTable, ClientAddress},
    model::PlanLimits,
    state::account::Account,
};

/// The accounts by client address. The number of them is bounded; the least recently used one is forgotten first.
pub(crate) struct Visitors(Mutex<Accounts>);

struct Accounts {
    by_address: AddressTable<VisitorAccount>,
    next_number: u64,
}

/// The account of a client address.
#[derive(Clone)]
pub(crate) struct VisitorAccount {
    pub(crate) account: Arc<Account>,
    /// Distinguishes clients in the queue of searches.
    pub(crate) number: u64,
    /// The day that it counts. A new day begins with a new account, so none grows for ever.
    day: NaiveDate,
}

impl Visitors {
    pub(crate) fn new() -> Visitors {
        Visitors(Mutex::new(Accounts {
            by_address: AddressTable::new(),
            next_number: 0,
        }))
    }

    /// The account of a client on this day, with these limits if it is new.
    pub(crate) fn account(&self, address: ClientAddress, limits: PlanLimits, day: NaiveDate) -> VisitorAccount {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = accounts.next_number;
        let new = || VisitorAccount {
            account: Arc::new(Account::of_visitor(limits)),
            number,
            day,
        };
        let visitor = accounts.by_address.get_or_insert(address, new);
        if visitor.day != day {
            *visitor = new();
        }
        let visitor = visitor.clone();
        accounts.next_number += 1;
        visitor
    }
}

#[cfg(test)]
mod tests {
    use std::{net::IpAddr, num::NonZeroU32};

    use super::*;
    use crate::model::Plans;

    #[test]
    fn a_client_has_one_account_a_day() {
        let visitors = Visitors::new();
        let limits = *Plans::default().visitor();
        let address = |text: &str| ClientAddress::from(text.parse::<IpAddr>().unwrap());
        let now = "2026-03-01T12:00:00Z".parse().unwrap();
        let today = "2026-03-01".parse().unwrap();
        let charge = |text: &str, day| {
            let visitor = visitors.account(address(text), limits, day);
            visitor.account.charge(NonZeroU32::MIN, now).day.remaining
        };
        let whole = limits.requests_per_day.get();
        assert_eq!(charge("192.0.2.1", today), whole - 1);
        assert_eq!(charge("192.0.2.1", today), whole - 2);
        assert_eq!(charge("192.0.2.2", today), whole - 1);
        assert_eq!(charge("192.0.2.1", "2026-03-02".parse().unwrap()), whole - 1);
        let numbers = ["192.0.2.1", "192.0.2.2"].map(|text| visitors.account(address(text), limits, today).number);
        assert_ne!(numbers[0], numbers[1]);
    }
}
