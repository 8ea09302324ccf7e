//! `procure fetch`: downloads the publishers' public files to `<out>/<source>/` and keeps them up
//! to date.
//!
//! [`published_sources`] lists where the files are, `ckan` reads the file list of an open data
//! portal, `download` downloads one file, and `retry` repeats failed attempts. A file changes only
//! by a rename, after its new content came completely and is valid. A file that fails does not stop
//! the others, unless its host cannot be reached or the disk is full. The modification time of a
//! file is the publisher's; `normalize` reads it as `fetched_at`.
//!
//! The hidden folder `.fetch` next to the files has the saved response headers and the partial
//! downloads. `normalize` ignores it.

mod ckan;
pub mod client;
pub mod download;
mod failure;
mod progress;
pub mod published_sources;
mod report;
mod retry;
mod saved_headers;
mod validate;

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use chrono::NaiveDate;

use crate::storage::file_lock;
use client::{Client, ClientConfig};
use download::DownloadTarget;
use failure::{Failure, FailureScope};
use progress::Progress;
use published_sources::{FileFormat, PublishedSource, SourceFiles, fiscal_years};
use report::manual_note;

pub use report::FetchReport;

/// The folder of saved headers and partial downloads, in each source's folder.
const WORK_FOLDER: &str = ".fetch";

pub struct FetchOptions<'a> {
    pub sources: &'a [PublishedSource<'a>],
    /// The folder in which each source has a folder.
    pub out: PathBuf,
    /// Decides which fiscal years exist.
    pub today: NaiveDate,
    pub client: ClientConfig,
}

/// Downloads the files of all sources. An error is one that ends the run; failed downloads are in
/// the report.
pub fn run(options: &FetchOptions) -> Result<FetchReport> {
    let out = &options.out;
    fs::create_dir_all(out).with_context(|| format!("creating {}", out.display()))?;
    // Two runs in one folder would overwrite each other's files.
    let _lock = file_lock::lock_folder(out, "procure fetch")?;
    let mut run = FetchRun {
        options,
        client: Client::new(&options.client),
        progress: Progress::new(),
        report: FetchReport::default(),
        failed_hosts: HashMap::new(),
        aborted: None,
    };
    for source in options.sources {
        run.fetch_source(source)?;
    }
    Ok(run.report)
}

/// A run in progress.
struct FetchRun<'a> {
    options: &'a FetchOptions<'a>,
    client: Client,
    progress: Progress,
    report: FetchReport,
    /// Hosts that get no more requests, and why.
    failed_hosts: HashMap<String, String>,
    /// Why no more requests are made to any host.
    aborted: Option<String>,
}

impl FetchRun<'_> {
    fn fetch_source(&mut self, source: &PublishedSource) -> Result<()> {
        let attributions = &mut self.report.attributions;
        if !attributions.iter().any(|known| known == source.attribution) {
            attributions.push(source.attribution.to_owned());
        }
        let folder = self.options.out.join(source.id);
        let work = folder.join(WORK_FOLDER);
        fs::create_dir_all(&work).with_context(|| format!("creating {}", work.display()))?;
        let mut names: Vec<String> = Vec::new();
        let mut are_all_listed = true;
        for files in source.files {
            let Some(targets) = self.targets(source, files, &folder) else {
                are_all_listed = false;
                continue;
            };
            for mut target in targets {
                let mut name = target.name();
                let same = names.iter().filter(|known| known.eq_ignore_ascii_case(&name)).count();
                if same > 0 {
                    name = format!("{}-{name}", same + 1);
                    target.path = folder.join(&name);
                }
                names.push(name);
                self.fetch(source, &target);
            }
        }
        // If a file list could not be read, the names are incomplete.
        if are_all_listed {
            download::remove_unwanted_parts(&work, &names).with_context(|| format!("clearing {}", work.display()))?;
            self.note_removed_files(&folder, &work, &names)?;
        }
        Ok(())
    }

    /// Notes the downloaded files that the publisher no longer lists.
    fn note_removed_files(&mut self, folder: &Path, work: &Path, names: &[String]) -> Result<()> {
        let known = saved_headers::file_names(work).with_context(|| format!("listing {}", work.display()))?;
        for name in known {
            let path = folder.join(&name);
            if !names.contains(&name) && path.exists() {
                let note = format!(
                    "{} is no longer published; it stays until you remove it",
                    path.display()
                );
                self.report.notes.push(note);
            }
        }
        Ok(())
    }

    /// The files that one entry of a source describes. `None` if a file list could not be read,
    /// which counts as a failed file.
    fn targets(&mut self, source: &PublishedSource, files: &SourceFiles, folder: &Path) -> Option<Vec<DownloadTarget>> {
        let target = |url: &str, format| DownloadTarget {
            path: folder.join(ckan::file_name(url)),
            work: folder.join(WORK_FOLDER),
            url: url.to_owned(),
            format,
            referer: source.referer.map(str::to_owned),
            may_be_unpublished: false,
            max_bytes: source.max_file_bytes,
            must_be_encrypted: false,
        };
        match *files {
            SourceFiles::One(url, format) => Some(vec![target(url, format)]),
            SourceFiles::FiscalYears { pattern, first, format } => {
                let urls = fiscal_years(pattern, first, self.options.today);
                let mut targets: Vec<DownloadTarget> = urls.iter().map(|url| target(url, format)).collect();
                if let Some(newest) = targets.last_mut() {
                    newest.may_be_unpublished = true;
                }
                Some(targets)
            }
            SourceFiles::Manual { why, steps } => {
                self.report.notes.push(manual_note(source.id, why, steps, folder));
                Some(Vec::new())
            }
            SourceFiles::Ckan(url, formats) => {
                let list = DownloadTarget {
                    path: folder.join(WORK_FOLDER).join(ckan::file_name(url)),
                    max_bytes: ckan::MAX_LIST_BYTES,
                    ..target(url, FileFormat::Json)
                };
                if !self.fetch(source, &list) {
                    return None;
                }
                match ckan::read(&list.path, formats) {
                    Ok(list) => {
                        if let Some(note) = list.note() {
                            self.report.notes.push(format!("{}: {note}", source.id));
                        }
                        let resources = list.resources.into_iter().map(|resource| DownloadTarget {
                            path: folder.join(&resource.name),
                            must_be_encrypted: client::is_encrypted(url),
                            ..target(&resource.url, resource.format)
                        });
                        Some(resources.collect())
                    }
                    Err(error) => {
                        // Without the file, the next run does not make a conditional request.
                        let _ = fs::remove_file(&list.path);
                        self.report.files.push((list.path, Err(format!("{error:#}"))));
                        None
                    }
                }
            }
        }
    }

    /// Downloads a file, and returns whether it exists now. A file list is reported only if it
    /// fails.
    fn fetch(&mut self, source: &PublishedSource, target: &DownloadTarget) -> bool {
        let host = client::host(&target.url);
        if let Some(why) = self.aborted.as_ref().or_else(|| self.failed_hosts.get(host)) {
            let untried = format!("not tried: {why}");
            self.report.files.push((target.path.clone(), Err(untried)));
            return false;
        }
        let outcome = retry::fetch(&self.client, target, &self.progress);
        let is_fetched = outcome.is_ok();
        let outcome = outcome.map_err(|failure| self.report_failure(source, target, host, failure));
        if let Err(why) = &outcome {
            self.progress.warn(&format!("{}: {why}", target.path.display()));
        }
        if !is_fetched || !target.path.starts_with(&target.work) {
            self.report.files.push((target.path.clone(), outcome));
        }
        is_fetched
    }

    /// Remembers which further requests a failure makes useless, and returns the sentence for the report.
    fn report_failure(
        &mut self,
        source: &PublishedSource,
        target: &DownloadTarget,
        host: &str,
        failure: Failure,
    ) -> String {
        let why = failure.why;
        match failure.scope {
            FailureScope::File => {}
            FailureScope::Host => {
                let reason = format!("{host} failed before: {why}");
                self.failed_hosts.insert(host.to_owned(), reason);
            }
            FailureScope::Run => {
                self.aborted = Some(why.clone());
                return why;
            }
        }
        let problem = source
            .known_problem
            .map(|problem| format!("; {problem}"))
            .unwrap_or_default();
        let (page, path) = (source.page, target.path.display());
        format!("{why}{problem}; if this persists, download it in a browser from {page} and save it as {path}")
    }
}
