//! Quality flags: what is doubtful about a record, found by comparing it with all others of the run.
//!
//! A flag is a doubt, never a reason to leave a record out.

mod duplicates;
mod flags;
mod placeholder;
mod price_ranges;
mod vendor_values;

pub(crate) use flags::QualityFlags;
