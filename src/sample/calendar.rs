//! The days a sample speaks of: fifteen years that end on [`LAST`], and a margin for what lies ahead.
//!
//! A day is a number counted from the window's first one. Their texts are made once, since a record has half a dozen.

use crate::model::date::Date;

/// 2011-11-01, in days since 1970-01-01.
const FIRST: i32 = 15_279;
/// 2026-10-31: the day on which the sample was "taken". What closes later is open.
pub const LAST: i32 = 5_478;
/// Contracts and agreements run past the window by at most this.
const MARGIN: i32 = 6_000;

pub const FETCHED_AT: &str = "2026-11-01T06:00:00Z";

pub struct Calendar {
    text: String,
}

impl Calendar {
    pub fn new() -> Calendar {
        let days = (FIRST..=FIRST + LAST + MARGIN).filter_map(Date::from_days);
        Calendar {
            text: days.map(|day| day.to_string()).collect(),
        }
    }

    /// `YYYY-MM-DD`; a day outside the calendar is its nearest one.
    pub fn day(&self, day: i32) -> &str {
        let at = day.clamp(0, LAST + MARGIN) as usize * 10;
        &self.text[at..at + 10]
    }

    pub fn year(&self, day: i32) -> i32 {
        self.number(day, 0, 4)
    }

    pub fn month(&self, day: i32) -> i32 {
        self.number(day, 5, 7)
    }

    fn number(&self, day: i32, from: usize, to: usize) -> i32 {
        self.day(day)[from..to]
            .bytes()
            .fold(0, |sum, digit| sum * 10 + i32::from(digit - b'0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_fifteen_years() {
        let calendar = Calendar::new();
        assert_eq!(calendar.day(0), "2011-11-01");
        assert_eq!(calendar.day(-5), "2011-11-01");
        assert_eq!(calendar.day(LAST), "2026-10-31");
        assert_eq!((calendar.year(LAST), calendar.month(LAST)), (2026, 10));
    }
}
