//! Calendar days. A [`Date`] is always a day that exists: `2023-02-29` is refused.

use std::{error, fmt};

use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};
use chrono_tz::America::Toronto;
use serde::{Deserialize, Serialize};

/// Days since 1970-01-01, written `YYYY-MM-DD`; the years 0001 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i32", into = "i32")]
pub struct Date(i32);

/// Why a text is not a date. The caller names the parameter or field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateError {
    /// Not `YYYY-MM-DD`.
    Form,
    /// The calendar has no such day.
    NoSuchDay,
}

/// 0001-01-01.
const FIRST: Date = Date(-719_162);

impl Date {
    /// 1970-01-01.
    pub(crate) const EPOCH: Date = Date(0);

    /// Parses exactly `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Result<Date, DateError> {
        let bytes = text.as_bytes();
        let digits = |from: usize, to: usize| -> Option<u32> {
            bytes[from..to]
                .iter()
                .try_fold(0, |sum, b| b.is_ascii_digit().then(|| sum * 10 + u32::from(b - b'0')))
        };
        if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
            return Err(DateError::Form);
        }
        let (Some(year), Some(month), Some(day)) = (digits(0, 4), digits(5, 7), digits(8, 10)) else {
            return Err(DateError::Form);
        };
        if year == 0 {
            return Err(DateError::NoSuchDay);
        }
        NaiveDate::from_ymd_opt(year as i32, month, day)
            .map(Date::from)
            .ok_or(DateError::NoSuchDay)
    }

    /// Parses a stored field: a date, or a timestamp that starts with one.
    pub fn parse_prefix(text: &str) -> Result<Date, DateError> {
        match text.get(..10) {
            Some(day) if matches!(text.as_bytes().get(10), None | Some(b'T' | b' ')) => Date::parse(day),
            _ => Err(DateError::Form),
        }
    }

    /// The current day in Toronto. Publishers state closing dates in its time zone.
    pub fn in_toronto(now: DateTime<Utc>) -> Date {
        Date::from(now.with_timezone(&Toronto).date_naive())
    }

    /// The day that many days earlier; at the earliest 0001-01-01.
    pub(crate) fn days_before(self, days: u32) -> Date {
        let back = i32::try_from(days).ok().and_then(|days| self.0.checked_sub(days));
        back.and_then(Date::from_days).unwrap_or(FIRST)
    }

    /// The same day of a later month, or of an earlier one if the number is negative; of a shorter month, its last.
    pub(crate) fn months_later(self, months: i32) -> Date {
        let distance = Months::new(months.unsigned_abs());
        let day = NaiveDate::from_epoch_days(self.0).and_then(|day| {
            if months < 0 {
                day.checked_sub_months(distance)
            } else {
                day.checked_add_months(distance)
            }
        });
        day.and_then(|day| Date::from_days(day.to_epoch_days())).unwrap_or(self)
    }

    /// Days since 1970-01-01; negative before it.
    pub const fn days(self) -> i32 {
        self.0
    }

    pub(crate) fn year(self) -> i32 {
        NaiveDate::from_epoch_days(self.0).map_or(0, |day| day.year())
    }

    /// 1 for January.
    pub(crate) fn month(self) -> u32 {
        NaiveDate::from_epoch_days(self.0).map_or(1, |day| day.month())
    }

    /// 1 for the first day of the year.
    pub(crate) fn day_of_year(self) -> u32 {
        let first = Date::parse(&format!("{:04}-01-01", self.year())).unwrap_or(FIRST);
        u32::try_from(self.0 - first.0 + 1).unwrap_or(1)
    }

    pub fn from_days(days: i32) -> Option<Date> {
        let day = NaiveDate::from_epoch_days(days)?;
        (1..=9999).contains(&day.year()).then_some(Date(days))
    }
}

impl From<NaiveDate> for Date {
    fn from(day: NaiveDate) -> Date {
        Date(day.to_epoch_days())
    }
}

impl From<Date> for i32 {
    fn from(date: Date) -> i32 {
        date.0
    }
}

impl TryFrom<i32> for Date {
    type Error = DateError;

    fn try_from(days: i32) -> Result<Date, DateError> {
        Date::from_days(days).ok_or(DateError::NoSuchDay)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NaiveDate::from_epoch_days(self.0) {
            Some(day) => write!(f, "{:04}-{:02}-{:02}", day.year(), day.month(), day.day()),
            None => write!(f, "day {}", self.0),
        }
    }
}

impl fmt::Display for DateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DateError::Form => "is not a date; dates are YYYY-MM-DD",
            DateError::NoSuchDay => "is not a day that exists; dates are YYYY-MM-DD",
        })
    }
}

impl error::Error for DateError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_existing_days_in_the_one_form_parse() {
        for (text, expected) in [
            ("2024-02-29", Ok("2024-02-29")),
            ("1969-12-31", Ok("1969-12-31")),
            ("9999-12-31", Ok("9999-12-31")),
            ("2023-02-29", Err(DateError::NoSuchDay)),
            ("2023-00-10", Err(DateError::NoSuchDay)),
            ("0000-01-01", Err(DateError::NoSuchDay)),
            ("2023-2-9", Err(DateError::Form)),
            ("20230209", Err(DateError::Form)),
            ("2023-02-1é", Err(DateError::Form)),
            ("+023-02-11", Err(DateError::Form)),
            ("", Err(DateError::Form)),
        ] {
            assert_eq!(
                Date::parse(text).map(|d| d.to_string()),
                expected.map(str::to_owned),
                "{text}"
            );
        }
    }

    #[test]
    fn a_timestamp_parses_to_its_day() {
        assert_eq!(Date::parse_prefix("2024-01-31T23:00:00Z"), Date::parse("2024-01-31"));
        assert_eq!(Date::parse_prefix("2024-01-31 23:00"), Date::parse("2024-01-31"));
        assert_eq!(Date::parse_prefix("2024-01-311"), Err(DateError::Form));
        assert_eq!(Date::parse_prefix("2024-01-3é"), Err(DateError::Form));
    }

    #[test]
    fn the_day_in_toronto_follows_its_time_zone_and_summer_time() {
        for (moment, day) in [
            ("2026-01-15T04:59:59Z", "2026-01-14"),
            ("2026-01-15T05:00:00Z", "2026-01-15"),
            ("2026-07-15T03:59:59Z", "2026-07-14"),
            ("2026-07-15T04:00:00Z", "2026-07-15"),
            ("2026-03-08T06:59:59Z", "2026-03-08"),
        ] {
            assert_eq!(Date::in_toronto(moment.parse().unwrap()).to_string(), day, "{moment}");
        }
    }

    #[test]
    fn dates_convert_to_day_numbers_and_back() {
        assert_eq!(FIRST.to_string(), "0001-01-01");
        assert_eq!(FIRST.days_before(1), FIRST);
        assert_eq!(
            Date::parse("2024-03-01").unwrap().days_before(1).to_string(),
            "2024-02-29"
        );
        let date = Date::parse("2009-04-01").unwrap();
        assert_eq!(Date::from_days(date.days()), Some(date));
        assert_eq!(Date::from_days(i32::MAX), None);
    }
}
