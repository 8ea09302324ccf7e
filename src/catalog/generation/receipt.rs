//! The receipt of a verification: what the file system stated of each file of a generation when its checksum was right.
//!
//! As long as it states the same, no program has written to the files, so they need not be read again to open the
//! generation: at ten million records that takes seconds. A copied or restored folder has other times, so it is
//! verified. What a receipt cannot show is a disk that returns other bytes than were written; the [content
//! check](super::content_check) finds that while the generation is served.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Mutex,
};

use serde::{Deserialize, Serialize};

use super::{layout::MANIFEST, manifest::FileEntry};
use crate::storage::regular_file;

const RECEIPT: &str = "verified.json";

/// The state of the files of a generation when they were verified.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Receipt {
    /// In the order of the manifest; the manifest itself comes last.
    files: Vec<FileState>,
}

/// Times are in seconds and nanoseconds since 1970.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct FileState {
    path: String,
    bytes: u64,
    inode: u64,
    modified: (i64, i64),
    /// The last change of the content or of what the file system states of it. No program can set this time.
    changed: (i64, i64),
}

/// Generations whose receipt is wrong: their content has changed without a trace in the file system.
static DISTRUSTED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Receipt {
    /// A receipt for the files as they are now.
    pub(super) fn of(folder: &Path, files: &[FileEntry]) -> io::Result<Receipt> {
        let paths = files.iter().map(|file| file.path.as_str()).chain([MANIFEST]);
        let state = |path: &str| {
            let file = fs::metadata(folder.join(path))?;
            Ok(FileState {
                path: path.to_owned(),
                bytes: file.len(),
                inode: file.ino(),
                modified: (file.mtime(), file.mtime_nsec()),
                changed: (file.ctime(), file.ctime_nsec()),
            })
        };
        let files = paths.map(state).collect::<io::Result<_>>()?;
        Ok(Receipt { files })
    }

    /// Whether a folder holds an equal receipt: no file has changed since the last verification.
    pub(super) fn is_stored_in(&self, folder: &Path) -> bool {
        if distrusted().iter().any(|distrusted| distrusted == folder) {
            return false;
        }
        let read = regular_file::read(&folder.join(RECEIPT)).ok();
        let known = read.and_then(|bytes| serde_json::from_slice::<Receipt>(&bytes).ok());
        known.as_ref() == Some(self)
    }

    /// Stores the receipt of verified files. Where that is impossible, they are verified again the next time.
    pub(super) fn store(&self, folder: &Path) {
        distrusted().retain(|distrusted| distrusted != folder);
        let write = || -> io::Result<()> {
            let (new, path) = (folder.join(format!("{RECEIPT}.new")), folder.join(RECEIPT));
            fs::write(&new, serde_json::to_vec(self)?)?;
            fs::rename(new, path)
        };
        if let Err(error) = write() {
            log::debug!("no receipt of the verification of {}: {error}", folder.display());
        }
    }
}

/// Makes the next opening of a generation verify it.
pub(super) fn distrust(folder: &Path) {
    distrusted().push(folder.to_owned());
    // A later process must not trust it either.
    let _ = fs::remove_file(folder.join(RECEIPT));
}

fn distrusted() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    DISTRUSTED.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{fs::File, time::Duration};

    use super::*;

    fn entry(path: &str) -> FileEntry {
        FileEntry {
            path: path.to_owned(),
            bytes: 0,
            crc32: 0,
        }
    }

    #[test]
    fn a_receipt_holds_until_a_file_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, files) = (folder.path(), [entry("a"), entry("b")]);
        let now = || Receipt::of(folder, &files).unwrap();
        for name in ["a", "b", MANIFEST] {
            fs::write(folder.join(name), "x").unwrap();
        }
        assert!(!now().is_stored_in(folder), "nothing was verified yet");
        now().store(folder);
        assert!(now().is_stored_in(folder));
        for name in ["b", MANIFEST] {
            std::thread::sleep(Duration::from_millis(20));
            // The same size, and the old time of modification.
            let path = folder.join(name);
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            fs::write(&path, "y").unwrap();
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(modified)
                .unwrap();
            assert!(!now().is_stored_in(folder), "{name}");
            now().store(folder);
            assert!(now().is_stored_in(folder), "{name}");
        }
        distrust(folder);
        assert!(!now().is_stored_in(folder));
        now().store(folder);
        assert!(now().is_stored_in(folder));
        fs::remove_file(folder.join("a")).unwrap();
        assert!(Receipt::of(folder, &files).is_err());
    }
}
