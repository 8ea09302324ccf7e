//! Tests on columns, made on documents that the sets of a query already matched.

use std::ops::Range;

use tantivy::{BitSet, DocId};

use super::{facet_columns::Codes, key_dictionary::KeyDictionary, permutation::Permutation};

/// A test on a column.
pub(super) enum Predicate<'a> {
    Keys(&'a KeyDictionary, BitSet),
    /// The documents with these ranks in a sort order.
    Ranks(&'a Permutation, Range<u32>),
    Codes(&'a Codes, BitSet),
}

impl Predicate<'_> {
    pub(super) fn accepts(&self, document: DocId) -> bool {
        match self {
            Predicate::Keys(keys, ordinals) => keys.has(document, ordinals),
            Predicate::Ranks(order, ranks) => ranks.contains(&order.rank(document)),
            Predicate::Codes(codes, set) => set.contains(codes.get(document)),
        }
    }

    /// Keeps the documents from index `from` on that are accepted.
    pub(super) fn retain_accepted(&self, documents: &mut Vec<DocId>, from: usize) {
        match self {
            Predicate::Keys(keys, ordinals) => retain(documents, from, |document| keys.has(document, ordinals)),
            // One comparison: a rank before the range wraps around.
            Predicate::Ranks(order, ranks) => retain(documents, from, |document| {
                order.rank(document).wrapping_sub(ranks.start) < ranks.end - ranks.start
            }),
            Predicate::Codes(codes, set) => retain(documents, from, |document| set.contains(codes.get(document))),
        }
    }
}

/// Keeps the documents from index `from` on that are accepted. Every document is written and only the accepted ones
/// are counted, because a branch that half of them take costs more.
fn retain(documents: &mut Vec<DocId>, from: usize, accepts: impl Fn(DocId) -> bool) {
    let mut kept = from;
    for index in from..documents.len() {
        let document = documents[index];
        documents[kept] = document;
        kept += usize::from(accepts(document));
    }
    documents.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_before_an_index_are_not_tested() {
        let mut documents = vec![1, 3, 4, 5, 6, 9];
        retain(&mut documents, 2, |document| document % 2 == 0);
        assert_eq!(documents, [1, 3, 4, 6]);
        retain(&mut documents, 4, |_| false);
        assert_eq!(documents, [1, 3, 4, 6]);
        retain(&mut documents, 0, |document| document > 4);
        assert_eq!(documents, [6]);
    }
}
