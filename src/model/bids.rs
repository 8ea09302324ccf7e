//! The bids of a notice, as `procure normalize` writes them: one line of `bids/<source_id>.ndjson` for each notice.
//!
//! Names, numbers, places and amounts are those of the publisher. What they mean is decided where they are read.

use serde::{Deserialize, Serialize};

/// The bids of one notice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoticeBids {
    /// That of the tender.
    pub record_id: String,
    /// How the buyer found its bidders.
    pub procedure: Procedure,
    /// The publisher's code or name of the notice's type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice_type: Option<String>,
    /// The day of the award, `2018-01-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub award_date: Option<String>,
    /// In the publisher's order.
    pub bids: Vec<Bid>,
}

/// How the buyer of a notice found its bidders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Procedure {
    /// A public call, which anyone may answer.
    Open,
    /// A call that only invited enterprises may answer. Many notices list the winner only.
    Invitation,
    /// An award without a call: its supplier is listed as the only bidder. It is no competition.
    Direct,
    /// Any other, or one that the notice does not state.
    Other,
}

/// A bid, as published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bid {
    /// The bidder's name.
    pub name: String,
    /// The bidder's enterprise number (NEQ), which may be a placeholder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// The publisher's identifier of the bidder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bidder_id: Option<String>,
    /// Street and number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub street: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub province: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Absent if the notice gives none; SEAO writes `0.000000` for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<f64>,
    /// The publisher's code of the amount's unit. SEAO's `0` and `1` are dollars; Alberta's amounts have `CAD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Whether the notice names the bidder as a winner, of this lot if it has several.
    pub won: bool,
    /// The publisher's flag, as stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admissible: Option<bool>,
    /// The publisher's flag, as stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conforming: Option<bool>,
    /// The amount of the winner's contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_amount: Option<f64>,
    /// The amount of the winner's contract with its options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_total: Option<f64>,
    /// The publisher's identifiers of the lots that the bid is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lots: Vec<String>,
}
