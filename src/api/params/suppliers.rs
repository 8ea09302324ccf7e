//! The parameters of the lists of suppliers and bodies, `GET /suppliers` and `GET /bodies`.

use serde_json::json;

use crate::{
    api::params::{
        file::{self, FileParams},
        param::Param,
        parse::Given,
        value::ParamType,
    },
    model::EntityType,
};

#[derive(Debug, Default, PartialEq)]
pub struct SuppliersParams {
    pub(crate) q: Option<Given<String>>,
    pub(crate) name: Option<Given<String>>,
    pub(crate) limit: Option<Given<u64>>,
    pub(crate) cursor: Option<Given<String>>,
    pub(crate) file: FileParams,
}

/// The suppliers of a page if `limit` is not given.
pub(crate) const DEFAULT_LIMIT: u64 = 20;

type SuppliersParam = Param<SuppliersParams>;

const Q: SuppliersParam = SuppliersParam::new(
    "q",
    "Part of any of the names; accents and case do not matter",
    ParamType::Start(|p| &mut p.q),
);

const NAME: SuppliersParam = SuppliersParam::new(
    "name",
    "Exactly one of the names; accents, case and punctuation do not matter",
    ParamType::Start(|p| &mut p.name),
);

const LIMIT: SuppliersParam = SuppliersParam::new(
    "limit",
    "Maximum number of results of the page; 20 by default",
    ParamType::Integer(1, 100, |p| &mut p.limit),
)
.default(|| json!(DEFAULT_LIMIT));

const CURSOR: SuppliersParam = SuppliersParam::new(
    "cursor",
    "`next_cursor` from a previous response to the same request",
    ParamType::Text(|p| &mut p.cursor),
);

/// Of the list of bodies, `GET /bodies`.
pub static BODIES: &[SuppliersParam] = &[Q.example(EntityType::Contract, "department_en"), NAME, LIMIT, CURSOR];

pub static TABLE: &[SuppliersParam] = &[
    Q.example(EntityType::Contract, "vendor_name"),
    NAME,
    LIMIT,
    CURSOR,
    file::format(|p| &mut p.file.format),
    file::after(
        "`id` of the last whole supplier of a broken export of the same list: the export goes on after it",
        |p| &mut p.file.after,
    ),
    file::bom(|p| &mut p.file.bom),
    file::excel(|p| &mut p.file.excel),
];
