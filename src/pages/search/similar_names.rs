//! That a search for one supplier does not count the records of names like its own, which no rule joins with it.

use std::cmp::Reverse;

use crate::{
    catalog::suppliers::{Party, begin_alike::begin_alike},
    pages::search::context::SearchContext,
};

/// How many similar names are listed.
const MAX_LISTED: usize = 4;

/// The names that may be the supplier's too, or begin like one of them, with their records. `None` for a search without
/// a supplier, and for one without such names. Consortia are not the firm.
pub(super) fn similar_names(context: &SearchContext) -> Option<String> {
    let suppliers = context.ask.generation.parties(Party::Supplier);
    let supplier = suppliers.with_id(context.asked.value("supplier")?)?;
    let suggested = supplier
        .suggestions
        .iter()
        .filter_map(|other| suppliers.with_id(&other.id));
    let suggested = suggested.map(|other| (other.name, other.records));
    let alike = begin_alike(suppliers, &supplier)
        .into_iter()
        .filter(|alike| !alike.is_consortium);
    let alike = alike.map(|alike| (alike.name, alike.supplier.records));
    let mut all: Vec<(String, u64)> = suggested.chain(alike).filter(|(_, records)| *records > 0).collect();
    all.sort_by_key(|(_, records)| Reverse(*records));
    let t = context.t;
    let listed = all.iter().take(MAX_LISTED);
    let listed: Vec<String> = listed
        .map(|(name, records)| t.with("search-similar-name", &[("name", name), ("count", records)]))
        .collect();
    (!listed.is_empty()).then(|| t.with("search-similar-names", &[("names", &listed.join(", "))]))
}
