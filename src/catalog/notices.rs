//! Decides from the newest notice of a tender whether the tender is open.
//!
//! [`TenderKey`] states which notices (the original, amendments, other publishers' copies) belong to one tender. No
//! index field holds it, so a build reads all notices once, and stores the result with the generation.
//!
//! **Invariant:** feed and alerts decide only by [`NewestStatuses`] and [`BidStatus`] whether a tender is open.

use std::collections::{HashMap, hash_map::Entry};

use bytes::Bytes;
use rayon::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

use crate::{
    catalog::{all_matches::for_each_page, tender_key::TenderKey},
    engine::{Deadline, Engine, Error},
    model::{Date, EntityType, Record, Role, Schema},
    query::{Filter, SearchQuery},
};

/// The statuses of a tender that accepts bids.
pub(crate) const OPEN_STATUSES: [&str; 2] = ["Open", "Active"];

/// The status of a tender that was withdrawn.
const CANCELLED: &str = "Cancelled";

/// Whether bids are accepted, as one notice states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BidStatus {
    accepts_bids: bool,
    /// The last day for bids.
    closing: Option<Date>,
}

impl BidStatus {
    pub(crate) fn of(record: &Record) -> BidStatus {
        let status = record.keys(Role::Status).pop();
        BidStatus {
            accepts_bids: status.is_some_and(|status| OPEN_STATUSES.contains(&&*status)),
            closing: record.date(Role::ClosingDate),
        }
    }

    /// The status of a notice that a search for one of [`OPEN_STATUSES`] found: its status need not be read again.
    pub(crate) fn of_open(record: &Record) -> BidStatus {
        BidStatus {
            accepts_bids: true,
            closing: record.date(Role::ClosingDate),
        }
    }

    pub(crate) fn is_open(self, today: Date) -> bool {
        self.accepts_bids && self.closing.is_none_or(|closing| closing >= today)
    }
}

/// Orders the notices of a tender. The greatest is the newest, which decides whether the tender is
/// open.
///
/// Decision D-75: ordered by
/// 1. the day of publication or of the last amendment, whichever is later;
/// 2. the amendment number, where `T01` (a termination) comes after all numbers;
/// 3. cancelled after not cancelled, since no tender begins cancelled;
/// 4. the closing day;
/// 5. no longer accepting bids after accepting them.
///
/// Two kinds of notices have no order and are ignored: those of unknown status, and those of
/// contracts that were awarded without a call for bids.
type NoticeOrder = (Option<Date>, (bool, u32), bool, i32, bool);

/// For each tender with several notices of which one accepts bids: the status that the newest
/// notice states. Any other tender is open if its own notice states so.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(TenderKey, BidStatus)>")]
pub struct NewestStatuses(#[serde(serialize_with = "as_list")] HashMap<TenderKey, BidStatus>);

/// The keys are not texts, as those of a JSON object would have to be.
fn as_list<S: Serializer>(statuses: &HashMap<TenderKey, BidStatus>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(statuses)
}

impl From<Vec<(TenderKey, BidStatus)>> for NewestStatuses {
    fn from(list: Vec<(TenderKey, BidStatus)>) -> NewestStatuses {
        NewestStatuses(list.into_iter().collect())
    }
}

/// What the notices read so far state about a tender.
struct NewestNotice {
    order: NoticeOrder,
    status: BidStatus,
    notices: usize,
}

impl NewestStatuses {
    /// Reads the tenders of an index in two passes: first the notices that accept bids, then every
    /// other notice of the same tenders. Memory grows with the first, which are few.
    pub(crate) fn read(engine: &dyn Engine, deadline: &Deadline) -> Result<NewestStatuses, Error> {
        let mut tenders: HashMap<TenderKey, NewestNotice> = HashMap::new();
        for status in OPEN_STATUSES {
            let status = Filter::Term {
                role: Role::Status,
                key: status.to_owned(),
            };
            let open = SearchQuery::newest(EntityType::Tender, vec![status]);
            for_each_notice(engine, &open, deadline, |key, notice| match tenders.entry(key) {
                Entry::Vacant(entry) => _ = entry.insert(notice),
                Entry::Occupied(mut entry) => entry.get_mut().add(notice),
            })?;
        }
        let all = SearchQuery::newest(EntityType::Tender, Vec::new());
        for_each_notice(engine, &all, deadline, |key, notice| {
            if !notice.status.accepts_bids
                && let Some(newest) = tenders.get_mut(&key)
            {
                newest.add(notice);
            }
        })?;
        let several = tenders.into_iter().filter(|(_, newest)| newest.notices > 1);
        Ok(NewestStatuses(
            several.map(|(key, newest)| (key, newest.status)).collect(),
        ))
    }

    /// The status that the newest notice of a tender states, if the tender has several.
    pub(crate) fn of(&self, key: &TenderKey) -> Option<BidStatus> {
        self.0.get(key).copied()
    }
}

impl NewestNotice {
    fn add(&mut self, other: NewestNotice) {
        self.notices += other.notices;
        if other.order > self.order {
            (self.order, self.status) = (other.order, other.status);
        }
    }
}

fn for_each_notice(
    engine: &dyn Engine,
    query: &SearchQuery,
    deadline: &Deadline,
    mut visit: impl FnMut(TenderKey, NewestNotice),
) -> Result<(), Error> {
    for_each_page(engine, query, deadline, |notices| {
        let read: Vec<_> = notices.par_iter().map(read_notice).collect::<Result<_, _>>()?;
        for (key, notice) in read.into_iter().flatten() {
            visit(key, notice);
        }
        Ok(())
    })
}

/// `None` for a notice that does not decide whether its tender is open: the status is unknown, or
/// the contract was awarded without a call for bids. Such an award may have the solicitation number
/// of a real call. It is recognized by its status, neither open nor cancelled, and by the missing
/// closing day.
fn read_notice(notice: &Bytes) -> Result<Option<(TenderKey, NewestNotice)>, Error> {
    let record = parse_tender(notice)?;
    let Some(status_key) = record.keys(Role::Status).pop() else {
        return Ok(None);
    };
    let status = BidStatus::of(&record);
    let is_cancelled = status_key == CANCELLED;
    if !status.accepts_bids && status.closing.is_none() && !is_cancelled {
        return Ok(None);
    }
    let amended = record
        .text("amendment_date")
        .and_then(|day| Date::parse_prefix(day).ok());
    let notice = NewestNotice {
        order: (
            record.date(Role::Date).max(amended),
            amendment_order(record.text("amendment_number").unwrap_or_default()),
            is_cancelled,
            status.closing.map_or(i32::MAX, Date::days),
            !status.accepts_bids,
        ),
        status,
        notices: 1,
    };
    Ok(Some((TenderKey::of(&record), notice)))
}

/// Whether an amendment number starts with a letter, and its digits as a number (0 if it has none).
fn amendment_order(text: &str) -> (bool, u32) {
    let text = text.trim();
    let digits: String = text.chars().filter(char::is_ascii_digit).take(9).collect();
    (
        text.starts_with(|c: char| c.is_ascii_alphabetic()),
        digits.parse().unwrap_or(0),
    )
}

pub(crate) fn parse_tender(notice: &Bytes) -> Result<Record<'_>, Error> {
    Record::parse(Schema::of(EntityType::Tender), notice)
        .map_err(|why| Error::Internal(format!("a record of the index cannot be parsed: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_statuses_survive_being_stored() {
        let text = |text: &str| text.to_owned();
        let keys = [
            TenderKey::Solicitation {
                buyer: text("laval"),
                number: text("12"),
            },
            TenderKey::Reference(text("a \"b\"")),
            TenderKey::Ocid(text("ocds-é")),
            TenderKey::Title {
                department: text("laval"),
                title: text("snow"),
                closing: Date::from_days(20_000),
            },
            TenderKey::Record(text("x|1")),
        ];
        let status = |number: i32| BidStatus {
            accepts_bids: number % 2 == 0,
            closing: (number > 2).then(|| Date::from_days(number)).flatten(),
        };
        let statuses = NewestStatuses::from(keys.into_iter().zip((0..).map(status)).collect::<Vec<_>>());
        let stored = serde_json::to_vec(&statuses).unwrap();
        let read: NewestStatuses = serde_json::from_slice(&stored).unwrap();
        assert_eq!(read.0.len(), 5);
        assert_eq!(read.0, statuses.0);
    }
}
