//! The connection to the state database: opening, migrating, and remedies for SQLite's errors.
//!
//! The database is in WAL mode, so that readers and the one writer do not block each other. The
//! file's `user_version` is the schema version; opening runs the missing [`MIGRATIONS`].

use std::{
    fs::{self, File},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, ensure};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::state::{
    migrations::{MIGRATIONS, write_mailboxes},
    reserve,
};

/// The state database, opened on one connection.
pub struct StateDb {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    /// The file that was opened, which another one may have replaced at the path.
    file: FileId,
}

/// Device and inode number: they identify a file on this machine.
type FileId = (u64, u64);

/// How long a statement waits by default for another process's write lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

impl StateDb {
    /// Opens the file, creating it if it is missing, and migrates its schema.
    pub fn open(path: &Path) -> anyhow::Result<StateDb> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        }
        StateDb::open_with_timeout(path, BUSY_TIMEOUT)
            .with_context(|| format!("opening the state database {}", path.display()))
    }

    /// Opens an existing file to read it, also where it cannot be written.
    pub fn open_to_read(path: &Path) -> anyhow::Result<StateDb> {
        StateDb::open(path).or_else(|error| match sqlite_code_of(&error) {
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                StateDb::open_read_only(path).map_err(|_| error)
            }
            _ => Err(error),
        })
    }

    /// Opens the file without writing anything next to it. Nobody can write on such a disk, so the
    /// file does not change.
    fn open_read_only(path: &Path) -> anyhow::Result<StateDb> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        // What the log holds would be left out.
        let has_log = fs::metadata(Path::new(&log)).is_ok_and(|log| log.len() > 0);
        let mode = if has_log { "mode=ro" } else { "immutable=1" };
        let whole = fs::canonicalize(path)?;
        let whole = whole.to_str().context("the path is not UTF-8")?;
        let escaped = whole.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(format!("file:{escaped}?{mode}"), flags)?;
        let version = version(&connection)?;
        ensure!(version == MIGRATIONS.len(), "its schema has version {version}");
        Ok(StateDb {
            connection,
            path: path.to_owned(),
            file: file_id(path)?,
        })
    }

    fn open_with_timeout(path: &Path, timeout: Duration) -> anyhow::Result<StateDb> {
        let open = || -> anyhow::Result<StateDb> {
            create_private(path);
            let connection = Connection::open(path)?;
            connection.busy_timeout(timeout)?;
            // Before any write, so that the file of a newer program stays as it is.
            check_version(version(&connection)?)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            let mut state = StateDb {
                connection,
                path: path.to_owned(),
                file: file_id(path)?,
            };
            state.migrate()?;
            Ok(state)
        };
        // Also to read: SQLite puts two files next to the database that no other process has open.
        with_reserve(path, 0, open).map_err(|error| with_remedy(path, error))
    }

    fn migrate(&mut self) -> anyhow::Result<()> {
        let newest = MIGRATIONS.len();
        if version(&self.connection)? == newest {
            return Ok(());
        }
        // Two processes may open a new file at once. The second waits for the lock here, and then
        // finds nothing left to migrate.
        let migration = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version = version(&migration)?;
        for step in MIGRATIONS.iter().skip(version) {
            migration.execute_batch(step)?;
        }
        if version < newest {
            write_mailboxes(&migration)?;
            migration.pragma_update(None, "user_version", newest as u32)?;
        }
        migration.commit()?;
        check_version(version)
    }

    /// Sets how long a statement waits for another process's write lock.
    pub(crate) fn set_busy_timeout(&self, timeout: Duration) -> anyhow::Result<()> {
        Ok(self.connection.busy_timeout(timeout)?)
    }

    /// An error if the path no longer names the file that was opened.
    ///
    /// Another file at the path is not touched. SQLite keeps the journal under the path's name, so
    /// opening the new file with the old one's journal would mix the two.
    pub(super) fn check_file(&self) -> anyhow::Result<()> {
        ensure!(
            file_id(&self.path).is_ok_and(|file| file == self.file),
            "the state database {0} was replaced or removed while in use, and is not written to; put the original file back, or stop the server, \
             remove {0}-wal and {0}-shm, and start it again",
            self.path.display()
        );
        Ok(())
    }

    /// A number that changes when another connection has written.
    pub(super) fn data_version(&self) -> anyhow::Result<i64> {
        let version = self
            .connection
            .pragma_query_value(None, "data_version", |row| row.get(0));
        version.context("checking whether the state database has changed")
    }

    /// Frees the pages that SQLite keeps in memory, so that the next read reads the file.
    pub(super) fn forget_pages(&self) -> anyhow::Result<()> {
        let freed = self.connection.execute_batch("PRAGMA shrink_memory");
        freed.context("freeing the pages of the state database")
    }

    /// Runs `work` in a write transaction and commits it.
    pub(super) fn write<T>(&self, work: impl FnOnce(&Transaction) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }
}

/// Runs `attempt`. While the disk refuses it, gives up a part of the database's reserve and tries
/// again, until `keep` bytes of the reserve are left.
pub(super) fn with_reserve<T>(
    path: &Path,
    keep: u64,
    mut attempt: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    loop {
        match attempt() {
            Err(error) if is_refused_by_disk(&error) && reserve::give_up_part(path, keep) => {
                log::warn!(
                    "the disk of {} refused a write ({error:#}); a part of {} was given up for it, so free space there soon",
                    path.display(),
                    reserve::path_of(path).display()
                );
            }
            outcome => return outcome,
        }
    }
}

/// The size of a state database on disk, with its write-ahead log. A file that is missing has none.
pub(crate) fn file_bytes(path: &Path) -> u64 {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let bytes = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.len());
    bytes(path) + bytes(Path::new(&log))
}

fn check_version(version: usize) -> anyhow::Result<()> {
    let newest = MIGRATIONS.len();
    ensure!(
        version <= newest,
        "its schema has version {version}, and this program supports versions up to {newest}; use the newer program that wrote it"
    );
    Ok(())
}

fn version(connection: &Connection) -> anyhow::Result<usize> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(version as usize)
}

/// Creates a missing file so that only its owner may read and write it. It holds
/// personal data and the secret of the links to unsubscribe. SQLite gives the files that it puts next
/// to it (`-wal`, `-shm`) the same mode.
fn create_private(path: &Path) {
    // SQLite reports any error but that the file exists already, with a remedy.
    let _ = File::options().write(true).create_new(true).mode(0o600).open(path);
}

/// Logs a warning if other users of the machine may read the file.
pub(crate) fn warn_if_exposed(path: &Path) {
    let Ok(meta) = fs::metadata(path) else { return };
    let mode = meta.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        log::warn!(
            "other users may read or write the state database {0} (its mode is {mode:03o}), which holds personal data and a secret; \
             run `chmod go= {0}*`",
            path.display()
        );
    }
}

fn file_id(path: &Path) -> io::Result<FileId> {
    fs::metadata(path).map(|meta| (meta.dev(), meta.ino()))
}

/// The error, with what the operator can do about it if that is known.
pub(super) fn with_remedy(path: &Path, error: anyhow::Error) -> anyhow::Error {
    if path.is_dir() {
        return error.context("it is a folder; name a file in it");
    }
    match remedy(&error) {
        Some(remedy) => error.context(remedy),
        None => error,
    }
}

fn remedy(error: &anyhow::Error) -> Option<&'static str> {
    Some(match sqlite_code(error)? {
        ErrorCode::CannotOpen => "this user must be able to read and write it and its folder",
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => "this user must be able to write it and its folder",
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            "another program has locked it; end that program, or try again"
        }
        ErrorCode::NotADatabase => "it is not an SQLite database; name another file",
        ErrorCode::DatabaseCorrupt => "it is damaged; replace it by a backup",
        ErrorCode::DiskFull => "its disk is full; free space there, then try again",
        ErrorCode::SystemIoFailure => "its disk is full or failing; free space there, then try again",
        _ => return None,
    })
}

/// Whether the error is only that another process held the write lock for the whole timeout.
pub(crate) fn is_busy(error: &anyhow::Error) -> bool {
    matches!(
        sqlite_code(error),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Whether the disk refused the write: it is full, or failed.
pub(crate) fn is_refused_by_disk(error: &anyhow::Error) -> bool {
    matches!(
        sqlite_code(error),
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure)
    )
}

/// The SQLite code of an error with a context.
fn sqlite_code_of(error: &anyhow::Error) -> Option<ErrorCode> {
    let mut causes = error.chain();
    causes.find_map(|cause| cause.downcast_ref::<rusqlite::Error>()?.sqlite_error_code())
}

fn sqlite_code(error: &anyhow::Error) -> Option<ErrorCode> {
    error.downcast_ref::<rusqlite::Error>()?.sqlite_error_code()
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn error(path: &Path) -> String {
        format!("{:#}", StateDb::open(path).err().unwrap())
    }

    /// What SQLite sees of a file on a disk that is mounted read-only, whoever runs the test.
    #[test]
    fn a_file_is_read_without_writing_next_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("st#te 100%.db");
        let key = StateDb::open(&path).unwrap();
        key.create_key(crate::model::Plan::Pro, "x", DateTime::UNIX_EPOCH, None)
            .unwrap();
        drop(key);
        let state = StateDb::open_read_only(&path).unwrap();
        assert_eq!(state.keys().unwrap().len(), 1);
        assert!(state.usage(DateTime::UNIX_EPOCH.date_naive()).unwrap().is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_created_once_and_a_newer_schema_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/state.db");
        for _ in 0..2 {
            let state = StateDb::open(&path).unwrap();
            assert_eq!(version(&state.connection).unwrap(), MIGRATIONS.len());
        }
        let state = StateDb::open(&path).unwrap();
        state.connection.pragma_update(None, "user_version", 99).unwrap();
        assert_eq!(
            error(&path),
            format!(
                "opening the state database {}: its schema has version 99, and this program supports versions up to {}; use the newer program that wrote it",
                path.display(),
                MIGRATIONS.len()
            )
        );
    }

    #[test]
    fn a_new_file_is_readable_by_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let state = StateDb::open(&path).unwrap();
        state
            .write(|transaction| transaction.execute_batch("PRAGMA user_version"))
            .unwrap();
        for entry in folder.path().read_dir().unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", entry.path().display());
        }
        // The mode of a file that exists is the operator's.
        drop(state);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let state = StateDb::open(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        drop(state);
    }

    #[test]
    fn a_full_disk_is_distinguished_from_other_errors() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDb::open(&folder.path().join("state.db")).unwrap();
        state.connection.pragma_update(None, "max_page_count", 1).unwrap();
        let error = |sql: &str| anyhow::Error::from(state.connection.execute_batch(sql).unwrap_err());
        let full = error("CREATE TABLE big AS SELECT zeroblob(100000)");
        assert!(is_refused_by_disk(&full), "{full:#}");
        assert!(!is_refused_by_disk(&error("no SQL")));
    }

    #[test]
    fn an_older_schema_is_migrated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(MIGRATIONS[0]).unwrap();
        old.execute_batch(
            "INSERT INTO keys VALUES (7, zeroblob(32), 'PRO', 'old', 0, NULL, NULL); PRAGMA user_version = 1",
        )
        .unwrap();
        drop(old);
        let state = StateDb::open(&path).unwrap();
        assert_eq!(state.keys().unwrap()[0].id, 7);
        assert!(state.usage(chrono::NaiveDate::MIN).unwrap().is_empty());
    }

    #[test]
    fn an_error_of_opening_states_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        fs::write(&path, "x".repeat(4096)).unwrap();
        let text = error(&path);
        assert!(
            text.contains("it is not an SQLite database; name another file"),
            "{text}"
        );
        assert!(text.starts_with("opening the state database"), "{text}");
        let text = error(folder.path());
        assert!(text.contains("it is a folder; name a file in it"), "{text}");
        let text = error(&path.join("state.db"));
        assert!(text.starts_with("creating"), "{text}");
    }

    #[test]
    fn a_locked_file_is_reported_as_locked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let error = StateDb::open_with_timeout(&path, Duration::from_millis(1))
            .err()
            .unwrap();
        assert!(
            format!("{error:#}").starts_with("another program has locked it"),
            "{error:#}"
        );
    }
}
