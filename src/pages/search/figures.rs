//! The charts of the matches: number and value by year, the buyers and the suppliers with the highest value.

use crate::{
    api::analysis::coverage::sources_of,
    engine::aggregation::{Aggregation, FacetBucket, FacetBuckets},
    model::Facet,
    pages::{
        address::{self, Parameters},
        charts::{RankedBars, RankedRow, YearBars, gaps, largest, year_values},
        messages::Texts,
        search::{
            context::SearchContext,
            facets::{MAX_RANKED, label},
            search_address::SearchAddress,
        },
        supplier_names::RankingSwitch,
    },
};

/// The charts of a page. A chart with fewer than two bars says nothing that the sentence does not say.
pub(crate) struct Figures {
    pub(crate) years: Option<YearBars>,
    pub(crate) buyers: Option<RankedBars>,
    pub(crate) suppliers: Option<RankedBars>,
    /// What ranks by number instead of by value, or the reverse.
    pub(crate) switch: Option<RankingSwitch>,
}

/// How many names a chart ranks.
const RANKED: usize = 10;

/// Fewer bars than this do not make a chart.
const MIN_BARS: usize = 2;

impl Figures {
    pub(crate) fn of(context: &SearchContext, found: &Aggregation) -> Figures {
        let has_values = found
            .values
            .as_ref()
            .is_some_and(|values| values.records_with_value > 0);
        let switch = has_values.then(|| switch(context.t, context.asked));
        let has_values = has_values && !context.asked.by_number;
        let total = found.values.as_ref().map_or(0.0, |values| values.total_value.dollars());
        let counts = |facet| found.facets.get(&facet);
        let ranking = Ranking {
            context,
            has_values,
            // Records without a name count too, so that shares are those of all records.
            whole: if has_values { total } else { found.total as f64 },
        };
        Figures {
            switch,
            years: counts(Facet::Year).and_then(|counts| years(context, counts, found, has_values)),
            buyers: counts(Facet::NamedDepartment).and_then(|counts| ranking.bars(Facet::NamedDepartment, counts)),
            suppliers: counts(Facet::Vendor).and_then(|counts| ranking.bars(Facet::Vendor, counts)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.years.is_none() && self.buyers.is_none() && self.suppliers.is_none()
    }
}

fn switch(t: Texts, asked: &SearchAddress) -> RankingSwitch {
    let kind = Parameters::default().with("kind", asked.entity_type.name());
    let query = asked
        .parameters
        .iter()
        .fold(kind, |all, (name, value)| all.and(name, value));
    RankingSwitch::by_number(t, &address::page(asked.lang, "search"), &query, asked.by_number)
}

fn years(context: &SearchContext, counts: &FacetBuckets, found: &Aggregation, has_values: bool) -> Option<YearBars> {
    let years = year_values(counts, context.today.year());
    let dated: u64 = counts.buckets.iter().map(|bucket| bucket.count).sum();
    let title = if has_values {
        "search-chart-years"
    } else {
        "search-chart-years-number"
    };
    let places = found.facets.get(&Facet::Municipality);
    let sources = sources_of(&context.ask.generation, context.asked.entity_type, places);
    (years.len() >= MIN_BARS).then(|| YearBars {
        lang: context.asked.lang,
        id: "chart-years",
        title: context.t.text(title),
        gaps: gaps(&sources, years.iter().map(|year| year.year)),
        searches: context.asked.by_year(&years),
        years,
        has_values,
        undated: found.total.saturating_sub(dated),
        same_axes_as: Vec::new(),
    })
}

/// How names are ranked: by total value if records have one, otherwise by number.
struct Ranking<'a> {
    context: &'a SearchContext<'a>,
    has_values: bool,
    /// What a share is of.
    whole: f64,
}

impl Ranking<'_> {
    fn bars(&self, facet: Facet, counts: &FacetBuckets) -> Option<RankedBars> {
        let buckets = largest(counts.clone(), self.has_values, RANKED);
        let rows: Vec<RankedRow> = buckets.iter().map(|bucket| self.row(facet, bucket)).collect();
        let is_vendor = facet == Facet::Vendor;
        (rows.len() >= MIN_BARS).then(|| RankedBars {
            lang: self.context.asked.lang,
            id: if is_vendor { "chart-suppliers" } else { "chart-buyers" },
            title: self.title(facet, counts),
            name_label: self.context.t.text(if is_vendor {
                "search-hit-supplier"
            } else {
                "search-hit-buyer"
            }),
            has_amounts: self.has_values,
            rows,
        })
    }

    fn row(&self, facet: Facet, bucket: &FacetBucket) -> RankedRow {
        let amount = bucket.total_value.dollars();
        let part = if self.has_values { amount } else { bucket.count as f64 };
        RankedRow {
            name: label(self.context, facet, bucket.value.clone()),
            name_lang: None,
            href: Some(self.context.party_href(facet, &bucket.value)),
            count: bucket.count,
            amount,
            share: (self.whole > 0.0).then(|| part / self.whole),
        }
    }

    /// The title. A ranking by value of more names than were counted one by one states among which names it is.
    fn title(&self, facet: Facet, counts: &FacetBuckets) -> String {
        let t = self.context.t;
        let title = t.text(match (facet, self.has_values) {
            (Facet::Vendor, true) => "search-chart-suppliers",
            (Facet::Vendor, false) => "search-chart-suppliers-number",
            (_, true) => "search-chart-buyers",
            (_, false) => "search-chart-buyers-number",
        });
        if self.has_values && counts.distinct > MAX_RANKED as u64 {
            t.with("search-chart-among", &[("title", &title), ("count", &MAX_RANKED)])
        } else {
            title
        }
    }
}
