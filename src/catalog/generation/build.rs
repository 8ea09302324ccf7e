//! A build in progress: an empty folder that is filled, then published.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::Serialize;

use super::{
    checksums::{have_recorded_sizes, sync_and_checksum},
    derived::DerivedData,
    first_seen::FirstSeen,
    folder::open_unverified,
    layout::{
        BIDS, BODIES, CALIBRATION, COMMODITIES, FIRST_SEEN, KEPT_GENERATIONS, MEANINGS, NEWEST_STATUSES, SUPPLIERS,
        SUPPLIERS_FOUND_BY, TENDER_VALUES, building_folder, current, list, lock, next_id, read_json, remove,
        remove_leftovers, set_current,
    },
    manifest::{EntityTypeManifest, FileEntry, Manifest},
    receipt::Receipt,
};
use crate::storage::durable_file;

/// A build in progress. Its lock excludes any other build of the same index directory.
pub struct Build {
    index_dir: PathBuf,
    id: String,
    /// How many generations stay on disk.
    keep: usize,
    _lock: File,
}

impl Build {
    /// Takes the lock, removes what killed builds left, and creates an empty folder.
    pub fn start(index_dir: &Path) -> anyhow::Result<Build> {
        Build::start_keeping(index_dir, KEPT_GENERATIONS)
    }

    /// Starts a build as [`Build::start`] does; `keep` generations stay on disk when it is published.
    pub(crate) fn start_keeping(index_dir: &Path, keep: usize) -> anyhow::Result<Build> {
        fs::create_dir_all(index_dir).with_context(|| format!("creating {}", index_dir.display()))?;
        let lock = lock(index_dir)?;
        remove_leftovers(index_dir)?;
        let build = Build {
            index_dir: index_dir.to_owned(),
            id: next_id(index_dir)?,
            keep,
            _lock: lock,
        };
        // A build that was killed just before it was put in service has left a whole generation, newer than those that
        // were served.
        if let Some(current) = current(index_dir).ok().flatten() {
            let mut others = list(index_dir)?.into_iter().filter(|id| *id != current);
            let previous = others.find(|id| build.has_all_bytes(id));
            build.remove_old(&current, previous.as_deref())?;
        }
        fs::create_dir(build.folder()).with_context(|| format!("creating {}", build.folder().display()))?;
        Ok(build)
    }

    /// The folder to fill.
    pub(crate) fn folder(&self) -> PathBuf {
        building_folder(&self.index_dir, &self.id)
    }

    /// Writes the derived data. [`Build::publish`] flushes it to disk, with all other files.
    pub(crate) fn write_derived(&self, derived: &DerivedData) -> anyhow::Result<()> {
        // The bids are about as large as all others together.
        let (bids, others) = rayon::join(|| self.write_json(BIDS, &derived.bids), || self.write_others(derived));
        bids.and(others)
    }

    fn write_others(&self, derived: &DerivedData) -> anyhow::Result<()> {
        self.write_json(CALIBRATION, &derived.calibration)?;
        self.write_json(FIRST_SEEN, &derived.first_seen)?;
        self.write_json(NEWEST_STATUSES, &derived.newest_statuses)?;
        self.write_json(COMMODITIES, &derived.commodities)?;
        self.write_json(TENDER_VALUES, &derived.tender_values)?;
        if let Some(meanings) = &derived.meanings {
            self.write(MEANINGS, &meanings.to_bytes())?;
        }
        self.write(BODIES, derived.bodies.text())?;
        self.write(SUPPLIERS, derived.suppliers.text())?;
        self.write(SUPPLIERS_FOUND_BY, &derived.suppliers.to_bytes())
    }

    fn write_json(&self, name: &str, content: &impl Serialize) -> anyhow::Result<()> {
        self.write(name, &serde_json::to_vec(content)?)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.folder().join(name);
        fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))
    }

    /// The first-seen times of the generation in service, or of the newest other one if its file is
    /// unreadable; `None` if there is none.
    pub(crate) fn previous_first_seen(&self) -> Option<FirstSeen> {
        // A `CURRENT` that cannot be read names no generation.
        let current = current(&self.index_dir).ok().flatten();
        let others = list(&self.index_dir).unwrap_or_default().into_iter().rev();
        let others = others.filter(|id| Some(id) != current.as_ref());
        current.clone().into_iter().chain(others).find_map(|id| {
            let read = read_json(&self.index_dir.join(&id).join(FIRST_SEEN), "list of first-seen times");
            read.inspect_err(|error| log::warn!("the first-seen times in generation {id} are lost: {error:#}"))
                .ok()
        })
    }

    /// Flushes the files that are written to disk; returns what [`Build::publish`] states of them.
    pub(crate) fn settle(&self) -> anyhow::Result<Vec<FileEntry>> {
        sync_and_checksum(&self.folder(), Vec::new())
    }

    /// Makes the build durable, checks that it opens, puts it in service, and removes generations
    /// that are not to be kept. `settled` are files that [`Build::settle`] flushed and that were not written to since.
    /// Returns its id.
    pub(crate) fn publish(
        self,
        entity_types: Vec<EntityTypeManifest>,
        settled: Vec<FileEntry>,
    ) -> anyhow::Result<String> {
        let folder = self.folder();
        let manifest = Manifest::new(entity_types, sync_and_checksum(&folder, settled)?);
        manifest.write(&folder)?;
        durable_file::sync_folder(&folder).with_context(|| format!("flushing {}", folder.display()))?;
        open_unverified(&folder, &self.id)?;
        // Their checksums were just computed from what is on the disk.
        Receipt::of(&folder, &manifest.files)?.store(&folder);
        // A `CURRENT` that cannot be read names no generation to keep.
        let previous = current(&self.index_dir).ok().flatten();
        let published = self.index_dir.join(&self.id);
        durable_file::rename(&folder, &published).with_context(|| format!("renaming {}", folder.display()))?;
        set_current(&self.index_dir, &self.id)?;
        // The generation that was served until now is kept for a rollback, even if it is not the
        // newest of the old ones.
        self.remove_old(&self.id, previous.as_deref())?;
        Ok(self.id.clone())
    }

    /// Removes generations that are not to be kept, but never the current one. One with a
    /// truncated or missing file is removed before a whole one, and the previous one last.
    fn remove_old(&self, current: &str, previous: Option<&str>) -> anyhow::Result<()> {
        let mut old = list(&self.index_dir)?;
        old.retain(|id| id != current);
        old.sort_by_key(|id| (self.has_all_bytes(id), Some(id.as_str()) == previous));
        for id in old.iter().rev().skip(self.keep.saturating_sub(1)) {
            remove(&self.index_dir, id)?;
        }
        Ok(())
    }

    fn has_all_bytes(&self, id: &str) -> bool {
        let folder = self.index_dir.join(id);
        Manifest::read(&folder).is_ok_and(|manifest| have_recorded_sizes(&folder, &manifest.files))
    }
}

impl Drop for Build {
    /// Removes the folder of a build that failed. After a kill, the next build removes it.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.folder());
    }
}
