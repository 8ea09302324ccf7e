//! The parameters of the list of suppliers, `GET /suppliers`.

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

pub static TABLE: &[SuppliersParam] = &[
    SuppliersParam::new(
        "q",
        "Part of any of the supplier's names; accents and case do not matter",
        ParamType::Start(|p| &mut p.q),
    )
    .example(EntityType::Contract, "vendor_name"),
    SuppliersParam::new(
        "name",
        "Exactly one of the supplier's names; accents, case and punctuation do not matter",
        ParamType::Start(|p| &mut p.name),
    ),
    SuppliersParam::new(
        "limit",
        "Maximum number of suppliers of the page; 20 by default",
        ParamType::Integer(1, 100, |p| &mut p.limit),
    )
    .default(|| json!(DEFAULT_LIMIT)),
    SuppliersParam::new(
        "cursor",
        "`next_cursor` from a previous response to the same request",
        ParamType::Text(|p| &mut p.cursor),
    ),
    file::format(|p| &mut p.file.format),
    file::after(
        "`id` of the last whole supplier of a broken export of the same list: the export goes on after it",
        |p| &mut p.file.after,
    ),
    file::bom(|p| &mut p.file.bom),
    file::excel(|p| &mut p.file.excel),
];
