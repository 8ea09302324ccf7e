//! The parameters of `GET /procurement/{solicitation_number}`.

use serde_json::json;

use crate::http::params::{
    paging::{DEFAULT_LIMIT, MAX_LIMIT},
    param::Param,
    value::{Given, Value},
};

#[derive(Debug, Default, PartialEq)]
pub struct ProcurementParams {
    pub(crate) department: Option<Given<String>>,
    pub(crate) limit: Option<Given<u64>>,
}

type Row = Param<ProcurementParams>;

pub static TABLE: &[Row] = &[
    Row::new(
        "department",
        "Part of the buyer's name: small buyers use the same numbers as others",
        Value::NamePart(|p| &mut p.department),
    ),
    Row::new(
        "limit",
        "Maximum number of records of each entity type; 100 by default",
        Value::Integer(1, MAX_LIMIT, |p| &mut p.limit),
    )
    .default(|| json!(DEFAULT_LIMIT))
    .capped_by_plan(),
];
