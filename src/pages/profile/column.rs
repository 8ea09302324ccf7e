//! The figures of one name as a page shows them.

use super::competition_table::{CompetitionTable, competition_table};
use crate::{
    api::{
        analysis::{
            competition::Competition,
            profile::{self as analysis, Profile, other_side},
        },
        params::parse::MIN_NAME_LENGTH,
    },
    catalog::{
        ask::Ask,
        suppliers::{Party, Supplier},
    },
    engine::{
        aggregation::FacetBucket,
        names::{BodyKind, ResolvedName},
    },
    http::error::ApiError,
    model::{Date, Facet, Language, Role, Schema, fold::fold, vocabulary::NO_QUALITY_FLAG},
    pages::{
        address::{self, Parameters, ending_from},
        charts::{RankedBars, YearBars, largest},
        market_figures::{MarketScope, MarketTable},
        messages::Texts,
        overview::{Overview, RANKED, category_name, side},
        quality::TotalDoubt,
        record::listed::ListedRecord,
    },
    query::SearchQuery,
};

/// What a page shows of one name.
#[derive(Debug)]
pub(super) struct Column {
    /// In the language of the page, if it is known.
    pub(super) name: String,
    /// The page of the name alone.
    pub(super) href: String,
    pub(super) sentence: String,
    /// What it mostly consists of.
    pub(super) headline: Option<String>,
    /// Which years the sources of the records cover.
    pub(super) coverage: Option<String>,
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
    /// A note that the name is that of a part of a buyer.
    pub(super) body: Option<String>,
    pub(super) newest: Vec<ListedRecord>,
    /// Whether the name is that of a supplier, which its records need not repeat.
    pub(super) is_of_vendor: bool,
    /// The search for all records with the name; `None` if the name is too short to search for.
    pub(super) search: Option<String>,
    /// The search for those that end soon, where they state an end.
    pub(super) ending: Option<String>,
    /// The key of the text for that search.
    pub(super) search_label: &'static str,
}

/// What all names of a page share.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) t: Texts,
    pub(super) facet: Facet,
    pub(super) today: Date,
    /// Whether each spelling of a name of the other side is ranked for itself.
    pub(super) by_spelling: bool,
    /// Whether names are ranked by the number of records instead of their value.
    pub(super) by_number: bool,
}

/// Whose figures a column has.
pub(super) struct Subject {
    /// In the language of the page, if it is known.
    name: String,
    /// The page of it alone.
    href: String,
    /// The parameters of the search for its records; `None` if no search finds them.
    searched: Option<Parameters>,
    /// Of a buyer.
    body: Option<BodyKind>,
    /// How many names are joined, of a supplier or a body with all its names.
    names: Option<usize>,
}

impl Subject {
    /// One name.
    pub(super) fn named(view: View, ask: &Ask, profile: &Profile) -> Result<Subject, ApiError> {
        let named = &profile.named;
        let name = view.name_of(named);
        Ok(Subject {
            href: view.page_of(&name),
            searched: searched(view, ask, profile, &name)?,
            body: named.kind,
            names: None,
            name,
        })
    }

    /// All names of a supplier or a body.
    pub(super) fn party(view: View, party: Party, of: &Supplier) -> Subject {
        Subject {
            name: of.name_in(view.lang()).to_owned(),
            href: address::party(view.lang(), party, &of.id),
            searched: Some(Parameters::default().with(party.noun(), &of.id)),
            body: None,
            names: Some(of.names.len()),
        }
    }
}

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

    /// The name in the language of the page. The resolved name is English where that is known.
    fn name_of(self, named: &ResolvedName) -> String {
        match (self.lang(), &named.name_fr) {
            (Language::French, Some(name)) => name.clone(),
            _ => named.name.clone(),
        }
    }
}

/// How many of the records state a value, unless all do.
fn values_note(t: Texts, with_value: u64, total: u64) -> Option<String> {
    (with_value < total).then(|| t.with("profile-values-note", &[("count", &with_value), ("total", &total)]))
}

/// The column of a name or of a supplier.
pub(super) fn column(view: View, ask: &Ask, profile: &Profile, subject: Subject) -> Result<Column, ApiError> {
    let t = view.t;
    let overview = Overview::of(
        (ask, t, view.today),
        (&profile.query, &profile.figures),
        !view.by_number,
        view.by_spelling,
    );
    let (counted, with_value) = (overview.counted(), overview.with_value());
    let searched = subject.searched;
    let search = |query: &Parameters| address::search(view.lang(), overview.entity_type(), query);
    let has_end = Schema::of(overview.entity_type()).has_role(Role::EndDate);
    let ending = searched
        .as_ref()
        .filter(|_| has_end)
        .map(|query| search(&ending_from(query, view.today)));
    let without = searched
        .as_ref()
        .map(|query| search(&query.with("quality_flag", NO_QUALITY_FLAG)));
    // A part of a name finds more records than those of the name.
    let exact = searched.as_ref().filter(|query| query.get("department").is_none());
    let other = other_side(view.facet);
    let methods = counted.facets.get(&Facet::ProcurementMethod).cloned();
    let amount = counted.values.as_ref().map(|values| values.total_value);
    let competition = methods.map(|methods| Competition::of(methods, counted.total, amount.unwrap_or_default()));
    Ok(Column {
        href: subject.href,
        ending,
        sentence: sentence(&overview, other, subject.names),
        headline: overview.headline(other, competition.as_ref())?,
        coverage: overview.coverage(),
        values_note: amount.and_then(|_| values_note(t, with_value, counted.total)),
        years: overview.years("years", exact),
        ranked: overview.ranked("ranked", other, exact)?,
        ranked_note: ranked_note(&overview, other),
        categories: categories(&overview, searched.as_ref()),
        competition: competition_table(&overview, competition.as_ref()),
        market: overview.market(view.scope(), false),
        doubt: overview.doubt(without),
        currencies: overview.currencies(),
        body: subject.body.and_then(|body| body_note(t, body)),
        search: searched.as_ref().map(search),
        search_label: search_label(view, subject.names.is_some()),
        newest: overview.newest()?,
        is_of_vendor: view.facet == Facet::Vendor && subject.names.is_none_or(|names| names == 1),
        name: subject.name,
    })
}

fn search_label(view: View, joins_names: bool) -> &'static str {
    match (joins_names, view.facet) {
        (false, _) => "profile-search",
        (true, Facet::Vendor) => "supplier-search",
        (true, _) => "supplier-search-body",
    }
}

/// How many buyers or suppliers there are, if not all are ranked. Divisions of buyers are ranked too.
fn ranked_note(overview: &Overview, other: Facet) -> Option<String> {
    let count = overview.rankable(other);
    let of = if count == overview.distinct(other) {
        side(other)
    } else {
        "divisions"
    };
    let note = || overview.t.keyed_with("profile-ranked-note-", of, &[("count", &count)]);
    (count > RANKED as u64).then(note)
}

/// The largest categories, each with the search for its records.
fn categories(overview: &Overview, searched: Option<&Parameters>) -> Option<RankedBars> {
    let t = overview.t;
    let row = |bucket: &FacetBucket| {
        let query = searched.map(|query| query.with("category", &bucket.value));
        let href = query.map(|query| address::search(t.language(), overview.entity_type(), &query));
        overview.row(bucket, category_name(t, &bucket.value), href)
    };
    let buckets = largest(overview.counts(Facet::Category), overview.amount.is_some(), usize::MAX);
    overview.bars(
        "categories",
        t.text("profile-categories-title"),
        t.text("profile-name-categories"),
        buckets.iter().map(row).collect(),
    )
}

/// A note that a name is that of a part of a buyer; `None` for a buyer.
fn body_note(t: Texts, body: BodyKind) -> Option<String> {
    match body {
        BodyKind::Buyer => None,
        BodyKind::Division => Some(t.text("profile-body-division")),
        BodyKind::Both => Some(t.text("profile-body-both")),
    }
}

/// The parameters of the search for a name's records; `None` if no search finds them.
fn searched(view: View, ask: &Ask, profile: &Profile, name: &str) -> Result<Option<Parameters>, ApiError> {
    let with = |parameter: &str, value: &str| Some(Parameters::default().with(parameter, value));
    if view.facet == Facet::Vendor {
        return Ok(with("vendor_is", name));
    }
    let body = ask.generation.bodies.with_name(&profile.named.name);
    if let Some(body) = body.filter(|body| body.names.len() == 1) {
        return Ok(with(Party::Body.noun(), &body.id));
    }
    // The first name of a record may be that of a division, and this one that of the buyer next to it.
    let first = analysis::filter(Facet::NamedDepartment, &profile.named);
    let first = ask.count(&SearchQuery::newest(profile.query.entity_type, vec![first]))?;
    if first == profile.figures.counted.total {
        return Ok(with("department_is", name));
    }
    let is_long = fold(name).chars().count() >= MIN_NAME_LENGTH;
    Ok(with("department", name).filter(|_| is_long))
}

/// "1,284 contracts worth $412 million, 2009–2026, with 37 buyers, under 3 names."
fn sentence(overview: &Overview, other: Facet, names: Option<usize>) -> String {
    let mut parts = overview.sentence_parts();
    let others = overview.distinct(other);
    if others > 0 {
        let with = overview
            .t
            .keyed_with("profile-with-", side(other), &[("count", &others)]);
        parts.push(with);
    }
    parts.extend(names.map(|names| overview.t.with("supplier-under-names", &[("count", &names)])));
    format!("{}.", parts.join(", "))
}
