//! The tokens that end subscriptions: in every mail, and not in the database.
//!
//! A token is derived, when a mail is written, from a secret of this state file and a salt of the row it ends; what is stored to find the row by is its SHA-256.
//! So a token stays the same for ever, and a leaked table of hashes ends nothing. One kind ends a subscription, the other all of an address.

use anyhow::{Context, bail};
use hmac::{Hmac, KeyInit, Mac};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use sha2::{Digest, Sha256};

use crate::{
    state::{
        State,
        subscriptions::{Evidence, Subscription},
    },
    storage::hex::hex,
};

/// What a link in a mail holds: 160 bits nobody can guess, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token(String);

/// What keeps the tokens of two rows apart.
pub(super) struct Salt(pub [u8; 16]);

/// What came of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsubscribed {
    Done,
    Already,
    /// No row has such a token.
    Unknown,
}

/// The bytes of a token.
const TOKEN_BYTES: usize = 20;

/// The name of the secret that tokens are derived under.
const SECRET: &str = "unsubscribe";

impl State {
    /// The token that ends this subscription.
    pub fn unsubscribe_token(&self, subscription: &Subscription) -> anyhow::Result<String> {
        let salt = self.salt("SELECT id, salt FROM subscriptions WHERE id = ?1", subscription.id)?;
        let (id, salt) = salt.context("the subscription is not in the state file")?;
        Ok(of_subscription(&self.connection, id, &salt)?.0)
    }

    /// The token that ends all subscriptions of the address, those made later too.
    pub fn unsubscribe_all_token(&self, email: &str) -> anyhow::Result<String> {
        let salt = self.salt("SELECT id, salt FROM addresses WHERE email = ?1", email)?;
        let (id, salt) = salt.context("the address is not in the state file")?;
        Ok(of_address(&self.connection, id, &salt)?.0)
    }

    /// Ends what the token stands for.
    pub fn unsubscribe(&mut self, token: &str, evidence: &Evidence) -> anyhow::Result<Unsubscribed> {
        // Only who has a token makes anyone wait.
        if self.find_token(token)? == Unsubscribed::Unknown {
            return Ok(Unsubscribed::Unknown);
        }
        self.check_place()?;
        unsubscribe(&mut self.connection, &hash(token), evidence).context("ending a subscription")
    }

    /// What [`State::unsubscribe`] would say of a token but for [`Unsubscribed::Done`]: nothing is ended.
    pub fn find_token(&self, token: &str) -> anyhow::Result<Unsubscribed> {
        let is_well_formed = token.len() == 2 * TOKEN_BYTES && token.bytes().all(|b| b.is_ascii_hexdigit());
        if !is_well_formed {
            return Ok(Unsubscribed::Unknown);
        }
        match found(&self.connection, &hash(token))
            .context("looking for a token")?
            .is_empty()
        {
            true => Ok(Unsubscribed::Unknown),
            false => Ok(Unsubscribed::Already),
        }
    }

    fn salt(&self, select: &str, of: impl rusqlite::ToSql) -> anyhow::Result<Option<(i64, Salt)>> {
        let mut select = self.connection.prepare_cached(select)?;
        let row = select.query_row([of], |row| Ok((row.get(0)?, Salt(row.get(1)?))));
        row.optional().context("reading what a token is made from")
    }
}

fn unsubscribe(connection: &mut Connection, hash: &[u8], evidence: &Evidence) -> anyhow::Result<Unsubscribed> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut unsubscribed = Unsubscribed::Already;
    for id in found(&change, hash)? {
        let update = "UPDATE subscriptions SET unsubscribed_at = ?2 WHERE id = ?1 AND unsubscribed_at IS NULL";
        if change.execute(update, params![id, evidence.at.timestamp()])? > 0 {
            evidence.write(&change, id, "unsubscribed")?;
            unsubscribed = Unsubscribed::Done;
        }
    }
    change.commit()?;
    Ok(unsubscribed)
}

/// The subscriptions that a token ends.
fn found(connection: &Connection, hash: &[u8]) -> rusqlite::Result<Vec<i64>> {
    let find = "SELECT id FROM subscriptions WHERE token_sha256 = ?1
         UNION ALL SELECT subscriptions.id FROM subscriptions JOIN addresses ON addresses.id = address_id WHERE addresses.token_sha256 = ?1";
    let mut find = connection.prepare_cached(find)?;
    find.query_map([hash], |row| row.get(0))?.collect()
}

fn hash(token: &str) -> [u8; 32] {
    Token(token.to_ascii_lowercase()).hash()
}

pub(super) fn of_subscription(connection: &Connection, id: i64, salt: &Salt) -> anyhow::Result<Token> {
    derive(connection, b"subscription", id, salt)
}

pub(super) fn of_address(connection: &Connection, id: i64, salt: &Salt) -> anyhow::Result<Token> {
    derive(connection, b"address", id, salt)
}

fn derive(connection: &Connection, kind: &[u8], id: i64, salt: &Salt) -> anyhow::Result<Token> {
    let secret = secret(connection)?;
    let mut code = Hmac::<Sha256>::new_from_slice(&secret).context("deriving a token")?;
    code.update(kind);
    code.update(&id.to_le_bytes());
    code.update(&salt.0);
    let code = code.finalize().into_bytes();
    Ok(Token(hex(&code[..TOKEN_BYTES])))
}

/// The secret of this state file, drawn when it is first asked for. Who draws it at the same moment gets the one that was written first.
fn secret(connection: &Connection) -> anyhow::Result<[u8; 32]> {
    let read = || {
        let mut select = connection.prepare_cached("SELECT secret FROM secrets WHERE name = ?1")?;
        select.query_row([SECRET], |row| row.get(0)).optional()
    };
    if let Some(secret) = read()? {
        return Ok(secret);
    }
    let secret: [u8; 32] = random()?;
    let insert = "INSERT OR IGNORE INTO secrets (name, secret) VALUES (?1, ?2)";
    connection.execute(insert, params![SECRET, secret])?;
    match read()? {
        Some(secret) => Ok(secret),
        None => bail!("the secret was written, and is not there"),
    }
}

fn random<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).context("drawing random bytes for a token")?;
    Ok(bytes)
}

impl Salt {
    pub fn random() -> anyhow::Result<Salt> {
        random().map(Salt)
    }
}

impl Token {
    /// What it is found by. Looked up by value, as a key is: who learnt of a hash from the time it takes would still have to find what it is the hash of.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }
}
