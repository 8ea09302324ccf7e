//! The awards of an OCDS release of SEAO, as contracts: one an award, by its first supplier.
//!
//! `awards[].value` is what was awarded and identifies the contract, as in the XML era; `contracts[].value` is its
//! current or final amount. Bidders who lost stand beside winners in `parties`, `tenderers` and `bids`, and give nothing.

use serde_json::{Value, json};

use super::{
    intake::Record,
    json::{list, word},
    seao::{Awarded, OF_THE_NOTICE, contract_record_id, neq, vendor_country, vendor_province},
    seao_codes::{self, Unit},
    seao_ocds::{Notice, Words, same_money},
    table::postal_code,
    text,
};
use crate::{entity::EntityType, fold::fold};

impl<'a> Notice<'a> {
    pub fn contract(&mut self, number: &str, award: &'a Value, known: &[Record]) -> Option<Record> {
        let release = self.release;
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
        let of_award = |contract: &&Value| award_id.is_some() && word(contract, "/awardID") == award_id;
        let told = list(release, "/contracts")
            .iter()
            .find(of_award)
            .unwrap_or(&Value::Null);

        let mut contract = Record::new(EntityType::Contract);
        for field in OF_THE_NOTICE {
            contract.set(field, known.first()?.fields.get(field).cloned());
        }
        let neq = neq(&word(party, "/details/neq").unwrap_or_default())
            .or_else(|| neq(supplier_id.strip_prefix("FO-").unwrap_or_default()));
        let award_date = self.day(award, "/date").map(|day| day.to_string());
        let awarded = self.awarded(award, &supplier_id);
        let current = Awarded {
            amount: self.money(told, "/value/amount").or(awarded.amount),
            ..awarded
        };
        let mut id = contract_record_id(
            number,
            neq.as_deref(),
            &vendor,
            award_date.as_deref(),
            awarded.amount.or(current.amount).unwrap_or_default(),
        );
        if known.iter().any(|record| record.text("record_id") == Some(id.as_str())) {
            if award_id.is_none()
                || known
                    .iter()
                    .any(|record| record.text("contract_id") == award_id.as_deref())
            {
                self.note("an award listed twice, recorded once");
                return None;
            }
            // Two lots at one price on one day: nothing but the award's number tells them apart.
            id = format!("{id}|{}", award_id.as_deref().unwrap_or_default());
        }
        contract.set("record_id", Some(id));
        contract.set("contract_id", award_id);
        contract.set("award_date", award_date);
        if let Some(lot) = self.lot(&supplier_id, awarded.amount) {
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
    fn awarded(&mut self, award: &Value, supplier_id: &str) -> Awarded {
        let amount = self.money(award, "/value/amount");
        let mut bids = Vec::new();
        for bid in list(self.release, "/bids") {
            if word(bid, "/id").as_deref() == Some(supplier_id) {
                let unit = word(bid, "/valueUnit").unwrap_or_default();
                if !seao_codes::is_known_unit(&unit) {
                    self.note_unknown("valueUnit", &unit);
                }
                let unit = Unit::of(&unit);
                bids.push((self.money(bid, "/value"), unit));
            }
        }
        let matching = |(bid, _): &&(Option<f64>, Unit)| bid.zip(amount).is_some_and(|(a, b)| same_money(a, b));
        let (bid, unit) = match bids.iter().find(matching).or(bids.first()) {
            Some(bid) => *bid,
            None => (None, Unit::Dollars),
        };
        let theirs = |award: &&Value| word(award, "/suppliers/0/id").as_deref() == Some(supplier_id);
        let is_only = list(self.release, "/awards").iter().filter(theirs).count() == 1;
        let total = self.money(award, "/value/totalAmount");
        Awarded {
            bid,
            amount,
            total: total.filter(|_| is_only && unit == Unit::Rate),
            unit,
        }
    }

    /// The title of the lot that was won: awards do not name it, but the winner's bid of the same amount may.
    fn lot(&self, supplier_id: &str, amount: Option<f64>) -> Option<String> {
        let mut lots: Vec<String> = Vec::new();
        for bid in list(self.release, "/bids") {
            let value = word(bid, "/value").and_then(|value| text::given_amount(&value).ok().flatten());
            let is_winner = word(bid, "/id").as_deref() == Some(supplier_id);
            if is_winner && value.zip(amount).is_some_and(|(a, b)| same_money(a, b)) {
                let related = list(bid, "/relatedLots").iter();
                lots.extend(related.filter_map(|lot| word(&json!({"id": lot}), "/id")));
            }
        }
        let [lot] = lots.as_slice() else { return None };
        let mut titled = list(self.release, "/tender/lots").iter();
        let titled = titled.find(|known| word(known, "/id").as_ref() == Some(lot))?;
        word(titled, "/title")
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
        contract.set("vendor_postal_code", at("postalCode").as_deref().and_then(postal_code));
        let country = at("countryName");
        let code = country.as_deref().and_then(vendor_country);
        if let (Some(country), None) = (country, &code) {
            self.note_unknown("countryName", &country);
        }
        contract.set("vendor_country", code);
    }
}

const CONTRACT_STATUSES: [Words; 4] = [
    ("active", "Active", "En vigueur"),
    ("terminated", "Terminated", "Terminé"),
    ("cancelled", "Cancelled", "Annulé"),
    ("pending", "Pending", "En attente"),
];
