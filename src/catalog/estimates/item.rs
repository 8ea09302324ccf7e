//! An item of a request (a tender or a described need), prepared for the comparison with contracts.

use std::collections::HashSet;

use bytes::Bytes;

use super::{
    answer::{EstimateItem, NeedItem},
    purchase_facts::{CONTRACT_TYPES, PurchaseFacts},
    text_similarity::{Lexicon, PurchaseText},
};
use crate::{
    engine::{Deadline, Engine, Error, names::ResolvedName},
    model::{EntityType, Facet, Record, Schema},
};

/// A search for similar text has up to this many terms, the rarest of the item. More terms find no
/// other contracts.
const MAX_QUERY_TERMS: usize = 32;

/// Up to this many names of a buyer are searched.
const MAX_BUYERS: usize = 3;

pub(crate) struct PreparedItem {
    pub(crate) facts: PurchaseFacts,
    pub(crate) text: PurchaseText,
    /// Whether the item is a record, not a described need. In a record, a missing procurement method
    /// counts as a fact to compare, as do missing terms; a need states nothing about them.
    pub(crate) is_record: bool,
    /// The value that a tender states, in dollars.
    pub(crate) stated_value: Option<f64>,
    /// Keys of all names of the buyer, in both languages. A contract has the same buyer if one of its
    /// names has one of these keys.
    pub(crate) buyer_keys: HashSet<String>,
    /// Keys of the buyer for [`crate::query::Filter::FacetValue`], up to [`MAX_BUYERS`]; there are
    /// several if sources name it differently.
    pub(crate) buyer_filter_keys: Vec<String>,
    /// Numbers the item's stems, and finds them in the contracts that it is compared with.
    pub(crate) lexicon: Lexicon,
    /// The stems of the item's text, indexed by their numbers in `lexicon`.
    pub(crate) stems: Vec<String>,
    /// One for each entity type, in the order of [`CONTRACT_TYPES`].
    pub(crate) term_weights: Vec<TermWeights>,
}

/// The item's stems, weighted by how rare they are among the records of one entity type.
pub(crate) struct TermWeights {
    /// The rarest stems, up to [`MAX_QUERY_TERMS`].
    pub(crate) query_terms: Vec<String>,
    /// The squared inverse document frequency of every stem, indexed by its number.
    pub(crate) squared_idf: Vec<f64>,
}

impl PreparedItem {
    /// Prepares an item. Returns it with the bytes of its tender, if it is one; `None` if the index
    /// does not have the tender.
    pub(crate) fn find(
        engine: &dyn Engine,
        item: &EstimateItem,
        deadline: &Deadline,
    ) -> Result<Option<(PreparedItem, Option<Bytes>)>, Error> {
        match item {
            EstimateItem::Need(need) => Ok(Some((PreparedItem::of_need(engine, need, deadline)?, None))),
            EstimateItem::Tender(tender) => {
                let Some(bytes) = engine.record(EntityType::Tender, &tender.record_id, deadline.clone())? else {
                    return Ok(None);
                };
                let item = PreparedItem::of_record(engine, EntityType::Tender, &bytes, deadline)?;
                Ok(item.map(|item| (item, Some(bytes))))
            }
        }
    }

    /// Prepares an item from what a record states about its purchase before the award; `None` if the
    /// bytes are not a record.
    pub(crate) fn of_record(
        engine: &dyn Engine,
        entity_type: EntityType,
        bytes: &[u8],
        deadline: &Deadline,
    ) -> Result<Option<PreparedItem>, Error> {
        let schema = Schema::of(entity_type);
        let Ok(record) = Record::parse(schema, bytes) else {
            return Ok(None);
        };
        let mut lexicon = Lexicon::new();
        let text = PurchaseText::of_record(&record, schema, &mut lexicon);
        let facts = PurchaseFacts::of_record(&record);
        let item = PreparedItem::new(engine, facts, text, lexicon, deadline)?;
        Ok(Some(PreparedItem {
            is_record: true,
            stated_value: if entity_type == EntityType::Tender {
                record.dollars()
            } else {
                None
            },
            ..item
        }))
    }

    fn of_need(engine: &dyn Engine, need: &NeedItem, deadline: &Deadline) -> Result<PreparedItem, Error> {
        let mut lexicon = Lexicon::new();
        let text = match &need.title {
            Some(title) => PurchaseText::of_title(title, &mut lexicon),
            None => PurchaseText::default(),
        };
        let facts = PurchaseFacts::of_need(
            &need.gsin,
            need.department.as_deref(),
            need.category.as_deref(),
            need.province.as_deref(),
        );
        PreparedItem::new(engine, facts, text, lexicon, deadline)
    }

    fn new(
        engine: &dyn Engine,
        facts: PurchaseFacts,
        text: PurchaseText,
        mut lexicon: Lexicon,
        deadline: &Deadline,
    ) -> Result<PreparedItem, Error> {
        let mut buyer_keys: HashSet<String> = facts.buyers.iter().cloned().collect();
        let mut buyers: Vec<ResolvedName> = Vec::new();
        for entity_type in CONTRACT_TYPES {
            for name in &facts.buyers {
                let Some(buyer) = engine.resolve_name(entity_type, Facet::NamedDepartment, name, deadline.clone())?
                else {
                    continue;
                };
                if buyers.len() < MAX_BUYERS && buyers.iter().all(|known| known.key != buyer.key) {
                    buyers.push(buyer);
                }
            }
        }
        for name in buyers
            .iter()
            .flat_map(|buyer| [Some(&buyer.name), buyer.name_fr.as_ref()])
        {
            buyer_keys.extend(name.map(|name| Facet::NamedDepartment.key(name)));
        }
        let stems = lexicon.end_item();
        let term_weights = CONTRACT_TYPES
            .iter()
            .map(|entity_type| TermWeights::of(engine, *entity_type, &stems, deadline))
            .collect::<Result<_, _>>()?;
        Ok(PreparedItem {
            facts,
            text,
            is_record: false,
            stated_value: None,
            buyer_keys,
            buyer_filter_keys: buyers.into_iter().map(|buyer| buyer.key).collect(),
            lexicon,
            stems,
            term_weights,
        })
    }
}

impl TermWeights {
    pub(crate) fn of(
        engine: &dyn Engine,
        entity_type: EntityType,
        stems: &[String],
        deadline: &Deadline,
    ) -> Result<TermWeights, Error> {
        let idf = engine.idf(entity_type, stems, deadline.clone())?;
        let idf: Vec<f64> = idf.into_iter().map(f64::from).collect();
        let mut rarest: Vec<usize> = (0..stems.len()).collect();
        rarest.sort_by(|a, b| idf[*b].total_cmp(&idf[*a]).then(a.cmp(b)));
        let query_terms = rarest.iter().take(MAX_QUERY_TERMS);
        Ok(TermWeights {
            query_terms: query_terms.map(|number| stems[*number].clone()).collect(),
            squared_idf: idf.iter().map(|idf| idf * idf).collect(),
        })
    }
}
