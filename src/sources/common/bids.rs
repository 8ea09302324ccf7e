//! What the readers of bids share: reasons, notes and amounts.

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    model::bids::Bid,
    sources::reading::{RowCounts, text, value_at},
};

/// Why the bidders of a notice are refused that is itself left out.
pub(crate) const NOTICE_LEFT_OUT: &str = "a bidder of a notice that was left out";
pub(crate) const NO_NAME: &str = "a bidder without a name";
const NO_AMOUNT: &str = "an amount that is no number, left out";
const TWICE: &str = "a bid listed twice with identical values, kept";

/// The bids of a notice without their lines. Each that equals an earlier one is noted.
pub(crate) fn noting_repeated(bids: Vec<(u64, Bid)>, counts: &mut RowCounts) -> Vec<Bid> {
    let mut seen = HashSet::new();
    if bids.len() > 1 {
        for (line, bid) in &bids {
            if !seen.insert(serde_json::to_string(bid).unwrap_or_default()) {
                counts.note_bidder(*line, TWICE);
            }
        }
    }
    bids.into_iter().map(|(_, bid)| bid).collect()
}

/// An amount; 0 counts as absent. One that is no number is noted and left out.
pub(crate) fn amount(raw: &str, line: u64, counts: &mut RowCounts) -> Option<f64> {
    text::given_amount(raw).unwrap_or_else(|_| no_amount(line, counts))
}

/// The amount at a JSON pointer: a number, or a text that states one, such as `"7.5"`. Any other value but `null` is
/// noted and left out.
pub(crate) fn amount_at(value: &Value, pointer: &str, line: u64, counts: &mut RowCounts) -> Option<f64> {
    match value_at(value, pointer)? {
        Value::Null => None,
        Value::String(text) => amount(text, line, counts),
        Value::Number(number) => amount(&number.to_string(), line, counts),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => no_amount(line, counts),
    }
}

/// Notes a value that states no amount.
pub(crate) fn no_amount(line: u64, counts: &mut RowCounts) -> Option<f64> {
    counts.note_bidder(line, NO_AMOUNT);
    None
}
