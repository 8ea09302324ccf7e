//! The bids of a generation: what notices say of their bidders, and searches over them.
//!
//! [`BidStore`] is a file of the generation on both engines. It holds the bids and those facts of their notices that
//! bids are filtered by, in the default order of tenders, so that a search needs nothing else. Keys, words and dates
//! come from the same functions as those of an index, so a filter finds the bids of exactly the tenders that a search
//! with the same filter finds.

pub(crate) mod build;
pub(crate) mod call_price;
mod matching;
pub(crate) mod notice;
pub(crate) mod open_calls;
pub(crate) mod query;
pub(crate) mod store;
mod words;

pub(crate) use notice::{Notice, StoredBid};
pub(crate) use query::BidQuery;
pub(crate) use store::{BidStore, StoredBids};
