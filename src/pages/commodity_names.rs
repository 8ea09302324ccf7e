//! Commodity codes as pages show them: with their words in the language of the page, else in the other one.

use crate::{
    catalog::generation::Commodities,
    model::commodity::CommodityCode,
    pages::{bilingual::Shown, messages::Texts, page::other},
};

/// The words of a code; `None` if none are known.
pub(crate) fn words(commodities: &Commodities, code: &CommodityCode, t: Texts) -> Option<Shown> {
    let words = commodities.title(code)?;
    let lang = t.language();
    [lang, other(lang)]
        .into_iter()
        .find_map(|of| Some(Shown::of(words.of(of)?, of, lang)))
}

/// The code with the name of its scheme: `UNSPSC 7210`.
pub(crate) fn number(code: &CommodityCode, t: Texts) -> String {
    let scheme = t.keyed("commodity-scheme-", code.scheme().name());
    format!("{scheme}\u{a0}{}", code.code())
}

/// The words and the code, on one line: `Snow removal (UNSPSC 72141003)`.
pub(crate) fn label(commodities: &Commodities, code: &CommodityCode, t: Texts) -> String {
    let number = number(code, t);
    match words(commodities, code, t) {
        Some(words) => format!("{} ({number})", words.text),
        None => number,
    }
}
