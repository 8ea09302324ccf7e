//! Periods in words.

use crate::model::Date;

/// The first and the last year: `2009–2026`, or one year. `None` without dates.
pub(crate) fn years_between(first: Option<Date>, last: Option<Date>) -> Option<String> {
    let (first, last) = (first?.year(), last?.year());
    Some(if first == last {
        first.to_string()
    } else {
        format!("{first}–{last}")
    })
}
