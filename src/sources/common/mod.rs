//! What several publishers share: bids, eligibility, commodity levels and public bodies.

pub(crate) mod bids;
pub(crate) mod commodity_levels;
pub(crate) mod eligibility;
pub(crate) mod public_bodies;
