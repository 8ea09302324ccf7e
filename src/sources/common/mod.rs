//! What several publishers share: eligibility, countries and public bodies.

pub(crate) mod countries;
pub(crate) mod eligibility;
pub(crate) mod public_bodies;
