//! The first pass: reads every line of an entity type's dumps once, checks it, and removes
//! duplicates.
//!
//! Of each record, its [`RecordEntry`] and its id stay in memory. Its bytes go to a spool file,
//! from which the second pass reads them in document order. A reader thread reads ahead while all
//! cores parse.

use std::{
    cmp::Reverse,
    fs::File,
    io::{self, BufWriter, Write},
    ops::Range,
    os::unix::fs::FileExt,
    path::Path,
    sync::{Arc, mpsc},
    thread,
};

use anyhow::{Context, anyhow, bail, ensure};
use indicatif::ProgressBar;
use memchr::memchr2_iter;
use rayon::prelude::*;

use super::{
    null_members::without_nulls,
    report::{DumpFileReport, LineProblem, TooLongRecord},
};
use crate::{
    catalog::bids::open_calls::{NoticeBidders, OpenCalls},
    model::{
        Date, Record, Role, Schema,
        record::{MAX_DEPTH, RESERVED_IDS, RecordError},
        timestamp,
    },
    storage::{
        dump::{self, DumpFile, DumpLine, DumpLineReader, MAX_RECORD_BYTES},
        json_text::depth,
    },
};

/// What records are asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Teach {
    /// Whether no file next to the dumps states the words of commodity codes.
    pub(crate) commodities: bool,
    /// Whether no file next to the dumps states what publishers know of suppliers.
    pub(crate) suppliers: bool,
    /// The calls whose tenders are asked what identifies their notice.
    pub(crate) calls: Arc<OpenCalls>,
}

/// The records of an entity type, each once, in `record_id` order.
pub(crate) struct DumpRecords {
    pub(crate) dumps: Vec<DumpFile>,
    pub(crate) files: Vec<DumpFileReport>,
    pub(crate) entries: Vec<RecordEntry>,
    pub(crate) teach: Teach,
    /// Where contracts and awards get the number of bidders of their notice from.
    pub(crate) bidders: Arc<NoticeBidders>,
    /// The record ids, one after the other, until duplicates are dropped.
    ids: Vec<u8>,
    spool: File,
}

/// What is kept in memory of a record: its sort keys, and where its id and bytes are.
#[derive(Clone, Copy, Default)]
pub(crate) struct RecordEntry {
    id_start: u64,
    id_length: u16,
    /// Index of its dump.
    pub(crate) dump: u16,
    length: u32,
    /// Where its bytes start in the spool.
    start: u64,
    /// `fetched_at` in milliseconds since 1970; `i64::MIN` if it cannot be parsed.
    fetched_at: i64,
    /// Days since 1970. `None` sorts below any day, so last in descending order.
    pub(crate) date: Option<i32>,
}

impl DumpRecords {
    /// Reads the bytes of a record into `buffer`.
    pub(crate) fn read(&self, entry: &RecordEntry, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.resize(entry.length as usize, 0);
        self.spool.read_exact_at(buffer, entry.start)
    }

    /// The source of a record.
    pub(crate) fn source(&self, dump: u16) -> &str {
        &self.dumps[usize::from(dump)].source_id
    }

    /// Parses the bytes of a record, which gets the number of bidders of its notice.
    pub(crate) fn parse<'b>(
        &self,
        schema: &'static Schema,
        entry: &RecordEntry,
        bytes: &'b [u8],
    ) -> anyhow::Result<Record<'b>> {
        let record = Record::parse(schema, bytes).map_err(|e| anyhow!("a record of the spool has changed: {e}"))?;
        let bidders = self.bidders.of(&record, self.source(entry.dump));
        Ok(record.with_listed_bidders(bidders))
    }

    /// The indexes of the entries in the default order: by event date descending, undated last.
    /// Equal dates stay in id order, since the sort is stable.
    pub(crate) fn default_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        order.par_sort_by_key(|entry| Reverse(self.entries[*entry as usize].date));
        order
    }
}

impl RecordEntry {
    pub(crate) fn length(&self) -> u64 {
        self.length.into()
    }

    /// Where its bytes start in the spool.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }
}

/// Reads all dumps of an entity type. The spool is an unnamed file in `folder`: it holds the
/// records uncompressed, in reading order, and disappears when it is closed.
pub(crate) fn read_dumps(
    schema: &'static Schema,
    dumps: &Path,
    strict: bool,
    folder: &Path,
) -> anyhow::Result<DumpRecords> {
    let dumps = dump::list(dumps, schema.entity_type)?;
    ensure!(
        dumps.len() <= usize::from(u16::MAX),
        "over {} dumps of {}",
        u16::MAX,
        schema.entity_type
    );
    let spool = tempfile::tempfile_in(folder);
    let spool = spool.with_context(|| format!("creating the spool in {}", folder.display()))?;
    let mut reader = DumpReader {
        schema,
        strict,
        progress: ProgressBar::new_spinner().with_message(format!("reading {}", schema.entity_type)),
        spool: BufWriter::with_capacity(1 << 20, spool.try_clone().context("opening the spool")?),
        spooled: 0,
        ids: Vec::new(),
        entries: Vec::new(),
    };
    let mut files = Vec::new();
    for (number, dump) in (0u16..).zip(&dumps) {
        files.push(reader.read(dump, number)?);
    }
    reader.spool.flush().context(SPOOL_FAILED)?;
    reader.progress.finish_and_clear();
    let mut records = DumpRecords {
        dumps,
        files,
        entries: reader.entries,
        teach: Teach::default(),
        bidders: Arc::default(),
        ids: reader.ids,
        spool,
    };
    drop_duplicates(&mut records);
    Ok(records)
}

const SPOOL_FAILED: &str = "writing the spool (is the disk full?)";

/// The maximum number of documents of a segment.
const MAX_RECORDS: usize = i32::MAX as usize;

/// How many bytes of lines are parsed at a time.
const BATCH_BYTES: usize = 4 << 20;

/// How many lines are parsed at a time. Only lines that are not records are so short that this many
/// have fewer than [`BATCH_BYTES`].
const BATCH_LINES: usize = 64 << 10;

/// Consecutive lines of a dump: their bytes, and the range of each line in them.
struct LineBatch {
    bytes: Vec<u8>,
    lines: Vec<(DumpLine, Range<usize>)>,
}

struct DumpReader {
    schema: &'static Schema,
    strict: bool,
    progress: ProgressBar,
    spool: BufWriter<File>,
    /// Bytes in the spool.
    spooled: u64,
    ids: Vec<u8>,
    entries: Vec<RecordEntry>,
}

impl DumpReader {
    fn read(&mut self, dump: &DumpFile, number: u16) -> anyhow::Result<DumpFileReport> {
        let path = &dump.path;
        let mut report = DumpFileReport {
            path: path.clone(),
            ..DumpFileReport::default()
        };
        let lines = DumpLineReader::open(path).with_context(|| format!("opening {}", path.display()))?;
        thread::scope(|scope| {
            let (sender, batches) = mpsc::sync_channel(2);
            scope.spawn(move || read_ahead(lines, &sender));
            let schema = self.schema;
            let mut parsed: Option<ParsedBatch> = None;
            let failed = loop {
                let batch = match batches.recv() {
                    Ok(Ok(batch)) => batch,
                    // The reader has ended, with an error or without.
                    Ok(Err(error)) => break Some(error),
                    Err(_) => break None,
                };
                // The records of a batch are added by one thread while all others parse the next batch.
                let before = parsed.take();
                let (added, next) = rayon::join(
                    || before.map_or(Ok(()), |before| self.add_batch(&before, number, &mut report)),
                    || ParsedBatch::new(schema, batch),
                );
                added?;
                parsed = Some(next);
            };
            parsed.map_or(Ok(()), |last| self.add_batch(&last, number, &mut report))?;
            match failed {
                Some(error) => {
                    Err(error).with_context(|| format!("reading {} after line {}", path.display(), report.lines))
                }
                None => Ok(report),
            }
        })
    }

    fn add_batch(&mut self, batch: &ParsedBatch, dump: u16, report: &mut DumpFileReport) -> anyhow::Result<()> {
        let ParsedBatch { batch, parsed } = batch;
        for ((line, range), parsed) in batch.lines.iter().zip(parsed) {
            report.lines += 1;
            let line = match line {
                DumpLine::Read(line) => *line,
                DumpLine::TooLong(line, id) => {
                    let record = TooLongRecord {
                        line: *line,
                        record_id: id.clone(),
                    };
                    if self.strict {
                        bail!("{}:{line}: {record}", report.path.display());
                    }
                    report.too_long.add(record);
                    continue;
                }
            };
            match parsed {
                Err(reason) if self.strict => bail!("{}:{line}: {reason}", report.path.display()),
                Err(reason) => LineProblem::add(&mut report.invalid, reason.clone(), line),
                Ok(parsed) => {
                    if let Some(reason) = &parsed.invalid_date {
                        LineProblem::add(&mut report.invalid_dates, reason.clone(), line);
                    }
                    let (bytes, nulls) = match &parsed.without_nulls {
                        Some((bytes, nulls)) => (bytes.as_slice(), *nulls),
                        None => (&batch.bytes[range.clone()], 0),
                    };
                    report.null_members += nulls;
                    self.add_record(parsed, bytes, dump)?;
                }
            }
        }
        let (records, entity_type) = (self.entries.len(), self.schema.entity_type);
        ensure!(records < MAX_RECORDS, "over {MAX_RECORDS} records of {entity_type}");
        self.progress.set_position(records as u64);
        self.progress
            .set_message(format!("reading {entity_type}: {records} records"));
        Ok(())
    }

    fn add_record(&mut self, parsed: &ParsedLine, bytes: &[u8], dump: u16) -> anyhow::Result<()> {
        self.spool.write_all(bytes).context(SPOOL_FAILED)?;
        self.entries.push(RecordEntry {
            id_start: self.ids.len() as u64,
            id_length: parsed.id.len() as u16,
            dump,
            length: bytes.len() as u32,
            start: self.spooled,
            ..parsed.entry
        });
        self.ids.extend_from_slice(parsed.id.as_bytes());
        self.spooled += bytes.len() as u64;
        Ok(())
    }
}

fn read_ahead(mut lines: DumpLineReader, batches: &mpsc::SyncSender<io::Result<LineBatch>>) {
    loop {
        let mut batch = LineBatch {
            bytes: Vec::with_capacity(BATCH_BYTES + MAX_RECORD_BYTES),
            lines: Vec::new(),
        };
        let end = loop {
            let start = batch.bytes.len();
            match lines.next_line(&mut batch.bytes) {
                Ok(Some(line)) => batch.lines.push((line, start..batch.bytes.len())),
                Ok(None) => break Some(Ok(())),
                Err(e) => break Some(Err(e)),
            }
            if batch.bytes.len() >= BATCH_BYTES || batch.lines.len() >= BATCH_LINES {
                break None;
            }
        };
        // A receiver that hung up has failed with an error of its own.
        if batches.send(Ok(batch)).is_err() {
            return;
        }
        match end {
            None => {}
            Some(Ok(())) => return,
            Some(Err(e)) => {
                let _ = batches.send(Err(e));
                return;
            }
        }
    }
}

struct ParsedBatch {
    batch: LineBatch,
    /// For each line of the batch, what is wrong with it or what was read.
    parsed: Vec<Result<ParsedLine, String>>,
}

impl ParsedBatch {
    fn new(schema: &'static Schema, batch: LineBatch) -> ParsedBatch {
        let lines = batch.lines.par_iter();
        let parsed = lines
            .map(|(_, range)| parse(schema, &batch.bytes[range.clone()]))
            .collect();
        ParsedBatch { batch, parsed }
    }
}

struct ParsedLine {
    id: String,
    invalid_date: Option<String>,
    entry: RecordEntry,
    /// The record without its members that are null, and how many those are, if there are any.
    without_nulls: Option<(Vec<u8>, u64)>,
}

fn parse(schema: &'static Schema, bytes: &[u8]) -> Result<ParsedLine, String> {
    let record = Record::parse(schema, bytes).map_err(|e| e.to_string())?;
    check(&record, bytes).map_err(|e| e.to_string())?;
    Ok(ParsedLine {
        id: record.id().to_owned(),
        invalid_date: record
            .unreadable_date()
            .map(|(field, _)| format!("{field} is not a date")),
        entry: RecordEntry {
            fetched_at: record.text("fetched_at").map_or(i64::MIN, milliseconds),
            date: record.date(Role::Date).map(|day| day.days()),
            ..RecordEntry::default()
        },
        without_nulls: without_nulls(bytes),
    })
}

/// Refuses a valid record that clients or requests cannot handle.
fn check(record: &Record, bytes: &[u8]) -> Result<(), RecordError> {
    // Most records have few brackets, so their depth need not be found.
    let has_many_levels = memchr2_iter(b'{', b'[', bytes).count() > MAX_DEPTH;
    let depth = if has_many_levels { depth(bytes) } else { 0 };
    if depth > MAX_DEPTH {
        return Err(RecordError::TooDeep(depth));
    }
    if RESERVED_IDS.contains(&record.id()) {
        return Err(RecordError::ReservedRecordId(record.id().to_owned()));
    }
    Ok(())
}

fn milliseconds(text: &str) -> i64 {
    match timestamp::parse(text) {
        Some(time) => time.timestamp_millis(),
        None => Date::parse_prefix(text).map_or(i64::MIN, |day| i64::from(day.days()) * 86_400_000),
    }
}

/// Keeps one entry per id: the one with the newest `fetched_at`, or of equal ones the one read
/// last. Leaves the entries in id order.
fn drop_duplicates(records: &mut DumpRecords) {
    let mut entries = std::mem::take(&mut records.entries);
    let id = |entry: &RecordEntry| {
        let start = entry.id_start as usize;
        &records.ids[start..start + usize::from(entry.id_length)]
    };
    // `id_start` ascends in reading order.
    entries.par_sort_unstable_by(|a, b| {
        id(a)
            .cmp(id(b))
            .then(b.fetched_at.cmp(&a.fetched_at))
            .then(b.id_start.cmp(&a.id_start))
    });
    let files = &mut records.files;
    entries.dedup_by(|later, kept| {
        let is_duplicate = id(later) == id(kept);
        if is_duplicate {
            files[usize::from(later.dump)].duplicates += 1;
        }
        is_duplicate
    });
    for entry in &entries {
        files[usize::from(entry.dump)].records += 1;
    }
    records.entries = entries;
    records.ids = Vec::new();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityType;

    #[test]
    fn records_that_clients_or_requests_cannot_handle_are_left_out() {
        let parse = |line: &str| parse(Schema::of(EntityType::Contract), line.as_bytes()).map(|parsed| parsed.id);
        // The record is the first level.
        let nested = |levels: usize| {
            format!(
                r#"{{"record_id":"1","x":{}{}}}"#,
                "[".repeat(levels),
                "]".repeat(levels)
            )
        };
        assert_eq!(parse(&nested(MAX_DEPTH - 1)), Ok("1".to_owned()));
        for levels in [MAX_DEPTH, 100_000] {
            let why = parse(&nested(levels)).unwrap_err();
            assert!(
                why.starts_with(&format!("objects and arrays in {} levels", levels + 1)),
                "{why}"
            );
        }
        let wide = format!(r#"{{"record_id":"1","x":[{}1]}}"#, "[],".repeat(1_000));
        assert_eq!(parse(&wide), Ok("1".to_owned()));
        for id in RESERVED_IDS {
            let why = parse(&format!(r#"{{"record_id":"{id}"}}"#)).unwrap_err();
            assert!(
                why.starts_with(&format!("record_id '{id}' is the name of an endpoint")),
                "{why}"
            );
        }
        assert_eq!(parse(r#"{"record_id":"stats|1"}"#), Ok("stats|1".to_owned()));
    }
}
