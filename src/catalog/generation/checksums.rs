//! The sizes and checksums of a generation's files. They are listed when it is built, and checked
//! when it is opened.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use rayon::prelude::*;

use super::{layout::REMEDY, manifest::FileEntry};
use crate::storage::durable_file;

/// Flushes every file of a build to disk. Returns their paths, sizes and checksums, in path order.
pub(crate) fn sync_and_checksum(folder: &Path) -> anyhow::Result<Vec<FileEntry>> {
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
            let relative = path.strip_prefix(folder).expect("collected below this folder");
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
    let listing = || format!("listing {}", folder.display());
    for entry in folder.read_dir().with_context(listing)? {
        let path = entry.with_context(listing)?.path();
        if path.is_dir() {
            collect_files(&path, paths)?;
            durable_file::sync_folder(&path).with_context(|| format!("flushing {}", path.display()))?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// Checks that every file has the size and checksum it was written with.
pub(crate) fn verify(folder: &Path, files: &[FileEntry]) -> anyhow::Result<()> {
    files.par_iter().try_for_each(|entry| {
        let path = folder.join(&entry.path);
        let (bytes, crc32) = checksum(&path).context(REMEDY)?;
        ensure!(
            bytes == entry.bytes,
            "{} has {bytes} bytes instead of {}: {REMEDY}",
            path.display(),
            entry.bytes
        );
        ensure!(
            crc32 == entry.crc32,
            "{} was changed after it was written (its checksum differs): {REMEDY}",
            path.display()
        );
        Ok(())
    })
}

/// The length of a file in bytes, and its CRC-32. The file is read through a buffer, because the
/// pages of a memory map would count as memory of the process.
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
