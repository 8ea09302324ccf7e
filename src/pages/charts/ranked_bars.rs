//! Names ranked by amount: a table with a horizontal bar in each row.

use askama::{Template, filters::HtmlSafe};

use super::{
    length::Percent,
    scale::{LinearScale, is_beyond},
};
use crate::{
    model::Language,
    pages::{
        format::{self, CAD},
        messages::Texts,
    },
};

#[derive(Debug, Template)]
#[template(path = "charts/ranked_bars.html")]
pub(crate) struct RankedBars {
    pub(crate) lang: Language,
    /// An HTML id, unique in the page.
    pub(crate) id: &'static str,
    /// States what the chart shows, in the page's language.
    pub(crate) title: String,
    /// The head of the column of names: "Supplier".
    pub(crate) name_label: String,
    /// Whether the rows have amounts. Without, the bars show their numbers of records.
    pub(crate) has_amounts: bool,
    /// The largest first.
    pub(crate) rows: Vec<RankedRow>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RankedRow {
    pub(crate) name: String,
    /// The language of the name, if it is not that of the page.
    pub(crate) name_lang: Option<Language>,
    /// The page of the name.
    pub(crate) href: Option<String>,
    /// The search for exactly the records of the row.
    pub(crate) search: Option<String>,
    /// Number of records.
    pub(crate) count: u64,
    /// Canadian dollars; may be negative.
    pub(crate) amount: f64,
    /// Share of the amount of all names, or of their number without amounts, 0 to 1. `None` where it has no meaning (a
    /// total of zero or less).
    pub(crate) share: Option<f64>,
}

impl HtmlSafe for RankedBars {}

/// A row as the template shows it.
struct DrawnRow<'a> {
    name: &'a str,
    lang: Option<&'static str>,
    href: Option<&'a str>,
    search: Option<&'a str>,
    x: Percent,
    width: Percent,
    is_negative: bool,
    /// Whether the value is beyond the end of the scale, so that the bar is drawn as broken off.
    is_broken: bool,
    amount: String,
    count: String,
    share: String,
}

impl RankedBars {
    fn texts(&self) -> Texts {
        Texts::of(self.lang)
    }

    fn has_shares(&self) -> bool {
        self.rows.iter().any(|row| row.share.is_some())
    }

    fn drawn(&self) -> Vec<DrawnRow<'_>> {
        let value = |row: &RankedRow| {
            if self.has_amounts { row.amount } else { row.count as f64 }
        };
        let scale = LinearScale::tight(self.rows.iter().map(value));
        let draw = |row| {
            let bar = scale.bar(value(row));
            DrawnRow {
                name: &row.name,
                lang: row.name_lang.filter(|lang| *lang != self.lang).map(Language::code),
                href: row.href.as_deref(),
                search: row.search.as_deref(),
                x: Percent(bar.low),
                width: Percent(bar.high - bar.low),
                is_negative: value(row) < 0.0,
                is_broken: is_beyond(value(row)),
                amount: if row.amount == 0.0 {
                    self.texts().text("not-published")
                } else {
                    format::money(self.lang, row.amount, CAD)
                },
                count: format::count(self.lang, row.count),
                share: row
                    .share
                    .map_or_else(String::new, |share| format::percent(self.lang, share)),
            }
        };
        self.rows.iter().map(draw).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, amount: f64) -> RankedRow {
        RankedRow {
            name: name.to_owned(),
            name_lang: Some(Language::French),
            href: (name != "Anonymous").then(|| format!("/en/vendor/{name}")),
            search: (name == "C").then(|| "/en/search?q=a&supplier=c".to_owned()),
            count: 2,
            amount,
            share: Some(0.25),
        }
    }

    #[test]
    fn a_row_has_a_link_a_bar_and_its_figures() {
        let chart = RankedBars {
            lang: Language::English,
            id: "suppliers",
            title: "Suppliers".to_owned(),
            name_label: "Supplier".to_owned(),
            has_amounts: true,
            rows: vec![row("A&B", 2e6), row("Anonymous", 5e5), row("C", -5e5)],
        };
        let html = chart.render().unwrap();
        for part in [
            r#"<th scope="row" lang="fr"><a href="/en/vendor/A&#38;B">A&#38;B</a>"#,
            r#"<rect class="chart-bar" x="20%" width="80%" height="8"/>"#,
            r#"<rect class="bar-negative" x="0%" width="20%" height="8"/>"#,
            concat!(
                r#"<td class="number" data-label="Value">$2,000,000.00</td>"#,
                r#"<td class="number" data-label="Number">2</td><td class="number" data-label="Share">25%</td>"#,
            ),
            "<span>Anonymous</span>",
            r#"data-label="Number"><a href="/en/search?q=a&#38;supplier=c" aria-label="2: C">2</a></td>"#,
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        let numbers = RankedBars {
            has_amounts: false,
            ..chart
        };
        let html = numbers.render().unwrap();
        assert!(!html.contains('$') && html.contains(r#"x="0%" width="100%""#), "{html}");
    }

    #[test]
    fn one_absurd_amount_does_not_flatten_the_others() {
        let chart = RankedBars {
            lang: Language::English,
            id: "suppliers",
            title: "Suppliers".to_owned(),
            name_label: "Supplier".to_owned(),
            has_amounts: true,
            rows: vec![row("Typing error", 1e300), row("B", 4e6), row("C", 1e6)],
        };
        let widths: Vec<Percent> = chart.drawn().iter().map(|row| row.width).collect();
        assert_eq!(widths, [Percent(1.0), Percent(1.0), Percent(0.25)]);
        assert_eq!(chart.render().unwrap().matches("bar-break").count(), 1);
    }
}
