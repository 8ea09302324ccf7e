//! `procure normalize`: publishers' files in, normalized dumps and an account of every row out.
//!
//! The run, top down: expand the inputs to files in path order; recognize each by its content; let its source read it
//! into a spool, as many at a time as there are cores, and one alone by all of them; settle each source's rows; write
//! `<out>/<entity_type>/<source_id>.ndjson`. Dumps are written aside and renamed when all went well, so a failed run
//! leaves the former ones. Nothing depends on the order inputs are named in, on which file is read first, nor on how many cores there are.
//!
//! Damage is met with a sentence and an entry in the report, not with an end: what was read before it stays. A file without a column
//! that its source cannot do without is damaged from its start. Only a full disk, or a run that recognized nothing, ends the run;
//! under `strict` a file that nobody recognizes or that is damaged does too. Of several errors the one told is that of the
//! first file.

mod dumps;
mod input;
mod report;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use anyhow::{Context, Result, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

pub use report::{FileReport, Report, Shortfall, Unrecognized};

use crate::{
    model::{
        record::LONGEST_ID,
        schema::{Role, Schema},
        vocabulary,
    },
    sources::{
        Broken, FileFacts, Head, SOURCES, Source,
        reading::{
            decode::Utf8,
            intake::{Intake, Member, Record, Tally},
            spool::{Drafts, Entry, Group, Spool},
        },
    },
};
use dumps::{Dumps, Lines};

/// What to normalize, and where to.
#[derive(Clone, Debug)]
pub struct Options {
    /// Files and folders, plain, `.zip` or `.gz`.
    pub inputs: Vec<PathBuf>,
    /// The folder of the dumps.
    pub out: PathBuf,
    /// Where to write the report as JSON.
    pub report: Option<PathBuf>,
    /// Makes an error of a file that is not recognized or is damaged.
    pub strict: bool,
}

pub fn run(options: &Options) -> Result<Report> {
    let inputs = input::files(&options.inputs)?;
    fs::create_dir_all(&options.out).with_context(|| format!("creating {}", options.out.display()))?;
    let _lock = exclude_others(&options.out)?;
    let reading = Reading {
        options,
        spools: Mutex::default(),
        first_failed: AtomicUsize::new(usize::MAX),
        bar: progress(inputs.iter().flat_map(|input| &input.size).sum()),
    };
    // Streams are taken in order, so when one fails all before it are read or being read.
    let streams = inputs.iter().flat_map(input::streams).enumerate().par_bridge();
    let mut outcomes: Vec<(usize, Result<Outcome>)> = streams
        .filter_map(|(number, stream)| Some((number, reading.read(number, stream)?)))
        .collect();
    reading.bar.finish_and_clear();
    outcomes.sort_unstable_by_key(|(number, _)| *number);
    let outcomes: Result<Vec<Outcome>> = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
    let report = Run::new(options, outcomes?, reading.spools)?.settle()?;
    if let Some(path) = &options.report {
        let json = serde_json::to_vec_pretty(&report).context("writing the report")?;
        fs::write(path, json).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(report)
}

/// Keeps a second run out of the same folder, for as long as it is held: the two would write over each other's dumps.
fn exclude_others(out: &Path) -> Result<File> {
    let folder = File::open(out).with_context(|| format!("opening {}", out.display()))?;
    crate::storage::file_lock::hold(folder, out, "procure normalize")
}

/// Bytes of input read, on standard error, where that is a terminal.
fn progress(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::new(bytes);
    let style = ProgressStyle::with_template("{bar:24} {bytes}/{total_bytes} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

type Spools = Mutex<BTreeMap<&'static str, Arc<Spool>>>;

/// What all readers share.
struct Reading<'a> {
    options: &'a Options,
    /// By family.
    spools: Spools,
    /// The number of the first stream that is known to end the run.
    first_failed: AtomicUsize,
    bar: ProgressBar,
}

/// What became of one stream.
enum Outcome {
    Read(Box<ReadFile>),
    LeftOut(Unrecognized),
}

struct ReadFile {
    path: String,
    /// Its number in [`SOURCES`].
    source: usize,
    tally: Tally,
    damaged: bool,
    entries: Vec<Entry>,
}

impl Reading<'_> {
    /// Nothing where a stream before this one ends the run.
    fn read(&self, number: usize, stream: input::Stream) -> Option<Result<Outcome>> {
        if self.first_failed.load(Ordering::Relaxed) < number {
            return None;
        }
        let size = stream.size;
        let outcome = stream.read(|facts, text| {
            self.bar.set_message(facts.path.clone());
            match text {
                Ok(text) => self.recognize(number, facts, text),
                Err(why) => self.left_out(facts.path, why),
            }
        });
        self.bar.inc(size);
        if outcome.is_err() {
            self.first_failed.fetch_min(number, Ordering::Relaxed);
        }
        Some(outcome)
    }

    fn recognize(&self, number: usize, facts: FileFacts, text: &mut dyn Read) -> Result<Outcome> {
        let mut text = Utf8::new(text);
        let head = match text.peek() {
            Ok("") => return self.left_out(facts.path, "is empty".to_owned()),
            Ok(start) => Head::of(start),
            Err(error) => return self.left_out(facts.path, format!("cannot be read: {error}")),
        };
        let Some(source) = SOURCES.iter().position(|source| (source.recognizes)(&head)) else {
            return self.left_out(facts.path, unrecognized(text.peek().unwrap_or_default()));
        };
        let spool = self.spool(SOURCES[source].family())?;
        let mut tally = Tally::default();
        let mut intake = Intake {
            tally: &mut tally,
            drafts: Drafts::new(&spool, number),
        };
        let read = (SOURCES[source].reader)().read(&facts, text, &mut intake);
        let entries = intake.drafts.finish()?;
        let damaged = match read {
            Ok(()) => false,
            Err(Broken::Fatal(error)) => return Err(error),
            Err(Broken::Here { line, why }) if self.options.strict => {
                bail!("{} line {line}: {why}", facts.path);
            }
            Err(Broken::Here { line, why }) => {
                tally.rows += 1;
                tally.skip(line, &format!("the file cannot be read from here on: {why}"));
                true
            }
        };
        Ok(Outcome::Read(Box::new(ReadFile {
            path: facts.path,
            source,
            tally,
            damaged,
            entries,
        })))
    }

    fn spool(&self, family: &'static str) -> Result<Arc<Spool>> {
        let mut spools = self.spools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spool) = spools.get(family) {
            return Ok(spool.clone());
        }
        let spool = Arc::new(Spool::create(&self.options.out.join(format!(".{family}.spool")))?);
        spools.insert(family, spool.clone());
        Ok(spool)
    }

    fn left_out(&self, path: String, why: String) -> Result<Outcome> {
        match self.options.strict {
            true => Err(anyhow!("{path} {why}")),
            false => Ok(Outcome::LeftOut(Unrecognized { path, why })),
        }
    }
}

/// Why a file that begins like this is not recognized, with the cure where it is plain.
fn unrecognized(start: &str) -> String {
    let is_known = |delimiter: char| {
        let head = Head::of(&start.lines().next().unwrap_or_default().replace(delimiter, ","));
        SOURCES.iter().any(|source| (source.recognizes)(&head))
    };
    match start {
        // As their first bytes are decoded.
        _ if start.starts_with("\u{1f}‹") || start.starts_with("PK\u{3}\u{4}") => {
            "is an archive in an archive; unpack the outer one first"
        }
        _ if start.contains('\0') => "is UTF-16 or no text; save it as UTF-8",
        _ if is_known(';') || is_known('\t') => "has its columns parted by semicolons or tabs; save it with commas",
        _ => "is no format that is known here",
    }
    .to_owned()
}

/// All files read, their rows to be settled.
struct Run<'a> {
    options: &'a Options,
    spools: BTreeMap<&'static str, Arc<Spool>>,
    /// By stream number; nothing where the stream was left out.
    files: Vec<Option<Box<ReadFile>>>,
    unrecognized: Vec<Unrecognized>,
}

impl<'a> Run<'a> {
    fn new(options: &'a Options, outcomes: Vec<Outcome>, spools: Spools) -> Result<Run<'a>> {
        let mut run = Run {
            options,
            spools: spools.into_inner().unwrap_or_else(PoisonError::into_inner),
            files: Vec::with_capacity(outcomes.len()),
            unrecognized: Vec::new(),
        };
        for outcome in outcomes {
            run.files.push(match outcome {
                Outcome::Read(file) => Some(file),
                Outcome::LeftOut(file) => {
                    run.unrecognized.push(file);
                    None
                }
            });
        }
        match run.spools.is_empty() {
            true => bail!("{}", run.nothing_recognized()),
            false => Ok(run),
        }
    }

    fn nothing_recognized(&self) -> String {
        let named = self
            .unrecognized
            .iter()
            .take(5)
            .map(|file| format!("\n  {} {}", file.path, file.why));
        format!(
            "none of the inputs is a file that can be normalized; nothing was written{}",
            named.collect::<String>()
        )
    }

    /// The entries of a family's files, taken out of them.
    fn take_entries(&mut self, family: &str) -> Vec<Entry> {
        let of_family = |file: &&mut Box<ReadFile>| SOURCES[file.source].family() == family;
        let files = self.files.iter_mut().flatten().filter(of_family);
        let taken: Vec<Vec<Entry>> = files.map(|file| std::mem::take(&mut file.entries)).collect();
        let mut entries = Vec::with_capacity(taken.iter().map(Vec::len).sum());
        for of_file in taken {
            entries.extend(of_file);
        }
        entries
    }

    fn settle(mut self) -> Result<Report> {
        let mut dumps = Dumps::new(&self.options.out);
        let mut tallies: Vec<Tally> = Vec::with_capacity(self.files.len());
        for file in &mut self.files {
            let tally = file.as_mut().map(|file| std::mem::take(&mut file.tally));
            tallies.push(tally.unwrap_or_default());
        }
        // By number in `SOURCES`: those that told of a thing, whether or not another's word stands in the end.
        let mut told = vec![false; SOURCES.len()];
        for (family, spool) in std::mem::take(&mut self.spools) {
            let entries = self.take_entries(family);
            let source = SOURCES.iter().find(|source| source.family() == family);
            let source = source.context("a family without a source")?;
            let settle = |groups| Settled::of(groups, source, &self.files);
            spool.settle(entries, settle, |settled| {
                for (tally, part) in tallies.iter_mut().zip(settled.tallies) {
                    tally.add(part);
                }
                settled.told.into_iter().for_each(|source| told[source] = true);
                dumps.append(settled.lines)
            })?;
        }
        for (source, _) in SOURCES.iter().zip(told).filter(|(_, told)| *told) {
            dumps.close(source)?;
        }
        let published = dumps.publish()?;
        let files = self.files.into_iter().zip(tallies).filter_map(|(file, tally)| {
            let file = file?;
            Some(FileReport {
                path: file.path,
                source_id: SOURCES[file.source].id,
                damaged: file.damaged,
                tally,
            })
        });
        Ok(Report {
            files: files.collect(),
            fields: published.presence,
            shortfalls: published.shortfalls,
            unrecognized: self.unrecognized,
            untold_buyers: published.untold_buyers,
        })
    }
}

/// What some groups came to.
struct Settled {
    /// By stream number.
    tallies: Vec<Tally>,
    /// Numbers in [`SOURCES`] of those that told of a thing.
    told: BTreeSet<usize>,
    lines: Lines,
}

impl Settled {
    fn of(groups: Vec<Group>, family: &Source, files: &[Option<Box<ReadFile>>]) -> Result<Settled> {
        let mut settled = Settled {
            tallies: Vec::new(),
            told: BTreeSet::new(),
            lines: Lines::default(),
        };
        settled.tallies.resize_with(files.len(), Tally::default);
        let mut reader = (family.reader)();
        for mut group in groups {
            for row in group.replaced {
                let tally = &mut settled.tallies[row.file];
                tally.merged += 1;
                if row.is_of_another_deal {
                    tally.note(row.line, ANOTHER_DEAL);
                }
            }
            reader.settle(&mut group.members, &mut settled.tallies);
            for member in &group.members {
                let Some(file) = &files[member.file] else { continue };
                if member.said.is_none() {
                    settled.told.insert(file.source);
                }
                settled.keep(member, SOURCES[file.source].id)?;
            }
        }
        Ok(settled)
    }

    fn keep(&mut self, member: &Member, source_id: &'static str) -> Result<()> {
        let tally = &mut self.tallies[member.file];
        if member.records.is_empty() {
            match member.skipped {
                Some(reason) => tally.skip(member.line, reason),
                None => tally.merged += 1,
            }
            return Ok(());
        }
        // What is no record to those who read the dump is none here.
        let kept = member.records.iter().filter(|record| {
            let id = record.text("record_id").unwrap_or_default();
            (1..=LONGEST_ID).contains(&id.len())
        });
        let mut written = 0;
        for record in kept {
            note_unknown_status(record, member.line, tally);
            self.lines.push(source_id, record)?;
            *tally.written.entry(record.entity_type).or_default() += 1;
            written += 1;
        }
        if written == 0 {
            tally.skip(member.line, TOO_LONG);
            return Ok(());
        }
        if written < member.records.len() {
            tally.note(member.line, TOO_LONG);
        }
        tally.recorded += 1;
        Ok(())
    }
}

const ANOTHER_DEAL: &str =
    "replaced by a newer row under the same identifier that names another supplier or contract number";

const TOO_LONG: &str = "a record whose identifier is longer than an index holds, left out";

fn note_unknown_status(record: &Record, line: u64, tally: &mut Tally) {
    let schema = Schema::of(record.entity_type);
    let words = schema
        .role(Role::Status)
        .iter()
        .map(|field| &schema.fields[*field].name);
    let mut words = words.filter_map(|field| record.text(field)).peekable();
    if let Some(first) = words.peek().copied()
        && words.all(|word| vocabulary::status(word).is_none())
    {
        let what = format!("status '{first}' is unknown, the status filter misses it");
        tally.note(line, &what);
    }
}
