//! The parameters of the lists of names, `GET /vendors` and `GET /departments`.

use serde_json::json;

use crate::{
    api::params::{
        param::Param,
        parse::{Case, Given},
        value::ParamType,
    },
    model::EntityType,
};

#[derive(Debug, Default, PartialEq)]
pub struct NamesParams {
    pub(crate) q: Option<Given<String>>,
    pub(crate) entity_type: Option<Given<&'static str>>,
    pub(crate) limit: Option<Given<u64>>,
    pub(crate) offset: Option<Given<u64>>,
}

/// The names of a page if `limit` is not given, as specified.
pub(crate) const DEFAULT_LIMIT: u64 = 20;

/// The minimum length of `q` for vendors.
pub(crate) const MIN_VENDOR_LENGTH: usize = 2;

type NamesParam = Param<NamesParams>;

const LIMIT: NamesParam = NamesParam::new(
    "limit",
    "Maximum number of names of the page; 20 by default",
    ParamType::Integer(1, 100, |p| &mut p.limit),
)
.default(|| json!(DEFAULT_LIMIT));

const OFFSET: NamesParam = NamesParam::new(
    "offset",
    "Names to skip",
    ParamType::Integer(0, u64::MAX, |p| &mut p.offset),
)
.default(|| json!(0));

pub static VENDORS: &[NamesParam] = &[
    NamesParam::new(
        "q",
        "Part of the vendor's name, at least 2 letters or digits; accents and case do not matter. Required",
        ParamType::Start(|p| &mut p.q),
    )
    .required()
    .bounds(|| json!({"minLength": MIN_VENDOR_LENGTH}))
    .example(EntityType::Contract, "vendor_name"),
    LIMIT,
    OFFSET,
];

pub static DEPARTMENTS: &[NamesParam] = &[
    NamesParam::new(
        "q",
        "Part of the department's name, in English or French; accents and case do not matter",
        ParamType::Start(|p| &mut p.q),
    )
    .example(EntityType::Contract, "department_en"),
    NamesParam::new(
        "entity_type",
        "Count only the records of this entity type",
        ParamType::OneOf(
            &[
                EntityType::Contract.name(),
                EntityType::Tender.name(),
                EntityType::Award.name(),
                EntityType::Disclosure.name(),
            ],
            Case::Exact,
            |p| &mut p.entity_type,
        ),
    ),
    LIMIT,
    OFFSET,
];
