//! The bids of one notice, compared with each other.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::bids::{BidStore, Notice, StoredBid},
    model::{Date, bids::Procedure},
};

/// A bid.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Bid", description = "A bid")]
pub(crate) struct BidRow<'a> {
    /// The bidder's name.
    pub(crate) vendor_name: &'a str,
    /// As contracts have it.
    pub(crate) vendor_id: Option<&'a str>,
    /// Null if the notice gives none.
    pub(crate) amount: Option<f64>,
    /// The unit of the amount: `dollars`, `dollars_per_year`, `us_dollars`, `percent`, `dollars_per_hour`, `points` or
    /// `other`.
    pub(crate) unit: Option<&'static str>,
    /// The publisher's code of the unit.
    pub(crate) unit_code: Option<&'a str>,
    /// Whether it won; of a call with lots, whether it won a lot with this bid.
    pub(crate) won: bool,
    /// Whether the buyer admitted it; null where the notice does not state it.
    pub(crate) admissible: Option<bool>,
    /// Whether it conforms to the call; null where the notice does not state it.
    pub(crate) conforming: Option<bool>,
    /// The amount of the winner's contract.
    pub(crate) contract_amount: Option<f64>,
    /// In dollars, above the lowest bid; null for another unit, and on a tender with lots.
    pub(crate) distance_to_lowest: Option<f64>,
    /// In dollars, above the lowest bid that won; negative below it. Null for another unit, without a winner, and on a
    /// tender with lots.
    pub(crate) distance_to_winner: Option<f64>,
    /// The publisher's identifiers of the lots that it is for.
    pub(crate) lots: &'a [String],
}

/// A bid with the notice that it is on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "NoticeBid", description = "A bid, and the tender that it is on")]
pub(crate) struct NoticeBidRow<'a> {
    /// That of the tender.
    pub(crate) record_id: &'a str,
    /// The event date of the tender.
    #[schemars(extend("format" = "date"))]
    pub(crate) date: Option<String>,
    /// The name of the buyer.
    pub(crate) department: Option<&'a str>,
    /// How the buyer found its bidders.
    #[schemars(with = "String")]
    pub(crate) procedure: Procedure,
    /// Whether the amounts of the bids on the tender are prices of different things, as those of lots are. Then they
    /// have no distances.
    pub(crate) has_lots: bool,
    #[serde(flatten)]
    pub(crate) bid: BidRow<'a>,
}

/// The dollar amounts of a notice, compared with each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DollarBids {
    /// Whether they are prices of different things. Then there is nothing to compare, and no other figure.
    pub(crate) has_lots: bool,
    pub(crate) lowest: Option<f64>,
    pub(crate) second_lowest: Option<f64>,
    /// The lowest that won.
    pub(crate) winner: Option<f64>,
    /// The highest minus the lowest, as a share of the lowest.
    pub(crate) spread: Option<f64>,
    /// The standard deviation as a share of the mean.
    pub(crate) coefficient_of_variation: Option<f64>,
}

impl DollarBids {
    /// Of all bids with a positive amount in dollars, admitted or not, one of each bidder.
    pub(crate) fn of(store: &BidStore, notice: &Notice) -> DollarBids {
        let has_lots = store.has_lots(notice);
        if has_lots {
            return DollarBids {
                has_lots,
                ..DollarBids::default()
            };
        }
        let amounts = store.dollar_amounts(notice);
        let winner = notice
            .bids
            .iter()
            .filter(|bid| bid.won)
            .find_map(|bid| store.dollars(bid));
        let mut figures = DollarBids {
            has_lots,
            lowest: amounts.first().copied(),
            second_lowest: amounts.get(1).copied(),
            winner,
            ..DollarBids::default()
        };
        if let [lowest, .., highest] = amounts.as_slice() {
            let count = amounts.len() as f64;
            let mean = amounts.iter().sum::<f64>() / count;
            let squares: f64 = amounts.iter().map(|amount| (amount - mean).powi(2)).sum();
            figures.spread = Some(rounded((highest - lowest) / lowest));
            figures.coefficient_of_variation = Some(rounded((squares / count).sqrt() / mean));
        }
        figures
    }
}

/// A share to six decimals.
pub(crate) fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

/// Dollars to the cent.
pub(crate) fn cents(dollars: f64) -> f64 {
    (dollars * 100.0).round() / 100.0
}

impl<'a> BidRow<'a> {
    pub(crate) fn new(store: &'a BidStore, bid: &'a StoredBid, figures: &DollarBids) -> BidRow<'a> {
        let bidder = store.bidder(bid);
        let code = store.unit_code(bid);
        let above = |other: Option<f64>| Some(cents(store.dollars(bid)? - other?));
        BidRow {
            vendor_name: bidder.map_or("", |bidder| &bidder.name),
            vendor_id: bidder.and_then(|bidder| bidder.vendor_id.as_deref()),
            amount: bid.amount,
            unit: (code.is_some() || bid.amount.is_some()).then(|| store.unit(bid).name()),
            unit_code: code,
            won: bid.won,
            admissible: bid.admissible,
            conforming: bid.conforming,
            contract_amount: bid.contract_amount,
            distance_to_lowest: above(figures.lowest),
            distance_to_winner: above(figures.winner),
            lots: &bid.lots,
        }
    }
}

impl<'a> NoticeBidRow<'a> {
    pub(crate) fn new(
        store: &'a BidStore,
        notice: &'a Notice,
        bid: &'a StoredBid,
        figures: &DollarBids,
    ) -> NoticeBidRow<'a> {
        NoticeBidRow {
            record_id: &notice.record_id,
            date: notice.date.map(|day: Date| day.to_string()),
            department: store.text(notice.buyer),
            procedure: notice.procedure,
            has_lots: figures.has_lots,
            bid: BidRow::new(store, bid, figures),
        }
    }
}

/// The bids of a notice, by amount: dollars first, then the other units; those without an amount last.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(
    rename = "TenderBids",
    description = "The bids on a tender, by amount. The figures are of the bids in dollars, one of each bidder"
)]
pub(crate) struct NoticeBids<'a> {
    pub(crate) record_id: &'a str,
    /// Number of bids; 0 where the publisher states none.
    pub(crate) count: usize,
    /// Number of bidders: one may bid for several lots, or be listed twice with the same bid.
    pub(crate) bidders: usize,
    /// How the buyer found its bidders: `open` call, `invitation`, `direct` award or `other`.
    #[schemars(with = "Option<String>")]
    pub(crate) procedure: Option<Procedure>,
    /// The publisher's code or name of the notice's type.
    pub(crate) notice_type: Option<&'a str>,
    #[schemars(extend("format" = "date"))]
    pub(crate) award_date: Option<String>,
    /// Whether it has lots, or a bidder has different bids: then amounts are prices of different things, and the
    /// figures that compare them are null.
    pub(crate) has_lots: bool,
    /// In dollars.
    pub(crate) lowest: Option<f64>,
    /// That of another bidder than the lowest one.
    pub(crate) second_lowest: Option<f64>,
    /// The highest minus the lowest bid, as a share of the lowest.
    pub(crate) spread: Option<f64>,
    /// The standard deviation of the bids as a share of their mean.
    pub(crate) coefficient_of_variation: Option<f64>,
    pub(crate) results: Vec<BidRow<'a>>,
}

impl<'a> NoticeBids<'a> {
    /// The bids on a tender; none if the store has none of it.
    pub(crate) fn of(store: &'a BidStore, record_id: &'a str) -> NoticeBids<'a> {
        let notice = store.notice(record_id);
        let figures = notice.map(|notice| DollarBids::of(store, notice)).unwrap_or_default();
        let rows = |notice: &'a Notice| {
            let bids = notice.bids.iter();
            bids.map(|bid| BidRow::new(store, bid, &figures)).collect()
        };
        NoticeBids {
            record_id,
            count: notice.map_or(0, |notice| notice.bids.len()),
            bidders: notice.map_or(0, |notice| store.bidders(notice)),
            procedure: notice.map(|notice| notice.procedure),
            notice_type: notice.and_then(|notice| store.text(notice.notice_type)),
            award_date: notice.and_then(|notice| notice.award_date).map(|day| day.to_string()),
            has_lots: figures.has_lots,
            lowest: figures.lowest,
            second_lowest: figures.second_lowest,
            spread: figures.spread,
            coefficient_of_variation: figures.coefficient_of_variation,
            results: notice.map_or_else(Vec::new, rows),
        }
    }
}
