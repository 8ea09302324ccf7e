//! What `procure normalize` promises of any file, however damaged; the property tests and the fuzzer ask for it.

#![allow(dead_code, reason = "the tests and the fuzzer each use their part")]

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

/// Normalizes a file of these bytes, twice; the report, unless the run ended in an error.
pub fn hold(bytes: &[u8]) -> Option<NormalizeReport> {
    let folder = folder();
    let input = folder.path().join("file");
    let mut file = File::create(&input).unwrap();
    file.write_all(bytes).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + MODIFIED).unwrap();
    let [(report, dumps), (_, again)] = ["one", "two"].map(|name| {
        let out = folder.path().join(name);
        let options = NormalizeOptions {
            inputs: vec![input.clone()],
            out: out.clone(),
            report: None,
            strict: false,
        };
        (run(&options).ok(), dumps(&out))
    });
    assert_eq!(dumps, again, "a second run writes something else");
    match &report {
        Some(report) => assert_kept(report, &dumps),
        None => assert!(dumps.is_empty(), "a failed run left something: {dumps:?}"),
    }
    report
}

/// In memory where the system has such a place: dumps are forced to disk, which would be all that is measured.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => tempfile::tempdir_in(memory).unwrap(),
        false => tempfile::tempdir().unwrap(),
    }
}

fn dumps(out: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for folder in fs::read_dir(out).into_iter().flatten() {
        let folder = folder.unwrap().path();
        assert!(folder.is_dir(), "{} is left", folder.display());
        for dump in fs::read_dir(folder).unwrap() {
            let dump = dump.unwrap().path();
            let text = fs::read_to_string(&dump).unwrap();
            found.insert(dump.strip_prefix(out).unwrap().to_owned(), text);
        }
    }
    found
}

fn assert_kept(report: &NormalizeReport, dumps: &BTreeMap<PathBuf, String>) {
    for file in &report.files {
        let counts = &file.counts;
        let accounted = counts.recorded + counts.merged + counts.skipped_rows();
        assert_eq!(counts.rows, accounted, "{counts:?}");
    }
    let mut written = report.records();
    for (path, text) in dumps {
        let (entity_type, source) = origin(path);
        assert!(
            source.yields.contains(&entity_type),
            "{} yields {entity_type}",
            source.id
        );
        let mut ids = HashSet::new();
        for line in text.lines() {
            let id = assert_record(Schema::of(entity_type), line);
            assert!(ids.insert(id), "two records of one identifier: {line}");
        }
        let counted = written.remove(&format!("{entity_type}/{}", source.id));
        assert_eq!(counted, Some(ids.len() as u64), "{}", path.display());
    }
    assert!(written.is_empty(), "counted and not written: {written:?}");
}

fn origin(dump: &Path) -> (EntityType, &'static SourceFormat) {
    let kind = dump.parent().and_then(Path::to_str).and_then(EntityType::parse);
    let id = dump.file_name().and_then(|name| name.to_str()?.strip_suffix(".ndjson"));
    let source = SOURCES.iter().find(|source| Some(source.id) == id);
    (kind.expect("a kind's folder"), source.expect("a source's dump"))
}

/// The record's identifier.
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
        assert!(fits, "{name} is no {:?}: {line}", field.field_type);
    }
    for always in ["municipality", "fetched_at"] {
        assert!(fields.contains_key(always), "no {always}: {line}");
    }
    record.id().to_owned()
}

/// A small file of a source's own.
pub struct Fixture {
    pub name: String,
    pub source: &'static SourceFormat,
    pub bytes: Vec<u8>,
    /// How many of its bytes, whole lines, its source needs to recognize it.
    pub head: usize,
}

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Every file of `tests/fixtures` in the order of their names; between them they are of every source.
pub static FIXTURES: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    // The fuzzer is a package of its own, beside the fixtures.
    let folders = ["tests/fixtures", "../fixtures"].map(|place| Path::new(env!("CARGO_MANIFEST_DIR")).join(place));
    let folder = folders.iter().find(|folder| folder.is_dir()).expect("the fixtures");
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let mut fixtures: Vec<Fixture> = entries.map(|entry| fixture(&entry.unwrap().path())).collect();
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    for source in SOURCES {
        let met = fixtures.iter().any(|fixture| fixture.source.id == source.id);
        assert!(met, "tests/fixtures has no file of {}", source.id);
    }
    fixtures
});

fn fixture(path: &Path) -> Fixture {
    let bytes = fs::read(path).unwrap();
    let source = source_of(&bytes).unwrap_or_else(|| panic!("{} is of no source", path.display()));
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
