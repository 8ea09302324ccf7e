//! What vendors and departments have records of, and how their names are found.

use crate::{
    api::{
        analysis::{
            commodity::{PREFERRED, most_records},
            figures::{FigurePlan, Figures},
            headline, supplier,
            supplier_counts::buyers_facet,
        },
        cost::ScanCost,
        params::include::Include,
    },
    catalog::{
        ask::Ask,
        generation::Generation,
        suppliers::{Party, Supplier},
    },
    engine::{Error, aggregation::TermsAggregation, names::ResolvedName},
    model::{EntityType, Facet, Role, Schema},
    query::{Filter, SearchQuery},
};

/// The profile of a name in all entity types, with everything that is counted of one of them.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) named: ResolvedName,
    pub(crate) query: SearchQuery,
    pub(crate) figures: Figures,
}

/// The records of an entity type that have a name.
#[derive(Debug)]
pub(crate) struct NamedRecords {
    pub(crate) entity_type: EntityType,
    pub(crate) records: u64,
    pub(crate) named: ResolvedName,
}

/// The facet of the other side: the buyers of a vendor, the suppliers of a department.
pub(crate) fn other_side(facet: Facet) -> Facet {
    match facet {
        Facet::Vendor => Facet::NamedDepartment,
        _ => Facet::Vendor,
    }
}

/// The entity types in which a name can be looked up.
pub(crate) fn entity_types(facet: Facet) -> impl Iterator<Item = EntityType> {
    let has_names = move |of: &EntityType| facet != Facet::Vendor || Schema::of(*of).has_role(Role::Vendor);
    PREFERRED.into_iter().filter(has_names)
}

/// The records of a name.
pub(crate) fn filter(facet: Facet, named: &ResolvedName) -> Filter {
    let key = named.key.clone();
    Filter::FacetValue { facet, key }
}

/// What a complete profile counts. All facets are counted completely, because the largest by value need not be among
/// the most frequent. `by_name`: each name of a buyer is counted for itself; it costs as much.
fn figures(facet: Facet, entity_type: EntityType, by_name: bool) -> FigurePlan {
    let schema = Schema::of(entity_type);
    let mut facets = vec![Facet::Year, Facet::Category];
    if facet == Facet::Vendor {
        facets.push(buyers_facet(by_name));
    } else if schema.has_role(Role::Vendor) {
        facets.push(Facet::Vendor);
    }
    if schema.has_role(Role::ProcurementMethod) {
        facets.push(Facet::ProcurementMethod);
    }
    // The places tell the sources of the records, and so the years without data.
    facets.push(Facet::Municipality);
    FigurePlan::new(
        facets.into_iter().map(TermsAggregation::all).collect(),
        Include::all_of(schema),
    )
}

/// What the complete profile of a name costs: its figures, its headline, and its records of every entity type; of a
/// department also those that name it first. Without a requested entity type, the figures are of any that names
/// suppliers: the cost is that of the largest one.
pub(crate) fn cost(generation: &Generation, facet: Facet, requested: Option<EntityType>) -> ScanCost {
    let all = entity_types(facet).map(|of| (of, generation.manifest_of(of).records));
    let entity_type = requested.or(most_records(all)).unwrap_or(PREFERRED[0]);
    let first_names = usize::from(facet != Facet::Vendor);
    let figures = figures(facet, entity_type, false).scans();
    let mut scans = vec![(entity_type, figures + headline::SCANS + first_names)];
    scans.extend(entity_types(facet).map(|entity_type| (entity_type, 1)));
    ScanCost::of(generation, &scans)
}

/// The entity types with records of a name, in the order of [`PREFERRED`].
pub(crate) fn find(ask: &Ask, facet: Facet, name: &str) -> Result<Vec<NamedRecords>, Error> {
    let mut found = Vec::new();
    for entity_type in entity_types(facet) {
        let Some(named) = ask.resolve_name(entity_type, facet, name)? else {
            continue;
        };
        let records = ask.count(&SearchQuery::newest(entity_type, vec![filter(facet, &named)]))?;
        if records > 0 {
            found.push(NamedRecords {
                entity_type,
                records,
                named,
            });
        }
    }
    Ok(found)
}

/// The profile of one entity type: the requested one, else that of [`most_records`]. `None` if the name has no records
/// of the requested one. `by_name`: each name of a buyer is counted for itself.
pub(crate) fn profile(
    ask: &Ask,
    facet: Facet,
    found: &[NamedRecords],
    requested: Option<EntityType>,
    by_name: bool,
) -> Result<Option<Profile>, Error> {
    let wanted = requested.or_else(|| most_records(found.iter().map(|of| (of.entity_type, of.records))));
    let Some(chosen) = found.iter().find(|of| Some(of.entity_type) == wanted) else {
        return Ok(None);
    };
    let query = SearchQuery::newest(chosen.entity_type, vec![filter(facet, &chosen.named)]);
    Ok(Some(Profile {
        named: chosen.named.clone(),
        figures: figures(facet, chosen.entity_type, by_name).run(ask, &query)?,
        query,
    }))
}

/// The profile of a supplier or a body over all its names, of one entity type: the requested one, else that of
/// [`most_records`]. `None` if it has no records of the requested one. `by_name`: each name of a buyer is counted for
/// itself.
pub(crate) fn of_party(
    ask: &Ask,
    party: Party,
    supplier: &Supplier,
    requested: Option<EntityType>,
    by_name: bool,
) -> Result<Option<Profile>, Error> {
    let wanted = requested.or_else(|| most_records(party_records(party, supplier)));
    let mut kinds = party_records(party, supplier).map(|(entity_type, _)| entity_type);
    let Some(chosen) = kinds.find(|kind| Some(*kind) == wanted) else {
        return Ok(None);
    };
    let query = supplier::query(party, supplier, chosen);
    Ok(Some(Profile {
        named: ResolvedName {
            key: supplier.id.clone(),
            name: supplier.name.clone(),
            name_fr: None,
            kind: None,
        },
        figures: figures(party.facet(), chosen, by_name).run(ask, &query)?,
        query,
    }))
}

/// The entity types with records of a supplier or a body, in the order of [`PREFERRED`], and how many.
pub(crate) fn party_records(party: Party, supplier: &Supplier) -> impl Iterator<Item = (EntityType, u64)> {
    let records = |of: EntityType| {
        let row = supplier.by_entity_type.iter().find(|row| row.entity_type == of);
        row.map_or(0, |row| row.records)
    };
    entity_types(party.facet())
        .map(move |of| (of, records(of)))
        .filter(|(_, records)| *records > 0)
}

/// Known names that are similar to one that does not exist, the most similar first: first the best of each entity type,
/// then the second ones.
pub(crate) fn similar_names(
    ask: &Ask,
    facet: Facet,
    name: &str,
    entity_types: impl IntoIterator<Item = EntityType>,
    limit: usize,
) -> Result<Vec<String>, Error> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for entity_type in entity_types {
        let names = ask.suggest_names(entity_type, facet, name, limit)?;
        found.extend(names.into_iter().enumerate());
    }
    found.sort_by_key(|(rank, _)| *rank);
    let mut similar: Vec<String> = Vec::new();
    for (_, name) in found {
        if similar.len() < limit && !similar.contains(&name) {
            similar.push(name);
        }
    }
    Ok(similar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_are_looked_up_where_there_are_vendors() {
        assert_eq!(entity_types(Facet::Department).count(), 6);
        assert!(entity_types(Facet::Vendor).all(|entity_type| entity_type != EntityType::Tender));
        // Year, category, method, place, quality, currency, and four more scans for the market; contracts have vendors.
        assert_eq!(figures(Facet::Department, EntityType::Tender, false).scans(), 10);
        assert_eq!(figures(Facet::Department, EntityType::Contract, false).scans(), 11);
    }
}
