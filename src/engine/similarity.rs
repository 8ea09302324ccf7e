//! What "alike" means to an engine: records that share rare words of their subjects, and which words are worth looking for.

use bytes::Bytes;

/// A record that shares words with what was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Similar {
    pub record: Bytes,
    /// The sum of the shared words' rarity, rarest first.
    pub score: f32,
}

/// Rarer words than a frequent one must have as many records between them for it to be left out,
const ENOUGH: u64 = 50_000;

/// and all words looked for as many, unless the rarer ones fall short of enough. Looking at so many takes some 2 ms.
const MOST: u64 = 500_000;

/// How much a word tells that `holding` of a kind's `records` hold (the inverse document frequency of BM25); one that none holds counts as held by one.
pub fn rarity(records: u64, holding: u64) -> f32 {
    let holding = holding.max(1) as f64;
    let records = (records as f64).max(holding);
    (1.0 + (records - holding + 0.5) / (holding + 0.5)).ln() as f32
}

/// The words to look for, rarest first, each once: what is so frequent that it would only cost is left out where rarer words find enough, and what no
/// record holds in any case. `holding` tells how many records hold a word.
pub fn telling<W: AsRef<str>, T>(words: &[W], holding: impl Fn(&str) -> Option<(u64, T)>) -> Vec<(u64, T)> {
    let mut distinct: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut known: Vec<(u64, T)> = distinct.into_iter().filter_map(holding).collect();
    // Stable: of equally rare words the first by letters comes first.
    known.sort_by_key(|(holding, _)| *holding);
    let mut total = 0;
    known.retain(|(holding, _)| {
        let is_kept = total < ENOUGH || total + holding <= MOST;
        total += if is_kept { *holding } else { 0 };
        is_kept
    });
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_is_more_and_never_nothing() {
        assert!(rarity(1000, 1) > rarity(1000, 2));
        assert!(rarity(1000, 1000) > 0.0);
        assert_eq!(rarity(1000, 0), rarity(1000, 1));
        assert!(rarity(0, 0) > 0.0);
    }

    #[test]
    fn frequent_words_are_left_out_where_rarer_ones_do() {
        let telling = |frequencies: &[u64]| -> Vec<u64> {
            let words: Vec<String> = frequencies.iter().map(u64::to_string).collect();
            let holding = |word: &str| word.parse().ok().filter(|n| *n > 0).map(|n| (n, ()));
            let kept = super::telling(&words, holding);
            kept.into_iter().map(|(holding, ())| holding).collect()
        };
        assert_eq!(telling(&[0, 7, 3, 7]), [3, 7]);
        assert_eq!(telling(&[1_500_000, 10]), [10, 1_500_000], "ten are not enough");
        assert_eq!(telling(&[1_500_000, 60_000]), [60_000]);
        assert_eq!(telling(&[400_000, 60_000, 300_000, 30_000]), [30_000, 60_000, 300_000]);
        assert_eq!(telling(&[900_000, 800_000]), [800_000], "one is looked for in any case");
        assert!(telling(&[]).is_empty());
    }
}
