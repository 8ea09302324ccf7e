//! `procure normalize`: publishers' files in, normalized dumps and an account of every row out.
//!
//! The run, top down: expand the inputs to files in path order; recognize each by its content; let its source read it
//! into a spool; settle each source's rows; write `<out>/<entity_type>/<source_id>.ndjson`. Dumps are written aside and
//! renamed when all went well, so a failed run leaves the former ones. Nothing depends on the order inputs are named in.
//!
//! Damage is met with a sentence and an entry in the report, not with an end: what was read before it stays. Only a
//! recognized file without a column its source needs, a full disk, or a run that recognized nothing, ends the run;
//! under `strict` a file that nobody recognizes or that is damaged does too.

mod dumps;
mod input;
mod report;

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs::{self, File, TryLockError},
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

pub use report::{FileReport, Report, Unrecognized};

use crate::sources::{
    Broken, FileFacts, Head, Reader, SOURCES, Source,
    decode::Utf8,
    intake::{Intake, Member, Spool, Tally},
};
use dumps::Dumps;

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
    let paths = input::files(&options.inputs)?;
    fs::create_dir_all(&options.out).with_context(|| format!("creating {}", options.out.display()))?;
    let _lock = lock(&options.out)?;
    let bar = progress(paths.iter().map(|(_, size)| size).sum());
    let mut run = Run::new(options);
    for (path, size) in &paths {
        bar.set_message(path.display().to_string());
        input::open(path, &mut |facts, text| match text {
            Ok(text) => run.read(facts, text),
            Err(why) => run.unrecognized(facts.path, why),
        })?;
        bar.inc(*size);
    }
    bar.finish_and_clear();
    if run.files.is_empty() {
        bail!("{}", run.nothing_recognized());
    }
    let report = run.settle()?;
    if let Some(path) = &options.report {
        let json = serde_json::to_vec_pretty(&report).context("writing the report")?;
        fs::write(path, json).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(report)
}

/// Keeps a second run out of the same folder, for as long as it is held: the two would write over each other's dumps.
fn lock(out: &Path) -> Result<File> {
    let folder = File::open(out).with_context(|| format!("opening {}", out.display()))?;
    match folder.try_lock() {
        Ok(()) => Ok(folder),
        Err(TryLockError::WouldBlock) => {
            bail!(
                "another `procure normalize` is writing to {}; wait for it to end",
                out.display()
            )
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("locking {}", out.display())),
    }
}

/// Bytes of input read, on standard error, where that is a terminal.
fn progress(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::new(bytes);
    let style = ProgressStyle::with_template("{bar:24} {bytes}/{total_bytes} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

struct Run<'a> {
    options: &'a Options,
    /// By family: the sources met so far.
    families: BTreeMap<&'static str, Active>,
    /// Path and source of each recognized file; its tally has the same number.
    files: Vec<(String, usize)>,
    tallies: Vec<Tally>,
    unrecognized: Vec<Unrecognized>,
}

struct Active {
    reader: Box<dyn Reader>,
    spool: Spool,
}

impl Active {
    fn open(source: &Source, out: &Path) -> Result<Active> {
        Ok(Active {
            reader: (source.reader)(),
            spool: Spool::create(&out.join(format!(".{}.spool", source.family())))?,
        })
    }
}

impl<'a> Run<'a> {
    fn new(options: &'a Options) -> Run<'a> {
        Run {
            options,
            families: BTreeMap::new(),
            files: Vec::new(),
            tallies: Vec::new(),
            unrecognized: Vec::new(),
        }
    }

    fn read(&mut self, facts: FileFacts, text: &mut dyn Read) -> Result<()> {
        let mut text = Utf8::new(text);
        let head = match text.peek() {
            Ok("") => return self.unrecognized(facts.path, "is empty".to_owned()),
            Ok(start) => Head::of(start),
            Err(error) => return self.unrecognized(facts.path, format!("cannot be read: {error}")),
        };
        let Some(number) = SOURCES.iter().position(|source| (source.recognizes)(&head)) else {
            return self.unrecognized(facts.path, "is no format that is known here".to_owned());
        };
        let mut tally = Tally::default();
        let file = self.files.len();
        let active = match self.families.entry(SOURCES[number].family()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(first) => first.insert(Active::open(&SOURCES[number], &self.options.out)?),
        };
        let mut intake = Intake {
            file,
            tally: &mut tally,
            spool: &mut active.spool,
        };
        match active.reader.read(&facts, text, &mut intake) {
            Ok(()) => {}
            Err(Broken::Fatal(error)) => return Err(error),
            Err(Broken::Here { line, why }) if self.options.strict => {
                bail!("{} line {line}: {why}", facts.path);
            }
            Err(Broken::Here { line, why }) => {
                tally.rows += 1;
                tally.skip(line, &format!("the file cannot be read from here on: {why}"));
            }
        }
        self.files.push((facts.path, number));
        self.tallies.push(tally);
        Ok(())
    }

    fn unrecognized(&mut self, path: String, why: String) -> Result<()> {
        if self.options.strict {
            bail!("{path} {why}");
        }
        self.unrecognized.push(Unrecognized { path, why });
        Ok(())
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

    fn settle(self) -> Result<Report> {
        let mut tallies = self.tallies;
        let mut dumps = Dumps::new(&self.options.out);
        // By number in `SOURCES`: those that told of a thing, whether or not another's word stands in the end.
        let mut told = vec![false; SOURCES.len()];
        for active in self.families.into_values() {
            let Active { mut reader, spool } = active;
            spool.settle(&mut tallies, |mut members, tallies| {
                reader.settle(&mut members, tallies);
                for member in &members {
                    let (_, source) = self.files[member.file];
                    told[source] = true;
                    keep(member, SOURCES[source].id, &mut tallies[member.file], &mut dumps)?;
                }
                Ok(())
            })?;
            reader.finish(&mut tallies);
        }
        for (source, _) in SOURCES.iter().zip(told).filter(|(_, told)| *told) {
            dumps.close(source)?;
        }
        let (fields, untold_buyers) = dumps.publish()?;
        let files = self
            .files
            .into_iter()
            .zip(tallies)
            .map(|((path, source), tally)| FileReport {
                path,
                source_id: SOURCES[source].id,
                tally,
            });
        Ok(Report {
            files: files.collect(),
            fields,
            unrecognized: self.unrecognized,
            untold_buyers,
        })
    }
}

fn keep(member: &Member, source_id: &'static str, tally: &mut Tally, dumps: &mut Dumps) -> Result<()> {
    if member.records.is_empty() {
        tally.merged += 1;
        return Ok(());
    }
    tally.recorded += 1;
    for record in &member.records {
        dumps.write(source_id, record)?;
        *tally.written.entry(record.entity_type).or_default() += 1;
    }
    Ok(())
}
