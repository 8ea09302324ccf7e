//! The figures of the compared things in rows, each with its difference from that of the first one.

use std::collections::BTreeSet;

use super::sums::Sums;
use crate::{
    api::analysis::{compared::Subject, competition::Competition},
    model::Facet,
    pages::{
        coverage_note::written_years, messages::Texts, overview::Overview, overview::side, periods::years_between,
    },
};

/// A thing with what was counted of it; `None` if it has no records of the entity type.
pub(super) struct Side<'a> {
    pub(super) subject: &'a Subject,
    pub(super) overview: Option<Overview<'a>>,
    pub(super) competition: Option<Competition>,
}

/// A row of the table.
pub(super) struct Row {
    pub(super) label: String,
    /// What its figures say of other rows.
    pub(super) note: Option<String>,
    /// In the order of the things.
    pub(super) cells: Vec<Cell>,
}

pub(super) struct Cell {
    pub(super) value: String,
    /// How it differs from that of the first thing.
    pub(super) difference: Option<String>,
}

enum Figure {
    Missing,
    Text(String),
    Count(u64),
    Money(f64),
    Share(f64),
}

/// The years that the sources of the things cover.
pub(super) struct CoveredYears {
    /// Those of all things.
    common: BTreeSet<i32>,
    is_even: bool,
    /// Whether at least half of the records of each thing have a date. Others are in no year.
    are_dated: bool,
}

impl CoveredYears {
    pub(super) fn of(sides: &[Side]) -> CoveredYears {
        let covered = sides
            .iter()
            .filter_map(|side| Some(side.overview.as_ref()?.covered_years()));
        let covered: Vec<BTreeSet<i32>> = covered.collect();
        let mut common = covered.first().cloned().unwrap_or_default();
        common.retain(|year| covered.iter().all(|years| years.contains(year)));
        CoveredYears {
            is_even: covered.iter().all(|years| *years == common),
            are_dated: sides.iter().filter_map(|side| side.overview.as_ref()).all(is_dated),
            common,
        }
    }

    /// That the figures are of different years, if they are.
    pub(super) fn note(&self, t: Texts) -> Option<String> {
        if self.is_even {
            return None;
        }
        Some(if self.common.is_empty() {
            t.text("compare-no-common-years")
        } else if self.are_dated {
            t.with("compare-uneven", &[("years", &written_years(t, &self.common))])
        } else {
            t.text("compare-undated")
        })
    }
}

/// The table. If the sources do not cover the same years of all things, differences are stated only in the rows of the
/// years that they cover of all. Where sums depend on records in doubt, differences are stated only of those without.
pub(super) fn rows(t: Texts, (sides, names): (&[Side], &[&str]), other: Facet, covered: &CoveredYears) -> Vec<Row> {
    let of_years = |label: String, figure: &dyn Fn(&Side) -> Figure, is_even: bool| {
        Row::new(t, label, sides.iter().map(figure).collect(), is_even)
    };
    let row = |label: String, figure: &dyn Fn(&Side) -> Figure| of_years(label, figure, covered.is_even);
    let of = |side: &Side, figure: &dyn Fn(&Overview) -> Figure| side.overview.as_ref().map_or(Figure::Missing, figure);
    let Some(first) = sides.iter().find_map(|side| side.overview.as_ref()) else {
        return Vec::new();
    };
    let kinds = t.keyed("kinds-", first.entity_type().name());
    let total = |side: &Side| side.overview.as_ref().map_or(0, |overview| overview.counted().total);
    let mut rows = vec![row(kinds.clone(), &|side| Figure::Count(total(side)))];
    let sums = Sums::of(sides.iter().map(|side| side.overview.as_ref()));
    let are_certain = !sums.are_uncertain();
    if first.amount.is_some() {
        rows.extend(value_rows(t, (sides, names), &sums, covered));
    }
    rows.push(row(t.text("compare-fact-period"), &|side| of(side, &period)));
    if !covered.is_even && !covered.common.is_empty() {
        let years = written_years(t, &covered.common);
        let label = |what: &str| t.with("compare-in-years", &[("what", &what), ("years", &years)]);
        let number = |of: &Overview| Figure::Count(in_years(of, &covered.common).0);
        rows.push(of_years(label(&kinds), &|side| of(side, &number), covered.are_dated));
        if first.amount.is_some() {
            let value = |of: &Overview| Figure::Money(in_years(of, &covered.common).1);
            let label = label(&t.text("compare-fact-value"));
            let is_even = covered.are_dated && are_certain;
            rows.push(of_years(label, &|side| of(side, &value), is_even));
        }
    }
    if sides
        .iter()
        .any(|side| matches!(side.subject, Subject::Supplier { .. }))
    {
        rows.push(row(t.text("compare-fact-names"), &names_joined));
    }
    rows.push(row(t.keyed("compare-fact-", side(other)), &|side| {
        of(side, &|of| Figure::Count(of.distinct(other)))
    }));
    rows.push(row(t.text("compare-fact-competition"), &|side| {
        without_competition(side)
    }));
    rows.push(row(t.text("compare-fact-coverage"), &|side| {
        let competition = side.competition.as_ref();
        competition.map_or(Figure::Missing, |competition| Figure::Share(competition.coverage()))
    }));
    rows
}

/// The sum and the mean of the values.
fn value_rows(t: Texts, (sides, names): (&[Side], &[&str]), sums: &Sums, covered: &CoveredYears) -> Vec<Row> {
    let is_uncertain = sums.are_uncertain();
    let of_all = |key: &str, by: fn(&Overview) -> f64| {
        let figure = |side: &Side| side.overview.as_ref().map_or(Figure::Missing, |of| amount(of, by(of)));
        let is_even = covered.is_even && !is_uncertain;
        Row::new(t, t.text(key), sides.iter().map(figure).collect(), is_even)
    };
    let without_doubt = || {
        let figure = |number: usize| sums.sound(number).map_or(Figure::Missing, Figure::Money);
        let figures = (0..sides.len()).map(figure).collect();
        Row {
            note: Some(sums.note(t, names, covered.is_even)),
            ..Row::new(t, t.text("compare-fact-value-sound"), figures, covered.is_even)
        }
    };
    let value = of_all("compare-fact-value", |_| 1.0);
    let mean = of_all("compare-fact-mean", |of| of.with_value() as f64);
    let sound = is_uncertain.then(without_doubt);
    [Some(value), sound, Some(mean)].into_iter().flatten().collect()
}

fn is_dated(of: &Overview) -> bool {
    let dated: u64 = of.counts(Facet::Year).buckets.iter().map(|year| year.count).sum();
    dated.saturating_mul(2) >= of.counted().total
}

/// How many names of a supplier are joined.
fn names_joined(side: &Side) -> Figure {
    match side.subject {
        Subject::Supplier { side, .. } => Figure::Text(side.keys.len().to_string()),
        _ => Figure::Missing,
    }
}

/// The sum of the values, divided by so many.
fn amount(of: &Overview, by: f64) -> Figure {
    let amount = of.amount.filter(|_| of.with_value() > 0);
    amount.map_or(Figure::Missing, |amount| Figure::Money(amount / by))
}

fn period(of: &Overview) -> Figure {
    let counted = of.counted();
    years_between(counted.earliest_date, counted.latest_date).map_or(Figure::Missing, Figure::Text)
}

/// The number and the value of the records of these years.
fn in_years(of: &Overview, years: &BTreeSet<i32>) -> (u64, f64) {
    let counts = of.counts(Facet::Year);
    let is_in = |value: &str| value.parse().is_ok_and(|year: i32| years.contains(&year));
    let buckets = counts.buckets.iter().filter(|bucket| is_in(&bucket.value));
    buckets.fold((0, 0.0), |(count, value), bucket| {
        (count + bucket.count, value + bucket.total_value.dollars())
    })
}

fn without_competition(side: &Side) -> Figure {
    let (Some(competition), Some(overview)) = (&side.competition, &side.overview) else {
        return Figure::Missing;
    };
    let share = competition.share_without(overview.amount.is_some());
    share.map_or(Figure::Missing, Figure::Share)
}

impl Row {
    /// `is_even` states whether the figures are of the same years, so that they differ for no other reason.
    fn new(t: Texts, label: String, figures: Vec<Figure>, is_even: bool) -> Row {
        let cell = |(number, figure): (usize, &Figure)| Cell {
            value: figure.written(t),
            difference: figures
                .first()
                .filter(|_| number > 0 && is_even)
                .and_then(|first| difference(t, first, figure)),
        };
        Row {
            label,
            note: None,
            cells: figures.iter().enumerate().map(cell).collect(),
        }
    }
}

impl Figure {
    fn written(&self, t: Texts) -> String {
        match self {
            Figure::Missing => "–".to_owned(),
            Figure::Text(text) => text.clone(),
            Figure::Count(count) => t.count(*count),
            Figure::Money(amount) => t.money(*amount),
            Figure::Share(share) => t.percent(*share),
        }
    }
}

/// "$1,200.00 more", "3 less"; of shares in percentage points.
fn difference(t: Texts, first: &Figure, own: &Figure) -> Option<String> {
    let (first, own, amount) = match (first, own) {
        (Figure::Count(first), Figure::Count(own)) => (*first as f64, *own as f64, t.count(own.abs_diff(*first))),
        (Figure::Money(first), Figure::Money(own)) => (*first, *own, t.money((own - first).abs())),
        (Figure::Share(first), Figure::Share(own)) => {
            // As the percentages are written.
            let (first, own) = ((first * 100.0).round(), (own * 100.0).round());
            let points = (own - first).abs() as u64;
            (first, own, t.with("compare-points", &[("count", &points)]))
        }
        _ => return None,
    };
    if own == first {
        return Some(t.text("compare-same"));
    }
    let key = if own > first { "compare-more" } else { "compare-less" };
    Some(t.with(key, &[("amount", &amount)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;

    #[test]
    fn figures_of_different_years_have_no_differences() {
        let t = Texts::of(Language::English);
        let differences = |is_even| {
            let figures = vec![Figure::Count(2), Figure::Count(5), Figure::Count(2)];
            let row = Row::new(t, "Contracts".to_owned(), figures, is_even);
            row.cells.into_iter().map(|cell| cell.difference).collect::<Vec<_>>()
        };
        let stated = |text: &str| Some(text.to_owned());
        assert_eq!(differences(true), [None, stated("3 more"), stated("the same")]);
        assert_eq!(differences(false), [None, None, None]);
    }
}
