//! How many records each condition of a search costs: the hits without it, and its hits alone.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::{analysis::term_texts::clause_text, params::resolve::ResolvedSearch},
    catalog::ask::Ask,
    engine::Error,
    query::{
        SearchQuery,
        text::{Clause, TextQuery},
        translate::Translator,
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

/// The searches that show what each condition costs.
#[derive(Debug)]
pub(crate) struct ConditionPlan {
    /// The parameters of each condition.
    conditions: Vec<Vec<&'static str>>,
    parts: Vec<String>,
    /// The search without each condition, then without each part of `q`.
    without: Vec<SearchQuery>,
    /// Each condition alone, then each part of `q` alone.
    alone: Vec<SearchQuery>,
}

impl ConditionPlan {
    pub(crate) fn of(translator: &Translator, search: &ResolvedSearch) -> ConditionPlan {
        let mut plan = ConditionPlan {
            conditions: search.conditions.clone(),
            parts: Vec::new(),
            without: Vec::new(),
            alone: Vec::new(),
        };
        for number in 0..plan.conditions.len() {
            let mut others = search.query.clone();
            let filter = others.filters.remove(number);
            plan.without.push(others);
            plan.alone
                .push(SearchQuery::newest(search.query.entity_type, vec![filter]));
        }
        if let Some(written) = &search.query.text {
            plan.add_text(
                written,
                |clauses| {
                    let text = TextQuery::of(clauses);
                    let text = match search.translation {
                        Some(_) => translator.translate(&text).text,
                        None => text,
                    };
                    let text = match written.codes() {
                        Some(_) => translator.with_meant_codes(text),
                        None => text,
                    };
                    (!text.clauses().is_empty()).then_some(text)
                },
                &search.query,
            );
        }
        plan
    }

    /// Adds the searches for the condition `q` and for its parts.
    fn add_text(&mut self, text: &TextQuery, read: impl Fn(Vec<Clause>) -> Option<TextQuery>, query: &SearchQuery) {
        let everything = SearchQuery::newest(query.entity_type, Vec::new());
        let with_text = |base: &SearchQuery, clauses: Vec<Clause>| SearchQuery {
            text: read(clauses),
            ..base.clone()
        };
        let written = text.written();
        self.conditions.push(vec!["q"]);
        self.without.push(with_text(query, Vec::new()));
        self.alone.push(with_text(&everything, written.to_vec()));
        for (number, clause) in counted_parts(text).iter().enumerate() {
            let mut others = written.to_vec();
            others.remove(number);
            self.parts.push(clause_text(clause));
            self.without.push(with_text(query, others));
            self.alone.push(with_text(&everything, vec![clause.clone()]));
        }
    }

    /// How often the records are scanned.
    pub(crate) fn scans(&self) -> usize {
        self.without.len() + self.alone.len()
    }

    /// Counts all searches together.
    pub(crate) fn run(&self, ask: &Ask) -> Result<ConditionCosts, Error> {
        let counted = ask.counts([self.without.clone(), self.alone.clone()].concat())?;
        let (without, alone) = counted.split_at(self.without.len());
        let mut totals = without.iter().copied().zip(alone.iter().copied());
        let of_condition = |(parameters, (total_without, total_alone)): (&Vec<&'static str>, _)| ConditionCost {
            parameters: parameters.clone(),
            total_without,
            total_alone,
        };
        let of_part = |(part, (total_without, total_alone)): (&String, _)| PartCost {
            part: part.clone(),
            total_without,
            total_alone,
        };
        Ok(ConditionCosts {
            conditions: self.conditions.iter().zip(totals.by_ref()).map(of_condition).collect(),
            parts_of_q: self.parts.iter().zip(totals).map(of_part).collect(),
        })
    }
}

/// The parts that are counted. A single one is the condition `q` itself.
fn counted_parts(text: &TextQuery) -> &[Clause] {
    let clauses = text.written();
    match clauses.len() {
        0 | 1 => &[],
        length => &clauses[..length.min(MAX_PARTS)],
    }
}
