//! What SEAO tells of contracts after their award: final amounts and spending beyond the amount.
//!
//! Both come in files of their own, months or years after the notice, and name a notice and a contractor: a [`Told`] each, remarked on
//! the notice and joined to its contracts by [`join`] when the notice is settled.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::model::{date::Date, fold::fold};
use crate::sources::{
    reading::intake::{Member, Rank, Record},
    seao::ocds::same_money,
};

/// Who a row speaks of: by enterprise number where both sides have one, else by folded name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contractor {
    pub neq: Option<String>,
    pub folded_name: String,
}

impl Contractor {
    /// What it is known by; either will do, as an enterprise number may be told in one export and not in the next.
    fn names(&self) -> impl Iterator<Item = (bool, String)> + use<> {
        let neq = self.neq.clone().map(|neq| (true, neq));
        neq.into_iter().chain([(false, self.folded_name.clone())])
    }

    fn of(contract: &Record) -> Contractor {
        let neq = contract.text("vendor_id").and_then(|id| id.strip_prefix("FO-"));
        Contractor {
            neq: neq.map(str::to_owned),
            folded_name: contract.text("vendor_name").map(fold).unwrap_or_default(),
        }
    }
}

/// The numbers of a notice's contracts by each name of their contractor, two at most: which of several is meant is never told.
struct Contracts(HashMap<(bool, String), Vec<usize>>);

impl Contracts {
    fn of(contracts: &[Record]) -> Contracts {
        let mut by_name: HashMap<_, Vec<usize>> = HashMap::new();
        for (number, contract) in contracts.iter().enumerate() {
            for name in Contractor::of(contract).names() {
                let known = by_name.entry(name).or_default();
                if known.len() < 2 {
                    known.push(number);
                }
            }
        }
        Contracts(by_name)
    }

    fn only(&self, contractor: &Contractor) -> Result<usize, &'static str> {
        let mut theirs: Vec<usize> = contractor
            .names()
            .filter_map(|name| self.0.get(&name))
            .flatten()
            .copied()
            .collect();
        theirs.sort_unstable();
        theirs.dedup();
        match theirs.as_slice() {
            [number] => Ok(*number),
            [] => Err(NO_CONTRACT),
            _ => Err(SEVERAL_CONTRACTS),
        }
    }
}

/// What one row tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Told {
    Final(Final),
    Spending(Spending),
}

/// A contract's end and its final amount.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Final {
    pub contractor: Contractor,
    pub amount: Option<f64>,
    pub end: Option<Date>,
}

/// A notice's spending as one export tells it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spending {
    /// Whether it tells all spending so far (a revision) or only the month's.
    pub restates: bool,
    pub items: Vec<Expense>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Expense {
    pub contractor: Contractor,
    pub published: Option<Date>,
    pub cents: i64,
}

/// How new a row is: the last day of its export.
pub fn rank(exported: i64) -> Rank {
    Rank(u64::try_from(exported).unwrap_or(0), 0)
}

const NO_CONTRACT: &str = "no contract of that notice and contractor in these files";
const SEVERAL_CONTRACTS: &str = "the contractor has several contracts on the notice, and which is meant is not told";
const UNREADABLE: &str = "a row that its own spool cannot be read back from";

/// Completes the contracts of one notice from the remarks on it, oldest first, and says of each remark whether it speaks of
/// none of them. Where the notice itself tells final amounts, `told_until` is how new it is, and ends told before it are no
/// news.
pub fn join(remarks: &mut [Member], told_until: Option<Rank>, contracts: &mut [Record]) {
    let of = Contracts::of(contracts);
    let mut settled = vec![false; contracts.len()];
    let mut spending = Vec::new();
    // Newest first, so that the first to speak of a contract is the one to believe; of one export the later row is the
    // newer.
    for remark in remarks.iter_mut().rev() {
        let told = remark.said.as_ref().map(Told::deserialize);
        let outcome = match told {
            Some(Ok(Told::Final(row))) => of.only(&row.contractor).map(|number| {
                let is_news = told_until.is_none_or(|notice| notice < remark.rank);
                if is_news && !settled[number] {
                    settled[number] = true;
                    row.complete(&mut contracts[number]);
                }
            }),
            Some(Ok(Told::Spending(row))) => {
                let outcomes = row.items.iter().map(|item| of.only(&item.contractor));
                let outcome = outcomes.reduce(Result::or).map_or(Ok(()), |found| found.map(drop));
                spending.push((remark.rank, row));
                outcome
            }
            Some(Err(_)) | None => Err(UNREADABLE),
        };
        remark.skipped = outcome.err();
    }
    spending.reverse();
    let mut cents = vec![None; contracts.len()];
    for item in standing(spending) {
        if let Ok(number) = of.only(&item.contractor) {
            *cents[number].get_or_insert(0) += item.cents;
        }
    }
    for (contract, cents) in contracts.iter_mut().zip(cents) {
        contract.set("extra_spending", cents.map(|cents: i64| cents as f64 / 100.0));
    }
}

/// Says of remarks on a notice that is in none of the files that they speak of no contract.
pub fn leave(remarks: &mut [Member]) {
    for remark in remarks {
        remark.skipped = Some(NO_CONTRACT);
    }
}

impl Final {
    fn complete(&self, contract: &mut Record) {
        contract.set("end_date", self.end.map(|day| day.to_string()));
        contract.set("status", Some("Expired"));
        contract.set("status_en", Some("Completed"));
        contract.set("status_fr", Some("Terminé"));
        if let Some(amount) = self.amount {
            let awarded = contract.number("contract_value");
            if contract.number("original_value").is_none() {
                contract.set("original_value", awarded.filter(|was| !same_money(*was, amount)));
            }
            contract.set("contract_value", Some(amount));
        }
    }
}

/// The expenses that stand when all exports have spoken. A restatement replaces all that was told before it; otherwise
/// what an export tells of a contractor and a day of publication replaces what an older one told of them, because
/// months and revisions repeat each other.
fn standing(mut spending: Vec<(Rank, Spending)>) -> Vec<Expense> {
    spending.sort_by_key(|(rank, row)| (*rank, row.restates, row.items.len()));
    let mut standing: Vec<Expense> = Vec::new();
    let mut replaced = HashSet::new();
    let names = |item: &Expense| {
        let published = item.published;
        item.contractor.names().map(move |name| (published, name))
    };
    // Newest first: an item stands unless a newer export told of its contractor and day.
    for (_, row) in spending.into_iter().rev() {
        let told: Vec<_> = row.items.iter().flat_map(names).collect();
        let stands = |item: &Expense| names(item).all(|name| !replaced.contains(&name));
        standing.extend(row.items.into_iter().filter(stands));
        if row.restates {
            break;
        }
        replaced.extend(told);
    }
    standing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::entity_type::EntityType;

    fn contractor(name: &str) -> Contractor {
        Contractor {
            neq: None,
            folded_name: fold(name),
        }
    }

    fn remark(line: u64, exported: i64, told: &Told) -> Member {
        Member {
            member: String::new(),
            rank: rank(exported),
            records: Vec::new(),
            said: serde_json::to_value(told).ok(),
            skipped: None,
            file: 0,
            line,
        }
    }

    fn contract(name: &str, value: f64) -> Record {
        let mut record = Record::new(EntityType::Contract);
        record.set("vendor_name", Some(name));
        record.set("contract_value", Some(value));
        record
    }

    fn spending(exported: i64, restates: bool, items: &[(&str, &str, i64)]) -> (Rank, Spending) {
        let expense = |(name, day, cents): &(&str, &str, i64)| Expense {
            contractor: contractor(name),
            published: Date::parse(day).ok(),
            cents: *cents,
        };
        let items = items.iter().map(expense).collect();
        (rank(exported), Spending { restates, items })
    }

    #[test]
    fn the_newest_final_amount_of_a_contractor_is_its_contracts() {
        let rows = [
            (3, 10, "Other", 1.0),
            (2, 10, "ABC Inc", 80.0),
            (1, 20, "ABC inc.", 90.0),
        ];
        let mut remarks = rows.map(|(line, exported, name, amount)| {
            let row = Final {
                contractor: contractor(name),
                amount: Some(amount),
                end: Date::parse("2018-01-31").ok(),
            };
            remark(line, exported, &Told::Final(row))
        });
        let mut contracts = [contract("ABC inc", 100.0)];
        join(&mut remarks, None, &mut contracts);
        assert_eq!(contracts[0].number("contract_value"), Some(90.0));
        assert_eq!(contracts[0].number("original_value"), Some(100.0));
        assert_eq!(contracts[0].text("end_date"), Some("2018-01-31"));
        assert_eq!(remarks.map(|remark| remark.skipped), [Some(NO_CONTRACT), None, None]);
    }

    #[test]
    fn one_final_amount_is_never_given_to_two_contracts() {
        let (_, row) = spending(1, false, &[("ABC", "2018-01-02", 500)]);
        let mut remarks = [remark(7, 1, &Told::Spending(row))];
        let mut contracts = [contract("ABC", 1.0), contract("ABC", 2.0)];
        join(&mut remarks, None, &mut contracts);
        assert_eq!(remarks[0].skipped, Some(SEVERAL_CONTRACTS));
        assert!(
            contracts
                .iter()
                .all(|contract| contract.number("extra_spending").is_none())
        );
    }

    #[test]
    fn repeated_spending_counts_once() {
        let sum = |rows: Vec<(Rank, Spending)>| standing(rows).iter().map(|item| item.cents).sum::<i64>();
        let month = || spending(10, false, &[("A", "2018-01-02", 100), ("A", "2018-01-02", 100)]);
        assert_eq!(sum(vec![month()]), 200);
        let repeated = spending(10, false, &[("A", "2018-01-02", 100), ("A", "2018-01-02", 100)]);
        assert_eq!(sum(vec![month(), repeated]), 200);
        let next = spending(20, false, &[("A", "2018-02-05", 7)]);
        assert_eq!(sum(vec![next.clone(), month()]), 207);
        let restated = spending(20, true, &[("A", "2018-01-02", 90), ("A", "2018-02-05", 7)]);
        assert_eq!(sum(vec![restated.clone(), month(), next]), 97);
        assert_eq!(sum(vec![restated, spending(30, true, &[])]), 0);
    }
}
