//! What both eras of SEAO share: source ids, contract identifiers, field values.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::model::{bids::is_enterprise_number, countries, fold::fold, municipality};
use crate::sources::{
    reading::{DraftRecord, text},
    seao::codes::BidUnit,
};

/// Source id of the XML exports. It is also the key of their rows in a notice's merge group, so the
/// newest row of each era reaches the merge.
pub(crate) const SEAO_XML: &str = "seao-xml";

/// Source id, and key of the rows, of the OCDS releases.
pub(crate) const SEAO_OCDS: &str = "seao-ocds";

/// The publisher's registered OCDS prefix: every `ocid` begins with it.
pub(crate) const OCID_PREFIX: &str = "ocds-ec9k95-";

/// The `record_id` of a contract: notice number, contractor, award date and awarded amount. These
/// are the only facts that both eras state about a contract.
pub(crate) fn contract_record_id(
    number: &str,
    neq: Option<&str>,
    vendor: &str,
    award_date: Option<&str>,
    amount: f64,
) -> String {
    let contractor = neq.map_or_else(|| fold(vendor), str::to_owned);
    let date = award_date.unwrap_or("");
    format!("seao|{number}|{contractor}|{date}|{amount:.2}")
}

/// Disambiguates the contracts of one notice that share a [`contract_record_id`]. Each comes with
/// its line.
///
/// Contracts with the same `contract_id` are one contract listed twice. Where awards have no id,
/// contracts with identical values are (exports repeat a winner's whole entry, but not those of the
/// losing bidders). Only the first of them stays; `on_repeated` is called with the line of each
/// other. The remaining ones are lots with the same price: all but the first get a lot number as
/// suffix. Lots are ordered by their id or values, not by their order in the file.
pub(crate) fn disambiguate_lots(
    contracts: Vec<(u64, DraftRecord)>,
    mut on_repeated: impl FnMut(u64),
) -> Vec<DraftRecord> {
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, (_, contract)) in contracts.iter().enumerate() {
        by_id.entry(contract.id()).or_default().push(at);
    }
    let mut lot_numbers = vec![None; contracts.len()];
    for same_id in by_id.into_values() {
        if let [only] = same_id.as_slice() {
            lot_numbers[*only] = Some(1);
            continue;
        }
        let mut lots: Vec<(String, usize)> = same_id.iter().map(|at| (lot_key(&contracts[*at].1), *at)).collect();
        lots.sort();
        lots.dedup_by(|(key, _), (first, _)| key == first);
        for ((_, at), number) in lots.into_iter().zip(1..) {
            lot_numbers[at] = Some(number);
        }
    }
    let mut distinct = Vec::with_capacity(contracts.len());
    for ((line, mut contract), lot_number) in contracts.into_iter().zip(lot_numbers) {
        let Some(number) = lot_number else {
            on_repeated(line);
            continue;
        };
        if number > 1 {
            let id = format!("{}|{number}", contract.id());
            contract.set("record_id", Some(id));
        }
        distinct.push(contract);
    }
    distinct
}

/// What orders and identifies lots of the same price: the contract's id, padded so that numbers
/// sort by value; without an id, all values.
fn lot_key(contract: &DraftRecord) -> String {
    match contract.text("contract_id") {
        Some(id) => format!("{:8}{id}", id.len()),
        None => contract.fields.to_json(),
    }
}

/// The slug of a buyer's municipality, and its level of government.
pub(crate) fn municipality_and_level(is_municipal: bool, buyer: &str, city: &str) -> (String, &'static str) {
    if is_municipal {
        (municipality::of_quebec_buyer(buyer, city).to_owned(), "municipal")
    } else {
        (municipality::QUEBEC_PROVINCIAL.to_owned(), "provincial")
    }
}

/// The fields that a contract copies from the tender of its notice.
#[rustfmt::skip]
pub(crate) const FIELDS_FROM_TENDER: [&str; 25] = [
    "municipality", "publication_date", "title_fr", "department_fr", "buyer_name", "buyer_id", "procurement_category", "category",
    "notice_type_en", "notice_type_fr", "procurement_method", "procurement_method_en", "procurement_method_fr",
    "reference_number", "solicitation_number", "ocid", "unspsc", "unspsc_description_fr", "regions_of_delivery_fr", "eligibility", "notice_url",
    "government_level", "province", "source_url", "fetched_at",
];

/// A Quebec enterprise number (NEQ): ten digits, of which the first two state the legal form. Other
/// values are typing errors or placeholders.
pub(crate) fn neq(raw: &str) -> Option<String> {
    let number = text::line(raw)?;
    is_enterprise_number(&number).then_some(number)
}

/// The amounts of an award. `unit` is the unit of the bid. The contract's amount is in dollars,
/// unless the buyer repeated the rate there.
pub(crate) struct AwardAmounts {
    pub(crate) bid: Option<f64>,
    pub(crate) amount: Option<f64>,
    pub(crate) total: Option<f64>,
    pub(crate) unit: BidUnit,
}

impl AwardAmounts {
    /// The contract's value. If the unit is a rate ($/h, $/year, %), an amount below twice the bid
    /// is the rate repeated, not a value. A total is a value with any unit.
    pub(crate) fn value(&self) -> Option<f64> {
        let repeats_rate =
            |amount: f64| self.unit == BidUnit::Rate && self.bid.is_none_or(|bid| amount.abs() < 2.0 * bid.abs());
        let total = self.total.filter(|total| *total != 0.0);
        total.or(self.amount.filter(|amount| *amount != 0.0 && !repeats_rate(*amount)))
    }

    /// The amount in the contract's `record_id`: as the notice states it, whether it is a value or
    /// a rate. 0 if the notice states none.
    pub(crate) fn identifying(&self) -> f64 {
        self.amount.or(self.total).unwrap_or(0.0)
    }

    pub(crate) fn currency(&self) -> &'static str {
        match self.unit {
            BidUnit::UsDollars => "USD",
            BidUnit::Dollars | BidUnit::Rate => "CAD",
        }
    }
}

/// The `documents` of a notice that has only its page.
pub(crate) fn documents(page: &str) -> Value {
    json!([{"doc_index": 0, "url": page, "document_type": "tenderNotice", "language": "fr"}])
}

/// `0` means that no province was entered; `NF` is the former code of Newfoundland and Labrador.
pub(crate) fn vendor_province(raw: &str) -> Option<String> {
    let code = text::line(raw).filter(|code| code != "0")?.to_uppercase();
    Some(if code == "NF" { "NL".to_owned() } else { code })
}

/// The two-letter country code; `None` for a name or code that is not in the table of countries.
pub(crate) fn vendor_country(raw: &str) -> Option<String> {
    let code = countries::code(text::line(raw)?.to_uppercase().into());
    (code.len() == 2).then(|| code.into_owned())
}

/// An amount in cents, by which equal amounts are found.
pub(crate) fn cents(amount: f64) -> i64 {
    (amount * 100.0).round() as i64
}

/// Whether two amounts are equal to the cent.
pub(crate) fn is_same_amount(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.005
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_not_a_contract_value() {
        for (unit, bid, amount, total, value) in [
            ("1", 100.0, 90.0, 0.0, Some(90.0)),
            ("0", 0.0, 292964.0, 0.0, Some(292964.0)),
            ("7", 62500.0, 62500.0, 0.0, Some(62500.0)),
            ("10", 74.95, 74.95, 0.0, None),
            ("10", 21.25, 130050.0, 0.0, Some(130050.0)),
            ("4", 0.9903, 1.01, 0.0, None),
            ("2", 314454.57, 314454.57, 1593700.0, Some(1593700.0)),
            ("8", 83.0, 846906.42, 0.0, Some(846906.42)),
            ("13", 139.8, 44602.57, 0.0, Some(44602.57)),
            ("1", 0.0, 0.0, 0.0, None),
            ("1", 500.0, -500.0, 0.0, Some(-500.0)),
            ("10", 80.0, -80.0, 0.0, None),
        ] {
            let nonzero = |amount: f64| Some(amount).filter(|amount| *amount != 0.0);
            let amounts = AwardAmounts {
                bid: nonzero(bid),
                amount: nonzero(amount),
                total: nonzero(total),
                unit: BidUnit::of(unit),
            };
            assert_eq!(amounts.value(), value, "unit {unit}, bid {bid}, amount {amount}");
        }
    }

    #[test]
    fn enterprise_numbers_are_validated() {
        assert_eq!(neq(" 1142700724 ").as_deref(), Some("1142700724"));
        for invalid in ["1234567890", "114270072", "11427007244", "11x2700724", ""] {
            assert_eq!(neq(invalid), None, "{invalid}");
        }
    }
}
