//! A search with the frame of its page, in the entity types that the page may show.

use crate::{
    api::{analysis::commodity::most_records, cost::ScanCost, params::resolve::ResolvedSearch},
    catalog::{ask::Ask, generation::Generation},
    http::error::ApiError,
    model::EntityType,
    pages::{
        address, export,
        format::shortened,
        messages::Texts,
        page::{Exports, Layout, PageCall, Section},
        search::{
            other_type::Other,
            results_query::{Plan, is_first},
            search_address::{DEFAULT_LIMIT, RELEVANCE, SearchAddress},
            split::Split,
        },
    },
    query::SortKey,
};

/// The search in each entity type that its page may show: the one that the address states. If it states none, words
/// are searched for in all that have a field for each condition, and the page shows that of [`most_records`].
pub(super) fn kinds(call: &PageCall, asked: SearchAddress, search: ResolvedSearch) -> Vec<Prepared> {
    let is_open = !asked.states_kind && asked.is_first_page() && search.query.text.is_some();
    let others = EntityType::ALL
        .into_iter()
        .filter(|of| is_open && *of != asked.entity_type);
    let mut all = Vec::new();
    for (other, has_all) in others.map(|other| asked.of_other(other)) {
        let resolved = other.resolve(&call.resolve_context(other.entity_type), DEFAULT_LIMIT);
        if let Ok(search) = resolved
            && has_all
            && search.ignored.is_empty()
        {
            all.push((other, search));
        }
    }
    if all.is_empty() {
        let others = Other::all(&asked, &call.generation);
        return vec![Prepared::of(call, asked, search, others)];
    }
    // One that has no field for a condition would find most.
    if search.ignored.is_empty() {
        all.insert(0, (asked, search));
    }
    // Each is another one of the others; to read and translate the words for each pair takes long.
    let query_of = |of: &SearchAddress| all.iter().find(|(asked, _)| asked.entity_type == of.entity_type);
    let query_of = |of: &SearchAddress| query_of(of).map(|(_, search)| search.query.clone());
    let others: Vec<_> = all.iter().map(|(asked, _)| Other::all_with(asked, query_of)).collect();
    let all = all.into_iter().zip(others);
    all.map(|((asked, search), others)| Prepared::of(call, asked, search, others))
        .collect()
}

/// A search, and the frame of its page.
pub(super) struct Prepared {
    pub(super) plan: Plan,
    pub(super) layout: Layout,
    pub(super) heading: String,
}

impl Prepared {
    fn of(call: &PageCall, asked: SearchAddress, search: ResolvedSearch, others: Vec<Other>) -> Prepared {
        let heading = heading(&asked, call.t);
        let layout = call.layout(heading.clone(), Section::Search);
        Prepared {
            layout: layout.with_exports(exports(call, &asked, &search)),
            heading,
            plan: Plan::new(asked, search, others, &call.generation),
        }
    }

    /// What the words of these searches say, with conditions in place of words. They are the same in all.
    pub(super) fn splits(call: &PageCall, all: &[Prepared]) -> Vec<Split> {
        let first = all.first().filter(|of| is_first(&of.plan.search));
        first.map_or_else(Vec::new, |of| Split::all(&of.plan.asked, &call.generation, call.today))
    }

    /// The one of the entity type that is shown. If the words ask for a type and state conditions, it is of that type:
    /// as words, the conditions are found in other types by chance. Not if only other types have matches: a word for a
    /// type may also be one of a title, as in "long service awards".
    pub(super) fn chosen(ask: &Ask, mut all: Vec<Prepared>, splits: Vec<Split>) -> Result<Prepared, ApiError> {
        let says_more = splits.iter().any(|split| !split.conditions.is_empty());
        let wanted = splits.first().map_or(&[][..], |split| &split.wanted).to_vec();
        let mut counts = vec![1];
        if all.len() > 1 {
            counts = ask.counts(all.iter().map(|of| of.plan.search.query.clone()).collect())?;
        }
        let types = || all.iter().map(|of| of.plan.asked.entity_type);
        let is_wanted = |of: &EntityType| says_more && wanted.contains(of);
        let of_wanted = most_records(types().zip(counts.iter().copied()).filter(|(of, _)| is_wanted(of)));
        let most = of_wanted.or_else(|| most_records(types().zip(counts.iter().copied())));
        let shown = most.or_else(|| types().find(is_wanted));
        let number = types().position(|of| Some(of) == shown).unwrap_or_default();
        let mut chosen = all.swap_remove(number);
        chosen.plan.splits = splits;
        Ok(chosen)
    }

    /// What the page costs, whichever entity type it shows: what the most expensive one counts ([`Plan::cost`]), and
    /// the total of each if there are several.
    pub(super) fn cost(all: &[Prepared], splits: &[Split], generation: &Generation) -> ScanCost {
        let most = all.iter().map(|of| of.plan.cost(generation, splits)).max();
        let cost = most.unwrap_or(ScanCost::of(generation, &[]));
        let queries = all.iter().map(|of| &of.plan.search.query).filter(|_| all.len() > 1);
        queries.fold(cost, |cost, query| cost.and_count(generation, query))
    }
}

pub(super) fn heading(asked: &SearchAddress, t: Texts) -> String {
    let kind = t.keyed("kinds-", asked.entity_type.name());
    match asked.value("q").filter(|_| asked.has_words()) {
        Some(q) => t.with("search-title-about", &[("kind", &kind), ("query", &shortened(q))]),
        None => kind,
    }
}

/// The same records from the API, and as CSV from their first page on.
///
/// What a page does by itself is stated in the address of the API: the translation, and the order by relevance.
fn exports(call: &PageCall, asked: &SearchAddress, search: &ResolvedSearch) -> Exports {
    let limit = asked
        .value("limit")
        .map_or_else(|| DEFAULT_LIMIT.to_string(), str::to_owned);
    let mut json = asked.parameters.with("limit", &limit).with("include_total", "true");
    if search.query.sort.key == SortKey::Relevance {
        json = json.with("sort_by", RELEVANCE);
    }
    if search.translation.is_some() {
        json = json.with("translate", "true");
    }
    if search.query.text.as_ref().is_some_and(|text| text.codes().is_some()) {
        json = json.with("match_codes", "true");
    }
    let kind = asked.entity_type.name();
    let rows = asked
        .parameters
        .without(&["cursor", "offset", "limit"])
        .with("kind", kind);
    let csv = rows.after(&address::page(call.lang, "search.csv"));
    Exports {
        whole: export::links(call.lang, kind, &json),
        ..call.exports(json.after(&format!("/{kind}")), csv)
    }
}
