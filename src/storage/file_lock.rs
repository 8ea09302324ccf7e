//! Advisory file locks, so that one process at a time writes to a folder or file.

use std::{
    fs::{File, TryLockError},
    path::Path,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};

/// Attempts to take a lock, and the pause between them.
const ATTEMPTS: usize = 10;
const PAUSE: Duration = Duration::from_millis(50);

/// Locks a folder for `command`, for as long as the returned file is open.
pub(crate) fn lock_folder(folder: &Path, command: &str) -> Result<File> {
    let file = File::open(folder).with_context(|| format!("opening {}", folder.display()))?;
    lock(file, folder, command)
}

/// Locks the file at `path` for `command`, for as long as the returned file is open. The file is
/// created if it does not exist. `target` is what `command` writes to; the error names it.
pub(crate) fn lock_file(path: &Path, target: &Path, command: &str) -> Result<File> {
    let file = File::options()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("opening {}", path.display()))?;
    lock(file, target, command)
}

/// Fails if another process holds the lock.
///
/// It tries more than once: a process that is just being started has, for a moment, a copy of every
/// open file of its parent, and so holds its parent's locks.
fn lock(file: File, target: &Path, command: &str) -> Result<File> {
    for _ in 0..ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("locking {}", target.display()));
            }
        }
    }
    bail!(
        "another `{command}` is writing to {}; wait for it to end",
        target.display()
    )
}
