//! The awards of an OCDS release of SEAO, as contracts: one an award, by its first supplier.
//!
//! `awards[].value` is what was awarded and identifies the contract, as in the XML era; `contracts[].value` is its
//! current or final amount. Bidders who lost stand beside winners in `parties`, `tenderers` and `bids`, and give nothing.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::model::{entity_type::EntityType, fold::fold};
use crate::sources::{
    reading::{
        intake::Record,
        json::{list, word},
        text,
    },
    seao::{
        Awarded, OF_THE_NOTICE,
        codes::{self, Unit},
        contract_record_id, neq,
        ocds::{Notice, Words, by_word, same_money},
        vendor_country, vendor_province,
    },
};

/// What the awards of one release are looked up in.
struct Told<'a> {
    contracts: HashMap<String, &'a Value>,
    lots: HashMap<String, &'a Value>,
    winners: HashMap<String, Winner>,
}

/// A supplier's awards, counted, and its bids.
#[derive(Default)]
struct Winner {
    awards: usize,
    first: Option<(Option<f64>, Unit)>,
    /// By cents.
    bids: HashMap<i64, Bid>,
}

struct Bid {
    value: f64,
    unit: Unit,
    /// At most two: whether there is one is the question.
    lots: Vec<String>,
}

fn cents(amount: f64) -> i64 {
    (amount * 100.0).round() as i64
}

impl<'a> Notice<'a> {
    /// One an award that came to something, with the line to speak of.
    pub fn contracts(&mut self, number: &str, tender: &Record) -> Vec<(u64, Record)> {
        let told = self.told();
        let mut contracts = Vec::new();
        for award in list(self.release, "/awards") {
            if let Some(contract) = self.contract(number, award, tender, &told) {
                contracts.push((self.line, contract));
            }
        }
        contracts
    }

    fn told(&mut self) -> Told<'a> {
        let release = self.release;
        let mut winners: HashMap<String, Winner> = HashMap::new();
        for award in list(release, "/awards") {
            let supplier = word(award, "/suppliers/0/id").unwrap_or_default();
            winners.entry(supplier).or_default().awards += 1;
        }
        for bid in list(release, "/bids") {
            let Some(winner) = word(bid, "/id").and_then(|bidder| winners.get_mut(&bidder)) else {
                continue;
            };
            let unit = word(bid, "/valueUnit").unwrap_or_default();
            if !codes::is_known_unit(&unit) {
                self.note_unknown("valueUnit", &unit);
            }
            let (value, unit) = (self.money(bid, "/value"), Unit::of(&unit));
            winner.first.get_or_insert((value, unit));
            let Some(value) = value else { continue };
            let lots = Vec::new();
            let known = winner.bids.entry(cents(value)).or_insert(Bid { value, unit, lots });
            let related = list(bid, "/relatedLots").iter();
            let related = related.filter_map(|lot| word(&json!({"id": lot}), "/id"));
            let room = 2 - known.lots.len();
            known.lots.extend(related.take(room));
        }
        Told {
            contracts: by_word(release, "/contracts", "/awardID"),
            lots: by_word(release, "/tender/lots", "/id"),
            winners,
        }
    }

    fn contract(&mut self, number: &str, award: &'a Value, tender: &Record, told: &Told<'a>) -> Option<Record> {
        if word(award, "/status").is_some_and(|status| ["cancelled", "unsuccessful"].contains(&status.as_str())) {
            self.note("an award that was cancelled or came to nothing, no contract recorded");
            return None;
        }
        let suppliers = list(award, "/suppliers");
        let supplier = suppliers.first().unwrap_or(&Value::Null);
        if suppliers.len() > 1 {
            self.note("an award to several suppliers, recorded under the first");
        }
        let supplier_id = word(supplier, "/id").unwrap_or_default();
        let party = self.party(&supplier_id).unwrap_or(&Value::Null);
        let name = word(supplier, "/name").or_else(|| word(party, "/name"));
        let Some(vendor) = name.as_deref().and_then(text::organization) else {
            self.note("a winner without a name, no contract recorded");
            return None;
        };
        let award_id = word(award, "/id");
        let lot_titles = &told.lots;
        let winner = told.winners.get(&supplier_id);
        let told = award_id.as_deref().and_then(|id| told.contracts.get(id).copied());
        let told = told.unwrap_or(&Value::Null);

        let mut contract = Record::new(EntityType::Contract);
        for field in OF_THE_NOTICE {
            contract.set(field, tender.get(field));
        }
        let neq = neq(&word(party, "/details/neq").unwrap_or_default())
            .or_else(|| neq(supplier_id.strip_prefix("FO-").unwrap_or_default()));
        let award_date = self.day(award, "/date").map(|day| day.to_string());
        let awarded = self.awarded(award, winner);
        let current = Awarded {
            amount: self.money(told, "/value/amount").or(awarded.amount),
            ..awarded
        };
        let id = contract_record_id(
            number,
            neq.as_deref(),
            &vendor,
            award_date.as_deref(),
            awarded.amount.or(current.amount).unwrap_or_default(),
        );
        contract.set("record_id", Some(id));
        contract.set("contract_id", award_id);
        contract.set("award_date", award_date);
        if let Some(lot) = lot(winner, awarded.amount, lot_titles) {
            let title = contract.text("title_fr").map(|title| format!("{title} : {lot}"));
            contract.set("title_fr", Some(title.unwrap_or(lot)));
        }
        contract.set("vendor_name", Some(vendor));
        contract.set("vendor_id", Some(supplier_id).filter(|id| !id.is_empty()));
        self.set_address(&mut contract, party);
        contract.set("contract_value", current.value());
        contract.set(
            "original_value",
            awarded
                .value()
                .filter(|was| current.value().is_some_and(|is| !same_money(is, *was))),
        );
        let stated = word(told, "/value/currency").or_else(|| word(award, "/value/currency"));
        let stated = stated.filter(|code| code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase()));
        contract.set(
            "currency",
            Some(match awarded.unit {
                Unit::UsDollars => "USD".to_owned(),
                _ => stated.unwrap_or_else(|| awarded.currency().to_owned()),
            }),
        );
        contract.set("start_date", self.day(told, "/dateSigned").map(|day| day.to_string()));
        contract.set("end_date", self.day(told, "/period/endDate").map(|day| day.to_string()));
        if let Some(status) = word(told, "/status") {
            let (status, english, french) = self.in_words(status, &CONTRACT_STATUSES);
            contract.set("status", Some(status));
            contract.set("status_en", english);
            contract.set("status_fr", french);
        }
        let amendments = list(told, "/amendments");
        contract.set("amendment_count", (!amendments.is_empty()).then_some(amendments.len()));
        let latest = amendments
            .iter()
            .filter_map(|amendment| self.day(amendment, "/date"))
            .max();
        contract.set("amendment_date", latest.map(|day| day.to_string()));
        Some(contract)
    }

    /// What was awarded, by the unit of the winner's bid. `totalAmount` adds up the winner's awards of all lots, so it
    /// is the total of this one only where it is the winner's only one and the amount is a rate.
    fn awarded(&mut self, award: &Value, winner: Option<&Winner>) -> Awarded {
        let amount = self.money(award, "/value/amount");
        let matching = amount.and_then(|amount| winner?.bids.get(&cents(amount)));
        let (bid, unit) = match matching {
            Some(bid) => (Some(bid.value), bid.unit),
            None => winner.and_then(|winner| winner.first).unwrap_or((None, Unit::Dollars)),
        };
        let is_only = winner.is_some_and(|winner| winner.awards == 1);
        let total = self.money(award, "/value/totalAmount");
        Awarded {
            bid,
            amount,
            total: total.filter(|_| is_only && unit == Unit::Rate),
            unit,
        }
    }

    fn set_address(&mut self, contract: &mut Record, party: &Value) {
        let at = |name: &str| word(party, &format!("/address/{name}"));
        let province = at("region").as_deref().and_then(vendor_province);
        let mut city = at("locality");
        // The form's default, left standing by suppliers of other provinces.
        if province.as_deref().is_some_and(|code| code != "QC")
            && city.as_deref().map(fold).as_deref() == Some("quebec")
        {
            self.note("a supplier outside Quebec whose city reads Québec, left out");
            city = None;
        }
        let lines = [at("streetAddress"), city.clone(), at("region"), at("postalCode")];
        let lines: Vec<String> = lines
            .into_iter()
            .flatten()
            .map(|line| line.trim_end_matches([',', ' ']).to_owned())
            .filter(|line| !line.is_empty())
            .collect();
        contract.set("supplier_address", (!lines.is_empty()).then(|| lines.join(", ")));
        contract.set("vendor_city", city);
        contract.set("vendor_province", province);
        contract.set(
            "vendor_postal_code",
            at("postalCode").as_deref().and_then(text::postal_code),
        );
        let country = at("countryName");
        let code = country.as_deref().and_then(vendor_country);
        if let (Some(country), None) = (country, &code) {
            self.note_unknown("countryName", &country);
        }
        contract.set("vendor_country", code);
    }
}

/// The title of the lot that was won: awards do not name it, but the winner's bid of the same amount may.
fn lot(winner: Option<&Winner>, amount: Option<f64>, titled: &HashMap<String, &Value>) -> Option<String> {
    match winner?.bids.get(&cents(amount?))?.lots.as_slice() {
        [lot] => word(titled.get(lot)?, "/title"),
        _ => None,
    }
}

const CONTRACT_STATUSES: [Words; 4] = [
    ("active", "Active", "En vigueur"),
    ("terminated", "Terminated", "Terminé"),
    ("cancelled", "Cancelled", "Annulé"),
    ("pending", "Pending", "En attente"),
];
