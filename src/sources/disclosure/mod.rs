//! The proactive disclosure of contracts over $10,000: the published file `contracts.csv`
//! ([`published`]) and the export of the portal's search ([`export`]).
//!
//! A row is a contract or one of its amendments. Its reference number is unique within `owner_org`.
//! `contract_value` is the cumulative total at the time of the row, in Canadian dollars. The rows
//! of one contract become one record ([`merge`]). A row that is in both files is taken from
//! `contracts.csv`, which has both languages and the codes.

pub(crate) mod codes;
pub(crate) mod common;
pub(crate) mod export;
pub(crate) mod merge;
pub(crate) mod published;
pub(crate) mod reader;
