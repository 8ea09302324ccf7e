//! The index directory: file names, the list of generations, the `CURRENT` file, the lock, and the
//! removal of what killed builds left.

use std::{
    fs::{self, File},
    io,
    ops::Range,
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;

use crate::storage::{durable_file, file_lock, regular_file};

/// The file that names the generation to serve.
pub(super) const CURRENT: &str = "CURRENT";
const LOCK: &str = "LOCK";
pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const CALIBRATION: &str = "calibration.json";
pub(crate) const FIRST_SEEN: &str = "first_seen.json";
pub(crate) const NEWEST_STATUSES: &str = "newest_statuses.json";
pub(crate) const TENDER_VALUES: &str = "tender_values.json";
pub(crate) const COMMODITIES: &str = "commodities.json";
pub(crate) const SUPPLIERS: &str = "suppliers.ndjson";
pub(crate) const SUPPLIERS_FOUND_BY: &str = "suppliers.found-by";
pub(crate) const BODIES: &str = "bodies.ndjson";
pub(crate) const MEANINGS: &str = "meanings.found-by";
pub(crate) const BIDS: &str = "bids.json";
const BUILDING: &str = ".building";

/// How many generations stay on disk: the one that is served and the one to roll back to.
pub const KEPT_GENERATIONS: usize = 2;

/// What the operator can do about a damaged index.
pub(crate) const REMEDY: &str =
    "the index is damaged; re-index with `procure index`, or go back with `procure generations use ID`";

/// The id in `CURRENT`; `None` if no generation was published yet. Fails if the text is not an id.
pub fn current(index_dir: &Path) -> anyhow::Result<Option<String>> {
    let path = index_dir.join(CURRENT);
    let id = match regular_file::read_to_string(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text
            .with_context(|| format!("reading {}", path.display()))?
            .trim()
            .to_owned(),
    };
    ensure!(
        is_generation_id(&id),
        "{} does not name a generation; choose one with `procure generations use ID`",
        path.display()
    );
    Ok(Some(id))
}

/// When `CURRENT` was last written; `None` if it cannot be read.
pub(crate) fn current_written_at(index_dir: &Path) -> Option<SystemTime> {
    fs::metadata(index_dir.join(CURRENT))
        .and_then(|meta| meta.modified())
        .ok()
}

/// Writes an id to `CURRENT`, by an atomic rename.
pub(crate) fn set_current(index_dir: &Path, id: &str) -> anyhow::Result<()> {
    let new = index_dir.join(format!("{CURRENT}.new"));
    write_durably(&new, format!("{id}\n").as_bytes())?;
    durable_file::rename(&new, &index_dir.join(CURRENT)).with_context(|| format!("switching {CURRENT} to {id}"))
}

/// The ids of the generations on disk, oldest first.
pub fn list(index_dir: &Path) -> anyhow::Result<Vec<String>> {
    let mut ids = Vec::new();
    let entries = match index_dir.read_dir() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(ids),
        entries => entries.with_context(|| format!("listing {}", index_dir.display()))?,
    };
    for entry in entries {
        let entry = entry.with_context(|| format!("listing {}", index_dir.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_generation_id(&name) && entry.path().join(MANIFEST).is_file() {
            ids.push(name);
        }
    }
    ids.sort();
    Ok(ids)
}

/// Whether a file name is the id of a generation: its build time in UTC, `20260131T235959123Z`.
/// [`next_id`] appends a `+` if the clock was set back. Other folders may be in the directory: no
/// operator gives a folder such a name.
fn is_generation_id(name: &str) -> bool {
    let stem = name.trim_end_matches('+').as_bytes();
    let are_digits = |range: Range<usize>| stem[range].iter().all(u8::is_ascii_digit);
    stem.len() == 19 && are_digits(0..8) && stem[8] == b'T' && are_digits(9..18) && stem[18] == b'Z'
}

/// An id for a build that starts now, greater than all ids on disk.
pub(crate) fn next_id(index_dir: &Path) -> anyhow::Result<String> {
    let id = chrono::Utc::now().format("%Y%m%dT%H%M%S%3fZ").to_string();
    match list(index_dir)?.pop() {
        // The clock was set back: a suffix makes the id the greatest.
        Some(newest) if id <= newest => Ok(format!("{newest}+")),
        _ => Ok(id),
    }
}

/// The folder of a build in progress, or of a generation that is being removed.
pub(crate) fn building_folder(index_dir: &Path, id: &str) -> PathBuf {
    index_dir.join(format!("{id}{BUILDING}"))
}

/// Removes what builds and removals left when they were killed: the folders that
/// [`building_folder`] names, and no others.
pub(crate) fn remove_leftovers(index_dir: &Path) -> anyhow::Result<()> {
    let listing = || format!("listing {}", index_dir.display());
    for entry in index_dir.read_dir().with_context(listing)? {
        let entry = entry.with_context(listing)?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if name.strip_suffix(BUILDING).is_some_and(is_generation_id) && path.is_dir() {
            fs::remove_dir_all(&path).with_context(|| format!("removing {}", path.display()))?;
        }
    }
    Ok(())
}

/// Removes a generation: first renames it, so that it is no longer listed, then deletes its files.
///
/// A server may still read them: memory maps stay valid after the files are deleted.
pub(crate) fn remove(index_dir: &Path, id: &str) -> anyhow::Result<()> {
    let (folder, removed) = (index_dir.join(id), building_folder(index_dir, id));
    fs::rename(&folder, &removed)
        .and_then(|()| fs::remove_dir_all(&removed))
        .with_context(|| format!("removing {}", folder.display()))
}

/// Locks the index directory against other builds and switches, until the returned file is dropped.
pub(crate) fn lock(index_dir: &Path) -> anyhow::Result<File> {
    file_lock::lock_file(&index_dir.join(LOCK), index_dir, "procure index")
}

/// Reads a JSON file of a generation. An error names its content as `what`, and the [`REMEDY`].
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path, what: &str) -> anyhow::Result<T> {
    let bytes = regular_file::read(path)
        .with_context(|| format!("reading {}", path.display()))
        .context(REMEDY)?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is not a {what} of this version", path.display()))
        .context(REMEDY)
}

/// Writes a file and flushes it to disk. An error names its path.
pub(crate) fn write_durably(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    durable_file::write(path, bytes).with_context(|| format!("writing {}", path.display()))
}
