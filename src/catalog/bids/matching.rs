//! Finds the bids that match a query.

use super::{
    notice::{Notice, StoredBid},
    query::BidQuery,
    store::BidStore,
};
use crate::{
    engine::{Deadline, Engine, Error},
    model::{Date, Facet, Role},
    query::{
        Filter,
        text::{Clause, Term},
    },
};

/// How many notices are looked at between two looks at the clock.
const NOTICES_PER_CHECK: usize = 4096;

/// A query, resolved against one store.
struct Matcher<'s> {
    store: &'s BidStore,
    conditions: Vec<Condition>,
    clauses: Vec<Words>,
    /// The texts that are commodity codes which the words mean, by number; empty for none. A notice with one has all
    /// required terms.
    codes: Vec<bool>,
    query: &'s BidQuery,
    /// The bidders that match, by number; `None` if all do.
    bidders: Option<Vec<bool>>,
    amounts: Option<(Option<f64>, Option<f64>)>,
}

/// A condition on a notice.
enum Condition {
    /// One of its keys of a role is one of these texts, by number.
    Key(Role, Vec<bool>),
    Dates(Option<Date>, Option<Date>),
    Never,
}

/// A clause of `q`.
struct Words {
    /// Whether the notice must have none of the terms.
    is_excluded: bool,
    terms: Vec<WordTerm>,
}

enum WordTerm {
    /// One of these words, by number.
    One(Vec<bool>),
    /// These words in this order.
    Phrase(Vec<u32>),
    Never,
}

impl BidStore {
    /// Calls `visit` for each notice with a bid that matches, and the numbers of those bids, in the default order from
    /// the notice with the number `from` on, until it returns false.
    pub(crate) fn for_each_match<'s>(
        &'s self,
        query: &'s BidQuery,
        from: usize,
        engine: &dyn Engine,
        deadline: &Deadline,
        mut visit: impl FnMut(&'s Notice, &[usize]) -> bool,
    ) -> Result<(), Error> {
        let matcher = Matcher::new(self, query, engine);
        let mut bids = Vec::new();
        let mut visit = |notice: &'s Notice| {
            bids.clear();
            if matcher.has(notice) {
                bids.extend((0..notice.bids.len()).filter(|number| matcher.has_bid(&notice.bids[*number])));
            }
            bids.is_empty() || visit(notice, &bids)
        };
        let numbers: Box<dyn Iterator<Item = usize>> = match query.bidders() {
            Some(keys) => Box::new(self.numbers_of(keys).into_iter().filter(|number| *number >= from)),
            None => Box::new(from..self.notices().len()),
        };
        for (looked_at, number) in numbers.enumerate() {
            if looked_at % NOTICES_PER_CHECK == 0 {
                deadline.check()?;
            }
            if !visit(&self.notices()[number]) {
                break;
            }
        }
        Ok(())
    }
}

impl<'s> Matcher<'s> {
    fn new(store: &'s BidStore, query: &'s BidQuery, engine: &dyn Engine) -> Matcher<'s> {
        let mut matcher = Matcher {
            store,
            conditions: Vec::new(),
            clauses: Vec::new(),
            codes: Vec::new(),
            query,
            bidders: None,
            amounts: None,
        };
        for filter in &query.filters {
            match filter {
                Filter::Contains {
                    role: Role::Vendor,
                    key,
                } => {
                    let names = store.keys().iter();
                    matcher.only_bidders(names.map(|name| name.contains(key.as_str())).collect());
                }
                Filter::AnyFacetValue {
                    facet: Facet::Vendor,
                    keys,
                } => matcher.only_bidders(store.keys().iter().map(|name| keys.contains(name)).collect()),
                Filter::Values { min, max } => matcher.amounts = Some((*min, *max)),
                other => matcher.conditions.push(condition(store, other, engine)),
            }
        }
        let clauses = query.text.iter().flat_map(|text| text.clauses());
        let codes = query.text.as_ref().and_then(|text| text.codes()).unwrap_or_default();
        matcher.clauses = clauses.map(|clause| Words::of(store, clause)).collect();
        let is_code = |text: &String| codes.iter().any(|code| text.starts_with(code.as_str()));
        if !codes.is_empty() {
            matcher.codes = store.texts().iter().map(is_code).collect();
        }
        matcher
    }

    /// Leaves out the bidders that are not marked, by number.
    fn only_bidders(&mut self, marked: Vec<bool>) {
        self.bidders = Some(match self.bidders.take() {
            Some(before) => before
                .iter()
                .zip(marked)
                .map(|(before, marked)| *before && marked)
                .collect(),
            None => marked,
        });
    }

    fn has(&self, notice: &Notice) -> bool {
        self.query
            .procedure
            .is_none_or(|procedure| notice.procedure == procedure)
            && self.conditions.iter().all(|condition| condition.holds(notice))
            && self.has_words(notice)
    }

    fn has_words(&self, notice: &Notice) -> bool {
        let is_code = |number: &u32| self.codes.get(*number as usize) == Some(&true);
        let has_code = !self.codes.is_empty() && notice.commodity.iter().any(is_code);
        self.clauses
            .iter()
            .all(|clause| has_code && !clause.is_excluded || clause.holds(notice))
    }

    fn has_bid(&self, bid: &StoredBid) -> bool {
        let is_of = |bidders: &Vec<bool>| bidders.get(bid.bidder as usize) == Some(&true);
        let is_within = |(min, max): &(Option<f64>, Option<f64>)| {
            let amount = self.store.dollars_stated(bid);
            amount.is_some_and(|amount| min.is_none_or(|min| amount >= min) && max.is_none_or(|max| amount <= max))
        };
        self.query.won.is_none_or(|won| bid.won == won)
            && self.bidders.as_ref().is_none_or(is_of)
            && self.amounts.as_ref().is_none_or(is_within)
    }
}

/// The keys of a notice for a role.
fn keys(notice: &Notice, role: Role) -> &[u32] {
    match role {
        Role::Municipality => &notice.municipality,
        Role::Department => &notice.department,
        Role::Category => &notice.category,
        Role::Commodity => &notice.commodity,
        Role::ProcurementMethod => &notice.method,
        _ => &[],
    }
}

fn condition(store: &BidStore, filter: &Filter, engine: &dyn Engine) -> Condition {
    let texts = |accepts: &dyn Fn(&str) -> bool| store.texts().iter().map(|text| accepts(text)).collect();
    match filter {
        Filter::Term { role, key } => Condition::Key(*role, texts(&|text| text == key)),
        Filter::AnyTerm { role, keys } => Condition::Key(*role, texts(&|text| keys.iter().any(|key| key == text))),
        Filter::Prefix { role, key } => Condition::Key(*role, texts(&|text| text.starts_with(key.as_str()))),
        Filter::Contains {
            role: Role::Department,
            key,
        } => {
            let has_part = |text: &str| {
                text.contains(key.as_str()) || engine.department_names(text).iter().any(|name| name.contains(key))
            };
            Condition::Key(Role::Department, department_texts(store, &has_part))
        }
        Filter::Contains { role, key } => Condition::Key(*role, texts(&|text| text.contains(key.as_str()))),
        Filter::Dates {
            role: Role::Date,
            from,
            to,
        } => Condition::Dates(*from, *to),
        Filter::FacetValue { key, .. } => departments(store, std::slice::from_ref(key), engine),
        Filter::AnyFacetValue { keys, .. } => departments(store, keys, engine),
        _ => Condition::Never,
    }
}

/// Departments, each by the key of any of its names.
fn departments(store: &BidStore, keys: &[String], engine: &dyn Engine) -> Condition {
    let mut names: Vec<String> = keys.iter().flat_map(|key| engine.department_names(key)).collect();
    names.extend_from_slice(keys);
    let is_name = |text: &str| names.iter().any(|name| name == text);
    Condition::Key(Role::Department, department_texts(store, &is_name))
}

/// For each text, whether it is the key of a department that is accepted.
fn department_texts(store: &BidStore, accepts: &dyn Fn(&str) -> bool) -> Vec<bool> {
    let mut is_department = vec![false; store.texts().len()];
    for number in store.notices().iter().flat_map(|notice| &notice.department) {
        if let Some(is_department) = is_department.get_mut(*number as usize) {
            *is_department = true;
        }
    }
    let texts = store.texts().iter().zip(is_department);
    texts
        .map(|(text, is_department)| is_department && accepts(text))
        .collect()
}

impl Condition {
    fn holds(&self, notice: &Notice) -> bool {
        match self {
            Condition::Key(role, texts) => {
                let accepts = |number: &u32| texts.get(*number as usize) == Some(&true);
                keys(notice, *role).iter().any(accepts)
            }
            Condition::Dates(from, to) => notice
                .date
                .is_some_and(|day| from.is_none_or(|from| day >= from) && to.is_none_or(|to| day <= to)),
            Condition::Never => false,
        }
    }
}

impl Words {
    fn of(store: &BidStore, clause: &Clause) -> Words {
        let terms = clause.terms().iter().map(|term| WordTerm::of(store, term)).collect();
        Words {
            is_excluded: matches!(clause, Clause::Not(_)),
            terms,
        }
    }

    fn holds(&self, notice: &Notice) -> bool {
        let is_found = self
            .terms
            .iter()
            .any(|term| notice.words.iter().any(|text| term.is_in(text)));
        is_found != self.is_excluded
    }
}

impl WordTerm {
    fn of(store: &BidStore, term: &Term) -> WordTerm {
        match term {
            Term::Word(word) => WordTerm::One(store.stems().matching(word, store.words())),
            Term::Phrase(words) => {
                let number = |word: &String| {
                    let found = store.words().binary_search(word).ok()?;
                    u32::try_from(found).ok()
                };
                let numbers: Option<Vec<u32>> = words.iter().map(number).collect();
                numbers.map_or(WordTerm::Never, WordTerm::Phrase)
            }
        }
    }

    fn is_in(&self, text: &[u32]) -> bool {
        match self {
            WordTerm::One(words) => text.iter().any(|number| words.get(*number as usize) == Some(&true)),
            WordTerm::Phrase(words) => text.windows(words.len().max(1)).any(|run| run == words),
            WordTerm::Never => false,
        }
    }
}
