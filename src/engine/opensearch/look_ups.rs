//! What the cluster must be asked before queries can be compiled.

use std::collections::{BTreeSet, hash_map::Entry};

use super::{
    mapping::parse_facet_code,
    names::Names,
    query::{Lookups, is_long_part},
    searcher::Searcher,
    stems::Vocabulary,
};
use crate::{
    engine::{departments::Departments, error::Error},
    model::{Facet, Role},
    query::{Filter, SearchQuery, text::Term},
};

/// Looks up what any of several queries needs. All are of the searcher's entity type. What they share
/// is asked for once, and their words together.
pub(crate) fn look_up<'q>(
    searcher: &Searcher,
    names: &Names,
    vocabulary: &Vocabulary,
    departments: &Departments,
    queries: impl IntoIterator<Item = &'q SearchQuery>,
) -> Result<Lookups, Error> {
    let (entity_type, deadline) = (searcher.index.entity_type, searcher.deadline);
    let mut lookups = Lookups::default();
    let mut words: BTreeSet<&str> = BTreeSet::new();
    for query in queries {
        for filter in &query.filters {
            match filter {
                Filter::FacetValue { facet, key } => {
                    if let Entry::Vacant(vacant) = lookups.codes.entry((*facet, key.clone())) {
                        vacant.insert(codes(searcher, names, *facet, key)?);
                    }
                }
                Filter::Contains { role, key } if is_long_part(key) || *role == Role::Department => {
                    if let Entry::Vacant(vacant) = lookups.keys.entry((*role, key.clone())) {
                        let mut keys = Vec::new();
                        if is_long_part(key) {
                            keys = names.keys_with_long_part(entity_type, *role, key, deadline)?;
                        }
                        if *role == Role::Department {
                            keys.extend(departments.keys_beside(key).map(str::to_owned));
                        }
                        vacant.insert(keys);
                    }
                }
                _ => {}
            }
        }
        let clauses = query.text.iter().flat_map(|text| text.clauses());
        words.extend(clauses.flat_map(|clause| clause.terms()).filter_map(|term| match term {
            Term::Word(word) => Some(word.as_str()),
            Term::Phrase(_) => None,
        }));
    }
    let words: Vec<&str> = words.into_iter().collect();
    lookups.variants = vocabulary.variants(searcher.client, entity_type, &words, deadline)?;
    Ok(lookups)
}

/// The codes of the records that have a value of a facet.
fn codes(searcher: &Searcher, names: &Names, facet: Facet, key: &str) -> Result<Vec<u32>, Error> {
    if facet == Facet::Vendor {
        let vendor = names.vendor(searcher.index.entity_type, key, searcher.deadline)?;
        let code = vendor.and_then(|vendor| parse_facet_code(&vendor.code));
        return Ok(code.into_iter().collect());
    }
    let Some(values) = searcher.index.values(facet) else {
        return Ok(Vec::new());
    };
    let number = values.find(key);
    Ok(number.map_or_else(Vec::new, |number| values.codes_of_value(number).to_vec()))
}
