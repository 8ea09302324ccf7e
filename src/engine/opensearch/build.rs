//! A build in progress: the indexes of a new generation are created and loaded, verified, given
//! their copies, and put in service together.
//!
//! Nothing is in service before the last step. A build that fails removes its indexes; what a killed
//! build left is removed by the next one.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use anyhow::{Context, ensure};
use chrono::{NaiveDateTime, TimeDelta, Utc};

use super::{
    build_lock::BuildLock,
    build_totals::RecordSummary,
    bulk::BulkLoader,
    catalog_index::{self, GenerationEntry},
    client::Client,
    cluster_error::ClusterError,
    cluster_indexes,
    document::RecordDocument,
    facet_codes::FacetCodes,
    generations::in_service,
    mapping::{self, index_name},
    names_file::names_file,
    old_generations::{name_unfinished, remove, remove_old},
    recovery_source,
    retry::retry,
    settings::ClusterSettings,
    verify::{SAMPLES, Sample, verify_records},
};
use crate::{
    engine::deadline::Deadline,
    model::{EntityType, Record, Schema},
};

pub(crate) use super::build_totals::BuildTotals;

/// A build in progress. Its lock excludes any other build with the same prefix.
pub(crate) struct ClusterBuild {
    client: Arc<Client>,
    settings: ClusterSettings,
    id: String,
    kept: usize,
    entry: Mutex<GenerationEntry>,
    /// What was sent, to compare with what the cluster has.
    loaded: Mutex<Vec<Loaded>>,
    is_published: bool,
    lock: BuildLock,
}

/// The records of an entity type that were sent.
#[derive(Clone)]
struct Loaded {
    entity_type: EntityType,
    summary: RecordSummary,
    samples: Vec<Sample>,
}

/// Loads the records of an entity type. Any number of threads add records.
pub(crate) struct EntityWriter<'a> {
    build: &'a ClusterBuild,
    schema: &'static Schema,
    loader: BulkLoader,
    codes: FacetCodes,
    summary: RecordSummary,
    /// Every so many records one is read back.
    sample_every: u64,
    samples: Mutex<Vec<Sample>>,
    bytes: AtomicU64,
}

/// The form of the id of a generation.
const ID_FORMAT: &str = "%Y%m%dT%H%M%S%3fZ";

impl ClusterBuild {
    /// Takes the lock, and removes what killed builds left. `kept` is the number of complete generations that stay.
    pub(crate) fn start(client: Arc<Client>, settings: &ClusterSettings, kept: usize) -> anyhow::Result<ClusterBuild> {
        catalog_index::create_if_missing(&client, settings.replicas).context("creating the catalog")?;
        let lock = BuildLock::acquire(&client, settings).map_err(|error| name_unfinished(&client, error))?;
        remove_old(&client, kept, None)?;
        let id = next_id(&client)?;
        let build = ClusterBuild {
            entry: Mutex::new(GenerationEntry::new(&id)),
            client,
            settings: settings.clone(),
            id,
            kept,
            loaded: Mutex::default(),
            is_published: false,
            lock,
        };
        build.write_entry()?;
        Ok(build)
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Creates the index of an entity type, and stores its names and words. `totals` count all its
    /// records.
    pub(crate) fn entity_type(&self, schema: &'static Schema, totals: BuildTotals) -> anyhow::Result<EntityWriter<'_>> {
        let (entity_type, totals) = (schema.entity_type, totals.finish());
        self.store(&names_file(entity_type), &serde_json::to_vec(&totals.names)?)?;
        self.create(entity_type, self.settings.shards_of(totals.summary.records))?;
        Ok(EntityWriter {
            build: self,
            schema,
            loader: BulkLoader::start(&self.client, self.index(entity_type), &self.settings, self.lock.loss()),
            codes: totals.codes,
            summary: totals.summary,
            sample_every: (totals.summary.records / SAMPLES).max(1),
            samples: Mutex::default(),
            bytes: AtomicU64::new(0),
        })
    }

    /// Stores a JSON text of the generation under a name.
    pub(crate) fn file(&self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        self.store(name, content)?;
        self.write_entry()
    }

    /// Prepares the loaded indexes for searches, and compares them with what was sent. Afterwards
    /// the generation can be opened.
    pub(crate) fn complete(&self) -> anyhow::Result<()> {
        self.lock.check()?;
        self.retry(|| cluster_indexes::allow_relocation(&self.client, &self.indexes()))?;
        for index in self.indexes() {
            let refreshing = || format!("refreshing {index}");
            self.retry(|| cluster_indexes::refresh(&self.client, &index).with_context(refreshing))?;
            cluster_indexes::force_merge(&self.client, &index, self.settings.patience)?;
        }
        self.verify()?;
        for loaded in self.loaded().iter() {
            self.entry().set_summary(loaded.entity_type, loaded.summary);
        }
        self.write_entry()
    }

    /// Makes the copies of the shards, puts the generation in service, and removes the
    /// generations that need not stay. Returns its id.
    pub(crate) fn publish(mut self) -> anyhow::Result<String> {
        let indexes = self.indexes();
        let (replicas, patience) = (self.settings.replicas, self.settings.patience);
        self.retry(|| cluster_indexes::replicate(&self.client, &indexes, replicas, patience))?;
        // A node that was lost since the first verification would take documents with it.
        self.verify()?;
        let previous = match self.retry(|| in_service(&self.client, &Deadline::never())) {
            // Aliases that name no generation do not hinder a new one.
            Err(error) if !error.is::<ClusterError>() => {
                log::warn!("{error:#}");
                None
            }
            previous => previous?,
        };
        self.entry().is_complete = true;
        self.write_entry()?;
        self.lock.check()?;
        self.retry(|| {
            cluster_indexes::switch_aliases(&self.client, &self.id, &Deadline::never())
                .context("putting the new generation in service")
        })?;
        self.is_published = true;
        let removed = self.lock.check();
        let removed = removed.and_then(|()| remove_old(&self.client, self.kept, previous.as_deref()));
        if let Err(error) = removed {
            log::warn!("old generations stay until the next build: {error:#}");
        }
        Ok(self.id.clone())
    }

    fn verify(&self) -> anyhow::Result<()> {
        for loaded in self.loaded().clone() {
            let (entity_type, index) = (loaded.entity_type, self.index(loaded.entity_type));
            self.retry(|| verify_records(&self.client, &index, entity_type, &loaded.summary, &loaded.samples))?;
        }
        Ok(())
    }

    fn indexes(&self) -> Vec<String> {
        EntityType::ALL.map(|entity_type| self.index(entity_type)).into()
    }

    fn index(&self, entity_type: EntityType) -> String {
        index_name(&self.client.prefix, entity_type, &self.id)
    }

    fn create(&self, entity_type: EntityType, shards: u32) -> anyhow::Result<()> {
        let index = self.index(entity_type);
        let mut definition = mapping::definition(entity_type, shards);
        let can_be_left_out = || recovery_source::can_be_left_out(&self.client);
        if self.retry(|| can_be_left_out().context("reading the version of the cluster"))? {
            recovery_source::leave_out(&mut definition);
        }
        let creating = || format!("creating {index}");
        self.retry(|| cluster_indexes::create_if_missing(&self.client, &index, &definition).with_context(creating))
    }

    fn store(&self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        self.retry(|| self.entry().write_file(&self.client, name, content))
    }

    fn write_entry(&self) -> anyhow::Result<()> {
        self.retry(|| self.entry().write(&self.client).context("writing the catalog"))
    }

    /// Repeats a step while the cluster does not answer.
    pub(crate) fn retry<T>(&self, step: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
        retry(self.settings.patience, step)
    }

    fn entry(&self) -> MutexGuard<'_, GenerationEntry> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn loaded(&self) -> MutexGuard<'_, Vec<Loaded>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClusterBuild {
    /// Removes the indexes of a build that failed. After a kill, the next build removes them.
    fn drop(&mut self) {
        if self.is_published || !self.lock.is_held() {
            return;
        }
        if let Err(error) = remove(&self.client, &self.id) {
            log::warn!("the indexes of the failed build stay until the next one: {error:#}");
        }
    }
}

impl EntityWriter<'_> {
    /// Adds a record with its JSON and its number in the default order.
    pub(crate) fn add(&self, number: u32, record: &Record, json: &[u8]) -> anyhow::Result<()> {
        let number = u64::from(number);
        if number.is_multiple_of(self.sample_every) {
            let crc32 = crc32fast::hash(json);
            self.samples().push(Sample { number, crc32 });
        }
        self.bytes.fetch_add(json.len() as u64, Relaxed);
        let json = std::str::from_utf8(json).context("a record is not UTF-8")?;
        let document = RecordDocument {
            schema: self.schema,
            record,
            json,
            number,
            codes: &self.codes,
        };
        self.loader.add(&number.to_string(), &document)
    }

    /// Waits until all records are stored. Returns their number.
    pub(crate) fn finish(self) -> anyhow::Result<u64> {
        let samples = std::mem::take(&mut *self.samples());
        let (entity_type, bytes) = (self.schema.entity_type, self.bytes.load(Relaxed));
        let loaded = self
            .loader
            .finish()
            .with_context(|| format!("loading the {entity_type} records"))?;
        ensure!(
            (loaded, bytes) == (self.summary.records, self.summary.bytes),
            "{loaded} of {} {entity_type} records were loaded, with {bytes} of {} bytes",
            self.summary.records,
            self.summary.bytes
        );
        self.build.loaded().push(Loaded {
            entity_type,
            summary: self.summary,
            samples,
        });
        Ok(loaded)
    }

    fn samples(&self) -> MutexGuard<'_, Vec<Sample>> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An id for a build that starts now, greater than the id of every other generation.
fn next_id(client: &Client) -> anyhow::Result<String> {
    let now = Utc::now().format(ID_FORMAT).to_string();
    let indexes = cluster_indexes::list(client, &Deadline::never())?;
    let newest = indexes.into_iter().map(|index| index.generation).max();
    Ok(match newest {
        // The clock was set back.
        Some(newest) if newest >= now => {
            let time = NaiveDateTime::parse_from_str(&newest, ID_FORMAT).context("reading the id of a generation")?;
            let next = time.checked_add_signed(TimeDelta::milliseconds(1)).unwrap_or(time);
            next.format(ID_FORMAT).to_string()
        }
        _ => now,
    })
}
