//! One writer a folder: an advisory lock, held for as long as the file is open.

use std::{
    fs::{File, TryLockError},
    path::Path,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};

/// How often a lock that is held is tried again, and how long between.
const TRIES: usize = 10;
const PAUSE: Duration = Duration::from_millis(50);

/// Locks a file for `command`, which writes to `place`; an error if another process holds the lock, and goes on holding it.
///
/// It is tried more than once: a process that is being started holds a copy of every open file for a moment, and of its locks with it.
pub fn hold(file: File, place: &Path, command: &str) -> Result<File> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("locking {}", place.display()));
            }
        }
    }
    bail!(
        "another `{command}` is writing to {}; wait for it to end",
        place.display()
    )
}
