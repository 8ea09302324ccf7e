//! `explain`: how a search was understood, in how many records each term is, and what each condition costs.

use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::{
        analysis::{
            condition_costs::{ConditionCosts, ConditionPlan},
            term_texts::term_text,
        },
        params::resolve::ResolvedSearch,
    },
    catalog::ask::Ask,
    engine::Error,
    model::{Date, Language, Role, Schema, stem::stem},
    query::{
        Filter, Order, SearchQuery, Sort, SortKey,
        text::{Clause, Term, TextQuery},
        translate::{Addition, Translator},
    },
};

/// How a search was understood, and what it found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Explanation {
    /// The index that was searched.
    generation: String,
    /// Number of all matches.
    pub(crate) total: u64,
    /// The parts of `q`; all of them must match. With `translate`, each has other terms for it as alternatives.
    clauses: Vec<ExplainedClause>,
    /// What `translate` added, term by term.
    translations: Vec<ExplainedTranslation>,
    /// Words of `q` that need not match, because they only connect translated ones.
    released: Vec<String>,
    /// The commodity codes that `match_codes` added; absent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    codes: Option<Vec<String>>,
    /// All of them must match.
    filters: Vec<ExplainedFilter>,
    sort: ExplainedSort,
    /// What each condition costs; null if something is found.
    pub(crate) costs: Option<ConditionCosts>,
    timings: Timings,
}

/// A part of `q`: at least one of its terms must match, or none of them if it is excluded.
#[derive(Debug, Serialize, JsonSchema)]
struct ExplainedClause {
    excluded: bool,
    terms: Vec<ExplainedTerm>,
}

/// A word or a phrase.
#[derive(Debug, Serialize, JsonSchema)]
struct ExplainedTerm {
    /// In lower case without accents; a phrase in double quotes.
    term: String,
    /// A word also finds words with one of these stems; empty for a phrase and for a code.
    stems: Vec<ExplainedStem>,
    /// Whether `translate` added it.
    translated: bool,
    /// Number of records of the entity type that have it, whatever the filters; null for a term after the first 64.
    records: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ExplainedStem {
    /// `en` or `fr`.
    language: &'static str,
    stem: String,
}

/// What `translate` added for a term of `q`.
#[derive(Debug, Serialize, JsonSchema)]
struct ExplainedTranslation {
    /// The words of `q`, in lower case without accents.
    of: String,
    /// The language of these words: `en` or `fr`.
    language: &'static str,
    /// Whether these words are excluded, and so are their translations.
    excluded: bool,
    alternatives: Vec<String>,
}

/// A filter as it was resolved.
#[derive(Debug, Serialize, JsonSchema)]
struct ExplainedFilter {
    /// The parameters that it comes from: two for a range.
    parameters: Vec<&'static str>,
    /// A record matches if one of these fields does.
    fields: Vec<&'static str>,
    comparison: Comparison,
    /// What the fields are compared with, normalized as they are; null for a range.
    value: Option<String>,
    /// The first value of a range; null without one.
    from: Option<String>,
    /// The last value of a range; null without one.
    to: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Comparison {
    Equals,
    StartsWith,
    Contains,
    Between,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ExplainedSort {
    /// A value of `sort_by`.
    by: &'static str,
    /// A value of `sort_order`.
    order: &'static str,
}

/// In milliseconds.
#[derive(Debug, Serialize, JsonSchema)]
struct Timings {
    /// Finding the page.
    search: f64,
    /// Counting the total, the facets, the terms and the conditions.
    count: f64,
}

/// The maximum number of terms that are counted.
const MAX_TERMS: usize = 64;

/// The searches that explain a search.
#[derive(Debug)]
pub(crate) struct ExplanationPlan {
    /// Each term alone, as far as they are counted.
    terms: Vec<SearchQuery>,
    pub(crate) conditions: ConditionPlan,
}

impl ExplanationPlan {
    pub(crate) fn of(translator: &Translator, search: &ResolvedSearch) -> ExplanationPlan {
        let alone = |term: &Term| SearchQuery {
            text: Some(TextQuery::any(vec![term.clone()])),
            ..SearchQuery::newest(search.query.entity_type, Vec::new())
        };
        let clauses = search.query.text.iter().flat_map(TextQuery::clauses);
        ExplanationPlan {
            terms: clauses.flat_map(Clause::terms).take(MAX_TERMS).map(alone).collect(),
            conditions: ConditionPlan::of(translator, search),
        }
    }

    /// How often the records are scanned: for the total, the terms and the conditions.
    pub(crate) fn scans(&self) -> usize {
        1 + self.terms.len() + self.conditions.scans()
    }

    /// Explains a search that began at `started` and had found its page at `found`. `total` is the number of all
    /// matches if it is known.
    pub(crate) fn run(
        &self,
        ask: &Ask,
        search: &ResolvedSearch,
        total: Option<u64>,
        (started, found): (Instant, Instant),
    ) -> Result<Explanation, Error> {
        let query = &search.query;
        let total = match total {
            Some(total) => total,
            None => ask.count(query)?,
        };
        let clauses = self.clauses(ask, search)?;
        let costs = (total == 0).then(|| self.conditions.run(ask)).transpose()?;
        let translation = search.translation.as_ref();
        let schema = Schema::of(query.entity_type);
        let filters = search.conditions.iter().zip(&query.filters);
        Ok(Explanation {
            generation: ask.generation.id.clone(),
            total,
            clauses,
            translations: translation.iter().flat_map(|of| &of.added).map(translated).collect(),
            released: translation.map_or_else(Vec::new, |of| of.released.clone()),
            codes: query.text.as_ref().and_then(|text| Some(text.codes()?.to_vec())),
            filters: filters
                .map(|(parameters, filter)| ExplainedFilter::new(schema, parameters.clone(), filter))
                .collect(),
            sort: ExplainedSort::of(query.sort),
            costs,
            timings: Timings {
                search: milliseconds(started, found),
                count: milliseconds(found, Instant::now()),
            },
        })
    }

    fn clauses(&self, ask: &Ask, search: &ResolvedSearch) -> Result<Vec<ExplainedClause>, Error> {
        let Some(text) = &search.query.text else {
            return Ok(Vec::new());
        };
        let written: Vec<&Term> = text.written().iter().flat_map(Clause::terms).collect();
        let mut records = ask.counts(self.terms.clone())?.into_iter();
        let mut explain_term = |term: &Term| ExplainedTerm {
            term: term_text(term),
            stems: stems(term),
            translated: !written.contains(&term),
            records: records.next(),
        };
        let clauses = text.clauses().iter().map(|clause| ExplainedClause {
            excluded: matches!(clause, Clause::Not(_)),
            terms: clause.terms().iter().map(&mut explain_term).collect(),
        });
        Ok(clauses.collect())
    }
}

impl ExplainedSort {
    fn of(sort: Sort) -> ExplainedSort {
        ExplainedSort {
            by: match sort.key {
                SortKey::Date => "date",
                SortKey::ClosingDate => "closing",
                SortKey::EndDate => "ending",
                SortKey::Value => "value",
                SortKey::Relevance => "relevance",
            },
            order: match sort.order {
                Order::Asc => "asc",
                Order::Desc => "desc",
            },
        }
    }
}

fn milliseconds(from: Instant, to: Instant) -> f64 {
    let elapsed = to.saturating_duration_since(from);
    (elapsed.as_secs_f64() * 1e5).round() / 1e2
}

fn stems(term: &Term) -> Vec<ExplainedStem> {
    let Term::Word(word) = term else {
        return Vec::new();
    };
    let of_language = |language: Language| {
        let stem = stem(language, word)?;
        Some(ExplainedStem {
            language: language.code(),
            stem,
        })
    };
    Language::ALL.into_iter().filter_map(of_language).collect()
}

fn translated(addition: &Addition) -> ExplainedTranslation {
    ExplainedTranslation {
        of: addition.of.join(" "),
        language: addition.language_of.code(),
        excluded: addition.excluded,
        alternatives: addition.alternatives.iter().map(term_text).collect(),
    }
}

impl ExplainedFilter {
    fn new(schema: &'static Schema, parameters: Vec<&'static str>, filter: &Filter) -> ExplainedFilter {
        let (role, comparison, value, from, to) = match filter {
            Filter::Term { role, key } => (Some(*role), Comparison::Equals, Some(key.clone()), None, None),
            Filter::AnyTerm { role, keys } => (Some(*role), Comparison::Equals, Some(keys.join(", ")), None, None),
            Filter::Prefix { role, key } => (Some(*role), Comparison::StartsWith, Some(key.clone()), None, None),
            Filter::Contains { role, key } => (Some(*role), Comparison::Contains, Some(key.clone()), None, None),
            Filter::FacetValue { facet, key } => (facet.role(), Comparison::Equals, Some(key.clone()), None, None),
            Filter::AnyFacetValue { keys, .. } => (None, Comparison::Equals, Some(keys.join(", ")), None, None),
            Filter::Dates { role, from, to } => {
                let day = |day: &Option<Date>| day.map(|day| day.to_string());
                (Some(*role), Comparison::Between, None, day(from), day(to))
            }
            Filter::Values { min, max } => {
                let dollars = |value: &Option<f64>| value.map(|value| value.to_string());
                (Some(Role::Value), Comparison::Between, None, dollars(min), dollars(max))
            }
        };
        let numbers = role.map_or(&[][..], |role| schema.role(role));
        ExplainedFilter {
            parameters,
            fields: numbers
                .iter()
                .map(|number| schema.fields[*number].name.as_str())
                .collect(),
            comparison,
            value,
            from,
            to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::{
            analysis::condition_costs,
            params::{resolve::ResolveContext, search::SearchParams},
        },
        model::EntityType,
    };

    fn resolved(query: &str) -> ResolvedSearch {
        let context = ResolveContext {
            schema: Schema::of(EntityType::Contract),
            page_cap: 100,
            coverage: &[],
            translator: None,
            generation: None,
        };
        let given = SearchParams::read(EntityType::Contract, query).unwrap();
        given.resolve(&context).unwrap()
    }

    #[test]
    fn what_may_be_counted_is_known_before_the_search() {
        let words = |count: usize| vec!["a"; count].join("+");
        for (query, expected) in [
            // The total.
            (String::new(), 1),
            // The total, two terms; with and without `q` and each of its two parts.
            ("q=snow+removal".to_owned(), 1 + 2 + 6),
            // One part is `q` itself.
            ("q=snow+OR+neige".to_owned(), 1 + 2 + 2),
            ("vendor=acme&value_min=1&value_max=2".to_owned(), 1 + 4),
            // No more than eight parts.
            (
                format!("q={}", words(12)),
                1 + 12 + 2 * (1 + condition_costs::MAX_PARTS),
            ),
        ] {
            let plan = ExplanationPlan::of(&Translator::new(std::iter::empty()), &resolved(&query));
            assert_eq!(plan.scans(), expected, "{query}");
        }
    }

    #[test]
    fn a_filter_is_explained_by_its_fields() {
        let search = resolved("commodity=72100000&issued_after=2024-01-02&category=gd");
        let schema = Schema::of(EntityType::Contract);
        let filters = search.conditions.iter().zip(&search.query.filters);
        let explained: Vec<_> = filters
            .map(|(parameters, filter)| ExplainedFilter::new(schema, parameters.clone(), filter))
            .map(|of| serde_json::to_value(of).unwrap())
            .collect();
        let row = |parameter: &str, fields: &[&str], comparison: &str, value: Option<&str>, from: Option<&str>| serde_json::json!({"parameters": [parameter], "fields": fields, "comparison": comparison, "value": value, "from": from, "to": null});
        let expected = [
            row("category", &["procurement_category"], "equals", Some("GD"), None),
            row("issued_after", &["award_date"], "between", None, Some("2024-01-02")),
            row(
                "commodity",
                &["gsin", "unspsc"],
                "starts_with",
                Some("unspsc:7210"),
                None,
            ),
        ];
        assert_eq!(explained, expected);
    }
}
