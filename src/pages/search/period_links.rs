//! Shortcuts for periods that people think in: this year, the last five years, the fiscal year.

use crate::{
    model::{Date, Schema},
    pages::{messages::Texts, search::search_address::SearchAddress},
};

/// The same search in a period.
#[derive(Debug, PartialEq)]
pub(super) struct PeriodLink {
    pub(super) label: String,
    /// With the period; of the one that the search has, without it.
    pub(super) href: String,
    pub(super) is_active: bool,
}

/// Governments in Canada count from April 1 to March 31.
const FISCAL_MONTH: u32 = 4;

pub(super) fn period_links(t: Texts, asked: &SearchAddress, today: Date) -> Vec<PeriodLink> {
    if !Schema::of(asked.entity_type).accepts("issued_after") {
        return Vec::new();
    }
    let year = today.year();
    let fiscal = if today.month() < FISCAL_MONTH { year - 1 } else { year };
    let fiscal_years = format!("{fiscal}–{:02}", (fiscal + 1) % 100);
    [
        (t.text("search-period-year"), year, "01-01", year, "12-31"),
        (t.text("search-period-five"), year - 4, "01-01", year, "12-31"),
        (
            t.with("search-period-fiscal", &[("years", &fiscal_years)]),
            fiscal,
            "04-01",
            fiscal + 1,
            "03-31",
        ),
    ]
    .map(|(label, first, from, last, to)| {
        let (from, to) = (format!("{first:04}-{from}"), format!("{last:04}-{to}"));
        let is_active = asked.value("issued_after") == Some(&from) && asked.value("issued_before") == Some(&to);
        PeriodLink {
            label,
            href: if is_active {
                asked.dropping(&["issued_after", "issued_before"]).address()
            } else {
                asked.with(&[("issued_after", &from), ("issued_before", &to)])
            },
            is_active,
        }
    })
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;

    #[test]
    fn the_fiscal_year_begins_in_april() {
        let t = Texts::of(Language::English);
        let links = |query: &str, today: &str| {
            let (asked, _) = SearchAddress::read(Language::English, query).unwrap();
            period_links(t, &asked, Date::parse(today).unwrap())
        };
        for (today, fiscal, from, to) in [
            ("2026-03-31", "Fiscal year 2025–26", "2025-04-01", "2026-03-31"),
            ("2026-04-01", "Fiscal year 2026–27", "2026-04-01", "2027-03-31"),
            ("2099-12-31", "Fiscal year 2099–00", "2099-04-01", "2100-03-31"),
        ] {
            let shown = links("q=snow&date_from=2001-01-01&cursor=x", today);
            assert_eq!(shown[2].label, fiscal, "{today}");
            assert!(!shown[2].is_active);
            assert_eq!(
                shown[2].href,
                format!("/en/search?kind=contract&q=snow&issued_after={from}&issued_before={to}")
            );
        }
        let shown = links("q=snow&issued_after=2022-01-01&issued_before=2026-12-31", "2026-11-24");
        assert_eq!(
            shown[0].href,
            "/en/search?kind=contract&q=snow&issued_after=2026-01-01&issued_before=2026-12-31"
        );
        assert_eq!(
            (shown[1].is_active, shown[1].href.as_str()),
            (true, "/en/search?kind=contract&q=snow")
        );
    }
}
