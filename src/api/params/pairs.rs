//! The parameters of `GET /bids/pairs`.

use crate::{
    api::params::{param::Param, parse::Given, value::ParamType},
    model::EntityType,
};

#[derive(Debug, Default, PartialEq)]
pub struct PairsParams {
    pub(crate) a: Option<Given<String>>,
    pub(crate) b: Option<Given<String>>,
}

type PairsParam = Param<PairsParams>;

pub static TABLE: &[PairsParam] = &[
    PairsParam::new(
        "a",
        "A bidder's whole name, or the identifier of a supplier, which stands for all its names",
        ParamType::Start(|p| &mut p.a),
    )
    .example(EntityType::Contract, "vendor_name")
    .required(),
    PairsParam::new("b", "The other bidder, in the same way", ParamType::Start(|p| &mut p.b))
        .example(EntityType::Award, "vendor_name")
        .required(),
];
