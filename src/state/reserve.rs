//! The reserve: a file next to the state database that holds disk space for the few writes that must
//! succeed although the disk is full. Decision D-254.
//!
//! The server fills it. A write that the disk refused gives up a part of it and is tried again. It
//! holds random bytes, because a file system may store zeros without using space for them.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// The length of a full reserve, in bytes.
pub(super) const LENGTH: u64 = 1 << 20;

/// How much of the reserve is given up at once, in bytes. Opening a database and one small write take
/// about 64 KiB. Not all at once, because what fills the disk may take the space first: then there is
/// another part to try with.
const PART: u64 = LENGTH / 8;

/// How much of the reserve requests of clients leave to the operator, in bytes.
pub(super) const KEPT_FOR_OPERATOR: u64 = LENGTH / 2;

/// The reserve of a state database: on its disk, so next to the file that a symbolic link leads to.
pub(super) fn path_of(state: &Path) -> PathBuf {
    let state = fs::canonicalize(state).unwrap_or_else(|_| state.to_owned());
    let mut path = state.into_os_string();
    path.push("-reserve");
    path.into()
}

/// Fills the reserve as far as the disk has space. What fits stays after an error too.
pub(super) fn fill(state: &Path) -> io::Result<()> {
    let path = path_of(state);
    if fs::metadata(&path).is_ok_and(|meta| meta.len() >= LENGTH) {
        return Ok(());
    }
    let mut file = File::options().append(true).create(true).mode(0o600).open(&path)?;
    let mut random = [0; 4096];
    while file.metadata()?.len() < LENGTH {
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        file.write_all(&random)?;
    }
    Ok(())
}

/// Gives up a part of the reserve, but never of its first `keep` bytes. Returns whether there was such
/// a part.
pub(super) fn give_up_part(state: &Path, keep: u64) -> bool {
    let shorten = || -> io::Result<bool> {
        let file = File::options().write(true).open(path_of(state))?;
        let length = file.metadata()?.len();
        if length <= keep {
            return Ok(false);
        }
        file.set_len(length.saturating_sub(PART).max(keep))?;
        // Some file systems free the space only when this is on the disk.
        file.sync_all()?;
        Ok(true)
    };
    // Without a reserve, the error of the write itself states what is wrong.
    shorten().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_reserve_is_allocated_private_and_given_up_in_parts() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state.db");
        assert!(!give_up_part(&state, 0), "there is no reserve yet");
        for _ in 0..2 {
            fill(&state).unwrap();
            let meta = fs::metadata(folder.path().join("state.db-reserve")).unwrap();
            assert_eq!(
                (meta.len(), meta.mode() & 0o777, meta.blocks() * 512 >= LENGTH),
                (LENGTH, 0o600, true)
            );
        }
        let mut parts = 0;
        while give_up_part(&state, KEPT_FOR_OPERATOR) {
            parts += 1;
        }
        assert_eq!(parts, 4);
        assert_eq!(fs::metadata(path_of(&state)).unwrap().len(), KEPT_FOR_OPERATOR);
        while give_up_part(&state, 0) {
            parts += 1;
        }
        assert_eq!(parts, 8);
        fill(&state).unwrap();
        assert_eq!(fs::metadata(path_of(&state)).unwrap().len(), LENGTH);
    }
}
