//! The ways on from a search without a match, as the page shows them.

use crate::pages::{
    messages::Texts,
    search::{
        context::SearchContext,
        no_matches::{NearName, NoMatches, Spelling, Way},
        results_query::Found,
        search_address::SearchAddress,
    },
};

/// The ways on from a search without a match.
pub(super) struct ShownNothing {
    pub(super) spellings: Vec<ShownSpelling>,
    pub(super) costs: Vec<ShownCost>,
    pub(super) vendors: Vec<NearName>,
    pub(super) departments: Vec<NearName>,
    pub(super) in_both_languages: Option<String>,
    /// The entity types in which the same search finds something, each as a text and an address.
    pub(super) elsewhere: Vec<(String, String)>,
    /// The search without any condition.
    pub(super) all: String,
}

/// The search with another spelling, and how many records have its word.
pub(super) struct ShownSpelling {
    pub(super) q: String,
    pub(super) href: String,
    pub(super) records: String,
}

/// A condition, and what there is without it and with it alone.
pub(super) struct ShownCost {
    pub(super) condition: String,
    pub(super) without: Alternative,
    pub(super) alone: Alternative,
}

pub(super) struct Alternative {
    pub(super) records: String,
    /// `None` if nothing is found.
    pub(super) href: Option<String>,
}

impl ShownNothing {
    pub(super) fn of(context: &SearchContext, found: &Found, nothing: NoMatches) -> ShownNothing {
        let (t, kind) = (context.t, context.asked.entity_type.name());
        let way = |way: Way| Alternative {
            records: t.keyed_with("search-records-", kind, &[("count", &way.count)]),
            href: (way.count > 0).then_some(way.href),
        };
        let spelling = |spelling: Spelling| {
            let records = t.keyed_with("search-records-", kind, &[("count", &spelling.records)]);
            ShownSpelling {
                records: t.with("search-nothing-spelled", &[("records", &records)]),
                q: spelling.q,
                href: spelling.href,
            }
        };
        ShownNothing {
            spellings: nothing.spellings.into_iter().map(spelling).collect(),
            costs: nothing
                .costs
                .into_iter()
                .map(|cost| ShownCost {
                    condition: cost.condition,
                    without: way(cost.without),
                    alone: way(cost.alone),
                })
                .collect(),
            in_both_languages: nothing.in_both_languages,
            vendors: nothing.vendors,
            departments: nothing.departments,
            elsewhere: elsewhere(t, found),
            all: without_conditions(context.asked),
        }
    }
}

/// The entity types in which the search finds something, each as a text and an address.
fn elsewhere(t: Texts, found: &Found) -> Vec<(String, String)> {
    let counted = found.other_counts.iter().filter_map(|(asked, count)| {
        let count = count.filter(|count| *count > 0)?;
        let text = t.keyed_with("search-records-", asked.entity_type.name(), &[("count", &count)]);
        Some((text, asked.address()))
    });
    counted.collect()
}

/// The search in the same entity type without conditions.
pub(super) fn without_conditions(asked: &SearchAddress) -> String {
    let given: Vec<&'static str> = asked.conditions().into_iter().map(|(name, _)| name).collect();
    asked.dropping(&given).address()
}
