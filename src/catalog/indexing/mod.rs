//! `procure index`: dumps of the six kinds in, one published generation out.
//!
//! Two passes a kind. `intake` reads every line once, keeps the sort keys in memory and the records in a spool on disk; `build` reads the records back in
//! document order, chunk by chunk, into the index. Memory holds keys, never bodies. Nothing is altered, and what is left out is counted:
//! [`Report`].

mod build;
mod intake;
mod summary;

use std::{fmt, fs, path::PathBuf, time::Instant};

use anyhow::{Context, bail, ensure};

use crate::{
    catalog::generation,
    model::{entity_type::EntityType, schema::Schema},
    storage::dump,
};

/// What to index, and where to.
#[derive(Clone, Debug)]
pub struct Options {
    /// Holds `<entity_type>/<source_id>.ndjson`, plain, `.gz` or `.zst`.
    pub dumps: PathBuf,
    pub index_dir: PathBuf,
    /// About how much memory the segments in progress may take, in MiB.
    pub memory_mb: usize,
    /// A bad line is an error.
    pub strict: bool,
}

/// Spec silent: what `--memory-mb` is without being told.
pub const DEFAULT_MEMORY_MB: usize = 512;

/// What a run did.
#[derive(Debug)]
pub struct Report {
    pub generation: String,
    pub kinds: Vec<KindReport>,
    /// What lies among the dumps and is none.
    pub left_out: Vec<PathBuf>,
    pub seconds: f64,
}

#[derive(Debug)]
pub struct KindReport {
    pub entity_type: EntityType,
    pub records: u64,
    pub files: Vec<FileReport>,
}

/// A dump file: every line is a record written, a duplicate or bad.
#[derive(Debug, Default)]
pub struct FileReport {
    pub path: PathBuf,
    pub lines: u64,
    pub records: u64,
    /// Lines whose record_id another line had, with a newer `fetched_at` or later in reading order.
    pub duplicates: u64,
    pub bad: Vec<Complaint>,
    /// Records kept without a date of theirs that cannot be read.
    pub unreadable_dates: Vec<Complaint>,
}

/// Lines with the same thing wrong.
#[derive(Debug)]
pub struct Complaint {
    pub reason: String,
    pub count: u64,
    pub first_line: u64,
}

/// Indexes all dumps and publishes the generation.
pub fn run(options: &Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    ensure!(
        options.dumps.is_dir(),
        "{} is no folder; `procure normalize` writes dumps",
        options.dumps.display()
    );
    let left_out = dump::strangers(&options.dumps)?;
    if let (true, Some(path)) = (options.strict, left_out.first()) {
        bail!(
            "{} is no dump; dumps are <entity_type>/<source_id>.ndjson, .ndjson.gz or .ndjson.zst",
            path.display()
        );
    }
    let build = generation::Build::start(&options.index_dir)?;
    let (mut kinds, mut manifests) = (Vec::new(), Vec::new());
    for entity_type in EntityType::ALL {
        let folder = build.folder().join(entity_type.name());
        fs::create_dir(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let schema = Schema::of(entity_type);
        let mut taken = intake::read(schema, options, &folder)?;
        let manifest = build::build(schema, &mut taken, options, &folder)?;
        kinds.push(KindReport {
            entity_type,
            records: manifest.records,
            files: taken.files,
        });
        manifests.push(manifest);
    }
    ensure!(
        kinds.iter().any(|kind| kind.records > 0),
        "{} holds no record in a dump <entity_type>/<source_id>.ndjson; nothing was published",
        options.dumps.display()
    );
    build.learn(&manifests)?;
    let generation = build.publish(manifests)?;
    Ok(Report {
        generation,
        kinds,
        left_out,
        seconds: started.elapsed().as_secs_f64(),
    })
}

impl Report {
    pub fn records(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.records).sum()
    }
}

impl Complaint {
    fn add(list: &mut Vec<Complaint>, reason: String, line: u64) {
        // Reasons quote field names and parser messages; a file made of nothing else must not fill the memory.
        let known = list.iter().position(|complaint| complaint.reason == reason);
        let reason = if known.is_none() && list.len() >= MOST_REASONS {
            "other reasons".to_owned()
        } else {
            reason
        };
        match list.iter_mut().find(|complaint| complaint.reason == reason) {
            Some(complaint) => complaint.count += 1,
            None => list.push(Complaint {
                reason,
                count: 1,
                first_line: line,
            }),
        }
    }
}

/// How many reasons a file's report tells apart.
const MOST_REASONS: usize = 50;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in &self.kinds {
            writeln!(f, "{:<18} {:>12} records", kind.entity_type.name(), kind.records)?;
            for file in &kind.files {
                let bad: u64 = file.bad.iter().map(|complaint| complaint.count).sum();
                writeln!(
                    f,
                    "  {}: {} lines, {} records, {} duplicates, {bad} bad lines",
                    file.path.display(),
                    file.lines,
                    file.records,
                    file.duplicates
                )?;
                for Complaint {
                    reason,
                    count,
                    first_line,
                } in &file.bad
                {
                    writeln!(
                        f,
                        "    {}:{first_line}: {reason} ({count} lines, left out)",
                        file.path.display()
                    )?;
                }
                for Complaint {
                    reason,
                    count,
                    first_line,
                } in &file.unreadable_dates
                {
                    writeln!(
                        f,
                        "    {}:{first_line}: {reason} ({count} records, kept undated)",
                        file.path.display()
                    )?;
                }
            }
        }
        for path in &self.left_out {
            writeln!(f, "{} is no dump, left out", path.display())?;
        }
        let rate = self.records() as f64 / self.seconds.max(0.001);
        write!(
            f,
            "generation {}: {} records in {:.1} s ({rate:.0} records/s)",
            self.generation,
            self.records(),
            self.seconds
        )
    }
}
