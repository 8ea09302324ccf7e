//! The search that an answer counts: for a thing, what was bought; who has a word of it in a name is stated next to it.

use crate::{
    api::params::search::IN_PURCHASE,
    catalog::suppliers::Party,
    engine::Error,
    http::error::ApiError,
    pages::search::{
        context::SearchContext,
        notes::{NamesNote, is_much},
        results_query::in_purchase,
        search_address::SearchAddress,
    },
    query::{
        SearchQuery,
        text::{Clause, Term, TextQuery},
        translate::is_function_word,
    },
};

/// The search of an answer.
pub(super) struct Narrowed {
    pub(super) asked: SearchAddress,
    pub(super) query: SearchQuery,
    /// Which of its records have a word only in a name, or how many more do.
    pub(super) names: Option<NamesNote>,
    /// Whether it is not the search that the words state.
    pub(super) is_narrower: bool,
}

impl Narrowed {
    /// Many records may have a word only in a name: "fire" in that of a service, "truck" in that of a firm. If the
    /// words [name a thing](names_thing), and some records have them in the purchase, these are counted. Without the
    /// note if counting takes too long.
    pub(super) fn of(context: &SearchContext, asked: &SearchAddress, query: SearchQuery) -> Result<Narrowed, ApiError> {
        let whole = |names, query| Narrowed {
            asked: asked.clone(),
            query,
            names,
            is_narrower: false,
        };
        let Some(narrower) = in_purchase(&query) else {
            let names = NamesNote::of(context.t, asked, &query, 0, 0);
            return Ok(whole(names, query));
        };
        let counts = match context.ask.counts(vec![query.clone(), narrower.clone()]) {
            Err(Error::Timeout) => return Ok(whole(None, query)),
            counts => counts?,
        };
        let &[total, purchases] = counts.as_slice() else {
            return Ok(whole(None, query));
        };
        let by_name = total.saturating_sub(purchases);
        if purchases > 0 && is_much(by_name, total) && names_thing(context, asked, &query) {
            return Ok(Narrowed {
                names: Some(NamesNote::of_further(context.t, asked, &query, by_name)),
                asked: asked.setting(&[("q_in", IN_PURCHASE)]),
                query: narrower,
                is_narrower: true,
            });
        }
        let names = NamesNote::of(context.t, asked, &query, total, by_name);
        Ok(whole(names, query))
    }
}

/// Whether the words are those of a thing: several, each with other terms for the same, and no name. A single one in
/// the name of a firm says what the firm does: "Acme Roofing".
fn names_thing(context: &SearchContext, asked: &SearchAddress, query: &SearchQuery) -> bool {
    let names_several = |text: &TextQuery| {
        let clauses = text.clauses();
        let is_of_meaning =
            |clause: &&Clause| !matches!(clause.terms(), [Term::Word(word), ..] if is_function_word(word));
        let is_several = clauses.iter().filter(is_of_meaning).count() > 1;
        is_several && clauses.iter().all(|clause| clause.terms().len() > 1)
    };
    let suppliers = context.ask.generation.parties(Party::Supplier);
    let is_name = || {
        asked
            .value("q")
            .is_some_and(|words| suppliers.with_name(words).is_some())
    };
    query.text.as_ref().is_some_and(names_several) && !is_name()
}
