//! Searches in the cluster's query language.
//!
//! Everything here is a pure function. What must be looked up first is in [`ResolvedTerms`].

use std::collections::HashMap;

use serde_json::{Value, json};

use super::mapping::{NO_DATE, facet_code, facet_field, record, roles};
use crate::{
    engine::purchase_words::WordTerms,
    model::{Date, Facet, Role, Schema, role::RoleStorage},
    query::{
        Filter, SearchQuery,
        text::{Clause, Term, TextQuery, WordsIn},
    },
};

/// Which documents match: those that pass every clause of `required` and none of `excluded`. The
/// scores of `preferred` order them, where an order uses scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CompiledQuery {
    required: Vec<Value>,
    excluded: Vec<Value>,
    preferred: Vec<Value>,
}

/// What is looked up before a query can be compiled.
#[derive(Debug, Default)]
pub(crate) struct ResolvedTerms {
    /// For each word of `q`: itself, and the words with the same stem.
    pub(crate) variants: HashMap<String, Vec<String>>,
    /// For each value of a facet in a filter: the codes of the records that have it. Empty if no
    /// record has it.
    pub(crate) codes: HashMap<(Facet, String), Vec<u32>>,
    /// For parts of keys: the keys that no pattern finds. Where [`is_long_part`], those that contain it;
    /// for departments, those of [`keys_beside`](crate::engine::departments::Departments::keys_beside).
    pub(crate) keys: HashMap<(Role, String), Vec<String>>,
}

/// The maximum number of values of one `terms` query (`index.max_terms_count`).
const MAX_TERMS: usize = 65_536;

/// Characters. A pattern of more is searched by its start, because the cluster refuses a pattern
/// that makes too large an automaton: one of 1,000 characters that repeat.
pub(crate) const MAX_PATTERN_CHARS: usize = 100;

/// Whether a part of a key is too long for a pattern, so that the keys must be looked up.
pub(crate) fn is_long_part(part: &str) -> bool {
    part.chars().nth(MAX_PATTERN_CHARS).is_some()
}

impl CompiledQuery {
    /// `None` if nothing can match.
    pub(crate) fn new(query: &SearchQuery, resolved: &ResolvedTerms) -> Option<CompiledQuery> {
        let schema = Schema::of(query.entity_type);
        let mut compiled = CompiledQuery::default();
        for filter in &query.filters {
            compiled.required.push(filter_clause(schema, filter, resolved)?);
        }
        let is_text_indexed = has_field(schema, Role::Text);
        let codes = query.text.as_ref().and_then(|text| text.codes()).unwrap_or_default();
        let codes = codes.iter().filter(|_| has_field(schema, Role::Commodity));
        let codes: Vec<Value> = codes.map(|code| starts_with(Role::Commodity, code)).collect();
        let words_in = query.text.as_ref().map(TextQuery::words_in).unwrap_or_default();
        let mut words = Vec::new();
        for clause in query.text.iter().flat_map(|text| text.clauses()) {
            match clause {
                Clause::Any(terms) if is_text_indexed && words_in != WordsIn::Anywhere => {
                    words.push(any_that_counts(terms, resolved, words_in));
                }
                Clause::Any(terms) if is_text_indexed => words.push(any_of(terms, resolved)),
                Clause::Any(_) => return None,
                Clause::Not(term) if is_text_indexed => {
                    compiled.excluded.push(any_of(std::slice::from_ref(term), resolved));
                }
                Clause::Not(_) => {}
            }
        }
        if codes.is_empty() || words.is_empty() {
            compiled.required.extend(words);
        } else {
            let all_words = json!({ "bool": { "filter": words } });
            compiled.required.push(any([vec![all_words], codes].concat()));
        }
        Some(compiled)
    }

    pub(crate) fn require(mut self, clause: Value) -> CompiledQuery {
        self.required.push(clause);
        self
    }

    pub(crate) fn exclude(mut self, clause: Value) -> CompiledQuery {
        self.excluded.push(clause);
        self
    }

    pub(crate) fn prefer(mut self, clauses: Vec<Value>) -> CompiledQuery {
        self.preferred.extend(clauses);
        self
    }

    /// As a query in which only preferred clauses have scores.
    pub(crate) fn to_json(&self) -> Value {
        if !self.preferred.is_empty() {
            return json!({ "bool": {
                "filter": self.required,
                "must_not": self.excluded,
                "should": self.preferred,
                "minimum_should_match": 0,
            } });
        }
        match (self.required.as_slice(), self.excluded.as_slice()) {
            ([], []) => json!({ "match_all": {} }),
            (required, []) => json!({ "bool": { "filter": required } }),
            (required, excluded) => json!({ "bool": { "filter": required, "must_not": excluded } }),
        }
    }

    /// A search that counts all matches and returns none.
    pub(crate) fn count(&self) -> Value {
        json!({ "query": self.to_json(), "size": 0, "track_total_hits": true })
    }

    /// A search that only aggregates the matches.
    pub(crate) fn aggregate(&self, aggregations: impl Into<Value>) -> Value {
        json!({ "query": self.to_json(), "size": 0, "track_total_hits": false, "aggs": aggregations.into() })
    }

    /// As a query whose score is the sum of the scores of the given clauses; at least one of them
    /// must match.
    pub(crate) fn scored_by(&self, scored: &[Value]) -> Value {
        json!({ "bool": {
            "filter": self.required,
            "must_not": self.excluded,
            "should": scored,
            "minimum_should_match": 1,
        } })
    }
}

/// A clause that matches the records with a number in a field.
pub(crate) fn exists(field: &str) -> Value {
    json!({ "exists": { "field": field } })
}

/// A clause that matches one value of a field.
pub(crate) fn term(field: &str, value: impl Into<Value>) -> Value {
    json!({ "term": { field: { "value": value.into() } } })
}

/// A clause that matches any of some values of a field; nothing without a value.
pub(crate) fn terms(field: &str, values: &[String]) -> Value {
    match values {
        [] => json!({ "match_none": {} }),
        [only] => term(field, only.as_str()),
        values if values.len() <= MAX_TERMS => json!({ "terms": { field: values } }),
        values => {
            let chunks = values.chunks(MAX_TERMS);
            any(chunks.map(|chunk| json!({ "terms": { field: chunk } })).collect())
        }
    }
}

/// A clause that matches keys with a part. The part is not longer than [`MAX_PATTERN_CHARS`].
pub(crate) fn contains(field: &str, part: &str) -> Value {
    let mut pattern = String::with_capacity(part.len() + 2);
    pattern.push('*');
    for c in part.chars() {
        if matches!(c, '*' | '?' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('*');
    json!({ "wildcard": { field: { "value": pattern } } })
}

/// A clause that matches the dates of a range; both days are included. A record without the date
/// never matches.
pub(crate) fn dates(role: Role, from: Option<Date>, to: Option<Date>) -> Value {
    let mut range = match from {
        Some(from) => json!({ "gte": from.days() }),
        None => json!({ "gt": NO_DATE }),
    };
    if let Some(to) = to {
        range["lte"] = to.days().into();
    }
    json!({ "range": { role.name(): range } })
}

pub(crate) fn any(mut clauses: Vec<Value>) -> Value {
    match clauses.len() {
        1 => clauses.remove(0),
        _ => json!({ "bool": { "should": clauses, "minimum_should_match": 1 } }),
    }
}

/// Whether the documents of an entity type have a field for a role.
fn has_field(schema: &Schema, role: Role) -> bool {
    roles(schema).any(|known| known == role)
}

/// `None` if nothing can match.
fn filter_clause(schema: &Schema, filter: &Filter, resolved: &ResolvedTerms) -> Option<Value> {
    let is_searched_by_part = |role: Role| role.storage() == RoleStorage::Name && has_field(schema, role);
    match filter {
        Filter::Term { role, key } => has_field(schema, *role).then(|| term(role.name(), key.as_str())),
        Filter::AnyTerm { role, keys } => has_field(schema, *role).then(|| terms(role.name(), keys)),
        Filter::Prefix { role, key } => is_searched_by_part(*role).then(|| starts_with(*role, key)),
        Filter::Contains { role, key } if !is_searched_by_part(*role) || key.contains('\n') => None,
        // Every key contains an empty text.
        Filter::Contains { role, key } if key.is_empty() => Some(starts_with(*role, key)),
        Filter::Contains { role, key } if is_long_part(key) => {
            let keys = resolved.keys.get(&(*role, key.clone()))?;
            Some(terms(role.name(), keys))
        }
        Filter::Contains { role, key } => {
            let with_part = contains(role.name(), key);
            Some(match resolved.keys.get(&(*role, key.clone())) {
                Some(keys) if !keys.is_empty() => any(vec![with_part, terms(role.name(), keys)]),
                _ => with_part,
            })
        }
        Filter::Dates { role, from, to } => {
            let is_date = role.storage() == RoleStorage::Day;
            (is_date && has_field(schema, *role)).then(|| dates(*role, *from, *to))
        }
        Filter::FacetValue { facet, key } => facet_values(*facet, std::slice::from_ref(key), resolved),
        Filter::AnyFacetValue { facet, keys } => facet_values(*facet, keys, resolved),
        Filter::Values { min, max } => has_field(schema, Role::Value).then(|| values(*min, *max))?,
    }
}

/// `None` if no record has one of the values.
fn facet_values(facet: Facet, keys: &[String], resolved: &ResolvedTerms) -> Option<Value> {
    let codes = keys.iter().filter_map(|key| resolved.codes.get(&(facet, key.clone())));
    let codes: Vec<String> = codes.flatten().copied().map(facet_code).collect();
    (!codes.is_empty()).then(|| terms(&facet_field(facet), &codes))
}

fn starts_with(role: Role, start: &str) -> Value {
    json!({ "prefix": { role.name(): { "value": start } } })
}

/// `None` if no value is within the bounds.
fn values(min: Option<f64>, max: Option<f64>) -> Option<Value> {
    let field = Role::Value.name();
    let mut range = serde_json::Map::new();
    for (name, bound, unbounded) in [("gte", min, f64::NEG_INFINITY), ("lte", max, f64::INFINITY)] {
        match bound {
            None => {}
            Some(bound) if bound == unbounded => {}
            // Adding zero turns -0.0 into 0.0, which the index has.
            Some(bound) if bound.is_finite() => _ = range.insert(name.to_owned(), (bound + 0.0).into()),
            Some(_) => return None,
        }
    }
    Some(if range.is_empty() {
        exists(field)
    } else {
        json!({ "range": { field: range } })
    })
}

/// The union of terms of `q`.
fn any_of(queried: &[Term], resolved: &ResolvedTerms) -> Value {
    let field = Role::Text.name();
    let (words, phrases) = words_and_phrases(queried, resolved);
    let words = (!words.is_empty()).then(|| terms(field, &words));
    any(words
        .into_iter()
        .chain(phrases.into_iter().map(phrase_clause))
        .collect())
}

/// The union of terms of `q`, where these count.
fn any_that_counts(queried: &[Term], resolved: &ResolvedTerms, words_in: WordsIn) -> Value {
    let (words, phrases) = words_and_phrases(queried, resolved);
    let terms_of = |word: &String| WordTerms::of(word, words_in);
    let in_names = |of: &WordTerms| terms(record::RELEVANCE, &of.left_out);
    let mut clauses = Vec::new();
    // The words of one clause together, so that a translated text does not have too many clauses.
    let kept: Vec<String> = words.iter().filter_map(terms_of).flat_map(|of| of.kept).collect();
    if !kept.is_empty() {
        clauses.push(terms(record::RELEVANCE, &kept));
    }
    for word in &words {
        let found = term(Role::Text.name(), word.as_str());
        let left_out = terms_of(word).map(|of| in_names(&of));
        clauses.push(json!({ "bool": { "filter": [found], "must_not": Vec::from_iter(left_out) } }));
    }
    for phrase in phrases {
        let counts = phrase.iter().filter_map(terms_of).map(|of| {
            let kept = terms(record::RELEVANCE, &of.kept);
            any(vec![kept, json!({ "bool": { "must_not": [in_names(&of)] } })])
        });
        let all: Vec<Value> = std::iter::once(phrase_clause(phrase)).chain(counts).collect();
        clauses.push(json!({ "bool": { "filter": all } }));
    }
    any(clauses)
}

fn phrase_clause(phrase: &[String]) -> Value {
    json!({ "match_phrase": { Role::Text.name(): { "query": phrase.join(" ") } } })
}

/// The distinct words of terms, with those of the same stems, and the phrases of several words.
fn words_and_phrases<'q>(queried: &'q [Term], resolved: &ResolvedTerms) -> (Vec<String>, Vec<&'q [String]>) {
    let (mut words, mut phrases): (Vec<String>, Vec<&[String]>) = (Vec::new(), Vec::new());
    let mut push = |word: &String| {
        if !words.contains(word) {
            words.push(word.clone());
        }
    };
    for queried in queried {
        match queried {
            Term::Word(word) => match resolved.variants.get(word) {
                Some(variants) => variants.iter().for_each(&mut push),
                None => push(word),
            },
            Term::Phrase(phrase) => match phrase.as_slice() {
                [word] => push(word),
                phrase => phrases.push(phrase),
            },
        }
    }
    (words, phrases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::EntityType,
        query::text::{TextQuery, WordsIn},
    };

    fn compiled(entity_type: EntityType, filters: Vec<Filter>, q: Option<&str>) -> Option<Value> {
        let query = SearchQuery {
            text: q.map(|q| TextQuery::parse(q).unwrap()),
            ..SearchQuery::newest(entity_type, filters)
        };
        let mut resolved = ResolvedTerms::default();
        let variants = ["road", "roads"].map(str::to_owned).to_vec();
        resolved.variants.insert("road".to_owned(), variants);
        resolved.codes.insert((Facet::Vendor, "acme".to_owned()), vec![255, 7]);
        resolved.codes.insert((Facet::Vendor, "absent".to_owned()), Vec::new());
        CompiledQuery::new(&query, &resolved).map(|compiled| compiled.to_json())
    }

    #[test]
    fn a_term_in_the_purchase_is_not_only_in_names() {
        let query = SearchQuery {
            text: Some(
                TextQuery::parse("road OR \"ice road\"")
                    .unwrap()
                    .within(WordsIn::Purchase),
            ),
            ..SearchQuery::newest(EntityType::Contract, Vec::new())
        };
        let found = CompiledQuery::new(&query, &ResolvedTerms::default()).unwrap().to_json();
        let in_names = |word: &str| json!({ "terms": { "relevance": [format!("{word}/n"), format!("{word}/o")] } });
        let described = |word: &str| json!({ "terms": { "relevance": [format!("{word}/="), format!("{word}/~")] } });
        let word = json!({ "bool": {
            "filter": [{ "term": { "text": { "value": "road" } } }],
            "must_not": [in_names("road")],
        } });
        let counts = |word: &str| {
            any(vec![
                described(word),
                json!({ "bool": { "must_not": [in_names(word)] } }),
            ])
        };
        let phrase = json!({ "match_phrase": { "text": { "query": "ice road" } } });
        let phrase = json!({ "bool": { "filter": [phrase, counts("ice"), counts("road")] } });
        let expected = any(vec![described("road"), word, phrase]);
        assert_eq!(found, json!({ "bool": { "filter": [expected] } }));
    }

    #[test]
    fn every_filter_has_its_clause() {
        let day = |text: &str| Date::parse(text).ok();
        let filter = |filter: Filter, expected: Value| {
            let found = compiled(EntityType::Contract, vec![filter.clone()], None);
            let expected = json!({ "bool": { "filter": [expected] } });
            assert_eq!(found, Some(expected), "{filter:?}");
        };
        let key = |text: &str| text.to_owned();
        let (role, facet) = (Role::Vendor, Facet::Vendor);
        filter(
            Filter::Term {
                role: Role::Municipality,
                key: key("laval"),
            },
            json!({ "term": { "municipality": { "value": "laval" } } }),
        );
        filter(
            Filter::Prefix { role, key: key("ac") },
            json!({ "prefix": { "vendor": { "value": "ac" } } }),
        );
        filter(
            Filter::Contains {
                role,
                key: key("a*?\\é"),
            },
            json!({ "wildcard": { "vendor": { "value": "*a\\*\\?\\\\é*" } } }),
        );
        filter(
            Filter::Contains { role, key: key("") },
            json!({ "prefix": { "vendor": { "value": "" } } }),
        );
        filter(
            Filter::Dates {
                role: Role::Date,
                from: day("1970-01-03"),
                to: day("1970-01-04"),
            },
            json!({ "range": { "date": { "gte": 2, "lte": 3 } } }),
        );
        filter(
            Filter::Dates {
                role: Role::Date,
                from: None,
                to: None,
            },
            json!({ "range": { "date": { "gt": NO_DATE } } }),
        );
        filter(
            Filter::Values {
                min: Some(-0.0),
                max: Some(1e300),
            },
            json!({ "range": { "value": { "gte": 0.0, "lte": 1e300 } } }),
        );
        filter(
            Filter::Values {
                min: None,
                max: Some(f64::INFINITY),
            },
            json!({ "exists": { "field": "value" } }),
        );
        filter(
            Filter::FacetValue {
                facet,
                key: key("acme"),
            },
            json!({ "terms": { "facet_vendor": ["000000ff", "00000007"] } }),
        );
    }

    #[test]
    fn a_filter_that_nothing_passes_needs_no_search() {
        let facet = Facet::Vendor;
        let nothing = |entity_type: EntityType, filter: Filter| {
            assert_eq!(compiled(entity_type, vec![filter.clone()], None), None, "{filter:?}");
        };
        for key in ["absent", "unknown"].map(str::to_owned) {
            nothing(EntityType::Contract, Filter::FacetValue { facet, key });
        }
        for (min, max) in [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (1.0, f64::NEG_INFINITY)] {
            let (min, max) = (Some(min), Some(max));
            nothing(EntityType::Contract, Filter::Values { min, max });
        }
        // Only names are searched by a part.
        for role in [Role::Municipality, Role::Person] {
            let key = "a".to_owned();
            nothing(EntityType::Contract, Filter::Contains { role, key: key.clone() });
            nothing(EntityType::Contract, Filter::Prefix { role, key });
        }
        let (from, to) = (None, None);
        let role = Role::ClosingDate;
        nothing(EntityType::Contract, Filter::Dates { role, from, to });
    }

    #[test]
    fn a_part_of_a_department_finds_its_other_names() {
        let (role, key) = (Role::Department, "sante".to_owned());
        let query = SearchQuery::newest(EntityType::Contract, vec![Filter::Contains { role, key: key.clone() }]);
        let mut resolved = ResolvedTerms::default();
        let pattern = json!({ "wildcard": { "department": { "value": "*sante*" } } });
        let clause = |resolved: &ResolvedTerms| CompiledQuery::new(&query, resolved).unwrap().to_json();
        for _ in 0..2 {
            assert_eq!(clause(&resolved), json!({ "bool": { "filter": [pattern] } }));
            resolved.keys.insert((role, key.clone()), Vec::new());
        }
        resolved.keys.insert((role, key), vec!["health canada".to_owned()]);
        let other = json!({ "term": { "department": { "value": "health canada" } } });
        let either = json!({ "bool": { "should": [pattern, other], "minimum_should_match": 1 } });
        assert_eq!(clause(&resolved), json!({ "bool": { "filter": [either] } }));
    }

    #[test]
    fn texts_are_words_phrases_and_exclusions() {
        let q = |q: &str| compiled(EntityType::Contract, Vec::new(), Some(q)).unwrap();
        assert_eq!(q(""), json!({ "match_all": {} }));
        assert_eq!(
            q("road -\"snow removal\""),
            json!({ "bool": {
                "filter": [{ "terms": { "text": ["road", "roads"] } }],
                "must_not": [{ "match_phrase": { "text": { "query": "snow removal" } } }],
            } })
        );
        assert_eq!(
            q("ice OR \"road salt\" OR road"),
            json!({ "bool": { "filter": [{ "bool": {
                "should": [
                    { "terms": { "text": ["ice", "road", "roads"] } },
                    { "match_phrase": { "text": { "query": "road salt" } } },
                ],
                "minimum_should_match": 1,
            } }] } })
        );
        // A quoted word has no variants.
        assert_eq!(
            q("\"road\""),
            json!({ "bool": { "filter": [{ "term": { "text": { "value": "road" } } }] } })
        );
    }

    #[test]
    fn many_values_are_split_into_several_lists() {
        let values: Vec<String> = (0..MAX_TERMS + 1).map(|n| n.to_string()).collect();
        let clause = terms("vendor", &values);
        let lists = clause["bool"]["should"].as_array().unwrap();
        let lengths = lists
            .iter()
            .map(|list| list["terms"]["vendor"].as_array().unwrap().len());
        assert_eq!(lengths.collect::<Vec<_>>(), [MAX_TERMS, 1]);
        assert_eq!(terms("vendor", &[]), json!({ "match_none": {} }));
    }

    #[test]
    fn a_long_part_of_a_key_is_looked_up() {
        let (role, key) = (Role::Vendor, "é".repeat(MAX_PATTERN_CHARS + 1));
        assert!(is_long_part(&key) && !is_long_part(&key[2..]));
        let query = SearchQuery::newest(EntityType::Contract, vec![Filter::Contains { role, key: key.clone() }]);
        assert_eq!(CompiledQuery::new(&query, &ResolvedTerms::default()), None);
        let mut resolved = ResolvedTerms::default();
        resolved.keys.insert((role, key), vec!["x".to_owned()]);
        assert_eq!(
            CompiledQuery::new(&query, &resolved).unwrap().to_json(),
            json!({ "bool": { "filter": [{ "term": { "vendor": { "value": "x" } } }] } })
        );
    }
}
