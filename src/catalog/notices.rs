//! Groups notices (the original, amendments, other publishers' copies) into tenders, and decides
//! from the newest notice whether a tender is open.
//!
//! [`TenderKey`] states which notices belong to one tender. No index field holds it, so all notices
//! of a generation are read once, when the generation is opened.
//!
//! **Invariant:** feed and alerts decide only by [`NewestStatuses`] and [`BidStatus`] whether a
//! tender is open.

use std::collections::{HashMap, hash_map::Entry};

use bytes::Bytes;
use rayon::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

use crate::{
    catalog::all_matches::for_each_page,
    engine::{Deadline, Engine, Error},
    model::{Date, EntityType, Record, Role, Schema, fold::fold, record::truncate_key, vocabulary::identifies},
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

    /// The same for a notice that a search for one of [`OPEN_STATUSES`] found: its status need not
    /// be read again.
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

/// What the notices of one tender have in common. A notice's key is the first variant whose fields
/// it has.
/// Placeholders such as `N/A` are not numbers.
///
/// Decision D-74: the buyer is the first of its names, folded. A reference number is compared
/// without the notice's own amendment number at its end, together with the separator before it.
#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum TenderKey {
    Solicitation {
        buyer: String,
        number: String,
    },
    Reference(String),
    Ocid(String),
    Title {
        department: String,
        title: String,
        closing: Option<Date>,
    },
    /// A notice that has none of these, by its record_id.
    Record(String),
}

impl TenderKey {
    pub(crate) fn of(record: &Record) -> TenderKey {
        let first = |role: Role| record.keys(role).into_iter().next().map(|key| key.into_owned());
        let text = |field: &str| record.text(field).map(str::trim).filter(|text| !text.is_empty());
        let buyer = first(Role::Department);
        if let (Some(buyer), Some(number)) = (&buyer, solicitation_number(record)) {
            return TenderKey::Solicitation {
                buyer: buyer.clone(),
                number,
            };
        }
        let number = |field: &str| text(field).filter(|number| identifies(number));
        if let Some(reference) = number("reference_number") {
            return TenderKey::Reference(without_amendment(reference, text("amendment_number")).to_lowercase());
        }
        if let Some(ocid) = number("ocid") {
            return TenderKey::Ocid(ocid.to_lowercase());
        }
        let title = ["title_en", "title_fr"].into_iter().find_map(text).map(fold);
        match (buyer, title.filter(|title| !title.is_empty())) {
            (Some(department), Some(title)) => TenderKey::Title {
                department,
                title,
                closing: record.date(Role::ClosingDate),
            },
            _ => TenderKey::Record(record.id().to_owned()),
        }
    }

    /// The key as text. It is stored with the tenders that an address was already notified of, so
    /// it must never change.
    pub(crate) fn stable_name(&self) -> String {
        match self {
            TenderKey::Solicitation { buyer, number } => format!("solicitation|{buyer}|{number}"),
            TenderKey::Reference(reference) => format!("reference|{reference}"),
            TenderKey::Ocid(ocid) => format!("ocid|{ocid}"),
            TenderKey::Title {
                department,
                title,
                closing,
            } => {
                let closing = closing.map_or_else(String::new, |closing| closing.to_string());
                format!("title|{department}|{title}|{closing}")
            }
            TenderKey::Record(record_id) => format!("record|{record_id}"),
        }
    }
}

/// The first solicitation number, folded. Not the key of the index, whose rules change with its format, as
/// [`TenderKey::stable_name`] must not.
fn solicitation_number(record: &Record) -> Option<String> {
    let identifying = record.texts(Role::SolicitationNumber).filter(|text| identifies(text));
    let mut number = identifying.map(fold).find(|number| !number.is_empty())?;
    truncate_key(&mut number);
    Some(number)
}

/// A reference number without the amendment number and the separator at its end.
fn without_amendment<'r>(reference: &'r str, amendment: Option<&str>) -> &'r str {
    let Some(base) = amendment.and_then(|amendment| reference.strip_suffix(amendment)) else {
        return reference;
    };
    let trimmed = base.trim_end_matches(|c: char| !c.is_alphanumeric());
    if trimmed.is_empty() || trimmed.len() == base.len() {
        reference
    } else {
        trimmed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_tender_stays_as_it_was_stored() {
        let json = r#"{"record_id":"a","department_en":"Ville X","solicitation_number":"Doc3110617858"}"#;
        let record = Record::parse(Schema::of(EntityType::Tender), json.as_bytes()).unwrap();
        assert_eq!(
            TenderKey::of(&record).stable_name(),
            "solicitation|ville x|doc3110617858"
        );
    }

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

    #[test]
    fn the_amendment_number_is_removed_from_a_reference() {
        for (reference, amendment, expected) in [
            ("PW-24-001", Some("001"), "PW-24"),
            ("PW-24-001", Some("002"), "PW-24-001"),
            ("PW-24-001", None, "PW-24-001"),
            ("PW24001", Some("001"), "PW24001"),
            ("-001", Some("001"), "-001"),
            ("ws1 / 3", Some("3"), "ws1"),
        ] {
            assert_eq!(
                without_amendment(reference, amendment),
                expected,
                "{reference} {amendment:?}"
            );
        }
    }
}
