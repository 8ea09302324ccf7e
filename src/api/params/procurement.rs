//! The parameters of `GET /procurement/{solicitation_number}`.

use crate::api::params::{
    paging,
    param::Param,
    parse::{Case, Given},
    value::ParamType,
};

#[derive(Debug, Default, PartialEq)]
pub struct ProcurementParams {
    pub(crate) department: Option<Given<String>>,
    pub(crate) limit: Option<Given<u64>>,
    pub(crate) include: Option<Given<&'static str>>,
}

type ProcurementParam = Param<ProcurementParams>;

pub static TABLE: &[ProcurementParam] = &[
    ProcurementParam::new(
        "department",
        "Part of the buyer's name: small buyers use the same numbers as others",
        ParamType::NamePart(|p| &mut p.department),
    ),
    paging::limit("Maximum number of records of each entity type; 100 by default", |p| {
        &mut p.limit
    }),
    ProcurementParam::new(
        "include",
        "`bids` adds the bids on the tenders of the response",
        ParamType::OneOf(&["bids"], Case::Any, |p| &mut p.include),
    ),
];
