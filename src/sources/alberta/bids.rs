//! The bidders of an opportunity of Alberta: names, places, and the amount of a bid for a single option.
//!
//! The publisher also names the persons to contact, which are left out. A bidder whose number or name an award has is a
//! winner.

use serde_json::Value;

use crate::{
    model::{
        bids::{Bid, NoticeBids, Procedure},
        fold::fold,
    },
    sources::{
        common::bids::{NO_NAME, NOTICE_LEFT_OUT, amount_at, no_amount, noting_repeated},
        reading::{RowCounts, array_at, text, text_at},
    },
};

/// The bids of an opportunity, whose record has this id.
pub(super) fn of_posting(
    row: &Value,
    opportunity: &Value,
    record_id: &str,
    line: u64,
    counts: &mut RowCounts,
) -> Option<NoticeBids> {
    let awards = array_at(row, "/awards");
    let code = text_at(opportunity, "/postingTypeCode");
    let mut bids = Vec::new();
    for bidder in array_at(row, "/bidders") {
        counts.bidders.listed += 1;
        match bid(bidder, awards, line, counts) {
            Some(bid) => bids.push((line, bid)),
            None => counts.refuse_bidders(line, 1, NO_NAME),
        }
    }
    let bids = noting_repeated(bids, counts);
    let days = awards.iter().filter_map(|award| text_at(award, "/awardDate"));
    let days = days.filter_map(|day| text::date(&day).ok()?);
    (!bids.is_empty()).then(|| NoticeBids {
        record_id: record_id.to_owned(),
        procedure: procedure(code.as_deref().unwrap_or_default()),
        notice_type: code,
        award_date: days.min().map(|day| day.to_string()),
        fetched_at: None,
        bids,
    })
}

/// Counts the bidders of an opportunity that is left out before they are read.
pub(super) fn refuse_all(row: &Value, line: u64, counts: &mut RowCounts) {
    let bidders = array_at(row, "/bidders").len() as u64;
    counts.bidders.listed += bidders;
    counts.refuse_bidders(line, bidders, NOTICE_LEFT_OUT);
}

/// Counts the bids of an opportunity that is left out.
pub(super) fn refuse(listed: Option<&NoticeBids>, line: u64, counts: &mut RowCounts) {
    let bidders = listed.map_or(0, |notice| notice.bids.len() as u64);
    counts.refuse_bidders(line, bidders, NOTICE_LEFT_OUT);
}

/// The bid of a bidder; `None` if it has no name.
fn bid(bidder: &Value, awards: &[Value], line: u64, counts: &mut RowCounts) -> Option<Bid> {
    let stated = text_at(bidder, "/alternativeSupplierDisplayName")?;
    let name = text::organization(&stated)?.into_owned();
    let amount = amount(bidder, line, counts);
    let place = |name: &str| text_at(bidder, &format!("/address/{name}"));
    let streets = [place("streetAddress"), place("streetAddress2")];
    Some(Bid {
        name,
        bidder_id: text_at(bidder, "/supplierId"),
        street: text::joined(streets.iter().flatten().map(Into::into).collect(), ", ").map(Into::into),
        city: place("city"),
        province: place("stateProvince"),
        postal_code: place("postalCode"),
        country: place("country"),
        amount,
        unit: amount.map(|_| "CAD".to_owned()),
        won: awards.iter().any(|award| is_of(award, bidder)),
        ..Bid::default()
    })
}

/// The amount of a bid for a single option. What states no amount is noted and left out.
fn amount(bidder: &Value, line: u64, counts: &mut RowCounts) -> Option<f64> {
    match bidder.get("bidAmounts")? {
        Value::Null => None,
        Value::Array(options) => match options.as_slice() {
            [] => None,
            [option @ Value::Object(_)] => amount_at(option, "/amount", line, counts),
            [_] => no_amount(line, counts),
            _ => {
                counts.note_bidder(line, "amounts for several options, left out");
                None
            }
        },
        _ => no_amount(line, counts),
    }
}

/// Whether an award is that of a bidder.
fn is_of(award: &Value, bidder: &Value) -> bool {
    let same = |member: &str| {
        let key = |value: &Value| text_at(value, &format!("/{member}")).map(|text| fold(&text));
        key(award).is_some_and(|text| Some(text) == key(bidder))
    };
    let is_bidder = text_at(award, "/bidderId").is_some_and(|id| Some(id) == text_at(bidder, "/id"));
    is_bidder || same("supplierId") || same("alternativeSupplierDisplayName")
}

/// How the bidders were found, from the type of the posting, such as `OPEN-COMPETITIVE`.
fn procedure(posting_type: &str) -> Procedure {
    match posting_type.to_uppercase() {
        code if code.starts_with("OPEN") => Procedure::Open,
        code if code.contains("INVIT") => Procedure::Invitation,
        code if code.contains("SOLE") || code.contains("DIRECT") => Procedure::Direct,
        _ => Procedure::Other,
    }
}
