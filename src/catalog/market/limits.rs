//! Limits and defaults of a request.

/// Decision D-83: how many years back contracts count by default.
pub const DEFAULT_YEARS_BACK: u32 = 5;

/// Decision D-83: how many years back contracts count at most.
pub const MAX_YEARS_BACK: u32 = 20;

/// Decision D-81: how many items a request may have.
pub const MAX_ITEMS: usize = 50;

/// Decision D-91: how many comparables are returned per item by default.
pub const DEFAULT_COMPARABLES: usize = 10;

/// Decision D-91: how many comparables are returned per item at most.
pub const MAX_COMPARABLES: usize = 100;

/// How many expiring contracts and standing offers are returned per item.
pub const MAX_LISTED: usize = 20;
