//! What the cluster must be asked before a query can be compiled.

use super::{
    mapping::parse_facet_code,
    names::Names,
    query::{Lookups, is_long_part},
    searcher::Searcher,
    stems::Vocabulary,
};
use crate::{
    engine::error::Error,
    model::Facet,
    query::{Filter, SearchQuery, text::Term},
};

pub(crate) fn look_up(
    searcher: &Searcher,
    names: &Names,
    vocabulary: &Vocabulary,
    query: &SearchQuery,
) -> Result<Lookups, Error> {
    let (entity_type, deadline) = (query.entity_type, searcher.deadline);
    let mut lookups = Lookups::default();
    for filter in &query.filters {
        match filter {
            Filter::FacetValue { facet, key } => {
                let codes = codes(searcher, names, *facet, key)?;
                lookups.codes.insert((*facet, key.clone()), codes);
            }
            Filter::Contains { role, key } if is_long_part(key) => {
                let keys = names.keys_with_long_part(entity_type, *role, key, deadline)?;
                lookups.keys.insert((*role, key.clone()), keys);
            }
            _ => {}
        }
    }
    let clauses = query.text.iter().flat_map(|text| text.clauses());
    let words = clauses.flat_map(|clause| clause.terms()).filter_map(|term| match term {
        Term::Word(word) => Some(word.as_str()),
        Term::Phrase(_) => None,
    });
    let words: Vec<&str> = words.collect();
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
