//! What SEAO tells of contracts after their award: final amounts and spending beyond the amount.
//!
//! Both come in files of their own, months or years after the notice, and name a notice and a contractor. They are
//! remembered here by notice until all files are read, then joined to the contracts; whoever stays behind is accounted
//! for by [`Ledger::finish`]. Rows are small (a name and two figures), so memory holds them.

use std::collections::HashMap;

use super::intake::{Record, Tally};
use crate::{date::Date, fold::fold};

/// Who a row speaks of: by enterprise number where both sides have one, else by folded name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contractor {
    pub neq: Option<String>,
    pub folded_name: String,
}

impl Contractor {
    /// An enterprise number may be told in one export and not in the next.
    fn is(&self, other: &Contractor) -> bool {
        self.folded_name == other.folded_name || (self.neq.is_some() && self.neq == other.neq)
    }

    fn is_of(&self, contract: &Record) -> bool {
        let neq = contract.text("vendor_id").and_then(|id| id.strip_prefix("FO-"));
        match (&self.neq, neq) {
            (Some(ours), Some(theirs)) if ours == theirs => true,
            _ => contract
                .text("vendor_name")
                .is_some_and(|name| fold(name) == self.folded_name),
        }
    }
}

/// Where a remembered row came from, and how new it is: the last day of its export.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub file: usize,
    pub line: u64,
    pub exported: i64,
}

/// A contract's end and its final amount.
#[derive(Clone, Debug)]
pub struct Final {
    pub origin: Origin,
    pub contractor: Contractor,
    pub amount: Option<f64>,
    pub end: Option<Date>,
}

/// A notice's spending as one export tells it.
#[derive(Clone, Debug)]
pub struct Spending {
    pub origin: Origin,
    /// Whether it tells all spending so far (a revision) or only the month's.
    pub restates: bool,
    pub items: Vec<Expense>,
}

#[derive(Clone, Debug)]
pub struct Expense {
    pub contractor: Contractor,
    pub published: Option<Date>,
    pub cents: i64,
}

#[derive(Debug, Default)]
pub struct Ledger {
    finals: HashMap<String, Vec<Final>>,
    spending: HashMap<String, Vec<Spending>>,
}

const NO_CONTRACT: &str = "no contract of that notice and contractor in these files";
const SEVERAL_CONTRACTS: &str = "the contractor has several contracts on the notice, and which is meant is not told";

impl Ledger {
    pub fn remember_final(&mut self, notice: String, row: Final) {
        self.finals.entry(notice).or_default().push(row);
    }

    pub fn remember_spending(&mut self, notice: String, row: Spending) {
        self.spending.entry(notice).or_default().push(row);
    }

    /// Completes the contracts of one notice, and accounts for the rows that speak of it. Where the notice itself tells
    /// final amounts, `told_until` is the day it does so for, and ends told before it are no news.
    pub fn join(&mut self, notice: &str, told_until: Option<i64>, contracts: &mut [Record], tallies: &mut [Tally]) {
        // Newest first, so that the first to speak of a contract is the one to believe. The sort is stable and files
        // are read in order: of one export the later row is the newer.
        let mut finals = self.finals.remove(notice).unwrap_or_default();
        finals.reverse();
        finals.sort_by_key(|row| -row.origin.exported);
        let mut settled = vec![false; contracts.len()];
        for row in finals {
            let tally = &mut tallies[row.origin.file];
            match only_contract(&row.contractor, contracts) {
                Ok(number) => {
                    tally.merged += 1;
                    let is_news = told_until.is_none_or(|day| day < row.origin.exported);
                    if is_news && !settled[number] {
                        settled[number] = true;
                        row.complete(&mut contracts[number]);
                    }
                }
                Err(reason) => tally.skip(row.origin.line, reason),
            }
        }
        let spending = self.spending.remove(notice).unwrap_or_default();
        for row in &spending {
            let tally = &mut tallies[row.origin.file];
            let outcomes = row.items.iter().map(|item| only_contract(&item.contractor, contracts));
            match outcomes.reduce(Result::or) {
                None | Some(Ok(_)) => tally.merged += 1,
                Some(Err(reason)) => tally.skip(row.origin.line, reason),
            }
        }
        let mut cents = vec![None; contracts.len()];
        for item in standing(spending) {
            if let Ok(number) = only_contract(&item.contractor, contracts) {
                *cents[number].get_or_insert(0) += item.cents;
            }
        }
        for (contract, cents) in contracts.iter_mut().zip(cents) {
            contract.set("extra_spending", cents.map(|cents: i64| cents as f64 / 100.0));
        }
    }

    /// Accounts for the rows whose notice is in none of the files.
    pub fn finish(&mut self, tallies: &mut [Tally]) {
        let finals = self.finals.drain().flat_map(|(_, rows)| rows).map(|row| row.origin);
        let spending = self.spending.drain().flat_map(|(_, rows)| rows).map(|row| row.origin);
        for origin in finals.chain(spending) {
            tallies[origin.file].skip(origin.line, NO_CONTRACT);
        }
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
                contract.set("original_value", awarded);
            }
            contract.set("contract_value", Some(amount));
        }
    }
}

fn only_contract(contractor: &Contractor, contracts: &[Record]) -> Result<usize, &'static str> {
    let mut theirs = (0..contracts.len()).filter(|number| contractor.is_of(&contracts[*number]));
    match (theirs.next(), theirs.next()) {
        (Some(number), None) => Ok(number),
        (Some(_), Some(_)) => Err(SEVERAL_CONTRACTS),
        (None, _) => Err(NO_CONTRACT),
    }
}

/// The expenses that stand when all exports have spoken. A restatement replaces all that was told before it; otherwise
/// what an export tells of a contractor and a day of publication replaces what an older one told of them, because
/// months and revisions repeat each other.
fn standing(mut spending: Vec<Spending>) -> Vec<Expense> {
    spending.sort_by_key(|row| (row.origin.exported, row.restates, row.items.len()));
    let mut standing: Vec<Expense> = Vec::new();
    for row in spending {
        if row.restates {
            standing = row.items;
            continue;
        }
        let same = |a: &Expense, b: &Expense| a.published == b.published && a.contractor.is(&b.contractor);
        standing.retain(|old| !row.items.iter().any(|new| same(old, new)));
        standing.extend(row.items);
    }
    standing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::EntityType;

    fn contractor(name: &str) -> Contractor {
        Contractor {
            neq: None,
            folded_name: fold(name),
        }
    }

    fn origin(line: u64, exported: i64) -> Origin {
        Origin {
            file: 0,
            line,
            exported,
        }
    }

    fn contract(name: &str, value: f64) -> Record {
        let mut record = Record::new(EntityType::Contract);
        record.set("vendor_name", Some(name));
        record.set("contract_value", Some(value));
        record
    }

    fn spending(line: u64, exported: i64, restates: bool, items: &[(&str, &str, i64)]) -> Spending {
        let expense = |(name, day, cents): &(&str, &str, i64)| Expense {
            contractor: contractor(name),
            published: Date::parse(day).ok(),
            cents: *cents,
        };
        Spending {
            origin: origin(line, exported),
            restates,
            items: items.iter().map(expense).collect(),
        }
    }

    #[test]
    fn the_newest_final_amount_of_a_contractor_is_its_contracts() {
        let mut ledger = Ledger::default();
        for (line, exported, name, amount) in [
            (1, 20, "ABC inc.", 90.0),
            (2, 10, "ABC Inc", 80.0),
            (3, 10, "Other", 1.0),
        ] {
            let row = Final {
                origin: origin(line, exported),
                contractor: contractor(name),
                amount: Some(amount),
                end: Date::parse("2018-01-31").ok(),
            };
            ledger.remember_final("1".to_owned(), row);
        }
        let mut contracts = [contract("ABC inc", 100.0)];
        let mut tallies = [Tally::default()];
        ledger.join("1", None, &mut contracts, &mut tallies);
        assert_eq!(contracts[0].number("contract_value"), Some(90.0));
        assert_eq!(contracts[0].number("original_value"), Some(100.0));
        assert_eq!(contracts[0].text("end_date"), Some("2018-01-31"));
        assert_eq!(tallies[0].merged, 2);
        assert_eq!(tallies[0].skipped[NO_CONTRACT].first_line, 3);
    }

    #[test]
    fn one_final_amount_is_never_given_to_two_contracts() {
        let mut ledger = Ledger::default();
        ledger.remember_spending("1".to_owned(), spending(7, 1, false, &[("ABC", "2018-01-02", 500)]));
        let mut contracts = [contract("ABC", 1.0), contract("ABC", 2.0)];
        let mut tallies = [Tally::default()];
        ledger.join("1", None, &mut contracts, &mut tallies);
        assert_eq!(tallies[0].skipped[SEVERAL_CONTRACTS].first_line, 7);
        assert!(
            contracts
                .iter()
                .all(|contract| contract.number("extra_spending").is_none())
        );
    }

    #[test]
    fn repeated_spending_counts_once() {
        let sum = |rows: Vec<Spending>| standing(rows).iter().map(|item| item.cents).sum::<i64>();
        let month = || spending(1, 10, false, &[("A", "2018-01-02", 100), ("A", "2018-01-02", 100)]);
        assert_eq!(sum(vec![month()]), 200);
        let repeated = spending(2, 10, false, &[("A", "2018-01-02", 100), ("A", "2018-01-02", 100)]);
        assert_eq!(sum(vec![month(), repeated]), 200);
        let next = spending(3, 20, false, &[("A", "2018-02-05", 7)]);
        assert_eq!(sum(vec![next.clone(), month()]), 207);
        let restated = spending(4, 20, true, &[("A", "2018-01-02", 90), ("A", "2018-02-05", 7)]);
        assert_eq!(sum(vec![restated.clone(), month(), next]), 97);
        assert_eq!(sum(vec![restated, spending(5, 30, true, &[])]), 0);
    }

    #[test]
    fn rows_without_a_notice_are_accounted_for() {
        let mut ledger = Ledger::default();
        ledger.remember_spending("9".to_owned(), spending(4, 1, false, &[]));
        let mut tallies = [Tally::default()];
        ledger.finish(&mut tallies);
        assert_eq!(tallies[0].skipped_rows(), 1);
    }
}
