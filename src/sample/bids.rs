//! The bids on the notices of SEAO, and what its publisher states of the bidders.
//!
//! The winner is the supplier of the project, so that it is that of the contract. The others are the largest firms of
//! its trade, so that the same rivals meet again and again.

use super::{
    generator::Generator,
    random::{Sequence, exp},
    sources::SampleSource,
};
use crate::model::{
    Date,
    bids::{Bid, NoticeBids, Procedure},
    supplier_mention::{SupplierMention, SupplierMentions},
};

/// How many firms of a trade bid on its calls.
const RIVALS: u32 = 7;

/// Of one hundred notices, how many state their bids.
const STATED: u32 = 60;

/// Of one hundred notices, how many state whether a bid was admissible and conforms. Of SEAO's open calls of a year, it
/// is half to three quarters.
const FLAGGED: u32 = 60;

impl Generator {
    /// The bids on the tender that was written last; `None` if it is still open or states none.
    pub(super) fn bids(&mut self, source: &'static SampleSource, record: u64) -> Option<NoticeBids> {
        self.random.start(Sequence::Bids(source.index), record);
        let value = self.project.value.filter(|cents| *cents > 0)?;
        let is_cancelled = matches!(self.value("lot").as_str(), "0" | "1" | "2" | "3" | "4");
        if !self.value("open").is_empty() || is_cancelled || !self.random.percent(STATED) {
            return None;
        }
        let procedure = match self.value("method.code").as_str() {
            "open" => Procedure::Open,
            "limited" => Procedure::Invitation,
            "direct" => Procedure::Direct,
            _ => Procedure::Other,
        };
        let (record_id, award_date) = (format!("seao|{}", self.value("notice")), self.value("awarded"));
        let fetched = self.value("fetched");
        let others = match procedure {
            Procedure::Open => self.random.below(RIVALS),
            Procedure::Invitation => self.random.below(3),
            Procedure::Direct | Procedure::Other => 0,
        };
        let bidders = self.bidders(others);
        let has_flags = self.random.percent(FLAGGED);
        let mut bids = Vec::new();
        for (number, bidder) in bidders.into_iter().enumerate() {
            bids.push(self.bid(record, number, bidder, value, has_flags));
        }
        Some(NoticeBids {
            record_id,
            procedure,
            notice_type: None,
            award_date: Some(award_date),
            fetched_at: Some(fetched),
            bids,
        })
    }

    /// The number of the winner, then those of other suppliers of its trade.
    fn bidders(&mut self, others: u32) -> Vec<u32> {
        let trades = self.choices.topics.trades.len() as u32;
        let winner = self.project.supplier;
        let mut firms: Vec<u32> = (0..RIVALS).map(|rank| winner % trades + rank * trades).collect();
        firms.retain(|firm| *firm != winner);
        let mut bidders = vec![winner];
        for _ in 0..others.min(firms.len() as u32) {
            let drawn = self.random.below(firms.len() as u32) as usize;
            bidders.push(firms.swap_remove(drawn));
        }
        bidders
    }

    /// The bid of a supplier. The first one won.
    fn bid(&mut self, record: u64, number: usize, bidder: u32, value: i64, has_flags: bool) -> Bid {
        let source = self.source;
        self.draw_supplier(bidder);
        // Drawing a supplier starts its own sequence.
        let position = record * u64::from(RIVALS + 1) + number as u64;
        self.random.start(Sequence::Bid(source.index), position);
        let won = number == 0;
        // Some lower bids do not conform to the call.
        let is_rejected = !won && self.random.percent(12) && has_flags;
        let above = if is_rejected {
            -0.2 * self.random.normal().abs().min(2.0)
        } else {
            0.14 * self.random.normal().abs()
        };
        let amount = if won {
            value
        } else {
            (value as f64 * exp(above)).round() as i64
        };
        let is_short = self.random.percent(20);
        let (name, short) = (self.value("supplier"), self.value("name"));
        Bid {
            name: if is_short && !short.is_empty() { short } else { name },
            number: Some(self.value("neq")),
            city: Some(self.value("city")),
            province: Some(self.value("province.en")),
            postal_code: Some(self.value("postal-code")),
            amount: Some(amount as f64 / 100.0),
            unit: Some("1".to_owned()),
            won,
            admissible: has_flags.then_some(true),
            conforming: has_flags.then_some(!is_rejected),
            contract_amount: won.then_some(value as f64 / 100.0),
            ..Bid::default()
        }
    }
}

/// What a notice states of its bidders. Memory: the distinct statements.
pub(super) fn observe(suppliers: &mut SupplierMentions, notice: &NoticeBids, source: &str) {
    let day = notice.award_date.as_deref().and_then(|day| Date::parse(day).ok());
    for bid in &notice.bids {
        let mention = SupplierMention::of(&bid.name, source).at(bid.city.as_deref(), bid.postal_code.as_deref());
        suppliers.add_with_neq(mention, bid.number.as_deref().unwrap_or_default(), day);
    }
}
