//! Suppliers, bodies or commodity codes next to each other: the same figures of each.

use std::collections::HashSet;

use crate::{
    api::{
        analysis::{
            bids::pair::Side,
            commodity::{PREFERRED, most_records},
            figures::{FigurePlan, Figures},
            headline, profile,
        },
        cost::ScanCost,
        params::{
            filters::{MAX_PARTIES, SEPARATOR, commodity_filter, joined_ids},
            include::Include,
        },
    },
    catalog::{
        ask::Ask,
        generation::Generation,
        suggest::MeaningType,
        suppliers::{Party, Supplier, SupplierList, divisions::divisions},
    },
    engine::{Error, aggregation::TermsAggregation, names::ResolvedName},
    model::{EntityType, Facet, Role, Schema, commodity::CommodityCode},
    query::{Filter, SearchQuery},
};

/// What is compared: things of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComparedType {
    Supplier,
    Department,
    Commodity,
}

/// The maximum number of things that are compared.
pub(crate) const MAX_COMPARED: usize = 4;

/// The parameter of a comparison that is `q` of a search. What is typed to add a thing is `q` there.
pub(crate) const WORDS: &str = "words";

/// What a condition of a comparison is called in a search.
pub(crate) fn name_in_search(name: &str) -> &str {
    if name == WORDS { "q" } else { name }
}

/// The parameters of a comparison that its records have to meet, in the order of a search.
pub(crate) const CONDITIONS: [&str; 16] = [
    WORDS,
    "municipality",
    "region",
    "level",
    "body_class",
    "vendor_city",
    "vendor_country",
    "body",
    "issued_after",
    "issued_before",
    "ending_after",
    "ending_before",
    "competition",
    "amended",
    "value_min",
    "value_max",
];

/// One of the things that are compared.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) subject: Subject,
    /// How many records of each entity type it has, and the filter that finds them, in the order of [`PREFERRED`].
    records: Vec<(EntityType, u64, Filter)>,
    /// What else its records have to meet.
    conditions: Vec<SearchQuery>,
}

#[derive(Debug)]
pub(crate) enum Subject {
    Supplier {
        /// `None` for a bidder whom no record names. Of several suppliers, their identifiers, separated by commas.
        id: Option<String>,
        side: Side,
        /// The suppliers that are counted as one, if they are several: their names, and how many records each has.
        joined: Vec<(String, u64)>,
    },
    /// A body over all its names, with its divisions.
    Body {
        body: Box<Supplier>,
        /// The identifiers of all of them, the body's first, separated by commas.
        ids: String,
        /// The names of the divisions, and how many records each has.
        divisions: Vec<(String, u64)>,
    },
    /// A name of a department that no body has.
    Department(ResolvedName),
    Commodity(CommodityCode),
}

impl ComparedType {
    const ALL: [ComparedType; 3] = [
        ComparedType::Supplier,
        ComparedType::Department,
        ComparedType::Commodity,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            ComparedType::Supplier => "supplier",
            ComparedType::Department => "department",
            ComparedType::Commodity => "commodity",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<ComparedType> {
        ComparedType::ALL.into_iter().find(|of| of.name() == name)
    }

    pub(crate) const fn meaning(self) -> MeaningType {
        match self {
            ComparedType::Supplier => MeaningType::Supplier,
            ComparedType::Department => MeaningType::Department,
            ComparedType::Commodity => MeaningType::Commodity,
        }
    }

    /// What it is mostly described by: the names of the other side.
    pub(crate) const fn other_side(self) -> Facet {
        match self {
            ComparedType::Department => Facet::Vendor,
            _ => Facet::NamedDepartment,
        }
    }

    /// What is counted of each thing.
    fn figures(self, entity_type: EntityType) -> FigurePlan {
        let schema = Schema::of(entity_type);
        let mut facets = vec![Facet::Year, Facet::Category, Facet::Municipality];
        if self != ComparedType::Department {
            facets.push(Facet::Body);
        }
        if self != ComparedType::Supplier && schema.has_role(Role::Vendor) {
            facets.push(Facet::Vendor);
        }
        if schema.has_role(Role::ProcurementMethod) {
            facets.push(Facet::ProcurementMethod);
        }
        let include = Include {
            market: false,
            ..Include::all_of(schema)
        };
        FigurePlan::new(facets.into_iter().map(TermsAggregation::all).collect(), include)
    }

    /// What the figures of so many things cost: they, their headlines, and the records of every entity type. Without a
    /// requested entity type, that of the one with most records. Under `conditions`, the records of every entity type
    /// are counted once more, and the text of the conditions is searched for each time.
    pub(crate) fn cost(
        self,
        generation: &Generation,
        (requested, things): (Option<EntityType>, usize),
        conditions: &[SearchQuery],
    ) -> ScanCost {
        let all = PREFERRED.map(|of| (of, generation.manifest_of(of).records));
        let entity_type = requested.or(most_records(all)).unwrap_or(PREFERRED[0]);
        let of_each = self.figures(entity_type).scans() + headline::SCANS;
        let mut scans = vec![(entity_type, of_each * things)];
        scans.extend(EntityType::ALL.map(|entity_type| (entity_type, things)));
        scans.extend(conditions.iter().map(|query| (query.entity_type, things)));
        let searches = |of: EntityType| {
            if of == entity_type {
                of_each * things + things
            } else {
                things
            }
        };
        let cost = ScanCost::of(generation, &scans);
        conditions.iter().fold(cost, |cost, query| {
            cost.with_text(generation, query, searches(query.entity_type))
        })
    }
}

impl Compared {
    /// The thing that a text identifies: a supplier's identifier or name, a department's name, a commodity code.
    pub(crate) fn find(ask: &Ask, what: ComparedType, text: &str) -> Result<Option<Compared>, Error> {
        match what {
            ComparedType::Supplier => Ok(of_supplier(&ask.generation, text)),
            ComparedType::Department => of_department(ask, text),
            ComparedType::Commodity => of_commodity(ask, text),
        }
    }

    /// What finds the same thing again.
    pub(crate) fn id(&self) -> &str {
        match &self.subject {
            Subject::Supplier { id, side, .. } => id.as_ref().unwrap_or(&side.name),
            Subject::Body { body, .. } => &body.name,
            Subject::Department(named) => &named.name,
            Subject::Commodity(code) => code.key(),
        }
    }

    pub(crate) fn records(&self, entity_type: EntityType) -> u64 {
        let row = self.records.iter().find(|(of, ..)| *of == entity_type);
        row.map_or(0, |(_, records, _)| *records)
    }

    pub(crate) fn has_records(&self) -> bool {
        !self.records.is_empty()
    }

    /// The search for its records; `None` without any.
    pub(crate) fn query(&self, entity_type: EntityType) -> Option<SearchQuery> {
        let (_, _, filter) = self.records.iter().find(|(of, ..)| *of == entity_type)?;
        let conditions = self.conditions.iter().find(|query| query.entity_type == entity_type);
        Some(with_filter(entity_type, filter, conditions))
    }

    /// This comparison of only the records that meet the conditions. `conditions` has a search for each entity type
    /// that has all of them.
    pub(crate) fn under(self, ask: &Ask, conditions: &[SearchQuery]) -> Result<Compared, Error> {
        let rows = self.records.into_iter().filter_map(|(of, _, filter)| {
            let conditions = conditions.iter().find(|query| query.entity_type == of)?;
            Some((with_filter(of, &filter, Some(conditions)), filter))
        });
        let (queries, filters): (Vec<SearchQuery>, Vec<Filter>) = rows.unzip();
        let types: Vec<EntityType> = queries.iter().map(|query| query.entity_type).collect();
        let counts = ask.counts(queries)?;
        let rows = types.into_iter().zip(counts).zip(filters);
        let rows = rows.map(|((of, records), filter)| (of, records, filter));
        Ok(Compared {
            records: rows.filter(|(_, records, _)| *records > 0).collect(),
            conditions: conditions.to_vec(),
            ..self
        })
    }

    /// The figures of the records that [`Compared::query`] finds.
    pub(crate) fn figures(&self, ask: &Ask, what: ComparedType, query: &SearchQuery) -> Result<Figures, Error> {
        what.figures(query.entity_type).run(ask, query)
    }
}

fn with_filter(of: EntityType, filter: &Filter, conditions: Option<&SearchQuery>) -> SearchQuery {
    let further = conditions.iter().flat_map(|query| query.filters.iter().cloned());
    SearchQuery {
        text: conditions.and_then(|query| query.text.clone()),
        ..SearchQuery::newest(of, std::iter::once(filter.clone()).chain(further).collect())
    }
}

/// The entity types with records of at least one of the things, and how many these are together.
pub(crate) fn entity_types(things: &[Compared]) -> Vec<(EntityType, u64)> {
    let together = |of: EntityType| (of, things.iter().map(|thing| thing.records(of)).sum());
    let all = PREFERRED.into_iter().map(together);
    all.filter(|(_, records)| *records > 0).collect()
}

/// The entity type that a page compares first: that of [`most_records`] among those that all things have records of; if
/// there is none, among all.
pub(crate) fn common_entity_type(things: &[Compared]) -> EntityType {
    let types = entity_types(things);
    let is_of_all = |(of, _): &(EntityType, u64)| things.iter().all(|thing| thing.records(*of) > 0);
    let common = most_records(types.iter().copied().filter(is_of_all));
    common.or_else(|| most_records(types)).unwrap_or(PREFERRED[0])
}

fn of_supplier(generation: &Generation, text: &str) -> Option<Compared> {
    if let Some(known) = known_suppliers(&generation.suppliers, text).and_then(of_suppliers) {
        return Some(known);
    }
    // A bidder without records need not be a known supplier.
    let side = Side::named(text);
    let is_bidder = generation.bids.notices_of(&side.keys).next().is_some();
    is_bidder.then(|| Compared {
        subject: Subject::Supplier {
            id: None,
            side,
            joined: Vec::new(),
        },
        records: Vec::new(),
        conditions: Vec::new(),
    })
}

/// The supplier that a text identifies, or those whose identifiers it has, each once. `None` if one is unknown, and for
/// too many.
fn known_suppliers(suppliers: &SupplierList, text: &str) -> Option<Vec<Supplier>> {
    if let Some(found) = suppliers.with_id(text).or_else(|| suppliers.with_name(text)) {
        return Some(vec![found]);
    }
    let ids = text.split(SEPARATOR).map(str::trim).filter(|id| !id.is_empty());
    let ids: Vec<&str> = ids.collect();
    if ids.len() > MAX_PARTIES {
        return None;
    }
    let mut all = ids.iter().map(|id| suppliers.with_id(id)).collect::<Option<Vec<_>>>()?;
    let mut seen = HashSet::new();
    all.retain(|found| seen.insert(found.id.clone()));
    Some(all)
}

/// A supplier, or several as one. `None` without any.
fn of_suppliers(all: Vec<Supplier>) -> Option<Compared> {
    let first = all.first()?;
    let keys: Vec<String> = all.iter().flat_map(Supplier::keys).collect();
    let filter = Filter::AnyFacetValue {
        facet: Party::Supplier.facet(),
        keys: keys.clone(),
    };
    let records_of = |of: EntityType| -> u64 {
        let rows = all
            .iter()
            .flat_map(|found| profile::party_records(Party::Supplier, found));
        rows.filter(|(own, _)| *own == of).map(|(_, records)| records).sum()
    };
    let rows = PREFERRED.into_iter().map(|of| (of, records_of(of), filter.clone()));
    Some(Compared {
        records: rows.filter(|(_, records, _)| *records > 0).collect(),
        subject: Subject::Supplier {
            id: Some(joined_ids(all.iter().map(|found| found.id.as_str()))),
            side: Side {
                name: first.name.clone(),
                keys,
            },
            joined: match &all[..] {
                [_] => Vec::new(),
                several => several
                    .iter()
                    .map(|found| (found.name.clone(), found.records))
                    .collect(),
            },
        },
        conditions: Vec::new(),
    })
}

fn of_department(ask: &Ask, text: &str) -> Result<Option<Compared>, Error> {
    let bodies = ask.generation.parties(Party::Body);
    if let Some(body) = bodies.with_id(text).or_else(|| bodies.with_name(text)) {
        return of_body(ask, body);
    }
    let facet = Facet::Department;
    let found = profile::find(ask, facet, text)?;
    let row = |of: &profile::NamedRecords| (of.entity_type, of.records, profile::filter(facet, &of.named));
    Ok(found.first().map(|first| Compared {
        subject: Subject::Department(first.named.clone()),
        records: found.iter().map(row).collect(),
        conditions: Vec::new(),
    }))
}

/// A body with its divisions, as a search for a buyer finds it. A record may name several of them, so it is counted.
fn of_body(ask: &Ask, body: Supplier) -> Result<Option<Compared>, Error> {
    let divisions = divisions(ask.generation.parties(Party::Body), &body, MAX_PARTIES - 1);
    let all = || std::iter::once(&body).chain(&divisions);
    let filter = Filter::AnyFacetValue {
        facet: Party::Body.facet(),
        keys: all().flat_map(Supplier::keys).collect(),
    };
    let ids = joined_ids(all().map(|found| found.id.as_str()));
    let divisions = divisions.iter().map(|found| (found.name.clone(), found.records));
    let subject = Subject::Body {
        ids,
        divisions: divisions.collect(),
        body: Box::new(body),
    };
    counted(ask, subject, &filter)
}

/// What the filter finds of each entity type. `None` without any record.
fn counted(ask: &Ask, subject: Subject, filter: &Filter) -> Result<Option<Compared>, Error> {
    let queries = PREFERRED.map(|of| SearchQuery::newest(of, vec![filter.clone()]));
    let counts = ask.counts(queries.into())?;
    let rows = PREFERRED.into_iter().zip(counts).filter(|(_, records)| *records > 0);
    let records: Vec<_> = rows.map(|(of, records)| (of, records, filter.clone())).collect();
    Ok((!records.is_empty()).then_some(Compared {
        subject,
        records,
        conditions: Vec::new(),
    }))
}

fn of_commodity(ask: &Ask, text: &str) -> Result<Option<Compared>, Error> {
    let Ok(code) = CommodityCode::parse(text) else {
        return Ok(None);
    };
    let filter = commodity_filter(&code);
    counted(ask, Subject::Commodity(code), &filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compared_entity_type_is_the_one_of_most_records() {
        use EntityType::{Contract, Disclosure, Tender};
        let code = || CommodityCode::parse("72141003").unwrap();
        let thing = |records: &[(EntityType, u64)]| Compared {
            subject: Subject::Commodity(code()),
            conditions: Vec::new(),
            records: records
                .iter()
                .map(|(of, records)| (*of, *records, commodity_filter(&code())))
                .collect(),
        };
        for (first, second, expected) in [
            // A handful of contracts does not hide hundreds of disclosures.
            (
                &[(Contract, 6), (Disclosure, 602)][..],
                &[(Contract, 2), (Disclosure, 9)][..],
                Disclosure,
            ),
            (
                &[(Contract, 600), (Disclosure, 6)],
                &[(Contract, 2), (Disclosure, 9)],
                Contract,
            ),
            // What all have comes first, then what names suppliers.
            (&[(Contract, 6), (Disclosure, 602)], &[(Contract, 2)], Contract),
            (&[(Contract, 1), (Tender, 50)], &[(Contract, 1), (Tender, 50)], Contract),
            (&[(Contract, 1)], &[(Disclosure, 2)], Disclosure),
            (&[], &[], Contract),
        ] {
            let common = common_entity_type(&[thing(first), thing(second)]);
            assert_eq!(common, expected, "{first:?} {second:?}");
        }
    }
}
