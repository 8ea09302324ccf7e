//! The parameters of `GET /suggest`.

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
pub struct SuggestParams {
    pub(crate) q: Option<Given<String>>,
    pub(crate) lang: Option<Given<&'static str>>,
    pub(crate) limit: Option<Given<u64>>,
}

/// The suggestions if `limit` is not given, and the most.
pub(crate) const DEFAULT_LIMIT: u64 = 10;
const MAX_LIMIT: u64 = 20;

/// The values of `lang`.
const LANGUAGES: [&str; 2] = ["en", "fr"];

type SuggestParam = Param<SuggestParams>;

pub static TABLE: &[SuggestParam] = &[
    SuggestParam::new(
        "q",
        "What somebody has typed so far; its first eight words count. Accents, case and small spelling errors do not matter. Without a letter or digit nothing is suggested",
        ParamType::Typed(|p| &mut p.q),
    )
    .example(EntityType::Contract, "vendor_name"),
    SuggestParam::new(
        "lang",
        "The language of the labels",
        ParamType::OneOf(&LANGUAGES, Case::Exact, |p| &mut p.lang),
    )
    .default(|| json!(LANGUAGES[0])),
    SuggestParam::new(
        "limit",
        "Maximum number of suggestions; 10 by default, and at most 5 of each type",
        ParamType::Integer(1, MAX_LIMIT, |p| &mut p.limit),
    )
    .default(|| json!(DEFAULT_LIMIT)),
];
