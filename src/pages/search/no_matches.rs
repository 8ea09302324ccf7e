//! What to change where no record meets all conditions: words that are spelled nearly like those of `q`, how many
//! records each condition costs, and similar names.

use std::cmp::Reverse;

use crate::{
    api::{
        analysis::{
            condition_costs::ConditionPlan,
            suggestions::{Suggestion, SuggestionPlan, corrected},
            term_texts::clause_text,
        },
        params::resolve::ResolvedSearch,
    },
    catalog::suppliers::Party,
    http::error::ApiError,
    model::{
        Facet,
        fold::{fold, word_list},
    },
    pages::{
        department_names::names_facet,
        format::shortened,
        search::{
            conditions::Condition,
            context::SearchContext,
            search_address::{SearchAddress, canonical},
            split::Split,
        },
    },
    query::{SearchQuery, translate::is_function_word},
    question::{asking_words::asks, reading::subject},
};

/// The ways on from a search without a match.
#[derive(Debug, Default)]
pub(crate) struct NoMatches {
    /// The search with another spelling of a word.
    pub(crate) spellings: Vec<Spelling>,
    /// What each condition and each word costs. Empty for a search with a single one: it costs everything.
    pub(crate) costs: Vec<Cost>,
    pub(crate) vendors: Vec<NearName>,
    pub(crate) departments: Vec<NearName>,
    /// The search in both languages, if the address turns that off.
    pub(crate) in_both_languages: Option<String>,
}

/// The search with a word that records have, in place of one that is spelled nearly like it.
#[derive(Debug, PartialEq)]
pub(crate) struct Spelling {
    /// The text to search for.
    pub(crate) q: String,
    pub(crate) href: String,
    /// How many records the search finds: at least one.
    pub(crate) records: u64,
}

/// A condition or a word, and what there is without it and with it alone.
#[derive(Debug, PartialEq)]
pub(crate) struct Cost {
    pub(crate) condition: String,
    pub(crate) without: Way,
    pub(crate) alone: Way,
}

/// Another search, and how many records it finds.
#[derive(Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) href: String,
    pub(crate) count: u64,
}

/// A name like the one that was searched for.
#[derive(Debug, PartialEq)]
pub(crate) struct NearName {
    pub(crate) name: String,
    pub(crate) href: String,
}

/// Decision D-245: the maximum number of times that the records are counted for the costs, about twice as often as for
/// a page with hits. A search with more conditions gets no costs.
const MAX_COUNTED: usize = 24;

/// How many other spellings are searched for.
const MAX_SPELLINGS: usize = 6;

/// How many similar names are shown of each kind.
const MAX_NEAR: usize = 5;

/// How many candidates for similar names are compared.
const MAX_CANDIDATES: usize = 200;

impl NoMatches {
    pub(crate) fn of(
        context: &SearchContext,
        search: &ResolvedSearch,
        conditions: &[Condition],
    ) -> Result<NoMatches, ApiError> {
        let is_off = context.asked.value("translate") == Some("false");
        Ok(NoMatches {
            spellings: spellings(context, search)?,
            costs: costs(context, search, conditions)?,
            vendors: near(context, Facet::Vendor)?,
            departments: near(context, Facet::NamedDepartment)?,
            in_both_languages: is_off.then(|| context.asked.dropping(&["translate", "match_codes"]).address()),
        })
    }
}

fn spellings(context: &SearchContext, search: &ResolvedSearch) -> Result<Vec<Spelling>, ApiError> {
    let (Some(plan), Some(q)) = (SuggestionPlan::of(&search.query), context.asked.value("q")) else {
        return Ok(Vec::new());
    };
    let mut near = plan.run(context.ask)?;
    // "Ouverts" is a word of "appels d'offres ouverts".
    let suppliers = context.ask.generation.parties(Party::Supplier);
    let about = subject(q, Some(suppliers)).map(|about| word_list(&about));
    near.retain(|near| about.as_ref().is_none_or(|about| about.contains(&near.of)));
    near.truncate(MAX_SPELLINGS);
    let asked = context.asked;
    let with = |q: &str| SearchAddress {
        parameters: asked.parameters.with("q", q),
        ..asked.clone()
    };
    let found = |near: Suggestion| {
        let q = corrected(q, &near);
        let search = with(&q).query_in(&context.ask.generation)?;
        Some((q, search))
    };
    let tried: Vec<_> = near.into_iter().filter_map(found).collect();
    let counts = context
        .ask
        .counts(tried.iter().map(|(_, search)| search.clone()).collect())?;
    let spelling = |((q, _), records): (&(String, SearchQuery), u64)| Spelling {
        href: with(q).address(),
        q: shortened(q),
        records,
    };
    let found = tried.iter().zip(counts).filter(|(_, records)| *records > 0);
    let mut found: Vec<Spelling> = found.map(spelling).collect();
    if found.is_empty()
        && let Some((nearest, _)) = tried.first()
    {
        found.extend(with_conditions(context, &with(nearest))?);
    }
    found.sort_by_key(|spelling| Reverse(spelling.records));
    Ok(found)
}

/// What corrected words find with conditions in place of words, if anything: "paving Blainville contracts".
fn with_conditions(context: &SearchContext, asked: &SearchAddress) -> Result<Option<Spelling>, ApiError> {
    let mut splits = Split::all(asked, &context.ask.generation, context.today);
    splits.retain(|split| split.asked.entity_type == context.asked.entity_type);
    let counts = context
        .ask
        .counts(splits.iter().map(|split| split.query.clone()).collect())?;
    let best = splits.iter().zip(counts).max_by_key(|(_, records)| *records);
    Ok(best
        .filter(|(_, records)| *records > 0)
        .map(|(split, records)| Spelling {
            href: split.asked.address(),
            q: shortened(&split.label(&split.words)),
            records,
        }))
}

fn costs(context: &SearchContext, search: &ResolvedSearch, conditions: &[Condition]) -> Result<Vec<Cost>, ApiError> {
    let plan = ConditionPlan::of(&context.ask.generation.translator, search);
    if plan.scans() > MAX_COUNTED {
        return Ok(Vec::new());
    }
    let asked = context.asked;
    let mut counted = plan.run(context.ask)?;
    if counted.conditions.len() == 1 && !counted.parts_of_q.is_empty() {
        // The words cost something, not that there are words.
        counted.conditions.clear();
    }
    let mut costs = Vec::new();
    for cost in counted.conditions {
        let parameters: Vec<&'static str> = cost.parameters.iter().filter_map(|name| canonical(name)).collect();
        let shown = conditions
            .iter()
            .filter(|condition| parameters.contains(&condition.parameter));
        let words: Vec<String> = shown.map(Condition::words).collect();
        costs.push(Cost {
            condition: words.join(", "),
            without: Way {
                href: asked.dropping(&parameters).address(),
                count: cost.total_without,
            },
            alone: Way {
                href: only(asked, &parameters).address(),
                count: cost.total_alone,
            },
        });
    }
    let parts = parts_of_q(asked, search);
    for (number, cost) in counted.parts_of_q.iter().enumerate() {
        let mut others = parts.clone();
        let part = if number < others.len() {
            others.remove(number)
        } else {
            cost.part.clone()
        };
        // Without "de", "how", or without a word that is there twice, the search finds no more.
        let is_shown = |known: &Cost| known.condition == shortened(&part);
        let is_of_question = is_function_word(&fold(&part)) || asks(&fold(&part), true);
        if cost.total_without == 0 && (is_of_question || costs.iter().any(is_shown)) {
            continue;
        }
        costs.push(Cost {
            without: Way {
                href: asked.with(&[("q", &others.join(" "))]),
                count: cost.total_without,
            },
            alone: Way {
                href: only(asked, &["q"]).with(&[("q", &part)]),
                count: cost.total_alone,
            },
            condition: shortened(&part),
        });
    }
    // What a search with a single condition finds without it is everything.
    Ok(if costs.len() > 1 { costs } else { Vec::new() })
}

/// The search with these conditions only.
fn only(asked: &SearchAddress, kept: &[&'static str]) -> SearchAddress {
    let others = asked.conditions().into_iter().map(|(name, _)| name);
    let others: Vec<&'static str> = others.filter(|name| !kept.contains(name)).collect();
    asked.dropping(&others)
}

/// The parts of `q` in their order: plain words as they were written, others as the query language writes them.
fn parts_of_q(asked: &SearchAddress, search: &ResolvedSearch) -> Vec<String> {
    let Some(text) = &search.query.text else {
        return Vec::new();
    };
    let is_plain = |word: &str| word != "OR" && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '\'' | '’'));
    let words: Vec<&str> = asked.value("q").unwrap_or_default().split_whitespace().collect();
    if words.len() == text.written().len() && words.iter().all(|word| is_plain(word)) {
        return words.into_iter().map(str::to_owned).collect();
    }
    text.written().iter().map(clause_text).collect()
}

/// Names like the one that the search has as a condition. None if names contain it: records with such a name do not
/// meet the other conditions, so that another spelling does not help.
fn near(context: &SearchContext, facet: Facet) -> Result<Vec<NearName>, ApiError> {
    let asked = context.asked;
    let Some(name) = asked.value(facet.name()) else {
        return Ok(Vec::new());
    };
    let (entity_type, facet_of_names) = (asked.entity_type, names_facet(facet));
    let candidates = context
        .ask
        .suggest_names(entity_type, facet_of_names, name, MAX_CANDIDATES)?;
    let part = fold(name);
    if candidates.iter().any(|candidate| fold(candidate).contains(&part)) {
        return Ok(Vec::new());
    }
    let names = candidates.into_iter().take(MAX_NEAR);
    let near = names.filter_map(|name| {
        let href = context.condition_href(facet.name(), &name)?;
        Some(NearName { name, href })
    });
    Ok(near.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::params::resolve::ResolveContext,
        model::{Language, Schema},
    };

    #[test]
    fn parts_keep_their_spelling_where_they_are_plain_words() {
        let parts = |q: &str| -> Vec<String> {
            let (asked, _) = SearchAddress::read(Language::English, &format!("q={q}")).unwrap();
            let context = ResolveContext {
                schema: Schema::of(asked.entity_type),
                page_cap: 1,
                coverage: &[],
                translator: None,
                generation: None,
            };
            parts_of_q(&asked, &asked.resolve(&context, 1).unwrap())
        };
        assert_eq!(parts("Neige+d%27eau"), ["Neige", "d'eau"]);
        assert_eq!(parts("%22Road+salt%22+-ice"), ["\"road salt\"", "-ice"]);
        assert_eq!(parts("snow+OR+Ice+sel"), ["snow OR ice", "sel"]);
        assert!(parts("").is_empty());
    }

    #[test]
    fn a_condition_alone_is_the_search_without_the_others() {
        let (asked, _) =
            SearchAddress::read(Language::English, "q=snow&vendor=acme&city=laval&translate=false").unwrap();
        assert_eq!(only(&asked, &["vendor"]).query(), "vendor=acme&translate=false");
        assert_eq!(only(&asked, &["q"]).query(), "q=snow&translate=false");
    }
}
