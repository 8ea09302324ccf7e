//! What a build did with the names of suppliers or bodies: joined by which rule, and what waits for a person.

use std::{collections::BTreeMap, fmt};

use super::{
    clusters::{Clusters, RuleCounts},
    names::Names,
    party::Party,
    reason::{Rule, Waiting},
};

#[derive(Debug, Default)]
pub(crate) struct SupplierReport {
    party: Party,
    names: usize,
    suppliers: usize,
    rules: BTreeMap<Rule, RuleCounts>,
    carried: u64,
    waiting: BTreeMap<Waiting, u64>,
    pub(crate) seconds: f64,
}

impl SupplierReport {
    pub(crate) fn new(party: Party, names: &Names, clusters: &Clusters) -> SupplierReport {
        let mut waiting: BTreeMap<Waiting, u64> = BTreeMap::new();
        for (why, _) in clusters.waiting.values() {
            *waiting.entry(*why).or_default() += 1;
        }
        SupplierReport {
            party,
            names: names.all.len(),
            suppliers: clusters.members.len(),
            rules: clusters.counts.clone(),
            carried: names.carried,
            waiting,
            seconds: 0.0,
        }
    }
}

impl fmt::Display for SupplierReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SupplierReport {
            party,
            names,
            suppliers,
            seconds,
            ..
        } = self;
        let of = match party {
            Party::Supplier => "vendors",
            Party::Body => "departments",
        };
        let plural = party.plural();
        writeln!(f, "{names} names of {of} are {suppliers} {plural} ({seconds:.1} s)")?;
        for rule in party.rules().iter().copied() {
            let (number, about) = rule.about();
            let counts = self.rules.get(&rule).copied().unwrap_or_default();
            let RuleCounts {
                pairs,
                joined,
                confirmed,
                waiting,
                refused,
                checked,
                right,
            } = counts;
            write!(
                f,
                "  rule {number} ({about}): {pairs} pairs, {joined} joined, {confirmed} joined already, {waiting} wait, {refused} refused by a claim"
            )?;
            if rule != Rule::Number && checked > 0 {
                let share = right as f64 * 100.0 / checked as f64;
                write!(
                    f,
                    "; {share:.1} % of {checked} pairs with two known numbers have the same"
                )?;
            }
            writeln!(f)?;
        }
        let carried = self.carried;
        if *party == Party::Supplier {
            writeln!(
                f,
                "  rule 2 (equal name, one known number, stated five times at the place): {carried} statements got the number of their name"
            )?;
        }
        for (why, pairs) in &self.waiting {
            writeln!(f, "  {pairs} pairs of names wait for a person: {}", why.about())?;
        }
        Ok(())
    }
}
