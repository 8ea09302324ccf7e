//! Market figures as a table: what each figure is, for how many records its source states what it needs, and what it
//! means.

use std::collections::BTreeSet;

use crate::{
    api::analysis::market_figures::{MarketFigures, NewSuppliers},
    pages::messages::Texts,
};

/// The figures of some records.
#[derive(Debug)]
pub(crate) struct MarketTable {
    pub(crate) rows: Vec<MarketRow>,
    /// The newest year first.
    pub(crate) new_suppliers: Vec<SupplierYear>,
}

#[derive(Debug)]
pub(crate) struct MarketRow {
    /// The end of the keys of its texts.
    pub(crate) name: &'static str,
    /// `None` if no record states what the figure needs.
    pub(crate) value: Option<String>,
    /// The share of the records that state it.
    pub(crate) coverage: String,
}

/// The suppliers of a year.
#[derive(Debug)]
pub(crate) struct SupplierYear {
    pub(crate) year: i32,
    pub(crate) suppliers: String,
    pub(crate) new: String,
}

/// Which figures say something about the records of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarketScope {
    /// The figures of one supplier, which has no share among suppliers.
    OneSupplier,
    /// The figures of one buyer or one commodity.
    Suppliers,
}

/// How many years are listed.
const YEARS: usize = 20;

/// The table; `None` if no source states any of it. The share without competition has a table of its own on pages of
/// names. `covered` are the years that the sources cover: suppliers of other years say nothing about the market.
pub(crate) fn market_table(
    t: Texts,
    figures: &MarketFigures,
    scope: MarketScope,
    has_competition: bool,
    covered: &BTreeSet<i32>,
) -> Option<MarketTable> {
    let row = |name: &'static str, value: Option<String>, coverage: f64| MarketRow {
        name,
        value,
        coverage: t.percent(coverage),
    };
    let (bids, growth, suppliers) = (&figures.bids, &figures.growth, &figures.suppliers);
    let mut rows = Vec::new();
    if has_competition {
        let competition = &figures.competition;
        let share = competition.share_without.map(|share| t.percent(share));
        rows.push(row("competition", share, competition.coverage));
    }
    rows.push(row(
        "bids",
        bids.median.map(|median| t.count(median.into())),
        bids.coverage,
    ));
    if scope == MarketScope::Suppliers {
        let top = suppliers.top_five_share.map(|share| t.percent(share));
        let index = suppliers.concentration.map(|index| t.count(index.max(0.0) as u64));
        rows.push(row("top_five", top, suppliers.coverage));
        rows.push(row("concentration", index, suppliers.coverage));
    }
    rows.push(row(
        "growth",
        growth.share.map(|share| signed_percent(t, share)),
        growth.coverage,
    ));
    let year = |year: &NewSuppliers| SupplierYear {
        year: year.year,
        suppliers: t.count(year.suppliers),
        new: t.count(year.new),
    };
    let is_covered = |of: &&NewSuppliers| covered.is_empty() || covered.contains(&of.year);
    let years = figures.new_suppliers.iter().rev().filter(is_covered).take(YEARS);
    let new_suppliers: Vec<SupplierYear> = match scope {
        MarketScope::Suppliers => years.map(year).collect(),
        MarketScope::OneSupplier => Vec::new(),
    };
    let has_figure = rows.iter().any(|row| row.value.is_some());
    (has_figure || new_suppliers.len() > 1).then_some(MarketTable { rows, new_suppliers })
}

/// A change as a share: `+25%`.
pub(crate) fn signed_percent(t: Texts, share: f64) -> String {
    let sign = match share {
        share if share < 0.0 => "\u{2212}",
        share if share > 0.0 => "+",
        _ => "",
    };
    format!("{sign}{}", t.percent(share.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::analysis::market_figures::{BidsFigure, CompetitionFigure, GrowthFigure, SuppliersFigure},
        engine::aggregation::Money,
        model::Language,
    };

    fn figures() -> MarketFigures {
        MarketFigures {
            competition: CompetitionFigure {
                share_without: Some(0.25),
                coverage: 0.75,
            },
            bids: BidsFigure {
                median: None,
                coverage: 0.0,
                stated_records: 0,
                listed_records: 0,
            },
            suppliers: SuppliersFigure {
                top_five_share: Some(0.9),
                concentration: Some(2346.0),
                coverage: 1.0,
            },
            growth: GrowthFigure {
                share: Some(-0.3),
                original_value: Money::of(10.0),
                current_value: Money::of(7.0),
                coverage: 0.5,
            },
            new_suppliers: vec![
                NewSuppliers {
                    year: 2022,
                    new: 3,
                    suppliers: 3,
                },
                NewSuppliers {
                    year: 2023,
                    new: 1,
                    suppliers: 2,
                },
            ],
        }
    }

    #[test]
    fn each_figure_states_its_coverage() {
        let english = Texts::of(Language::English);
        let table = market_table(english, &figures(), MarketScope::Suppliers, true, &BTreeSet::new()).unwrap();
        let rows: Vec<(&str, Option<&str>, &str)> = table
            .rows
            .iter()
            .map(|row| (row.name, row.value.as_deref(), row.coverage.as_str()))
            .collect();
        assert_eq!(
            rows,
            [
                ("competition", Some("25%"), "75%"),
                ("bids", None, "0%"),
                ("top_five", Some("90%"), "100%"),
                ("concentration", Some("2,346"), "100%"),
                ("growth", Some("\u{2212}30%"), "50%"),
            ]
        );
        let years: Vec<i32> = table.new_suppliers.iter().map(|year| year.year).collect();
        assert_eq!(years, [2023, 2022]);
        let covered = market_table(
            english,
            &figures(),
            MarketScope::Suppliers,
            true,
            &BTreeSet::from([2023]),
        )
        .unwrap();
        assert_eq!(covered.new_suppliers.len(), 1, "no source covers 2022");
        for row in &table.rows {
            for t in Language::ALL.map(Texts::of) {
                assert!(
                    t.has("market-name-", row.name) && t.has("market-about-", row.name),
                    "{}",
                    row.name
                );
            }
        }
    }

    #[test]
    fn one_supplier_has_no_share_among_suppliers() {
        let english = Texts::of(Language::English);
        let table = market_table(english, &figures(), MarketScope::OneSupplier, false, &BTreeSet::new()).unwrap();
        let names: Vec<&str> = table.rows.iter().map(|row| row.name).collect();
        assert_eq!(names, ["bids", "growth"]);
        assert!(table.new_suppliers.is_empty());
        let unknown = MarketFigures {
            growth: GrowthFigure {
                share: None,
                ..figures().growth
            },
            ..figures()
        };
        assert!(market_table(english, &unknown, MarketScope::OneSupplier, false, &BTreeSet::new()).is_none());
    }
}
