//! The parameters of the reconciliation service, in an address or in a form.

use serde_json::json;

use crate::api::params::{param::Param, parse::Given, value::ParamType};

#[derive(Debug, Default, PartialEq)]
pub struct ReconcileParams {
    pub(crate) queries: Option<Given<String>>,
    pub(crate) extend: Option<Given<String>>,
    pub(crate) prefix: Option<Given<String>>,
    pub(crate) id: Option<Given<String>>,
    pub(crate) cursor: Option<Given<u64>>,
    pub(crate) limit: Option<Given<u64>>,
}

type ReconcileParam = Param<ReconcileParams>;

pub static SERVICE: &[ReconcileParam] = &[
    ReconcileParam::new(
        "queries",
        "A batch: a JSON object of queries by a key of the client, such as `{\"q0\":{\"query\":\"Pavage X inc.\"}}`; without it and `extend`, the manifest of the service",
        ParamType::Text(|p| &mut p.queries),
    ),
    ReconcileParam::new(
        "extend",
        "Figures of suppliers or bodies: a JSON object with `ids` and `properties`",
        ParamType::Text(|p| &mut p.extend),
    ),
];

pub static SUGGEST: &[ReconcileParam] = &[
    ReconcileParam::new(
        "prefix",
        "Part of a name, or an identifier",
        ParamType::Text(|p| &mut p.prefix),
    ),
    ReconcileParam::new(
        "cursor",
        "How many suggestions to skip",
        ParamType::Integer(0, MAX_CURSOR, |p| &mut p.cursor),
    )
    .default(|| json!(0)),
    TYPE,
    unused("spell"),
    unused("exact"),
    unused("scoring"),
    unused("prefixed"),
];

/// A service has one type of entities.
const TYPE: ReconcileParam = unused("type");

/// What OpenRefine's fields for names send, because Freebase accepted it.
const fn unused(name: &'static str) -> ReconcileParam {
    ReconcileParam::new(name, "Has no effect; OpenRefine sends it", ParamType::Unused)
}

const MAX_CURSOR: u64 = 1_000_000;

pub static PROPERTIES: &[ReconcileParam] = &[
    ReconcileParam::new(
        "limit",
        "The maximum number of properties",
        ParamType::Integer(1, MAX_PROPERTIES, |p| &mut p.limit),
    )
    .default(|| json!(MAX_PROPERTIES)),
    TYPE,
];

pub(crate) const MAX_PROPERTIES: u64 = 100;

pub static PREVIEW: &[ReconcileParam] = &[ReconcileParam::new(
    "id",
    "Identifier of a supplier or body",
    ParamType::Text(|p| &mut p.id),
)];
