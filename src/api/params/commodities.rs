//! The parameters of the list of commodity codes, `GET /commodities`.

use serde::Serialize;
use serde_json::json;

use crate::{
    api::params::{
        names::DEFAULT_LIMIT,
        param::Param,
        parse::{Case, Given},
        value::{ENTITY_TYPES, ParamType},
    },
    model::{
        EntityType,
        commodity::{CommodityCode, SCHEMES, Scheme},
        fold::fold,
    },
};

#[derive(Debug, Default, PartialEq)]
pub struct CommoditiesParams {
    pub(crate) q: Option<Given<String>>,
    pub(crate) scheme: Option<Given<&'static str>>,
    pub(crate) parent: Option<Given<CommodityCode>>,
    pub(crate) entity_type: Option<Given<&'static str>>,
    pub(crate) limit: Option<Given<u64>>,
    pub(crate) offset: Option<Given<u64>>,
}

type CommoditiesParam = Param<CommoditiesParams>;

pub static TABLE: &[CommoditiesParam] = &[
    CommoditiesParam::new(
        "q",
        "Part of the words of a code, in English or French, or the start of the code; accents and case do not matter",
        ParamType::Start(|p| &mut p.q),
    ),
    CommoditiesParam::new(
        "scheme",
        "Only codes of this scheme: `unspsc`, `gsin`, or `object` for economic object codes",
        ParamType::OneOf(&SCHEMES, Case::Exact, |p| &mut p.scheme),
    ),
    CommoditiesParam::new(
        "parent",
        "Only codes below this one: without `q` the next level, with `q` all levels",
        ParamType::Commodity(|p| &mut p.parent),
    ),
    CommoditiesParam::new(
        "entity_type",
        "Count only the records of this entity type",
        ParamType::OneOf(&ENTITY_TYPES, Case::Exact, |p| &mut p.entity_type),
    ),
    CommoditiesParam::new(
        "limit",
        "Maximum number of codes of the page; 20 by default",
        ParamType::Integer(1, 100, |p| &mut p.limit),
    )
    .default(|| json!(DEFAULT_LIMIT)),
    CommoditiesParam::new(
        "offset",
        "Codes to skip",
        ParamType::Integer(0, u64::MAX, |p| &mut p.offset),
    )
    .default(|| json!(0)),
];

/// Which codes to list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CommodityQuestion {
    /// Folded. Without it, one level is listed; with it, all codes whose words contain it or that start with it.
    pub(crate) part: Option<String>,
    pub(crate) scheme: Option<Scheme>,
    /// The key of a code: only those below it.
    pub(crate) parent: Option<String>,
    /// One entity type, or all.
    pub(crate) entity_type: Option<EntityType>,
}

impl CommoditiesParams {
    /// Which codes to list, on any page.
    pub(crate) fn question(&self) -> CommodityQuestion {
        CommodityQuestion {
            part: self.q.as_ref().map(|given| fold(&given.value)),
            scheme: self.scheme.as_ref().and_then(|given| Scheme::parse(given.value)),
            parent: self.parent.as_ref().map(|given| given.value.key().to_owned()),
            entity_type: self
                .entity_type
                .as_ref()
                .and_then(|given| EntityType::parse(given.value)),
        }
    }
}
