//! How much a contract counts.
//!
//! Each fact that it shares with the item multiplies its weight. The factors are those that were
//! best on known contracts (`procure backtest`), rounded: they need not be exact, since doubling or
//! halving any of them changes the error by a hundredth.

use super::{code_match::CodeMatch, compared_contract::ComparedContract};
use crate::model::Date;

/// Years after which a contract counts half.
const HALF_LIFE: f64 = 3.0;
/// For texts of similarity 1; a lower similarity is the exponent of this factor.
const SAME_WORDS: f64 = 50.0;
const SAME_BUYER: f64 = 20.0;
const SAME_METHOD: f64 = 20.0;
/// Equal trade agreements and an equal ground for not opening the call: value thresholds depend
/// on both.
const SAME_TERMS: f64 = 12.0;
const SAME_PROVINCE: f64 = 2.0;
const SAME_CATEGORY: f64 = 3.0;

/// The factor of [`SAME_BUYER`] for [`nearness`], where the buyer counts less.
const SAME_BUYER_NEARNESS: f64 = 3.0;

/// The natural logarithm of a contract's weight.
pub(crate) fn log_weight(contract: &ComparedContract, today: Date) -> f64 {
    log_need(contract, today)
        + log_factor(contract.same_buyer, SAME_BUYER)
        + log_factor(contract.same_method, SAME_METHOD)
        + log_factor(contract.same_terms, SAME_TERMS)
        + log_factor(contract.same_province, SAME_PROVINCE)
}

/// The sort key of comparables, greatest first: how similar the purchased goods or services are.
///
/// The buyer and the rules of a purchase affect the price more than they describe the need. So a
/// buyer's other purchases may carry weight, and still come after the same purchase by other
/// buyers.
pub(crate) fn nearness(contract: &ComparedContract, today: Date) -> f64 {
    log_need(contract, today) + log_factor(contract.same_buyer, SAME_BUYER_NEARNESS)
}

/// The factors that weight and nearness have in common: code, words, category and age.
fn log_need(contract: &ComparedContract, today: Date) -> f64 {
    let years = f64::from(today.days() - contract.date.days()) / 365.25;
    let code: f64 = match contract.code_match {
        CodeMatch::Nothing => 1.0,
        CodeMatch::Segment => 2.0,
        CodeMatch::Family => 4.0,
        CodeMatch::Class => 6.0,
        CodeMatch::Code => 8.0,
    };
    code.ln() + contract.similarity * SAME_WORDS.ln() + log_factor(contract.same_category, SAME_CATEGORY)
        - years / HALF_LIFE * 2.0f64.ln()
}

fn log_factor(is_shared: bool, factor: f64) -> f64 {
    if is_shared { factor.ln() } else { 0.0 }
}
