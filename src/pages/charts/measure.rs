//! What the bars of a year show: the sum of its values, or its number of records.

use super::years::YearValue;
use crate::{model::Language, pages::format};

/// What a panel shows of a year, and how it is written.
pub(super) struct Measure {
    pub(super) title: &'static str,
    /// Whether it is the sum of the records' values.
    pub(super) is_sum: bool,
    /// The smallest step of the axis: records are counted in whole numbers.
    pub(super) min_step: f64,
    pub(super) value: fn(&YearValue) -> f64,
    pub(super) write: fn(Language, f64) -> String,
    /// How a table writes the value.
    pub(super) write_exactly: fn(Language, f64) -> String,
}

pub(super) const VALUE: Measure = Measure {
    title: "chart-value-by-year",
    is_sum: true,
    min_step: 0.0,
    value: |year| year.total,
    write: format::money_short,
    write_exactly: |lang, value| format::money(lang, value, format::CAD),
};

pub(super) const NUMBER: Measure = Measure {
    title: "chart-number-by-year",
    is_sum: false,
    min_step: 1.0,
    value: |year| year.count as f64,
    write: |lang, value| format::count(lang, value as u64),
    write_exactly: |lang, value| format::count(lang, value as u64),
};
