//! Estimates and comparables: what a purchase is likely to cost, how reliable the estimate is, and
//! which past contracts are comparable.
//!
//! An item is what is known of a purchase before the award. It is compared with awarded contracts.
//! The [`answer::MatchLevel`] of a contract states what it has in common with the item; its weight
//! states how much it counts. The widths of ranges are calibrated on the contracts of each
//! generation, so that a range contains the value as often as it claims. `docs/estimates.md`
//! explains the method.
//!
//! **Invariant:** the same items on the same generation and day give the same answers, bit for bit.
//! No file of this folder imports Tantivy or HTTP.

pub mod answer;
pub mod backtest;
mod baselines;
pub mod calibration;
mod candidates;
mod caveats;
mod code_match;
mod comparables_stats;
mod compared_contract;
mod comps;
mod contract_identity;
mod deduplicate;
mod estimate;
pub(crate) mod holdout;
mod item;
pub mod limits;
mod note_texts;
mod percentiles;
mod pool;
mod price;
mod purchase_facts;
mod selection;
mod standing_offers;
mod text_similarity;
mod value_distribution;
mod weights;

pub use comps::ComparablesOptions;
pub use pool::Market;
pub(crate) use purchase_facts::CONTRACT_TYPES;
