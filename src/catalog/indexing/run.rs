//! One run of `procure index`.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, bail, ensure};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{
    cluster::ClusterTarget,
    embedded::EmbeddedBuild,
    read_dumps::read_dumps,
    report::{EntityTypeReport, IndexReport, ValueReport},
    target::BuildTarget,
    value_tenders::value_open_tenders,
};
use crate::{
    catalog::{
        generation::{Build, DerivedData, EntityTypeManifest, FirstSeen, GenerationStore, recent_tender_ids},
        market::holdout::calibrate,
        notices::NewestStatuses,
    },
    engine::{Deadline, Engine},
    model::{Date, EntityType, Schema},
    storage::dump,
};

/// What to index, and where to.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// Holds `<entity_type>/<source_id>.ndjson`, plain, `.gz` or `.zst`.
    pub dumps: PathBuf,
    pub store: GenerationStore,
    /// Approximate memory limit of the index segments in progress, in MiB. The embedded engine has them.
    pub memory_mb: usize,
    /// Makes an invalid line, or a file that is not a dump, an error.
    pub strict: bool,
}

/// Decision D-131: the default of `--memory-mb`.
pub const DEFAULT_MEMORY_MB: usize = 512;

/// Indexes all dumps and publishes the generation.
pub fn run(options: &IndexOptions) -> anyhow::Result<IndexReport> {
    let dumps = CheckedDumps::new(&options.dumps, options.strict)?;
    let searches_per_core = options.store.searches_per_core();
    match &options.store {
        GenerationStore::Folder(index_dir) => {
            let build = EmbeddedBuild {
                build: Build::start(index_dir)?,
                memory_mb: options.memory_mb,
            };
            dumps.index(build, searches_per_core)
        }
        GenerationStore::Cluster(store) => dumps.index(ClusterTarget::start(store)?, searches_per_core),
    }
}

/// A folder of dumps.
struct CheckedDumps<'a> {
    folder: &'a Path,
    strict: bool,
    /// Files that are not dumps.
    left_out: Vec<PathBuf>,
    started: Instant,
}

impl CheckedDumps<'_> {
    fn new(folder: &Path, strict: bool) -> anyhow::Result<CheckedDumps<'_>> {
        let started = Instant::now();
        ensure!(
            folder.is_dir(),
            "{} is not a folder; `procure normalize` writes dumps",
            folder.display()
        );
        let left_out = dump::unknown_files(folder)?;
        if strict && let Some(path) = left_out.first() {
            bail!(
                "{} is not a dump; dumps are <entity_type>/<source_id>.ndjson, .ndjson.gz or .ndjson.zst",
                path.display()
            );
        }
        Ok(CheckedDumps {
            folder,
            strict,
            left_out,
            started,
        })
    }

    /// Indexes all dumps and publishes the generation.
    fn index(self, target: impl BuildTarget, searches_per_core: NonZeroUsize) -> anyhow::Result<IndexReport> {
        let (mut entity_types, mut manifests) = (Vec::new(), Vec::new());
        for entity_type in EntityType::ALL {
            let schema = Schema::of(entity_type);
            let spool_folder = target.spool_folder(entity_type)?;
            let records = read_dumps(schema, self.folder, self.strict, &spool_folder)?;
            let manifest = target.write_records(schema, &records)?;
            entity_types.push(EntityTypeReport {
                entity_type,
                records: manifest.records,
                files: records.files,
            });
            manifests.push(manifest);
        }
        ensure!(
            entity_types.iter().any(|report| report.records > 0),
            "{} holds no record in a dump <entity_type>/<source_id>.ndjson; nothing was published",
            self.folder.display()
        );
        let engine = target.engine(&manifests).context("opening the index just built")?;
        let previous = target.previous_first_seen()?;
        let derive = || derive(&*engine, &manifests, previous);
        let (derived, tender_values) = if engine.is_local() {
            derive()?
        } else {
            waiting_threads(searches_per_core)?.install(derive)?
        };
        // Publishing opens the generation again.
        drop(engine);
        let generation = target.publish(manifests, &derived)?;
        Ok(IndexReport {
            generation,
            entity_types,
            left_out: self.left_out,
            tender_values,
            seconds: self.started.elapsed().as_secs_f64(),
        })
    }
}

/// Threads for searches on another machine, which wait most of the time.
fn waiting_threads(searches_per_core: NonZeroUsize) -> anyhow::Result<ThreadPool> {
    let threads = rayon::current_num_threads().saturating_mul(searches_per_core.get());
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.context("starting threads for searches")
}

/// Computes what is derived from the finished index: the calibration of estimates, when recent
/// tenders were first indexed, the newest statuses of tenders, and the values of open tenders that
/// state none.
fn derive(
    engine: &dyn Engine,
    entity_types: &[EntityTypeManifest],
    previous: Option<FirstSeen>,
) -> anyhow::Result<(DerivedData, ValueReport)> {
    let records = |entity_type: EntityType| entity_types[entity_type as usize].records;
    let calibration = calibrate(engine, records).context("estimating contracts of the index just built")?;
    let now = chrono::Utc::now();
    let today = Date::in_toronto(now);
    let reading = "reading the tenders of the index just built";
    let recent = recent_tender_ids(engine, today).context(reading)?;
    let first_seen = FirstSeen::after(previous, recent, now);
    let newest_statuses = NewestStatuses::read(engine, &Deadline::never()).context(reading)?;
    let started = Instant::now();
    let tender_values = value_open_tenders(engine, &calibration, &newest_statuses, today)
        .context("estimating the open tenders of the index just built")?;
    let report = ValueReport {
        tenders: tender_values.values.len(),
        seconds: started.elapsed().as_secs_f64(),
    };
    let derived = DerivedData {
        calibration,
        first_seen,
        tender_values: Some(tender_values),
        newest_statuses,
    };
    Ok((derived, report))
}
