//! The first pass: every line of a kind's dumps is read once, checked, and told apart from its duplicates.
//!
//! What stays in memory of a record is its [`Entry`] and its id; its bytes go to a spool file, from which the second pass reads them in document order. A reader
//! thread runs ahead of the parsing, which uses all cores.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    ops::Range,
    os::unix::fs::FileExt,
    path::Path,
    sync::mpsc,
    thread,
};

use anyhow::{Context, bail, ensure};
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::{Complaint, FileReport, Options};
use crate::{
    model::{
        record::Record,
        schema::{Role, Schema},
    },
    storage::dump::{self, Dump, LONGEST_LINE, Line, Lines},
};

/// The records of a kind, each once, in `record_id` order.
pub struct Intake {
    pub dumps: Vec<Dump>,
    pub files: Vec<FileReport>,
    pub entries: Vec<Entry>,
    ids: Vec<u8>,
    spool: Option<Spool>,
}

/// What sorting needs of a record.
pub struct Entry {
    id_start: u64,
    id_length: u16,
    /// Which dump it came from.
    pub dump: u16,
    length: u32,
    /// Where its bytes begin in the spool.
    start: u64,
    /// Milliseconds since 1970 of `fetched_at`; the least number where it cannot be read.
    fetched_at: i64,
    /// Days since 1970; `None` sorts below any day, so last under descending.
    pub date: Option<i32>,
    pub closing_date: Option<i32>,
    pub value: Option<f64>,
}

/// The records' bytes, uncompressed, in reading order: a file without a name, gone when closed.
struct Spool(File);

impl Intake {
    /// The bytes of a record.
    pub fn read(&self, entry: &Entry, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.resize(entry.length as usize, 0);
        match &self.spool {
            Some(Spool(file)) => file.read_exact_at(buffer, entry.start),
            None => Err(io::Error::other("the spool is gone")),
        }
    }

    /// Lets go of the spool, and of its disk space.
    pub fn forget_records(&mut self) {
        self.spool = None;
    }
}

impl Entry {
    pub fn length(&self) -> u64 {
        self.length.into()
    }
}

/// Reads all dumps of a kind; `folder` takes the spool.
pub fn read(schema: &'static Schema, options: &Options, folder: &Path) -> anyhow::Result<Intake> {
    let dumps = dump::list(&options.dumps, schema.entity_type)?;
    ensure!(
        dumps.len() <= usize::from(u16::MAX),
        "over {} dumps of {}",
        u16::MAX,
        schema.entity_type
    );
    let path = folder.join("spool");
    let file = File::options().read(true).write(true).create_new(true).open(&path);
    let file = file.with_context(|| format!("creating {}", path.display()))?;
    std::fs::remove_file(&path).with_context(|| format!("unlinking {}", path.display()))?;
    let spool = Spool(file.try_clone().context("opening the spool")?);
    let mut intake = Intake {
        files: Vec::new(),
        entries: Vec::new(),
        ids: Vec::new(),
        spool: Some(spool),
        dumps,
    };
    let mut writer = Appender {
        out: BufWriter::with_capacity(1 << 20, file),
        written: 0,
    };
    let progress = ProgressBar::new_spinner().with_message(format!("reading {}", schema.entity_type));
    for number in 0..intake.dumps.len() {
        let dump = intake.dumps[number].clone();
        let file = take_dump(
            schema,
            options,
            &mut intake,
            &mut writer,
            &dump,
            number as u16,
            &progress,
        )?;
        intake.files.push(file);
    }
    writer.out.flush().context("writing the spool (is the disk full?)")?;
    progress.finish_and_clear();
    drop_duplicates(&mut intake);
    Ok(intake)
}

/// How many bytes of lines are parsed at a time.
const BATCH: usize = 4 << 20;

/// Some lines of a dump, end to end.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    lines: Vec<(Line, Range<usize>)>,
}

struct Appender {
    out: BufWriter<File>,
    written: u64,
}

fn take_dump(
    schema: &'static Schema,
    options: &Options,
    intake: &mut Intake,
    spool: &mut Appender,
    dump: &Dump,
    number: u16,
    progress: &ProgressBar,
) -> anyhow::Result<FileReport> {
    let path = &dump.path;
    let mut report = FileReport {
        path: path.clone(),
        ..FileReport::default()
    };
    let lines = Lines::open(path).with_context(|| format!("opening {}", path.display()))?;
    thread::scope(|scope| {
        let (sender, batches) = mpsc::sync_channel(2);
        scope.spawn(move || read_ahead(lines, &sender));
        for batch in batches {
            let batch = batch.with_context(|| format!("reading {} after line {}", path.display(), report.lines))?;
            let parsed: Vec<_> = batch
                .lines
                .par_iter()
                .map(|(line, range)| parse(schema, *line, &batch.bytes[range.clone()]))
                .collect();
            for ((line, range), parsed) in batch.lines.iter().zip(parsed) {
                let (Line::Whole(line) | Line::TooLong(line)) = *line;
                report.lines += 1;
                match parsed {
                    Err(reason) if options.strict => bail!("{}:{line}: {reason}", path.display()),
                    Err(reason) => Complaint::add(&mut report.bad, reason, line),
                    Ok(parsed) => {
                        if let Some(reason) = parsed.unreadable_date {
                            Complaint::add(&mut report.unreadable_dates, reason, line);
                        }
                        let bytes = &batch.bytes[range.clone()];
                        spool
                            .out
                            .write_all(bytes)
                            .context("writing the spool (is the disk full?)")?;
                        intake.entries.push(Entry {
                            id_start: intake.ids.len() as u64,
                            id_length: parsed.id.len() as u16,
                            dump: number,
                            length: bytes.len() as u32,
                            start: spool.written,
                            ..parsed.entry
                        });
                        intake.ids.extend_from_slice(parsed.id.as_bytes());
                        spool.written += bytes.len() as u64;
                    }
                }
            }
            ensure!(
                intake.entries.len() < MOST_RECORDS,
                "over {MOST_RECORDS} records of {}",
                schema.entity_type
            );
            progress.set_position(intake.entries.len() as u64);
            progress.set_message(format!(
                "reading {}: {} records",
                schema.entity_type,
                intake.entries.len()
            ));
        }
        Ok(report)
    })
}

/// What a segment can number.
const MOST_RECORDS: usize = i32::MAX as usize;

fn read_ahead(mut lines: Lines, batches: &mpsc::SyncSender<io::Result<Batch>>) {
    loop {
        let mut batch = Batch {
            bytes: Vec::with_capacity(BATCH + LONGEST_LINE / 16),
            lines: Vec::new(),
        };
        let end = loop {
            let start = batch.bytes.len();
            match lines.next(&mut batch.bytes) {
                Ok(Some(line)) => batch.lines.push((line, start..batch.bytes.len())),
                Ok(None) => break Some(Ok(())),
                Err(e) => break Some(Err(e)),
            }
            if batch.bytes.len() >= BATCH {
                break None;
            }
        };
        // A receiver that hung up has met an error of its own.
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

struct Parsed {
    id: String,
    unreadable_date: Option<String>,
    entry: Entry,
}

fn parse(schema: &'static Schema, line: Line, bytes: &[u8]) -> Result<Parsed, String> {
    if let Line::TooLong(_) = line {
        return Err(format!("longer than {} MiB", LONGEST_LINE >> 20));
    }
    let record = Record::parse(schema, bytes).map_err(|e| e.to_string())?;
    Ok(Parsed {
        id: record.id().to_owned(),
        unreadable_date: record.unreadable_date().map(|(field, _)| format!("{field} is no date")),
        entry: Entry {
            id_start: 0,
            id_length: 0,
            dump: 0,
            length: 0,
            start: 0,
            fetched_at: record.text("fetched_at").map_or(i64::MIN, milliseconds),
            date: record.date(Role::Date).map(|day| day.days()),
            closing_date: record.date(Role::ClosingDate).map(|day| day.days()),
            // Adding zero makes the negative zero the same as the other.
            value: record.value().map(|value| value + 0.0),
        },
    })
}

fn milliseconds(timestamp: &str) -> i64 {
    match crate::model::timestamp::parse(timestamp) {
        Some(time) => time.timestamp_millis(),
        None => {
            crate::model::date::Date::parse_prefix(timestamp).map_or(i64::MIN, |day| i64::from(day.days()) * 86_400_000)
        }
    }
}

/// Leaves one entry an id, the newest `fetched_at` winning, else the one read later; the entries end up in id order.
fn drop_duplicates(intake: &mut Intake) {
    let mut entries = std::mem::take(&mut intake.entries);
    let id = |entry: &Entry| {
        let start = entry.id_start as usize;
        &intake.ids[start..start + usize::from(entry.id_length)]
    };
    // The id's place in the arena tells reading order.
    entries.par_sort_unstable_by(|a, b| {
        id(a)
            .cmp(id(b))
            .then(b.fetched_at.cmp(&a.fetched_at))
            .then(b.id_start.cmp(&a.id_start))
    });
    let files = &mut intake.files;
    entries.dedup_by(|later, kept| {
        let same = id(later) == id(kept);
        if same {
            files[usize::from(later.dump)].duplicates += 1;
        }
        same
    });
    for entry in &entries {
        files[usize::from(entry.dump)].records += 1;
    }
    intake.entries = entries;
}
