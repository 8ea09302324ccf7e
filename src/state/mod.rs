//! The state database: what must survive a restart and is not procurement data. It is one SQLite
//! file, which `serve`, `procure keys` and `procure alerts` use at the same time.
//!
//! **Invariant:** only this folder names `rusqlite`.

pub mod account;
pub mod address_hash;
pub mod consent;
pub mod database;
pub mod deliveries;
#[cfg(test)]
mod delivery_tests;
mod erasure;
pub mod keys;
mod migrations;
mod subscribe;
pub mod subscription;
#[cfg(test)]
mod subscription_tests;
pub mod suppressions;
pub mod sync;
mod tokens;
pub mod unsubscribe;
pub mod usage;
