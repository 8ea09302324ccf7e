//! The `eligibility` object of a record: what a source's fields state of who may bid.

use serde_json::{Map, Value, json};

/// Members stay empty where nothing is stated.
#[derive(Debug, Default)]
pub struct Eligibility {
    /// Short names: CFTA, CETA, WTO-AGP.
    pub trade_agreements: Vec<String>,
    pub regions_of_opportunity: Vec<String>,
    pub limited_tendering_reason_en: Option<String>,
    pub limited_tendering_reason_fr: Option<String>,
    pub selection_criteria_en: Option<String>,
    pub selection_criteria_fr: Option<String>,
    /// `none`, `mandatory`, `voluntary`.
    pub indigenous_set_aside: Option<&'static str>,
    pub land_claims_agreements: Vec<String>,
}

impl Eligibility {
    pub fn value(&self) -> Option<Value> {
        let set_aside = self.indigenous_set_aside.map(str::to_owned);
        let mut members = Map::new();
        for (member, value) in [
            ("trade_agreements", list(&self.trade_agreements)),
            ("regions_of_opportunity", list(&self.regions_of_opportunity)),
            ("limited_tendering_reason_en", words(&self.limited_tendering_reason_en)),
            ("limited_tendering_reason_fr", words(&self.limited_tendering_reason_fr)),
            ("selection_criteria_en", words(&self.selection_criteria_en)),
            ("selection_criteria_fr", words(&self.selection_criteria_fr)),
            ("indigenous_set_aside", words(&set_aside)),
            ("land_claims_agreements", list(&self.land_claims_agreements)),
        ] {
            if let Some(value) = value {
                members.insert(member.to_owned(), value);
            }
        }
        (!members.is_empty()).then_some(Value::Object(members))
    }
}

fn list(members: &[String]) -> Option<Value> {
    (!members.is_empty()).then(|| json!(members))
}

fn words(stated: &Option<String>) -> Option<Value> {
    stated
        .as_ref()
        .filter(|words| !words.is_empty())
        .map(|words| json!(words))
}
