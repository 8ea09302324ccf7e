//! What several publishers share: eligibility, countries and public bodies.

pub mod countries;
pub mod eligibility;
pub mod public_bodies;
