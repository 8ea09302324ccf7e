//! An opened generation, how it is verified and opened, and how one is put in service.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use anyhow::{Context, ensure};
use bytes::Bytes;

use super::{
    checksums::verify,
    commodities::Commodities,
    commodity_counts::{CommodityCache, CommodityCounts},
    content_check::ContentCheck,
    derived::DerivedData,
    first_seen::FirstSeen,
    layout::{
        BIDS, BODIES, CALIBRATION, COMMODITIES, FIRST_SEEN, MEANINGS, NEWEST_STATUSES, REMEDY, SUPPLIERS,
        SUPPLIERS_FOUND_BY, TENDER_VALUES, list, lock, read_json, set_current,
    },
    manifest::{EntityTypeManifest, Manifest},
    meanings::{Meanings, MeaningsCache, NameSources},
    receipt::Receipt,
    source_coverage::SourceCoverage,
    tender_values::TenderValues,
};
use crate::{
    catalog::{
        bids::{BidStore, StoredBids},
        estimates::{Market, calibration::Calibration},
        notices::NewestStatuses,
        suppliers::{Party, SupplierList},
        value_cache::{CacheSize, ValueCache},
    },
    engine::{
        Deadline, Engine, Error,
        tantivy::{TantivyEngine, map_bytes},
    },
    model::{Date, EntityType, commodity_words::CommodityDictionary},
    query::translate::Translator,
};

/// An opened, verified generation. A request takes one when it starts and uses no other.
pub struct Generation {
    pub(crate) id: String,
    pub manifest: Manifest,
    pub engine: Arc<dyn Engine>,
    /// How wide the ranges of estimates must be.
    pub calibration: Calibration,
    /// For tenders with several notices, the status that the newest one states.
    pub(crate) newest_statuses: NewestStatuses,
    /// When recent tenders were first indexed.
    pub(crate) first_seen: FirstSeen,
    /// The words of commodity codes, and which codes are below which.
    pub commodities: Arc<Commodities>,
    /// Which names of vendors are one supplier.
    pub(crate) suppliers: Arc<SupplierList>,
    /// Which names of buyers are one body.
    pub(crate) bodies: Arc<SupplierList>,
    /// What English and French call the same.
    pub translator: Arc<Translator>,
    /// The bids of tenders.
    pub(crate) bids: BidStore,
    /// Estimated values of tenders.
    pub(crate) values: ValueCache,
    /// Which years the sources of each entity type cover.
    coverage: [Vec<SourceCoverage>; EntityType::ALL.len()],
    /// The statistics of all records of each entity type, as responses.
    statistics: [OnceLock<Bytes>; EntityType::ALL.len()],
    /// The commodity codes that records have.
    commodity_counts: CommodityCache,
    /// What typed words may mean.
    meanings: MeaningsCache,
    /// Reads the files again where opening it did not.
    content_check: Option<ContentCheck>,
}

impl Generation {
    pub(super) fn new(
        id: &str,
        manifest: Manifest,
        engine: Arc<dyn Engine>,
        derived: DerivedData,
    ) -> anyhow::Result<Generation> {
        let commodities = Commodities::new(derived.commodities);
        let coverage = EntityType::ALL.map(|of| SourceCoverage::all_of(&manifest.entity_types[of as usize]));
        Ok(Generation {
            coverage,
            id: id.to_owned(),
            manifest,
            engine,
            calibration: derived.calibration,
            newest_statuses: derived.newest_statuses,
            first_seen: derived.first_seen,
            translator: Arc::new(commodities.translator()),
            commodities: Arc::new(commodities),
            bids: BidStore::from(derived.bids),
            values: derived.tender_values.map(TenderValues::into_cache).unwrap_or_default(),
            statistics: Default::default(),
            commodity_counts: CommodityCache::default(),
            meanings: MeaningsCache::new(derived.meanings),
            content_check: None,
            suppliers: Arc::new(derived.suppliers),
            bodies: Arc::new(derived.bodies),
        })
    }

    /// The suppliers or the bodies.
    pub(crate) fn parties(&self, party: Party) -> &SupplierList {
        match party {
            Party::Supplier => &self.suppliers,
            Party::Body => &self.bodies,
        }
    }

    /// What the check in the background has found to be damaged.
    pub(super) fn damage(&self) -> Option<anyhow::Error> {
        self.content_check.as_ref()?.damage()
    }

    /// The statistics of all records of an entity type, computed on first use. Two threads may
    /// compute them at the same time; both get the same.
    pub(crate) fn statistics<E>(
        &self,
        entity_type: EntityType,
        compute: impl FnOnce() -> Result<Bytes, E>,
    ) -> Result<Bytes, E> {
        let cached = &self.statistics[entity_type as usize];
        match cached.get() {
            Some(statistics) => Ok(statistics.clone()),
            None => {
                let statistics = compute()?;
                Ok(cached.get_or_init(|| statistics).clone())
            }
        }
    }

    /// Whether the statistics of all records of an entity type were computed.
    pub(crate) fn has_statistics(&self, entity_type: EntityType) -> bool {
        self.statistics[entity_type as usize].get().is_some()
    }

    /// What the statistics of all records take.
    pub(crate) fn statistics_size(&self) -> CacheSize {
        let computed = || self.statistics.iter().filter_map(OnceLock::get);
        CacheSize {
            entries: computed().count(),
            bytes: computed().map(Bytes::len).sum(),
        }
    }

    /// The commodity codes that the records of an entity type have, or those of all, counted on first use. Two threads
    /// may count them at the same time; both get the same.
    pub(crate) fn commodity_counts(
        &self,
        of: Option<EntityType>,
        deadline: &Deadline,
    ) -> Result<Arc<CommodityCounts>, Error> {
        self.commodity_counts.get(&*self.engine, of, deadline)
    }

    /// The commodity codes that the records of an entity type have, or those of all, if they were counted.
    pub(crate) fn known_commodity_counts(&self, of: Option<EntityType>) -> Option<Arc<CommodityCounts>> {
        self.commodity_counts.known(of)
    }

    /// What the commodity codes of records take.
    pub(crate) fn commodity_counts_size(&self) -> CacheSize {
        self.commodity_counts.size()
    }

    /// What typed words may mean, listed on first use where no file has it.
    pub(crate) fn meanings(&self, deadline: &Deadline) -> Result<Arc<Meanings>, Error> {
        if let Some(known) = self.meanings.known() {
            return Ok(known);
        }
        let counts = |entity_type| Ok((entity_type, self.commodity_counts(Some(entity_type), deadline)?));
        let codes: Result<Vec<_>, Error> = EntityType::ALL.into_iter().map(counts).collect();
        let sources = NameSources {
            entity_types: &self.manifest.entity_types,
            suppliers: &self.suppliers,
            bodies: &self.bodies,
            commodities: self.commodities.dictionary(),
            codes: codes?,
        };
        Ok(self.meanings.get(&sources))
    }

    /// What typed words may mean, if a file has it or it was listed.
    pub(crate) fn known_meanings(&self) -> Option<Arc<Meanings>> {
        self.meanings.known()
    }

    /// What the names that typed words may mean take.
    pub(crate) fn meanings_size(&self) -> CacheSize {
        self.meanings.size()
    }

    pub fn manifest_of(&self, entity_type: EntityType) -> &EntityTypeManifest {
        &self.manifest.entity_types[entity_type as usize]
    }

    /// Which years the sources of an entity type cover, in the order of their identifiers.
    pub(crate) fn coverage_of(&self, entity_type: EntityType) -> &[SourceCoverage] {
        &self.coverage[entity_type as usize]
    }

    /// The contracts of this generation as of a day, for estimates and comparables.
    pub fn market(&self, today: Date, years_back: u32, deadline: Deadline) -> Market<'_> {
        Market {
            engine: &*self.engine,
            calibration: &self.calibration,
            today,
            years_back,
            deadline,
        }
    }
}

/// Opens and verifies a generation: its manifest, its schemas, the size and checksum of every file.
///
/// Files that no program has written to since their checksums were right are not read again; a thread does that while
/// the generation is in use.
pub fn open(index_dir: &Path, id: &str) -> anyhow::Result<Generation> {
    let folder = index_dir.join(id);
    let files = Manifest::read(&folder)?.files;
    let state = Receipt::of(&folder, &files).ok();
    if state.as_ref().is_some_and(|state| state.is_that_of(&folder)) {
        let mut generation = open_unverified(&folder, id)?;
        generation.content_check = ContentCheck::start(&folder, &files);
        return Ok(generation);
    }
    verify(&folder, &files)?;
    if let Some(state) = state {
        state.store(&folder);
    }
    open_unverified(&folder, id)
}

/// Opens a generation without checking its files' checksums.
pub(crate) fn open_unverified(folder: &Path, id: &str) -> anyhow::Result<Generation> {
    let manifest = Manifest::read(folder)?;
    manifest.check_schemas(id)?;
    let engine = TantivyEngine::open(folder, |entity_type| manifest.records(entity_type)).context(REMEDY)?;
    let derived = DerivedData {
        newest_statuses: read_json(&folder.join(NEWEST_STATUSES), "list of the newest statuses")?,
        calibration: read_json(&folder.join(CALIBRATION), "calibration")?,
        first_seen: read_json(&folder.join(FIRST_SEEN), "list of first-seen times")?,
        tender_values: tender_values(folder, &manifest)?,
        commodities: commodities(folder, &manifest)?,
        bids: bids(folder, &manifest)?,
        meanings: meanings(folder, &manifest)?,
        suppliers: names_of(Party::Supplier, folder, &manifest)?,
        bodies: names_of(Party::Body, folder, &manifest)?,
    };
    Generation::new(id, manifest, Arc::new(engine), derived)
}

/// The values that were estimated when it was built. A generation of an older program has none.
fn tender_values(folder: &Path, manifest: &Manifest) -> anyhow::Result<Option<TenderValues>> {
    if manifest.files.iter().any(|file| file.path == TENDER_VALUES) {
        read_json(&folder.join(TENDER_VALUES), "list of values of tenders").map(Some)
    } else {
        Ok(None)
    }
}

/// The words of commodity codes. A generation of an older program has none.
fn commodities(folder: &Path, manifest: &Manifest) -> anyhow::Result<CommodityDictionary> {
    if manifest.files.iter().any(|file| file.path == COMMODITIES) {
        read_json(&folder.join(COMMODITIES), "list of commodity codes")
    } else {
        Ok(CommodityDictionary::default())
    }
}

/// Which names are one supplier, or one body. A generation of an older program does not state it.
fn names_of(party: Party, folder: &Path, manifest: &Manifest) -> anyhow::Result<SupplierList> {
    let map = |name: &str| {
        if !manifest.files.iter().any(|file| file.path == name) {
            return Ok(None);
        }
        let mapped = map_bytes(&folder.join(name)).with_context(|| format!("reading the list of {}", party.plural()));
        mapped.map(Some).context(REMEDY)
    };
    let (lines, found_by) = match party {
        Party::Supplier => (map(SUPPLIERS)?, map(SUPPLIERS_FOUND_BY)?),
        // There are some thousands.
        Party::Body => (map(BODIES)?, None),
    };
    match (lines, found_by) {
        (Some(text), Some(found_by)) => {
            let list = SupplierList::open(party, text, &found_by);
            list.with_context(|| format!("{SUPPLIERS_FOUND_BY} does not belong to {SUPPLIERS}: {REMEDY}"))
        }
        (text, _) => parse_list(party, text.unwrap_or_default()),
    }
}

/// The suppliers or bodies of a generation that has nothing but their lines.
pub(super) fn parse_list(party: Party, text: impl Into<Bytes>) -> anyhow::Result<SupplierList> {
    SupplierList::parse(party, text.into())
        .with_context(|| format!("the list of {} is not one of this version", party.plural()))
        .context(REMEDY)
}

/// The bids of tenders. A generation of an older program has none.
fn bids(folder: &Path, manifest: &Manifest) -> anyhow::Result<StoredBids> {
    if manifest.files.iter().any(|file| file.path == BIDS) {
        read_json(&folder.join(BIDS), "list of bids")
    } else {
        Ok(StoredBids::default())
    }
}

/// What typed words may mean. A generation of an older program has none.
fn meanings(folder: &Path, manifest: &Manifest) -> anyhow::Result<Option<Meanings>> {
    if !manifest.files.iter().any(|file| file.path == MEANINGS) {
        return Ok(None);
    }
    let mapped = map_bytes(&folder.join(MEANINGS)).with_context(|| format!("reading {MEANINGS}: {REMEDY}"))?;
    let read = Meanings::from_bytes(&mapped);
    read.map(Some)
        .with_context(|| format!("the parts of {MEANINGS} do not belong together: {REMEDY}"))
}

/// Puts a generation in service after checking that it opens. Refused while a build is in progress.
pub fn switch_to(index_dir: &Path, id: &str) -> anyhow::Result<()> {
    let known = list(index_dir)?;
    ensure!(
        known.iter().any(|known| known == id),
        "no generation {id} in {}; there are: {}",
        index_dir.display(),
        known.join(", ")
    );
    let _lock = lock(index_dir)?;
    open(index_dir, id)?;
    set_current(index_dir, id)
}
