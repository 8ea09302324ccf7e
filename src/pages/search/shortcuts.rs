//! Shortcuts for conditions that people think in: this year, the last five years, the fiscal year; tenders that take
//! bids today; steps of values.

use crate::{
    model::{Date, Role, Schema},
    pages::{messages::Texts, search::search_address::SearchAddress},
};

/// The same search with a condition more.
#[derive(Debug, PartialEq)]
pub(super) struct Shortcut {
    pub(super) label: String,
    /// With the condition; if the search has it, without it.
    pub(super) href: String,
    pub(super) is_active: bool,
}

/// Shortcuts of one kind.
pub(super) struct Shortcuts {
    pub(super) label: String,
    pub(super) links: Vec<Shortcut>,
}

/// The values, in dollars, at which a step ends and the next one begins.
const STEPS: [u32; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// All kinds that the entity type has.
pub(super) fn shortcuts(t: Texts, asked: &SearchAddress, today: Date) -> Vec<Shortcuts> {
    let mut dates = open_today(t, asked, today);
    dates.extend(periods(t, asked, today));
    let all = [("search-periods", dates), ("search-values", values(t, asked))];
    let all = all.into_iter().filter(|(_, links)| !links.is_empty());
    all.map(|(label, links)| Shortcuts {
        label: t.text(label),
        links,
    })
    .collect()
}

impl Shortcut {
    /// `set` are the values of parameters, `None` for those that are not given.
    fn new(asked: &SearchAddress, label: String, set: &[(&'static str, Option<String>)]) -> Shortcut {
        let is_active = set.iter().all(|(name, value)| asked.value(name) == value.as_deref());
        let names: Vec<&'static str> = set.iter().map(|(name, _)| *name).collect();
        let given = set.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?)));
        let without = asked.dropping(&names);
        Shortcut {
            label,
            href: if is_active {
                without.address()
            } else {
                without.with(&given.collect::<Vec<_>>())
            },
            is_active,
        }
    }
}

/// Tenders that take bids: publishers leave notices open after their last day.
fn open_today(t: Texts, asked: &SearchAddress, today: Date) -> Vec<Shortcut> {
    let schema = Schema::of(asked.entity_type);
    if !schema.has_role(Role::ClosingDate) || !schema.accepts("status") {
        return Vec::new();
    }
    let set = [
        ("status", Some("Open".to_owned())),
        ("closing_after", Some(today.to_string())),
    ];
    vec![Shortcut::new(asked, t.text("search-open-today"), &set)]
}

/// Each step ends a cent before the next one.
fn values(t: Texts, asked: &SearchAddress) -> Vec<Shortcut> {
    let schema = Schema::of(asked.entity_type);
    if !schema.has_role(Role::Value) || !schema.accepts("value_min") {
        return Vec::new();
    }
    let money = |dollars: u32| t.money_rounded(dollars.into());
    let starts = std::iter::once(None).chain(STEPS.map(Some));
    let ends = STEPS.map(Some).into_iter().chain([None]);
    let step = |(from, to): (Option<u32>, Option<u32>)| {
        let label = match (from, to) {
            (Some(from), Some(to)) => t.with("search-value-between", &[("from", &money(from)), ("to", &money(to))]),
            (None, to) => t.with("search-value-under", &[("to", &money(to.unwrap_or_default()))]),
            (Some(from), None) => t.with("search-value-over", &[("from", &money(from))]),
        };
        let (min, max) = (from.map(|from| from.to_string()), to.map(|to| format!("{}.99", to - 1)));
        Shortcut::new(asked, label, &[("value_min", min), ("value_max", max)])
    };
    starts.zip(ends).map(step).collect()
}

/// Governments in Canada count from April 1 to March 31.
const FISCAL_MONTH: u32 = 4;

fn periods(t: Texts, asked: &SearchAddress, today: Date) -> Vec<Shortcut> {
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
        Shortcut::new(
            asked,
            label,
            &[("issued_after", Some(from)), ("issued_before", Some(to))],
        )
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
            periods(t, &asked, Date::parse(today).unwrap())
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

    #[test]
    fn values_are_in_steps_without_overlaps() {
        let t = Texts::of(Language::English);
        let links = |query: &str| {
            let (asked, _) = SearchAddress::read(Language::English, query).unwrap();
            values(t, &asked)
        };
        let shown = links("q=snow&value_min=10000&value_max=99999.99&cursor=x");
        let labels: Vec<&str> = shown.iter().map(|link| link.label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "under $10,000",
                "$10,000 to $100,000",
                "$100,000 to $1\u{a0}million",
                "$1\u{a0}million to $10\u{a0}million",
                "$10\u{a0}million and more"
            ]
        );
        assert_eq!(shown[0].href, "/en/search?kind=contract&q=snow&value_max=9999.99");
        assert_eq!(
            (shown[1].is_active, shown[1].href.as_str()),
            (true, "/en/search?kind=contract&q=snow")
        );
        assert_eq!(shown[4].href, "/en/search?kind=contract&q=snow&value_min=10000000");
        assert!(links("kind=standing_offer").is_empty());
    }

    #[test]
    fn only_tenders_are_open_today() {
        let t = Texts::of(Language::English);
        let today = Date::parse("2026-11-24").unwrap();
        let links = |query: &str| open_today(t, &SearchAddress::read(Language::English, query).unwrap().0, today);
        let open = "/en/search?kind=tender&status=Open&closing_after=2026-11-24";
        assert_eq!(links("kind=tender&status=Active")[0].href, open);
        let active = &links("kind=tender&status=Open&closing_after=2026-11-24")[0];
        assert_eq!(
            (active.is_active, active.href.as_str()),
            (true, "/en/search?kind=tender")
        );
        assert!(links("kind=contract").is_empty());
    }
}
