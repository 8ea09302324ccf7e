//! One run of `procure index`.

use std::{fs, path::PathBuf, time::Instant};

use anyhow::{Context, bail, ensure};

use super::{
    read_dumps::read_dumps,
    report::{EntityTypeReport, IndexReport, ValueReport},
    value_tenders::value_open_tenders,
    write_index::write_index,
};
use crate::{
    catalog::{
        generation::{Build, EntityTypeManifest, FirstSeen, recent_tender_ids},
        market::holdout::calibrate,
    },
    engine::tantivy::TantivyEngine,
    model::{Date, EntityType, Schema},
    storage::dump,
};

/// What to index, and where to.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// Holds `<entity_type>/<source_id>.ndjson`, plain, `.gz` or `.zst`.
    pub dumps: PathBuf,
    pub index_dir: PathBuf,
    /// Approximate memory limit of the index segments in progress, in MiB.
    pub memory_mb: usize,
    /// Makes an invalid line, or a file that is not a dump, an error.
    pub strict: bool,
}

/// Decision D-131: the default of `--memory-mb`.
pub const DEFAULT_MEMORY_MB: usize = 512;

/// Indexes all dumps and publishes the generation.
pub fn run(options: &IndexOptions) -> anyhow::Result<IndexReport> {
    let started = Instant::now();
    ensure!(
        options.dumps.is_dir(),
        "{} is not a folder; `procure normalize` writes dumps",
        options.dumps.display()
    );
    let left_out = dump::unknown_files(&options.dumps)?;
    if options.strict
        && let Some(path) = left_out.first()
    {
        bail!(
            "{} is not a dump; dumps are <entity_type>/<source_id>.ndjson, .ndjson.gz or .ndjson.zst",
            path.display()
        );
    }
    let build = Build::start(&options.index_dir)?;
    let (mut entity_types, mut manifests) = (Vec::new(), Vec::new());
    for entity_type in EntityType::ALL {
        let folder = build.folder().join(entity_type.name());
        fs::create_dir(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let schema = Schema::of(entity_type);
        let mut records = read_dumps(schema, &options.dumps, options.strict, &folder)?;
        let manifest = write_index(schema, &mut records, options.memory_mb, &folder)?;
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
        options.dumps.display()
    );
    let tender_values = write_derived_data(&build, &manifests)?;
    let generation = build.publish(manifests)?;
    Ok(IndexReport {
        generation,
        entity_types,
        left_out,
        tender_values,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// Computes and writes what is derived from the finished index: the calibration of estimates, when
/// recent tenders were first indexed, and the values of open tenders that state none.
fn write_derived_data(build: &Build, entity_types: &[EntityTypeManifest]) -> anyhow::Result<ValueReport> {
    let records = |entity_type: EntityType| entity_types[entity_type as usize].records;
    let engine = TantivyEngine::open(&build.folder(), records).context("opening the index just built")?;
    let calibration = calibrate(&engine, records).context("estimating contracts of the index just built")?;
    build.write_calibration(&calibration)?;
    let now = chrono::Utc::now();
    let today = Date::in_toronto(now);
    let recent = recent_tender_ids(&engine, today).context("reading the tenders of the index just built")?;
    build.write_first_seen(&FirstSeen::after(build.previous_first_seen(), recent, now))?;
    let started = Instant::now();
    let values = value_open_tenders(&engine, &calibration, today)
        .context("estimating the open tenders of the index just built")?;
    build.write_tender_values(&values)?;
    Ok(ValueReport {
        tenders: values.values.len(),
        seconds: started.elapsed().as_secs_f64(),
    })
}
