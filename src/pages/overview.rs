//! What pages show of many records that have something in common: a sentence, charts by year and by name, and how sure
//! the figures are.

use std::collections::BTreeSet;

use crate::{
    api::analysis::{
        coverage::sources_of,
        figures::Figures,
        supplier_counts::{Rank, SupplierCount, SupplierCounts, buying_bodies},
    },
    catalog::{ask::Ask, generation::SourceCoverage, suppliers::Party},
    engine::aggregation::{Aggregation, FacetBucket, FacetBuckets},
    http::error::ApiError,
    model::{Date, EntityType, Facet, Schema},
    pages::{
        address::{self, Parameters},
        charts::{RankedBars, RankedRow, YearBars, YearGap, gaps, largest, year_values},
        coverage_note::{asked_years, coverage_note, covered_years},
        department_names::department_in,
        market_figures::{MarketScope, MarketTable, market_table},
        messages::Texts,
        periods::years_between,
        quality::{self, TotalDoubt},
        record::listed::ListedRecord,
        search::SearchAddress,
        supplier_names::party_link,
    },
    query::SearchQuery,
};

/// Counted records of one entity type, and what they are shown with.
pub(crate) struct Overview<'a> {
    pub(crate) ask: &'a Ask,
    pub(crate) t: Texts,
    pub(crate) today: Date,
    pub(crate) query: &'a SearchQuery,
    pub(crate) figures: &'a Figures,
    /// The sum of the values in dollars, if bars and shares are drawn by value.
    pub(crate) amount: Option<f64>,
    /// Whether each spelling of a name is ranked for itself.
    by_spelling: bool,
    /// The largest suppliers, and the largest bodies; none if each spelling of a name is ranked for itself.
    parties: Vec<(Party, SupplierCounts)>,
}

/// What the names of a chart are of.
fn party_of(facet: Facet) -> Party {
    match facet {
        Facet::Vendor => Party::Supplier,
        _ => Party::Body,
    }
}

/// How many names a chart ranks.
pub(crate) const RANKED: usize = 10;

/// How many records are shown.
const NEWEST: usize = 10;

impl<'a> Overview<'a> {
    /// `has_amounts` states whether bars and shares are drawn by value, and `by_spelling` whether each spelling of a
    /// name is ranked for itself.
    pub(crate) fn of(
        (ask, t, today): (&'a Ask, Texts, Date),
        (query, figures): (&'a SearchQuery, &'a Figures),
        has_amounts: bool,
        by_spelling: bool,
    ) -> Overview<'a> {
        let counted = &figures.counted;
        let values = counted.values.as_ref().filter(|_| has_amounts);
        let amount = values.map(|values| values.total_value.dollars());
        let overview = Overview {
            ask,
            t,
            today,
            query,
            figures,
            amount,
            by_spelling,
            parties: Vec::new(),
        };
        let joined = |party| Some((party, overview.join(party, overview.rank(), RANKED)?));
        Overview {
            parties: Party::ALL.into_iter().filter_map(joined).collect(),
            ..overview
        }
    }

    /// What names are ranked by.
    fn rank(&self) -> Rank {
        if self.amount.is_some() {
            Rank::Value
        } else {
            Rank::Count
        }
    }

    /// The largest suppliers or bodies over all their names; `None` if each spelling of a name is ranked for itself.
    fn join(&self, party: Party, rank: Rank, size: usize) -> Option<SupplierCounts> {
        let (list, counted) = (self.ask.generation.parties(party), self.counted());
        if self.by_spelling {
            return None;
        }
        match party {
            Party::Supplier => {
                let vendors = counted.facets.get(&Facet::Vendor)?;
                Some(SupplierCounts::of(list, vendors.clone(), rank, size))
            }
            Party::Body => {
                let departments = &counted.combinations;
                (!departments.is_empty()).then(|| SupplierCounts::of_combinations(list, departments, rank, size))
            }
        }
    }

    /// The largest supplier or body, with what it is; `None` if each spelling of a name is ranked for itself.
    pub(crate) fn largest(&self, facet: Facet, rank: Rank) -> Option<(Party, SupplierCount)> {
        let party = party_of(facet);
        let known = self.joined(facet).filter(|_| rank == self.rank());
        let largest = match known {
            Some(joined) => joined.rows.first().cloned(),
            None => self.join(party, rank, 1)?.rows.pop(),
        };
        Some((party, largest?))
    }

    pub(crate) fn entity_type(&self) -> EntityType {
        self.query.entity_type
    }

    pub(crate) fn counted(&self) -> &'a Aggregation {
        &self.figures.counted
    }

    /// How many records state a value.
    pub(crate) fn with_value(&self) -> u64 {
        let values = self.counted().values.as_ref();
        values.map_or(0, |values| values.records_with_value)
    }

    /// The counts of a facet; none if it was not counted.
    pub(crate) fn counts(&self, facet: Facet) -> FacetBuckets {
        self.counted().facets.get(&facet).cloned().unwrap_or_default()
    }

    /// How many buyers or suppliers there are. A division of a buyer is none, unless names are counted.
    pub(crate) fn distinct(&self, facet: Facet) -> u64 {
        match party_of(facet) {
            Party::Body if self.joined(facet).is_some() => {
                buying_bodies(&self.ask.generation.bodies, &self.counted().combinations)
            }
            _ => self.rankable(facet),
        }
    }

    /// How many buyers, with their divisions, or suppliers [`Overview::ranked`] ranks the largest of.
    pub(crate) fn rankable(&self, facet: Facet) -> u64 {
        let joined = self.joined(facet);
        joined.map_or_else(|| self.counts(facet).distinct, |joined| joined.distinct)
    }

    /// The suppliers or bodies that the names of a facet are of.
    fn joined(&self, facet: Facet) -> Option<&SupplierCounts> {
        let mut parties = self.parties.iter();
        let (_, joined) = parties.find(|(party, _)| *party == party_of(facet))?;
        Some(joined)
    }

    /// The share of all amounts, or of all records without amounts.
    pub(crate) fn share(&self, count: u64, amount: f64) -> Option<f64> {
        let share = match self.amount {
            Some(total) if total > 0.0 => amount / total,
            Some(_) => return None,
            None => count as f64 / self.counted().total as f64,
        };
        (0.0..=1.0).contains(&share).then_some(share)
    }

    /// "1,284 contracts worth $412 million", and "2009–2026" if there are dates.
    pub(crate) fn sentence_parts(&self) -> Vec<String> {
        let (t, counted) = (self.t, self.counted());
        let records = t.keyed_with(
            "search-records-",
            self.entity_type().name(),
            &[("count", &counted.total)],
        );
        let values = counted.values.as_ref().filter(|values| values.records_with_value > 0);
        let mut parts = vec![match values {
            Some(values) => {
                let value = t.money_rounded(values.total_value.dollars());
                t.with("profile-worth", &[("records", &records), ("value", &value)])
            }
            None => records,
        }];
        parts.extend(years_between(counted.earliest_date, counted.latest_date));
        parts
    }

    /// Number and value by year, with the years for which there are no data. `searched`: the parameters of the search
    /// for exactly these records.
    pub(crate) fn years(&self, id: &'static str, searched: Option<&Parameters>) -> Option<YearBars> {
        let years = year_values(&self.counts(Facet::Year), self.today.year());
        let dated: u64 = years.iter().map(|year| year.count).sum();
        let kinds = self.t.keyed("kinds-", self.entity_type().name());
        let search = searched.map(|query| SearchAddress::of(self.t.language(), self.entity_type(), query.clone()));
        (!years.is_empty()).then(|| YearBars {
            lang: self.t.language(),
            id,
            title: self.t.with("profile-years-title", &[("kinds", &kinds)]),
            gaps: self.gaps(years.iter().map(|year| year.year)),
            searches: search.map(|search| search.by_year(&years)).unwrap_or_default(),
            years,
            has_values: self.amount.is_some(),
            undated: self.counted().total.saturating_sub(dated),
            same_axes_as: Vec::new(),
        })
    }

    /// The years without data among all years of a chart.
    pub(crate) fn gaps(&self, years: impl Iterator<Item = i32>) -> Vec<YearGap> {
        gaps(&self.sources(), years)
    }

    /// The sources of the records.
    fn sources(&self) -> Vec<&'a SourceCoverage> {
        let places = self.counts(Facet::Municipality);
        sources_of(&self.ask.generation, self.entity_type(), Some(&places))
    }

    /// Which years the sources of the records cover.
    pub(crate) fn coverage(&self) -> Option<String> {
        coverage_note(self.t, self.entity_type(), &self.sources(), asked_years(self.query))
    }

    pub(crate) fn covered_years(&self) -> BTreeSet<i32> {
        covered_years(&self.sources())
    }

    /// The largest buyers or suppliers, by value or by number. `searched`: the parameters of the search for exactly
    /// these records.
    pub(crate) fn ranked(
        &self,
        id: &'static str,
        facet: Facet,
        searched: Option<&Parameters>,
    ) -> Result<Option<RankedBars>, ApiError> {
        let (t, lang) = (self.t, self.t.language());
        let mut rows = Vec::new();
        if let Some(joined) = self.joined(facet) {
            let party = party_of(facet);
            rows.extend(joined.rows.iter().map(|of| self.party_row(party, of, searched)));
        } else {
            for bucket in largest(self.counts(facet), self.amount.is_some(), RANKED) {
                let value = bucket.value.clone();
                let (name, href, parameter) = match facet {
                    Facet::Vendor => (value, address::vendor(lang, &bucket.value), "vendor_is"),
                    _ => {
                        let name = department_in(self.ask, self.entity_type(), value, lang)?;
                        (name, address::department(lang, &bucket.value), "department_is")
                    }
                };
                rows.push(RankedRow {
                    search: self.narrowed(searched, parameter, &bucket.value),
                    ..self.row(&bucket, name, Some(href))
                });
            }
        }
        let side = side(facet);
        let by = if self.amount.is_some() { "amount" } else { "number" };
        let title = t.keyed("profile-ranked-", &format!("{side}-{by}"));
        Ok(self.bars(id, title, t.keyed("profile-name-", side), rows))
    }

    /// A chart of names; `None` without any.
    pub(crate) fn bars(
        &self,
        id: &'static str,
        title: String,
        name_label: String,
        rows: Vec<RankedRow>,
    ) -> Option<RankedBars> {
        (!rows.is_empty()).then(|| RankedBars {
            lang: self.t.language(),
            id,
            title,
            name_label,
            has_amounts: self.amount.is_some(),
            rows,
        })
    }

    pub(crate) fn row(&self, bucket: &FacetBucket, name: String, href: Option<String>) -> RankedRow {
        let amount = bucket.total_value.dollars();
        RankedRow {
            name,
            name_lang: None,
            href,
            search: None,
            count: bucket.count,
            amount,
            share: self.share(bucket.count, amount),
        }
    }

    /// A supplier or a body over its names, with how many they are.
    fn party_row(&self, party: Party, supplier: &SupplierCount, searched: Option<&Parameters>) -> RankedRow {
        let bucket = FacetBucket {
            value: supplier.id.clone(),
            count: supplier.count,
            total_value: supplier.total_value,
        };
        let (name, href) = party_link(&self.ask.generation, self.t, party, supplier);
        let is_known = self.ask.generation.parties(party).find_id(&supplier.id).is_some();
        RankedRow {
            search: self.narrowed(searched.filter(|_| is_known), party.noun(), &supplier.id),
            ..self.row(&bucket, name, Some(href))
        }
    }

    /// The search with one more condition; `None` where it has such a condition already.
    fn narrowed(&self, searched: Option<&Parameters>, parameter: &str, value: &str) -> Option<String> {
        let accepts = Schema::of(self.entity_type()).accepts(parameter);
        let query = searched.filter(|query| accepts && query.get(parameter).is_none())?;
        let query = query.with(parameter, value);
        Some(address::search(self.t.language(), self.entity_type(), &query))
    }

    pub(crate) fn market(&self, scope: MarketScope, has_competition: bool) -> Option<MarketTable> {
        let figures = self.figures.included.market.as_ref()?;
        market_table(self.t, figures, scope, has_competition, &self.covered_years())
    }

    /// How much of the total is doubtful. `without` is the search without these records.
    pub(crate) fn doubt(&self, without: Option<String>) -> Option<TotalDoubt> {
        let quality = self.figures.included.quality.as_ref()?;
        quality::total_doubt(self.t, quality, without)
    }

    /// The sums of other currencies, in a sentence.
    pub(crate) fn currencies(&self) -> Option<String> {
        let sums = self.figures.included.currencies.as_deref()?;
        quality::other_currencies(self.t, sums)
    }

    pub(crate) fn newest(&self) -> Result<Vec<ListedRecord>, ApiError> {
        let records = self.ask.first(self.query, NEWEST)?;
        let listed = |bytes: &bytes::Bytes| ListedRecord::of(self.t, self.entity_type(), bytes);
        records.iter().map(listed).collect()
    }
}

/// A kind of purchase in words.
pub(crate) fn category_name(t: Texts, code: &str) -> String {
    if t.has("search-category-", code) {
        t.keyed("search-category-", code)
    } else {
        code.to_owned()
    }
}

/// The end of the keys of texts about one side of contracts.
pub(crate) fn side(facet: Facet) -> &'static str {
    match facet {
        Facet::Vendor => "suppliers",
        _ => "buyers",
    }
}
