//! What is asked about: a tender of the index or a described need, ready to be held against contracts.

use std::collections::HashSet;

use bytes::Bytes;

use crate::{
    catalog::market::{
        answer::{Asked, Need},
        facts::{Facts, KINDS},
        words::{Lexicon, Subject},
    },
    engine::{Engine, Error, names::ResolvedName},
    model::{entity_type::EntityType, facet::Facet, record::Record, schema::Schema},
};

/// The most words looked for, the rarest ones: more find nothing that these do not.
const MOST_WORDS: usize = 32;

pub struct Item {
    pub facts: Facts,
    pub subject: Subject,
    /// A record tells its method and terms by leaving them out, too; a described need leaves them open.
    pub is_record: bool,
    /// What a tender says it is worth.
    pub stated: Option<f64>,
    /// The buyer's names in any language the index knows, as keys.
    pub buyer_keys: HashSet<String>,
    /// What [`crate::query::Filter::FacetValue`] takes for the buyer: more than one where sources name it differently.
    pub buyers: Vec<String>,
    pub lexicon: Lexicon,
    /// The subject's stems, by number.
    pub stems: Vec<String>,
    /// By kind of [`KINDS`].
    pub words: Vec<Words>,
}

/// The most names of a buyer that are looked for.
const MOST_BUYERS: usize = 3;

/// The item's stems among the records of a kind.
pub struct Words {
    /// The rarest ones.
    pub sought: Vec<String>,
    /// Squared rarity of every stem, by number.
    pub squares: Vec<f64>,
}

impl Item {
    /// The item, and the bytes of its tender; `None` where there is no such tender.
    pub fn find(engine: &dyn Engine, asked: &Asked) -> Result<Option<(Item, Option<Bytes>)>, Error> {
        match asked {
            Asked::Need(need) => Ok(Some((Item::of_need(engine, need)?, None))),
            Asked::Record(asked) => {
                let Some(bytes) = engine.record(EntityType::Tender, &asked.record_id)? else {
                    return Ok(None);
                };
                let item = Item::of_record(engine, EntityType::Tender, &bytes)?;
                Ok(item.map(|item| (item, Some(bytes))))
            }
        }
    }

    /// What a record tells of its purchase before the award; `None` where the bytes are no record.
    pub fn of_record(engine: &dyn Engine, entity_type: EntityType, bytes: &[u8]) -> Result<Option<Item>, Error> {
        let schema = Schema::of(entity_type);
        let Ok(record) = Record::parse(schema, bytes) else {
            return Ok(None);
        };
        let mut lexicon = Lexicon::default();
        let subject = Subject::of_record(&record, schema, &mut lexicon);
        let item = Item::new(engine, Facts::of_record(&record, bytes), subject, lexicon)?;
        Ok(Some(Item {
            is_record: true,
            stated: record.dollars().filter(|_| entity_type == EntityType::Tender),
            ..item
        }))
    }

    fn of_need(engine: &dyn Engine, need: &Need) -> Result<Item, Error> {
        let mut lexicon = Lexicon::default();
        let subject = match &need.title {
            Some(title) => Subject::of_title(title, &mut lexicon),
            None => Subject::default(),
        };
        let facts = Facts::of_need(
            &need.gsin,
            need.department.as_deref(),
            need.category.as_deref(),
            need.province.as_deref(),
        );
        Item::new(engine, facts, subject, lexicon)
    }

    fn new(engine: &dyn Engine, facts: Facts, subject: Subject, lexicon: Lexicon) -> Result<Item, Error> {
        let mut buyer_keys: HashSet<String> = facts.buyers.iter().cloned().collect();
        let mut buyers: Vec<ResolvedName> = Vec::new();
        for kind in KINDS {
            let named = facts
                .buyers
                .iter()
                .filter_map(|name| engine.resolve_name(kind, Facet::Department, name));
            for named in named {
                if buyers.len() < MOST_BUYERS && buyers.iter().all(|known| known.key != named.key) {
                    buyers.push(named);
                }
            }
        }
        for name in buyers
            .iter()
            .flat_map(|named| [Some(&named.name), named.name_fr.as_ref()])
        {
            buyer_keys.extend(name.map(|name| Facet::Department.key(name)));
        }
        let stems = lexicon.stems();
        let words = KINDS
            .iter()
            .map(|kind| Words::of(engine, *kind, &stems))
            .collect::<Result<_, _>>()?;
        Ok(Item {
            facts,
            subject,
            is_record: false,
            stated: None,
            buyer_keys,
            buyers: buyers.into_iter().map(|named| named.key).collect(),
            lexicon,
            stems,
            words,
        })
    }
}

impl Words {
    pub fn of(engine: &dyn Engine, kind: EntityType, stems: &[String]) -> Result<Words, Error> {
        let mut rarities = Vec::with_capacity(stems.len());
        for stem in stems {
            rarities.push(f64::from(engine.idf(kind, stem)?));
        }
        let mut rarest: Vec<usize> = (0..stems.len()).collect();
        rarest.sort_by(|a, b| rarities[*b].total_cmp(&rarities[*a]).then(a.cmp(b)));
        Ok(Words {
            sought: rarest.iter().take(MOST_WORDS).map(|n| stems[*n].clone()).collect(),
            squares: rarities.iter().map(|rarity| rarity * rarity).collect(),
        })
    }
}
