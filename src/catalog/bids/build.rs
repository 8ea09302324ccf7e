//! Builds the store from the dumps of bids and the tenders of the index.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, hash_map::Entry},
    ops::Range,
    path::Path,
};

use anyhow::{Context, bail};
use rustc_hash::FxHashMap;

use super::{
    notice::{Bidder, Notice, StoredBid, Unit},
    store::{StoredBids, count_distinct, key},
};
use crate::{
    catalog::all_matches::for_each_page,
    engine::{Deadline, Engine},
    model::{
        Date, EntityType, Record, Role, Schema,
        bids::{Bid, NoticeBids, Procedure},
        fold,
        record_id::record_id,
    },
    query::SearchQuery,
    storage::dump::{self, DumpLine, DumpLineReader},
};

/// What became of the lines of the dumps of bids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BidsReport {
    pub lines: u64,
    /// Notices and bids in the store.
    pub notices: u64,
    pub bids: u64,
    /// Lines of a notice that another line has with a newer `fetched_at`, or with an equal one and read later.
    pub duplicates: u64,
    /// Lines of notices that are not among the tenders.
    pub unknown: u64,
    /// Lines that are no bids of a notice; the first of them, as `file line: reason`.
    pub invalid: u64,
    pub first_invalid: Option<String>,
}

/// The bids of all dumps, by the `record_id` of their notice.
///
/// They wait as text until the tenders are indexed: as values, their many small texts would slow down every allocation
/// of the build.
#[derive(Debug, Default)]
pub(crate) struct DumpBids {
    /// One line after the other.
    text: Vec<u8>,
    notices: FxHashMap<String, Line>,
    report: BidsReport,
}

/// A notice in the text.
#[derive(Debug)]
struct Line {
    place: Range<usize>,
    fetched_at: Option<String>,
    /// The number of bidders of an open call.
    bidders: Option<u32>,
}

impl DumpBids {
    /// Reads the dumps of bids in a folder of dumps. With `strict`, an invalid line is an error.
    pub(crate) fn read(dumps: &Path, strict: bool) -> anyhow::Result<DumpBids> {
        let mut read = DumpBids::default();
        for file in dump::list_bids(dumps)? {
            let path = &file.path;
            let mut lines = DumpLineReader::open(path).with_context(|| format!("opening {}", path.display()))?;
            let mut line = Vec::new();
            while let Some(number) = lines
                .next_line(&mut line)
                .with_context(|| format!("reading {}", path.display()))?
            {
                read.report.lines += 1;
                let added = match number {
                    DumpLine::Read(number) => read.add(&line).map_err(|why| (number, why)),
                    DumpLine::TooLong(number, _) => Err((number, "longer than 256 KiB".to_owned())),
                };
                line.clear();
                if let Err((number, why)) = added {
                    let problem = format!("{} line {number}: {why}", path.display());
                    if strict {
                        bail!("{problem}");
                    }
                    read.report.invalid += 1;
                    read.report.first_invalid.get_or_insert(problem);
                }
            }
        }
        Ok(read)
    }

    fn add(&mut self, line: &[u8]) -> Result<(), String> {
        let notice: NoticeBids = serde_json::from_slice(line).map_err(|why| why.to_string())?;
        let is_named = |bid: &Bid| !bid.name.trim().is_empty();
        if notice.record_id.is_empty() || notice.bids.is_empty() || !notice.bids.iter().all(is_named) {
            return Err("a notice without record_id or bids, or a bid without a name".to_owned());
        }
        if let Some(known) = self.notices.get(&notice.record_id) {
            self.report.duplicates += 1;
            if known.fetched_at > notice.fetched_at {
                return Ok(());
            }
        }
        let start = self.text.len();
        self.text.extend_from_slice(line);
        let line = Line {
            place: start..self.text.len(),
            bidders: (notice.procedure == Procedure::Open).then(|| bidders(&notice)),
            fetched_at: notice.fetched_at,
        };
        self.notices.insert(notice.record_id, line);
        Ok(())
    }

    /// The open calls, by their `record_id`, and how many bidders each has.
    pub(super) fn open_calls(&self) -> impl Iterator<Item = (&str, u32)> {
        let notices = self.notices.iter();
        notices.filter_map(|(record_id, line)| Some((record_id.as_str(), line.bidders?)))
    }

    /// Joins the bids with the tenders of the index.
    pub(crate) fn into_store(mut self, engine: &dyn Engine) -> anyhow::Result<(StoredBids, BidsReport)> {
        let mut builder = StoreBuilder::default();
        if !self.notices.is_empty() {
            let all = SearchQuery::newest(EntityType::Tender, Vec::new());
            for_each_page(engine, &all, &Deadline::never(), |records| {
                for bytes in records {
                    let Some(id) = record_id(&bytes) else { continue };
                    let Some(line) = self.notices.remove(&*id) else {
                        continue;
                    };
                    // Both were parsed before.
                    let bids: Result<NoticeBids, _> = serde_json::from_slice(&self.text[line.place]);
                    let tender = Record::parse(Schema::of(EntityType::Tender), &bytes);
                    if let (Ok(bids), Ok(tender)) = (bids, tender) {
                        builder.add(&tender, bids);
                    }
                }
                Ok(())
            })
            .context("reading the tenders of the index just built")?;
        }
        let mut report = self.report;
        report.unknown = self.notices.len() as u64;
        let stored = builder.finish();
        report.notices = stored.notices.len() as u64;
        report.bids = stored.notices.iter().map(|notice| notice.bids.len() as u64).sum();
        Ok((stored, report))
    }
}

fn bidders(notice: &NoticeBids) -> u32 {
    let bidders = count_distinct(notice.bids.iter().map(|bid| key(&bid.name)));
    u32::try_from(bidders).unwrap_or(u32::MAX)
}

/// Of one loser, the flags may state why it lost.
const MIN_LOSERS: usize = 2;

/// Whether a notice that has 1 in both flags of a winner has 0 in both of every loser, of which it has at least
/// [`MIN_LOSERS`]. Then only the winner was flagged, and no loser was rejected.
///
/// The rule rests on SEAO's open calls, in `docs/data.md`, and holds for all procedures, because a flag that is not
/// stated claims nothing of the loser.
fn is_of_winners_only(listed: &[Bid]) -> bool {
    let is_unflagged = |bid: &Bid| bid.admissible == Some(false) && bid.conforming == Some(false);
    let losers = || listed.iter().filter(|bid| !bid.won);
    let bidders: BTreeSet<String> = losers().map(|bid| key(&bid.name)).collect();
    bidders.len() >= MIN_LOSERS && losers().all(is_unflagged)
}

/// Numbers texts in the order of their first occurrence.
#[derive(Default)]
struct Numbers {
    numbers: FxHashMap<String, u32>,
}

impl Numbers {
    fn of(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        // A store holds fewer texts than bytes of dumps.
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(text.to_owned(), next);
        next
    }

    /// In the order of their numbers.
    fn in_order(self) -> Vec<String> {
        let mut texts: Vec<(String, u32)> = self.numbers.into_iter().collect();
        texts.sort_unstable_by_key(|(_, number)| *number);
        texts.into_iter().map(|(text, _)| text).collect()
    }

    /// The texts, sorted, and the new number of each old one.
    fn sorted(self) -> (Vec<String>, Vec<u32>) {
        let mut renumbered = vec![0; self.numbers.len()];
        let mut numbers: Vec<(String, u32)> = self.numbers.into_iter().collect();
        numbers.sort_unstable();
        let mut texts = Vec::with_capacity(numbers.len());
        for ((text, old), new) in numbers.into_iter().zip(0u32..) {
            renumbered[old as usize] = new;
            texts.push(text);
        }
        (texts, renumbered)
    }
}

#[derive(Default)]
struct StoreBuilder {
    bidders: FxHashMap<(String, Option<String>), u32>,
    texts: Numbers,
    words: Numbers,
    notices: Vec<Notice>,
}

impl StoreBuilder {
    fn add(&mut self, tender: &Record, listed: NoticeBids) {
        let mut keys = |role: Role| -> Vec<u32> { tender.keys(role).iter().map(|key| self.texts.of(key)).collect() };
        let notice = Notice {
            municipality: keys(Role::Municipality),
            department: keys(Role::Department),
            category: keys(Role::Category),
            commodity: keys(Role::Commodity),
            method: keys(Role::ProcurementMethod),
            record_id: listed.record_id,
            date: tender.date(Role::Date),
            procedure: listed.procedure,
            notice_type: listed.notice_type.map(|text| self.texts.of(&text)),
            award_date: listed.award_date.and_then(|day| Date::parse_prefix(&day).ok()),
            buyer: tender.texts(Role::Department).next().map(|name| self.texts.of(name)),
            words: tender
                .texts(Role::Text)
                .map(|text| {
                    let mut numbers = Vec::new();
                    fold::words(text, |word| numbers.push(self.words.of(word)));
                    numbers
                })
                .collect(),
            bids: Vec::new(),
        };
        let bids = self.bids(listed.bids);
        self.notices.push(Notice { bids, ..notice });
    }

    /// A flag of a bid counts only if the notice states it of a winner; otherwise the form did not ask for it. The
    /// flags of losers count only if the form was [filled in for them](is_of_winners_only).
    fn bids(&mut self, listed: Vec<Bid>) -> Vec<StoredBid> {
        let states = |flag: fn(&Bid) -> Option<bool>| listed.iter().any(|bid| bid.won && flag(bid) == Some(true));
        let (admissible, conforming) = (states(|bid| bid.admissible), states(|bid| bid.conforming));
        let of_losers = !(admissible && conforming && is_of_winners_only(&listed));
        let mut bids: Vec<(Unit, StoredBid)> = Vec::with_capacity(listed.len());
        for bid in listed {
            let unit = Unit::of(bid.unit.as_deref());
            let vendor_id = bid.vendor_id();
            let stored = StoredBid {
                bidder: self.bidder(bid.name, vendor_id),
                amount: bid.amount.filter(|amount| *amount != 0.0),
                unit: bid.unit.map(|code| self.texts.of(&code)),
                won: bid.won,
                admissible: bid.admissible.filter(|_| admissible && (bid.won || of_losers)),
                conforming: bid.conforming.filter(|_| conforming && (bid.won || of_losers)),
                contract_amount: bid.contract_amount,
                lots: bid.lots,
            };
            bids.push((unit, stored));
        }
        // Stable: equal amounts keep the publisher's order.
        bids.sort_by(|(unit, bid), (other_unit, other)| match (bid.amount, other.amount) {
            (Some(amount), Some(other)) => unit.cmp(other_unit).then(amount.total_cmp(&other)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        });
        bids.into_iter().map(|(_, bid)| bid).collect()
    }

    fn bidder(&mut self, name: String, vendor_id: Option<String>) -> u32 {
        let next = u32::try_from(self.bidders.len()).unwrap_or(u32::MAX);
        match self.bidders.entry((name, vendor_id)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => *new.insert(next),
        }
    }

    fn finish(self) -> StoredBids {
        let mut bidders: Vec<((String, Option<String>), u32)> = self.bidders.into_iter().collect();
        bidders.sort_by_key(|(_, number)| *number);
        let bidders = bidders
            .into_iter()
            .map(|((name, vendor_id), _)| Bidder { name, vendor_id })
            .collect();
        let (words, renumbered) = self.words.sorted();
        let mut notices = self.notices;
        for number in notices.iter_mut().flat_map(|notice| &mut notice.words).flatten() {
            *number = renumbered[*number as usize];
        }
        StoredBids {
            bidders,
            texts: self.texts.in_order(),
            words,
            notices,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_lines_of_a_notice_the_newer_one_counts() {
        let line = |fetched_at: &str, bidders: &[&str]| {
            let bids: Vec<_> = bidders
                .iter()
                .map(|name| serde_json::json!({"name": name, "won": false}))
                .collect();
            let line = serde_json::json!({
                "record_id": "seao|1", "procedure": "open", "fetched_at": fetched_at, "bids": bids,
            });
            line.to_string()
        };
        let (old, new) = (
            line("2015-01-01T00:00:00Z", &["A"]),
            line("2016-01-01T00:00:00Z", &["A", "B", "b"]),
        );
        for lines in [[&old, &new], [&new, &old]] {
            let mut read = DumpBids::default();
            lines.iter().for_each(|line| read.add(line.as_bytes()).unwrap());
            assert_eq!(read.report.duplicates, 1);
            assert_eq!(read.open_calls().collect::<Vec<_>>(), [("seao|1", 2)]);
            let place = read.notices["seao|1"].place.clone();
            assert_eq!(&read.text[place], new.as_bytes());
        }
    }
}
