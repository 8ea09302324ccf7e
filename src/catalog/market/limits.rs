//! Limits and defaults of a request.

/// Decision D-83: how many years back contracts count by default.
pub const DEFAULT_YEARS_BACK: u32 = 5;

/// Decision D-83: the maximum of `years_back`.
pub const MAX_YEARS_BACK: u32 = 20;

/// Decision D-81: the maximum number of items of a request.
pub const MAX_ITEMS: usize = 50;

/// Decision D-91: how many comparables are returned per item by default.
pub(crate) const DEFAULT_COMPARABLES: usize = 10;

/// Decision D-91: the maximum number of comparables returned per item.
pub const MAX_COMPARABLES: usize = 100;

/// The maximum number of expiring contracts, and of standing offers, returned per item.
pub(crate) const MAX_LISTED: usize = 20;
