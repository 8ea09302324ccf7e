//! Similarity of records: inverse document frequency and the selection of query terms, which all
//! engines share.
//!
//! Useful for: records whose titles and descriptions share rare words. Not useful for: synonyms, or
//! a word in one language and its translation in the other.

use bytes::Bytes;

/// A record that shares terms with the query.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarRecord {
    pub record: Bytes,
    /// The sum of the inverse document frequencies of the shared terms, added rarest first.
    pub score: f32,
}

/// A frequent term is dropped once the rarer terms together match this many documents.
const ENOUGH: u64 = 50_000;

/// The maximum number of postings to read for all terms; it is exceeded only while [`ENOUGH`] is
/// not reached. Reading this many takes about 2 ms.
const MOST: u64 = 500_000;

/// Inverse document frequency, as in BM25, of a term that `matching` of `records` documents
/// contain. A term that no document contains counts as contained by one.
pub fn idf(records: u64, matching: u64) -> f32 {
    let matching = matching.max(1) as f64;
    let records = (records as f64).max(matching);
    (1.0 + (records - matching + 0.5) / (matching + 0.5)).ln() as f32
}

/// The terms to search for, rarest first, each once, as pairs of document frequency and whatever
/// `lookup` found.
///
/// `lookup` returns the document frequency of a term, or `None` if no document contains it; such a
/// term is dropped. A frequent term is dropped where rarer terms match enough documents, because it
/// would cost much and add little.
pub fn select_query_terms<T: AsRef<str>, I>(terms: &[T], lookup: impl Fn(&str) -> Option<(u64, I)>) -> Vec<(u64, I)> {
    let mut distinct: Vec<&str> = terms.iter().map(AsRef::as_ref).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut known: Vec<(u64, I)> = distinct.into_iter().filter_map(lookup).collect();
    // A stable sort: equally rare terms stay in alphabetical order.
    known.sort_by_key(|(frequency, _)| *frequency);
    let mut total = 0;
    known.retain(|(frequency, _)| {
        let is_kept = total < ENOUGH || total + frequency <= MOST;
        if is_kept {
            total += frequency;
        }
        is_kept
    });
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idf_is_positive_and_falls_with_frequency() {
        assert!(idf(1000, 1) > idf(1000, 2));
        assert!(idf(1000, 1000) > 0.0);
        assert_eq!(idf(1000, 0), idf(1000, 1));
        assert!(idf(0, 0) > 0.0);
    }

    #[test]
    fn frequent_terms_are_dropped_when_rarer_ones_match_enough() {
        let selected = |frequencies: &[u64]| -> Vec<u64> {
            let terms: Vec<String> = frequencies.iter().map(u64::to_string).collect();
            let lookup = |term: &str| term.parse().ok().filter(|n| *n > 0).map(|n| (n, ()));
            let kept = select_query_terms(&terms, lookup);
            kept.into_iter().map(|(frequency, ())| frequency).collect()
        };
        assert_eq!(selected(&[0, 7, 3, 7]), [3, 7]);
        assert_eq!(selected(&[1_500_000, 10]), [10, 1_500_000], "ten are not enough");
        assert_eq!(selected(&[1_500_000, 60_000]), [60_000]);
        assert_eq!(selected(&[400_000, 60_000, 300_000, 30_000]), [30_000, 60_000, 300_000]);
        assert_eq!(
            selected(&[900_000, 800_000]),
            [800_000],
            "the rarest is always searched"
        );
        assert!(selected(&[]).is_empty());
    }
}
