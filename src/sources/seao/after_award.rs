//! What SEAO's XML exports state about contracts after the award: completion with the final amount,
//! and spending beyond the contract amount.
//!
//! Both come in files of their own, months or years after the notice, and name a notice and a
//! contractor. Each row becomes an annotation of the notice, and [`apply`] adds it to the notice's
//! contracts when the notice is merged.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::model::{Date, fold::fold};
use crate::sources::{
    reading::{DraftRecord, GroupMember, Recency},
    seao::common::is_same_amount,
};

/// Identifies a contractor by enterprise number if both sides have one, otherwise by folded name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Contractor {
    /// The enterprise number (NEQ).
    pub(crate) neq: Option<String>,
    pub(crate) folded_name: String,
}

/// An enterprise number (`true`) or a folded name (`false`) of a contractor.
type ContractorKey = (bool, String);

impl Contractor {
    /// The keys that identify the contractor. One match is enough, because an export may lack the
    /// enterprise number that another export has.
    fn keys(&self) -> impl Iterator<Item = ContractorKey> + use<> {
        let neq = self.neq.clone().map(|neq| (true, neq));
        neq.into_iter().chain([(false, self.folded_name.clone())])
    }

    fn of(contract: &DraftRecord) -> Contractor {
        let neq = contract.text("vendor_id").and_then(|id| id.strip_prefix("FO-"));
        Contractor {
            neq: neq.map(str::to_owned),
            folded_name: contract.text("vendor_name").map(fold).unwrap_or_default(),
        }
    }
}

/// The positions of a notice's contracts by contractor. At most two per key: with several, the row
/// does not say which one it means.
struct ContractsByContractor(HashMap<ContractorKey, Vec<usize>>);

impl ContractsByContractor {
    fn of(contracts: &[DraftRecord]) -> ContractsByContractor {
        let mut by_key: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, contract) in contracts.iter().enumerate() {
            for key in Contractor::of(contract).keys() {
                let positions = by_key.entry(key).or_default();
                if positions.len() < 2 {
                    positions.push(at);
                }
            }
        }
        ContractsByContractor(by_key)
    }

    /// The position of the contractor's only contract, or the reason why there is none.
    fn only(&self, contractor: &Contractor) -> Result<usize, &'static str> {
        let mut positions: Vec<usize> = Vec::new();
        for at in contractor.keys().filter_map(|key| self.0.get(&key)).flatten() {
            if !positions.contains(at) {
                positions.push(*at);
            }
        }
        match positions.as_slice() {
            [] => Err(NO_CONTRACT),
            [only] => Ok(*only),
            _ => Err(SEVERAL_CONTRACTS),
        }
    }
}

/// The content of one row, as stored in its annotation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum AfterAward {
    Completion(Completion),
    Spending(SpendingReport),
}

/// A contract's end date and final amount.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Completion {
    pub(crate) contractor: Contractor,
    pub(crate) final_amount: Option<f64>,
    pub(crate) end_date: Option<Date>,
}

/// The spending on a notice, as one export states it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SpendingReport {
    /// Whether it lists all spending so far (a revision) or only that of the month.
    pub(crate) is_cumulative: bool,
    pub(crate) expenses: Vec<Expense>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Expense {
    pub(crate) contractor: Contractor,
    pub(crate) published: Option<Date>,
    pub(crate) cents: i64,
}

/// The recency of a row: the last day of its export, as days since 1970.
pub(crate) fn recency(export_day: i64) -> Recency {
    Recency(u64::try_from(export_day).unwrap_or(0), 0)
}

const NO_CONTRACT: &str = "no contract of this notice and contractor in these files";
const SEVERAL_CONTRACTS: &str =
    "the contractor has several contracts on this notice, and the row does not say which one it means";
const UNREADABLE: &str = "an annotation that could not be read back from the spool";

/// Applies the annotations of one notice, sorted oldest first, to its contracts. Sets the skip
/// reason of each annotation that matches no contract.
///
/// If the notice itself states final amounts, `released` is its recency: older completions are
/// ignored.
pub(crate) fn apply(annotations: &mut [GroupMember], released: Option<Recency>, contracts: &mut [DraftRecord]) {
    let by_contractor = ContractsByContractor::of(contracts);
    let mut is_completed = vec![false; contracts.len()];
    let mut reports = Vec::new();
    // Newest first, because the newest completion of a contract wins. In one export, the later row
    // is the newer.
    for annotation in annotations.iter_mut().rev() {
        let content = annotation.annotation.as_ref().map(AfterAward::deserialize);
        let matched = match content {
            Some(Ok(AfterAward::Completion(completion))) => by_contractor.only(&completion.contractor).map(|at| {
                let is_newer = released.is_none_or(|notice| notice < annotation.recency);
                if is_newer && !is_completed[at] {
                    is_completed[at] = true;
                    completion.apply(&mut contracts[at]);
                }
            }),
            Some(Ok(AfterAward::Spending(report))) => {
                let matches = report
                    .expenses
                    .iter()
                    .map(|expense| by_contractor.only(&expense.contractor));
                let matched = matches.reduce(Result::or).map_or(Ok(()), |found| found.map(drop));
                reports.push((annotation.recency, report));
                matched
            }
            Some(Err(_)) | None => Err(UNREADABLE),
        };
        annotation.skipped = matched.err();
    }
    reports.reverse();
    let mut cents = vec![None; contracts.len()];
    for expense in current_expenses(reports) {
        if let Ok(at) = by_contractor.only(&expense.contractor) {
            *cents[at].get_or_insert(0) += expense.cents;
        }
    }
    for (contract, cents) in contracts.iter_mut().zip(cents) {
        contract.set("extra_spending", cents.map(|cents: i64| cents as f64 / 100.0));
    }
}

/// Skips the annotations of a notice that is in none of the files.
pub(crate) fn skip_all(annotations: &mut [GroupMember]) {
    for annotation in annotations {
        annotation.skipped = Some(NO_CONTRACT);
    }
}

impl Completion {
    fn apply(&self, contract: &mut DraftRecord) {
        contract.set("end_date", self.end_date.map(|day| day.to_string()));
        contract.set("status", Some("Expired"));
        contract.set("status_en", Some("Completed"));
        contract.set("status_fr", Some("Terminé"));
        if let Some(amount) = self.final_amount {
            let awarded = contract.number("contract_value");
            if !contract.has("original_value") {
                contract.set(
                    "original_value",
                    awarded.filter(|awarded| !is_same_amount(*awarded, amount)),
                );
            }
            contract.set("contract_value", Some(amount));
        }
    }
}

/// The expenses that remain after all exports. A cumulative report replaces everything before it.
/// Otherwise the expenses of a contractor and publication day replace those of an older export for
/// the same contractor and day, because monthly and cumulative exports repeat each other.
fn current_expenses(mut reports: Vec<(Recency, SpendingReport)>) -> Vec<Expense> {
    reports.sort_by_key(|(recency, report)| (*recency, report.is_cumulative, report.expenses.len()));
    let mut current: Vec<Expense> = Vec::new();
    let mut replaced = HashSet::new();
    let keys = |expense: &Expense| {
        let published = expense.published;
        expense.contractor.keys().map(move |key| (published, key))
    };
    // Newest first: an expense remains unless a newer export has one for its contractor and day.
    for (_, report) in reports.into_iter().rev() {
        let reported: Vec<_> = report.expenses.iter().flat_map(keys).collect();
        let is_current = |expense: &Expense| keys(expense).all(|key| !replaced.contains(&key));
        current.extend(report.expenses.into_iter().filter(is_current));
        if report.is_cumulative {
            break;
        }
        replaced.extend(reported);
    }
    current
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityType;

    fn contractor(name: &str) -> Contractor {
        Contractor {
            neq: None,
            folded_name: fold(name),
        }
    }

    fn annotation(line: u64, export_day: i64, content: &AfterAward) -> GroupMember {
        GroupMember {
            key: String::new(),
            recency: recency(export_day),
            records: Vec::new(),
            bids: None,
            annotation: serde_json::to_value(content).ok(),
            skipped: None,
            file: 0,
            line,
        }
    }

    fn contract(name: &str, value: f64) -> DraftRecord {
        let mut record = DraftRecord::new(EntityType::Contract);
        record.set("vendor_name", Some(name));
        record.set("contract_value", Some(value));
        record
    }

    fn report(export_day: i64, is_cumulative: bool, expenses: &[(&str, &str, i64)]) -> (Recency, SpendingReport) {
        let expense = |(name, day, cents): &(&str, &str, i64)| Expense {
            contractor: contractor(name),
            published: Date::parse(day).ok(),
            cents: *cents,
        };
        let expenses = expenses.iter().map(expense).collect();
        let report = SpendingReport {
            is_cumulative,
            expenses,
        };
        (recency(export_day), report)
    }

    #[test]
    fn newest_final_amount_of_the_contractor_becomes_the_contract_value() {
        let rows = [
            (3, 10, "Other", 1.0),
            (2, 10, "ABC Inc", 80.0),
            (1, 20, "ABC inc.", 90.0),
        ];
        let mut annotations = rows.map(|(line, export_day, name, amount)| {
            let completion = Completion {
                contractor: contractor(name),
                final_amount: Some(amount),
                end_date: Date::parse("2018-01-31").ok(),
            };
            annotation(line, export_day, &AfterAward::Completion(completion))
        });
        let mut contracts = [contract("ABC inc", 100.0)];
        apply(&mut annotations, None, &mut contracts);
        assert_eq!(contracts[0].number("contract_value"), Some(90.0));
        assert_eq!(contracts[0].number("original_value"), Some(100.0));
        assert_eq!(contracts[0].text("end_date"), Some("2018-01-31"));
        assert_eq!(
            annotations.map(|annotation| annotation.skipped),
            [Some(NO_CONTRACT), None, None]
        );
    }

    #[test]
    fn spending_is_not_assigned_to_one_of_several_contracts() {
        let (_, report) = report(1, false, &[("ABC", "2018-01-02", 500)]);
        let mut annotations = [annotation(7, 1, &AfterAward::Spending(report))];
        let mut contracts = [contract("ABC", 1.0), contract("ABC", 2.0)];
        apply(&mut annotations, None, &mut contracts);
        assert_eq!(annotations[0].skipped, Some(SEVERAL_CONTRACTS));
        assert!(contracts.iter().all(|contract| !contract.has("extra_spending")));
    }

    #[test]
    fn repeated_spending_counts_once() {
        let sum = |reports| -> i64 { current_expenses(reports).iter().map(|expense| expense.cents).sum() };
        let month = || report(10, false, &[("A", "2018-01-02", 100), ("A", "2018-01-02", 100)]);
        assert_eq!(sum(vec![month()]), 200);
        assert_eq!(sum(vec![month(), month()]), 200);
        let next = report(20, false, &[("A", "2018-02-05", 7)]);
        assert_eq!(sum(vec![next.clone(), month()]), 207);
        let cumulative = report(20, true, &[("A", "2018-01-02", 90), ("A", "2018-02-05", 7)]);
        assert_eq!(sum(vec![cumulative.clone(), month(), next]), 97);
        assert_eq!(sum(vec![cumulative, report(30, true, &[])]), 0);
    }
}
