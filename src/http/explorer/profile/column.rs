//! The figures of one name as a page shows them: in a column of a comparison, or alone.

use super::{
    competition_table::{CompetitionTable, competition_table},
    figures::{Figures, TOP},
    shares::share,
};
use crate::{
    engine::{aggregation::FacetBucket, names::BodyKind},
    http::{
        explorer::{
            address::{self, Parameters},
            charts::{RankedBars, RankedRow, YearBars, YearValue},
            market::{MarketScope, MarketTable, market_table},
            messages::Texts,
            periods::years_between,
            quality::{self, TotalDoubt},
            record::listed::ListedRecord,
        },
        params::value::MIN_NAME_LENGTH,
    },
    model::{Facet, Language, fold::fold, vocabulary::NO_QUALITY_FLAG},
};

/// What a page shows of one name.
#[derive(Debug)]
pub(super) struct Column {
    /// In the language of the page, if it is known.
    pub(super) name: String,
    /// The page of the name alone.
    pub(super) href: String,
    pub(super) sentence: String,
    /// How many records state a value, if not all.
    pub(super) values_note: Option<String>,
    pub(super) years: Option<YearBars>,
    pub(super) ranked: Option<RankedBars>,
    /// How many names the other side has, if not all are ranked.
    pub(super) ranked_note: Option<String>,
    pub(super) categories: Option<RankedBars>,
    pub(super) competition: Option<CompetitionTable>,
    pub(super) market: Option<MarketTable>,
    pub(super) doubt: Option<TotalDoubt>,
    /// The sums of other currencies, in a sentence.
    pub(super) currencies: Option<String>,
    /// That the name is that of a part of a buyer.
    pub(super) body: Option<String>,
    pub(super) newest: Vec<ListedRecord>,
    /// Whether the name is that of a supplier, which its records need not repeat.
    pub(super) is_of_vendor: bool,
    /// The search for all records with the name; `None` if the name is too short to search for.
    pub(super) search: Option<String>,
    /// The figures in a row of the table that compares two names.
    pub(super) facts: Vec<Fact>,
}

/// A figure with its label.
#[derive(Debug)]
pub(super) struct Fact {
    pub(super) label: String,
    pub(super) value: String,
}

impl Column {
    /// The figure with a label; a dash if the name has no such figure.
    pub(super) fn value_of(&self, label: &str) -> &str {
        let fact = self.facts.iter().find(|fact| fact.label == label);
        fact.map_or("–", |fact| &fact.value)
    }
}

/// Gives the charts of two columns the same axes and scales.
pub(super) fn align(first: &mut Column, second: &mut Column) {
    if let (Some(first), Some(second)) = (&mut first.years, &mut second.years) {
        first.same_axes_as = second.years.clone();
        second.same_axes_as = first.years.clone();
    }
    for (first, second) in [
        (&mut first.ranked, &mut second.ranked),
        (&mut first.categories, &mut second.categories),
    ] {
        if let (Some(first), Some(second)) = (first, second) {
            first.same_scale_as = second.rows.clone();
            second.same_scale_as = first.rows.clone();
        }
    }
}

/// What all names of a page share.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) t: Texts,
    pub(super) facet: Facet,
    /// The year that is not over.
    pub(super) running_year: i32,
}

/// The HTML ids of the charts of a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChartIds {
    years: &'static str,
    ranked: &'static str,
    categories: &'static str,
}

/// Those of the first and of the second column.
pub(super) const CHART_IDS: [ChartIds; 2] = [
    ChartIds {
        years: "years",
        ranked: "ranked",
        categories: "categories",
    },
    ChartIds {
        years: "years-2",
        ranked: "ranked-2",
        categories: "categories-2",
    },
];

impl View {
    fn lang(self) -> Language {
        self.t.language()
    }

    fn scope(self) -> MarketScope {
        match self.facet {
            Facet::Vendor => MarketScope::OneSupplier,
            _ => MarketScope::Suppliers,
        }
    }

    /// The page of a name of this page's kind.
    pub(super) fn page_of(self, name: &str) -> String {
        match self.facet {
            Facet::Vendor => address::vendor(self.lang(), name),
            _ => address::department(self.lang(), name),
        }
    }

    /// The page of a name of the other side.
    fn page_of_other(self, name: &str) -> String {
        match self.facet {
            Facet::Vendor => address::department(self.lang(), name),
            _ => address::vendor(self.lang(), name),
        }
    }

    /// The end of the keys of texts about the other side.
    fn other_side(self) -> &'static str {
        match self.facet {
            Facet::Vendor => "buyers",
            _ => "suppliers",
        }
    }

    /// The name in the language of the page. The resolved name is English where that is known.
    pub(super) fn name_of(self, figures: &Figures) -> String {
        match (self.lang(), &figures.name_fr) {
            (Language::French, Some(name)) => name.clone(),
            _ => figures.name.clone(),
        }
    }
}

/// The column of a name, without gaps in its years. `others` are the names of the ranked other side in the page's
/// language, in their order.
pub(super) fn column(view: View, figures: Figures, others: Vec<String>, ids: ChartIds) -> Column {
    let t = view.t;
    let kind = t.keyed("kinds-", figures.entity_type.name());
    let name = view.name_of(&figures);
    let has_values = figures.amount.is_some();
    let years = years(view, &figures);
    let ranked_by = if has_values { "amount" } else { "number" };
    let searched = searched(view, &name);
    let search = |query: &Parameters| address::search(view.lang(), figures.entity_type, query);
    let without = searched
        .as_ref()
        .map(|query| search(&query.with("quality_flag", NO_QUALITY_FLAG)));
    Column {
        href: view.page_of(&name),
        sentence: sentence(view, &figures),
        values_note: (has_values && figures.with_value < figures.total).then(|| {
            t.with(
                "profile-values-note",
                &[("count", &figures.with_value), ("total", &figures.total)],
            )
        }),
        years: (!years.is_empty()).then(|| YearBars {
            lang: view.lang(),
            id: ids.years,
            title: t.with("profile-years-title", &[("kinds", &kind)]),
            years,
            has_values,
            gaps: Vec::new(),
            undated: undated(&figures),
            same_axes_as: Vec::new(),
        }),
        ranked: (!figures.others.is_empty()).then(|| RankedBars {
            lang: view.lang(),
            id: ids.ranked,
            title: t.keyed("profile-ranked-", &format!("{}-{ranked_by}", view.other_side())),
            name_label: t.keyed("profile-name-", view.other_side()),
            has_amounts: has_values,
            rows: ranked_rows(view, &figures, others),
            same_scale_as: Vec::new(),
        }),
        ranked_note: (figures.distinct_others > TOP as u64).then(|| {
            t.keyed_with(
                "profile-ranked-note-",
                view.other_side(),
                &[("count", &figures.distinct_others)],
            )
        }),
        categories: (!figures.categories.is_empty()).then(|| RankedBars {
            lang: view.lang(),
            id: ids.categories,
            title: t.text("profile-categories-title"),
            name_label: t.text("profile-name-categories"),
            has_amounts: has_values,
            rows: figures
                .categories
                .iter()
                .map(|bucket| RankedRow {
                    name: category(t, &bucket.value),
                    href: searched
                        .as_ref()
                        .map(|query| search(&query.with("category", &bucket.value))),
                    ..ranked_row(&figures, bucket)
                })
                .collect(),
            same_scale_as: Vec::new(),
        }),
        competition: competition_table(t, &figures),
        market: market_table(t, &figures.market, view.scope(), false),
        doubt: quality::total_doubt(t, &figures.quality, without),
        currencies: quality::other_currencies(t, &figures.currencies),
        body: figures.body.and_then(|body| body_note(t, body)),
        search: searched.as_ref().map(search),
        facts: facts(view, &figures),
        newest: figures.newest,
        is_of_vendor: view.facet == Facet::Vendor,
        name,
    }
}

/// That a name is that of a part of a buyer; `None` for a buyer.
fn body_note(t: Texts, body: BodyKind) -> Option<String> {
    match body {
        BodyKind::Buyer => None,
        BodyKind::Division => Some(t.text("profile-body-division")),
        BodyKind::Both => Some(t.text("profile-body-both")),
    }
}

/// The parameters of the search for a name's records; `None` if the name is too short.
fn searched(view: View, name: &str) -> Option<Parameters> {
    let is_long_enough = fold(name).chars().count() >= MIN_NAME_LENGTH;
    is_long_enough.then(|| Parameters::default().with(view.facet.name(), name))
}

fn category(t: Texts, code: &str) -> String {
    if t.has("search-category-", code) {
        t.keyed("search-category-", code)
    } else {
        code.to_owned()
    }
}

fn years(view: View, figures: &Figures) -> Vec<YearValue> {
    let year = |(year, count, total): &(i32, u64, f64)| YearValue {
        year: *year,
        count: *count,
        total: *total,
        is_running: *year == view.running_year,
    };
    figures.years.iter().map(year).collect()
}

/// How many records have no year.
fn undated(figures: &Figures) -> u64 {
    let dated: u64 = figures.years.iter().map(|(_, count, _)| count).sum();
    figures.total.saturating_sub(dated)
}

fn ranked_rows(view: View, figures: &Figures, others: Vec<String>) -> Vec<RankedRow> {
    let rows = figures.others.iter().zip(others);
    let row = |(bucket, name): (&FacetBucket, String)| RankedRow {
        href: Some(view.page_of_other(&bucket.value)),
        name,
        ..ranked_row(figures, bucket)
    };
    rows.map(row).collect()
}

fn ranked_row(figures: &Figures, bucket: &FacetBucket) -> RankedRow {
    let amount = bucket.total_value.dollars();
    RankedRow {
        name: String::new(),
        name_lang: None,
        href: None,
        count: bucket.count,
        amount,
        share: share(figures, bucket.count, amount),
    }
}

/// "1,284 contracts worth $412 million, 2009–2026, with 37 buyers."
fn sentence(view: View, figures: &Figures) -> String {
    let t = view.t;
    let records = t.keyed_with(
        "search-records-",
        figures.entity_type.name(),
        &[("count", &figures.total)],
    );
    let mut parts = vec![match figures.amount.filter(|_| figures.with_value > 0) {
        Some(amount) => {
            let value = t.money_rounded(amount);
            t.with("profile-worth", &[("records", &records), ("value", &value)])
        }
        None => records,
    }];
    parts.extend(years_between(figures.first, figures.last));
    if figures.distinct_others > 0 {
        parts.push(t.keyed_with(
            "profile-with-",
            view.other_side(),
            &[("count", &figures.distinct_others)],
        ));
    }
    format!("{}.", parts.join(", "))
}

fn facts(view: View, figures: &Figures) -> Vec<Fact> {
    let t = view.t;
    let not_published = || t.text("not-published");
    let fact = |label: String, value: Option<String>| Fact {
        label,
        value: value.unwrap_or_else(not_published),
    };
    let number = |amount: f64| (figures.with_value > 0).then(|| t.money(amount));
    let mean = figures.amount.map(|amount| amount / figures.with_value as f64);
    let mut facts = vec![fact(
        t.keyed("kinds-", figures.entity_type.name()),
        Some(t.count(figures.total)),
    )];
    if let (Some(amount), Some(mean)) = (figures.amount, mean) {
        facts.push(fact(t.text("profile-fact-value"), number(amount)));
        facts.push(fact(t.text("profile-fact-mean"), number(mean)));
    }
    facts.push(fact(
        t.text("profile-fact-period"),
        years_between(figures.first, figures.last),
    ));
    if figures.distinct_others > 0 {
        let label = t.keyed("profile-fact-", view.other_side());
        facts.push(fact(label, Some(t.count(figures.distinct_others))));
    }
    if let Some(competition) = &figures.competition {
        let share = competition.share_without(figures.amount.is_some());
        facts.push(fact(
            t.text("profile-fact-competition"),
            share.map(|share| t.percent(share)),
        ));
        facts.push(fact(
            t.text("profile-fact-coverage"),
            Some(t.percent(competition.coverage())),
        ));
    }
    facts
}
