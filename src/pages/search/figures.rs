//! The charts of the matches: number and value by year, the buyers and the suppliers with the highest value, over all
//! their names.

use crate::{
    api::analysis::{
        coverage::sources_of,
        quality::quality_of,
        supplier_counts::{Rank, SupplierCount, SupplierCounts},
    },
    catalog::suppliers::Party,
    engine::aggregation::{Aggregation, FacetBucket, FacetBuckets},
    model::vocabulary::is_withheld,
    model::{Facet, Schema},
    pages::{
        address::{self, Parameters},
        charts::{RankedBars, RankedRow, YearBars, gaps, largest, year_values},
        messages::Texts,
        quality::is_much_in_doubt,
        search::{
            context::SearchContext,
            facets::{MAX_RANKED, label},
            search_address::SearchAddress,
        },
        supplier_names::{AllNamesOf, BY_NUMBER, RANK, RankingSwitch, SPELLINGS, party_link},
    },
};

/// The charts of a page. A chart with fewer than two bars says nothing that the sentence does not say.
pub(crate) struct Figures {
    pub(crate) years: Option<YearBars>,
    pub(crate) buyers: Option<RankedBars>,
    pub(crate) suppliers: Option<RankedBars>,
    /// What ranks by number instead of by value, and each name for itself instead of all together, or the reverse.
    pub(crate) switches: Vec<RankingSwitch>,
}

/// How many names a chart ranks.
const RANKED: usize = 10;

/// Fewer bars than this do not make a chart.
const MIN_BARS: usize = 2;

impl Figures {
    pub(crate) fn of(context: &SearchContext, found: &Aggregation) -> Figures {
        let has_numbers = has_some_values(found);
        let has_values = has_numbers && !context.asked.by_number;
        let counts = |facet| found.facets.get(&facet);
        let ranking = Ranking::of(context, found, MIN_BARS);
        let too_many = has_too_many_names(found);
        let (buyers, suppliers) = (ranking.buyers(found), ranking.vendors(found));
        // Of the chart of buyers alone, if suppliers have too many names to be joined.
        let names = if too_many {
            AllNamesOf::BuyersAlone
        } else {
            AllNamesOf::Both
        };
        let has_names = buyers.is_some() || (suppliers.is_some() && !too_many);
        Figures {
            switches: switches(context.t, context.asked, has_numbers, has_names.then_some(names)),
            years: counts(Facet::Year).and_then(|counts| years(context, counts, found, has_values)),
            buyers,
            suppliers,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.years.is_none() && self.buyers.is_none() && self.suppliers.is_none()
    }
}

/// A switch keeps what the other one is on.
fn switches(t: Texts, asked: &SearchAddress, has_values: bool, names: Option<AllNamesOf>) -> Vec<RankingSwitch> {
    let kind = Parameters::default().with("kind", asked.entity_type.name());
    let mut query = asked
        .parameters
        .iter()
        .fold(kind, |all, (name, value)| all.and(name, value));
    if asked.by_number {
        query = query.with(RANK, BY_NUMBER);
    }
    if asked.by_name {
        query = query.with(SPELLINGS, "true");
    }
    let path = address::page(asked.lang, "search");
    let by_number = has_values.then(|| RankingSwitch::by_number(t, &path, &query, asked.by_number));
    let by_name = names.map(|names| RankingSwitch::by_name(t, &path, &query, asked.by_name, names));
    by_number.into_iter().chain(by_name).collect()
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
    /// Fewer names than this are not ranked.
    fewest: usize,
}

/// The suppliers, and the buyers, that an answer names: at most so many.
const LEADERS: usize = 3;

/// Who comes first in an answer: "Suppliers with the highest total value: Acme ($3 million, 2 contracts)".
pub(crate) struct Leaders {
    pub(crate) title: String,
    /// The name, its page, and its amount or number.
    pub(crate) names: Vec<(String, Option<String>, String)>,
    /// The amount of the first one, in dollars, if it is the sum of several records.
    pub(crate) leading: Option<f64>,
}

impl Leaders {
    /// The first suppliers and the first buyers; none of those that a condition of the search already names.
    ///
    /// `of_divisions`: whether the parts of bodies are asked for, instead of the whole ones.
    pub(crate) fn all(context: &SearchContext, found: &Aggregation, of_divisions: bool) -> Vec<Leaders> {
        let ranking = Ranking::of(context, found, 1);
        // Next to a number, an amount of records in doubt says nothing.
        let shows_amounts = ranking.has_values || has_some_values(found) && !is_much_in_doubt(&quality_of(found));
        let states = |names: &[&str]| names.iter().any(|name| context.asked.value(name).is_some());
        let suppliers = ranking
            .vendors(found)
            .filter(|_| !states(&["supplier", "vendor", "vendor_is"]));
        let buyers = if context.asked.by_name {
            ranking.buyers(found)
        } else if of_divisions {
            ranking.divisions(found)
        } else {
            ranking.buying(found)
        };
        let buyers = buyers.filter(|_| of_divisions || !states(&["body", "department", "department_is"]));
        suppliers
            .into_iter()
            .chain(buyers)
            .filter_map(|bars| Leaders::of(context, bars, shows_amounts))
            .collect()
    }

    /// The number of records says whether an amount is that of a single one. What decides the order is first.
    /// None of those whom publishers keep to themselves.
    fn of(context: &SearchContext, mut bars: RankedBars, shows_amounts: bool) -> Option<Leaders> {
        bars.rows.retain(|row| !is_withheld(&row.name));
        let t = context.t;
        let kind = context.asked.entity_type.name();
        let figure = |row: &RankedRow| {
            let number = t.keyed_with("search-records-", kind, &[("count", &row.count)]);
            let amount = (shows_amounts && row.amount != 0.0).then(|| t.money_rounded(row.amount));
            match amount {
                Some(amount) if bars.has_amounts => format!("{amount}, {number}"),
                Some(amount) => format!("{number}, {amount}"),
                None => number,
            }
        };
        let rows = bars.rows.iter().take(LEADERS);
        let first = bars.rows.first().filter(|row| bars.has_amounts && row.count > 1);
        let names: Vec<_> = rows
            .map(|row| (row.name.clone(), row.href.clone(), figure(row)))
            .collect();
        (!names.is_empty()).then(|| Leaders {
            leading: first.map(|row| row.amount),
            names,
            title: bars.title,
        })
    }
}

fn has_some_values(found: &Aggregation) -> bool {
    found
        .values
        .as_ref()
        .is_some_and(|values| values.records_with_value > 0)
}

/// Whether suppliers have too many names to be joined.
fn has_too_many_names(found: &Aggregation) -> bool {
    let vendors = found.facets.get(&Facet::Vendor);
    vendors.is_some_and(|counts| counts.distinct > MAX_RANKED as u64)
}

impl<'a> Ranking<'a> {
    fn of(context: &'a SearchContext<'a>, found: &Aggregation, fewest: usize) -> Ranking<'a> {
        let has_values = has_some_values(found) && !context.asked.by_number;
        let total = found.values.as_ref().map_or(0.0, |values| values.total_value.dollars());
        Ranking {
            context,
            has_values,
            // Records without a name count too, so that shares are those of all records.
            whole: if has_values { total } else { found.total as f64 },
            fewest,
        }
    }

    fn buyers(&self, found: &Aggregation) -> Option<RankedBars> {
        if self.context.asked.by_name {
            let counts = found.facets.get(&Facet::NamedDepartment)?;
            self.bars(Facet::NamedDepartment, counts)
        } else {
            self.bodies(found)
        }
    }

    fn vendors(&self, found: &Aggregation) -> Option<RankedBars> {
        let counts = found.facets.get(&Facet::Vendor)?;
        if self.context.asked.by_name || has_too_many_names(found) {
            self.bars(Facet::Vendor, counts)
        } else {
            self.suppliers(counts)
        }
    }

    /// The buyers over all their names. A record that names two bodies counts for each.
    fn bodies(&self, found: &Aggregation) -> Option<RankedBars> {
        let bodies = &self.context.ask.generation.bodies;
        let counts = SupplierCounts::of_combinations(bodies, &found.combinations, self.rank(), RANKED);
        self.counted_bodies(&counts)
    }

    /// The same without the divisions of others.
    fn buying(&self, found: &Aggregation) -> Option<RankedBars> {
        let bodies = &self.context.ask.generation.bodies;
        let counts = SupplierCounts::of_buying(bodies, &found.combinations, self.rank(), RANKED);
        self.counted_bodies(&counts)
    }

    /// The bodies that do not buy everything, because these are parts of the one that does.
    fn divisions(&self, found: &Aggregation) -> Option<RankedBars> {
        let bodies = &self.context.ask.generation.bodies;
        let mut counts = SupplierCounts::of_combinations(bodies, &found.combinations, self.rank(), RANKED);
        if counts.rows.iter().any(|body| body.count < found.total) {
            counts.rows.retain(|body| body.count < found.total);
        }
        self.counted_bodies(&counts)
    }

    fn counted_bodies(&self, counts: &SupplierCounts) -> Option<RankedBars> {
        let rows: Vec<RankedRow> = counts.rows.iter().map(|body| self.party(Party::Body, body)).collect();
        // All bodies are counted, so the title states no limit.
        self.chart(Facet::NamedDepartment, self.plain_title(Facet::NamedDepartment), rows)
    }

    /// The suppliers over all their names, each of which was counted.
    fn suppliers(&self, counts: &FacetBuckets) -> Option<RankedBars> {
        let suppliers = &self.context.ask.generation.suppliers;
        let counts = SupplierCounts::of(suppliers, counts.clone(), self.rank(), RANKED);
        let rows = counts.rows.iter().map(|supplier| self.party(Party::Supplier, supplier));
        self.chart(Facet::Vendor, self.plain_title(Facet::Vendor), rows.collect())
    }

    fn rank(&self) -> Rank {
        if self.has_values { Rank::Value } else { Rank::Count }
    }

    fn party(&self, party: Party, of: &SupplierCount) -> RankedRow {
        let generation = &self.context.ask.generation;
        let (name, href) = party_link(generation, self.context.t, party, of);
        let is_known = generation.parties(party).find_id(&of.id).is_some();
        let search = is_known.then(|| self.search(party.noun(), &of.id)).flatten();
        self.ranked(name, (href, search), of.count, of.total_value.dollars())
    }

    fn bars(&self, facet: Facet, counts: &FacetBuckets) -> Option<RankedBars> {
        let buckets = largest(counts.clone(), self.has_values, RANKED);
        let rows: Vec<RankedRow> = buckets.iter().map(|bucket| self.row(facet, bucket)).collect();
        self.chart(facet, self.title(facet, counts), rows)
    }

    fn chart(&self, facet: Facet, title: String, rows: Vec<RankedRow>) -> Option<RankedBars> {
        let is_vendor = facet == Facet::Vendor;
        (rows.len() >= self.fewest).then(|| RankedBars {
            lang: self.context.asked.lang,
            id: if is_vendor { "chart-suppliers" } else { "chart-buyers" },
            title,
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
        let name = label(self.context, facet, bucket.value.clone());
        let href = self.context.party_href(facet, &bucket.value);
        let is_vendor = facet == Facet::Vendor;
        let search = is_vendor.then(|| self.search("vendor_is", &bucket.value)).flatten();
        self.ranked(name, (href, search), bucket.count, bucket.total_value.dollars())
    }

    /// The search with one more condition. `None` where it has such a condition already: two do not combine, and a
    /// record with two buyers has either.
    fn search(&self, parameter: &'static str, value: &str) -> Option<String> {
        let asked = self.context.asked;
        let accepts = Schema::of(asked.entity_type).accepts(parameter);
        (accepts && asked.value(parameter).is_none()).then(|| asked.with(&[(parameter, value)]))
    }

    fn ranked(&self, name: String, (href, search): (String, Option<String>), count: u64, amount: f64) -> RankedRow {
        let part = if self.has_values { amount } else { count as f64 };
        RankedRow {
            name,
            name_lang: None,
            href: Some(href),
            search,
            count,
            amount,
            share: (self.whole > 0.0).then(|| part / self.whole),
        }
    }

    /// The title. A ranking by value of more names than were counted one by one states among which names it is.
    fn title(&self, facet: Facet, counts: &FacetBuckets) -> String {
        let (t, title) = (self.context.t, self.plain_title(facet));
        if self.has_values && counts.distinct > MAX_RANKED as u64 {
            t.with("search-chart-among", &[("title", &title), ("count", &MAX_RANKED)])
        } else {
            title
        }
    }

    fn plain_title(&self, facet: Facet) -> String {
        self.context.t.text(match (facet, self.has_values) {
            (Facet::Vendor, true) => "search-chart-suppliers",
            (Facet::Vendor, false) => "search-chart-suppliers-number",
            (_, true) => "search-chart-buyers",
            (_, false) => "search-chart-buyers-number",
        })
    }
}
