//! Suppliers head to head: the open calls that two of them bid on.

use crate::{
    api::analysis::{
        bids::pair::{Pair, Side},
        compared::{Compared, Subject},
    },
    catalog::{ask::Ask, suppliers::Party},
    http::error::ApiError,
    pages::{
        address::{self, Parameters},
        messages::Texts,
    },
};

/// Two suppliers that bid on the same calls.
pub(super) struct HeadToHead {
    pub(super) sentence: String,
    /// The file with the calls. `None` if several suppliers are counted as one.
    pub(super) csv: Option<String>,
}

/// Each two that bid on the same calls.
pub(super) fn head_to_head(ask: &Ask, t: Texts, things: &[Compared]) -> Result<Vec<HeadToHead>, ApiError> {
    let bidders = things.iter().filter_map(|thing| match &thing.subject {
        Subject::Supplier { side, .. } => Some((thing, side)),
        _ => None,
    });
    let bidders: Vec<(&Compared, &Side)> = bidders.collect();
    let mut found = Vec::new();
    for (number, (first, own)) in bidders.iter().enumerate() {
        for (second, other) in &bidders[number + 1..] {
            let pair = Pair::of(ask, (*own).clone(), (*other).clone())?;
            if pair.calls > 0 {
                found.push(HeadToHead {
                    sentence: sentence(t, &pair),
                    csv: csv(t, first, second),
                });
            }
        }
    }
    Ok(found)
}

fn csv(t: Texts, first: &Compared, second: &Compared) -> Option<String> {
    let is_joined = |of: &Compared| matches!(&of.subject, Subject::Supplier { joined, .. } if !joined.is_empty());
    if is_joined(first) || is_joined(second) {
        return None;
    }
    let page = match &first.subject {
        Subject::Supplier { id: Some(id), .. } => address::party(t.language(), Party::Supplier, id),
        _ => address::vendor(t.language(), first.id()),
    };
    let file = format!("{}/calls", address::spreadsheet(&page));
    Some(Parameters::default().with("with", second.id()).after(&file))
}

fn sentence(t: Texts, pair: &Pair) -> String {
    t.with(
        "bidder-pair",
        &[
            ("count", &pair.calls),
            ("first", &pair.a.vendor_name),
            ("first_won", &pair.a.won),
            ("second", &pair.b.vendor_name),
            ("second_won", &pair.b.won),
            ("others", &pair.won_by_others),
        ],
    )
}
