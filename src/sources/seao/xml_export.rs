//! One XML export of SEAO: the days that it covers, and the parsing of dates and amounts in its
//! rows.

use crate::model::Date;
use crate::sources::reading::{FileInfo, ReadError, RowCounts, XmlElement, XmlRows, text};

/// The attributes of an export's root element.
pub(crate) struct XmlExport {
    /// The first and the last day that the export covers.
    pub(crate) first: Option<Date>,
    pub(crate) last: Option<Date>,
    /// Whether the last day is in 2016 or later.
    pub(crate) is_since_2016: bool,
    /// `fetched_at` of its records: the last day, or the file's time if the export states no last
    /// day.
    pub(crate) fetched_at: String,
}

impl XmlExport {
    pub(crate) fn of(rows: &mut XmlRows, file: &FileInfo) -> Result<XmlExport, ReadError> {
        let mut days = rows.root_attributes(&["datedebut", "datefin"])?.into_iter();
        let mut day = || Date::parse_prefix(days.next()??.as_str()).ok();
        let (first, last) = (day(), day());
        Ok(XmlExport {
            first,
            last,
            is_since_2016: last >= Date::parse("2016-01-01").ok(),
            fetched_at: last.map_or(file.fetched_at.clone(), |day| format!("{day}T00:00:00Z")),
        })
    }

    pub(crate) fn covers(&self, day: Option<Date>) -> bool {
        day.is_some() && self.first <= day && day <= self.last
    }

    /// The last day, as days since 1970; 0 if the export states none.
    pub(crate) fn last_day(&self) -> i64 {
        self.last.map_or(0, |day| day.days().into())
    }
}

/// The day in an element's child `name`. An impossible date is noted and left out.
pub(crate) fn day(row: XmlElement, name: &str, line: u64, counts: &mut RowCounts) -> Option<Date> {
    text::date(row.raw(name)).unwrap_or_else(|_| {
        counts.note(line, &format!("impossible date in {name}, left out"));
        None
    })
}

/// The amount in an element's child `name`; 0 counts as absent. An unreadable amount is noted and
/// left out.
pub(crate) fn money(row: XmlElement, name: &str, line: u64, counts: &mut RowCounts) -> Option<f64> {
    text::given_amount(row.raw(name)).unwrap_or_else(|_| {
        counts.note(line, &format!("unreadable amount in {name}, left out"));
        None
    })
}
