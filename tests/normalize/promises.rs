//! The properties that the result of `procure normalize` has for every file, however damaged. The
//! property tests and the fuzzer check them.

#![allow(dead_code, reason = "the tests and the fuzzer each use a part")]

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::{Duration, SystemTime},
};

use procure::{
    model::{
        bids::NoticeBids,
        date::Date,
        entity_type::EntityType,
        record::Record,
        schema::{FieldType, Schema},
    },
    normalize::{NormalizeOptions, report::NormalizeReport, run},
    sources::{
        reading::{decode::Utf8Reader, file_head::FileHead},
        registry::{SOURCES, SourceFormat},
    },
};
use serde_json::Value;
use tempfile::TempDir;

/// 2026-04-30T12:00:00Z
const MODIFIED: Duration = Duration::from_secs(1_777_550_400);

/// Normalizes a file of these bytes twice and checks the results. Returns the report; `None` if the
/// run is an error.
pub fn check(bytes: &[u8]) -> Option<NormalizeReport> {
    let folder = temporary_folder();
    let input = folder.path().join("file");
    let mut file = File::create(&input).unwrap();
    file.write_all(bytes).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + MODIFIED).unwrap();
    let [(report, dumps), (_, again)] = ["one", "two"].map(|name| {
        let out = folder.path().join(name);
        let options = NormalizeOptions {
            inputs: vec![input.clone()],
            out: out.clone(),
            commodities: None,
            report: None,
            strict: false,
        };
        (run(&options).ok(), dumps(&out))
    });
    assert_eq!(dumps, again, "a second run writes other dumps");
    match &report {
        Some(report) => assert_consistent(report, &dumps),
        None => assert!(dumps.is_empty(), "a failed run left files: {dumps:?}"),
    }
    report
}

/// A temporary folder, in memory if the system has such a file system: flushing dumps to disk would
/// take most of the time.
fn temporary_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

fn dumps(out: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for folder in fs::read_dir(out).into_iter().flatten() {
        let folder = folder.unwrap().path();
        if folder.ends_with("commodities.ndjson") || folder.ends_with("suppliers.ndjson") {
            continue;
        }
        assert!(folder.is_dir(), "{} should not exist", folder.display());
        for dump in fs::read_dir(folder).unwrap() {
            let dump = dump.unwrap().path();
            let text = fs::read_to_string(&dump).unwrap();
            found.insert(dump.strip_prefix(out).unwrap().to_owned(), text);
        }
    }
    found
}

fn assert_consistent(report: &NormalizeReport, dumps: &BTreeMap<PathBuf, String>) {
    for file in &report.files {
        let counts = &file.counts;
        let counted = counts.recorded + counts.merged + counts.skipped_rows();
        assert_eq!(counts.rows, counted, "{counts:?}");
        let bidders = &counts.bidders;
        let counted = bidders.kept + bidders.replaced + bidders.refused_bidders();
        assert_eq!(bidders.listed, counted, "{counts:?}");
    }
    let kept: u64 = report.files.iter().map(|file| file.counts.bidders.kept).sum();
    assert_eq!(bids_in(dumps), kept, "bids that are kept and those that are in dumps");
    let mut written = report.records();
    for (path, text) in dumps.iter().filter(|(path, _)| !path.starts_with("bids")) {
        let (entity_type, source) = origin(path);
        assert!(
            source.yields.contains(&entity_type),
            "{} yields {entity_type}",
            source.id
        );
        let mut ids = HashSet::new();
        for line in text.lines() {
            let id = assert_record(Schema::of(entity_type), line);
            assert!(ids.insert(id), "two records have one id: {line}");
        }
        let counted = written.remove(&format!("{entity_type}/{}", source.id));
        assert_eq!(counted, Some(ids.len() as u64), "{}", path.display());
    }
    assert!(written.is_empty(), "counted and not written: {written:?}");
}

/// The number of bids in the dumps of bids. Each notice is a tender of the same run, and is there once.
fn bids_in(dumps: &BTreeMap<PathBuf, String>) -> u64 {
    let (bids, records): (Vec<_>, Vec<_>) = dumps.iter().partition(|(path, _)| path.starts_with("bids"));
    let mut tenders = HashSet::new();
    for (_, text) in records.iter().filter(|(path, _)| path.starts_with("tender")) {
        let id = |line: &str| {
            serde_json::from_str::<Value>(line).unwrap()["record_id"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        tenders.extend(text.lines().map(id));
    }
    let mut count = 0;
    for (path, text) in bids {
        for line in text.lines() {
            let notice: NoticeBids = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
            assert!(tenders.remove(&notice.record_id), "{}: {line}", path.display());
            assert!(!notice.bids.is_empty() && notice.bids.iter().all(|bid| !bid.name.is_empty()));
            count += notice.bids.len() as u64;
        }
    }
    count
}

fn origin(dump: &Path) -> (EntityType, &'static SourceFormat) {
    let entity_type = dump.parent().and_then(Path::to_str).and_then(EntityType::parse);
    let id = dump.file_name().and_then(|name| name.to_str()?.strip_suffix(".ndjson"));
    let source = SOURCES.iter().find(|source| Some(source.id) == id);
    (
        entity_type.expect("the folder of an entity type"),
        source.expect("the dump of a source"),
    )
}

/// Checks one line of a dump and returns its `record_id`.
fn assert_record(schema: &'static Schema, line: &str) -> String {
    let record = Record::parse(schema, line.as_bytes()).unwrap_or_else(|why| panic!("{why}: {line}"));
    let fields: BTreeMap<String, Value> = serde_json::from_str(line).unwrap();
    for (name, value) in &fields {
        let field = schema
            .field(name)
            .unwrap_or_else(|| panic!("{name} is not declared: {line}"));
        let fits = match (field.field_type, value) {
            (FieldType::Date, Value::String(day)) => Date::parse_prefix(day).is_ok(),
            (FieldType::Text, Value::String(text)) => !text.is_empty(),
            (FieldType::Number, Value::Number(amount)) => amount.as_f64().is_some_and(f64::is_finite),
            (FieldType::Count, Value::Number(count)) => count.is_u64(),
            (FieldType::Object, Value::Object(members)) => !members.is_empty(),
            (FieldType::TextArray | FieldType::ObjectArray, Value::Array(members)) => !members.is_empty(),
            _ => false,
        };
        assert!(fits, "{name} is not {:?}: {line}", field.field_type);
    }
    for always in ["municipality", "fetched_at"] {
        assert!(fields.contains_key(always), "no {always}: {line}");
    }
    record.id().to_owned()
}

/// A small file of a source.
pub struct Fixture {
    pub name: String,
    pub source: &'static SourceFormat,
    pub bytes: Vec<u8>,
    /// Length of the whole lines from which the source is recognized, in bytes.
    pub head: usize,
}

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// All files of `tests/fixtures`, sorted by name. There is at least one of every source.
pub static FIXTURES: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    // The fuzzer is a separate package in a folder next to the fixtures.
    let folders = ["tests/fixtures", "../fixtures"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let folder = folders.iter().find(|folder| folder.is_dir()).expect("the fixtures");
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let mut fixtures: Vec<Fixture> = entries.map(|entry| fixture(&entry.unwrap().path())).collect();
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    for source in SOURCES {
        let has_fixture = fixtures.iter().any(|fixture| fixture.source.id == source.id);
        assert!(has_fixture, "tests/fixtures has no file of {}", source.id);
    }
    fixtures
});

fn fixture(path: &Path) -> Fixture {
    let bytes = fs::read(path).unwrap();
    let source = source_of(&bytes).unwrap_or_else(|| panic!("no source recognizes {}", path.display()));
    let ends = bytes
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'\n')
        .map(|(at, _)| at + 1);
    let recognized = |head: &usize| source_of(&bytes[..*head]).is_some_and(|known| known.id == source.id);
    let head = ends.into_iter().find(recognized).unwrap_or(bytes.len());
    Fixture {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        source,
        head,
        bytes,
    }
}

fn source_of(bytes: &[u8]) -> Option<&'static SourceFormat> {
    let mut bytes = bytes;
    let head = FileHead::of(Utf8Reader::new(&mut bytes).peek().ok()?);
    SOURCES.iter().find(|source| (source.recognizes)(&head))
}
