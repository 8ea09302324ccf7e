//! The temporary file of a spool.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use anyhow::{Context, Result};

/// A file without a name, so that nothing is left of it however the run ends.
pub(crate) struct Spool {
    pub(crate) folder: PathBuf,
    file: File,
    length: AtomicU64,
}

impl Spool {
    pub(crate) fn create(folder: &Path) -> Result<Spool> {
        let file = tempfile::tempfile_in(folder)
            .with_context(|| format!("creating a temporary file in {}", folder.display()))?;
        Ok(Spool {
            folder: folder.to_owned(),
            file,
            length: AtomicU64::new(0),
        })
    }

    pub(crate) fn length(&self) -> u64 {
        self.length.load(Ordering::Relaxed)
    }

    /// Returns the offset of the appended bytes.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<u64> {
        let start = self.length.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.file.write_all_at(bytes, start).with_context(|| {
            let folder = self.folder.display();
            format!("writing a temporary file in {folder} (is the disk full?)")
        })?;
        Ok(start)
    }

    pub(crate) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}
