//! When recent tenders first stood in an index: what a day of publication does not tell, since a publisher's file may come days after it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    catalog::{
        feed::MOST_DAYS_BACK,
        notices::{each_page, parse},
    },
    engine::{Deadline, Engine, Error},
    model::{date::Date, entity_type::EntityType, schema::Role, timestamp},
    query::{Filter, SearchQuery},
};

/// How long before a build a tender was published at most to be remembered: as far as the feed looks back, and a few days for other clocks.
const REMEMBERED_DAYS: i32 = MOST_DAYS_BACK as i32 + 10;

/// By `record_id`: the time of the first build with the tender, RFC 3339 UTC; `None` for what stood in the first one of all.
///
/// Spec silent: a tender that was left out of a build is new when it comes back.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FirstSeen(BTreeMap<String, Option<String>>);

impl FirstSeen {
    /// What holds of a build with these recent tenders, made now, behind another, if there is one.
    pub fn after(before: Option<FirstSeen>, tenders: Vec<String>, now: DateTime<Utc>) -> FirstSeen {
        let now = timestamp::format_seconds(now);
        let seen = |id: &str| {
            let before = before.as_ref()?;
            before.0.get(id).cloned().unwrap_or_else(|| Some(now.clone()))
        };
        let with_time = |id: String| {
            let at = seen(&id);
            (id, at)
        };
        FirstSeen(tenders.into_iter().map(with_time).collect())
    }

    /// When the first of some notices was indexed, where that is known of all.
    pub fn earliest<'a>(&self, mut record_ids: impl Iterator<Item = &'a str>) -> Option<&str> {
        let first = self.of(record_ids.next()?)?;
        record_ids.try_fold(first, |first, id| Some(first.min(self.of(id)?)))
    }

    fn of(&self, record_id: &str) -> Option<&str> {
        self.0.get(record_id)?.as_deref()
    }
}

/// The ids of the tenders that are to be remembered on a day.
pub fn recent(engine: &dyn Engine, today: Date) -> Result<Vec<String>, Error> {
    let window = Filter::Dates {
        role: Role::Date,
        from: Date::from_days(today.days() - REMEMBERED_DAYS),
        to: None,
    };
    let query = SearchQuery::newest(EntityType::Tender, vec![window]);
    let mut ids = Vec::new();
    each_page(engine, &query, &Deadline::never(), |notices| {
        for notice in &notices {
            ids.push(parse(notice)?.id().to_owned());
        }
        Ok(())
    })?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tender_keeps_the_time_it_came() {
        let build = |before: Option<FirstSeen>, tenders: &[&str], day: &str| {
            let now = format!("2026-01-{day}T06:00:00Z").parse().unwrap();
            FirstSeen::after(before, tenders.iter().map(|id| (*id).to_owned()).collect(), now)
        };
        let first = build(None, &["a", "b"], "01");
        assert_eq!(first.of("a"), None, "it may have been there for years");
        let second = build(Some(first), &["a", "c"], "02");
        let third = build(Some(second), &["a", "b", "c", "d"], "03");
        let times = ["a", "b", "c", "d", "e"].map(|id| third.of(id));
        let [second, third] = ["2026-01-02T06:00:00Z", "2026-01-03T06:00:00Z"].map(Some);
        assert_eq!(times, [None, third, second, third, None]);
    }
}
