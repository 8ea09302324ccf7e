//! When recent tenders were first indexed. The date of publication does not show this: a
//! publisher's file may appear days after it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    catalog::{all_matches::for_each_page, feed::MAX_DAYS_BACK, notices::parse_tender},
    engine::{Deadline, Engine, Error},
    model::{Date, EntityType, Role, timestamp},
    query::{Filter, SearchQuery},
};

/// Tenders published at most this many days before a build are remembered: as far back as the feed
/// can look, plus some days for clocks that differ.
const REMEMBERED_DAYS: i32 = MAX_DAYS_BACK as i32 + 10;

/// By `record_id`: the time of the first build with the tender, RFC 3339 UTC. `None` if the very
/// first build of the index had it, so that its time is not known.
///
/// A tender that was missing from a build counts as new in the next build with it.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FirstSeen(BTreeMap<String, Option<String>>);

impl FirstSeen {
    /// The times for a build made `now` with these recent tenders, given those of the previous
    /// build, if there is one.
    pub(crate) fn after(previous: Option<FirstSeen>, tenders: Vec<String>, now: DateTime<Utc>) -> FirstSeen {
        let now = timestamp::format_seconds(now);
        let with_time = |id: String| {
            let time = match &previous {
                Some(previous) => previous.0.get(&id).cloned().unwrap_or_else(|| Some(now.clone())),
                None => None,
            };
            (id, time)
        };
        FirstSeen(tenders.into_iter().map(with_time).collect())
    }

    /// When the first of some notices was indexed; `None` unless the time of every one is known.
    pub(crate) fn earliest<'a>(&self, mut record_ids: impl Iterator<Item = &'a str>) -> Option<&str> {
        let first = self.of(record_ids.next()?)?;
        record_ids.try_fold(first, |first, id| Some(first.min(self.of(id)?)))
    }

    fn of(&self, record_id: &str) -> Option<&str> {
        self.0.get(record_id)?.as_deref()
    }
}

/// The ids of the tenders whose first-seen times are kept.
pub fn recent_tender_ids(engine: &dyn Engine, today: Date) -> Result<Vec<String>, Error> {
    let window = Filter::Dates {
        role: Role::Date,
        from: Date::from_days(today.days() - REMEMBERED_DAYS),
        to: None,
    };
    let query = SearchQuery::newest(EntityType::Tender, vec![window]);
    let mut ids = Vec::new();
    for_each_page(engine, &query, &Deadline::never(), |notices| {
        for notice in &notices {
            ids.push(parse_tender(notice)?.id().to_owned());
        }
        Ok(())
    })?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tender_keeps_its_first_time_while_it_stays_in_the_index() {
        let build = |previous: Option<FirstSeen>, tenders: &[&str], day: &str| {
            let now = format!("2026-01-{day}T06:00:00Z").parse().unwrap();
            FirstSeen::after(previous, tenders.iter().map(|id| (*id).to_owned()).collect(), now)
        };
        let first = build(None, &["a", "b"], "01");
        assert_eq!(
            first.of("a"),
            None,
            "the first build cannot know when a tender appeared"
        );
        let second = build(Some(first), &["a", "c"], "02");
        let third = build(Some(second), &["a", "b", "c", "d"], "03");
        let times = ["a", "b", "c", "d", "e"].map(|id| third.of(id));
        let [second, third] = ["2026-01-02T06:00:00Z", "2026-01-03T06:00:00Z"].map(Some);
        assert_eq!(times, [None, third, second, third, None]);
    }
}
