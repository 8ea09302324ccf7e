//! The `eligibility` object of a record: what the publisher states about who may bid.

use std::borrow::Cow;

use serde::Serialize;

use crate::sources::reading::FieldValue;

/// The members are written in this order. A member that the publisher does not state is empty, and
/// is left out of the JSON.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Eligibility<'a> {
    /// Abbreviations such as CFTA, CETA and WTO-AGP.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) trade_agreements: Vec<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) regions_of_opportunity: Vec<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limited_tendering_reason_en: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limited_tendering_reason_fr: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) selection_criteria_en: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) selection_criteria_fr: Option<Cow<'a, str>>,
    /// `none`, `mandatory` or `voluntary`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) indigenous_set_aside: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) land_claims_agreements: Vec<Cow<'a, str>>,
}

impl Eligibility<'_> {
    /// The object as JSON; `None` if all members are empty.
    pub(crate) fn value(&self) -> Option<FieldValue<'static>> {
        let json = serde_json::to_string(self).expect("texts and lists are valid JSON");
        if json == "{}" {
            return None;
        }
        Some(FieldValue::Json(Cow::Owned(json)))
    }
}
