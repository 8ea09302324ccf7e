//! One run of `procure index`.

use std::{
    io, mem,
    num::NonZeroUsize,
    panic,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Instant,
};

use anyhow::{Context, anyhow, bail, ensure};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{
    body_names,
    cluster::ClusterTarget,
    embedded::EmbeddedBuild,
    read_dumps::{Teach, read_dumps},
    report::{EntityTypeReport, IndexReport, ValueReport},
    supplier_names::{self, ClaimsFile},
    target::{BuildTarget, Learned, WrittenRecords},
    value_tenders::value_open_tenders,
};
use crate::{
    catalog::{
        bids::{
            build::{BidsReport, DumpBids},
            open_calls::{NoticeBidders, OpenCalls},
        },
        estimates::holdout::calibrate,
        generation::{
            Build, DerivedData, EntityTypeManifest, FileEntry, FirstSeen, GenerationStore, KEPT_GENERATIONS, Meanings,
            recent_tender_ids,
        },
        notices::NewestStatuses,
        suppliers::{SupplierList, report::SupplierReport},
    },
    engine::{Deadline, Engine},
    model::{Date, EntityType, Schema, commodity_table::OWN_TITLES, commodity_words::CommodityDictionary},
    storage::{dump, freed_memory, regular_file},
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

/// The default of `--memory-mb`.
pub const DEFAULT_MEMORY_MB: usize = 512;

/// Indexes all dumps and publishes the generation.
pub fn run(options: &IndexOptions) -> anyhow::Result<IndexReport> {
    run_keeping(options, KEPT_GENERATIONS, None)
}

/// Indexes all dumps with a file of people's claims about suppliers, and publishes the generation.
pub fn run_with_claims(options: &IndexOptions, claims: Option<&Path>) -> anyhow::Result<IndexReport> {
    run_keeping(options, KEPT_GENERATIONS, claims)
}

/// Indexes all dumps and publishes the generation; `keep` generations stay, this one included.
pub(crate) fn run_keeping(options: &IndexOptions, keep: usize, claims: Option<&Path>) -> anyhow::Result<IndexReport> {
    let mut dumps = CheckedDumps::new(&options.dumps, options.strict)?;
    dumps.claims = claims.map(supplier_names::read_claims).transpose()?.unwrap_or_default();
    let searches_per_core = options.store.searches_per_core();
    match &options.store {
        GenerationStore::Folder(index_dir) => {
            let build = EmbeddedBuild {
                build: Build::start_keeping(index_dir, keep)?,
                memory_mb: options.memory_mb,
            };
            dumps.index(build, searches_per_core)
        }
        GenerationStore::Cluster(store) => dumps.index(ClusterTarget::start(store, keep)?, searches_per_core),
    }
}

/// A folder of dumps.
struct CheckedDumps<'a> {
    folder: &'a Path,
    strict: bool,
    /// Files that are not dumps.
    left_out: Vec<PathBuf>,
    claims: ClaimsFile,
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
            claims: ClaimsFile::default(),
            started,
        })
    }

    /// Indexes all dumps and publishes the generation.
    fn index(self, target: impl BuildTarget, searches_per_core: NonZeroUsize) -> anyhow::Result<IndexReport> {
        let (bids, (dictionary, mentions)) = rayon::join(
            || DumpBids::read(self.folder, self.strict),
            || {
                (
                    read_commodities(self.folder),
                    supplier_names::read_mentions(self.folder),
                )
            },
        );
        let (bids, dictionary, mentions) = (bids?, dictionary?, mentions?);
        let teach = Teach {
            commodities: dictionary.is_none(),
            suppliers: mentions.is_none(),
            calls: Arc::new(OpenCalls::of(&bids)),
        };
        let (entity_types, manifests, learned) = self.write_records(&target, &teach)?;
        ensure!(
            entity_types.iter().any(|report| report.records > 0),
            "{} holds no record in a dump <entity_type>/<source_id>.ndjson; nothing was published",
            self.folder.display()
        );
        // What is derived from the index would take its memory beside that of the chunks.
        freed_memory::give_back();
        let engine = target.engine(&manifests).context("opening the index just built")?;
        let previous = target.previous_first_seen()?;
        let commodities = dictionary.unwrap_or_else(|| completed(learned.commodities.conclude()));
        let mentions = mentions.unwrap_or_else(|| learned.suppliers.into_lines());
        let buyers = learned.buyers.into_lines();
        let derive = || {
            let joined = || {
                let suppliers = supplier_names::join(&*engine, mentions, &self.claims)?;
                Ok([suppliers, body_names::join(&*engine, buyers, &self.claims)?])
            };
            derive(&*engine, &manifests, previous, commodities, joined, bids)
        };
        let ((derived, reports), settled) = while_settling(&target, || {
            if engine.is_local() {
                derive()
            } else {
                waiting_threads(searches_per_core)?.install(derive)
            }
        })?;
        // Publishing opens the generation again.
        drop(engine);
        let generation = target.publish(manifests, &derived, settled)?;
        Ok(IndexReport {
            generation,
            entity_types,
            left_out: self.left_out,
            tender_values: reports.0,
            suppliers: reports.1,
            bodies: reports.2,
            bids: reports.3,
            seconds: self.started.elapsed().as_secs_f64(),
        })
    }

    /// Writes the records of all entity types and learns from them. Tenders come first, because contracts and awards
    /// have the bidders of their notices.
    fn write_records(&self, target: &impl BuildTarget, teach: &Teach) -> anyhow::Result<Written> {
        let mut tenders = self.write_entity_type(target, EntityType::Tender, teach, Arc::default())?;
        let bidders = Arc::new(mem::take(&mut tenders.1.learned.bidders));
        let mut tenders = Some(tenders);
        let (mut entity_types, mut manifests, mut learned) = (Vec::new(), Vec::new(), Learned::default());
        for entity_type in EntityType::ALL {
            let of_tenders = tenders.take_if(|_| entity_type == EntityType::Tender);
            let (report, written) = match of_tenders {
                Some(tenders) => tenders,
                None => self.write_entity_type(target, entity_type, teach, Arc::clone(&bidders))?,
            };
            learned = learned.merge(written.learned);
            entity_types.push(report);
            manifests.push(written.manifest);
        }
        Ok((entity_types, manifests, learned))
    }

    fn write_entity_type(
        &self,
        target: &impl BuildTarget,
        entity_type: EntityType,
        teach: &Teach,
        bidders: Arc<NoticeBidders>,
    ) -> anyhow::Result<(EntityTypeReport, WrittenRecords)> {
        let schema = Schema::of(entity_type);
        let spool_folder = target.spool_folder(entity_type)?;
        let mut records = read_dumps(schema, self.folder, self.strict, &spool_folder)?;
        records.teach = teach.clone();
        records.bidders = bidders;
        let files = mem::take(&mut records.files);
        let written = target.write_records(schema, records)?;
        let report = EntityTypeReport {
            entity_type,
            records: written.manifest.records,
            files,
        };
        Ok((report, written))
    }
}

/// For each entity type what was read and written, and what was learned of all.
type Written = (Vec<EntityTypeReport>, Vec<EntityTypeManifest>, Learned);

/// With the words of groups that no record states.
fn completed(mut dictionary: CommodityDictionary) -> CommodityDictionary {
    dictionary.complete(OWN_TITLES.clone().into_iter().collect());
    dictionary
}

/// The dictionary that `procure normalize` wrote next to the dumps; `None` if there is none.
fn read_commodities(dumps: &Path) -> anyhow::Result<Option<CommodityDictionary>> {
    let path = dumps.join(dump::COMMODITIES);
    let bytes = match regular_file::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.with_context(|| format!("reading {}", path.display()))?,
    };
    let parsed = CommodityDictionary::parse_bytes(&bytes).map_err(|why| {
        anyhow!(
            "{} {why}; normalize again, or remove the file: the words of codes are then learned from the dumps",
            path.display()
        )
    });
    parsed.map(Some)
}

/// Runs a function while the files of the index just built are flushed, which waits for the disk most of the time.
fn while_settling<T>(
    target: &impl BuildTarget,
    run: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<(T, Vec<FileEntry>)> {
    thread::scope(|scope| {
        let settling = scope.spawn(|| target.settle());
        let ran = run();
        let settled = settling.join().unwrap_or_else(|panic| panic::resume_unwind(panic));
        Ok((ran?, settled?))
    })
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
    commodities: CommodityDictionary,
    join_names: impl FnOnce() -> anyhow::Result<[(SupplierList, SupplierReport); 2]> + Send,
    bids: DumpBids,
) -> anyhow::Result<(DerivedData, (ValueReport, SupplierReport, SupplierReport, BidsReport))> {
    let records = |entity_type: EntityType| entity_types[entity_type as usize].records;
    // Much of the names and of the bids is not for several cores; the calibration is.
    let (joined, (stored, calibration)) = rayon::join(join_names, || {
        rayon::join(|| bids.into_store(engine), || calibrate(engine, records))
    });
    let [(suppliers, supplier_report), (bodies, body_report)] = joined?;
    let (bids, bids_report) = stored?;
    let calibration = calibration.context("estimating contracts of the index just built")?;
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
    let meanings = engine
        .is_local()
        .then(|| Meanings::list(engine, entity_types, &commodities, [&suppliers, &bodies]));
    let meanings = meanings.transpose().context("listing what typed words may mean")?;
    let derived = DerivedData {
        calibration,
        first_seen,
        tender_values: Some(tender_values),
        newest_statuses,
        commodities,
        suppliers,
        bodies,
        meanings,
        bids,
    };
    Ok((derived, (report, supplier_report, body_report, bids_report)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        catalog::generation::Generation,
        model::commodity::CommodityCode,
        query::text::{Term, TextQuery},
    };

    fn index(files: &[(&str, &str)]) -> anyhow::Result<Generation> {
        let folder = tempfile::tempdir()?;
        let options = IndexOptions {
            dumps: folder.path().join("dumps"),
            store: GenerationStore::Folder(folder.path().join("index")),
            memory_mb: DEFAULT_MEMORY_MB,
            strict: true,
        };
        fs::create_dir_all(options.dumps.join("tender"))?;
        for (name, text) in files {
            fs::write(options.dumps.join(name), text)?;
        }
        let report = run(&options)?;
        options.store.open(&report.generation)
    }

    const TENDER: &str = r#"{"record_id":"a","unspsc":"72103300","unspsc_description_en":"Road repair","unspsc_description_fr":"Voirie"}"#;

    #[test]
    fn the_words_of_codes_are_those_of_the_dictionary_else_of_the_records() {
        let words = |generation: &Generation, code: &str| {
            let code = CommodityCode::parse(code).unwrap();
            generation.commodities.title(&code).and_then(|words| words.fr.clone())
        };
        let learned = index(&[("tender/a.ndjson", TENDER)]).unwrap();
        assert_eq!(words(&learned, "721033").as_deref(), Some("Voirie"));
        assert!(words(&learned, "72").is_some(), "of this program");
        let translated = learned.translator.translate(&TextQuery::parse("voirie").unwrap());
        let alternatives: Vec<Term> = translated
            .added
            .into_iter()
            .flat_map(|addition| addition.alternatives)
            .collect();
        assert!(
            !alternatives.is_empty(),
            "the words of a code in both languages are a translation"
        );

        let line = r#"{"scheme":"unspsc","code":"721033","title_fr":"Routes","records":3}"#;
        let stated = index(&[("tender/a.ndjson", TENDER), (dump::COMMODITIES, line)]).unwrap();
        assert_eq!(words(&stated, "72103300").as_deref(), Some("Routes"));
        assert_eq!(words(&stated, "72"), None, "the dictionary is taken as it is");

        let error = index(&[("tender/a.ndjson", TENDER), (dump::COMMODITIES, "{}")])
            .err()
            .unwrap();
        let error = format!("{error:#}");
        assert!(
            error.contains("commodities.ndjson line 1: missing field") && error.contains("normalize again"),
            "{error}"
        );
    }
}
