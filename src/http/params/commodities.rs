//! The parameters of the list of commodity codes, `GET /commodities`.

use serde_json::json;

use crate::{
    http::{
        findings::{commodity::SCHEMES, commodity_list::CommodityQuestion},
        params::{
            names::DEFAULT_LIMIT,
            param::Param,
            value::{Case, ENTITY_TYPES, Given, Value},
        },
    },
    model::{
        EntityType,
        commodity::{CommodityCode, Scheme},
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

type Row = Param<CommoditiesParams>;

pub static TABLE: &[Row] = &[
    Row::new(
        "q",
        "Part of the words of a code, in English or French, or the start of the code; accents and case do not matter",
        Value::Start(|p| &mut p.q),
    ),
    Row::new(
        "scheme",
        "Only codes of this scheme: `unspsc`, `gsin`, or `object` for economic object codes",
        Value::OneOf(&SCHEMES, Case::Exact, |p| &mut p.scheme),
    ),
    Row::new(
        "parent",
        "Only codes below this one: without `q` the next level, with `q` all levels",
        Value::Commodity(|p| &mut p.parent),
    ),
    Row::new(
        "entity_type",
        "Count only the records of this entity type",
        Value::OneOf(&ENTITY_TYPES, Case::Exact, |p| &mut p.entity_type),
    ),
    Row::new(
        "limit",
        "Maximum number of codes of the page; 20 by default",
        Value::Integer(1, 100, |p| &mut p.limit),
    )
    .default(|| json!(DEFAULT_LIMIT)),
    Row::new(
        "offset",
        "Codes to skip",
        Value::Integer(0, u64::MAX, |p| &mut p.offset),
    )
    .default(|| json!(0)),
];

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
