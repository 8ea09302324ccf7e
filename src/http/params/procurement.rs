//! The parameters of `GET /procurement/{solicitation_number}`.

use crate::http::params::{Param, Said, Value, search::MOST_RECORDS};

#[derive(Debug, Default, PartialEq)]
pub struct ProcurementParams {
    pub department: Option<Said<String>>,
    pub limit: Option<Said<u64>>,
}

pub static TABLE: &[Param<ProcurementParams>] = &[
    Param {
        name: "department",
        aliases: &[],
        about: "Part of the buyer's name: small buyers reuse each other's numbers",
        value: Value::NamePart(|p| &mut p.department),
    },
    Param {
        name: "limit",
        aliases: &[],
        about: "Most records of each kind; 100 when not given",
        value: Value::Integer {
            min: 1,
            max: MOST_RECORDS,
            slot: |p| &mut p.limit,
        },
    },
];
