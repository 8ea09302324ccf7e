//! Confirmation mails: which addresses are due for one, and what is stored when it is sent.

use std::collections::HashSet;

use anyhow::Context;
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use crate::state::{
    address_hash::AddressHash,
    confirmations::CONFIRM_WITHIN,
    database::StateDb,
    deliveries::DeliveryIntent,
    site_limits::SiteLimits,
    subscription::Locale,
    suppressions::from_unix,
    tokens::{self, Salt},
};

/// Decision D-167: the minimum number of days between two confirmation mails to a mailbox, after
/// one, two, and more mails that it left unanswered.
const DAYS_BETWEEN_MAILS: [i64; 3] = [1, 2, 4];

/// An address that waits for its confirmation mail.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DueConfirmation {
    pub(crate) email: String,
    pub(crate) address: AddressHash,
    /// The token of its links.
    pub(crate) token: String,
    /// The languages of the subscriptions to confirm, English first.
    pub(crate) locales: Vec<Locale>,
}

/// Who sent the confirmation mails, for the page that their links open.
#[derive(Clone, Debug, PartialEq)]
pub struct MailSender {
    /// Name and e-mail address.
    pub(crate) name: String,
    pub(crate) postal: String,
}

impl StateDb {
    /// The addresses to ask for a confirmation now, one for each mailbox, or only one of them, as many as the limits of
    /// their sites permit; the others wait for the next day.
    /// Addresses that the mail server refused are left out until they are due again.
    pub(crate) fn due_confirmations(
        &self,
        only: Option<&str>,
        now: DateTime<Utc>,
    ) -> anyhow::Result<Vec<DueConfirmation>> {
        let select = "SELECT confirmations.address, email, confirmations.salt, group_concat(DISTINCT locale), mailbox, confirmations.address_id
             FROM confirmations JOIN addresses ON addresses.id = confirmations.address_id
                JOIN subscriptions ON subscriptions.address_id = addresses.id
             WHERE awaits_mail = 1 AND (?1 IS NULL OR email = ?1)
                AND NOT EXISTS (SELECT 1 FROM confirmations AS declined
                    WHERE declined.mailbox = confirmations.mailbox AND declined.declined_at IS NOT NULL)
                AND subscriptions.confirmed_at IS NULL AND unsubscribed_at IS NULL AND subscriptions.requested_at > ?2
                AND NOT EXISTS (SELECT 1 FROM setbacks WHERE setbacks.address = confirmations.address
                    AND (paused_at IS NOT NULL OR due_at > ?3))
             GROUP BY confirmations.address ORDER BY min(subscriptions.requested_at), email";
        let read = || -> anyhow::Result<Vec<DueConfirmation>> {
            let mut select = self.connection.prepare_cached(select)?;
            let mut rows = select.query(params![only, (now - CONFIRM_WITHIN).timestamp(), now.timestamp()])?;
            let (mut due, mut mailboxes) = (Vec::new(), HashSet::new());
            let mut limits = SiteLimits::new(&self.connection, now);
            while let Some(row) = rows.next()? {
                let charge = limits.charge(&row.get::<_, String>(1)?, row.get(5)?)?;
                // Before the mailbox is counted as asked: another key may have the mail sent to another of its
                // addresses.
                if let Some(charge) = charge
                    && !limits.permit(charge)?
                {
                    continue;
                }
                let mailbox = AddressHash(row.get(4)?);
                if mailboxes.insert(mailbox) && may_mail_to(&self.connection, mailbox, now)? {
                    if let Some(charge) = charge {
                        limits.count(charge)?;
                    }
                    due.push(due_confirmation(&self.connection, row)?);
                }
            }
            Ok(due)
        };
        read().context("reading the subscriptions to confirm")
    }

    /// The confirmation mail that an address would get if it were due; `None` if nothing waits.
    pub(crate) fn pending_confirmation(&self, email: &str) -> anyhow::Result<Option<DueConfirmation>> {
        let select = "SELECT confirmations.address, email, confirmations.salt, group_concat(DISTINCT locale)
             FROM confirmations JOIN addresses ON addresses.id = confirmations.address_id
                JOIN subscriptions ON subscriptions.address_id = addresses.id
             WHERE NOT EXISTS (SELECT 1 FROM confirmations AS declined
                    WHERE declined.mailbox = confirmations.mailbox AND declined.declined_at IS NOT NULL)
                AND email = ?1 AND subscriptions.confirmed_at IS NULL AND unsubscribed_at IS NULL
             GROUP BY confirmations.address";
        let read = || -> anyhow::Result<Option<DueConfirmation>> {
            let mut select = self.connection.prepare_cached(select)?;
            let mut rows = select.query([email])?;
            let row = rows.next()?;
            row.map(|row| due_confirmation(&self.connection, row)).transpose()
        };
        read().context("reading the subscriptions to confirm")
    }

    /// The addresses with subscriptions that wait for confirmation, and how many of these they have.
    pub(crate) fn pending_counts(&self) -> anyhow::Result<Vec<(String, i64)>> {
        let select = "SELECT email, count(*) FROM subscriptions JOIN addresses ON addresses.id = address_id
             WHERE confirmed_at IS NULL AND unsubscribed_at IS NULL GROUP BY email ORDER BY email";
        let read = || -> rusqlite::Result<Vec<(String, i64)>> {
            let mut select = self.connection.prepare(select)?;
            select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        read().context("reading the subscriptions to confirm")
    }

    /// Writes the delivery intent of a confirmation mail and syncs it to disk, with its sender, whom
    /// the page of its links names.
    pub(crate) fn begin_confirmation(
        &self,
        address: AddressHash,
        sender: &MailSender,
        now: DateTime<Utc>,
    ) -> anyhow::Result<DeliveryIntent> {
        self.check_file()?;
        let write = |transaction: &Transaction| -> rusqlite::Result<i64> {
            let select = "SELECT email, address_id FROM confirmations JOIN addresses ON addresses.id = address_id
                 WHERE confirmations.address = ?1";
            let asked = transaction.query_row(select, [address.0], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
            });
            let charge = match asked.optional()? {
                Some((email, address_id)) => SiteLimits::new(transaction, now).charge(&email, address_id)?,
                None => None,
            };
            let insert = "INSERT INTO mailings (address, began_at, tenders, outcome, kind, site, key_id)
                 VALUES (?1, ?2, 0, 'sending', 'confirmation', ?3, ?4)";
            let site = charge.map(|charge| charge.site.0);
            let key_id = charge.map(|charge| charge.key_id);
            transaction.execute(insert, params![address.0, now.timestamp(), site, key_id])?;
            let id = transaction.last_insert_rowid();
            let update = "UPDATE confirmations SET awaits_mail = 0 WHERE address = ?1";
            transaction.execute(update, [address.0])?;
            let insert = "INSERT OR REPLACE INTO mail_sender (id, name, postal) VALUES (1, ?1, ?2)";
            transaction.execute(insert, [&sender.name, &sender.postal])?;
            Ok(id)
        };
        let id = self.write(write);
        let id = id.context("writing the intent of a confirmation mail; the mail is not sent")?;
        Ok(DeliveryIntent::of_confirmation(id))
    }

    /// Who sent the last confirmation mail.
    pub fn mail_sender(&self) -> anyhow::Result<Option<MailSender>> {
        let select = "SELECT name, postal FROM mail_sender";
        let sender = self.connection.query_row(select, [], |row| {
            Ok(MailSender {
                name: row.get(0)?,
                postal: row.get(1)?,
            })
        });
        sender.optional().context("reading the sender of the mails")
    }
}

/// Whether a confirmation mail may be sent to any address of a mailbox.
fn may_mail_to(connection: &Connection, mailbox: AddressHash, now: DateTime<Utc>) -> rusqlite::Result<bool> {
    let select = "SELECT max(began_at), count(iif(began_at > (SELECT coalesce(max(confirmed_at), 0) FROM confirmations WHERE mailbox = ?1), 1, NULL))
         FROM mailings WHERE kind = 'confirmation' AND address IN (SELECT address FROM confirmations WHERE mailbox = ?1)";
    let mut select = connection.prepare_cached(select)?;
    select.query_row([mailbox.0], |row| Ok(may_mail(row.get(0)?, row.get(1)?, now)))
}

/// Whether a confirmation mail may be sent: `last` is when the last one was begun, `unanswered` how
/// many were sent since the mailbox last confirmed.
fn may_mail(last: Option<i64>, unanswered: i64, now: DateTime<Utc>) -> bool {
    let Some(last) = last else { return true };
    // The absolute difference, because a mail in the future comes from a clock that was wrong.
    let days = (now.date_naive() - from_unix(last).date_naive()).num_days().abs();
    let longest = DAYS_BETWEEN_MAILS.len() - 1;
    let number = usize::try_from(unanswered - 1).unwrap_or(0).min(longest);
    days >= DAYS_BETWEEN_MAILS[number]
}

/// Reads the first four columns of the queries above.
fn due_confirmation(connection: &Connection, row: &Row) -> anyhow::Result<DueConfirmation> {
    let locales: String = row.get(3)?;
    let locales = Locale::ALL
        .into_iter()
        .filter(|locale| locales.split(',').any(|name| name == locale.name()));
    Ok(DueConfirmation {
        address: AddressHash(row.get(0)?),
        email: row.get(1)?,
        token: tokens::of_confirmation(connection, &Salt(row.get(2)?))?.0,
        locales: locales.collect(),
    })
}
