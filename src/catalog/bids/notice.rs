//! A notice with its bids, as the store holds it.

use serde::{Deserialize, Serialize};

use crate::model::{Date, bids::Procedure};

/// A notice that lists bidders. Texts and words are numbers in the lists of the store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Notice {
    pub(crate) record_id: String,
    /// The event date of the tender.
    pub(crate) date: Option<Date>,
    pub(crate) procedure: Procedure,
    /// The publisher's code or name of its type.
    pub(crate) notice_type: Option<u32>,
    /// The first day of an award.
    pub(crate) award_date: Option<Date>,
    /// The name of the buyer.
    pub(crate) buyer: Option<u32>,
    /// The keys of the tender, by role.
    pub(crate) municipality: Vec<u32>,
    pub(crate) department: Vec<u32>,
    pub(crate) category: Vec<u32>,
    pub(crate) commodity: Vec<u32>,
    pub(crate) method: Vec<u32>,
    /// The words of each text that `q` searches.
    pub(crate) words: Vec<Vec<u32>>,
    /// By amount: dollars first, then the other units; those without an amount last.
    pub(crate) bids: Vec<StoredBid>,
}

/// A bid of a notice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredBid {
    /// Number of the bidder in the store.
    pub(crate) bidder: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) amount: Option<f64>,
    /// The publisher's code of the unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<u32>,
    pub(crate) won: bool,
    /// As stated, if the notice states it of its winners too, and does not flag its winners only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) admissible: Option<bool>,
    /// As stated, if the notice states it of its winners too, and does not flag its winners only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) conforming: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) contract_amount: Option<f64>,
    /// The lots that the bid is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lots: Vec<String>,
}

/// Who bids. Two spellings of a name are two bidders with one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Bidder {
    pub(crate) name: String,
    /// As contracts have it: `FO-` and the enterprise number, or the publisher's identifier.
    pub(crate) vendor_id: Option<String>,
}

/// The unit of an amount. Amounts of different units are never compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Unit {
    Dollars,
    DollarsPerYear,
    UsDollars,
    Percent,
    DollarsPerHour,
    Points,
    /// A unit of which no meaning is known.
    Other,
}

impl Unit {
    /// The unit of a publisher's code. Without a code it is dollars: the form did not ask for the unit.
    pub(crate) fn of(code: Option<&str>) -> Unit {
        match code.unwrap_or_default().trim().trim_start_matches('0') {
            "" | "1" | "CAD" => Unit::Dollars,
            "2" => Unit::DollarsPerYear,
            "7" => Unit::UsDollars,
            "8" => Unit::Percent,
            "10" => Unit::DollarsPerHour,
            "11" => Unit::Points,
            _ => Unit::Other,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Unit::Dollars => "dollars",
            Unit::DollarsPerYear => "dollars_per_year",
            Unit::UsDollars => "us_dollars",
            Unit::Percent => "percent",
            Unit::DollarsPerHour => "dollars_per_hour",
            Unit::Points => "points",
            Unit::Other => "other",
        }
    }
}
