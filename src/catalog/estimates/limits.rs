//! Limits and defaults of a request.

/// How many years back contracts count by default.
pub const DEFAULT_YEARS_BACK: u32 = 5;

/// The maximum of `years_back`.
pub const MAX_YEARS_BACK: u32 = 20;

/// The maximum number of items of a request.
pub const MAX_ITEMS: usize = 50;

/// How many comparables are returned per item by default.
pub(crate) const DEFAULT_COMPARABLES: usize = 10;

/// The maximum number of comparables returned per item.
pub const MAX_COMPARABLES: usize = 100;

/// The maximum number of expiring contracts, and of standing offers, returned per item.
pub(crate) const MAX_LISTED: usize = 20;
