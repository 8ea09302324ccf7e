//! Which bids are searched for.

use serde::Serialize;

use crate::{
    model::bids::Procedure,
    query::{Filter, text::TextQuery},
};

/// Conditions on bids; all must hold. Equal queries have equal fingerprints.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct BidQuery {
    /// On the notice, except [`Filter::Contains`] of a vendor, which is on the bidder's name, and [`Filter::Values`],
    /// which are on the bid's amount in dollars.
    pub(crate) filters: Vec<Filter>,
    /// What the texts of the notice contain. The names of bidders are not among them.
    pub(crate) text: Option<TextQuery>,
    pub(crate) procedure: Option<Procedure>,
    /// Whether the bid won.
    pub(crate) won: Option<bool>,
    /// The key of the bidder.
    pub(crate) bidder: Option<String>,
}

impl BidQuery {
    /// CRC-32 of the query, which binds a cursor to it.
    pub(crate) fn fingerprint(&self) -> u32 {
        let bytes = serde_json::to_vec(&("bids", self));
        crc32fast::hash(&bytes.expect("a query of strings, numbers and dates always serializes"))
    }
}
