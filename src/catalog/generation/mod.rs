//! A published build on disk: layout, manifest, verification, atomic switch.
//!
//! `<index-dir>/CURRENT` names `<index-dir>/<id>/`, which holds `manifest.json`, `calibration.json`, `first_seen.json` and a folder a kind. A build grows in `<id>.building`, is renamed when its manifest is written,
//! and serves once `CURRENT` names it: a build killed at any moment leaves the one that is served untouched.
//!
//! **Invariant:** the manifest, not "it opens", says that a build is whole: an interrupted Tantivy index opens without complaint, with too few
//! documents. Files of a published generation are never written again.

mod first_seen;
mod manifest;

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context, anyhow, ensure};
use bytes::Bytes;
use rayon::prelude::*;
use serde::de::DeserializeOwned;

pub use first_seen::FirstSeen;
pub use manifest::{Coverage, FileEntry, KindManifest, Manifest, Source};

use crate::{
    catalog::{
        market::{self, calibration::Calibration},
        notices::Latest,
    },
    engine::{Deadline, Engine, tantivy::TantivyEngine},
    model::{date::Date, entity_type::EntityType, schema::Schema, timestamp},
    storage::{durable_file, file_lock},
};

const CURRENT: &str = "CURRENT";
const LOCK: &str = "LOCK";
const MANIFEST: &str = "manifest.json";
const CALIBRATION: &str = "calibration.json";
const FIRST_SEEN: &str = "first_seen.json";
const BUILDING: &str = ".building";

/// How many generations stay on disk: the one that serves and the one to roll back to.
pub const KEPT: usize = 2;

/// An opened, verified generation. A request takes one at its start and uses no other.
pub struct Generation {
    pub id: String,
    pub manifest: Manifest,
    pub engine: Arc<dyn Engine>,
    /// How far its estimates may be off.
    pub calibration: Calibration,
    /// Of its tenders with several notices, what the newest says.
    pub latest: Latest,
    /// When its recent tenders came.
    pub first_seen: FirstSeen,
    /// Answers that are the same as long as the generation serves, by what they answer.
    answers: Mutex<HashMap<String, Bytes>>,
}

impl Generation {
    /// The answer known by a name, computed when it is first asked for. Two who ask at once may both compute it: it is the same.
    pub fn once<E>(&self, name: &str, answer: impl FnOnce() -> Result<Bytes, E>) -> Result<Bytes, E> {
        let answers = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = answers().get(name) {
            return Ok(known.clone());
        }
        let answer = answer()?;
        answers().insert(name.to_owned(), answer.clone());
        Ok(answer)
    }

    pub fn kind(&self, entity_type: EntityType) -> &KindManifest {
        &self.manifest.kinds[entity_type as usize]
    }
}

/// The id of the generation that `CURRENT` names; `None` where nothing was published yet.
pub fn current(index_dir: &Path) -> anyhow::Result<Option<String>> {
    let path = index_dir.join(CURRENT);
    let id = match fs::read_to_string(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text
            .with_context(|| format!("reading {}", path.display()))?
            .trim()
            .to_owned(),
    };
    ensure!(
        is_id(&id),
        "{} does not name a generation; choose one with `procure generations use ID`",
        path.display()
    );
    Ok(Some(id))
}

/// Opens and verifies the generation with this id: its manifest, its schemas, the size and checksum of every file.
pub fn open(index_dir: &Path, id: &str) -> anyhow::Result<Generation> {
    let folder = index_dir.join(id);
    verify(&folder, &read_manifest(&folder)?.files)?;
    open_folder(&folder, id)
}

/// Opens a generation whose bytes are known to be right.
fn open_folder(folder: &Path, id: &str) -> anyhow::Result<Generation> {
    let manifest = read_manifest(folder)?;
    for kind in &manifest.kinds {
        let schema = Schema::of(kind.entity_type);
        ensure!(
            kind.fingerprint == schema.fingerprint(),
            "generation {id} was built with another {} schema ({} then, {} now); re-index with `procure index`",
            kind.entity_type,
            kind.fingerprint,
            schema.fingerprint()
        );
    }
    let records = |entity_type: EntityType| manifest.kinds[entity_type as usize].records;
    let engine = TantivyEngine::open(folder, records).context(CURE)?;
    Ok(Generation {
        id: id.to_owned(),
        manifest,
        latest: Latest::read(&engine, &Deadline::never()).context(CURE)?,
        engine: Arc::new(engine),
        calibration: read_json(&folder.join(CALIBRATION), "calibration")?,
        first_seen: read_json(&folder.join(FIRST_SEEN), "list of first sightings")?,
        answers: Mutex::default(),
    })
}

const CURE: &str = "the index is damaged; re-index with `procure index`, or go back with `procure generations use ID`";

/// The generations on disk, oldest first.
pub fn list(index_dir: &Path) -> anyhow::Result<Vec<String>> {
    let mut ids = Vec::new();
    let entries = match index_dir.read_dir() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(ids),
        entries => entries.with_context(|| format!("listing {}", index_dir.display()))?,
    };
    for entry in entries {
        let entry = entry.with_context(|| format!("listing {}", index_dir.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_id(&name) && entry.path().join(MANIFEST).is_file() {
            ids.push(name);
        }
    }
    ids.sort();
    Ok(ids)
}

/// Makes a generation the one that serves, once it is known to open; refused while a build is in progress.
pub fn switch_to(index_dir: &Path, id: &str) -> anyhow::Result<()> {
    let known = list(index_dir)?;
    ensure!(
        known.iter().any(|known| known == id),
        "no generation {id} in {}; there are: {}",
        index_dir.display(),
        known.join(", ")
    );
    let _lock = exclude_others(index_dir)?;
    open(index_dir, id)?;
    point_to(index_dir, id)
}

fn point_to(index_dir: &Path, id: &str) -> anyhow::Result<()> {
    let aside = index_dir.join(format!("{CURRENT}.new"));
    write_durably(&aside, format!("{id}\n").as_bytes())?;
    durable_file::rename(&aside, &index_dir.join(CURRENT)).with_context(|| format!("switching {CURRENT} to {id}"))
}

/// A build in progress: the only one, for as long as this is held.
pub struct Build {
    index_dir: PathBuf,
    id: String,
    _lock: File,
}

impl Build {
    /// Takes the lock, clears what killed builds left, and makes an empty folder.
    pub fn start(index_dir: &Path) -> anyhow::Result<Build> {
        fs::create_dir_all(index_dir).with_context(|| format!("creating {}", index_dir.display()))?;
        let lock = exclude_others(index_dir)?;
        clear_leftovers(index_dir)?;
        let newest = list(index_dir)?.pop();
        let mut id = chrono::Utc::now().format("%Y%m%dT%H%M%S%3fZ").to_string();
        if let Some(newest) = newest
            && id <= newest
        {
            // The clock went back; ids still ascend.
            id = format!("{newest}+");
        }
        let build = Build {
            index_dir: index_dir.to_owned(),
            id,
            _lock: lock,
        };
        fs::create_dir(build.folder()).with_context(|| format!("creating {}", build.folder().display()))?;
        Ok(build)
    }

    /// Where the build grows.
    pub fn folder(&self) -> PathBuf {
        self.index_dir.join(format!("{}{BUILDING}", self.id))
    }

    /// Learns from the build's own records what none of them tells: how far estimates may be off, and which tenders are new. Writes it down.
    pub fn learn(&self, kinds: &[KindManifest]) -> anyhow::Result<()> {
        let folder = self.folder();
        let records = |entity_type: EntityType| kinds.get(entity_type as usize).map_or(0, |kind| kind.records);
        let engine = TantivyEngine::open(&folder, records).context("opening the index just built")?;
        let calibration =
            market::calibrate(&engine, records).context("estimating contracts of the index just built")?;
        write_durably(&folder.join(CALIBRATION), &serde_json::to_vec(&calibration)?)?;
        let now = chrono::Utc::now();
        let recent = first_seen::recent(&engine, Date::in_toronto(now))
            .map_err(|error| anyhow!("reading the tenders of the index just built: {error:?}"))?;
        let first_seen = FirstSeen::after(self.followed(), recent, now);
        write_durably(&folder.join(FIRST_SEEN), &serde_json::to_vec(&first_seen)?)
    }

    /// What the generation knew that serves until this one does; nothing of one that cannot be read.
    fn followed(&self) -> Option<FirstSeen> {
        let id = current(&self.index_dir).ok()??;
        let read = read_json(&self.index_dir.join(id).join(FIRST_SEEN), "list of first sightings");
        read.inspect_err(|error| log::warn!("nothing is known of when tenders came before: {error:#}"))
            .ok()
    }

    /// Makes the build durable, proves that it opens, and puts it in service; generations beyond [`KEPT`] go.
    pub fn publish(self, kinds: Vec<KindManifest>) -> anyhow::Result<String> {
        let folder = self.folder();
        let files = seal(&folder)?;
        let built_at = timestamp::format_seconds(chrono::Utc::now());
        let manifest = Manifest { built_at, kinds, files };
        write_durably(&folder.join(MANIFEST), &serde_json::to_vec(&manifest)?)?;
        sync_folder(&folder)?;
        open_folder(&folder, &self.id)?;
        // A `CURRENT` that cannot be read names nothing worth keeping.
        let before = current(&self.index_dir).ok().flatten();
        let published = self.index_dir.join(&self.id);
        durable_file::rename(&folder, &published).with_context(|| format!("renaming {}", folder.display()))?;
        point_to(&self.index_dir, &self.id)?;
        // The one that served until now stays, to go back to, wherever it stands among the ids.
        let mut old = list(&self.index_dir)?;
        old.retain(|id| *id != self.id);
        old.sort_by_key(|id| Some(id) == before.as_ref());
        for id in old.iter().rev().skip(KEPT - 1) {
            remove(&self.index_dir, id)?;
        }
        Ok(self.id.clone())
    }
}

impl Drop for Build {
    /// What an error left is cleared at once; after a kill, the next build clears it.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.folder());
    }
}

/// `20260131T235959123Z`, with a `+` for each build the clock went back on: nothing an operator would name a folder.
fn is_id(name: &str) -> bool {
    let stem = name.trim_end_matches('+').as_bytes();
    let digits = |range: Range<usize>| stem[range].iter().all(u8::is_ascii_digit);
    stem.len() == 19 && digits(0..8) && stem[8] == b'T' && digits(9..18) && stem[18] == b'Z'
}

/// Removes what killed builds and killed removals left. Only folders so named by us are touched, whatever else lies there.
fn clear_leftovers(index_dir: &Path) -> anyhow::Result<()> {
    for entry in index_dir
        .read_dir()
        .with_context(|| format!("listing {}", index_dir.display()))?
    {
        let path = entry
            .with_context(|| format!("listing {}", index_dir.display()))?
            .path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.strip_suffix(BUILDING).is_some_and(is_id) && path.is_dir() {
            fs::remove_dir_all(&path).with_context(|| format!("removing {}", path.display()))?;
        }
    }
    Ok(())
}

/// Takes a generation away: no longer one by its name first, then file by file. A server may still read it: its maps outlive the names.
fn remove(index_dir: &Path, id: &str) -> anyhow::Result<()> {
    let (folder, leaving) = (index_dir.join(id), index_dir.join(format!("{id}{BUILDING}")));
    fs::rename(&folder, &leaving)
        .and_then(|()| fs::remove_dir_all(&leaving))
        .with_context(|| format!("removing {}", folder.display()))
}

fn exclude_others(index_dir: &Path) -> anyhow::Result<File> {
    file_lock::lock_file(&index_dir.join(LOCK), index_dir, "procure index")
}

fn read_manifest(folder: &Path) -> anyhow::Result<Manifest> {
    let path = folder.join(MANIFEST);
    let manifest: Manifest = read_json(&path, "manifest")?;
    let kinds: Vec<EntityType> = manifest.kinds.iter().map(|kind| kind.entity_type).collect();
    ensure!(
        kinds == EntityType::ALL,
        "{} does not list the six kinds: {CURE}",
        path.display()
    );
    Ok(manifest)
}

fn read_json<T: DeserializeOwned>(path: &Path, what: &str) -> anyhow::Result<T> {
    let bytes = fs::read(path)
        .with_context(|| format!("reading {}", path.display()))
        .context(CURE)?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is no {what} of this version", path.display()))
        .context(CURE)
}

fn verify(folder: &Path, files: &[FileEntry]) -> anyhow::Result<()> {
    files.par_iter().try_for_each(|entry| {
        let path = folder.join(&entry.path);
        let (bytes, crc32) = checksum(&path).context(CURE)?;
        ensure!(
            bytes == entry.bytes,
            "{} has {bytes} bytes instead of {}: {CURE}",
            path.display(),
            entry.bytes
        );
        ensure!(
            crc32 == entry.crc32,
            "{} is not what was written (its checksum differs): {CURE}",
            path.display()
        );
        Ok(())
    })
}

/// Flushes every file of a build to disk and lists them.
fn seal(folder: &Path) -> anyhow::Result<Vec<FileEntry>> {
    let mut paths = Vec::new();
    collect_files(folder, &mut paths)?;
    paths.sort();
    paths
        .par_iter()
        .map(|path| {
            File::open(path)
                .and_then(|file| file.sync_all())
                .with_context(|| format!("flushing {}", path.display()))?;
            let (bytes, crc32) = checksum(path)?;
            let relative = path.strip_prefix(folder).unwrap_or(path);
            let parts: Vec<_> = relative
                .components()
                .map(|part| part.as_os_str().to_string_lossy())
                .collect();
            Ok(FileEntry {
                path: parts.join("/"),
                bytes,
                crc32,
            })
        })
        .collect()
}

fn collect_files(folder: &Path, paths: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in folder
        .read_dir()
        .with_context(|| format!("listing {}", folder.display()))?
    {
        let path = entry.with_context(|| format!("listing {}", folder.display()))?.path();
        if path.is_dir() {
            collect_files(&path, paths)?;
            sync_folder(&path)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// Length and CRC-32 of a file, read through a buffer: mapping it would count all of it as our memory.
fn checksum(path: &Path) -> anyhow::Result<(u64, u32)> {
    let read = || -> io::Result<(u64, u32)> {
        let mut file = File::open(path)?;
        let mut hasher = crc32fast::Hasher::new();
        let mut buffer = vec![0; 1 << 20];
        let mut bytes = 0;
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok((bytes, hasher.finalize())),
                read => {
                    hasher.update(&buffer[..read]);
                    bytes += read as u64;
                }
            }
        }
    };
    read().with_context(|| format!("reading {}", path.display()))
}

fn write_durably(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    durable_file::write(path, bytes).with_context(|| format!("writing {}", path.display()))
}

fn sync_folder(folder: &Path) -> anyhow::Result<()> {
    durable_file::sync_folder(folder).with_context(|| format!("flushing {}", folder.display()))
}
