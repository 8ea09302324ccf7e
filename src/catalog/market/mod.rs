//! Estimates and comparables: what a need was paid for before, how sure an estimate is, and which
//! contracts to bid around.
//!
//! An item is what is known of a need before it is awarded. It is compared with awarded contracts,
//! whose [`answer::MatchLevel`] states what they share with it, and whose weight states how much
//! each counts. How wide a range must be to hold as often as it claims is measured on each
//! generation's own contracts. `docs/estimates.md` explains the method. **Invariant:** the same
//! items on the same generation and day give the same answers, bit for bit. Nothing here knows of
//! Tantivy or HTTP.

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
pub mod holdout;
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
