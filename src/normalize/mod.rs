//! `procure normalize`: reads publishers' files, and writes normalized dumps and a report about
//! every row.
//!
//! The steps of a run:
//!
//! 1. Expand the inputs to files in path order.
//! 2. Recognize each file by its content, and let its source read it into a spool. Files are read
//!    in parallel, and the rows of one file too.
//! 3. Merge the rows of each source, or of the sources that publish the same things.
//! 4. Write `<out>/<entity_type>/<source_id>.ndjson`. Dumps have a temporary name until all are
//!    written, so a failed run leaves the former ones unchanged.
//! 5. Look at all records together, and add what only that shows, such as the words of commodity codes
//!    (`second_pass`).
//!
//! The result does not depend on the order in which inputs are named, on which file is read first,
//! or on the number of cores.
//!
//! A damaged file does not end the run: the report names the damage, and the rows before it stay. A
//! file without a required column is damaged from its first line. Only a full disk, or a run that
//! recognizes no file, is an error; with `strict`, an unrecognized or damaged file is too. Of
//! several errors, the one of the first file is returned.

mod commodities;
mod dump_writers;
mod input;
mod merge_groups;
mod quality;
mod read_files;
pub mod report;
mod second_pass;
mod suppliers;

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use crate::storage::{file_lock, regular_file};
use commodities::CommodityStep;
use quality::QualityFlags;
use report::NormalizeReport;
use second_pass::SecondPassStep;
use suppliers::SupplierStep;

/// What to normalize, and where to write.
#[derive(Clone, Debug)]
pub struct NormalizeOptions {
    /// Files and folders. Files may be plain, `.zip` or `.gz`.
    pub inputs: Vec<PathBuf>,
    /// The folder of the dumps. It is created if it does not exist.
    pub out: PathBuf,
    /// A table of commodity codes and their words, `scheme,code,title_en,title_fr`. It precedes what is
    /// learned from the records.
    pub commodities: Option<PathBuf>,
    /// Where to write the report as JSON.
    pub report: Option<PathBuf>,
    /// Makes an unrecognized or damaged file an error.
    pub strict: bool,
}

pub fn run(options: &NormalizeOptions) -> Result<NormalizeReport> {
    let files = input::list_files(&options.inputs)?;
    fs::create_dir_all(&options.out).with_context(|| format!("creating {}", options.out.display()))?;
    // Two runs in one folder would overwrite each other's dumps.
    let _lock = file_lock::lock_folder(&options.out, "procure normalize")?;
    let mut steps = second_pass_steps(options)?;
    let files = read_files::read(&files, &options.out, options.strict)?;
    let report = merge_groups::merge(files, &options.out, &mut steps)?;
    if let Some(path) = &options.report {
        let json = serde_json::to_vec_pretty(&report).context("writing the report")?;
        regular_file::write(path, &json).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(report)
}

/// The steps that need all records of the run. Of two that add the same member, the first counts.
fn second_pass_steps(options: &NormalizeOptions) -> Result<Vec<Box<dyn SecondPassStep>>> {
    Ok(vec![
        Box::new(CommodityStep::new(options.commodities.as_deref(), &options.out)?),
        Box::new(QualityFlags::default()),
        Box::new(SupplierStep::new(&options.out)?),
    ])
}
