//! Bids, as responses and pages show them.
//!
//! What every figure keeps to:
//!
//! - Amounts are compared in dollars only. Other units are shown and never compared.
//! - A direct award lists its supplier as the only bidder: it is no competition and in no rate.
//! - A notice by invitation often lists the winner only, so invitations are counted apart from open calls.
//! - A call with lots counts once: it was bid on once, and won once.

pub(crate) mod bidder;
mod bidder_group;
pub(crate) mod buyer;
pub(crate) mod comparison;
pub(crate) mod competition;
pub(crate) mod pair;
mod request;
pub(crate) mod search;
pub(crate) mod statistics;
