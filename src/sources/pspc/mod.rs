//! The contracts, awards, standing offers and tender notices of Public Services and Procurement
//! Canada, from its two publications: buyandsell.gc.ca until 2022, and CanadaBuys, whose historical
//! files go back to 2009.
//!
//! Both publish the same contracts and notices under the same numbers, so the contract files of
//! both share one spool and one reader, and so do the notice files ([`reader`]). CanadaBuys is the
//! current publication. A record that it has keeps its identifier and its values and is written to
//! its dump. Fields that only buyandsell has are filled in, and the record names both in `sources`.
//!
//! **Normalize both publications in one run.** Separate runs into one folder leave two records of
//! the same contract or notice, one with each publication's identifier.

pub(crate) mod amendments;
pub(crate) mod buyandsell_contract;
pub(crate) mod buyandsell_tender;
pub(crate) mod canadabuys_award;
pub(crate) mod canadabuys_columns;
pub(crate) mod canadabuys_contract;
pub(crate) mod canadabuys_sosa;
pub(crate) mod canadabuys_tender;
pub(crate) mod common;
pub(crate) mod reader;
