//! Which names are one supplier, and which are one body that buys.
//!
//! Records never change. A *claim* says that two names are the same supplier or different ones; rules make claims from
//! what publishers state ([`rules`], [`bodies`]), people make them in a file ([`claims`]). [`clusters`] joins names by
//! claims, up to the stops. The result depends on the statements and the claims alone, not on their order and not on
//! former builds: without a claim, a build gives what it gave before the claim.

pub(crate) mod begin_alike;
pub(crate) mod bodies;
mod carried;
pub(crate) mod claims;
pub(crate) mod clusters;
mod core_names;
pub(crate) mod divisions;
pub(crate) mod explain;
mod groups;
mod look_up;
pub(crate) mod made;
pub(crate) mod matching;
mod name_form;
pub(crate) mod names;
mod party;
mod places;
pub(crate) mod reason;
pub(crate) mod report;
mod rules;
mod suggested;
pub(crate) mod supplier;

pub(crate) use look_up::SupplierList;
pub(crate) use name_form::{is_consortium_name, is_legal_form};
pub use names::carried_numbers;
pub(crate) use party::Party;
pub(crate) use supplier::Supplier;
