//! The days that occur in a sample: fifteen years that end on its last day, and a margin of days after it.
//!
//! A day is a number counted from the first one. Their texts are made once, since a record has half a dozen.

use crate::model::Date;

/// The number of the sample's last day, on which it was "taken"; what closes later is open.
pub(super) const LAST: i32 = 5_478;

/// Contracts and agreements end at most this many days after the last one.
const MARGIN: i32 = 6_000;

pub(super) struct SampleCalendar {
    text: String,
}

impl SampleCalendar {
    pub(super) fn new(last_day: Date) -> SampleCalendar {
        let last = last_day.days();
        let days = (last - LAST..=last + MARGIN).filter_map(Date::from_days);
        SampleCalendar {
            text: days.map(|day| day.to_string()).collect(),
        }
    }

    /// `YYYY-MM-DD`; for a day outside the calendar, its nearest one.
    pub(super) fn day(&self, day: i32) -> &str {
        let at = day.clamp(0, LAST + MARGIN) as usize * 10;
        &self.text[at..at + 10]
    }

    pub(super) fn year(&self, day: i32) -> u32 {
        self.number(day, 0, 4)
    }

    /// From 1 to 12.
    pub(super) fn month(&self, day: i32) -> u32 {
        self.number(day, 5, 7)
    }

    fn number(&self, day: i32, from: usize, to: usize) -> u32 {
        let digits = self.day(day)[from..to].bytes();
        digits.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_spans_fifteen_years() {
        let calendar = SampleCalendar::new(Date::parse("2026-10-31").unwrap());
        assert_eq!(calendar.day(0), "2011-11-01");
        assert_eq!(calendar.day(-5), "2011-11-01");
        assert_eq!(calendar.day(LAST), "2026-10-31");
        assert_eq!((calendar.year(LAST), calendar.month(LAST)), (2026, 10));
    }
}
