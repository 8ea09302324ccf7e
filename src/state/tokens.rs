//! The tokens of the links in mails. Every mail contains them; the database does not.
//!
//! A token is derived, when a mail is written, from a secret of this state database and a salt of the
//! row that it ends or confirms. The database stores its SHA-256 to find the row. So a token stays
//! valid as long as its row, and a leaked table of hashes ends and confirms no subscription.

use anyhow::Context;
use hmac::{Hmac, KeyInit, Mac};
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::{state::database::StateDb, storage::hex::hex};

/// 160 bits that cannot be guessed, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinkToken(pub(crate) String);

/// Makes the tokens of two rows differ.
pub(super) struct Salt(pub [u8; 16]);

const TOKEN_BYTES: usize = 20;

/// The name of the secret that tokens are derived from.
const SECRET: &str = "unsubscribe";

/// The name of the secret that sessions are signed with.
const SESSION_SECRET: &str = "sessions";

impl LinkToken {
    /// A client's text as a token; `None` if it does not have the form of one.
    pub(crate) fn parse(text: &str) -> Option<LinkToken> {
        let is_well_formed = text.len() == 2 * TOKEN_BYTES && text.bytes().all(|b| b.is_ascii_hexdigit());
        is_well_formed.then(|| LinkToken(text.to_ascii_lowercase()))
    }

    /// The value that finds its row. The lookup need not take constant time: a client that learned a
    /// hash from the time it takes would still have to find the token with that hash.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }
}

impl Salt {
    pub(crate) fn random() -> anyhow::Result<Salt> {
        random().map(Salt)
    }
}

/// The token that ends one subscription.
pub(super) fn of_subscription(connection: &Connection, id: i64, salt: &Salt) -> anyhow::Result<LinkToken> {
    derive(connection, b"subscription", id, salt)
}

/// The token that ends all subscriptions of an address.
pub(super) fn of_address(connection: &Connection, id: i64, salt: &Salt) -> anyhow::Result<LinkToken> {
    derive(connection, b"address", id, salt)
}

/// The token that confirms the subscriptions of an address. Its salt alone distinguishes it from others,
/// because the address may get another row.
pub(super) fn of_confirmation(connection: &Connection, salt: &Salt) -> anyhow::Result<LinkToken> {
    derive(connection, b"confirmation", 0, salt)
}

fn derive(connection: &Connection, kind: &[u8], id: i64, salt: &Salt) -> anyhow::Result<LinkToken> {
    let mut code = Hmac::<Sha256>::new_from_slice(&secret(connection, SECRET)?).context("deriving a token")?;
    code.update(kind);
    code.update(&id.to_le_bytes());
    code.update(&salt.0);
    let code = code.finalize().into_bytes();
    Ok(LinkToken(hex(&code[..TOKEN_BYTES])))
}

impl StateDb {
    /// The secret that the sessions of visitors are signed with. Servers that share a database accept each
    /// other's sessions.
    pub(super) fn session_secret(&self) -> anyhow::Result<[u8; 32]> {
        secret(&self.connection, SESSION_SECRET)
    }
}

/// A secret of this state database, generated when it is first needed. If two processes generate it at
/// once, both use the one that was written first.
fn secret(connection: &Connection, name: &str) -> anyhow::Result<[u8; 32]> {
    let read = || {
        let mut select = connection.prepare_cached("SELECT secret FROM secrets WHERE name = ?1")?;
        select.query_row([name], |row| row.get(0)).optional()
    };
    if let Some(secret) = read()? {
        return Ok(secret);
    }
    let secret: [u8; 32] = random()?;
    let insert = "INSERT OR IGNORE INTO secrets (name, secret) VALUES (?1, ?2)";
    connection.execute(insert, params![name, secret])?;
    read()?.context("the secret is missing after it was written")
}

fn random<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).context("generating random bytes for a token")?;
    Ok(bytes)
}
