//! What to change where no record meets all conditions: how many records each condition costs, and names that are close.

use std::cmp::Reverse;

use crate::{
    engine::Deadline,
    http::{
        error::ApiError,
        explorer::search::{
            asked::Asked,
            conditions::Condition,
            context::{SearchContext, shortened},
            found::{count, query},
        },
        params::nearest::most_similar,
    },
    model::{Facet, fold::fold},
};

/// The ways on from a search without a match.
#[derive(Debug, Default)]
pub(crate) struct Nothing {
    /// The searches with one condition less that find something.
    pub(crate) without: Vec<Without>,
    /// The same for the searches with a single condition, if no search of `without` finds anything.
    pub(crate) only: Vec<Without>,
    pub(crate) vendors: Vec<NearName>,
    pub(crate) departments: Vec<NearName>,
}

/// The search without one condition, without one word of `q`, or with a single condition.
#[derive(Debug, PartialEq)]
pub(crate) struct Without {
    /// That condition in words.
    pub(crate) condition: String,
    pub(crate) href: String,
    pub(crate) count: u64,
}

/// A name like the one that was searched for.
#[derive(Debug, PartialEq)]
pub(crate) struct NearName {
    pub(crate) name: String,
    pub(crate) href: String,
}

/// The maximum number of searches without a condition: as many as the page would have counted facets.
const MAX_COUNTED: usize = 8;

/// How many close names are shown of each kind.
const MAX_NEAR: usize = 5;

/// How many candidates for close names are compared.
const MAX_CANDIDATES: usize = 200;

impl Nothing {
    pub(crate) fn of(context: &SearchContext, conditions: &[Condition]) -> Result<Nothing, ApiError> {
        let mut less: Vec<(String, Asked)> = conditions
            .iter()
            .map(|condition| (condition.words(), context.asked.dropping(&[condition.parameter])))
            .collect();
        less.extend(without_words(context.asked));
        less.truncate(MAX_COUNTED);
        let left = MAX_COUNTED - less.len();
        let without = counted(context, less)?;
        let only = if without.is_empty() && conditions.len() > 1 {
            let single = conditions.iter().take(left);
            counted(
                context,
                single.map(|condition| only(context.asked, condition)).collect(),
            )?
        } else {
            Vec::new()
        };
        Ok(Nothing {
            without,
            only,
            vendors: near(context, Facet::Vendor, context.deadline.clone())?,
            departments: near(context, Facet::Department, context.deadline.clone())?,
        })
    }
}

/// The searches that find something, the most records first; last the one that has no condition left.
fn counted(context: &SearchContext, searches: Vec<(String, Asked)>) -> Result<Vec<Without>, ApiError> {
    let mut found = Vec::new();
    for (condition, asked) in searches {
        let Some(query) = query(&asked, context.generation) else {
            continue;
        };
        let count = count(context.generation, &query, context.deadline.clone())?;
        if count > 0 {
            let without = Without {
                href: asked.address(),
                condition,
                count,
            };
            found.push((asked.conditions().is_empty(), without));
        }
    }
    found.sort_by_key(|(has_none, without): &(bool, Without)| (*has_none, Reverse(without.count)));
    Ok(found.into_iter().map(|(_, without)| without).collect())
}

/// The search with a single one of its conditions.
fn only(asked: &Asked, kept: &Condition) -> (String, Asked) {
    let others = asked.conditions().into_iter().map(|(name, _)| name);
    let others: Vec<&'static str> = others.filter(|name| *name != kept.parameter).collect();
    (kept.words(), asked.dropping(&others))
}

/// The searches without one of several plain words. Phrases, `OR` and excluded words are left as they are.
fn without_words(asked: &Asked) -> Vec<(String, Asked)> {
    let words: Vec<&str> = asked.value("q").unwrap_or_default().split_whitespace().collect();
    let is_plain = |word: &&str| *word != "OR" && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '\'' | '’'));
    if words.len() < 2 || !words.iter().all(is_plain) {
        return Vec::new();
    }
    let without = |(dropped, word): (usize, &&str)| {
        let kept: Vec<&str> = words
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != dropped)
            .map(|(_, word)| *word)
            .collect();
        let fewer = Asked {
            parameters: asked.dropping(&["q"]).parameters.with("q", &kept.join(" ")),
            ..asked.clone()
        };
        (shortened(word), fewer)
    };
    words.iter().enumerate().map(without).collect()
}

/// Names like the one that the search has as a condition. None if names contain it: records with such a name do not meet
/// the other conditions, so that another spelling does not help.
fn near(context: &SearchContext, facet: Facet, deadline: Deadline) -> Result<Vec<NearName>, ApiError> {
    let (asked, engine) = (context.asked, &context.generation.engine);
    let Some(name) = asked.value(facet.name()) else {
        return Ok(Vec::new());
    };
    let candidates = engine.suggest_names(asked.entity_type, facet, name, MAX_CANDIDATES, deadline)?;
    let part = fold(name);
    if candidates.iter().any(|candidate| fold(candidate).contains(&part)) {
        return Ok(Vec::new());
    }
    let names = most_similar(name, candidates, MAX_NEAR).into_iter();
    let near = names.filter_map(|name| {
        let href = context.condition_href(facet.name(), &name)?;
        Some(NearName { name, href })
    });
    Ok(near.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;

    #[test]
    fn each_of_several_plain_words_can_be_left_out() {
        let queries = |q: &str| -> Vec<(String, String)> {
            let (asked, _) = Asked::read(Language::English, &format!("q={q}&vendor=acme")).unwrap();
            let without = without_words(&asked).into_iter();
            without.map(|(word, asked)| (word, asked.query())).collect()
        };
        assert_eq!(
            queries("snow+d%27eau"),
            [
                ("snow".to_owned(), "vendor=acme&q=d%27eau".to_owned()),
                ("d'eau".to_owned(), "vendor=acme&q=snow".to_owned())
            ]
        );
        for q in ["snow", "snow+OR+ice", "%22road+salt%22+a", "snow+-ice", ""] {
            assert!(queries(q).is_empty(), "{q}");
        }
    }
}
