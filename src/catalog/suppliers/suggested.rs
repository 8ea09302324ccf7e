//! The suppliers that may be the same as another one, as pairs of numbers. The texts are made for one supplier at a
//! time.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::{
    clusters::Clusters,
    names::Names,
    party::Party,
    reason::{Evidence, Waiting},
    supplier::{Suggestion, id_of_digits},
};

/// The maximum number of suggestions that a supplier keeps.
const MAX_SUGGESTIONS: usize = 20;

/// The pairs of suppliers that wait for a person, each in both directions.
pub(super) struct SuggestedPairs<'c> {
    /// In the order of `from`, each supplier `to` once.
    pairs: Vec<Pair<'c>>,
}

/// What others state of a supplier, and what decides its place in the list.
pub(super) struct Head {
    /// The digits of its identifier.
    pub(super) id: u64,
    /// The chosen name.
    pub(super) name: u32,
    pub(super) records: u64,
    pub(super) mentions: u64,
}

/// Two clusters, and the names of each by which they may be one.
struct Pair<'c> {
    from: u32,
    to: u32,
    own_name: u32,
    other_name: u32,
    why: Waiting,
    evidence: Option<&'c Evidence>,
}

impl<'c> SuggestedPairs<'c> {
    pub(super) fn new(clusters: &'c Clusters, cluster_of: &[u32]) -> SuggestedPairs<'c> {
        let mut pairs = Vec::with_capacity(2 * clusters.waiting.len());
        for ((a, b), (why, evidence)) in &clusters.waiting {
            for (own_name, other_name) in [(*a, *b), (*b, *a)] {
                pairs.push(Pair {
                    from: cluster_of[own_name as usize],
                    to: cluster_of[other_name as usize],
                    own_name,
                    other_name,
                    why: *why,
                    evidence: evidence.as_deref(),
                });
            }
        }
        // Of several pairs of names of two suppliers, the first with the strongest reason stays: the sort is stable.
        pairs.par_sort_by_key(|pair| (pair.from, pair.to, pair.why));
        pairs.dedup_by_key(|pair| (pair.from, pair.to));
        SuggestedPairs { pairs }
    }

    /// The suggestions of a supplier: the strongest reason first, then the supplier with most records.
    pub(super) fn of(&self, cluster: u32, names: &Names, heads: &[Head], party: Party) -> Vec<Suggestion> {
        let start = self.pairs.partition_point(|pair| pair.from < cluster);
        let pairs = self.pairs[start..].iter().take_while(|pair| pair.from == cluster);
        let mut ranked: Vec<(&Pair, &Head)> = pairs.map(|pair| (pair, &heads[pair.to as usize])).collect();
        ranked.sort_by_key(|(pair, to)| (pair.why, Reverse(to.records), to.id));
        ranked.truncate(MAX_SUGGESTIONS);
        let spelling = |name: u32| names.get(name).spelling.clone();
        let suggestion = |(pair, to): (&Pair, &Head)| Suggestion {
            id: id_of_digits(party, to.id),
            name: spelling(to.name),
            own_name: spelling(pair.own_name),
            other_name: spelling(pair.other_name),
            why: pair.why,
            evidence: pair.evidence.cloned(),
        };
        ranked.into_iter().map(suggestion).collect()
    }
}
