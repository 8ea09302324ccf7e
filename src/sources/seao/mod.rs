//! SEAO, Quebec's tender system, in both forms of its publication ("eras"): XML exports until May
//! 2024, OCDS releases since March 2021.
//!
//! Both eras contain the same notices, so their files share one spool and one reader ([`reader`]).
//! If a notice is in both, the newest revision counts, for the tender and its contracts; it is
//! written to the dump of the source that has it. Fields that only the other era has are filled in,
//! and the record names both in `sources` ([`merge`]). Only releases state the expected value and
//! the later course of a contract (its current value, status, dates). These come from the release
//! even if an export is newer.
//!
//! **Normalize both eras in one run.** After separate runs into one folder, both dumps contain the
//! notice under one `record_id`, and indexing keeps the newer. But a contract whose awarded amount
//! was corrected in between has two identifiers and is listed twice.

pub(crate) mod after_award;
pub(crate) mod bids;
pub(crate) mod codes;
pub(crate) mod common;
pub(crate) mod merge;
pub(crate) mod ocds;
pub(crate) mod ocds_contract;
pub(crate) mod ocds_release;
pub(crate) mod ocds_tender;
pub(crate) mod reader;
pub(crate) mod xml;
pub(crate) mod xml_export;
pub(crate) mod xml_notice;
