//! What several publishers share: bids, eligibility, commodity levels, countries and public bodies.

pub(crate) mod bids;
pub(crate) mod commodity_levels;
pub(crate) mod countries;
pub(crate) mod eligibility;
pub(crate) mod public_bodies;
