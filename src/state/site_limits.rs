//! Limits of the confirmation mails to one site, which may have any number of addresses.
//!
//! Decision D-258: one key has at most [`MAX_OF_KEY_AND_SITE`] of them sent to a site in a UTC day, all keys together
//! [`MAX_OF_SITE`]. The first one of a key is sent in any case, so that no key can keep another one out.

use std::collections::{HashMap, hash_map::Entry};

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use rusqlite::{Connection, params};

use crate::state::{address_hash::AddressHash, confirmations::CONFIRM_WITHIN, mailbox::site_of};

/// The maximum number of confirmation mails that a key has sent to one site in a UTC day.
pub(super) const MAX_OF_KEY_AND_SITE: i64 = 50;

/// The maximum number of confirmation mails to one site in a UTC day, without the first one of each key.
pub(super) const MAX_OF_SITE: i64 = 200;

/// What a confirmation mail counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Charge {
    pub(super) site: AddressHash,
    pub(super) key_id: i64,
}

/// The confirmation mails of a UTC day to each site that was looked up.
pub(super) struct SiteLimits<'c> {
    connection: &'c Connection,
    now: DateTime<Utc>,
    mails: HashMap<AddressHash, HashMap<i64, i64>>,
}

impl<'c> SiteLimits<'c> {
    pub(super) fn new(connection: &'c Connection, now: DateTime<Utc>) -> SiteLimits<'c> {
        SiteLimits {
            connection,
            now,
            mails: HashMap::new(),
        }
    }

    /// What a mail to an address counts for: of the keys that wait for it, the one that has had the fewest mails sent
    /// to the site. So a key that asks for an address of another one does not use up the mails of that one. `None` if
    /// the site has no limits.
    pub(super) fn charge(&mut self, email: &str, address_id: i64) -> rusqlite::Result<Option<Charge>> {
        let Some(site) = site_of(email).map(AddressHash::new) else {
            return Ok(None);
        };
        let connection = self.connection;
        let select = "SELECT DISTINCT key_id FROM subscriptions WHERE address_id = ?1 AND confirmed_at IS NULL
             AND unsubscribed_at IS NULL AND requested_at > ?2 ORDER BY key_id";
        let mut select = connection.prepare_cached(select)?;
        let since = (self.now - CONFIRM_WITHIN).timestamp();
        let keys = select.query_map([address_id, since], |row| row.get(0))?;
        let keys: Vec<i64> = keys.collect::<rusqlite::Result<_>>()?;
        let mails = self.mails_to(site)?;
        let fewest = keys.into_iter().min_by_key(|key_id| mails.get(key_id).copied());
        Ok(fewest.map(|key_id| Charge { site, key_id }))
    }

    /// Whether the limits permit a mail.
    pub(super) fn permit(&mut self, charge: Charge) -> rusqlite::Result<bool> {
        let mails = self.mails_to(charge.site)?;
        let of_key = mails.get(&charge.key_id).copied().unwrap_or(0);
        let of_all: i64 = mails.values().sum();
        Ok(of_key == 0 || (of_key < MAX_OF_KEY_AND_SITE && of_all < MAX_OF_SITE))
    }

    /// Counts a mail that is about to be sent.
    pub(super) fn count(&mut self, charge: Charge) -> rusqlite::Result<()> {
        *self.mails_to(charge.site)?.entry(charge.key_id).or_default() += 1;
        Ok(())
    }

    /// The number of today's mails to a site, by key.
    fn mails_to(&mut self, site: AddressHash) -> rusqlite::Result<&mut HashMap<i64, i64>> {
        let vacant = match self.mails.entry(site) {
            Entry::Occupied(known) => return Ok(known.into_mut()),
            Entry::Vacant(vacant) => vacant,
        };
        let midnight = self.now.date_naive().and_time(NaiveTime::MIN).and_utc();
        // A mail in the future comes from a clock that was wrong.
        let day = [midnight.timestamp(), (midnight + TimeDelta::days(1)).timestamp()];
        let select = "SELECT key_id, count(*) FROM mailings WHERE site = ?1 AND began_at >= ?2 AND began_at < ?3
             AND key_id IS NOT NULL GROUP BY key_id";
        let mut select = self.connection.prepare_cached(select)?;
        let counted = select.query_map(params![site.0, day[0], day[1]], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let counted: HashMap<i64, i64> = counted.collect::<rusqlite::Result<_>>()?;
        Ok(vacant.insert(counted))
    }
}
