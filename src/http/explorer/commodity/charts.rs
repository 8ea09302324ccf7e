//! The sentence and the charts of the records of a commodity code: by year, the largest buyers, the largest suppliers.

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline,
        aggregation::{Aggregation, FacetBucket, FacetBuckets},
    },
    http::{
        error::ApiError,
        explorer::{
            address,
            charts::{RankedBars, RankedRow, YearBars, gaps, largest, sources_of, year_values},
            department_names::department_in,
            messages::Texts,
            periods::years_between,
        },
    },
    model::{Date, EntityType, Facet},
};

#[derive(Debug, Default)]
pub(super) struct Charts {
    pub(super) years: Option<YearBars>,
    pub(super) buyers: Option<RankedBars>,
    pub(super) suppliers: Option<RankedBars>,
}

/// How many names a chart ranks.
const RANKED: usize = 10;

/// "1,284 contracts worth $412 million, 2009–2026."
pub(super) fn sentence(t: Texts, entity_type: EntityType, found: &Aggregation) -> String {
    let records = t.keyed_with("search-records-", entity_type.name(), &[("count", &found.total)]);
    let values = found.values.as_ref().filter(|values| values.records_with_value > 0);
    let mut parts = vec![match values {
        Some(values) => {
            let value = t.money_rounded(values.total_value.dollars());
            t.with("profile-worth", &[("records", &records), ("value", &value)])
        }
        None => records,
    }];
    parts.extend(years_between(found.earliest_date, found.latest_date));
    format!("{}.", parts.join(", "))
}

pub(super) fn charts(
    generation: &Generation,
    t: Texts,
    entity_type: EntityType,
    mut counted: Aggregation,
    today: Date,
    deadline: &Deadline,
) -> Result<Charts, ApiError> {
    let whole = Whole {
        t,
        total: counted.total,
        amount: counted
            .values
            .as_ref()
            .filter(|values| values.records_with_value > 0)
            .map(|values| values.total_value.dollars()),
    };
    let mut take = |facet: Facet| counted.facets.remove(&facet).unwrap_or_default();
    let (years, places) = (take(Facet::Year), take(Facet::Municipality));
    let (buyers, suppliers) = (take(Facet::Department), take(Facet::Vendor));
    let lang = t.language();
    let mut buyer_rows = Vec::new();
    for bucket in whole.largest(buyers) {
        let href = address::department(lang, &bucket.value);
        let name = department_in(generation, entity_type, bucket.value.clone(), lang, deadline)?;
        buyer_rows.push(whole.row(&bucket, name, href));
    }
    let supplier_rows = whole.largest(suppliers).into_iter().map(|bucket| {
        let href = address::vendor(lang, &bucket.value);
        whole.row(&bucket, bucket.value.clone(), href)
    });
    let sources = sources_of(generation.manifest_of(entity_type), Some(&places));
    let mut by_year = whole.years(&years, entity_type, today);
    if let Some(chart) = &mut by_year {
        chart.gaps = gaps(&sources, chart.years.iter().map(|year| year.year));
    }
    Ok(Charts {
        years: by_year,
        suppliers: whole.bars("suppliers", "ranked-suppliers", supplier_rows.collect()),
        buyers: whole.bars("buyers", "ranked-buyers", buyer_rows),
    })
}

/// What shares are of.
struct Whole {
    t: Texts,
    total: u64,
    /// In dollars; `None` without values.
    amount: Option<f64>,
}

impl Whole {
    /// The largest by value, or by number.
    fn largest(&self, counts: FacetBuckets) -> Vec<FacetBucket> {
        largest(counts, self.amount.is_some(), RANKED)
    }

    fn row(&self, bucket: &FacetBucket, name: String, href: String) -> RankedRow {
        let amount = bucket.total_value.dollars();
        let share = match self.amount {
            Some(whole) => amount / whole,
            None => bucket.count as f64 / self.total as f64,
        };
        RankedRow {
            name,
            name_lang: None,
            href: Some(href),
            count: bucket.count,
            amount,
            share: (0.0..=1.0).contains(&share).then_some(share),
        }
    }

    /// A chart of names. `side` is the end of the keys of its texts.
    fn bars(&self, side: &str, id: &'static str, rows: Vec<RankedRow>) -> Option<RankedBars> {
        let by = if self.amount.is_some() { "amount" } else { "number" };
        (!rows.is_empty()).then(|| RankedBars {
            lang: self.t.language(),
            id,
            title: self.t.keyed("profile-ranked-", &format!("{side}-{by}")),
            name_label: self.t.keyed("profile-name-", side),
            has_amounts: self.amount.is_some(),
            rows,
            same_scale_as: Vec::new(),
        })
    }

    fn years(&self, counts: &FacetBuckets, entity_type: EntityType, today: Date) -> Option<YearBars> {
        let years = year_values(counts, today.year());
        let dated: u64 = years.iter().map(|year| year.count).sum();
        let kinds = self.t.keyed("kinds-", entity_type.name());
        (!years.is_empty()).then(|| YearBars {
            lang: self.t.language(),
            id: "years",
            title: self.t.with("profile-years-title", &[("kinds", &kinds)]),
            years,
            has_values: self.amount.is_some(),
            gaps: Vec::new(),
            undated: self.total.saturating_sub(dated),
            same_axes_as: Vec::new(),
        })
    }
}
