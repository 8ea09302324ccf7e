//! The awards of an OCDS release of SEAO: each produces a contract with its first supplier.
//!
//! `awards[].value` is the awarded amount and identifies the contract, as in the XML era.
//! `contracts[].value` is the current or final amount. Losing bidders are listed next to the
//! winners in `parties`, `tenderers` and `bids`; they produce nothing.

use std::{borrow::Cow, collections::HashMap};

use serde_json::{Value, json};

use crate::model::{Date, EntityType, fold::fold, supplier_mention::SupplierMention};
use crate::sources::{
    reading::{DraftRecord, RowBudget, array_at, text, text_at},
    seao::{
        codes::{self, BidUnit},
        common::{
            AwardAmounts, FIELDS_FROM_TENDER, SEAO_OCDS, cents, contract_record_id, is_same_amount, neq,
            vendor_country, vendor_province,
        },
        ocds_release::{ReleaseNotice, StatusLabels, index_by},
    },
};

/// What the awards of one release are looked up in.
struct AwardContext<'a> {
    /// By the id of their award.
    contracts: HashMap<String, &'a Value>,
    /// By their id.
    lots: HashMap<String, &'a Value>,
    /// By supplier id.
    winners: HashMap<String, WinnerBids>,
}

/// The number of a supplier's awards, and its bids.
#[derive(Default)]
struct WinnerBids {
    award_count: usize,
    /// Amount and unit of the first bid.
    first: Option<(Option<f64>, BidUnit)>,
    by_cents: HashMap<i64, WinningBid>,
}

struct WinningBid {
    amount: f64,
    unit: BidUnit,
    /// Ids of the lots with this amount. At most two, because only a single one is used.
    lots: Vec<String>,
}

struct AwardedSupplier<'a> {
    /// Empty if the award states none.
    id: String,
    name: String,
    /// The release's party with this id; null if there is none.
    party: &'a Value,
}

impl<'a> ReleaseNotice<'a> {
    /// One contract per successful award, with the line for its notes. An error is the reason for
    /// which the release is skipped.
    pub(crate) fn contracts(
        &mut self,
        number: &str,
        tender: &DraftRecord,
    ) -> Result<Vec<(u64, DraftRecord)>, &'static str> {
        let context = self.award_context();
        let mut budget = RowBudget::new();
        let mut contracts = Vec::new();
        for award in array_at(self.release, "/awards") {
            let status = text_at(award, "/status");
            if matches!(status.as_deref(), Some("cancelled" | "unsuccessful")) {
                self.note("a cancelled or unsuccessful award, no contract recorded");
            } else if let Some(supplier) = self.supplier(award) {
                let contract = self.contract(number, award, supplier, tender, &context);
                budget.take(&contract)?;
                contracts.push((self.line, contract));
            }
        }
        Ok(contracts)
    }

    /// Keeps what the release states about its suppliers and bidders.
    pub(crate) fn mention_parties(&mut self) {
        let day = text_at(self.release, "/date").and_then(|date| Date::parse_prefix(&date).ok());
        for party in array_at(self.release, "/parties") {
            let roles = array_at(party, "/roles").iter().filter_map(Value::as_str);
            let mut roles = roles.filter(|role| matches!(*role, "supplier" | "tenderer"));
            let name = text_at(party, "/name");
            let (Some(_), Some(name)) = (roles.next(), name.as_deref().and_then(text::organization)) else {
                continue;
            };
            let part = |pointer: &str| text_at(party, pointer);
            let postal_code = part("/address/postalCode").as_deref().and_then(text::postal_code);
            let mention = SupplierMention::of(&name, SEAO_OCDS);
            let mention = mention.at(part("/address/locality").as_deref(), postal_code.as_deref());
            let id = part("/id").unwrap_or_default();
            let neq = part("/details/neq").filter(|neq| !neq.trim().is_empty());
            let neq = neq.or_else(|| id.strip_prefix("FO-").filter(|neq| neq.len() == 10).map(str::to_owned));
            self.counts
                .suppliers
                .add_with_neq(mention, &neq.unwrap_or_default(), day);
        }
    }

    /// The first supplier of an award; `None` if it has no name.
    fn supplier(&mut self, award: &'a Value) -> Option<AwardedSupplier<'a>> {
        let suppliers = array_at(award, "/suppliers");
        if suppliers.len() > 1 {
            self.note("an award to several suppliers, recorded under the first");
        }
        let supplier = suppliers.first().unwrap_or(&Value::Null);
        let id = text_at(supplier, "/id").unwrap_or_default();
        let party = self.party(&id).unwrap_or(&Value::Null);
        let name = text_at(supplier, "/name").or_else(|| text_at(party, "/name"));
        let Some(name) = name.as_deref().and_then(text::organization) else {
            self.note("a winner without a name, no contract recorded");
            return None;
        };
        let name = name.into_owned();
        Some(AwardedSupplier { id, name, party })
    }

    fn award_context(&mut self) -> AwardContext<'a> {
        let release = self.release;
        let mut winners: HashMap<String, WinnerBids> = HashMap::new();
        for award in array_at(release, "/awards") {
            let supplier = text_at(award, "/suppliers/0/id").unwrap_or_default();
            winners.entry(supplier).or_default().award_count += 1;
        }
        for bid in array_at(release, "/bids") {
            let Some(winner) = text_at(bid, "/id").and_then(|bidder| winners.get_mut(&bidder)) else {
                continue;
            };
            let unit = text_at(bid, "/valueUnit").unwrap_or_default();
            if !codes::is_known_unit(&unit) {
                self.note_unknown("valueUnit", &unit);
            }
            let (amount, unit) = (self.money(bid, "/value"), BidUnit::of(&unit));
            winner.first.get_or_insert((amount, unit));
            let Some(amount) = amount else { continue };
            let lots = Vec::new();
            let known = winner
                .by_cents
                .entry(cents(amount))
                .or_insert(WinningBid { amount, unit, lots });
            let related = array_at(bid, "/relatedLots").iter().filter_map(|lot| text_at(lot, ""));
            let room = 2 - known.lots.len();
            known.lots.extend(related.take(room));
        }
        AwardContext {
            contracts: index_by(release, "/contracts", "/awardID"),
            lots: index_by(release, "/tender/lots", "/id"),
            winners,
        }
    }

    fn contract(
        &mut self,
        number: &str,
        award: &'a Value,
        supplier: AwardedSupplier<'a>,
        tender: &DraftRecord,
        context: &AwardContext<'a>,
    ) -> DraftRecord {
        let award_id = text_at(award, "/id");
        let winner = context.winners.get(&supplier.id);
        let signed = award_id.as_deref().and_then(|id| context.contracts.get(id).copied());
        let signed = signed.unwrap_or(&Value::Null);

        let mut contract = DraftRecord::new(EntityType::Contract);
        contract.copy(tender, &FIELDS_FROM_TENDER);
        let neq = neq(&text_at(supplier.party, "/details/neq").unwrap_or_default())
            .or_else(|| neq(supplier.id.strip_prefix("FO-").unwrap_or_default()));
        let award_date = self.day(award, "/date").map(|day| day.to_string());
        let awarded = self.awarded_amounts(award, winner);
        let current = AwardAmounts {
            amount: self.money(signed, "/value/amount").or(awarded.amount),
            ..awarded
        };
        let id = contract_record_id(
            number,
            neq.as_deref(),
            &supplier.name,
            award_date.as_deref(),
            awarded.amount.or(current.amount).unwrap_or(0.0),
        );
        contract.set("record_id", Some(id));
        contract.set("contract_id", award_id);
        contract.set("award_date", award_date);
        if let Some(lot) = lot_title(winner, awarded.amount, &context.lots) {
            let title = contract.text("title_fr").map(|title| format!("{title} : {lot}"));
            contract.set("title_fr", Some(title.unwrap_or(lot)));
        }
        contract.set("vendor_name", Some(supplier.name));
        if !supplier.id.is_empty() {
            contract.set("vendor_id", Some(supplier.id));
        }
        self.set_address(&mut contract, supplier.party);
        set_amounts(&mut contract, &awarded, &current);
        contract.set("currency", Some(currency(&awarded, signed, award)));
        self.set_progress(&mut contract, signed);
        contract
    }

    /// The awarded amounts, with the unit of the winner's bid of the same amount, or else of its
    /// first bid. `totalAmount` is the sum of the winner's awards over all lots. It is the total of
    /// this award only if it is the winner's only award and the amount is a rate.
    fn awarded_amounts(&mut self, award: &Value, winner: Option<&WinnerBids>) -> AwardAmounts {
        let amount = self.money(award, "/value/amount");
        let same_amount = amount.and_then(|amount| winner?.by_cents.get(&cents(amount)));
        let (bid, unit) = match same_amount {
            Some(bid) => (Some(bid.amount), bid.unit),
            None => winner
                .and_then(|winner| winner.first)
                .unwrap_or((None, BidUnit::Dollars)),
        };
        let is_only_award = winner.is_some_and(|winner| winner.award_count == 1);
        let total = self.money(award, "/value/totalAmount");
        AwardAmounts {
            bid,
            amount,
            total: if is_only_award && unit == BidUnit::Rate {
                total
            } else {
                None
            },
            unit,
        }
    }

    fn set_address(&mut self, contract: &mut DraftRecord, party: &Value) {
        let part = |name: &str| text_at(party, &format!("/address/{name}"));
        let province = part("region").as_deref().and_then(vendor_province);
        let mut city = part("locality");
        // The default of the publisher's form, which suppliers of other provinces left unchanged.
        if province.as_deref().is_some_and(|code| code != "QC")
            && city.as_deref().map(fold).as_deref() == Some("quebec")
        {
            self.note("the city Québec of a supplier outside Quebec, left out");
            city = None;
        }
        let lines = [part("streetAddress"), city.clone(), part("region"), part("postalCode")];
        let lines = lines.iter().flatten().map(|line| line.trim_end_matches([',', ' ']));
        let lines = lines.filter(|line| !line.is_empty()).map(Cow::from);
        contract.set("supplier_address", text::joined(lines.collect(), ", "));
        contract.set("vendor_city", city);
        contract.set("vendor_province", province);
        let postal_code = part("postalCode");
        contract.set("vendor_postal_code", postal_code.as_deref().and_then(text::postal_code));
        let country = part("countryName");
        let code = country.as_deref().and_then(vendor_country);
        if let (Some(country), None) = (country, &code) {
            self.note_unknown("countryName", &country);
        }
        contract.set("vendor_country", code);
    }

    /// Sets the dates, status and amendments of the signed contract.
    fn set_progress(&mut self, contract: &mut DraftRecord, signed: &Value) {
        contract.set("start_date", self.day(signed, "/dateSigned").map(|day| day.to_string()));
        contract.set(
            "end_date",
            self.day(signed, "/period/endDate").map(|day| day.to_string()),
        );
        if let Some(status) = text_at(signed, "/status") {
            self.set_status(contract, status, &CONTRACT_STATUSES);
        }
        let amendments = array_at(signed, "/amendments");
        if !amendments.is_empty() {
            contract.set("amendment_count", Some(json!(amendments.len())));
        }
        let days = amendments.iter().filter_map(|amendment| self.day(amendment, "/date"));
        contract.set("amendment_date", days.max().map(|day| day.to_string()));
    }
}

fn set_amounts(contract: &mut DraftRecord, awarded: &AwardAmounts, current: &AwardAmounts) {
    let (original, value) = (awarded.value(), current.value());
    contract.set("contract_value", value);
    if let (Some(was), Some(is)) = (original, value)
        && !is_same_amount(is, was)
    {
        contract.set("original_value", original);
    }
}

/// US dollars if the bid is in them; otherwise the stated currency if it looks like an ISO 4217
/// code.
fn currency(awarded: &AwardAmounts, signed: &Value, award: &Value) -> String {
    let stated = text_at(signed, "/value/currency").or_else(|| text_at(award, "/value/currency"));
    match stated {
        Some(code)
            if awarded.unit != BidUnit::UsDollars
                && code.len() == 3
                && code.bytes().all(|b| b.is_ascii_uppercase()) =>
        {
            code
        }
        _ => awarded.currency().to_owned(),
    }
}

/// The title of the lot that was won. Awards do not name it, but the winner's only bid of the same
/// amount may.
fn lot_title(winner: Option<&WinnerBids>, amount: Option<f64>, lots: &HashMap<String, &Value>) -> Option<String> {
    match winner?.by_cents.get(&cents(amount?))?.lots.as_slice() {
        [lot] => text_at(lots.get(lot)?, "/title"),
        _ => None,
    }
}

const CONTRACT_STATUSES: [StatusLabels; 4] = [
    ("active", "Active", "En vigueur"),
    ("terminated", "Terminated", "Terminé"),
    ("cancelled", "Cancelled", "Annulé"),
    ("pending", "Pending", "En attente"),
];
