//! The search that an answer counts: for a thing, what was bought; who has a word of it in a name is stated next to it.

use crate::{
    api::params::search::{IN_PURCHASE, IN_PURCHASE_OR_VENDOR, IN_STATED_PURCHASE},
    catalog::suppliers::Party,
    engine::Error,
    http::error::ApiError,
    pages::search::{
        context::SearchContext,
        notes::{NamesNote, is_much},
        results_query::{in_purchase, where_words_are},
        search_address::SearchAddress,
    },
    query::{
        SearchQuery,
        text::{Clause, Term, TextQuery, WordsIn},
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

/// Of so many records with the words, one with a word only in the name of its supplier says nothing of the purchase:
/// most others state it.
const FEW_OF: u64 = 10;

impl Narrowed {
    /// Many records may have a word only in a name: "fire" in that of a service, "truck" in that of a firm. If the
    /// words [are a thing](thing_of), and some records have them in the purchase, these are counted. A single word
    /// in the name of a firm says what the firm does, but in that of a buyer not what it buys: "transport". Where few
    /// records have the words only in the name of the supplier, they are not counted either: a firm of snow removal
    /// works on bridges, too. Without the note if counting takes too long.
    pub(super) fn of(context: &SearchContext, asked: &SearchAddress, query: SearchQuery) -> Result<Narrowed, ApiError> {
        let whole = |names, query| Narrowed {
            asked: asked.clone(),
            query,
            names,
            is_narrower: false,
        };
        let thing = thing_of(context, asked, &query);
        let (words_in, name) = match thing {
            Thing::OfOneWord => (WordsIn::PurchaseOrVendor, IN_PURCHASE_OR_VENDOR),
            _ => (WordsIn::Purchase, IN_PURCHASE),
        };
        let narrower = where_words_are(&query, words_in).zip(in_purchase(&query));
        let Some((narrower, stated)) = narrower else {
            let names = NamesNote::of(context.t, asked, &query, 0, 0);
            return Ok(whole(names, query));
        };
        let all = vec![query.clone(), narrower.clone(), stated.clone()];
        let counts = match context.ask.counts(all) {
            Err(Error::Timeout) => return Ok(whole(None, query)),
            counts => counts?,
        };
        let &[total, found, in_stated] = counts.as_slice() else {
            return Ok(whole(None, query));
        };
        let by_supplier = found.saturating_sub(in_stated);
        let is_of_few = by_supplier > 0 && by_supplier.saturating_mul(FEW_OF) <= found;
        let is_of_others = found > 0 && is_much(total.saturating_sub(found), total);
        let counted = match thing {
            Thing::Other => None,
            _ if is_of_few => Some((stated, in_stated, WordsIn::Stated, IN_STATED_PURCHASE)),
            _ if is_of_others => Some((narrower, found, words_in, name)),
            _ => None,
        };
        let Some((narrower, counted, words_in, name)) = counted else {
            let by_name = total.saturating_sub(in_stated);
            let by_supplier = if thing == Thing::Other { 0 } else { by_supplier };
            let names = NamesNote::of(context.t, asked, &query, total, by_name);
            let names = names.map(|note| note.with_firms(context.t, by_supplier, by_supplier == by_name));
            return Ok(whole(names, query));
        };
        let further = (words_in, total.saturating_sub(counted));
        let names = NamesNote::of_further(context.t, asked, &query, further);
        Ok(Narrowed {
            names: Some(names.with_firms(context.t, counted.saturating_sub(in_stated), false)),
            asked: asked.setting(&[("q_in", name)]),
            query: narrower,
            is_narrower: true,
        })
    }
}

/// What the words of a search are, apart from its conditions.
#[derive(Clone, Copy, PartialEq)]
enum Thing {
    OfSeveralWords,
    OfOneWord,
    /// A name, or words for which there are no other terms.
    Other,
}

/// What the words are. Words of a thing each have other terms for the same, and are not the name of a firm.
fn thing_of(context: &SearchContext, asked: &SearchAddress, query: &SearchQuery) -> Thing {
    let suppliers = context.ask.generation.parties(Party::Supplier);
    let is_name = |words: &str| suppliers.with_name(words).is_some();
    let clauses = query.text.as_ref().map_or(&[][..], TextQuery::clauses);
    if !clauses.iter().all(|clause| clause.terms().len() > 1) || asked.value("q").is_some_and(is_name) {
        return Thing::Other;
    }
    let is_of_meaning = |clause: &&Clause| !matches!(clause.terms(), [Term::Word(word), ..] if is_function_word(word));
    match clauses.iter().filter(is_of_meaning).count() {
        0 => Thing::Other,
        1 => Thing::OfOneWord,
        _ => Thing::OfSeveralWords,
    }
}
