//! The bids of a notice, as `procure normalize` writes them: one line of `bids/<source_id>.ndjson` for each notice.
//!
//! Names, numbers, places and amounts are those of the publisher. What they mean is decided where they are read.

use serde::{Deserialize, Serialize};

/// The bids of one notice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoticeBids {
    /// The `record_id` of the tender.
    pub record_id: String,
    /// How the buyer found its bidders.
    pub procedure: Procedure,
    /// The publisher's code or name of the notice's type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice_type: Option<String>,
    /// The day of the award, `2018-01-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub award_date: Option<String>,
    /// When the tender was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetched_at: Option<String>,
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

impl Procedure {
    pub const ALL: [Procedure; 4] = [
        Procedure::Open,
        Procedure::Invitation,
        Procedure::Direct,
        Procedure::Other,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Procedure::Open => "open",
            Procedure::Invitation => "invitation",
            Procedure::Direct => "direct",
            Procedure::Other => "other",
        }
    }

    pub fn parse(name: &str) -> Option<Procedure> {
        Procedure::ALL.into_iter().find(|procedure| procedure.name() == name)
    }
}

/// A bid, as published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

impl Bid {
    /// The identifier that a contract of this bidder has: the publisher's, or `FO-` and the enterprise number.
    pub fn vendor_id(&self) -> Option<String> {
        let number = || self.number.as_deref().filter(|number| is_enterprise_number(number));
        self.bidder_id
            .clone()
            .or_else(|| number().map(|number| format!("FO-{number}")))
    }
}

/// Whether a text is an enterprise number (NEQ): ten digits, of which the first two state the legal form. Placeholders
/// such as `1234567890` begin with others.
pub fn is_enterprise_number(text: &str) -> bool {
    let has_known_form = ["11", "22", "33", "88"].iter().any(|form| text.starts_with(form));
    has_known_form && text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit())
}
