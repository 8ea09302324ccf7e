//! Prices of an open call other than that of its contract.

use super::{notice::Notice, store::BidStore};
use crate::{engine::aggregation::nearest_rank, model::bids::Procedure};

/// A bid on an open call, as what its contract could have cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallPrice {
    /// The bid that won.
    Winning,
    /// The second-lowest bid.
    SecondLowest,
    /// The median bid, by nearest rank.
    Median,
}

impl CallPrice {
    /// The price for a contract, in dollars. `None` unless it has the only winner of an open call without lots, and the
    /// call has two bidders or more in dollars, with the winner among them. So all prices exist, or none.
    pub(crate) fn of(self, store: &BidStore, contract_id: &str) -> Option<f64> {
        let notice = notice_of(store, contract_id)?;
        let bids = notice.bids.iter();
        let winners: Vec<f64> = bids
            .filter(|bid| bid.won)
            .map(|bid| store.dollars(bid))
            .collect::<Option<_>>()?;
        let amounts = store.dollar_amounts(notice);
        let [winner] = winners[..] else { return None };
        if notice.procedure != Procedure::Open || store.has_lots(notice) || amounts.len() < 2 {
            return None;
        }
        match self {
            CallPrice::Winning => Some(winner),
            CallPrice::SecondLowest => amounts.get(1).copied(),
            CallPrice::Median => amounts.get(nearest_rank(50, amounts.len())).copied(),
        }
    }
}

/// The notice of a contract, whose `record_id` begins with that of its tender: `seao|123|…` is of `seao|123`.
fn notice_of<'s>(store: &'s BidStore, contract_id: &str) -> Option<&'s Notice> {
    let mut ends = contract_id.match_indices('|').map(|(end, _)| end);
    ends.find_map(|end| store.notice(&contract_id[..end]))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::catalog::bids::StoredBids;

    /// Bids as bidder, amount in dollars and whether it won.
    fn store(procedure: &str, bids: &[(u32, Option<f64>, bool)]) -> BidStore {
        let bid =
            |(bidder, amount, won): &(u32, Option<f64>, bool)| json!({"bidder": bidder, "amount": amount, "won": won});
        let bids: Vec<Value> = bids.iter().map(bid).collect();
        let bidders: Vec<Value> = (0..9)
            .map(|number| json!({"name": format!("Bidder {number}"), "vendor_id": null}))
            .collect();
        let none = json!([]);
        let notice = json!({
            "record_id": "seao|12", "date": null, "procedure": procedure, "notice_type": null, "award_date": null,
            "buyer": null, "municipality": none, "department": none, "category": none, "commodity": none,
            "method": none, "words": none, "bids": bids,
        });
        let stored = json!({"bidders": bidders, "texts": none, "words": none, "notices": [notice]});
        BidStore::from(serde_json::from_value::<StoredBids>(stored).unwrap())
    }

    fn prices(store: &BidStore, contract_id: &str) -> [Option<f64>; 3] {
        [CallPrice::Winning, CallPrice::SecondLowest, CallPrice::Median].map(|price| price.of(store, contract_id))
    }

    #[test]
    fn a_contract_has_the_prices_of_its_open_call() {
        let bids = [
            (0, Some(10.0), false),
            (0, Some(10.0), false),
            (1, Some(12.0), true),
            (2, Some(15.0), false),
            (3, Some(19.0), false),
            (4, None, false),
        ];
        let open = store("open", &bids);
        assert_eq!(prices(&open, "seao|12|acme|2009-01-02|12"), [Some(12.0); 3]);
        let without_lowest = store("open", &bids[2..]);
        assert_eq!(
            prices(&without_lowest, "seao|12|x"),
            [Some(12.0), Some(15.0), Some(15.0)]
        );
        for unknown in ["seao|12", "seao|1|x", "seao|123|x", "alberta|12|x", ""] {
            assert_eq!(prices(&open, unknown), [None; 3], "{unknown}");
        }
    }

    #[test]
    fn a_call_that_does_not_decide_one_price_has_none() {
        let (won, lost) = ((0, Some(10.0), true), (1, Some(12.0), false));
        for (procedure, bids) in [
            ("invitation", vec![won, lost]),
            ("direct", vec![won]),
            ("open", vec![won]),
            ("open", vec![lost, (2, Some(13.0), false)]),
            ("open", vec![won, (1, Some(12.0), true)]),
            ("open", vec![(0, None, true), lost, (2, Some(13.0), false)]),
            ("open", vec![won, (1, None, false)]),
            // Different bids of one bidder are those for lots.
            ("open", vec![won, lost, (1, Some(14.0), false)]),
        ] {
            assert_eq!(
                prices(&store(procedure, &bids), "seao|12|x"),
                [None; 3],
                "{procedure} {bids:?}"
            );
        }
    }
}
