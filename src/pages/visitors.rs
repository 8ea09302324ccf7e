//! The accounts of visitors without a key, where the pages are open to everybody: one for each client address, in
//! memory only.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::NaiveDate;

use crate::{
    model::PlanLimits,
    pages::client_address::{AddressTable, ClientAddress},
    state::account::Account,
};

/// How many visitors a network of 48 bits counts as: a site has one, and tunnel brokers give them away, each with
/// 65,536 networks of 64 bits.
const VISITORS_PER_NETWORK: u32 = 64;

/// The accounts by client address. The number of them is bounded; the least recently used one is forgotten first.
pub(crate) struct Visitors(Mutex<Accounts>);

struct Accounts {
    by_address: AddressTable<VisitorAccount>,
    /// The accounts of the IPv6 networks of 48 bits, which every visitor of the network is charged to as well.
    of_networks: AddressTable<VisitorAccount>,
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
            of_networks: AddressTable::new(),
            next_number: 0,
        }))
    }

    /// The account of a client on this day, with these limits if it is new.
    pub(crate) fn account(&self, address: ClientAddress, limits: PlanLimits, day: NaiveDate) -> VisitorAccount {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = accounts.next_number;
        accounts.next_number += 1;
        let network = address.network().map(|network| {
            let limits = limits.times(VISITORS_PER_NETWORK);
            let new = || VisitorAccount::new(Account::of_visitor(limits, None), number, day);
            of_day(&mut accounts.of_networks, network, day, new).account
        });
        let new = || VisitorAccount::new(Account::of_visitor(limits, network.clone()), number, day);
        of_day(&mut accounts.by_address, address, day, new)
    }

    /// The account of a client for a page that is free. A client that was charged nothing yet is not remembered, so
    /// that free pages push no other client out of the table.
    pub(crate) fn look_up(&self, address: ClientAddress, limits: PlanLimits, day: NaiveDate) -> VisitorAccount {
        let accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = accounts.by_address.get(&address).filter(|visitor| visitor.day == day);
        known.cloned().unwrap_or_else(|| {
            let account = Account::of_visitor(limits, None);
            VisitorAccount::new(account, accounts.next_number, day)
        })
    }
}

/// The account of this day in a table; a new one in place of that of another day.
fn of_day(
    table: &mut AddressTable<VisitorAccount>,
    address: ClientAddress,
    day: NaiveDate,
    new: impl Fn() -> VisitorAccount,
) -> VisitorAccount {
    let visitor = table.get_or_insert(address, &new);
    if visitor.day != day {
        *visitor = new();
    }
    visitor.clone()
}

impl VisitorAccount {
    fn new(account: Account, number: u64, day: NaiveDate) -> VisitorAccount {
        VisitorAccount {
            account: Arc::new(account),
            number,
            day,
        }
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

    #[test]
    fn a_network_has_as_much_as_some_visitors() {
        let visitors = Visitors::new();
        let limits = PlanLimits {
            requests_per_minute: NonZeroU32::new(1_000).unwrap(),
            requests_per_day: NonZeroU32::MIN,
            ..*Plans::default().visitor()
        };
        let (now, today) = ("2026-03-01T12:00:00Z".parse().unwrap(), "2026-03-01".parse().unwrap());
        let is_refused = |text: &str| {
            let address = ClientAddress::from(text.parse::<IpAddr>().unwrap());
            let visitor = visitors.account(address, limits, today);
            visitor.account.charge(NonZeroU32::MIN, now).refused.is_some()
        };
        let of_site = (0..VISITORS_PER_NETWORK + 10).map(|number| format!("2001:db8:1:{number:x}::1"));
        let refused: Vec<bool> = of_site.map(|address| is_refused(&address)).collect();
        let (first, rest) = refused.split_at(VISITORS_PER_NETWORK as usize);
        assert!(!first.contains(&true) && !rest.contains(&false), "{refused:?}");
        assert!(!is_refused("2001:db8:2::1") && !is_refused("192.0.2.1"));
    }

    #[test]
    fn free_pages_are_not_remembered() {
        let visitors = Visitors::new();
        let limits = *Plans::default().visitor();
        let (now, today) = ("2026-03-01T12:00:00Z".parse().unwrap(), "2026-03-01".parse().unwrap());
        let address = |text: &str| ClientAddress::from(text.parse::<IpAddr>().unwrap());
        let charged = visitors.account(address("192.0.2.1"), limits, today);
        charged.account.charge(NonZeroU32::MIN, now);
        for number in 0..25_000_u32 {
            let other = ClientAddress::from(IpAddr::from((0x0a00_0000 + number).to_be_bytes()));
            visitors.look_up(other, limits, today);
        }
        let seen = visitors.look_up(address("192.0.2.1"), limits, today);
        assert_eq!(seen.number, charged.number);
    }
}
