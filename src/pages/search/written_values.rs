//! Amounts, days and methods of procurement as people write them, turned into the form of the API.
//!
//! What is not certain stays as it is, and is refused with a reason: `3/4/2019` is a day of March or of April.

use crate::{
    api::params::{filters::FilterKind, search::TABLE},
    model::{Date, Role},
    pages::method_names::published_method,
    question::amounts::written_amount,
};

/// The value of a parameter in the form of the API; `None` if it has that form, or no form that is understood.
pub(super) fn canonical_value(parameter: &str, value: &str) -> Option<String> {
    let row = TABLE.iter().find(|row| row.names().any(|name| name == parameter))?;
    let changed = match row.filter()? {
        FilterKind::AtLeast | FilterKind::AtMost => written_amount(value)?,
        FilterKind::From(_) => day(value, Bound::First)?,
        FilterKind::To(_) => day(value, Bound::Last)?,
        FilterKind::Start(Role::ProcurementMethod) => published_method(value)?.to_owned(),
        _ => return None,
    };
    (changed != value).then_some(changed)
}

#[derive(Clone, Copy, PartialEq)]
enum Bound {
    First,
    Last,
}

/// `2019`, `2019-05`, `2019/05/31`, `31/05/2019`.
fn day(text: &str, bound: Bound) -> Option<String> {
    let parts: Vec<&str> = text.split(['-', '/', '.']).map(str::trim).collect();
    let number = |part: &str| part.parse::<u32>().ok().filter(|_| part.len() <= 2);
    let is_year = |part: &str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    let (year, month, days) = match parts[..] {
        [year] if is_year(year) => (year, if bound == Bound::First { 1 } else { 12 }, None),
        [year, month] if is_year(year) => (year, number(month)?, None),
        [year, month, day] if is_year(year) => (year, number(month)?, Some(number(day)?)),
        // Only a number above 12 shows which of the two is the day.
        [day, month, year] if is_year(year) => match (number(day)?, number(month)?) {
            (day @ 13.., month) | (month, day @ 13..) => (year, month, Some(day)),
            (day, month) if day == month => (year, month, Some(day)),
            _ => return None,
        },
        _ => return None,
    };
    let candidates = match (days, bound) {
        (Some(day), _) => day..=day,
        (None, Bound::First) => 1..=1,
        (None, Bound::Last) => 28..=31,
    };
    let mut days = candidates.map(|day| format!("{year}-{month:02}-{day:02}"));
    days.rfind(|day| Date::parse(day).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_days_are_read_as_people_write_them() {
        for (parameter, written, read) in [
            ("value_min", "1 000 000", "1000000"),
            ("value_min", "1\u{a0}000\u{202f}000,50 $", "1000000.50"),
            ("value_max", "$1,000,000.5", "1000000.5"),
            ("value_max", "12,5", "12.5"),
            ("issued_after", "2019", "2019-01-01"),
            ("date_to", "2019", "2019-12-31"),
            ("ending_before", "2024-02", "2024-02-29"),
            ("ending_before", "2023/2", "2023-02-28"),
            ("issued_before", "2019/05/3", "2019-05-03"),
            ("issued_before", "31/12/2019", "2019-12-31"),
            ("issued_before", "12/31/2019", "2019-12-31"),
            ("issued_before", "5.5.2019", "2019-05-05"),
            ("procurement_method", "gré à gré", "contract by mutual agreement"),
            ("procurement_method", "Fournisseur unique", "sole source"),
            ("procurement_method", "demande de prix", "rfq"),
        ] {
            assert_eq!(
                canonical_value(parameter, written).as_deref(),
                Some(read),
                "{parameter}={written}"
            );
        }
    }

    #[test]
    fn what_is_not_certain_stays() {
        for (parameter, written) in [
            ("value_min", "1000"),
            ("value_min", "-5"),
            ("value_min", "1,00,000"),
            ("value_min", ",5"),
            ("value_min", "a"),
            ("issued_after", "2019-01-01"),
            ("issued_after", "3/4/2019"),
            ("issued_after", "2019-13"),
            ("issued_after", "99/99/2019"),
            ("issued_after", "2019-02-30"),
            ("issued_after", "soon"),
            ("vendor", "2019"),
            ("procurement_method", "appel d’offres"),
            ("procurement_method", "Sole source"),
            ("procurement_method", "gré"),
            ("procurement_method", "-"),
        ] {
            assert_eq!(canonical_value(parameter, written), None, "{parameter}={written}");
        }
    }
}
