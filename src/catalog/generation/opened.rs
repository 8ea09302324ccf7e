//! [`Generation`]: what a request reads from.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::{
    commodities::Commodities,
    commodity_counts::{CommodityCache, CommodityCounts},
    content_check::ContentCheck,
    derived::DerivedData,
    first_seen::FirstSeen,
    manifest::{EntityTypeManifest, Manifest},
    meanings::{Meanings, MeaningsCache, NameSources},
    source_coverage::SourceCoverage,
    tender_values::TenderValues,
};
use crate::{
    catalog::{
        bids::BidStore,
        estimates::{Market, calibration::Calibration},
        notices::NewestStatuses,
        suppliers::{Party, SupplierList},
        value_cache::{CacheSize, ValueCache},
    },
    engine::{Deadline, Engine, Error},
    model::{Date, EntityType},
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
    /// The words of commodity codes.
    pub commodities: Arc<Commodities>,
    /// Which names of vendors are one supplier.
    pub(crate) suppliers: Arc<SupplierList>,
    /// Which names of buyers are one body.
    pub(crate) bodies: Arc<SupplierList>,
    /// The terms that mean the same in English and in French.
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
    /// Reads the files again where [opening the generation](super::folder::open) did not.
    pub(super) content_check: Option<ContentCheck>,
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
