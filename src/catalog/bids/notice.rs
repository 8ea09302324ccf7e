//! A notice with its bids, as the store holds it.

use serde::{Deserialize, Serialize};

use crate::model::{Date, bids::Procedure};

/// A notice that lists bidders. Texts and words are numbers in the lists of the store.
///
/// Names are short in the file, because they are half of it otherwise; older programs wrote the long ones.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Notice {
    #[serde(rename = "i", alias = "record_id")]
    pub(crate) record_id: String,
    /// The event date of the tender.
    #[serde(rename = "t", alias = "date", default, skip_serializing_if = "Option::is_none")]
    pub(crate) date: Option<Date>,
    #[serde(rename = "p", alias = "procedure")]
    pub(crate) procedure: Procedure,
    /// The publisher's code or name of its type.
    #[serde(
        rename = "n",
        alias = "notice_type",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) notice_type: Option<u32>,
    /// The first day of an award.
    #[serde(rename = "a", alias = "award_date", default, skip_serializing_if = "Option::is_none")]
    pub(crate) award_date: Option<Date>,
    /// The name of the buyer.
    #[serde(rename = "y", alias = "buyer", default, skip_serializing_if = "Option::is_none")]
    pub(crate) buyer: Option<u32>,
    /// The keys of the tender, by role.
    #[serde(rename = "m", alias = "municipality", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) municipality: Vec<u32>,
    #[serde(rename = "d", alias = "department", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) department: Vec<u32>,
    #[serde(rename = "g", alias = "category", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) category: Vec<u32>,
    #[serde(rename = "c", alias = "commodity", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) commodity: Vec<u32>,
    #[serde(rename = "h", alias = "method", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) method: Vec<u32>,
    /// The words of each text that `q` searches.
    #[serde(rename = "w", alias = "words")]
    pub(crate) words: Vec<Vec<u32>>,
    /// By amount: dollars first, then the other units; those without an amount last.
    #[serde(rename = "b", alias = "bids")]
    pub(crate) bids: Vec<StoredBid>,
}

/// A bid of a notice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredBid {
    /// Number of the bidder in the store.
    #[serde(rename = "b", alias = "bidder")]
    pub(crate) bidder: u32,
    #[serde(rename = "a", alias = "amount", default, skip_serializing_if = "Option::is_none")]
    pub(crate) amount: Option<f64>,
    /// The publisher's code of the unit.
    #[serde(rename = "u", alias = "unit", default, skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<u32>,
    #[serde(rename = "w", alias = "won", default, skip_serializing_if = "is_false")]
    pub(crate) won: bool,
    /// As stated, if the notice states it of its winners too, and does not flag its winners only.
    #[serde(rename = "m", alias = "admissible", default, skip_serializing_if = "Option::is_none")]
    pub(crate) admissible: Option<bool>,
    /// As stated, if the notice states it of its winners too, and does not flag its winners only.
    #[serde(rename = "c", alias = "conforming", default, skip_serializing_if = "Option::is_none")]
    pub(crate) conforming: Option<bool>,
    #[serde(
        rename = "k",
        alias = "contract_amount",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) contract_amount: Option<f64>,
    /// The lots that the bid is for.
    #[serde(rename = "l", alias = "lots", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lots: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Who bids. Two spellings of a name are two bidders with one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Bidder {
    #[serde(rename = "n", alias = "name")]
    pub(crate) name: String,
    /// As contracts have it: `FO-` and the enterprise number, or the publisher's identifier.
    #[serde(rename = "i", alias = "vendor_id", default, skip_serializing_if = "Option::is_none")]
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn short_and_long_names_are_the_same_notice() {
        let long = json!({
            "record_id": "seao|12", "date": 16_437, "procedure": "open", "notice_type": 3, "award_date": null,
            "buyer": 1, "municipality": [4], "department": [2], "category": [], "commodity": [5], "method": [],
            "words": [[1, 2], []],
            "bids": [
                {"bidder": 7, "amount": 10.5, "unit": 6, "won": true, "admissible": true, "conforming": false,
                 "contract_amount": 11.0, "lots": ["a"]},
                {"bidder": 8, "won": false},
            ],
        });
        let notice: Notice = serde_json::from_value(long).unwrap();
        let short = serde_json::to_value(&notice).unwrap();
        assert_eq!(
            short,
            json!({
                "i": "seao|12", "t": 16_437, "p": "open", "n": 3, "y": 1, "m": [4], "d": [2], "c": [5],
                "w": [[1, 2], []],
                "b": [{"b": 7, "a": 10.5, "u": 6, "w": true, "m": true, "c": false, "k": 11.0, "l": ["a"]}, {"b": 8}],
            })
        );
        let read: Notice = serde_json::from_value(short).unwrap();
        assert_eq!(format!("{read:?}"), format!("{notice:?}"));
    }
}
