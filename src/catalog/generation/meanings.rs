//! What typed words may mean in a generation: its suppliers, bodies, commodity codes and municipalities.
//!
//! They are listed when an embedded index is built, and memory-mapped: at ten million records, listing them took five
//! seconds, and they took 280 MB. Of a generation on a cluster, or of an older program, they are listed on first use.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{commodity_counts::CommodityCounts, manifest::EntityTypeManifest};
use crate::{
    catalog::{
        suggest::{MeaningType, Named, SuggestIndex, SuggestNames},
        suppliers::SupplierList,
        value_cache::CacheSize,
    },
    engine::{
        Deadline, Engine, Error,
        packed::{Texts, pack, unpack},
    },
    model::{
        EntityType, body_names,
        commodity::{CommodityCode, Scheme},
        commodity_words::CommodityDictionary,
        fold::fold,
        municipality,
    },
};

/// All that typed words may mean, except solicitations, whose numbers are looked up.
pub(crate) struct Meanings {
    pub(crate) index: SuggestIndex,
    /// Each [`Thing`] as JSON.
    commodities: Texts,
    municipalities: Texts,
}

/// What the names of a generation are listed from.
pub(super) struct NameSources<'g> {
    pub(super) entity_types: &'g [EntityTypeManifest],
    pub(super) suppliers: &'g SupplierList,
    pub(super) bodies: &'g SupplierList,
    pub(super) commodities: &'g CommodityDictionary,
    /// For each entity type the codes that its records have.
    pub(super) codes: Vec<(EntityType, Arc<CommodityCounts>)>,
}

/// A commodity code or a municipality.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Thing {
    /// The value that a filter finds its records by.
    pub(crate) id: String,
    pub(crate) name_en: Option<String>,
    pub(crate) name_fr: Option<String>,
    /// The entity types with records.
    pub(crate) records: Vec<(EntityType, u64)>,
}

impl Thing {
    fn new(id: String) -> Thing {
        Thing {
            id,
            name_en: None,
            name_fr: None,
            records: Vec::new(),
        }
    }

    fn total(&self) -> u64 {
        self.records.iter().map(|(_, records)| records).sum()
    }
}

impl Meanings {
    /// Lists them for the index that an engine has.
    pub(crate) fn list(
        engine: &dyn Engine,
        entity_types: &[EntityTypeManifest],
        commodities: &CommodityDictionary,
        [suppliers, bodies]: [&SupplierList; 2],
    ) -> Result<Meanings, Error> {
        let counts = |of| CommodityCounts::of_records(engine, of, &Deadline::never()).map(|counts| (of, counts.into()));
        let codes: Result<Vec<_>, Error> = EntityType::ALL.into_iter().map(counts).collect();
        Ok(Meanings::of(&NameSources {
            entity_types,
            suppliers,
            bodies,
            commodities,
            codes: codes?,
        }))
    }

    fn of(sources: &NameSources) -> Meanings {
        let mut names = SuggestNames::default();
        add_suppliers(sources.suppliers, &mut names);
        add_bodies(sources.bodies, &mut names);
        let mut add = |meaning: MeaningType, listed: Vec<ThingNames>| -> Texts {
            let mut things = Vec::with_capacity(listed.len());
            for (number, (thing, of_thing)) in (0..).zip(listed) {
                names.add(Named {
                    meaning,
                    number,
                    records: thing.total(),
                    names: of_thing,
                });
                things.push(serde_json::to_string(&thing).expect("its members are texts and numbers"));
            }
            things.iter().map(String::as_str).collect()
        };
        let commodities = add(MeaningType::Commodity, codes(sources));
        let municipalities = add(MeaningType::Municipality, municipalities(sources));
        Meanings {
            index: SuggestIndex::new(names),
            commodities,
            municipalities,
        }
    }

    /// The commodity code or municipality with a number among those of its type; `None` for what is neither.
    pub(crate) fn thing(&self, meaning: MeaningType, number: u32) -> Option<Thing> {
        let things = match meaning {
            MeaningType::Commodity => &self.commodities,
            MeaningType::Municipality => &self.municipalities,
            MeaningType::Supplier | MeaningType::Department | MeaningType::Solicitation => return None,
        };
        let is_known = (number as usize) < things.len();
        is_known.then(|| serde_json::from_slice(things.get_bytes(number)).ok())?
    }

    /// As [`Meanings::from_bytes`] reads them.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let things = [&self.commodities, &self.municipalities].map(Texts::as_bytes);
        let parts = self.index.as_bytes().into_iter().chain(things.into_iter().flatten());
        pack(&parts.collect::<Vec<_>>())
    }

    /// Reads nothing but the lengths of the parts. `None` if they do not belong together.
    pub(super) fn from_bytes(bytes: &Bytes) -> Option<Meanings> {
        let parts = unpack::<14>(bytes)?;
        let (index, things) = parts.split_first_chunk::<10>()?;
        let [codes, code_starts, municipalities, municipality_starts] = <[Bytes; 4]>::try_from(things.to_vec()).ok()?;
        Some(Meanings {
            index: SuggestIndex::of_bytes(index.clone())?,
            commodities: Texts::of_bytes([codes, code_starts])?,
            municipalities: Texts::of_bytes([municipalities, municipality_starts])?,
        })
    }

    /// About what it takes in memory where no file has it.
    pub(super) fn size(&self) -> CacheSize {
        let things = [&self.commodities, &self.municipalities].map(Texts::as_bytes);
        CacheSize {
            entries: 1,
            bytes: self.index.bytes() + things.iter().flatten().map(|part| part.len()).sum::<usize>(),
        }
    }
}

/// A thing, and all names by which it is found.
type ThingNames = (Thing, Vec<String>);

fn add_suppliers(suppliers: &SupplierList, names: &mut SuggestNames) {
    let keys = suppliers.keys_of_each();
    for number in 0..suppliers.len() as u32 {
        let records = suppliers.records(number);
        // A bidder that never won has no record to find.
        if records > 0 {
            names.add(Named {
                meaning: MeaningType::Supplier,
                number,
                records,
                names: keys.get(number).iter().map(|key| suppliers.key(key)),
            });
        }
    }
}

/// The bodies that buy, also by their acronyms.
fn add_bodies(list: &SupplierList, listed: &mut SuggestNames) {
    for number in 0..list.len() as u32 {
        let Some(body) = list.get(number).filter(|body| body.records > 0) else {
            continue;
        };
        let spellings = body.names.into_iter().flat_map(|of| [Some(of.name), of.name_fr]);
        let mut names: Vec<String> = spellings.flatten().collect();
        // An acronym in brackets may be that of another body in the table.
        let keys: Vec<String> = names.iter().map(|name| fold(name)).collect();
        names.extend(names.iter().filter_map(|name| stated_acronym(name)).collect::<Vec<_>>());
        names.extend_from_slice(body_names::all_names(keys.iter().map(String::as_str)));
        // A former body without purchases leads to those that took over a part of it.
        let former = body_names::parts_of(keys.iter().map(String::as_str)).iter();
        names.extend(former.filter(|name| !has_body(list, name)).cloned());
        names.sort_unstable();
        names.dedup();
        listed.add(Named {
            meaning: MeaningType::Department,
            number,
            records: body.records,
            names,
        });
    }
}

/// Whether any name of the body with a name has purchases.
fn has_body(list: &SupplierList, name: &str) -> bool {
    let names = body_names::all_names([fold(name).as_str()]);
    names.iter().any(|name| list.find_name(name).is_some())
}

/// The acronym that a name states in brackets at its end: `STM` of `Société de transport de Montréal (STM)`.
fn stated_acronym(name: &str) -> Option<String> {
    let (_, inside) = name.trim().strip_suffix(')')?.rsplit_once('(')?;
    let is_acronym = (2..=8).contains(&inside.len()) && inside.chars().all(char::is_uppercase);
    is_acronym.then(|| inside.to_owned())
}

fn codes(sources: &NameSources) -> Vec<ThingNames> {
    let mut codes: BTreeMap<CommodityCode, Thing> = BTreeMap::new();
    for (entity_type, counts) in &sources.codes {
        for count in counts.all() {
            let thing = codes
                .entry(count.code.clone())
                .or_insert_with_key(|code| Thing::new(code.key().to_owned()));
            thing.records.push((*entity_type, count.records));
        }
    }
    let named = codes.into_iter().map(|(code, mut thing)| {
        if let Some(words) = sources.commodities.own(&code) {
            (thing.name_en, thing.name_fr) = (words.en.clone(), words.fr.clone());
        }
        let written = code.code().to_owned();
        // UNSPSC is often written with all its eight digits.
        let padded = (code.scheme() == Scheme::Unspsc && written.len() < 8).then(|| format!("{written:0<8}"));
        let names = [Some(written), padded, thing.name_en.clone(), thing.name_fr.clone()];
        (thing, names.into_iter().flatten().collect())
    });
    named.collect()
}

fn municipalities(sources: &NameSources) -> Vec<ThingNames> {
    let mut places: BTreeMap<&str, Thing> = BTreeMap::new();
    for (entity_type, manifest) in EntityType::ALL.into_iter().zip(sources.entity_types) {
        for row in &manifest.coverage {
            let place = places
                .entry(&row.municipality)
                .or_insert_with(|| Thing::new(row.municipality.clone()));
            place.name_en = place.name_en.take().or_else(|| row.name_en.clone());
            place.name_fr = place.name_fr.take().or_else(|| row.name_fr.clone());
            place.records.push((entity_type, row.records));
        }
    }
    let named = places.into_iter().map(|(slug, thing)| {
        let known = municipality::by_slug(slug).into_iter();
        let mut names: Vec<String> = known.flat_map(|city| city.names()).map(str::to_owned).collect();
        // A city is also known by its bodies, which have meanings of their own.
        names.retain(|name| body_names::all_names([fold(name).as_str()]).is_empty());
        names.push(slug.to_owned());
        names.extend([thing.name_en.clone(), thing.name_fr.clone()].into_iter().flatten());
        names.sort_unstable();
        names.dedup();
        (thing, names)
    });
    named.collect()
}

/// The names of a generation: those of its file, or listed on first use.
pub(super) struct MeaningsCache {
    known: OnceLock<Arc<Meanings>>,
    /// Whether they are those of the file, which take no memory of their own.
    are_stored: bool,
    /// Held while they are listed, so that many first requests list them once.
    listing: Mutex<()>,
}

impl MeaningsCache {
    pub(super) fn new(stored: Option<Meanings>) -> MeaningsCache {
        MeaningsCache {
            are_stored: stored.is_some(),
            known: stored
                .map(|stored| OnceLock::from(Arc::new(stored)))
                .unwrap_or_default(),
            listing: Mutex::default(),
        }
    }

    pub(super) fn known(&self) -> Option<Arc<Meanings>> {
        self.known.get().cloned()
    }

    pub(super) fn get(&self, sources: &NameSources) -> Arc<Meanings> {
        let _listing = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.known() {
            return known;
        }
        Arc::clone(self.known.get_or_init(|| Arc::new(Meanings::of(sources))))
    }

    pub(super) fn size(&self) -> CacheSize {
        let listed = self.known.get().filter(|_| !self.are_stored);
        listed.map_or_else(CacheSize::default, |listed| listed.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::suppliers::Party;

    #[test]
    fn an_acronym_is_stated_in_brackets_at_the_end() {
        for (name, expected) in [
            ("Société de transport de Montréal (STM)", Some("STM")),
            ("Emploi (EDSC) ", Some("EDSC")),
            ("Hatley (canton)", None),
            ("Ville (QC) de X", None),
            ("(A)", None),
            (")", None),
            ("", None),
        ] {
            assert_eq!(stated_acronym(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn names_are_read_from_a_file_as_they_were_listed() {
        let lines = r#"{"id":"sup_0000000000000001","records":3,"names":[{"name":"Pavages Acme"}],"numbers":[]}
"#;
        let suppliers = SupplierList::parse(Party::Supplier, lines.into()).unwrap();
        let commodities = CommodityDictionary::default();
        let listed = Meanings::of(&NameSources {
            entity_types: &[],
            suppliers: &suppliers,
            bodies: &SupplierList::parse(Party::Body, Bytes::new()).unwrap(),
            commodities: &commodities,
            codes: Vec::new(),
        });
        let bytes = Bytes::from(listed.to_bytes());
        let read = Meanings::from_bytes(&bytes).unwrap();
        for text in ["acme", "pavage acm", "pavages acme", "zzyzx"] {
            let found = |meanings: &Meanings| meanings.index.find(text, 5, &Deadline::never()).unwrap();
            assert_eq!(found(&read), found(&listed), "{text}");
        }
        assert!(read.thing(MeaningType::Commodity, 0).is_none() && read.thing(MeaningType::Supplier, 0).is_none());
        assert_eq!(MeaningsCache::new(Some(read)).size(), CacheSize::default());
        for damaged in [bytes.slice(1..), bytes.slice(..bytes.len() - 1), Bytes::new()] {
            assert!(Meanings::from_bytes(&damaged).is_none());
        }
    }
}
