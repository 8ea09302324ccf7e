//! The parameters of the reconciliation service, in an address or in a form.

use crate::api::params::{param::Param, parse::Given, value::ParamType};

#[derive(Debug, Default, PartialEq)]
pub struct ReconcileParams {
    pub(crate) queries: Option<Given<String>>,
    pub(crate) extend: Option<Given<String>>,
    pub(crate) prefix: Option<Given<String>>,
    pub(crate) id: Option<Given<String>>,
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

pub static SUGGEST: &[ReconcileParam] = &[ReconcileParam::new(
    "prefix",
    "Part of a name",
    ParamType::Text(|p| &mut p.prefix),
)];

pub static PREVIEW: &[ReconcileParam] = &[ReconcileParam::new(
    "id",
    "Identifier of a supplier or body",
    ParamType::Text(|p| &mut p.id),
)];
