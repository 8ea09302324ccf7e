//! Joins names by claims and rules, the strongest first.
//!
//! Names are joined pair by pair in a fixed order, so the same statements and claims in any order give the same
//! suppliers. `different` beats every rule, through other names too.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

use super::{
    bodies,
    claims::{Claim, Groups, ResolvedClaims},
    core_names,
    names::Names,
    reason::{Evidence, Rule, Waiting},
    rules::{self, MAX_NAMES, Proposal},
};
use crate::model::supplier_mention::OfficialNumber;

/// The names of all suppliers, and why they are joined.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Clusters {
    /// Each list is one supplier's, in the order of the names' numbers.
    pub(crate) members: Vec<Vec<u32>>,
    /// What joined two names of one supplier; one fewer than it has names.
    pub(crate) joins: Vec<(u32, u32, Evidence)>,
    /// What waits for a person: names of two suppliers, the lesser first.
    pub(crate) waiting: BTreeMap<(u32, u32), WaitingReason>,
    pub(crate) counts: BTreeMap<Rule, RuleCounts>,
}

/// Why a pair waits, and what speaks for it. Few of the pairs have evidence, which is large.
type WaitingReason = (Waiting, Option<Box<Evidence>>);

/// What a rule did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuleCounts {
    /// Pairs of names that it proposed.
    pub(crate) pairs: u64,
    /// Pairs that joined two suppliers.
    pub(crate) joined: u64,
    /// Pairs whose names are of one supplier already.
    pub(crate) confirmed: u64,
    pub(crate) waiting: u64,
    /// Pairs kept apart by a claim.
    pub(crate) refused: u64,
    /// Pairs of names that both have an official number, by which the rule can be checked.
    pub(crate) checked: u64,
    /// The pairs with equal numbers.
    pub(crate) right: u64,
}

/// The names that a rule joins with another supplier of more names wait for a person.
const MAX_JOINED: usize = 10;

struct Joiner<'n> {
    names: &'n Names,
    groups: Groups,
    /// By the least name of each supplier with several names.
    members: HashMap<u32, Vec<u32>>,
    numbers: HashMap<u32, BTreeSet<&'n OfficialNumber>>,
    /// By name: the names that are claimed to be other suppliers.
    different: HashMap<u32, Vec<u32>>,
    found: Clusters,
}

/// What became of a pair.
enum Outcome {
    Joined,
    Confirmed,
    Refused,
    Waits(Waiting),
}

impl Clusters {
    /// The names of suppliers, joined.
    pub(crate) fn new(names: &Names, claims: &ResolvedClaims) -> Clusters {
        let rules: [fn(&Names) -> Vec<Proposal>; 6] = [
            rules::equal_numbers,
            rules::equated,
            bodies::listed_suppliers,
            core_names::equal_cores,
            rules::near_names,
            core_names::equal_cores_in_one_place,
        ];
        let (proposals, suggestions) = rayon::join(
            || rules.into_par_iter().map(|rule| rule(names)).collect::<Vec<_>>(),
            || rules::suggestions(names),
        );
        Clusters::of(names, claims, proposals.into_iter().flatten(), suggestions)
    }

    /// The names, joined by claims, then by what rules propose, the strongest rule first.
    pub(crate) fn of(
        names: &Names,
        claims: &ResolvedClaims,
        proposals: impl IntoIterator<Item = Proposal>,
        suggestions: Vec<(u32, u32, Waiting)>,
    ) -> Clusters {
        let mut different: HashMap<u32, Vec<u32>> = HashMap::new();
        for (a, b) in &claims.different {
            different.entry(*a).or_default().push(*b);
            different.entry(*b).or_default().push(*a);
        }
        let mut joiner = Joiner {
            names,
            groups: Groups::new(names.all.len()),
            members: HashMap::new(),
            numbers: HashMap::new(),
            different,
            found: Clusters::default(),
        };
        for (a, b, claim) in &claims.same {
            joiner.propose(Proposal {
                a: *a,
                b: *b,
                evidence: evidence_of(claim),
                waiting: None,
            });
        }
        proposals.into_iter().for_each(|proposal| joiner.propose(proposal));
        for (a, b, waiting) in suggestions {
            joiner.suggest(a, b, waiting, None);
        }
        joiner.finish()
    }
}

fn evidence_of(claim: &Claim) -> Evidence {
    Evidence::Claim {
        reason: claim.reason.clone(),
        source: claim.source.clone(),
        date: claim.date.clone(),
    }
}

impl<'n> Joiner<'n> {
    fn propose(&mut self, proposal: Proposal) {
        let Proposal {
            a,
            b,
            evidence,
            waiting,
        } = proposal;
        let rule = evidence.rule();
        let outcome = match waiting {
            Some(_) if self.groups.find(a) == self.groups.find(b) => Outcome::Confirmed,
            Some(waiting) => Outcome::Waits(waiting),
            None => self.join(a, b, rule),
        };
        let counts = self.found.counts.entry(rule).or_default();
        counts.pairs += 1;
        if let ([Some(x), Some(y)], None) = ([a, b].map(|name| self.names.get(name).number()), waiting) {
            counts.checked += 1;
            counts.right += u64::from(x == y);
        }
        match outcome {
            Outcome::Joined => {
                counts.joined += 1;
                self.found.joins.push((a, b, evidence));
            }
            Outcome::Confirmed => counts.confirmed += 1,
            Outcome::Refused => counts.refused += 1,
            Outcome::Waits(why) => {
                counts.waiting += 1;
                self.suggest(a, b, why, Some(Box::new(evidence)));
            }
        }
    }

    /// Joins the suppliers of two names unless a stop forbids it.
    fn join(&mut self, a: u32, b: u32, rule: Rule) -> Outcome {
        let (root_a, root_b) = (self.groups.shorten(a), self.groups.shorten(b));
        if root_a == root_b {
            return Outcome::Confirmed;
        }
        if self.are_different(root_a, root_b) {
            return Outcome::Refused;
        }
        if rule != Rule::Claim
            && let Some(why) = self.stop(root_a, root_b, rule)
        {
            return Outcome::Waits(why);
        }
        let members = [root_a, root_b].map(|root| self.members.remove(&root).unwrap_or_else(|| vec![root]));
        let numbers = [root_a, root_b].map(|root| self.numbers_of(root));
        let root = self.groups.join(a, b);
        let mut all = members.concat();
        all.sort_unstable();
        self.members.insert(root, all);
        let [one, other] = numbers;
        self.numbers.insert(root, one.into_iter().chain(other).collect());
        Outcome::Joined
    }

    fn stop(&self, a: u32, b: u32, rule: Rule) -> Option<Waiting> {
        let sizes = [a, b].map(|root| self.members.get(&root).map_or(1, Vec::len));
        if sizes.iter().sum::<usize>() > MAX_NAMES {
            return Some(Waiting::TooManyNames);
        }
        if sizes.iter().all(|size| *size > MAX_JOINED) {
            return Some(Waiting::TwoLargeSuppliers);
        }
        let [one, other] = [a, b].map(|root| self.numbers_of(root));
        let are_known = !one.is_empty() && !other.is_empty();
        // A publisher, a person or a table joins two legal persons; a rule that compares names does not.
        let is_stated = matches!(rule, Rule::Publisher | Rule::Table | Rule::Municipality);
        (!is_stated && are_known && one.is_disjoint(&other)).then_some(Waiting::DifferentNumbers)
    }

    fn numbers_of(&self, root: u32) -> BTreeSet<&'n OfficialNumber> {
        match self.numbers.get(&root) {
            Some(numbers) => numbers.clone(),
            None => self.names.get(root).number().into_iter().collect(),
        }
    }

    fn are_different(&self, a: u32, b: u32) -> bool {
        if self.different.is_empty() {
            return false;
        }
        let own = [a];
        let members = self.members.get(&a).map_or(&own[..], Vec::as_slice);
        let others = members.iter().filter_map(|name| self.different.get(name)).flatten();
        others.into_iter().any(|other| self.groups.find(*other) == b)
    }

    fn suggest(&mut self, a: u32, b: u32, why: Waiting, evidence: Option<Box<Evidence>>) {
        self.found
            .waiting
            .entry((a.min(b), a.max(b)))
            .or_insert((why, evidence));
    }

    fn finish(mut self) -> Clusters {
        let mut found = std::mem::take(&mut self.found);
        let is_apart = |a: u32, b: u32| self.groups.find(a) != self.groups.find(b);
        let is_open = |a: u32, b: u32| !self.are_different(self.groups.find(a), self.groups.find(b));
        found.waiting.retain(|(a, b), _| is_apart(*a, *b) && is_open(*a, *b));
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for name in 0..self.names.all.len() as u32 {
            members.entry(self.groups.find(name)).or_default().push(name);
        }
        found.members = members.into_values().collect();
        found
    }
}

#[cfg(test)]
mod tests;
