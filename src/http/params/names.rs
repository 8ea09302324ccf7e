//! The parameters of the lists of names, `GET /vendors` and `GET /departments`.

use crate::{
    http::params::{Case, Param, Said, Value},
    model::entity_type::EntityType,
};

#[derive(Debug, Default, PartialEq)]
pub struct NamesParams {
    pub q: Option<Said<String>>,
    pub entity_type: Option<Said<&'static str>>,
    pub limit: Option<Said<u64>>,
    pub offset: Option<Said<u64>>,
}

const LIMIT: Param<NamesParams> = Param {
    name: "limit",
    aliases: &[],
    about: "Most names of the page; 20 when not given",
    value: Value::Integer {
        min: 1,
        max: 100,
        slot: |p| &mut p.limit,
    },
};

const OFFSET: Param<NamesParams> = Param {
    name: "offset",
    aliases: &[],
    about: "Names to skip",
    value: Value::Integer {
        min: 0,
        max: u64::MAX,
        slot: |p| &mut p.offset,
    },
};

pub static VENDORS: &[Param<NamesParams>] = &[
    Param {
        name: "q",
        aliases: &[],
        about: "Part of the vendor's name, at least 2 letters or digits; accents and case do not matter. Required",
        value: Value::Start(|p| &mut p.q),
    },
    LIMIT,
    OFFSET,
];

pub static DEPARTMENTS: &[Param<NamesParams>] = &[
    Param {
        name: "q",
        aliases: &[],
        about: "Part of the department's name, in English or French; accents and case do not matter",
        value: Value::Start(|p| &mut p.q),
    },
    Param {
        name: "entity_type",
        aliases: &[],
        about: "Count the records of this kind only",
        value: Value::OneOf {
            list: &[
                EntityType::Contract.name(),
                EntityType::Tender.name(),
                EntityType::Award.name(),
                EntityType::Disclosure.name(),
            ],
            case: Case::Exact,
            slot: |p| &mut p.entity_type,
        },
    },
    LIMIT,
    OFFSET,
];
