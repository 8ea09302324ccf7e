//! The state database: what must survive a restart and is not procurement data. It is one SQLite
//! file, which `serve`, `procure keys` and `procure alerts` use at the same time.
//!
//! **Invariant:** only this folder names `rusqlite`.

pub(crate) mod account;
pub(crate) mod address_hash;
pub(crate) mod confirmation_mails;
#[cfg(test)]
mod confirmation_tests;
pub mod confirmations;
pub mod consent;
pub mod database;
pub(crate) mod deliveries;
#[cfg(test)]
mod delivery_tests;
mod erasure;
pub(crate) mod keys;
mod mailbox;
#[cfg(test)]
mod mailbox_tests;
mod migrations;
mod reserve;
#[cfg(test)]
mod sample_subscription;
pub mod service_addresses;
mod site_limits;
#[cfg(test)]
mod site_limits_tests;
mod subscribe;
pub mod subscription;
#[cfg(test)]
mod subscription_tests;
pub(crate) mod suppressions;
pub(crate) mod sync;
mod tokens;
pub(crate) mod unsubscribe;
pub(crate) mod usage;
