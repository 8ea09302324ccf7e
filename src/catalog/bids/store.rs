//! All bids of a generation.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{
    notice::{Bidder, Notice, StoredBid, Unit},
    words::Stems,
};
use crate::model::Facet;

/// The bids of a generation, by notice and by bidder.
#[derive(Debug, Default)]
pub(crate) struct BidStore {
    stored: StoredBids,
    /// The positions of the notices, in the order of their `record_id`.
    by_id: Vec<u32>,
    /// The key of each bidder: equal for all spellings of a name.
    keys: Vec<String>,
    /// By key of the bidder: the positions of the notices with a bid of it, in their order.
    by_bidder: BTreeMap<String, Vec<u32>>,
    bids: u64,
    /// Computed on the first search for words.
    stems: OnceLock<Stems>,
}

/// What is stored on disk.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StoredBids {
    pub(crate) bidders: Vec<Bidder>,
    /// Distinct keys and names of notices.
    pub(crate) texts: Vec<String>,
    /// Distinct folded words of notices.
    pub(crate) words: Vec<String>,
    /// In the default order of tenders: newest first, equal days by `record_id`.
    pub(crate) notices: Vec<Notice>,
}

impl From<StoredBids> for BidStore {
    fn from(stored: StoredBids) -> BidStore {
        let keys: Vec<String> = stored.bidders.iter().map(|bidder| key(&bidder.name)).collect();
        let mut bids = 0;
        // Spellings of one name share a key, so the positions are collected by the first bidder that has it.
        let mut firsts: FxHashMap<&str, usize> = FxHashMap::default();
        let first_of: Vec<usize> = (0..)
            .zip(&keys)
            .map(|(number, key)| *firsts.entry(key).or_insert(number))
            .collect();
        let mut positions_of: Vec<Vec<u32>> = vec![Vec::new(); keys.len()];
        for (notice, position) in stored.notices.iter().zip(0u32..) {
            bids += notice.bids.len() as u64;
            for bid in &notice.bids {
                let Some(first) = first_of.get(bid.bidder as usize) else {
                    continue;
                };
                let positions = &mut positions_of[*first];
                if positions.last() != Some(&position) {
                    positions.push(position);
                }
            }
        }
        let mut by_id: Vec<u32> = (0..).zip(&stored.notices).map(|(position, _)| position).collect();
        by_id.sort_unstable_by_key(|position| &stored.notices[*position as usize].record_id);
        let by_bidder = keys.iter().cloned().zip(positions_of);
        let by_bidder = by_bidder.filter(|(_, positions)| !positions.is_empty()).collect();
        BidStore {
            stored,
            by_id,
            keys,
            by_bidder,
            bids,
            stems: OnceLock::new(),
        }
    }
}

/// The key of a bidder's name, as that of a vendor.
pub(crate) fn key(name: &str) -> String {
    Facet::Vendor.key(name)
}

/// The number of bidders that have some keys, one for each bid.
pub(super) fn count_distinct<K: Ord>(keys: impl Iterator<Item = K>) -> usize {
    let mut keys: Vec<K> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    keys.len()
}

impl BidStore {
    /// Number of bids.
    pub(crate) fn bids(&self) -> u64 {
        self.bids
    }

    /// In the default order of tenders.
    pub(crate) fn notices(&self) -> &[Notice] {
        &self.stored.notices
    }

    pub(crate) fn notice(&self, record_id: &str) -> Option<&Notice> {
        let id_of = |position: &u32| self.stored.notices[*position as usize].record_id.as_str();
        let found = self.by_id.binary_search_by_key(&record_id, id_of).ok()?;
        self.stored.notices.get(self.by_id[found] as usize)
    }

    /// The notices with a bid of a bidder that has one of these keys, in their order.
    pub(crate) fn notices_of(&self, keys: &[String]) -> impl Iterator<Item = &Notice> {
        let numbers = self.numbers_of(keys).into_iter();
        numbers.filter_map(|number| self.stored.notices.get(number))
    }

    /// The numbers of these notices.
    pub(super) fn numbers_of(&self, keys: &[String]) -> Vec<usize> {
        let positions = keys.iter().filter_map(|key| self.by_bidder.get(key)).flatten();
        let mut numbers: Vec<usize> = positions.map(|position| *position as usize).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The name of the bidder with a key: its most frequent spelling, of equal ones the first by letters.
    pub(crate) fn name_of(&self, key: &str) -> Option<&str> {
        let mut spellings: BTreeMap<&str, u64> = BTreeMap::new();
        for notice in self.notices_of(&[key.to_owned()]) {
            for bid in notice.bids.iter().filter(|bid| self.key(bid) == key) {
                *spellings.entry(&self.bidder(bid)?.name).or_default() += 1;
            }
        }
        let best = spellings
            .into_iter()
            .max_by_key(|(name, count)| (*count, Reverse(*name)));
        best.map(|(name, _)| name)
    }

    pub(crate) fn bidder(&self, bid: &StoredBid) -> Option<&Bidder> {
        self.stored.bidders.get(bid.bidder as usize)
    }

    /// The key of the bidder of a bid.
    pub(crate) fn key(&self, bid: &StoredBid) -> &str {
        self.keys.get(bid.bidder as usize).map_or("", String::as_str)
    }

    /// The number of bidders of a notice. Several bids of one are those for lots, or one bid that is repeated.
    pub(crate) fn bidders(&self, notice: &Notice) -> usize {
        count_distinct(notice.bids.iter().map(|bid| self.key(bid)))
    }

    /// The number of distinct bids of a notice. A row with the bidder, amount, unit, result and lots of another row is
    /// the same bid: of 265 notices of SEAO's exports of 2009 to 2018 that list a bidder twice, 199 only repeat rows.
    pub(crate) fn distinct_bids(&self, notice: &Notice) -> usize {
        count_distinct(notice.bids.iter().map(|bid| self.identity(bid)))
    }

    /// Equal for two rows of a notice that are the same bid.
    pub(crate) fn identity<'s>(&'s self, bid: &'s StoredBid) -> impl Ord + use<'s> {
        let unit = self.unit(bid);
        let unknown_unit = bid.unit.filter(|_| unit == Unit::Other);
        let amount = bid.amount.map(f64::to_bits);
        (self.key(bid), amount, unit, unknown_unit, bid.won, &bid.lots)
    }

    /// Whether a notice has lots, or a bidder has several distinct bids: then amounts are prices of different things.
    pub(crate) fn has_lots(&self, notice: &Notice) -> bool {
        notice.bids.iter().any(|bid| !bid.lots.is_empty()) || self.bidders(notice) < self.distinct_bids(notice)
    }

    /// All keys of bidders, by number of the bidder.
    pub(super) fn keys(&self) -> &[String] {
        &self.keys
    }

    pub(crate) fn text(&self, number: Option<u32>) -> Option<&str> {
        self.stored.texts.get(number? as usize).map(String::as_str)
    }

    pub(super) fn texts(&self) -> &[String] {
        &self.stored.texts
    }

    /// The publisher's code of a bid's unit.
    pub(crate) fn unit_code(&self, bid: &StoredBid) -> Option<&str> {
        self.text(bid.unit)
    }

    pub(crate) fn unit(&self, bid: &StoredBid) -> Unit {
        Unit::of(self.unit_code(bid))
    }

    /// The amount, if it is in dollars and above zero.
    pub(crate) fn dollars(&self, bid: &StoredBid) -> Option<f64> {
        bid.amount
            .filter(|amount| *amount > 0.0 && self.unit(bid) == Unit::Dollars)
    }

    /// The amounts of a notice in dollars and above zero, admitted or not, of each bidder the lowest; the lowest first.
    pub(crate) fn dollar_amounts(&self, notice: &Notice) -> Vec<f64> {
        // The bids are in the order of their amounts, dollars first.
        let mut bidders = BTreeSet::new();
        let bids = notice.bids.iter();
        bids.filter_map(|bid| self.dollars(bid).filter(|_| bidders.insert(self.key(bid))))
            .collect()
    }

    /// The amount, if it is in dollars.
    pub(super) fn dollars_stated(&self, bid: &StoredBid) -> Option<f64> {
        bid.amount.filter(|_| self.unit(bid) == Unit::Dollars)
    }

    pub(super) fn words(&self) -> &[String] {
        &self.stored.words
    }

    pub(super) fn stems(&self) -> &Stems {
        self.stems.get_or_init(|| Stems::of(&self.stored.words))
    }
}
