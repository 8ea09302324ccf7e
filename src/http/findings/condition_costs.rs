//! How many records each condition of a search costs: the hits without it, and its hits alone.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::generation::Generation,
    engine::{Deadline, Error},
    http::{
        findings::{record_count, term_texts::clause_text},
        params::resolve::Search,
    },
    query::{
        SearchQuery,
        text::{Clause, TextQuery},
    },
};

/// How many records match without each condition, and without each part of `q`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ConditionCosts {
    /// In the order of the parameter table.
    pub(crate) conditions: Vec<ConditionCost>,
    /// The words, phrases and alternatives of `q`, up to eight; empty if `q` has a single one.
    pub(crate) parts_of_q: Vec<PartCost>,
}

/// A condition, and what the search finds without it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ConditionCost {
    /// Its parameters under the names of the request: two for a range.
    pub(crate) parameters: Vec<&'static str>,
    /// Number of matches if only this condition is left out.
    pub(crate) total_without: u64,
    /// Number of matches of this condition alone.
    pub(crate) total_alone: u64,
}

/// A part of `q` that every match must have, or must not have, and what the search finds without it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PartCost {
    /// As `q` would write it: a word, a phrase in quotes, alternatives joined by `OR`, a leading minus if excluded.
    pub(crate) part: String,
    /// Number of matches if only this part is left out.
    pub(crate) total_without: u64,
    /// Number of matches of this part alone, without any filter.
    pub(crate) total_alone: u64,
}

/// The maximum number of parts of `q` that are counted.
pub(crate) const MAX_PARTS: usize = 8;

/// How often the records are counted for the costs.
pub(crate) fn counts(search: &Search) -> usize {
    let text = search.query.text.as_ref();
    let parts = text.map_or(0, |text| counted_parts(text).len());
    2 * (search.query.filters.len() + usize::from(text.is_some()) + parts)
}

/// Counts without each condition, and with each alone.
pub(crate) fn condition_costs(
    generation: &Generation,
    search: &Search,
    deadline: &Deadline,
) -> Result<ConditionCosts, Error> {
    let query = &search.query;
    let everything = SearchQuery::newest(query.entity_type, Vec::new());
    let mut conditions = search.conditions.clone();
    let mut parts = Vec::new();
    // What is counted for each condition, then for each part of `q`.
    let (mut without, mut alone) = (Vec::new(), Vec::new());
    for number in 0..conditions.len() {
        let mut others = query.clone();
        let filter = others.filters.remove(number);
        without.push(others);
        alone.push(SearchQuery {
            filters: vec![filter],
            ..everything.clone()
        });
    }
    let with_text = |base: &SearchQuery, clauses: Vec<Clause>| {
        let text = TextQuery::of(clauses);
        let text = match search.translation {
            Some(_) => generation.translator.translate(&text).text,
            None => text,
        };
        SearchQuery {
            text: (!text.clauses().is_empty()).then_some(text),
            ..base.clone()
        }
    };
    if let Some(text) = &query.text {
        let written = text.written();
        conditions.push(vec!["q"]);
        without.push(with_text(query, Vec::new()));
        alone.push(with_text(&everything, written.to_vec()));
        for (number, clause) in counted_parts(text).iter().enumerate() {
            let mut others = written.to_vec();
            others.remove(number);
            parts.push(clause_text(clause));
            without.push(with_text(query, others));
            alone.push(with_text(&everything, vec![clause.clone()]));
        }
    }
    let counted = record_count::counts(generation, [without, alone].concat(), deadline)?;
    let (without, alone) = counted.split_at(counted.len() / 2);
    let mut totals = without.iter().copied().zip(alone.iter().copied());
    let of_condition = |(parameters, (total_without, total_alone))| ConditionCost {
        parameters,
        total_without,
        total_alone,
    };
    let of_part = |(part, (total_without, total_alone))| PartCost {
        part,
        total_without,
        total_alone,
    };
    Ok(ConditionCosts {
        conditions: conditions.into_iter().zip(totals.by_ref()).map(of_condition).collect(),
        parts_of_q: parts.into_iter().zip(totals).map(of_part).collect(),
    })
}

/// The parts that are counted. A single one is the condition `q` itself.
fn counted_parts(text: &TextQuery) -> &[Clause] {
    let clauses = text.written();
    match clauses.len() {
        0 | 1 => &[],
        length => &clauses[..length.min(MAX_PARTS)],
    }
}
