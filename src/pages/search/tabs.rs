//! The entity types above the results, each a link to the same search in it.

use crate::{
    model::EntityType,
    pages::search::{context::SearchContext, results_query::Found, search_address::SearchAddress},
};

/// An entity type to search in.
pub(super) struct Tab {
    pub(super) name: &'static str,
    pub(super) href: String,
    pub(super) is_active: bool,
    /// The number of matches, if it is known.
    pub(super) count: Option<String>,
}

/// All entity types, with the number of matches of each. Next to an answer, that the words find nothing is said once.
pub(super) fn with_counts(context: &SearchContext, found: &Found, has_answer: bool) -> Vec<Tab> {
    let found_by_words = found.aggregation.total > 0 || found.other_counts.iter().any(|(_, count)| *count > Some(0));
    let tab = |entity_type: EntityType| {
        let is_active = entity_type == context.asked.entity_type;
        let other = found
            .other_counts
            .iter()
            .find(|(asked, _)| asked.entity_type == entity_type);
        let count = if is_active {
            Some(found.aggregation.total)
        } else {
            other.and_then(|(_, count)| *count)
        };
        Tab {
            name: entity_type.name(),
            href: other.map_or_else(|| context.asked.address(), |(asked, _)| asked.address()),
            is_active,
            count: count
                .filter(|_| found_by_words || !has_answer)
                .map(|count| context.t.count(count)),
        }
    };
    EntityType::ALL.map(tab).into()
}

/// The same before anything is counted.
pub(super) fn without_counts(asked: &SearchAddress) -> Vec<Tab> {
    let tab = |entity_type: EntityType| Tab {
        name: entity_type.name(),
        href: asked.of_other(entity_type).0.address(),
        is_active: entity_type == asked.entity_type,
        count: None,
    };
    EntityType::ALL.map(tab).into()
}
