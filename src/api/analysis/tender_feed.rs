//! A page of the feed, with values that are estimated while there is time.

use std::time::{Duration, Instant};

use crate::{
    api::params::feed::Feed,
    catalog::{
        ask::Ask,
        feed::{self, EstimatedValues, FeedPage, FeedTender},
        tender_value::tender_value,
    },
    http::error::ApiError,
    model::Date,
};

/// A page of the feed, and how to get the next one.
pub(crate) struct TenderFeed {
    pub(crate) page: FeedPage,
    /// `None` if there is no further tender.
    pub(crate) next_cursor: Option<String>,
    /// The limit that was applied, if it is lower than the requested one.
    pub(crate) applied_limit: Option<u64>,
}

pub(crate) fn find(ask: &Ask, feed: &Feed) -> Result<TenderFeed, ApiError> {
    let generation = &ask.generation;
    let values = ValuesInTime::new(ask, feed.query.today);
    let (engine, latest) = (&*generation.engine, &generation.newest_statuses);
    let page = feed::find(engine, latest, &feed.query, &values, &ask.deadline)?;
    let cut_at = page.is_cut.then_some(page.tenders.len() as u64);
    let next = page.next.clone().map(|position| feed.cursor(position));
    Ok(TenderFeed {
        next_cursor: next.transpose()?,
        applied_limit: cut_at.or(feed.lowered_limit),
        page,
    })
}

/// The keywords of the request that a tender matches.
pub(crate) fn matched_keywords<'f>(feed: &'f Feed, tender: &FeedTender) -> Vec<&'f str> {
    let keyword = |number: &usize| feed.query.keywords.get(*number).map(|(text, _)| text.as_str());
    tender.matched.iter().filter_map(keyword).collect()
}

/// Decision D-153: values that are estimated as long as there is time for all that a page needs. What was estimated is
/// kept, so a later request has fewer to estimate.
struct ValuesInTime<'a> {
    ask: &'a Ask,
    today: Date,
    /// When the last estimate must have ended. It leaves a quarter of the time for the response.
    end: Option<Instant>,
}

impl ValuesInTime<'_> {
    fn new(ask: &Ask, today: Date) -> ValuesInTime<'_> {
        let end = ask.deadline.end().and_then(|end| {
            let left = end.saturating_duration_since(Instant::now());
            end.checked_sub(left / 4)
        });
        ValuesInTime { ask, today, end }
    }
}

impl EstimatedValues for ValuesInTime<'_> {
    type Error = ApiError;

    fn known(&self, record_id: &str) -> Option<Option<f64>> {
        self.ask.generation.values.get(self.today, record_id)
    }

    /// # Errors
    /// 503 if not all the missing tenders could be estimated in time. It is charged: the tenders were searched for it.
    fn estimate(&self, record_id: &str, missing: usize) -> Result<Option<f64>, ApiError> {
        if let Some(end) = self.end {
            let left = end.saturating_duration_since(Instant::now());
            check_time(missing, self.ask.generation.values.pace.mean(), left)?;
        }
        Ok(tender_value(
            &self.ask.generation,
            self.today,
            record_id,
            &self.ask.deadline,
        )?)
    }
}

/// Fails with 503 if so many estimates take longer than the time that is left. The client is asked to wait for as long
/// as they take in the background. If the pace of an estimate is not known, a first one may begin.
fn check_time(missing: usize, pace: Option<Duration>, left: Duration) -> Result<(), ApiError> {
    let count = u32::try_from(missing).unwrap_or(u32::MAX);
    let needed = pace.unwrap_or_default().saturating_mul(count);
    if needed <= left && !left.is_zero() {
        return Ok(());
    }
    Err(ApiError::busy_for(needed.as_secs().saturating_add(1)).charged())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hopeless_feed_ends_before_it_estimates() {
        let (pace, left) = (Some(Duration::from_millis(20)), Duration::from_millis(3_750));
        assert_eq!(check_time(187, pace, left), Ok(()));
        for (missing, seconds) in [(188, 4), (500, 11), (2_000, 30), (usize::MAX, 30)] {
            let refused = check_time(missing, pace, left);
            assert_eq!(refused, Err(ApiError::busy_for(seconds).charged()), "{missing}");
        }
        assert_eq!(check_time(500, None, left), Ok(()), "the pace is unknown");
        assert_eq!(check_time(1, None, Duration::ZERO), Err(ApiError::busy().charged()));
    }
}
