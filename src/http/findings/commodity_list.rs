//! Lists of commodity codes: those that records have, by level or by their words.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline, Error,
        aggregation::{Money, ValueAggregation},
    },
    http::findings::commodity::{COMMODITY_TERMS, Commodity, described},
    model::{
        EntityType, Facet,
        commodity::{CommodityCode, Scheme},
        fold::fold,
    },
    query::SearchQuery,
};

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

/// A commodity code and its records. A record counts for each of its codes, and for all codes above them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CommodityRow {
    #[serde(flatten)]
    pub(crate) commodity: Commodity,
    /// Records of the requested entity type, or of all.
    pub(crate) records: u64,
    /// The sum of their values: of the requested entity type, or else of contracts, of awards if no contract has the code,
    /// of disclosures if no award has it either, because all three report the same money. Null if there are none of these.
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

/// Decision D-239: the entity types whose values make up the total, the first with records of a code.
const MONEY: [EntityType; 3] = [EntityType::Contract, EntityType::Award, EntityType::Disclosure];

/// The records of a code.
#[derive(Default)]
struct CodeCount {
    records: u64,
    /// By the index in the list of entity types whose values count.
    value: Option<(usize, Money)>,
    children: u64,
}

/// The entity types that are counted.
pub(crate) fn entity_types(question: &CommodityQuestion) -> Vec<EntityType> {
    question
        .entity_type
        .map_or_else(|| EntityType::ALL.to_vec(), |one| vec![one])
}

/// The codes of records, those with most records first, equal ones by their key.
pub(crate) fn list(
    generation: &Generation,
    question: &CommodityQuestion,
    page: Range<usize>,
    deadline: &Deadline,
) -> Result<CommodityPage, Error> {
    let counts = count_codes(generation, question, deadline)?;
    let parent = question.parent.as_deref().and_then(CommodityCode::of_key);
    let by_words: HashSet<&CommodityCode> = match &question.part {
        Some(part) => {
            let found = generation.commodities.find(part);
            found.filter(|code| is_named(generation, code, part)).collect()
        }
        None => HashSet::new(),
    };
    let is_listed = |code: &CommodityCode| {
        let has_scheme = question.scheme.is_none_or(|scheme| scheme == code.scheme());
        has_scheme
            && match &question.part {
                None => code.parent() == parent,
                Some(part) => {
                    let is_below = |above: &CommodityCode| code != above && code.key().starts_with(above.key());
                    let is_named = by_words.contains(code) || starts_with(code, part);
                    is_named && parent.as_ref().is_none_or(is_below)
                }
            }
    };
    let mut listed: Vec<(&CommodityCode, &CodeCount)> = counts.iter().filter(|(code, _)| is_listed(code)).collect();
    // The sort is stable, and the codes are in the order of their keys.
    listed.sort_by_key(|(_, count)| Reverse(count.records));
    let shown = listed.iter().skip(page.start).take(page.len());
    Ok(CommodityPage {
        total: listed.len() as u64,
        rows: shown
            .map(|(code, count)| CommodityRow {
                commodity: described(generation, code),
                records: count.records,
                total_value: count.value.map(|(_, value)| value),
                children: count.children,
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
    let lower = code.code().to_lowercase();
    let digits = match code.scheme() {
        Scheme::Unspsc => format!("{lower:0<8}"),
        _ => String::new(),
    };
    lower.starts_with(part) || digits == part
}

/// All codes that records have, and all codes above them.
fn count_codes(
    generation: &Generation,
    question: &CommodityQuestion,
    deadline: &Deadline,
) -> Result<BTreeMap<CommodityCode, CodeCount>, Error> {
    let money = question.entity_type.map_or_else(|| MONEY.to_vec(), |one| vec![one]);
    let mut counts: HashMap<String, CodeCount> = HashMap::new();
    for entity_type in entity_types(question) {
        let query = SearchQuery::newest(entity_type, Vec::new());
        let engine = &generation.engine;
        let terms = [COMMODITY_TERMS];
        let mut counted = engine.aggregate(&query, &terms, ValueAggregation::Sum, deadline.clone())?;
        let rank = money.iter().position(|of| *of == entity_type);
        let rank = rank.filter(|_| counted.values.is_some());
        for bucket in counted.take(Facet::Commodity).buckets {
            let count = counts.entry(bucket.value).or_default();
            count.records += bucket.count;
            if let Some(rank) = rank
                && count.value.is_none_or(|(known, _)| rank < known)
            {
                count.value = Some((rank, bucket.total_value));
            }
        }
    }
    let coded = counts
        .into_iter()
        .filter_map(|(key, count)| Some((CommodityCode::of_key(&key)?, count)));
    let mut counts: BTreeMap<CommodityCode, CodeCount> = coded.collect();
    let parents: Vec<CommodityCode> = counts.keys().filter_map(CommodityCode::parent).collect();
    for parent in parents {
        if let Some(count) = counts.get_mut(&parent) {
            count.children += 1;
        }
    }
    Ok(counts)
}
