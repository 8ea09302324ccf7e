//! What is shown of suppliers and bodies: the API writes it as JSON, the pages for people as HTML.

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
            Party, Supplier,
            reason::{Rule, Waiting},
            supplier::{KindFigures, NameReason, Suggestion, SupplierName, SupplierNumber},
        },
    },
    engine::{
        Error,
        aggregation::{Aggregation, TermsAggregation},
    },
    http::{error::ApiError, quoted::quoted},
    model::{EntityType, Facet},
    query::{Filter, SearchQuery},
};

/// A body in one line.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BodyRow {
    id: String,
    /// The chosen one of its names, in English where known.
    name: String,
    name_fr: Option<String>,
    /// Number of its names.
    names: usize,
    /// Records of all entity types that name it as buyer or department.
    records: u64,
    /// The sum of the values that they state, in Canadian dollars. A purchase that is published as an award, a contract
    /// and a disclosure counts in each.
    total_value: f64,
    first_year: Option<i32>,
    last_year: Option<i32>,
}

/// A supplier in one line.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SupplierRow {
    id: String,
    /// The chosen one of its names.
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

/// All names of a supplier or a body, each with the reason why it is here.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Supplier")]
pub(crate) struct SupplierView {
    id: String,
    /// The chosen one of its names.
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
    /// Others that may be the same one. They are never summed.
    suggestions: Vec<SuggestionView>,
}

/// A name of a supplier.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SupplierName")]
pub(crate) struct NameView {
    pub(crate) name: String,
    /// Of a body: the name in French, which records state together with `name`. Its records are counted with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    name_fr: Option<String>,
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
    /// Who gave it: `neq` is Quebec's enterprise number, `alberta` an account on Alberta's portal, `seao` a body on
    /// Quebec's portal.
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
const CHOSEN: &str = "the name that all are shown under";

impl From<Supplier> for BodyRow {
    fn from(mut body: Supplier) -> BodyRow {
        BodyRow {
            id: body.id,
            name: body.name,
            name_fr: body.names.first_mut().and_then(|name| name.name_fr.take()),
            names: body.names.len(),
            records: body.records,
            total_value: body.total_value,
            first_year: body.first_year,
            last_year: body.last_year,
        }
    }
}

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
            name_fr: name.name_fr,
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

/// The supplier or the body that has or had an identifier.
pub(crate) fn find(generation: &Generation, party: Party, id: &str) -> Result<Supplier, ApiError> {
    let found = generation.parties(party).with_id(id);
    found.ok_or_else(|| {
        let (noun, plural, id) = (party.noun(), party.plural(), quoted(id));
        ApiError::not_found(format!("no {noun} has the id {id}; find {plural} with /{plural}?q=…"))
    })
}

/// The records of a supplier or a body.
pub(crate) fn query(party: Party, supplier: &Supplier, entity_type: EntityType) -> SearchQuery {
    SearchQuery::newest(entity_type, vec![filter(party, supplier)])
}

/// Any of its names.
pub(crate) fn filter(party: Party, supplier: &Supplier) -> Filter {
    Filter::AnyFacetValue {
        facet: party.facet(),
        keys: supplier.keys(),
    }
}

/// The entity type with most records; of equal ones the first.
pub(crate) fn main_entity_type(supplier: &Supplier) -> Option<EntityType> {
    let rows = supplier.by_entity_type.iter();
    let best = rows.rev().max_by_key(|row| row.records);
    best.map(|row| row.entity_type)
}

/// What the profile of a supplier or a body counts: its years, and with whom it deals. All vendors of a body are
/// counted, because their names are joined.
fn figures(party: Party) -> FigurePlan {
    let others = match party {
        Party::Supplier => TermsAggregation::top(TOP_OTHERS, Facet::NamedDepartment),
        Party::Body => TermsAggregation::all(Facet::Vendor),
    };
    FigurePlan::new(vec![TermsAggregation::all(Facet::Year), others], Include::default())
}

/// The maximum number of departments or suppliers of a profile.
pub(crate) const TOP_OTHERS: usize = 10;

/// What the profile of a supplier or a body costs: its figures, of the entity type with most records.
pub(crate) fn cost(generation: &Generation, party: Party, supplier: &Supplier) -> ScanCost {
    let scans = main_entity_type(supplier).map(|entity_type| (entity_type, figures(party).scans()));
    ScanCost::of(generation, scans.as_slice())
}

/// The years of the records of one entity type, and with whom the supplier or the body deals.
pub(crate) fn counted(
    ask: &Ask,
    party: Party,
    supplier: &Supplier,
    entity_type: EntityType,
) -> Result<Aggregation, Error> {
    Ok(figures(party).run(ask, &query(party, supplier, entity_type))?.counted)
}
