//! Lists of commodity codes: those that records have, by level or by their words.

use std::{collections::HashSet, ops::Range};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::{
        analysis::commodity::{Commodity, described},
        cost::ScanCost,
        params::commodities::CommodityQuestion,
    },
    catalog::{
        ask::Ask,
        generation::{CodeCount, Generation},
    },
    engine::{Error, aggregation::Money},
    http::search_pool::Lane,
    model::{
        EntityType,
        commodity::{CommodityCode, Scheme},
        fold::fold,
    },
};

/// A commodity code and its records. A record counts for each of its codes, and for all codes above them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CommodityRow {
    #[serde(flatten)]
    pub(crate) commodity: Commodity,
    /// Records of the requested entity type, or of all.
    pub(crate) records: u64,
    /// The sum of their values: of the requested entity type, or else of contracts, of awards if no contract has the
    /// code, of disclosures if no award has it either, because all three report the same money. Null if there are none
    /// of these.
    pub(crate) total_value: Option<Money>,
    /// Number of codes on the next level that records have.
    pub(crate) children: u64,
}

/// A page of codes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CommodityPage {
    /// How many codes there are, on this page or not.
    pub(crate) total: u64,
    pub(crate) rows: Vec<CommodityRow>,
}

/// Decision D-253: the lane of a list, by what is still to count. All lists cost one request.
pub(crate) fn lane(generation: &Generation, question: &CommodityQuestion) -> Lane {
    let all = || EntityType::ALL.to_vec();
    let entity_types = question.entity_type.map_or_else(all, |one| vec![one]);
    let is_uncounted = |of: &EntityType| generation.known_commodity_counts(Some(*of)).is_none();
    let uncounted = entity_types.into_iter().filter(is_uncounted);
    let scans: Vec<_> = uncounted.map(|entity_type| (entity_type, 1)).collect();
    ScanCost::of(generation, &scans).lane()
}

/// The codes of records, those with most records first, equal ones by their key.
pub(crate) fn list(ask: &Ask, question: &CommodityQuestion, page: Range<usize>) -> Result<CommodityPage, Error> {
    let generation = &ask.generation;
    let counts = generation.commodity_counts(question.entity_type, &ask.deadline)?;
    let parent = question.parent.as_deref().and_then(CommodityCode::of_key);
    let has_scheme = |count: &&CodeCount| question.scheme.is_none_or(|scheme| scheme == count.code.scheme());
    let listed: Vec<&CodeCount> = match &question.part {
        None => counts.level(parent.as_ref()).filter(has_scheme).collect(),
        Some(part) => {
            let found = generation.commodities.find(part);
            let by_words: HashSet<&CommodityCode> = found.filter(|code| is_named(generation, code, part)).collect();
            let is_below =
                |above: &CommodityCode, code: &CommodityCode| code != above && code.key().starts_with(above.key());
            let is_listed = |count: &&CodeCount| {
                let code = &count.code;
                let is_named = by_words.contains(code) || starts_with(code, part);
                is_named && parent.as_ref().is_none_or(|above| is_below(above, code))
            };
            counts.all().filter(has_scheme).filter(is_listed).collect()
        }
    };
    let shown = listed.iter().skip(page.start).take(page.len());
    Ok(CommodityPage {
        total: listed.len() as u64,
        rows: shown
            .map(|count| CommodityRow {
                commodity: described(generation, &count.code),
                records: count.records,
                total_value: count.total_value,
                children: counts.level(Some(&count.code)).count() as u64,
            })
            .collect(),
    })
}

/// Whether the words of a code contain a folded text.
fn is_named(generation: &Generation, code: &CommodityCode, part: &str) -> bool {
    let words = generation.commodities.title(code);
    let mut titles = words.into_iter().flat_map(|words| [&words.en, &words.fr]).flatten();
    titles.any(|title| fold(title).contains(part))
}

/// Whether a code starts with a folded text. UNSPSC may be written with all its eight digits.
fn starts_with(code: &CommodityCode, part: &str) -> bool {
    // A folded text is in lower case, as a key is.
    let lower = code.key().split_once(':').map_or("", |(_, lower)| lower);
    let is_padded = || {
        let zeros = part.strip_prefix(lower);
        part.len() == 8 && zeros.is_some_and(|zeros| zeros.bytes().all(|digit| digit == b'0'))
    };
    lower.starts_with(part) || (code.scheme() == Scheme::Unspsc && is_padded())
}
