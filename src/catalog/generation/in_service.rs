//! Which generation is served: the one that `CURRENT` names, or, if that one is damaged, the newest
//! other one that is whole.

use std::{fmt, path::Path};

use anyhow::{Context, Error, anyhow};

use super::{
    checksums::find_truncated,
    layout::{CURRENT, current, list},
    opened::{Generation, open},
};

/// Why the generation that should be served is not: what is wrong, and how to fix it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GenerationFault {
    /// The id in `CURRENT`; `None` if that file is missing or holds no id.
    named: Option<String>,
    why: String,
}

impl GenerationFault {
    pub(crate) fn new(named: Option<String>, error: &Error) -> GenerationFault {
        GenerationFault {
            named,
            why: format!("{error:#}"),
        }
    }

    /// The id of the generation that should be served, if it is known.
    pub(crate) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// What is damaged: the id of a generation, or `CURRENT`.
    pub(crate) fn damaged(&self) -> &str {
        self.named().unwrap_or(CURRENT)
    }
}

impl fmt::Display for GenerationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

/// The id of the generation that should be served.
pub(crate) fn named(index_dir: &Path) -> Result<String, GenerationFault> {
    match current(index_dir) {
        Ok(Some(id)) => Ok(id),
        Ok(None) => Err(GenerationFault::new(None, &missing(index_dir))),
        Err(error) => Err(GenerationFault::new(None, &error)),
    }
}

fn missing(index_dir: &Path) -> Error {
    anyhow!(
        "no generation is published in {}: its file {CURRENT} is missing; choose a generation with `procure generations use ID`, \
         or build one with `procure index`",
        index_dir.display()
    )
}

/// Opens and verifies the generation that `CURRENT` names.
pub fn open_current(index_dir: &Path) -> anyhow::Result<Generation> {
    let id = current(index_dir)?.with_context(|| no_index(index_dir))?;
    open(index_dir, &id)
}

/// Decision D-173: opens and verifies the generation that `CURRENT` names. If it cannot be opened,
/// opens the newest other one that is whole and has the schema of this program, and returns the
/// fault of the named one with it. `CURRENT` stays as it is.
pub(crate) fn open_newest_whole(index_dir: &Path) -> anyhow::Result<(Generation, Option<GenerationFault>)> {
    let fault = match named(index_dir) {
        Ok(id) => match open(index_dir, &id) {
            Ok(generation) => return Ok((generation, None)),
            Err(error) => GenerationFault::new(Some(id), &error),
        },
        Err(fault) => fault,
    };
    match open_newest_other(index_dir, fault.named())? {
        Some(generation) => Ok((generation, Some(fault))),
        None if fault.named().is_none() && list(index_dir)?.is_empty() => Err(anyhow!(no_index(index_dir))),
        None => Err(anyhow!(
            "{fault}; no other generation in {} can be served",
            index_dir.display()
        )),
    }
}

/// Opens the newest generation that is whole and has the schema of this program, except a damaged
/// one.
pub(crate) fn open_newest_other(index_dir: &Path, damaged: Option<&str>) -> anyhow::Result<Option<Generation>> {
    let mut others = list(index_dir)?;
    others.retain(|id| damaged != Some(id));
    for id in others.iter().rev() {
        match open(index_dir, id) {
            Ok(generation) => return Ok(Some(generation)),
            Err(error) => log::error!("generation {id} cannot be served either: {error:#}"),
        }
    }
    Ok(None)
}

/// The fault of a generation in service of which a file was truncated. A read past the end of that
/// file would end the process.
///
/// A file that was removed is no fault: the system keeps its content as long as it is mapped.
pub(crate) fn truncation(index_dir: &Path, generation: &Generation) -> Option<GenerationFault> {
    let error = find_truncated(&index_dir.join(&generation.id), &generation.manifest.files)?;
    Some(GenerationFault::new(Some(generation.id.clone()), &error))
}

fn no_index(index_dir: &Path) -> String {
    format!(
        "no index in {}; build one with `procure index --index-dir {0}`",
        index_dir.display()
    )
}
