//! `procure fetch`: the publishers' public files, brought to `<out>/<source>/` and kept up to date.
//!
//! [`table`] declares where they are, `catalogue` asks a portal which there are today, `transfer` brings one. A file
//! changes only by a rename, of a body that came whole and is what it should be; one that fails stops no other, unless its
//! host cannot be reached or the disk is full. A file's modification time is the publisher's: `normalize` reads it as `fetched_at`.
//!
//! What is known of the files stands in the hidden folder `.fetch` beside them, which `normalize` passes by.

mod catalogue;
mod check;
mod failure;
mod http;
mod note;
mod progress;
pub mod table;
mod transfer;

use std::{
    collections::HashMap,
    fmt,
    fs::{self, File},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use chrono::NaiveDate;

pub use http::Manners;
pub use transfer::Outcome;

use failure::{Failure, Reach};
use http::Client;
use progress::Progress;
use table::{Files, Format, Source, fiscal_years};
use transfer::Target;

/// Where the notes and the unfinished files are, in each source's folder.
const WORK: &str = ".fetch";

pub struct Options<'a> {
    pub sources: &'a [Source<'a>],
    /// One folder a source is made in it.
    pub out: PathBuf,
    /// Tells which fiscal years there are.
    pub today: NaiveDate,
    pub manners: Manners,
}

/// What was asked for, file by file.
#[derive(Debug, Default)]
pub struct Report {
    pub files: Vec<(PathBuf, Result<Outcome, String>)>,
    /// What the operator should know besides.
    pub remarks: Vec<String>,
    /// What each licence asks for, of the sources asked for.
    pub attributions: Vec<String>,
}

impl Report {
    pub fn failed(&self) -> Vec<&Path> {
        let failed = self.files.iter().filter(|(_, outcome)| outcome.is_err());
        failed.map(|(path, _)| path.as_path()).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, outcome) in &self.files {
            let path = path.display();
            match outcome {
                Ok(Outcome::Fetched { bytes, resumed_at: 0 }) => writeln!(f, "fetched    {path}, {bytes} bytes")?,
                Ok(Outcome::Fetched { bytes, resumed_at }) => {
                    writeln!(f, "fetched    {path}, {bytes} bytes, the first {resumed_at} earlier")?;
                }
                Ok(Outcome::Unchanged) => writeln!(f, "unchanged  {path}")?,
                Ok(Outcome::NotYet) => writeln!(f, "not yet    {path} is not published")?,
                Err(why) => writeln!(f, "FAILED     {path}: {why}")?,
            }
        }
        for remark in &self.remarks {
            writeln!(f, "note       {remark}")?;
        }
        writeln!(f, "\nWho shows this data must say")?;
        self.attributions
            .iter()
            .try_for_each(|sentence| writeln!(f, "  {sentence}"))
    }
}

pub fn run(options: &Options) -> Result<Report> {
    let out = &options.out;
    fs::create_dir_all(out).with_context(|| format!("creating {}", out.display()))?;
    let _lock = exclude_others(out)?;
    let mut run = Run {
        options,
        client: Client::new(&options.manners),
        progress: Progress::new(),
        report: Report::default(),
        hosts: HashMap::new(),
        ended: None,
    };
    for source in options.sources {
        run.source(source)?;
    }
    Ok(run.report)
}

/// Keeps a second run out of the same folder, for as long as it is held: the two would write over each other's files.
fn exclude_others(out: &Path) -> Result<File> {
    let folder = File::open(out).with_context(|| format!("opening {}", out.display()))?;
    crate::storage::file_lock::hold(folder, out, "procure fetch")
}

struct Run<'a> {
    options: &'a Options<'a>,
    client: Client,
    progress: Progress,
    report: Report,
    /// Hosts that are asked no more, and why.
    hosts: HashMap<String, String>,
    /// Why nothing more can be fetched from anywhere.
    ended: Option<String>,
}

impl Run<'_> {
    fn source(&mut self, source: &Source) -> Result<()> {
        if !self.report.attributions.iter().any(|said| said == source.attribution) {
            self.report.attributions.push(source.attribution.to_owned());
        }
        let folder = self.options.out.join(source.id);
        let work = folder.join(WORK);
        fs::create_dir_all(&work).with_context(|| format!("creating {}", work.display()))?;
        let mut names: Vec<String> = Vec::new();
        let mut all_listed = true;
        for files in source.files {
            let targets = self.targets(source, files, &folder);
            all_listed &= targets.is_some();
            for mut target in targets.unwrap_or_default() {
                let mut name = target.name();
                let alike = names.iter().filter(|known| known.eq_ignore_ascii_case(&name)).count();
                if alike > 0 {
                    name = format!("{}-{name}", alike + 1);
                    target.path = folder.join(&name);
                }
                names.push(name);
                self.fetch(source, &target);
            }
        }
        // Where a catalogue could not be read, nobody knows what it lists.
        if all_listed {
            transfer::clear(&work, &names).with_context(|| format!("clearing {}", work.display()))?;
            let known = note::names(&work).with_context(|| format!("listing {}", work.display()))?;
            let paths = known.filter(|name| !names.contains(name)).map(|name| folder.join(name));
            let gone = paths.filter(|path| path.exists());
            let remarks =
                gone.map(|path| format!("{} is published no more; it stays until you remove it", path.display()));
            self.report.remarks.extend(remarks);
        }
        Ok(())
    }

    /// The files that one entry of a row stands for; `None` where a catalogue could not be read, which counts as a failed file.
    fn targets(&mut self, source: &Source, files: &Files, folder: &Path) -> Option<Vec<Target>> {
        let target = |url: &str, format| Target {
            path: folder.join(catalogue::file_name(url)),
            work: folder.join(WORK),
            url: url.to_owned(),
            format,
            referer: source.referer.map(str::to_owned),
            may_be_absent: false,
        };
        match *files {
            Files::One(url, format) => Some(vec![target(url, format)]),
            Files::FiscalYears { pattern, first, format } => {
                let urls = fiscal_years(pattern, first, self.options.today);
                let mut targets: Vec<Target> = urls.iter().map(|url| target(url, format)).collect();
                if let Some(newest) = targets.last_mut() {
                    newest.may_be_absent = true;
                }
                Some(targets)
            }
            Files::ByHand(how) => {
                let remark = format!("{}: {how}, and save it in {}", source.id, folder.display());
                self.report.remarks.push(remark);
                Some(Vec::new())
            }
            Files::Catalogue(url, formats) => {
                let answer = Target {
                    path: folder.join(WORK).join(catalogue::file_name(url)),
                    ..target(url, Format::Json)
                };
                if !self.fetch(source, &answer) {
                    return None;
                }
                match catalogue::read(&answer.path, formats) {
                    Ok(catalogue) => {
                        let remark = catalogue.remark();
                        let remark = remark.map(|remark| format!("{}: {remark}", source.id));
                        self.report.remarks.extend(remark);
                        let resources = catalogue.resources.into_iter().map(|resource| Target {
                            path: folder.join(&resource.name),
                            ..target(&resource.url, resource.format)
                        });
                        Some(resources.collect())
                    }
                    Err(error) => {
                        // Next time it is asked for anew, not for its changes.
                        let _ = fs::remove_file(&answer.path);
                        self.report.files.push((answer.path, Err(format!("{error:#}"))));
                        None
                    }
                }
            }
        }
    }

    /// Whether the file is there now. A catalogue that is there goes unreported: what it lists counts.
    fn fetch(&mut self, source: &Source, target: &Target) -> bool {
        let host = http::host(&target.url);
        if let Some(why) = self.ended.as_ref().or_else(|| self.hosts.get(host)) {
            let untried = format!("not tried: {why}");
            self.report.files.push((target.path.clone(), Err(untried)));
            return false;
        }
        let outcome = transfer::fetch(&self.client, target, &self.progress);
        let fetched = outcome.is_ok();
        let outcome = outcome.map_err(|Failure { why, reach, .. }| {
            match reach {
                Reach::File => {}
                Reach::Host => drop(
                    self.hosts
                        .insert(host.to_owned(), format!("{host} failed before: {why}")),
                ),
                Reach::Run => self.ended = Some(why.clone()),
            }
            let quirk = source.quirk.map(|quirk| format!("; {quirk}")).unwrap_or_default();
            let (page, path) = (source.page, target.path.display());
            match reach {
                Reach::Run => why,
                _ => format!("{why}{quirk}; if it stays so, save it by hand from {page} as {path}"),
            }
        });
        if let Err(why) = &outcome {
            self.progress.warn(&format!("{}: {why}", target.path.display()));
        }
        if !fetched || !target.path.starts_with(&target.work) {
            self.report.files.push((target.path.clone(), outcome));
        }
        fetched
    }
}
