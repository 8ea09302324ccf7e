//! What the values of facets, the long keys and the vocabulary say about the words and names of
//! queries.

use super::{
    query::{ResolvedTerms, is_long_part},
    records_index::RecordsIndex,
};
use crate::{
    engine::{departments::Departments, names::is_department},
    model::{Facet, Role},
    query::{
        Filter, SearchQuery,
        text::{Clause, Term},
    },
};

/// Looks up what a query of the index needs.
pub(crate) fn resolve(index: &RecordsIndex, departments: &Departments, query: &SearchQuery) -> ResolvedTerms {
    let mut resolved = ResolvedTerms::default();
    for filter in &query.filters {
        match filter {
            Filter::FacetValue { facet, key } => add_codes(index, departments, &mut resolved, *facet, key),
            Filter::AnyFacetValue { facet, keys } => {
                keys.iter()
                    .for_each(|key| add_codes(index, departments, &mut resolved, *facet, key));
            }
            Filter::Contains { role, key } if is_long_part(key) || *role == Role::Department => {
                let mut keys = Vec::new();
                if is_long_part(key) {
                    keys = index.keys_with_long_part(*role, key);
                }
                if *role == Role::Department {
                    keys.extend(departments.keys_beside(key).map(str::to_owned));
                }
                resolved.keys.insert((*role, key.clone()), keys);
            }
            _ => {}
        }
    }
    for term in query
        .text
        .iter()
        .flat_map(|text| text.clauses())
        .flat_map(Clause::terms)
    {
        if let Term::Word(word) = term {
            let variants = index.vocabulary.variants(word);
            resolved.variants.insert(word.clone(), variants);
        }
    }
    resolved
}

/// Looks up the codes of the records that have a value of a facet.
fn add_codes(index: &RecordsIndex, departments: &Departments, resolved: &mut ResolvedTerms, facet: Facet, key: &str) {
    let values = index.values(facet);
    let name = if is_department(facet) {
        departments.key_of(key)
    } else {
        key
    };
    let codes = values.and_then(|values| Some(values.codes_of_value(values.find(name)?).to_vec()));
    resolved
        .codes
        .insert((facet, key.to_owned()), codes.unwrap_or_default());
}
