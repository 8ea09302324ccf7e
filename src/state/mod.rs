//! What must survive a restart and is not procurement data: a SQLite file, which `serve`, `procure keys` and whoever sends
//! alerts share while they run.
//!
//! WAL, so that readers and the one writer do not wait for each other. The layout's version is the file's `user_version`; opening runs the
//! `MIGRATIONS` that are missing. **Invariant:** `rusqlite` is named only here and below.

pub mod account;
mod forgetting;
pub mod keys;
pub mod mailings;
pub mod subscriptions;
pub mod tokens;
pub mod usage;
pub mod watch;

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, ensure};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

/// The state database, open on one connection.
pub struct State {
    connection: Connection,
    path: PathBuf,
    /// Which file was opened, whatever stands at the path now.
    file: (u64, u64),
}

/// Each brings the layout from its place's number to the next. Never edited once released; only added to.
const MIGRATIONS: [&str; 5] = [
    "
    CREATE TABLE keys (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        sha256 BLOB NOT NULL UNIQUE,
        plan TEXT NOT NULL,
        label TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        disabled_at INTEGER
    ) STRICT;
",
    "
    CREATE TABLE usage (
        day TEXT NOT NULL,
        key_id INTEGER NOT NULL,
        requests INTEGER NOT NULL,
        PRIMARY KEY (day, key_id)
    ) STRICT, WITHOUT ROWID;
",
    "
    CREATE TABLE secrets (
        name TEXT PRIMARY KEY,
        secret BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE addresses (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        email TEXT NOT NULL UNIQUE,
        salt BLOB NOT NULL,
        token_sha256 BLOB UNIQUE
    ) STRICT;
    CREATE TABLE subscriptions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        address_id INTEGER NOT NULL REFERENCES addresses (id),
        identity TEXT NOT NULL,
        keywords TEXT NOT NULL,
        department TEXT,
        municipality TEXT,
        category TEXT,
        languages TEXT NOT NULL,
        frequency TEXT NOT NULL,
        locale TEXT NOT NULL,
        salt BLOB NOT NULL,
        token_sha256 BLOB UNIQUE,
        key_id INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        unsubscribed_at INTEGER,
        UNIQUE (address_id, identity)
    ) STRICT;
    CREATE INDEX live_subscriptions_of_key ON subscriptions (key_id) WHERE unsubscribed_at IS NULL;
    CREATE TABLE consents (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        subscription_id INTEGER NOT NULL REFERENCES subscriptions (id),
        event TEXT NOT NULL,
        at INTEGER NOT NULL,
        key_id INTEGER,
        request_id TEXT NOT NULL,
        peer TEXT,
        forwarded_for TEXT,
        words TEXT NOT NULL
    ) STRICT;
",
    mailings::TABLES,
    mailings::INDEXES,
];

/// How long a statement waits for another process's write to end.
const BUSY: Duration = Duration::from_secs(5);

impl State {
    /// Opens the file, made if it is missing, and brings its layout up to date.
    pub fn open(path: &Path) -> anyhow::Result<State> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        }
        State::open_waiting(path, BUSY).with_context(|| format!("opening the state file {}", path.display()))
    }

    fn open_waiting(path: &Path, busy: Duration) -> anyhow::Result<State> {
        let opened = || -> anyhow::Result<State> {
            let connection = Connection::open(path)?;
            connection.busy_timeout(busy)?;
            // First of all: what a newer program wrote is not touched.
            check_version(version(&connection)?)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            let mut state = State {
                connection,
                path: path.to_owned(),
                file: file(path)?,
            };
            state.migrate()?;
            Ok(state)
        };
        opened().map_err(|error| explained(path, error))
    }

    fn migrate(&mut self) -> anyhow::Result<()> {
        let known = MIGRATIONS.len();
        if version(&self.connection)? == known {
            return Ok(());
        }
        // Two processes may open a new file at once: the second waits here, and finds the work done.
        let version = {
            let migration = self
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            let version = version(&migration)?;
            for step in MIGRATIONS.iter().skip(version) {
                migration.execute_batch(step)?;
            }
            if version < known {
                migration.pragma_update(None, "user_version", known as u32)?;
            }
            migration.commit()?;
            version
        };
        check_version(version)
    }

    /// How long a statement waits for another process's write.
    pub fn wait_at_most(&self, busy: Duration) -> anyhow::Result<()> {
        Ok(self.connection.busy_timeout(busy)?)
    }

    /// Whether the path still names the file that was opened.
    ///
    /// Another file there is left alone: SQLite keeps its journal under the path's name, and opening the one with the other's journal would mix the two.
    fn check_place(&self) -> anyhow::Result<()> {
        ensure!(
            file(&self.path).is_ok_and(|file| file == self.file),
            "the state file {0} was replaced or removed under the running server, which leaves what stands there alone; put it back, or \
             stop the server, remove {0}-wal and {0}-shm, and start it again",
            self.path.display()
        );
        Ok(())
    }

    /// A number that changes when another connection has written.
    fn data_version(&self) -> anyhow::Result<i64> {
        let version = self
            .connection
            .pragma_query_value(None, "data_version", |row| row.get(0));
        version.context("looking whether the state file changed")
    }
}

fn check_version(version: usize) -> anyhow::Result<()> {
    let known = MIGRATIONS.len();
    ensure!(
        version <= known,
        "its layout is version {version}, and this program knows {known}; use the newer program that wrote it"
    );
    Ok(())
}

/// What tells a file from others, on this machine.
fn file(path: &Path) -> io::Result<(u64, u64)> {
    fs::metadata(path).map(|meta| (meta.dev(), meta.ino()))
}

/// The database's refusal, with the cure where there is one.
fn explained(path: &Path, error: anyhow::Error) -> anyhow::Error {
    match cure(&error) {
        _ if path.is_dir() => error.context("it is a folder; name a file in it"),
        Some(cure) => error.context(cure),
        None => error,
    }
}

/// Whether the database was only busy: another program wrote to it all the while.
pub fn is_busy(error: &anyhow::Error) -> bool {
    let code = error
        .downcast_ref::<rusqlite::Error>()
        .and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// What an operator can do about the database's refusal.
fn cure(error: &anyhow::Error) -> Option<&'static str> {
    Some(match error.downcast_ref::<rusqlite::Error>()?.sqlite_error_code()? {
        ErrorCode::CannotOpen => "this user must be able to read and write it and its folder",
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => "this user must be able to write it and its folder",
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            "another program holds it locked; end that program, or try again"
        }
        ErrorCode::NotADatabase => "it is no SQLite database; name another file",
        ErrorCode::DatabaseCorrupt => "it is damaged; put a backup in its place",
        ErrorCode::DiskFull => "the disk is full",
        _ => return None,
    })
}

fn version(connection: &Connection) -> anyhow::Result<usize> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(version as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(path: &Path) -> String {
        format!("{:#}", State::open(path).err().unwrap())
    }

    #[test]
    fn a_file_is_made_once_and_a_newer_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/state.db");
        for _ in 0..2 {
            let state = State::open(&path).unwrap();
            assert_eq!(version(&state.connection).unwrap(), MIGRATIONS.len());
        }
        let state = State::open(&path).unwrap();
        state.connection.pragma_update(None, "user_version", 99).unwrap();
        assert_eq!(
            error(&path),
            format!(
                "opening the state file {}: its layout is version 99, and this program knows {}; use the newer program that wrote it",
                path.display(),
                MIGRATIONS.len()
            )
        );
    }

    #[test]
    fn an_older_file_is_brought_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(MIGRATIONS[0]).unwrap();
        old.execute_batch(
            "INSERT INTO keys VALUES (7, zeroblob(32), 'PRO', 'old', 0, NULL, NULL); PRAGMA user_version = 1",
        )
        .unwrap();
        drop(old);
        let state = State::open(&path).unwrap();
        assert_eq!(state.keys().unwrap()[0].id, 7);
        assert!(state.usage(chrono::NaiveDate::MIN).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_opened_is_said_with_the_cure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        fs::write(&path, "x".repeat(4096)).unwrap();
        let text = error(&path);
        assert!(text.contains("it is no SQLite database; name another file"), "{text}");
        assert!(text.starts_with("opening the state file"), "{text}");
        let text = error(folder.path());
        assert!(text.contains("it is a folder; name a file in it"), "{text}");
        let text = error(&path.join("state.db"));
        assert!(text.starts_with("creating"), "{text}");
    }

    #[test]
    fn a_locked_file_is_said_to_be_locked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let error = State::open_waiting(&path, Duration::from_millis(1)).err().unwrap();
        assert!(
            format!("{error:#}").starts_with("another program holds it locked"),
            "{error:#}"
        );
    }
}
