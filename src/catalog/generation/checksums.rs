//! The sizes and checksums of a generation's files. They are listed when it is built, and checked
//! when it is opened.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read},
    panic::resume_unwind,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context, ensure};
use rayon::prelude::*;

use super::{layout::REMEDY, manifest::FileEntry};
use crate::storage::regular_file;

/// Flushes every file of a build to disk, apart from those that are `settled`: they were flushed before. Returns the
/// paths, sizes and checksums of all, in path order.
pub(crate) fn sync_and_checksum(folder: &Path, settled: Vec<FileEntry>) -> anyhow::Result<Vec<FileEntry>> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    collect_paths(folder, &mut files, &mut folders)?;
    files.sort();
    let mut settled: HashMap<String, FileEntry> =
        settled.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
    let mut settled_of = |path: &PathBuf| {
        let relative = path.strip_prefix(folder).expect("collected below this folder");
        let parts = relative.components().map(|part| part.as_os_str().to_string_lossy());
        let name = parts.collect::<Vec<_>>().join("/");
        (settled.remove(&name), name)
    };
    let files: Vec<(PathBuf, (Option<FileEntry>, String))> = files
        .into_iter()
        .map(|path| (path.clone(), settled_of(&path)))
        .collect();
    let unsettled = files.iter().filter(|(_, (entry, _))| entry.is_none());
    flush_together(folders.iter().chain(unsettled.map(|(path, _)| path)).collect())?;
    let entry = |(path, (entry, name)): (PathBuf, (Option<FileEntry>, String))| {
        if let Some(entry) = entry {
            return Ok(entry);
        }
        let (bytes, crc32) = checksum(&path, &mut Pace::new(|| true))?.context("reading stopped")?;
        Ok(FileEntry {
            path: name,
            bytes,
            crc32,
        })
    };
    files.into_iter().map(entry).collect()
}

/// How many files are flushed at once.
const FLUSHES: usize = 16;

/// Flushes files and folders to disk. Several at once, because each waits for the disk and a file system writes its
/// journal once for all that wait: on ext4, 200 small files take 0.03 s by 16 threads and 0.7 s one after the other.
fn flush_together(paths: Vec<&PathBuf>) -> anyhow::Result<()> {
    let flush = |paths: &[&PathBuf]| {
        paths.iter().try_for_each(|path| {
            File::open(path)
                .and_then(|file| file.sync_all())
                .with_context(|| format!("flushing {}", path.display()))
        })
    };
    let share = paths.len().div_ceil(FLUSHES).max(1);
    thread::scope(|scope| {
        let threads: Vec<_> = paths
            .chunks(share)
            .map(|paths| scope.spawn(move || flush(paths)))
            .collect();
        let mut flushed = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        flushed.try_for_each(|result| result)
    })
}

fn collect_paths(folder: &Path, files: &mut Vec<PathBuf>, folders: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let listing = || format!("listing {}", folder.display());
    for entry in folder.read_dir().with_context(listing)? {
        let path = entry.with_context(listing)?.path();
        if path.is_dir() {
            collect_paths(&path, files, folders)?;
            folders.push(path);
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Checks that every file has the size and checksum it was written with. The error is that of the
/// first damaged file in the order of the manifest, so that the same damage has the same error.
pub(crate) fn verify(folder: &Path, files: &[FileEntry]) -> anyhow::Result<()> {
    // Sizes first: a truncated file is found without reading the others.
    files.iter().try_for_each(|entry| check_size(folder, entry))?;
    let damaged = files
        .par_iter()
        .filter_map(|entry| check_content(folder, entry).err())
        .find_first(|_| true);
    damaged.map_or(Ok(()), Err)
}

/// Whether every file has the size it was written with. Much faster than [`verify`], but it does
/// not detect changes that keep the size.
pub(crate) fn have_recorded_sizes(folder: &Path, files: &[FileEntry]) -> bool {
    files.iter().all(|entry| check_size(folder, entry).is_ok())
}

/// The error of the first file that exists and is shorter than it was written.
pub(crate) fn find_truncated(folder: &Path, files: &[FileEntry]) -> Option<anyhow::Error> {
    let is_shorter = |entry: &&FileEntry| {
        let file = fs::metadata(folder.join(&entry.path));
        file.is_ok_and(|file| file.len() < entry.bytes)
    };
    let truncated = files.iter().find(is_shorter)?;
    check_size(folder, truncated).err()
}

fn check_size(folder: &Path, entry: &FileEntry) -> anyhow::Result<()> {
    let path = folder.join(&entry.path);
    let file = fs::metadata(&path)
        .with_context(|| format!("reading {}", path.display()))
        .context(REMEDY)?;
    ensure!(
        file.len() == entry.bytes,
        "{} has {} bytes instead of {}: {REMEDY}",
        path.display(),
        file.len(),
        entry.bytes
    );
    Ok(())
}

fn check_content(folder: &Path, entry: &FileEntry) -> anyhow::Result<()> {
    check_paced(folder, entry, &mut Pace::new(|| true)).map(|_| ())
}

/// Checks the content of a file, with pauses while it reads. Returns false if it was told to stop.
pub(super) fn check_paced(
    folder: &Path,
    entry: &FileEntry,
    pace: &mut Pace<impl FnMut() -> bool>,
) -> anyhow::Result<bool> {
    let path = folder.join(&entry.path);
    let Some((bytes, crc32)) = checksum(&path, pace).context(REMEDY)? else {
        return Ok(false);
    };
    ensure!(
        (bytes, crc32) == (entry.bytes, entry.crc32),
        "{} was changed after it was written (its checksum differs): {REMEDY}",
        path.display()
    );
    Ok(true)
}

/// Calls a function after each [`Pace::BYTES`] that are read, of one file or several. Reading stops when the function
/// returns false.
pub(super) struct Pace<P> {
    pause: P,
    /// Bytes read since the last call.
    read: usize,
}

impl Pace<()> {
    pub(super) const BYTES: usize = 1 << 20;
}

impl<P: FnMut() -> bool> Pace<P> {
    pub(super) const fn new(pause: P) -> Pace<P> {
        Pace { pause, read: 0 }
    }

    /// Returns false to stop.
    fn add(&mut self, bytes: usize) -> bool {
        self.read += bytes;
        if self.read < Pace::BYTES {
            return true;
        }
        self.read = 0;
        (self.pause)()
    }
}

/// The length of a file in bytes, and its CRC-32; `None` if it was told to stop. The file is read through a buffer,
/// because the pages of a memory map would count as memory of the process.
fn checksum(path: &Path, pace: &mut Pace<impl FnMut() -> bool>) -> anyhow::Result<Option<(u64, u32)>> {
    let mut read = || -> io::Result<Option<(u64, u32)>> {
        let mut file = regular_file::open(path)?;
        let mut hasher = crc32fast::Hasher::new();
        let mut buffer = vec![0; 1 << 20];
        let mut bytes = 0;
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(Some((bytes, hasher.finalize()))),
                read => {
                    hasher.update(&buffer[..read]);
                    bytes += read as u64;
                    if !pace.add(read) {
                        return Ok(None);
                    }
                }
            }
        }
    };
    read().with_context(|| format!("reading {}", path.display()))
}
