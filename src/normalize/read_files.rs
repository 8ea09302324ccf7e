//! The first half of a run: recognizes the input files and reads their rows into spools.

use std::{
    collections::BTreeMap,
    io::Read,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use anyhow::{Result, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::{
    input::{self, InputFile, InputStream},
    report::LeftOutFile,
};
use crate::sources::{
    reading::{
        FileHead, FileInfo, ReadError, RowCounts, RowSink, Utf8Reader,
        spool::{entry::SpoolEntry, file::Spool, writer::SpoolWriter},
    },
    registry::SOURCES,
};

/// All input files, read.
pub(crate) struct ReadFiles {
    /// By [`family`](crate::sources::registry::SourceFormat::family).
    pub(crate) spools: BTreeMap<&'static str, Arc<Spool>>,
    /// By stream number; `None` for a stream that was left out.
    pub(crate) files: Vec<Option<Box<ReadFile>>>,
    pub(crate) unrecognized: Vec<LeftOutFile>,
}

pub(crate) struct ReadFile {
    pub(crate) path: String,
    /// Index in [`SOURCES`].
    pub(crate) source: usize,
    pub(crate) counts: RowCounts,
    pub(crate) is_damaged: bool,
    pub(crate) entries: Vec<SpoolEntry>,
}

enum StreamOutcome {
    Read(Box<ReadFile>),
    LeftOut(LeftOutFile),
}

/// Reads all files in parallel. The spools are temporary files in `out`.
pub(crate) fn read(files: &[InputFile], out: &Path, strict: bool) -> Result<ReadFiles> {
    let reading = Reading {
        out,
        strict,
        spools: Mutex::default(),
        first_failed: AtomicUsize::new(usize::MAX),
        bar: progress_bar(files.iter().flat_map(|file| &file.size).sum()),
    };
    // Streams are taken in order, so all streams before a failed one are read or being read.
    let streams = files.iter().flat_map(input::open_streams).enumerate().par_bridge();
    let mut outcomes: Vec<(usize, Result<StreamOutcome>)> = streams
        .filter_map(|(number, stream)| Some((number, reading.read(number, stream)?)))
        .collect();
    reading.bar.finish_and_clear();
    outcomes.sort_unstable_by_key(|(number, _)| *number);
    let mut read = ReadFiles {
        spools: reading.spools.into_inner().unwrap_or_else(PoisonError::into_inner),
        files: Vec::with_capacity(outcomes.len()),
        unrecognized: Vec::new(),
    };
    for (_, outcome) in outcomes {
        read.files.push(match outcome? {
            StreamOutcome::Read(file) => Some(file),
            StreamOutcome::LeftOut(file) => {
                read.unrecognized.push(file);
                None
            }
        });
    }
    if read.spools.is_empty() {
        bail!("{}", nothing_recognized(&read.unrecognized));
    }
    Ok(read)
}

/// Shows the bytes of input that are read, on standard error, if it is a terminal.
fn progress_bar(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::new(bytes);
    let style = ProgressStyle::with_template("{bar:24} {bytes}/{total_bytes} {msg}");
    bar.set_style(style.expect("the template is valid"));
    bar
}

fn nothing_recognized(unrecognized: &[LeftOutFile]) -> String {
    let files = unrecognized.iter().take(5);
    let files: String = files.map(|file| format!("\n  {} {}", file.path, file.why)).collect();
    format!("none of the inputs is a file that can be normalized; nothing was written{files}")
}

/// What the threads share.
struct Reading<'a> {
    out: &'a Path,
    strict: bool,
    /// By family.
    spools: Mutex<BTreeMap<&'static str, Arc<Spool>>>,
    /// Number of the first stream that is known to end the run.
    first_failed: AtomicUsize,
    bar: ProgressBar,
}

impl Reading<'_> {
    /// Reads one stream; `None` if an earlier stream ends the run.
    fn read(&self, number: usize, stream: InputStream) -> Option<Result<StreamOutcome>> {
        if self.first_failed.load(Ordering::Relaxed) < number {
            return None;
        }
        let size = stream.size;
        let outcome = stream.read(|file, content| {
            self.bar.set_message(file.path.clone());
            match content {
                Ok(content) => self.recognize_and_read(number, file, content),
                Err(why) => self.left_out(file.path, why),
            }
        });
        self.bar.inc(size);
        if outcome.is_err() {
            self.first_failed.fetch_min(number, Ordering::Relaxed);
        }
        Some(outcome)
    }

    fn recognize_and_read(&self, number: usize, file: FileInfo, content: &mut dyn Read) -> Result<StreamOutcome> {
        let mut text = Utf8Reader::new(content);
        let start = match text.peek() {
            Ok("") => return self.left_out(file.path, "is empty".to_owned()),
            Ok(start) => start,
            Err(error) => return self.left_out(file.path, format!("cannot be read: {error}")),
        };
        let head = FileHead::of(start);
        let Some(source) = SOURCES.iter().position(|source| (source.recognizes)(&head)) else {
            let why = why_unrecognized(start);
            return self.left_out(file.path, why.to_owned());
        };
        let spool = self.spool(SOURCES[source].family())?;
        let mut counts = RowCounts::default();
        let mut sink = RowSink {
            counts: &mut counts,
            spool: SpoolWriter::new(&spool, number)?,
        };
        let read = (SOURCES[source].reader)().read(&file, text, &mut sink);
        let entries = sink.spool.finish()?;
        let is_damaged = match read {
            Ok(()) => false,
            Err(ReadError::Fatal(error)) => return Err(error),
            Err(ReadError::Damaged { line, reason }) => {
                if self.strict {
                    bail!("{} line {line}: {reason}", file.path);
                }
                counts.rows += 1;
                counts.skip(line, &format!("the file cannot be read from this line on: {reason}"));
                true
            }
        };
        Ok(StreamOutcome::Read(Box::new(ReadFile {
            path: file.path,
            source,
            counts,
            is_damaged,
            entries,
        })))
    }

    fn spool(&self, family: &'static str) -> Result<Arc<Spool>> {
        let mut spools = self.spools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spool) = spools.get(family) {
            return Ok(spool.clone());
        }
        let spool = Arc::new(Spool::create(self.out)?);
        spools.insert(family, spool.clone());
        Ok(spool)
    }

    fn left_out(&self, path: String, why: String) -> Result<StreamOutcome> {
        if self.strict {
            return Err(anyhow!("{path} {why}"));
        }
        Ok(StreamOutcome::LeftOut(LeftOutFile { path, why }))
    }
}

/// Why a file with this beginning is not recognized, and how to fix it if that is clear.
fn why_unrecognized(start: &str) -> &'static str {
    let is_known_with = |delimiter: char| {
        let header = start.lines().next().unwrap_or_default().replace(delimiter, ",");
        let head = FileHead::of(&header);
        SOURCES.iter().any(|source| (source.recognizes)(&head))
    };
    // The first bytes of gzip and of zip, as they are decoded.
    if start.starts_with("\u{1f}‹") || start.starts_with("PK\u{3}\u{4}") {
        "is an archive in an archive; unpack the outer one first"
    } else if start.contains('\0') {
        "is UTF-16 or not text; save it as UTF-8"
    } else if is_known_with(';') || is_known_with('\t') {
        "has semicolons or tabs between its columns; save it with commas"
    } else {
        "has an unknown format"
    }
}
