//! The shapes of the answers: what `POST /tender/estimate` and `POST /tender/comps` say of one item. Every key is always there, `null` where
//! there is nothing to say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What an item asks about: a tender of the index, or a need described by a commodity code. Given back as `input`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Asked {
    Record(AskedRecord),
    Need(Need),
}

/// A tender, by its identifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskedRecord {
    pub record_id: String,
}

/// A need without a tender: a GSIN or UNSPSC code, and whatever else is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Need {
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
pub enum Status {
    /// Estimated from comparable contracts.
    Ok,
    /// The tender states its own value, which is given; the percentiles are those of comparable contracts.
    Stated,
    /// Fewer than five comparable contracts.
    InsufficientData,
    /// No tender has this record_id.
    NotFound,
}

/// What the comparables have in common with the item, the closest first: the first with at least eight contracts is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    BuyerAndTitle,
    BuyerAndCode,
    Code,
    CodeClass,
    CodeFamily,
    CategoryAndText,
    CategoryAndGovernmentLevel,
}

/// How far off the estimate is likely to be, judged by how far off such estimates were for known contracts of the same index.
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
    pub input: Asked,
    pub status: Status,
    /// The median of the comparables, or the value the tender states; Canadian dollars.
    pub estimated_value: Option<f64>,
    /// p25 to p75: it should hold the value half of the time.
    pub range: Option<Range>,
    pub percentiles: Option<Percentiles>,
    /// Contracts the figures rest on.
    pub sample_size: usize,
    /// As how many equally comparable contracts they count (Kish).
    pub effective_sample_size: f64,
    pub match_level: Option<Level>,
    pub confidence: Option<Confidence>,
    /// Award days of the oldest and the newest of them.
    pub date_range: Option<DateRange>,
    pub caveats: Vec<Note>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ValueRange")]
pub struct Range {
    pub low: f64,
    pub high: f64,
}

/// Canadian dollars; p10 to p90 should hold the value four times in five.
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
    pub note_fr: String,
}

/// The comparable contracts of one item, and what a bidder can read from them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comps {
    pub input: Asked,
    pub status: Status,
    /// The tender, as the index holds it.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub tender: Option<Box<RawValue>>,
    pub match_level: Option<Level>,
    /// Those nearest in what is bought first; what each counts is its weight.
    pub comparables: Vec<Comparable>,
    /// Of all comparables (those on the named rung or above it, or of like words in the same category), shown or not; each is counted once.
    pub value_stats: Option<ValueStats>,
    /// Null where there is no estimate, or the comparables carry less than a third of its weight.
    pub bid_around: Option<BidAround>,
    /// Who holds, or held last, this need at this buyer.
    pub incumbent: Option<Incumbent>,
    /// Contracts of this buyer for such a need that end within twelve months, the next to end first.
    pub expiring_contracts: Vec<ExpiringContract>,
    /// Suppliers with a standing offer or supply arrangement for such a need that is in force.
    pub standing_offer_holders: Vec<StandingOfferHolder>,
    pub competition: Option<Competition>,
    pub caveats: Vec<Note>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comparable {
    /// A contract, award or disclosure record.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub record: Box<RawValue>,
    /// Of the words that say what is bought, 0 to 1.
    pub similarity: f64,
    /// Its share of all comparables' weight, 0 to 1.
    pub weight: f64,
    pub reasons: Vec<Note>,
}

/// The comparables' values as they are, none weighing more than another.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ComparablesStats")]
pub struct ValueStats {
    pub count: usize,
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    pub p10: f64,
    pub p25: f64,
    pub p50: f64,
    pub p75: f64,
    pub p90: f64,
    pub histogram: Vec<Bucket>,
}

/// Contracts from `low` up to but without `high`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bucket {
    pub low: f64,
    pub high: f64,
    pub count: usize,
}

/// Where comparable contracts were won, by weight.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BidAround {
    /// p25.
    pub aggressive: f64,
    /// p45.
    pub competitive: f64,
    /// p60.
    pub conservative: f64,
    pub basis: Basis,
    pub confidence: Confidence,
    pub note_en: String,
    pub note_fr: String,
}

/// What the guide rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    ComparableContracts,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Incumbent {
    pub vendor_name: String,
    /// Its newest contract for this need at this buyer.
    pub record_id: String,
    #[schemars(extend("format" = "date"))]
    pub award_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    pub end_date: Option<String>,
    pub value: f64,
    /// How many of this buyer's contracts for this need it held, of how many.
    pub contracts: usize,
    pub of_contracts: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExpiringContract {
    pub record_id: String,
    pub title: Option<String>,
    pub vendor_name: Option<String>,
    pub value: f64,
    #[schemars(extend("format" = "date"))]
    pub end_date: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StandingOfferHolder {
    pub vendor_name: String,
    pub record_id: String,
    pub agreement_number: Option<String>,
    pub description: Option<String>,
    #[schemars(extend("format" = "date"))]
    pub expiry_date: Option<String>,
}

/// Among the comparables.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Competition {
    pub distinct_vendors: usize,
    /// The share of the contracts that the vendor with most of them won.
    pub top_vendor_share: f64,
}
