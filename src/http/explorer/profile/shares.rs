//! What part of a name's amounts or records something is.

use super::figures::Figures;

/// The share of all amounts, or of all records of an entity type without values.
pub(super) fn share(figures: &Figures, count: u64, amount: f64) -> Option<f64> {
    let share = match figures.amount {
        Some(total) if total > 0.0 => amount / total,
        Some(_) => return None,
        None => count as f64 / figures.total as f64,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}
