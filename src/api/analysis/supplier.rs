//! What is shown of suppliers: the API writes it as JSON, the pages for people as HTML.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::{
        analysis::{bids::bidder::CallsBidOn, figures::FigurePlan},
        cost::ScanCost,
        params::include::Include,
    },
    catalog::{
        ask::Ask,
        bids::BidStore,
        generation::Generation,
        suppliers::{
            Supplier,
            reason::{Rule, Waiting},
            supplier::{KindFigures, NameReason, Suggestion, SupplierName, SupplierNumber},
        },
    },
    engine::{
        Error,
        aggregation::{Aggregation, TermsAggregation},
    },
    model::{EntityType, Facet},
    query::{Filter, SearchQuery},
};

/// A supplier in one line.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SupplierRow {
    id: String,
    /// The commonest of its names.
    name: String,
    /// Number of its names.
    names: usize,
    /// Records of all entity types under these names.
    records: u64,
    /// The sum of the values that they state, in Canadian dollars. A purchase that is published as an award, a contract
    /// and a disclosure counts in each.
    total_value: f64,
    first_year: Option<i32>,
    last_year: Option<i32>,
    /// Where publishers state bidders.
    open_calls: CallsBidOn,
}

/// All names of a supplier, each with the reason why it is here.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Supplier")]
pub(crate) struct SupplierView {
    id: String,
    /// The commonest of its names.
    pub(crate) name: String,
    /// The chosen one first, then those with most records.
    names: Vec<NameView>,
    /// Records of all entity types under these names.
    records: u64,
    /// The sum of the values that they state, in Canadian dollars. A purchase that is published as an award, a contract
    /// and a disclosure counts in each: `by_entity_type` keeps them apart.
    total_value: f64,
    first_year: Option<i32>,
    last_year: Option<i32>,
    by_entity_type: Vec<KindView>,
    /// The official numbers with which publishers state its names.
    numbers: Vec<NumberView>,
    /// Suppliers that may be the same one. They are never summed.
    suggestions: Vec<SuggestionView>,
}

/// A name of a supplier.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SupplierName")]
pub(crate) struct NameView {
    pub(crate) name: String,
    /// In a sentence, why the name is one of this supplier.
    pub(crate) reason: String,
    /// What joined it; null for the chosen name.
    rule: Option<Rule>,
    /// The name that it was joined to.
    joined_to: Option<String>,
    pub(crate) records: u64,
    total_value: f64,
    first_year: Option<i32>,
    last_year: Option<i32>,
    /// How often publishers state the name, also for bidders that did not win.
    mentions: u64,
    numbers: Vec<String>,
}

/// The records of one entity type.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SupplierRecords")]
pub(crate) struct KindView {
    entity_type: EntityType,
    records: u64,
    total_value: f64,
}

/// An official number.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SupplierNumber")]
pub(crate) struct NumberView {
    /// Who gave it: `neq` is Quebec's enterprise number, `alberta` an account on Alberta's portal.
    kind: String,
    number: String,
    /// How often it is stated.
    mentions: u64,
    /// How many of the names are stated with it.
    names: u64,
}

/// A supplier that may be the same one.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SupplierSuggestion")]
pub(crate) struct SuggestionView {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The two names that are alike.
    own_name: String,
    other_name: String,
    why: Waiting,
    /// In a sentence, why nobody but a person joins them.
    pub(crate) reason: String,
}

/// The sentence of the chosen name.
const CHOSEN: &str = "the commonest of the names";

impl SupplierRow {
    pub(crate) fn new(supplier: Supplier, bids: &BidStore) -> SupplierRow {
        SupplierRow {
            open_calls: CallsBidOn::open(bids, &supplier.keys()),
            id: supplier.id,
            name: supplier.name,
            names: supplier.names.len(),
            records: supplier.records,
            total_value: supplier.total_value,
            first_year: supplier.first_year,
            last_year: supplier.last_year,
        }
    }
}

impl SupplierView {
    pub(crate) fn new(supplier: Supplier) -> SupplierView {
        let kind = |of: KindFigures| KindView {
            entity_type: of.entity_type,
            records: of.records,
            total_value: of.total_value,
        };
        let number = |of: SupplierNumber| {
            let (kind, number) = of.number.split_once(':').unwrap_or(("", of.number.as_str()));
            NumberView {
                kind: kind.to_owned(),
                number: number.to_owned(),
                mentions: of.mentions,
                names: of.names,
            }
        };
        SupplierView {
            id: supplier.id,
            name: supplier.name,
            names: supplier.names.into_iter().map(NameView::new).collect(),
            records: supplier.records,
            total_value: supplier.total_value,
            first_year: supplier.first_year,
            last_year: supplier.last_year,
            by_entity_type: supplier.by_entity_type.into_iter().map(kind).collect(),
            numbers: supplier.numbers.into_iter().map(number).collect(),
            suggestions: supplier.suggestions.into_iter().map(SuggestionView::new).collect(),
        }
    }
}

impl NameView {
    fn new(name: SupplierName) -> NameView {
        let sentence = |reason: &NameReason| reason.evidence.sentence(&reason.with);
        NameView {
            reason: name.reason.as_ref().map_or_else(|| CHOSEN.to_owned(), sentence),
            rule: name.reason.as_ref().map(|reason| reason.evidence.rule()),
            joined_to: name.reason.map(|reason| reason.with),
            name: name.name,
            records: name.records,
            total_value: name.total_value,
            first_year: name.first_year,
            last_year: name.last_year,
            mentions: name.mentions,
            numbers: name.numbers,
        }
    }
}

impl SuggestionView {
    fn new(suggestion: Suggestion) -> SuggestionView {
        let Suggestion {
            id,
            name,
            own_name,
            other_name,
            why,
            evidence,
        } = suggestion;
        let mut reason = why.about().to_owned();
        if let Some(evidence) = evidence {
            reason = format!(
                "\"{own_name}\" {}; it waits for a person: {reason}",
                evidence.sentence(&other_name)
            );
        }
        SuggestionView {
            id,
            name,
            own_name,
            other_name,
            why,
            reason,
        }
    }
}

/// The records of a supplier.
pub(crate) fn query(supplier: &Supplier, entity_type: EntityType) -> SearchQuery {
    SearchQuery::newest(entity_type, vec![filter(supplier)])
}

/// Any of its names.
pub(crate) fn filter(supplier: &Supplier) -> Filter {
    Filter::AnyFacetValue {
        facet: Facet::Vendor,
        keys: supplier.keys(),
    }
}

/// The entity type with most records; of equal ones the first.
pub(crate) fn main_entity_type(supplier: &Supplier) -> Option<EntityType> {
    let rows = supplier.by_entity_type.iter();
    let best = rows.rev().max_by_key(|row| row.records);
    best.map(|row| row.entity_type)
}

/// What the profile of a supplier counts.
fn figures() -> FigurePlan {
    let facets = vec![
        TermsAggregation::all(Facet::Year),
        TermsAggregation::top(TOP_DEPARTMENTS, Facet::NamedDepartment),
    ];
    FigurePlan::new(facets, Include::default())
}

const TOP_DEPARTMENTS: usize = 10;

/// What the profile of a supplier costs: its figures, of the entity type with most records.
pub(crate) fn cost(generation: &Generation, supplier: &Supplier) -> ScanCost {
    let scans = main_entity_type(supplier).map(|entity_type| (entity_type, figures().scans()));
    ScanCost::of(generation, scans.as_slice())
}

/// The years and departments of a supplier's records of one entity type.
pub(crate) fn counted(ask: &Ask, supplier: &Supplier, entity_type: EntityType) -> Result<Aggregation, Error> {
    Ok(figures().run(ask, &query(supplier, entity_type))?.counted)
}
