//! What one thread counts of the matches that it reads, block by block.

use std::ops::Range;

use tantivy::DocId;

use super::{
    amounts::BlockAmounts,
    columns::{DollarColumn, ValueColumn},
    counting::{CodeCounts, CodeSums, FEW_CODES},
    entity_index::EntityIndex,
    facet_columns::Codes,
    permutation::Permutation,
    value_distribution::RankSet,
};
use crate::{
    engine::{
        aggregation::{TermsAggregation, ValueAggregation},
        facet_values::FacetValues,
    },
    model::Facet,
    query::SortKey,
};

/// The counts of some matches. Those of several threads are merged.
pub(super) struct Tally<'a> {
    /// After this many documents come those without a date.
    dated: DocId,
    pub(super) total: u64,
    pub(super) ends: Ends,
    /// One for each facet that has codes.
    pub(super) facets: Vec<FacetTally<'a>>,
    pub(super) values: Option<ValueTally<'a>>,
    /// All documents, where what is summed depends on the counts.
    pub(super) documents: Option<Vec<DocId>>,
}

/// The first and the last document, whatever the order in which they are added.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ends {
    pub(super) first: Option<DocId>,
    /// The last document that has a date.
    pub(super) last_dated: Option<DocId>,
}

impl Ends {
    /// Of documents in ascending order. `dated` is the first document without a date.
    fn of(block: &[DocId], dated: DocId) -> Ends {
        let with_date = block.partition_point(|document| *document < dated);
        Ends {
            first: block.first().copied(),
            last_dated: block[..with_date].last().copied(),
        }
    }

    fn merged(self, other: Ends) -> Ends {
        Ends {
            first: self.first.into_iter().chain(other.first).min(),
            last_dated: self.last_dated.max(other.last_dated),
        }
    }
}

pub(super) struct FacetTally<'a> {
    pub(super) terms: TermsAggregation,
    pub(super) codes: &'a Codes,
    pub(super) values: &'a FacetValues,
    pub(super) counts: CodeCounts,
    /// `None` if the facet is not summed, or if that follows later.
    pub(super) sums: Option<CodeSums>,
    /// Whether each currency is summed for itself.
    pub(super) is_in_currency: bool,
    /// Whether few of many values are returned, so that nothing else is computed of the other ones.
    pub(super) is_counted_first: bool,
    /// Whether the values that are returned are summed when it is known which they are.
    pub(super) is_summed_later: bool,
}

pub(super) struct ValueTally<'a> {
    dollars: &'a DollarColumn,
    column: &'a ValueColumn,
    by_value: Option<&'a Permutation>,
    /// In Canadian dollars.
    pub(super) amounts: BlockAmounts,
    /// In the currency of each document; read only if a facet sums them.
    pub(super) in_currency: Option<BlockAmounts>,
    pub(super) ranks: Option<RankSet>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(index: &'a EntityIndex, terms: &[TermsAggregation], values: ValueAggregation) -> Tally<'a> {
        let has_values = values != ValueAggregation::None && index.dollars.is_some() && index.value.is_some();
        let facets = terms
            .iter()
            .filter_map(|terms| FacetTally::new(index, *terms, has_values));
        let facets: Vec<FacetTally> = facets.collect();
        let in_currency = facets
            .iter()
            .any(|facet| facet.is_in_currency)
            .then(BlockAmounts::default);
        let columns = index.dollars.as_ref().zip(index.value.as_ref());
        let value_tally = columns.filter(|_| has_values).map(|(dollars, column)| ValueTally {
            dollars,
            column,
            by_value: index.permutation(SortKey::Value),
            amounts: BlockAmounts::default(),
            in_currency,
            ranks: (values == ValueAggregation::Percentiles).then(|| RankSet::new(index.records())),
        });
        Tally {
            dated: index.dated,
            total: 0,
            ends: Ends::default(),
            documents: facets.iter().any(|facet| facet.is_summed_later).then(Vec::new),
            facets,
            values: value_tally,
        }
    }

    /// Whether only the number of the matches and their dates are counted.
    pub(super) fn reads_no_column(&self) -> bool {
        self.facets.is_empty() && self.values.is_none()
    }

    /// Counts all documents of a range, if [`Tally::reads_no_column`].
    pub(super) fn add_range(&mut self, range: &Range<DocId>) {
        self.total += range.len() as u64;
        let dated = range.start..range.end.min(self.dated);
        self.ends = self.ends.merged(Ends {
            first: range.clone().next(),
            last_dated: dated.last(),
        });
    }

    /// Counts a block. Blocks may come in any order: a thread may go on with the tally of another one.
    pub(super) fn add(&mut self, block: &[DocId]) {
        self.total += block.len() as u64;
        self.ends = self.ends.merged(Ends::of(block, self.dated));
        if let Some(documents) = &mut self.documents {
            documents.extend_from_slice(block);
        }
        if let Some(values) = &mut self.values {
            values.add(block);
        }
        for facet in &mut self.facets {
            facet.counts.add(facet.codes, block);
            if let (Some(sums), Some(values)) = (&mut facet.sums, &self.values) {
                let in_currency = values.in_currency.as_ref().filter(|_| facet.is_in_currency);
                let amounts = in_currency.unwrap_or(&values.amounts);
                sums.add(facet.codes, block, amounts.millionths());
            }
        }
    }

    /// Adds what another thread counted.
    pub(super) fn merged(mut self, other: Tally<'a>) -> Tally<'a> {
        self.total += other.total;
        self.ends = self.ends.merged(other.ends);
        if let (Some(documents), Some(more)) = (&mut self.documents, other.documents) {
            documents.extend(more);
        }
        if let (Some(values), Some(more)) = (&mut self.values, other.values) {
            values.merge(more);
        }
        for (facet, more) in self.facets.iter_mut().zip(&other.facets) {
            facet.counts.merge(&more.counts);
            if let (Some(sums), Some(more)) = (&mut facet.sums, &more.sums) {
                sums.merge(more);
            }
        }
        self
    }
}

impl<'a> FacetTally<'a> {
    /// `None` where no record has a value of the facet.
    fn new(index: &'a EntityIndex, terms: TermsAggregation, has_values: bool) -> Option<FacetTally<'a>> {
        let is_body = terms.facet == Facet::Body;
        let (codes, values) = index.facet(if is_body { Facet::Body.stored() } else { terms.facet })?;
        let is_summed = has_values && (terms.is_summed || is_body);
        let is_in_currency = is_summed && terms.facet == Facet::Currency && index.has_foreign_values();
        let is_counted_first =
            !is_body && !is_in_currency && values.code_count() > FEW_CODES && terms.size < values.len();
        Some(FacetTally {
            terms,
            codes,
            values,
            counts: CodeCounts::new(values.code_count()),
            sums: (is_summed && !is_counted_first).then(|| CodeSums::new(values.code_count())),
            is_in_currency,
            is_counted_first,
            is_summed_later: is_summed && is_counted_first,
        })
    }
}

impl ValueTally<'_> {
    fn add(&mut self, block: &[DocId]) {
        self.amounts.read_dollars(block, self.dollars, self.column);
        if let (Some(ranks), Some(by_value)) = (&mut self.ranks, self.by_value) {
            for (document, is_present) in block.iter().zip(self.amounts.presence()) {
                ranks.add(by_value.rank(*document), is_present);
            }
        }
        if let Some(in_currency) = &mut self.in_currency {
            in_currency.read_values(block, self.column);
        }
    }

    fn merge(&mut self, other: Self) {
        self.amounts.merge(other.amounts);
        if let (Some(in_currency), Some(more)) = (&mut self.in_currency, other.in_currency) {
            in_currency.merge(more);
        }
        if let (Some(ranks), Some(more)) = (&mut self.ranks, &other.ranks) {
            ranks.merge(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_do_not_depend_on_the_order_of_blocks() {
        let blocks: [&[DocId]; 4] = [&[63, 64, 65], &[3, 9], &[], &[70, 80]];
        for (dated, last_dated) in [(0, None), (4, Some(3)), (65, Some(64)), (80, Some(70)), (81, Some(80))] {
            for start in 0..blocks.len() {
                let mut order = blocks;
                order.rotate_left(start);
                let ends = order.iter().map(|block| Ends::of(block, dated));
                let first = Some(3);
                assert_eq!(ends.fold(Ends::default(), Ends::merged), Ends { first, last_dated });
            }
        }
    }
}
