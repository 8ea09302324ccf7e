//! The parameters of the pages of a vendor and of a department.

use crate::{
    api::params::{
        param::Param,
        parse::{Case, Given},
        value::{ENTITY_TYPES, ParamType},
    },
    pages::supplier_names::{ABOUT_RANK, ABOUT_SPELLINGS, RANK, RANKS, SPELLINGS},
};

#[derive(Debug, Default, PartialEq)]
pub(crate) struct ProfileParams {
    /// The entity type whose records are counted.
    pub(crate) kind: Option<Given<&'static str>>,
    /// What the subject of the page is compared with, on the page of comparisons.
    pub(crate) with: Option<Given<String>>,
    /// What names are ranked by.
    pub(crate) rank: Option<Given<&'static str>>,
    /// Whether each spelling of a name is ranked for itself.
    pub(crate) spellings: Option<Given<bool>>,
}

pub(crate) static TABLE: &[Param<ProfileParams>] = &[
    Param::new(
        "kind",
        "Count the records of this entity type",
        ParamType::OneOf(&ENTITY_TYPES, Case::Exact, |p| &mut p.kind),
    ),
    Param::new(
        "with",
        "Compare with a second supplier, or a second department",
        ParamType::Text(|p| &mut p.with),
    ),
    Param::new(RANK, ABOUT_RANK, ParamType::OneOf(&RANKS, Case::Exact, |p| &mut p.rank)),
    Param::new(SPELLINGS, ABOUT_SPELLINGS, ParamType::Boolean(|p| &mut p.spellings)),
];
