//! What typed words may mean in a generation: its suppliers, bodies, commodity codes and municipalities.
//!
//! Decision D-253 holds here too: a generation never changes, so the names are listed once, on first use.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use super::{commodities::Commodities, commodity_counts::CommodityCounts, manifest::Manifest};
use crate::{
    catalog::{
        suggest::{MeaningType, Named, SuggestIndex, SuggestNames},
        suppliers::SupplierList,
        value_cache::CacheSize,
    },
    model::{
        EntityType, body_names,
        commodity::{CommodityCode, Scheme},
        fold::fold,
        municipality,
    },
};

/// All that typed words may mean, except solicitations, whose numbers are looked up.
pub(crate) struct Meanings {
    pub(crate) index: SuggestIndex,
    things: BTreeMap<u8, Vec<Thing>>,
}

/// What the names of a generation are listed from.
pub(super) struct NameSources<'g> {
    pub(super) manifest: &'g Manifest,
    pub(super) suppliers: &'g SupplierList,
    pub(super) bodies: &'g SupplierList,
    pub(super) commodities: &'g Commodities,
    /// For each entity type the codes that its records have.
    pub(super) codes: Vec<(EntityType, Arc<CommodityCounts>)>,
}

/// A commodity code or a municipality.
#[derive(Debug)]
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
    fn of(sources: &NameSources) -> Meanings {
        let mut names = SuggestNames::default();
        add_suppliers(sources.suppliers, &mut names);
        add_bodies(sources.bodies, &mut names);
        let mut things = BTreeMap::new();
        for (meaning, listed) in [
            (MeaningType::Commodity, codes(sources)),
            (MeaningType::Municipality, municipalities(sources)),
        ] {
            let mut of_type = Vec::with_capacity(listed.len());
            for (number, (thing, of_thing)) in (0..).zip(listed) {
                names.add(Named {
                    meaning,
                    number,
                    records: thing.total(),
                    names: of_thing,
                });
                of_type.push(thing);
            }
            things.insert(meaning as u8, of_type);
        }
        Meanings {
            index: SuggestIndex::new(names),
            things,
        }
    }

    /// What has a number among those of its type; `None` for a supplier or a body.
    pub(crate) fn thing(&self, meaning: MeaningType, number: u32) -> Option<&Thing> {
        self.things.get(&(meaning as u8))?.get(number as usize)
    }

    /// About what it takes in memory.
    pub(super) fn size(&self) -> CacheSize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let thing = |thing: &Thing| {
            let texts = thing.id.len() + text(&thing.name_en) + text(&thing.name_fr);
            size_of::<Thing>() + texts + size_of_val(thing.records.as_slice())
        };
        CacheSize {
            entries: 1,
            bytes: self.index.bytes() + self.things.values().flatten().map(thing).sum::<usize>(),
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
        if let Some(words) = sources.commodities.title(&code) {
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
    for entity_type in EntityType::ALL {
        for row in &sources.manifest.entity_types[entity_type as usize].coverage {
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

/// The names of a generation, listed on first use.
#[derive(Default)]
pub(super) struct MeaningsCache {
    known: OnceLock<Arc<Meanings>>,
    /// Held while they are listed, so that many first requests list them once.
    listing: Mutex<()>,
}

impl MeaningsCache {
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
        self.known.get().map_or_else(CacheSize::default, |known| known.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
