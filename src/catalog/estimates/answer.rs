//! The items of `POST /tender/estimate` and `POST /tender/comps`, and the answer to one item. Every
//! key is always present, `null` if there is nothing to state.
//!
//! The `schemars` names are those of the types in generated clients, which must not change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::model::EntityType;

/// An item of the request: a tender of the index, or a need described by a commodity code. Returned
/// as `input`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Asked")]
pub enum EstimateItem {
    Tender(TenderItem),
    Need(NeedItem),
}

/// A tender, by its identifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AskedRecord")]
pub struct TenderItem {
    pub record_id: String,
}

/// A need without a tender: a GSIN or UNSPSC code, and what else is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Need")]
pub struct NeedItem {
    pub gsin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub department: Option<String>,
    /// CNST, GD, SRV or SRVTGD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub province: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// How an item was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Status")]
pub enum EstimateStatus {
    /// Estimated from comparable contracts.
    Ok,
    /// The tender states its own value, which is returned; the percentiles are those of comparable
    /// contracts.
    Stated,
    /// There are fewer than five comparable contracts.
    InsufficientData,
    /// No tender has this record_id.
    NotFound,
}

/// What the comparables have in common with the item, closest first. The first level that has at
/// least eight contracts, together with the levels before it, is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Level")]
pub enum MatchLevel {
    BuyerAndTitle,
    BuyerAndCode,
    Code,
    CodeClass,
    CodeFamily,
    CategoryAndText,
    CategoryAndGovernmentLevel,
}

impl MatchLevel {
    pub(crate) const ALL: [MatchLevel; 7] = [
        MatchLevel::BuyerAndTitle,
        MatchLevel::BuyerAndCode,
        MatchLevel::Code,
        MatchLevel::CodeClass,
        MatchLevel::CodeFamily,
        MatchLevel::CategoryAndText,
        MatchLevel::CategoryAndGovernmentLevel,
    ];
}

/// How far off the estimate is likely to be, judged by how far off such estimates were for known
/// contracts of the same index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    High,
    Medium,
    Low,
}

/// The estimate of one item.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Estimate {
    pub(crate) input: EstimateItem,
    pub status: EstimateStatus,
    /// The value that the tender states, or the median of the comparables; Canadian dollars.
    pub estimated_value: Option<f64>,
    /// p25 to p75: half of the values should be in it.
    pub range: Option<ValueRange>,
    pub percentiles: Option<Percentiles>,
    /// Number of contracts that the figures are based on.
    pub sample_size: usize,
    /// How many equally weighted contracts these count as (Kish).
    pub effective_sample_size: f64,
    pub match_level: Option<MatchLevel>,
    pub confidence: Option<Confidence>,
    /// Award dates of the oldest and the newest of these contracts.
    pub date_range: Option<DateRange>,
    pub caveats: Vec<Note>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ValueRange {
    pub low: f64,
    pub high: f64,
}

/// Canadian dollars. Four of five values should be between p10 and p90.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Percentiles {
    pub p10: f64,
    pub p25: f64,
    pub p50: f64,
    pub p75: f64,
    pub p90: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DateRange {
    #[schemars(extend("format" = "date"))]
    pub from: String,
    #[schemars(extend("format" = "date"))]
    pub to: String,
}

/// A reason or a caveat: a code for programs, a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Note {
    pub code: &'static str,
    pub note_en: String,
    pub(crate) note_fr: String,
}

/// The comparable contracts of one item, and what a bidder can learn from them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comps {
    pub(crate) input: EstimateItem,
    pub(crate) status: EstimateStatus,
    /// The tender as it is in the index.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub tender: Option<Box<RawValue>>,
    pub match_level: Option<MatchLevel>,
    /// Closest in what is bought first; `weight` states how much each counts.
    pub comparables: Vec<Comparable>,
    /// Statistics of all comparables, returned or not, each counted once. A comparable matches at
    /// `match_level` or a closer level, or has a similar text in the same category.
    pub value_stats: Option<ComparablesStats>,
    /// Null without an estimate, or if the comparables carry less than a third of its weight.
    pub bid_around: Option<BidAround>,
    /// The vendor that has, or had last, the contract for this need at this buyer.
    pub incumbent: Option<Incumbent>,
    /// This buyer's contracts for such a need that end within twelve months, the next to end first.
    pub expiring_contracts: Vec<ExpiringContract>,
    /// Suppliers with a standing offer or supply arrangement in force for such a need.
    pub standing_offer_holders: Vec<StandingOfferHolder>,
    pub competition: Option<Competition>,
    pub caveats: Vec<Note>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comparable {
    /// The entity type of `record`, for pages that link to it.
    #[serde(skip)]
    pub(crate) entity_type: EntityType,
    /// A contract, award or disclosure record.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub record: Box<RawValue>,
    /// Similarity of the words that say what is bought, 0 to 1.
    pub similarity: f64,
    /// Its share of the weight of all contracts that the estimate is based on, 0 to 1.
    pub weight: f64,
    pub reasons: Vec<Note>,
}

/// The comparables' values, unweighted.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComparablesStats {
    pub count: usize,
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    pub(crate) p10: f64,
    pub(crate) p25: f64,
    pub p50: f64,
    pub(crate) p75: f64,
    pub p90: f64,
    pub histogram: Vec<HistogramBucket>,
}

/// Contracts from `low` (included) to `high` (excluded).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Bucket")]
pub struct HistogramBucket {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub count: usize,
}

/// Values at which comparable contracts were won, by weight.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BidAround {
    /// p25.
    pub aggressive: f64,
    /// p45.
    pub competitive: f64,
    /// p60.
    pub conservative: f64,
    pub(crate) basis: GuideBasis,
    pub(crate) confidence: Confidence,
    pub(crate) note_en: String,
    pub(crate) note_fr: String,
}

/// What the guide is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Basis")]
pub(crate) enum GuideBasis {
    ComparableContracts,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Incumbent {
    /// The entity type of `record_id`, for pages that link to it.
    #[serde(skip)]
    pub(crate) entity_type: EntityType,
    pub vendor_name: String,
    /// Its newest contract for this need at this buyer.
    pub record_id: String,
    #[schemars(extend("format" = "date"))]
    pub(crate) award_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    pub(crate) end_date: Option<String>,
    pub(crate) value: f64,
    /// How many of this buyer's contracts for this need it had, out of `of_contracts`.
    pub contracts: usize,
    pub of_contracts: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExpiringContract {
    /// The entity type of `record_id`, for pages that link to it.
    #[serde(skip)]
    pub(crate) entity_type: EntityType,
    pub record_id: String,
    pub(crate) title: Option<String>,
    pub(crate) vendor_name: Option<String>,
    pub(crate) value: f64,
    #[schemars(extend("format" = "date"))]
    pub(crate) end_date: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StandingOfferHolder {
    pub(crate) vendor_name: String,
    pub record_id: String,
    pub(crate) agreement_number: Option<String>,
    pub(crate) description: Option<String>,
    #[schemars(extend("format" = "date"))]
    pub(crate) expiry_date: Option<String>,
}

/// The competition among the vendors of the comparables.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Competition {
    pub distinct_vendors: usize,
    /// The share of the contracts that the most frequent vendor won.
    pub(crate) top_vendor_share: f64,
}
