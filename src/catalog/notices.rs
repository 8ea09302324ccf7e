//! The notices of one tender: by what they are told to be one, and which of them says whether bids are taken.
//!
//! A tender is told of by its first notice, by amendments, and by other sources. What makes two notices one tender is in no index, so all of a
//! generation's are read once. **Invariant:** feed and alerts ask [`Latest`] and [`Standing`], nobody else, whether a tender is open.

use std::collections::{HashMap, hash_map::Entry};

use bytes::Bytes;
use rayon::prelude::*;

use crate::{
    engine::{Deadline, Engine, Error},
    model::{
        date::Date,
        entity_type::EntityType,
        fold::fold,
        record::Record,
        schema::{Role, Schema},
        vocabulary::identifies,
    },
    query::{Filter, Page, SearchQuery, Start},
};

/// The statuses of a tender that takes bids.
pub const OPEN: [&str; 2] = ["Open", "Active"];

/// The status of one that never will.
const CANCELLED: &str = "Cancelled";

/// How many notices are read at once.
const AT_ONCE: usize = 1_000;

/// Whether bids are taken, as one notice has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    takes_bids: bool,
    /// The last day for them.
    closing: Option<Date>,
}

impl Standing {
    pub fn of(record: &Record) -> Standing {
        let status = record.keys(Role::Status).pop();
        Standing {
            takes_bids: status.is_some_and(|status| OPEN.contains(&&*status)),
            closing: record.date(Role::ClosingDate),
        }
    }

    /// Of a notice that the index lists under one of [`OPEN`].
    pub fn of_listed(record: &Record) -> Standing {
        Standing {
            takes_bids: true,
            closing: record.date(Role::ClosingDate),
        }
    }

    pub fn is_open(self, today: Date) -> bool {
        self.takes_bids && self.closing.is_none_or(|closing| closing >= today)
    }
}

/// How new a notice is; the greatest decides.
///
/// Spec silent: by the day it was published or amended last, then by its amendment: `T01` (a termination) comes after all numbers. Of notices equal in
/// both one that cancels is the newer, since none begins so; then the one that closes later; then one that takes no bids any more. A
/// notice whose status is not understood decides nothing, nor does one of a contract without a call.
type Age = (Option<Date>, (bool, u32), bool, i32, bool);

/// Of the tenders with several notices, what the newest says. A tender that is not here has one.
#[derive(Debug, Default)]
pub struct Latest(HashMap<Group, Standing>);

/// What is known of a tender after some of its notices.
struct Known {
    age: Age,
    standing: Standing,
    notices: usize,
}

impl Latest {
    /// Reads all tenders of an index: those that take bids, and then what else is told of them. Memory follows the former, which are few.
    pub fn read(engine: &dyn Engine, deadline: &Deadline) -> Result<Latest, Error> {
        let mut tenders: HashMap<Group, Known> = HashMap::new();
        for status in OPEN {
            let status = Filter::Term {
                role: Role::Status,
                key: status.to_owned(),
            };
            let open = SearchQuery::newest(EntityType::Tender, vec![status]);
            each_known(engine, &open, deadline, |group, one| match tenders.entry(group) {
                Entry::Vacant(place) => _ = place.insert(one),
                Entry::Occupied(mut place) => place.get_mut().add(one),
            })?;
        }
        let all = SearchQuery::newest(EntityType::Tender, Vec::new());
        each_known(engine, &all, deadline, |group, one| {
            if let Some(known) = tenders.get_mut(&group).filter(|_| !one.standing.takes_bids) {
                known.add(one);
            }
        })?;
        let several = tenders.into_iter().filter(|(_, known)| known.notices > 1);
        Ok(Latest(several.map(|(group, known)| (group, known.standing)).collect()))
    }

    /// What the newest notice of a tender says, where it has several.
    pub fn of(&self, group: &Group) -> Option<Standing> {
        self.0.get(group).copied()
    }
}

impl Known {
    fn add(&mut self, other: Known) {
        self.notices += other.notices;
        if other.age > self.age {
            (self.age, self.standing) = (other.age, other.standing);
        }
    }
}

fn each_known(
    engine: &dyn Engine,
    query: &SearchQuery,
    deadline: &Deadline,
    mut each: impl FnMut(Group, Known),
) -> Result<(), Error> {
    each_page(engine, query, deadline, |notices| {
        let read: Vec<Option<(Group, Known)>> = notices.par_iter().map(known).collect::<Result<_, _>>()?;
        read.into_iter().flatten().for_each(|(group, one)| each(group, one));
        Ok(())
    })
}

/// `None` of a notice that decides nothing: its status is not understood, or it tells of a contract that was given without a call, under the number of
/// a file that may also have had one: neither open nor cancelled, and without a day that it closed on.
fn known(notice: &Bytes) -> Result<Option<(Group, Known)>, Error> {
    let record = parse(notice)?;
    let Some(status) = record.keys(Role::Status).pop() else {
        return Ok(None);
    };
    let standing = Standing::of(&record);
    if !standing.takes_bids && standing.closing.is_none() && status != CANCELLED {
        return Ok(None);
    }
    let amended = record
        .text("amendment_date")
        .and_then(|day| Date::parse_prefix(day).ok());
    let known = Known {
        age: (
            record.date(Role::Date).max(amended),
            amendment(record.text("amendment_number").unwrap_or_default()),
            status == CANCELLED,
            standing.closing.map_or(i32::MAX, Date::days),
            !standing.takes_bids,
        ),
        standing,
        notices: 1,
    };
    Ok(Some((group(&record), known)))
}

/// Whether it has a letter, and its number.
fn amendment(text: &str) -> (bool, u32) {
    let text = text.trim();
    let digits: String = text.chars().filter(char::is_ascii_digit).take(9).collect();
    (
        text.starts_with(|c: char| c.is_ascii_alphabetic()),
        digits.parse().unwrap_or_default(),
    )
}

/// The notices a query finds, some at a time.
pub fn each_page(
    engine: &dyn Engine,
    query: &SearchQuery,
    deadline: &Deadline,
    mut each: impl FnMut(Vec<Bytes>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut start = Start::Offset(0);
    loop {
        let page = Page { limit: AT_ONCE, start };
        let hits = engine.search(query, &page, deadline.clone())?;
        each(hits.records)?;
        deadline.check()?;
        match hits.next {
            Some(next) => start = Start::After(next),
            None => return Ok(()),
        }
    }
}

pub fn parse(notice: &Bytes) -> Result<Record<'_>, Error> {
    Record::parse(Schema::of(EntityType::Tender), notice)
        .map_err(|why| Error::Internal(format!("a record of the index can no longer be read: {why}")))
}

/// What notices of one tender share: the first of these that a notice has, numbers that identify nothing left out.
///
/// Spec silent: a buyer is known by the first of its names, folded; an amendment is what follows the last sign of a reference number, if it is the notice's
/// amendment number.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Group {
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
    /// A notice that shares nothing.
    Alone(String),
}

impl Group {
    /// As one text, the same for ever: what is remembered of a tender that someone was told of.
    pub fn name(&self) -> String {
        match self {
            Group::Solicitation { buyer, number } => format!("solicitation|{buyer}|{number}"),
            Group::Reference(reference) => format!("reference|{reference}"),
            Group::Ocid(ocid) => format!("ocid|{ocid}"),
            Group::Title {
                department,
                title,
                closing,
            } => {
                let closing = closing.map(|closing| closing.to_string()).unwrap_or_default();
                format!("title|{department}|{title}|{closing}")
            }
            Group::Alone(record_id) => format!("record|{record_id}"),
        }
    }
}

pub fn group(record: &Record) -> Group {
    let first = |role: Role| record.keys(role).into_iter().next().map(|key| key.into_owned());
    let text = |field: &str| record.text(field).map(str::trim).filter(|text| !text.is_empty());
    let buyer = first(Role::Department);
    if let (Some(buyer), Some(number)) = (&buyer, first(Role::SolicitationNumber)) {
        return Group::Solicitation {
            buyer: buyer.clone(),
            number,
        };
    }
    let number = |field: &str| text(field).filter(|number| identifies(number));
    if let Some(reference) = number("reference_number") {
        return Group::Reference(unamended(reference, text("amendment_number")).to_lowercase());
    }
    if let Some(ocid) = number("ocid") {
        return Group::Ocid(ocid.to_lowercase());
    }
    let title = ["title_en", "title_fr"].into_iter().find_map(text).map(fold);
    match (buyer, title.filter(|title| !title.is_empty())) {
        (Some(department), Some(title)) => Group::Title {
            department,
            title,
            closing: record.date(Role::ClosingDate),
        },
        _ => Group::Alone(record.id().to_owned()),
    }
}

fn unamended<'r>(reference: &'r str, amendment: Option<&str>) -> &'r str {
    let cut = |amendment: &str| {
        let before = reference.strip_suffix(amendment)?;
        let rest = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        (rest.len() < before.len() && !rest.is_empty()).then_some(rest)
    };
    amendment.and_then(cut).unwrap_or(reference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amendment_is_no_part_of_a_reference() {
        for (reference, amendment, expected) in [
            ("PW-24-001", Some("001"), "PW-24"),
            ("PW-24-001", Some("002"), "PW-24-001"),
            ("PW-24-001", None, "PW-24-001"),
            ("PW24001", Some("001"), "PW24001"),
            ("-001", Some("001"), "-001"),
            ("ws1 / 3", Some("3"), "ws1"),
        ] {
            assert_eq!(unamended(reference, amendment), expected, "{reference} {amendment:?}");
        }
    }
}
