//! The same search in the other entity types.

use crate::{
    catalog::generation::Generation, model::EntityType, pages::search::search_address::SearchAddress,
    query::SearchQuery,
};

/// The same search in another entity type.
pub(crate) struct Other {
    pub(crate) asked: SearchAddress,
    /// What is counted; `None` if the entity type does not accept all conditions.
    pub(super) query: Option<SearchQuery>,
}

impl Other {
    /// Those of a search.
    pub(super) fn all(asked: &SearchAddress, generation: &Generation) -> Vec<Other> {
        let query = |other: &SearchAddress| other.query_in(generation);
        Other::all_with(asked, query)
    }

    /// The same, where `query` finds what is counted in an entity type that accepts all conditions.
    pub(super) fn all_with(asked: &SearchAddress, query: impl Fn(&SearchAddress) -> Option<SearchQuery>) -> Vec<Other> {
        let others = EntityType::ALL.into_iter().filter(|other| *other != asked.entity_type);
        let other = |other: EntityType| {
            let (asked, has_all_conditions) = asked.of_other(other);
            let query = has_all_conditions.then(|| query(&asked)).flatten();
            Other { asked, query }
        };
        others.map(other).collect()
    }
}
